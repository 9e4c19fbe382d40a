/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-frame-stats.h>
#include <sw-profiler/zone/sw-profiler-diagnostics.h>
#include <sw-profiler/zone/sw-zone-profiler-desc.h>
#include <sw-profiler/zone/sw-zone-trace.h>

G_BEGIN_DECLS

#define SW_TYPE_ZONE_PROFILER (sw_zone_profiler_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwZoneProfiler, sw_zone_profiler, SW, ZONE_PROFILER, GObject)

SW_AVAILABLE_IN_0_1
SwZoneProfiler *sw_zone_profiler_new (const SwZoneProfilerDesc *desc,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwZoneProfilerDesc *sw_zone_profiler_dup_desc (SwZoneProfiler *self) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwZoneProfiler *sw_zone_profiler_dup_current (void) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_enter (SwZoneProfiler *self,
                                 GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_exit (SwZoneProfiler *self,
                                GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_withdraw (SwZoneProfiler *self);

SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_get_enabled (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_set_enabled (SwZoneProfiler *self,
                                   gboolean enabled);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_get_enable_auto_zones (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_set_enable_auto_zones (SwZoneProfiler *self,
                                             gboolean enable_auto_zones);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_get_enable_debug_groups (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_set_enable_debug_groups (SwZoneProfiler *self,
                                               gboolean enable_debug_groups);

SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_start_capture (SwZoneProfiler *self,
                                         const SwCaptureDesc *desc,
                                         GError **error);
SW_AVAILABLE_IN_0_1
SwZoneTrace *sw_zone_profiler_stop_capture (SwZoneProfiler *self,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_discard_capture (SwZoneProfiler *self,
                                           GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_profiler_get_capture_active (SwZoneProfiler *self);

SW_AVAILABLE_IN_0_1
void sw_zone_profiler_tick (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_flush (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_trim (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
SwZoneTrace *sw_zone_profiler_live_snapshot (SwZoneProfiler *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwFrameStats *sw_zone_profiler_frame_stats_snapshot (SwZoneProfiler *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_clear_frame_stats (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
gint64 sw_zone_profiler_get_slow_frame_threshold_ns (SwZoneProfiler *self);
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_set_slow_frame_threshold_ns (SwZoneProfiler *self,
                                                   gint64 slow_frame_threshold_ns);
SW_AVAILABLE_IN_0_1
SwZoneTrace *sw_zone_profiler_slow_frames_snapshot (SwZoneProfiler *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerDiagnostics *sw_zone_profiler_dup_diagnostics (SwZoneProfiler *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
