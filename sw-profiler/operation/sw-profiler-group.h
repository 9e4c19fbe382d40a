/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler-columns.h>
#include <sw-profiler/operation/sw-profiler-thread.h>
#include <sw-profiler/operation/sw-profiler.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_GROUP (sw_profiler_group_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwProfilerGroup, sw_profiler_group, SW, PROFILER_GROUP, GObject)

SW_AVAILABLE_IN_0_1
SwProfilerGroup *sw_profiler_group_new (SwProfiler *options) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_group_enter (SwProfilerGroup *self,
                                  GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_group_exit (SwProfilerGroup *self,
                                 GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_group_is_active (SwProfilerGroup *self);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_group_is_completed (SwProfilerGroup *self);

SW_AVAILABLE_IN_0_1
guint sw_profiler_group_get_n_lost_threads (SwProfilerGroup *self);
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_group_dup_threads (SwProfilerGroup *self,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_group_dup_events (SwProfilerGroup *self,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_group_dup_key_averages (SwProfilerGroup *self,
                                               gboolean group_by_input_shape,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_group_dup_key_statistics (SwProfilerGroup *self,
                                                 gboolean group_by_input_shape,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerColumns *sw_profiler_group_tabulate_aggregates (SwProfilerGroup *self,
                                                          SwColumnOrder order,
                                                          gboolean group_by_input_shape,
                                                          gboolean with_statistics,
                                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_group_dup_table_with_columns (SwProfilerGroup *self,
                                                const char *const *columns,
                                                const char *sort_by,
                                                gboolean descending,
                                                gboolean group_by_input_shape,
                                                gint64 row_limit,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_group_dup_table (SwProfilerGroup *self,
                                   const char *sort_by,
                                   gboolean descending,
                                   gboolean group_by_input_shape,
                                   gint64 row_limit,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_group_dup_table_by_thread (SwProfilerGroup *self,
                                             const char *sort_by,
                                             gboolean descending,
                                             gboolean group_by_input_shape,
                                             gint64 row_limit,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
