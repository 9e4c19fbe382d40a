/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-core-private.h"

G_BEGIN_DECLS

/* What the consumer's files have of each other. All with the consumer lock. */

/* SW_ZONE_NO_ROW: the capture is full now. */
gint64 sw_zone_capture_append (SwZoneCore *self,
                               const SwZoneRow *row);
void sw_zone_capture_add_frame (SwZoneCore *self,
                                const SwSealedFrame *frame);

/* Sees to the ids that the next rows of a producer will have; a timeline that has no rows may have lost its own. */
void sw_zone_consumer_find_timelines (SwZoneCore *self,
                                      SwZoneProducer *producer);
/* Gives a producer's timelines the name that its thread has now. */
void sw_zone_consumer_rename (SwZoneCore *self,
                              SwZoneProducer *producer);

void sw_zone_capture_fill_up (SwZoneCore *self);
void sw_zone_consumer_trim_live (SwZoneCore *self);

/* With the lock, too. Adds what the producer counted to the totals. */
void sw_zone_core_unlink_producer (SwZoneCore *self,
                                   SwZoneProducer *producer);

G_END_DECLS
