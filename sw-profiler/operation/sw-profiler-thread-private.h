/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-thread.h"
#include "sw-profiler/operation/sw-recording-private.h"

G_BEGIN_DECLS

/* Takes @profiler, which is completed and has @recording. */
SwProfilerThread *sw_profiler_thread_new (SwProfiler *profiler,
                                          SwRecording *recording) G_GNUC_WARN_UNUSED_RESULT;
/* The number of its SwLane, which no other thread ever has. */
guint64 sw_profiler_thread_get_lane_id (const SwProfilerThread *self);

G_END_DECLS
