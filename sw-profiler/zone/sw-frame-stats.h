/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-frame-stats-entry.h>
#include <sw-profiler/zone/sw-profiler-diagnostics.h>

G_BEGIN_DECLS

#define SW_TYPE_FRAME_STATS (sw_frame_stats_get_type ())

typedef struct _SwFrameStats SwFrameStats;

SW_AVAILABLE_IN_0_1
GType sw_frame_stats_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwFrameStats *sw_frame_stats_ref (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
void sw_frame_stats_unref (SwFrameStats *self);

SW_AVAILABLE_IN_0_1
guint32 sw_frame_stats_get_sample_count (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
guint32 sw_frame_stats_get_entry_count (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
guint32 sw_frame_stats_get_pending_frame_count (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
double sw_frame_stats_get_latest_frame_ms (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
double sw_frame_stats_get_fps (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_frame_stats_get_frame_time (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_frame_stats_get_frame_interval (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
SwProfilerDiagnostics *sw_frame_stats_get_diagnostics (SwFrameStats *self);
SW_AVAILABLE_IN_0_1
GPtrArray *sw_frame_stats_dup_entries (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
GBytes *sw_frame_stats_dup_sample_frame_index (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_frame_stats_dup_sample_frame_start_ns (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_frame_stats_dup_sample_frame_time_ms (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_frame_stats_dup_sample_call_count (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_frame_stats_dup_sample_cpu_time_ms (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_frame_stats_dup_sample_gpu_time_ms (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_frame_stats_dup_sample_gpu_status (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
char *sw_frame_stats_to_csv (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_frame_stats_to_string (SwFrameStats *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwFrameStats, sw_frame_stats_unref)

G_END_DECLS
