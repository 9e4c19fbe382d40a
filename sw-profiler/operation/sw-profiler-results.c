/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a completed Profiler tells. */
#include "config.h"

#include "sw-profiler/export/sw-trace-writer-private.h"
#include "sw-profiler/operation/sw-profiler-columns-private.h"
#include "sw-profiler/operation/sw-profiler-private.h"

#include "sw/base/sw-error.h"

/**
 * sw_profiler_count_events:
 * @self: a profiler
 * @error: return location for an error
 *
 * Counts the recorded events.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, as all results do.
 *
 * Returns: the number of events, or -1 with @error set
 */
gint64
sw_profiler_count_events (SwProfiler *self,
                          GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), -1);

  source = sw_profiler_get_source (self, error);
  return source != NULL ? (gint64) source->n_events : -1;
}

/**
 * sw_profiler_get_n_dropped_events:
 * @self: a profiler
 *
 * Counts the events that found no memory to be kept in, or came after the 2,147,483,647th.
 *
 * Returns: the number, 0 before exit
 */
guint64
sw_profiler_get_n_dropped_events (SwProfiler *self)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), 0);

  source = sw_profiler_get_source (self, NULL);
  return source != NULL ? source->n_dropped : 0;
}

/**
 * sw_profiler_get_n_clock_faults:
 * @self: a profiler
 *
 * Counts the durations that are given as 0 because the clock ran backwards meanwhile.
 *
 * Returns: the number, 0 before exit
 */
guint64
sw_profiler_get_n_clock_faults (SwProfiler *self)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), 0);

  source = sw_profiler_get_source (self, NULL);
  return source != NULL ? source->n_clock_faults : 0;
}

/**
 * sw_profiler_dup_event:
 * @self: a profiler
 * @id: the event's identifier, from 0
 * @error: return location for an error
 *
 * Makes one event.
 *
 * Fails with %SW_ERROR_STATE before a successful exit and with %SW_ERROR_INDEX when there is no such event.
 *
 * Returns: (transfer full): the event
 */
SwProfilerEvent *
sw_profiler_dup_event (SwProfiler *self,
                       gint64 id,
                       GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_profiler_get_source (self, error);
  if (source == NULL)
    return NULL;
  if (id < 0 || (guint64) id >= source->n_events)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_INDEX,
                   "id is %" G_GINT64_FORMAT ", but the Profiler holds %" G_GSIZE_FORMAT " events", id, source->n_events);
      return NULL;
    }

  return sw_event_source_dup_event (source, (gsize) id);
}

/**
 * sw_profiler_dup_events:
 * @self: a profiler
 * @error: return location for an error
 *
 * Makes all events, in the order in which their executions began.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer container) (element-type SwProfilerEvent): the events
 */
GPtrArray *
sw_profiler_dup_events (SwProfiler *self,
                        GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_profiler_get_source (self, error);
  return source != NULL ? sw_event_source_dup_events (source) : NULL;
}

/**
 * sw_profiler_dup_event_columns:
 * @self: a profiler
 * @error: return location for an error
 *
 * Copies all events as columns of 64-bit integers, one after the other, each with one number for each event in the
 * order in which their executions began, in the machine's byte order:
 *
 * 0. parent_id: the nearest recorded parent, or -1
 * 1. start_time_ns: the start, in nanoseconds of the monotonic clock
 * 2. duration_ns: the inclusive time, in nanoseconds
 * 3. self_time_ns: the time without nested operations, in nanoseconds
 * 4. thread_id: the bits of the unsigned thread identifier
 * 5. succeeded: 1 or 0
 * 6. origin: a number from 0; equal ones have the same name, carrier type and implementation type
 * 7. input_shapes: a number from 1, equal for the same recorded shapes; -1 without shapes
 *
 * What an origin or a number of shapes stands for, any event that has it tells: see
 * [method@Strideweave.Profiler.dup_event]. Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer full): the columns
 */
GBytes *
sw_profiler_dup_event_columns (SwProfiler *self,
                               GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_profiler_get_source (self, error);
  return source != NULL ? sw_event_source_dup_columns (source) : NULL;
}

/**
 * sw_profiler_tabulate_events:
 * @self: a profiler
 * @order: how the values shall lie in memory
 * @error: return location for an error
 *
 * Copies all events to columns, in the order in which their executions began.
 *
 * The columns have the names of an event's fields. `id` and `parent_id`, which is -1 for an event without a parent, are
 * integers of 32 bits; `start_time_ns`, `duration_ns` and `self_time_ns` are integers of 64 bits; `thread_id` is an
 * unsigned one; `succeeded` is a truth value; `name`, `carrier_type`, `implementation_type` and `input_shapes` are
 * labels.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another order.
 *
 * Returns: (transfer full): the columns
 */
SwProfilerColumns *
sw_profiler_tabulate_events (SwProfiler *self,
                             SwColumnOrder order,
                             GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_column_order_check (order, error) ? sw_profiler_get_source (self, error) : NULL;
  return source != NULL ? sw_event_source_tabulate_events (source, order) : NULL;
}

/**
 * sw_profiler_tabulate_aggregates:
 * @self: a profiler
 * @order: how the values shall lie in memory
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @with_statistics: whether to have columns of what [method@Strideweave.Profiler.dup_key_statistics] adds
 * @error: return location for an error
 *
 * Copies the aggregates to columns, in the order of [method@Strideweave.Profiler.dup_key_averages].
 *
 * The columns have the names of an aggregate's fields. `name`, `carrier_type` and `input_shapes` are labels;
 * `mean_time_ns` and the statistics are floating-point numbers; the others are integers of 64 bits.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another order.
 *
 * Returns: (transfer full): the columns
 */
SwProfilerColumns *
sw_profiler_tabulate_aggregates (SwProfiler *self,
                                 SwColumnOrder order,
                                 gboolean group_by_input_shape,
                                 gboolean with_statistics,
                                 GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_column_order_check (order, error) ? sw_profiler_get_source (self, error) : NULL;
  return source != NULL ? sw_event_source_tabulate_aggregates (source, order, group_by_input_shape, with_statistics) : NULL;
}

/**
 * sw_profiler_dup_key_averages:
 * @self: a profiler
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @error: return location for an error
 *
 * Sums up the events by dispatch name and exact carrier class, failed ones like others.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer container) (element-type SwProfilerAggregate): the rows, ordered by name, carrier and shapes
 */
GPtrArray *
sw_profiler_dup_key_averages (SwProfiler *self,
                              gboolean group_by_input_shape,
                              GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_profiler_get_source (self, error);
  return source != NULL ? sw_event_source_dup_key_averages (source, group_by_input_shape) : NULL;
}

/**
 * sw_profiler_dup_key_statistics:
 * @self: a profiler
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @error: return location for an error
 *
 * Sums up the events as [method@Strideweave.Profiler.dup_key_averages] does, in rows that also know the percentiles
 * and the standard deviation of the durations, and shares of the whole time.
 *
 * This looks at all events once more, and at a copy of their durations: it takes some times longer.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer container) (element-type SwProfilerAggregate): the rows, ordered by name, carrier and shapes
 */
GPtrArray *
sw_profiler_dup_key_statistics (SwProfiler *self,
                                gboolean group_by_input_shape,
                                GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_profiler_get_source (self, error);
  return source != NULL ? sw_event_source_dup_key_statistics (source, group_by_input_shape) : NULL;
}

/**
 * sw_profiler_dup_table_with_columns:
 * @self: a profiler
 * @columns: (array zero-terminated=1) (nullable): statistics to show beside the usual fields, of p50_time_ns,
 *   p90_time_ns, p99_time_ns, stddev_time_ns, total_percent and self_total_percent
 * @sort_by: (nullable): the field to order by, as for [method@Strideweave.Profiler.dup_table], or one of @columns;
 *   %NULL for self_total_time_ns
 * @descending: whether the largest come first
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @row_limit: how many rows at most, or -1 for all
 * @error: return location for an error
 *
 * Writes the same table as [method@Strideweave.Profiler.dup_table], with the given columns behind its own, in the given
 * order.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another column, one that is named
 * twice, and for another field or limit.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_dup_table_with_columns (SwProfiler *self,
                                    const char *const *columns,
                                    const char *sort_by,
                                    gboolean descending,
                                    gboolean group_by_input_shape,
                                    gint64 row_limit,
                                    GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_profiler_get_source (self, error);
  if (source == NULL)
    return NULL;
  return sw_event_source_dup_table_with_columns (source, columns, sort_by, descending, group_by_input_shape, row_limit, error);
}

/**
 * sw_profiler_dup_table:
 * @self: a profiler
 * @sort_by: (nullable): the field to order by, of name, carrier_type, input_shapes, count, total_time_ns,
 *   self_total_time_ns, mean_time_ns, min_time_ns and max_time_ns; %NULL for self_total_time_ns
 * @descending: whether the largest come first
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @row_limit: how many rows at most, or -1 for all
 * @error: return location for an error
 *
 * Writes the aggregates as a plain-text table: a header, a separator, and a line for each row, times in nanoseconds.
 * The same call gives the same text each time. Where events were dropped, one more line says how many.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another field or limit.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_dup_table (SwProfiler *self,
                       const char *sort_by,
                       gboolean descending,
                       gboolean group_by_input_shape,
                       gint64 row_limit,
                       GError **error)
{
  return sw_profiler_dup_table_with_columns (self, NULL, sort_by, descending, group_by_input_shape, row_limit, error);
}

/**
 * sw_profiler_save_json:
 * @self: a profiler
 * @path: (type filename): the file to write; an existing one is replaced as a whole
 * @error: return location for an error
 *
 * Writes all events as JSON.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_IO when the file cannot be written; an
 * existing file is then as it was.
 *
 * Returns: whether the file is written
 */
gboolean
sw_profiler_save_json (SwProfiler *self,
                       const char *path,
                       GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  source = sw_profiler_get_source (self, error);
  return source != NULL && sw_event_source_save_json (source, path, error);
}

/**
 * sw_profiler_write_trace:
 * @self: a profiler
 * @path: (type filename): the file to write; an existing one is replaced as a whole
 * @format: in what form
 * @error: return location for an error
 *
 * Writes all events as a trace that timeline viewers open.
 *
 * The events are slices of category "operation" on the track of the thread that was recorded, in nanoseconds of the
 * monotonic clock, so that traces of other recorders and processes of the same boot line up with it. Each has its
 * carrier, implementation, self time, success and, where recorded, shapes of inputs as arguments.
 *
 * The file has mode 0600; a path that ends in ".gz" is compressed. A symbolic link is refused, not followed; what is no
 * regular file, such as a pipe that somebody reads, is written to.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, with %SW_ERROR_VALUE for what is no format, and with
 * %SW_ERROR_IO when the file cannot be written; an existing file is then as it was.
 *
 * Returns: whether the trace is written
 */
gboolean
sw_profiler_write_trace (SwProfiler *self,
                         const char *path,
                         SwTraceFormat format,
                         GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  source = sw_profiler_get_source (self, error);
  return source != NULL && sw_trace_format_check (format, error) && sw_event_source_write_trace (source, path, format, error);
}
