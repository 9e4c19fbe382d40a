/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-profiler-diagnostics-private.h"
#include "sw-profiler/zone/sw-frame-stats.h"

G_BEGIN_DECLS

/* The statistics of the last frames. One thread at a time may use it; its snapshots are free of it. */
typedef struct _SwFrameAccumulator SwFrameAccumulator;

/* What it has at one moment; belongs to whoever asked for it. */
typedef struct _SwFrameWindow SwFrameWindow;

/* A frame that all its zones have ended in. */
typedef struct
{
  guint32 index; /* higher than that of the frame before */
  const char *name;
  guint64 begin_ns;
  guint64 end_ns;
} SwSealedFrame;

typedef enum {
  SW_FRAME_GPU_NONE,       /* no GPU timing was asked for */
  SW_FRAME_GPU_COMPLETE,   /* gpu_ns is known */
  SW_FRAME_GPU_INCOMPLETE, /* asked for and not to be had: no queries were left, or they were discarded */
  SW_FRAME_GPU_PENDING,    /* will be resolved, by gpu_token */
} SwFrameGpu;

typedef struct
{
  gint32 parent; /* the position of the enclosing zone among the frame's zones, before or after this one; -1: a root */
  guint32 site_id;
  SwFrameGpu gpu;
  guint64 cpu_ns;
  guint64 gpu_ns;
  guint64 gpu_token; /* of a pending one: not that of any other that is pending */
} SwFrameZone;

/* The last @window_size completed frames count; at most @max_pending_frames wait for their GPU times (and others behind
 * them), then the oldest is completed without. */
SwFrameAccumulator *sw_frame_accumulator_new (guint window_size,
                                              guint max_pending_frames) G_GNUC_WARN_UNUSED_RESULT;
void sw_frame_accumulator_free (SwFrameAccumulator *self);

/* Zones of all threads, in any order. Returns how many had to become roots, since their parents lead in a circle or out of
 * the array: what hierarchy_loss counts. */
guint sw_frame_accumulator_add_frame (SwFrameAccumulator *self,
                                      const SwSealedFrame *frame,
                                      const SwFrameZone *zones,
                                      gsize n_zones);
/* @gpu is COMPLETE or INCOMPLETE. FALSE: nothing of this token is pending, because it came too late or never was. */
gboolean sw_frame_accumulator_resolve (SwFrameAccumulator *self,
                                       guint64 gpu_token,
                                       SwFrameGpu gpu,
                                       guint64 gpu_ns);
guint sw_frame_accumulator_pending_frames (const SwFrameAccumulator *self);
gsize sw_frame_accumulator_memory_bytes (const SwFrameAccumulator *self);

/* In two steps, so that a lock is held for the first only, which is short and copies no records: what there is now, and
 * its statistics. */
SwFrameWindow *sw_frame_accumulator_freeze (SwFrameAccumulator *self) G_GNUC_WARN_UNUSED_RESULT;
/* Frees the window. */
SwFrameStats *sw_frame_window_finish (SwFrameWindow *window,
                                      const SwDiagnosticCounters *diagnostics) G_GNUC_WARN_UNUSED_RESULT;
/* Both. */
SwFrameStats *sw_frame_accumulator_snapshot (SwFrameAccumulator *self,
                                             const SwDiagnosticCounters *diagnostics) G_GNUC_WARN_UNUSED_RESULT;
/* Forgets all frames, the pending ones too. */
void sw_frame_accumulator_clear (SwFrameAccumulator *self);

G_END_DECLS
