/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-frame-accumulator-private.h"

G_BEGIN_DECLS

typedef struct _SwZoneCore SwZoneCore;

/* Frames that wait to be consumed, at most; whoever ends another one consumes first. */
#define SW_ZONE_MAX_WAITING_FRAMES 1024
/* Frames that are complete, but may still be asked for by zones that were left behind. */
#define SW_ZONE_MAX_PAST_FRAMES 1024

/* A zone belongs to the frame in whose time it began. */
typedef struct
{
  guint32 index;
  gboolean is_quiet; /* all zones that began in it have ended */
  guint64 begin;     /* ticks */
  guint64 end;       /* ticks; G_MAXUINT64: open */
  char *name;
} SwStreamFrame;

/* The stream of frames, on the side of those who make them. Guarded by the core's lock. The last one may be open, or
 * closing: ended, but not quiet. */
typedef struct
{
  GArray *waiting; /* of SwStreamFrame, by their indices */
  guint32 next_index;
} SwZoneFrames;

void sw_zone_frames_init (SwZoneFrames *self);
void sw_zone_frames_clear (SwZoneFrames *self);

/* 0, with @error set unless it is NULL: another one is active. */
guint64 sw_zone_core_begin_frame (SwZoneCore *self,
                                  const char *name,
                                  GError **error);
/* FALSE: it is not the open one. */
gboolean sw_zone_core_end_frame (SwZoneCore *self,
                                 guint64 token);

/* The zones of a frame, as they are consumed. */
typedef struct
{
  SwStreamFrame frame;
  GArray *zones; /* of SwFrameZone */
  GArray *rows;  /* of SwSlowRow, beside them; NULL unless slow frames are kept */
  guint64 n_left_out;
} SwZoneOpenFrame;

typedef struct
{
  guint32 index;
  guint64 begin;
  guint64 end;
} SwZonePastFrame;

/* The stream of frames, on the side of the consumer. Guarded by the consumer lock. */
typedef struct
{
  GArray *frames; /* of SwZoneOpenFrame */
  SwZonePastFrame past[SW_ZONE_MAX_PAST_FRAMES];
  guint64 n_past;
  GArray *spare_zones; /* of a frame before, for the next one */
} SwZoneOpenFrames;

void sw_zone_open_frames_init (SwZoneOpenFrames *self);
void sw_zone_open_frames_clear (SwZoneOpenFrames *self);
/* Takes over what makers of frames did. With both locks. */
void sw_zone_open_frames_update (SwZoneOpenFrames *self,
                                 SwZoneFrames *frames,
                                 gboolean keep_rows);
/* The frame in whose time a zone began; NULL: none that is not complete. @index is that of any, or SW_ZONE_NO_FRAME. */
SwZoneOpenFrame *sw_zone_open_frames_find (SwZoneOpenFrames *self,
                                           guint64 start,
                                           guint32 *index);
/* Removes the first. */
void sw_zone_open_frames_shift (SwZoneOpenFrames *self);

/* Whether the last frame has become quiet; asks all threads. With the lock. */
void sw_zone_core_settle_frames (SwZoneCore *self);

G_END_DECLS
