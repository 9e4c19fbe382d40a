/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-producer-private.h"

G_BEGIN_DECLS

/* How often each zone was there, and for how long: with and without the zones inside it. */
typedef struct _SwZoneTally SwZoneTally;

SwZoneTally *sw_zone_tally_new (gboolean by_thread) G_GNUC_WARN_UNUSED_RESULT;
void sw_zone_tally_free (SwZoneTally *self);
/* From any thread, for a producer one at a time, in the order of ends. Operations that are zones by themselves are passed
 * over, as if what is inside of them were inside of what is around them. */
void sw_zone_tally_add (SwZoneTally *self,
                        SwZoneProducer *producer,
                        const SwZoneEvent *event);
guint64 sw_zone_tally_get_count (SwZoneTally *self);
/* Tables of at most @row_limit rows, those with the most time first; -1 for all. */
void sw_zone_tally_append_to (SwZoneTally *self,
                              GString *text,
                              gint64 row_limit);
/* The same for programs: a record for each row, all of them; nothing where there are none. */
void sw_zone_tally_append_csv (SwZoneTally *self,
                               GString *text);
/* An array of what there is of one thread, where it is counted by thread. */
void sw_zone_tally_append_json (SwZoneTally *self,
                                const SwLane *lane,
                                GString *text);
/* Adds references of those that there is anything of to the set @lanes. */
void sw_zone_tally_find_lanes (SwZoneTally *self,
                               GHashTable *lanes);

G_END_DECLS
