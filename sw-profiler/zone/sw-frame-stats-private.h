/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-frame-stats-entry-private.h"
#include "sw-profiler/zone/sw-frame-stats.h"
#include "sw/base/sw-ref-count-private.h"

G_BEGIN_DECLS

struct _SwFrameStats
{
  SwRefCount ref_count;
  guint32 n_samples;
  guint32 n_entries;
  guint32 n_pending_frames;
  double latest_frame_ms;
  double fps;
  SwDurationStatistics *frame_time;
  SwDurationStatistics *frame_interval;
  SwProfilerDiagnostics *diagnostics;
  SwFrameStatsEntry **entries; /* parents before children */
  /* See the functions that return them. */
  GBytes *sample_frame_index;
  GBytes *sample_frame_start_ns;
  GBytes *sample_frame_time_ms;
  GBytes *sample_call_count;
  GBytes *sample_cpu_time_ms;
  GBytes *sample_gpu_time_ms;
  GBytes *sample_gpu_status;
};

G_END_DECLS
