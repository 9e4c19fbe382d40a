/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A completed Profiler as text and in files. */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-private.h"

#include "sw-profiler/operation/sw-columns-csv-private.h"

/**
 * sw_profiler_dup_json:
 * @self: a profiler
 * @error: return location for an error
 *
 * Writes all events as JSON: the same text that [method@Strideweave.Profiler.save_json] writes to a file.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer full): the text, in valid UTF-8
 */
char *
sw_profiler_dup_json (SwProfiler *self,
                      GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  source = sw_profiler_get_source (self, error);
  return source != NULL ? sw_event_source_dup_json (source) : NULL;
}

/* Takes @columns, which are NULL after an error. */
static char *
columns_to_csv (SwProfilerColumns *columns)
{
  SwFileWriter *file;

  if (columns == NULL)
    return NULL;
  file = sw_file_writer_new_in_memory ();
  sw_profiler_columns_write_csv (columns, file);
  sw_profiler_columns_unref (columns);
  return sw_file_writer_finish (file);
}

static gboolean
save_columns (SwProfilerColumns *columns,
              const char *path,
              GError **error)
{
  SwFileWriter *file = columns != NULL ? sw_file_writer_new (path, error) : NULL;

  if (file != NULL)
    sw_profiler_columns_write_csv (columns, file);
  g_clear_pointer (&columns, sw_profiler_columns_unref);
  return file != NULL && sw_file_writer_commit (file, error);
}

/**
 * sw_profiler_dup_events_csv:
 * @self: a profiler
 * @error: return location for an error
 *
 * Writes all events as comma-separated values, as RFC 4180 describes them: a header with the names of an event's fields,
 * and a line for each event, in the order in which their executions began.
 *
 * Lines end in CR and LF. A text with a comma, a quote, a line break, another control character, or a space at one of
 * its ends stands in quotes. A field is empty where there is no parent and where there are no shapes; an empty text is
 * `""`. Truth values are `true` and `false`, types stand by their names and shapes as nested tuples. Bytes of a name that
 * are no UTF-8 become U+FFFD. The text is the same in every locale.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer full): the text, in valid UTF-8
 */
char *
sw_profiler_dup_events_csv (SwProfiler *self,
                            GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  return columns_to_csv (sw_profiler_tabulate_events (self, SW_COLUMN_ORDER_ROWS, error));
}

/**
 * sw_profiler_save_events_csv:
 * @self: a profiler
 * @path: (type filename): the file to write; an existing one is replaced as a whole
 * @error: return location for an error
 *
 * Writes the text of [method@Strideweave.Profiler.dup_events_csv] to a file.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_IO when the file cannot be written; an
 * existing file is then as it was.
 *
 * Returns: whether the file is written
 */
gboolean
sw_profiler_save_events_csv (SwProfiler *self,
                             const char *path,
                             GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  return save_columns (sw_profiler_tabulate_events (self, SW_COLUMN_ORDER_ROWS, error), path, error);
}

/**
 * sw_profiler_dup_aggregates_csv:
 * @self: a profiler
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @with_statistics: whether to have what [method@Strideweave.Profiler.dup_key_statistics] adds
 * @error: return location for an error
 *
 * Writes the aggregates as comma-separated values, in the form of [method@Strideweave.Profiler.dup_events_csv]. Numbers
 * with a fraction have as many digits as it takes to read back the same number.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer full): the text, in valid UTF-8
 */
char *
sw_profiler_dup_aggregates_csv (SwProfiler *self,
                                gboolean group_by_input_shape,
                                gboolean with_statistics,
                                GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  return columns_to_csv (sw_profiler_tabulate_aggregates (self, SW_COLUMN_ORDER_ROWS, group_by_input_shape, with_statistics, error));
}

/**
 * sw_profiler_save_aggregates_csv:
 * @self: a profiler
 * @path: (type filename): the file to write; an existing one is replaced as a whole
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @with_statistics: whether to have what [method@Strideweave.Profiler.dup_key_statistics] adds
 * @error: return location for an error
 *
 * Writes the text of [method@Strideweave.Profiler.dup_aggregates_csv] to a file.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_IO when the file cannot be written; an
 * existing file is then as it was.
 *
 * Returns: whether the file is written
 */
gboolean
sw_profiler_save_aggregates_csv (SwProfiler *self,
                                 const char *path,
                                 gboolean group_by_input_shape,
                                 gboolean with_statistics,
                                 GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  return save_columns (sw_profiler_tabulate_aggregates (self, SW_COLUMN_ORDER_ROWS, group_by_input_shape, with_statistics, error),
                       path, error);
}

/**
 * sw_profiler_save:
 * @self: a profiler
 * @path: (type filename): the file to write; an existing one is replaced as a whole
 * @error: return location for an error
 *
 * Writes the completed profiler to a file, from which [func@Strideweave.Profiler.load] makes the same one.
 *
 * The format is compact, some ten bytes an event, the same on every machine, and has a version and a checksum.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_IO when the file cannot be written; an
 * existing file is then as it was.
 *
 * Returns: whether the file is written
 */
gboolean
sw_profiler_save (SwProfiler *self,
                  const char *path,
                  GError **error)
{
  const SwEventSource *source;

  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  source = sw_profiler_get_source (self, error);
  return source != NULL && sw_event_source_save (source, sw_profiler_get_record_shapes (self), path, error);
}

/**
 * sw_profiler_load:
 * @path: (type filename): a file that [method@Strideweave.Profiler.save] wrote
 * @error: return location for an error
 *
 * Makes a completed profiler of a file: with the same events, aggregates and table, to the byte.
 *
 * Types are found by their names. Where this process does not have a type, as it would without the program that defines
 * it, events and aggregates have [class@Strideweave.Carrier] and [class@Strideweave.Operation] in its place. Their
 * carrier_name and implementation_name tell what it was called in any case, and so do tables; what had different types
 * stays apart. A type that the program defines only after this call is not found.
 *
 * Fails with %SW_ERROR_IO when the file cannot be read, and with %SW_ERROR_VALUE when it is another kind of file, or a
 * part of one, or damaged in any way.
 *
 * Returns: (transfer full): the profiler
 */
SwProfiler *
sw_profiler_load (const char *path,
                  GError **error)
{
  SwSavedEvents *saved;

  g_return_val_if_fail (path != NULL, NULL);

  saved = sw_saved_events_load (path, error);
  return saved != NULL ? sw_profiler_new_from_saved (saved) : NULL;
}
