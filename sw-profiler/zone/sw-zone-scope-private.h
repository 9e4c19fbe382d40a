/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-producer-private.h"

G_BEGIN_DECLS

/* Where the calling thread records now; NULL: nowhere. */
SwZoneProducer *sw_zone_find_recording (void);
/* The same for frames. */
SwZoneProducer *sw_zone_find_recording_frames (void);
/* Ends a zone of the calling thread that is open; counts it when it was not the innermost. */
void sw_zone_end_open (SwZoneProducer *producer,
                       SwOpenZone *zone,
                       guint64 end);

G_END_DECLS
