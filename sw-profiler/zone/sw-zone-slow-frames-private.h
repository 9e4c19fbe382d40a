/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-frame-accumulator-private.h"
#include "sw-profiler/zone/sw-zone-trace-builder-private.h"
#include "sw/base/sw-lane-private.h"

G_BEGIN_DECLS

/* Whole frames that took long, kept for as long as no slower ones need their room. */
typedef struct _SwSlowFrames SwSlowFrames;

/* A zone of a frame, beside its SwFrameZone. */
typedef struct
{
  guint64 start_ns;
  guint64 duration_ns;
  guint64 correlation_id;
  SwLane *lane; /* a reference */
} SwSlowRow;

SwSlowFrames *sw_slow_frames_new (gsize max_rows,
                                  gsize max_frames);
void sw_slow_frames_free (SwSlowFrames *self);

/* Frames of at least so many nanoseconds are kept; below 0: none are, and those that were are forgotten. */
void sw_slow_frames_set_threshold (SwSlowFrames *self,
                                   gint64 threshold_ns);
gboolean sw_slow_frames_is_on (const SwSlowFrames *self);

/* An array of them, which gives up their references with them. */
GArray *sw_slow_rows_new (void);
void sw_slow_rows_append (GArray *rows,
                          const SwZoneRow *row,
                          SwLane *lane);
/* @zones and @rows have the same length. */
void sw_slow_frames_add (SwSlowFrames *self,
                         const SwSealedFrame *frame,
                         const GArray *zones,
                         const GArray *rows);
gsize sw_slow_frames_count_zones (const SwSlowFrames *self);
SwZoneTrace *sw_slow_frames_snapshot (SwSlowFrames *self,
                                      const SwZoneTraceInfo *info);

G_END_DECLS
