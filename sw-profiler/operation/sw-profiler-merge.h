/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler-columns.h>
#include <sw-profiler/operation/sw-profiler.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_dup_merged_key_averages (SwProfiler **profilers,
                                                gsize n_profilers,
                                                gboolean group_by_input_shape,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_profiler_dup_merged_key_statistics (SwProfiler **profilers,
                                                  gsize n_profilers,
                                                  gboolean group_by_input_shape,
                                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerColumns *sw_profiler_tabulate_merged_aggregates (SwProfiler **profilers,
                                                           gsize n_profilers,
                                                           SwColumnOrder order,
                                                           gboolean group_by_input_shape,
                                                           gboolean with_statistics,
                                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_dup_merged_table_with_columns (SwProfiler **profilers,
                                                 gsize n_profilers,
                                                 const char *const *columns,
                                                 const char *sort_by,
                                                 gboolean descending,
                                                 gboolean group_by_input_shape,
                                                 gint64 row_limit,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_profiler_dup_merged_table (SwProfiler **profilers,
                                    gsize n_profilers,
                                    const char *sort_by,
                                    gboolean descending,
                                    gboolean group_by_input_shape,
                                    gint64 row_limit,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
