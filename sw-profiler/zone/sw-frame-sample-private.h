/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-call-statistics-private.h"
#include "sw-profiler/zone/sw-frame-accumulator-private.h"
#include "sw-profiler/zone/sw-frame-paths-private.h"
#include "sw/base/sw-ref-count-private.h"

G_BEGIN_DECLS

/* What one path came to in one frame. */
typedef struct
{
  guint32 path;
  guint32 n_incomplete; /* GPU times that were asked for and did not come */
  guint32 n_pending;    /* that have not come yet */
  SwCallSums cpu;
  SwCallSums gpu;
} SwFrameRecord;

typedef struct _SwFrameSample SwFrameSample;

/* A GPU time that has not come yet. */
typedef struct
{
  guint64 token;
  SwFrameSample *sample;
  guint32 record;
} SwFramePending;

/* One frame; immutable and shared once nothing of it is pending. */
struct _SwFrameSample
{
  SwRefCount ref_count;
  guint32 index;
  guint32 n_records;
  guint32 n_pending;  /* of those below, the ones that are still awaited */
  guint32 n_awaited;
  guint64 start_ns;
  guint64 duration_ns;
  SwFrameRecord *records;
  SwFramePending *awaited;
};

void sw_frame_sample_unref (SwFrameSample *self);

static inline SwFrameSample *
sw_frame_sample_ref (SwFrameSample *self)
{
  sw_ref_count_inc (&self->ref_count);
  return self;
}

/* What statistics are computed from, apart from the one who goes on accumulating. */
struct _SwFrameWindow
{
  guint32 n_samples;
  guint32 n_paths;
  guint32 n_pending_frames;
  SwFrameSample **samples; /* oldest first */
  SwFramePath *paths;
};

G_END_DECLS
