/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-merge.h"

#include "sw-profiler/operation/sw-merged-source-private.h"
#include "sw-profiler/operation/sw-profiler-columns-private.h"
#include "sw-profiler/operation/sw-profiler-private.h"

static SwMergedSource *
merge (SwProfiler **profilers,
       gsize n_profilers,
       GError **error)
{
  g_autofree const SwEventSource **sources = g_new (const SwEventSource *, n_profilers + 1);

  for (gsize i = 0; i < n_profilers; i++)
    {
      sources[i] = sw_profiler_get_source (profilers[i], error);
      if (sources[i] == NULL)
        {
          g_prefix_error (error, "profilers[%" G_GSIZE_FORMAT "]: ", i);
          return NULL;
        }
    }
  return sw_merged_source_new (sources, n_profilers);
}

/**
 * sw_profiler_dup_merged_key_averages:
 * @profilers: (array length=n_profilers): completed profilers
 * @n_profilers: how many
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @error: return location for an error
 *
 * Sums up the events of several profilers, as [method@Strideweave.Profiler.dup_key_averages] does those of one: of the
 * cycles of a schedule, say, or of the threads of a group.
 *
 * Fails with %SW_ERROR_STATE, naming the position, for a profiler without results. May be called on any thread.
 *
 * Returns: (transfer container) (element-type SwProfilerAggregate): the rows, ordered by name, carrier and shapes
 */
GPtrArray *
sw_profiler_dup_merged_key_averages (SwProfiler **profilers,
                                     gsize n_profilers,
                                     gboolean group_by_input_shape,
                                     GError **error)
{
  g_autoptr (SwMergedSource) merged = NULL;

  g_return_val_if_fail (profilers != NULL || n_profilers == 0, NULL);

  merged = merge (profilers, n_profilers, error);
  if (merged == NULL)
    return NULL;
  return sw_event_source_dup_key_averages (sw_merged_source_get_source (merged), group_by_input_shape);
}

/**
 * sw_profiler_dup_merged_key_statistics:
 * @profilers: (array length=n_profilers): completed profilers
 * @n_profilers: how many
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @error: return location for an error
 *
 * Sums up the events of several profilers in rows that also know percentiles, a deviation and shares, as
 * [method@Strideweave.Profiler.dup_key_statistics] does for one.
 *
 * Fails with %SW_ERROR_STATE, naming the position, for a profiler without results. May be called on any thread.
 *
 * Returns: (transfer container) (element-type SwProfilerAggregate): the rows, ordered by name, carrier and shapes
 */
GPtrArray *
sw_profiler_dup_merged_key_statistics (SwProfiler **profilers,
                                       gsize n_profilers,
                                       gboolean group_by_input_shape,
                                       GError **error)
{
  g_autoptr (SwMergedSource) merged = NULL;

  g_return_val_if_fail (profilers != NULL || n_profilers == 0, NULL);

  merged = merge (profilers, n_profilers, error);
  if (merged == NULL)
    return NULL;
  return sw_event_source_dup_key_statistics (sw_merged_source_get_source (merged), group_by_input_shape);
}

/**
 * sw_profiler_tabulate_merged_aggregates:
 * @profilers: (array length=n_profilers): completed profilers
 * @n_profilers: how many
 * @order: how the values shall lie in memory
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @with_statistics: whether to have columns of percentiles, the deviation and shares
 * @error: return location for an error
 *
 * Copies the aggregates of several profilers to columns, as [method@Strideweave.Profiler.tabulate_aggregates] does those
 * of one.
 *
 * Fails with %SW_ERROR_STATE, naming the position, for a profiler without results, and with %SW_ERROR_VALUE for another
 * order. May be called on any thread.
 *
 * Returns: (transfer full): the columns
 */
SwProfilerColumns *
sw_profiler_tabulate_merged_aggregates (SwProfiler **profilers,
                                        gsize n_profilers,
                                        SwColumnOrder order,
                                        gboolean group_by_input_shape,
                                        gboolean with_statistics,
                                        GError **error)
{
  g_autoptr (SwMergedSource) merged = NULL;

  g_return_val_if_fail (profilers != NULL || n_profilers == 0, NULL);

  merged = sw_column_order_check (order, error) ? merge (profilers, n_profilers, error) : NULL;
  if (merged == NULL)
    return NULL;
  return sw_event_source_tabulate_aggregates (sw_merged_source_get_source (merged), order, group_by_input_shape,
                                              with_statistics);
}

/**
 * sw_profiler_dup_merged_table_with_columns:
 * @profilers: (array length=n_profilers): completed profilers
 * @n_profilers: how many
 * @columns: (array zero-terminated=1) (nullable): statistics to show beside the usual fields, as for
 *   [method@Strideweave.Profiler.dup_table_with_columns]
 * @sort_by: (nullable): the field to order by, which may be one of @columns; %NULL for self_total_time_ns
 * @descending: whether the largest come first
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @row_limit: how many rows at most, or -1 for all
 * @error: return location for an error
 *
 * Writes the aggregates of several profilers as one table, with the given columns behind the usual ones.
 *
 * Fails with %SW_ERROR_STATE, naming the position, for a profiler without results, and with %SW_ERROR_VALUE for another
 * column, one that is named twice, and for another field or limit. May be called on any thread.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_dup_merged_table_with_columns (SwProfiler **profilers,
                                           gsize n_profilers,
                                           const char *const *columns,
                                           const char *sort_by,
                                           gboolean descending,
                                           gboolean group_by_input_shape,
                                           gint64 row_limit,
                                           GError **error)
{
  g_autoptr (SwMergedSource) merged = NULL;

  g_return_val_if_fail (profilers != NULL || n_profilers == 0, NULL);

  merged = merge (profilers, n_profilers, error);
  if (merged == NULL)
    return NULL;
  return sw_event_source_dup_table_with_columns (sw_merged_source_get_source (merged), columns, sort_by, descending,
                                                 group_by_input_shape, row_limit, error);
}

/**
 * sw_profiler_dup_merged_table:
 * @profilers: (array length=n_profilers): completed profilers
 * @n_profilers: how many
 * @sort_by: (nullable): the field to order by; %NULL for self_total_time_ns
 * @descending: whether the largest come first
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @row_limit: how many rows at most, or -1 for all
 * @error: return location for an error
 *
 * Writes the aggregates of several profilers as one table, as [method@Strideweave.Profiler.dup_table] does those of one.
 *
 * Fails with %SW_ERROR_STATE, naming the position, for a profiler without results, and with %SW_ERROR_VALUE for another
 * field or limit. May be called on any thread.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_dup_merged_table (SwProfiler **profilers,
                              gsize n_profilers,
                              const char *sort_by,
                              gboolean descending,
                              gboolean group_by_input_shape,
                              gint64 row_limit,
                              GError **error)
{
  return sw_profiler_dup_merged_table_with_columns (profilers, n_profilers, NULL, sort_by, descending, group_by_input_shape,
                                                    row_limit, error);
}
