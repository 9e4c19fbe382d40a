/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-duration-statistics.h>
#include <sw-profiler/zone/sw-profiler-diagnostics.h>
#include <sw-profiler/zone/sw-profiler-site.h>
#include <sw-profiler/zone/sw-timeline.h>
#include <sw-profiler/zone/sw-zone-chunk.h>
#include <sw-profiler/zone/sw-zone-frame.h>
#include <sw-profiler/zone/sw-zone-selection.h>

G_BEGIN_DECLS

#define SW_TYPE_ZONE_TRACE (sw_zone_trace_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_zone_trace_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwZoneTrace *sw_zone_trace_ref (SwZoneTrace *self);
SW_AVAILABLE_IN_0_1
void sw_zone_trace_unref (SwZoneTrace *self);

SW_AVAILABLE_IN_0_1
guint64 sw_zone_trace_get_start_ns (SwZoneTrace *self);
SW_AVAILABLE_IN_0_1
guint64 sw_zone_trace_get_stop_ns (SwZoneTrace *self);
SW_AVAILABLE_IN_0_1
SwStopReason sw_zone_trace_get_stop_reason (SwZoneTrace *self);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_trace_get_truncated (SwZoneTrace *self);
SW_AVAILABLE_IN_0_1
guint64 sw_zone_trace_get_memory_bytes (SwZoneTrace *self);
SW_AVAILABLE_IN_0_1
SwProfilerDiagnostics *sw_zone_trace_get_diagnostics (SwZoneTrace *self);

SW_AVAILABLE_IN_0_1
guint32 sw_zone_trace_get_zone_count (SwZoneTrace *self);
SW_AVAILABLE_IN_0_1
GPtrArray *sw_zone_trace_dup_zone_chunks (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_zone_trace_dup_sites (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_zone_trace_dup_timelines (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_zone_trace_dup_frames (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
GBytes *sw_zone_trace_dup_frame_index (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_trace_dup_frame_start_ns (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_trace_dup_frame_duration_ns (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_zone_trace_dup_frame_statistics (SwZoneTrace *self,
                                                          gint64 start_ns,
                                                          gint64 end_ns,
                                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
double sw_zone_trace_get_fps (SwZoneTrace *self,
                              gint64 start_ns,
                              gint64 end_ns,
                              GError **error);

SW_AVAILABLE_IN_0_1
SwZoneSelection *sw_zone_trace_query_zones (SwZoneTrace *self,
                                            const char *name,
                                            int timeline_type,
                                            gint64 frame_begin,
                                            gint64 frame_end,
                                            gint64 start_ns,
                                            gint64 end_ns,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
gboolean sw_zone_trace_write_to_json (SwZoneTrace *self,
                                      const char *path,
                                      GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_trace_write_to_jsonl (SwZoneTrace *self,
                                       const char *path,
                                       GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_trace_write_to_perfetto (SwZoneTrace *self,
                                          const char *path,
                                          GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_zone_trace_write_to_csv (SwZoneTrace *self,
                                     const char *path,
                                     GError **error);

SW_AVAILABLE_IN_0_1
char *sw_zone_trace_to_string (SwZoneTrace *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwZoneTrace, sw_zone_trace_unref)

G_END_DECLS
