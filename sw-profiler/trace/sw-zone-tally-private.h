/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-tally-private.h"
#include "sw-profiler/zone/sw-zone-producer-private.h"

G_BEGIN_DECLS

/* How often each zone was there, and for how long, with and without the zones inside it; those with the most time first. */
typedef struct
{
  SwTally tally;
  guint64 count; /* with the lock of the tally */
} SwZoneTally;

SwZoneTally *sw_zone_tally_new (gboolean by_thread) G_GNUC_WARN_UNUSED_RESULT;
/* From any thread, for a producer one at a time, in the order of ends. Operations that are zones by themselves are passed
 * over, as if what is inside of them were inside of what is around them. */
void sw_zone_tally_add (SwZoneTally *self,
                        SwZoneProducer *producer,
                        const SwZoneEvent *event);
guint64 sw_zone_tally_get_count (SwZoneTally *self);

G_END_DECLS
