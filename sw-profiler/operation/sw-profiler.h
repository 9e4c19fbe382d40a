/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/export/sw-trace-format.h>
#include <sw-profiler/operation/sw-profiler-aggregate.h>
#include <sw-profiler/operation/sw-profiler-columns.h>
#include <sw-profiler/operation/sw-profiler-event.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER (sw_profiler_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwProfiler, sw_profiler, SW, PROFILER, GObject)

SW_AVAILABLE_IN_0_1
SwProfiler *sw_profiler_new (gboolean record_shapes) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfiler *sw_profiler_new_for_carriers (const GType *carriers,
                                          gsize n_carriers,
                                          gboolean record_shapes,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfiler *sw_profiler_new_like (SwProfiler *other) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_enter (SwProfiler *self,
                            GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_exit (SwProfiler *self,
                           GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_is_active (SwProfiler *self);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_is_completed (SwProfiler *self);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_get_record_shapes (SwProfiler *self);

SW_AVAILABLE_IN_0_1
gint64 sw_profiler_count_events (SwProfiler *self,
                                 GError **error);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_get_n_dropped_events (SwProfiler *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_get_n_clock_faults (SwProfiler *self);
SW_AVAILABLE_IN_0_1
SwProfilerEvent *sw_profiler_dup_event (SwProfiler *self,
                                        gint64 id,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_dup_events (SwProfiler *self,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_profiler_dup_event_columns (SwProfiler *self,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerColumns *sw_profiler_tabulate_events (SwProfiler *self,
                                                SwColumnOrder order,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerColumns *sw_profiler_tabulate_aggregates (SwProfiler *self,
                                                    SwColumnOrder order,
                                                    gboolean group_by_input_shape,
                                                    gboolean with_statistics,
                                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_dup_key_averages (SwProfiler *self,
                                         gboolean group_by_input_shape,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_dup_key_statistics (SwProfiler *self,
                                           gboolean group_by_input_shape,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_dup_table (SwProfiler *self,
                             const char *sort_by,
                             gboolean descending,
                             gboolean group_by_input_shape,
                             gint64 row_limit,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_dup_table_with_columns (SwProfiler *self,
                                          const char *const *columns,
                                          const char *sort_by,
                                          gboolean descending,
                                          gboolean group_by_input_shape,
                                          gint64 row_limit,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_dup_json (SwProfiler *self,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_dup_events_csv (SwProfiler *self,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_save_events_csv (SwProfiler *self,
                                      const char *path,
                                      GError **error);
SW_AVAILABLE_IN_0_1
char *sw_profiler_dup_aggregates_csv (SwProfiler *self,
                                      gboolean group_by_input_shape,
                                      gboolean with_statistics,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_save_aggregates_csv (SwProfiler *self,
                                          const char *path,
                                          gboolean group_by_input_shape,
                                          gboolean with_statistics,
                                          GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_save (SwProfiler *self,
                           const char *path,
                           GError **error);
SW_AVAILABLE_IN_0_1
SwProfiler *sw_profiler_load (const char *path,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_save_json (SwProfiler *self,
                                const char *path,
                                GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_write_trace (SwProfiler *self,
                                  const char *path,
                                  SwTraceFormat format,
                                  GError **error);

G_END_DECLS
