/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-selection-private.h"

#include <string.h>

#include "sw-profiler/export/sw-csv-private.h"
#include "sw-profiler/export/sw-trace-sink-private.h"
#include "sw-profiler/export/sw-trace-text-private.h"
#include "sw/base/sw-site-registry-private.h"

/* Zones as CSV, a line each, through one fixed buffer. */

#define HEADER                                                                                                               \
  "index,start_ns,duration_ns,correlation_id,timeline_id,timeline_type,timeline,thread_id,parent_index,frame_index,site_id," \
  "name,function,file,line\r\n"
#define N_NUMBERS 7

typedef struct
{
  SwZoneTrace *trace;
  SwTraceSink *sink;
  char **timelines; /* what every line of a timeline has in common */
  char **sites;     /* the same of a site; made when first needed */
  guint32 n_sites;
} CsvWriter;

static char *
timeline_to_csv (SwTimeline *timeline)
{
  GString *csv = g_string_new (sw_timeline_get_timeline_type (timeline) == SW_TIMELINE_TYPE_GPU ? ",gpu," : ",cpu,");

  sw_csv_append_text (csv, sw_timeline_get_name (timeline));
  g_string_append_printf (csv, ",%" G_GUINT64_FORMAT ",", sw_timeline_get_thread_id (timeline));
  return g_string_free (csv, FALSE);
}

static char *
site_to_csv (guint32 id)
{
  const SwSite *site = sw_site_registry_get (id);
  GString *csv = g_string_new (NULL);

  g_string_append_printf (csv, ",%u,", id);
  sw_csv_append_text (csv, site != NULL ? site->name : NULL);
  g_string_append_c (csv, ',');
  sw_csv_append_text (csv, site != NULL ? site->function : NULL);
  g_string_append_c (csv, ',');
  sw_csv_append_text (csv, site != NULL ? site->file : NULL);
  g_string_append_printf (csv, ",%u\r\n", site != NULL ? site->line : 0);
  return g_string_free (csv, FALSE);
}

static void
csv_writer_init (CsvWriter *self,
                 SwZoneTrace *trace)
{
  const SwSiteList *list = sw_zone_trace_peek_sites (trace);

  self->trace = trace;
  self->timelines = g_new0 (char *, trace->n_timelines + 1);
  for (guint32 i = 0; i < trace->n_timelines; i++)
    self->timelines[i] = timeline_to_csv (trace->timelines[i]);
  self->n_sites = list->n_ids > 0 ? list->ids[list->n_ids - 1] + 1 : 0;
  self->sites = g_new0 (char *, self->n_sites);
  for (guint32 i = 0; i < list->n_ids; i++)
    self->sites[list->ids[i]] = site_to_csv (list->ids[i]);
}

static void
csv_writer_clear (CsvWriter *self)
{
  g_strfreev (self->timelines);
  for (guint32 i = 0; i < self->n_sites; i++)
    g_free (self->sites[i]);
  g_free (self->sites);
}

static void
write_row (CsvWriter *self,
           const SwZoneChunk *chunk,
           guint32 i)
{
  guint32 timeline_id = sw_zone_chunk_column (chunk, timeline_id)[i];
  guint32 frame = sw_zone_chunk_column (chunk, frame_index)[i];
  const char *timeline = self->timelines[timeline_id];
  const char *site = self->sites[sw_zone_chunk_column (chunk, site_id)[i]];
  gsize n_timeline = strlen (timeline), n_site = strlen (site);
  char *at = sw_trace_sink_reserve (self->sink, N_NUMBERS * (SW_TRACE_NUMBER_SIZE + 1) + n_timeline + n_site);

  at = sw_trace_put_uint64 (at, chunk->first_index + i);
  *at++ = ',';
  at = sw_trace_put_uint64 (at, sw_zone_chunk_column (chunk, start_ns)[i]);
  *at++ = ',';
  at = sw_trace_put_uint64 (at, sw_zone_chunk_column (chunk, duration_ns)[i]);
  *at++ = ',';
  at = sw_trace_put_uint64 (at, sw_zone_chunk_column (chunk, correlation_id)[i]);
  *at++ = ',';
  at = sw_trace_put_uint64 (at, timeline_id);
  at = sw_trace_put_bytes (at, timeline, n_timeline);
  at = sw_trace_put_int64 (at, chunk->parent_index[i]);
  *at++ = ',';
  if (frame != SW_ZONE_NO_FRAME)
    at = sw_trace_put_uint64 (at, frame);
  at = sw_trace_put_bytes (at, site, n_site);
  sw_trace_sink_advance (self->sink, at);
  sw_trace_sink_end_record (self->sink);
  if (self->sink->n_used >= SW_TRACE_SINK_FLUSH_AT)
    sw_trace_sink_flush (self->sink, NULL);
}

static void
write_rows (CsvWriter *self,
            const guint32 *indices,
            guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    {
      guint32 index = indices != NULL ? indices[i] : i;
      const SwZoneChunk *chunk = sw_zone_trace_find_chunk (self->trace, index);

      write_row (self, chunk, index - chunk->first_index);
    }
}

/* All zones when @indices is NULL. */
static gboolean
write_csv (SwZoneTrace *trace,
           const guint32 *indices,
           guint32 n,
           const char *path,
           GError **error)
{
  CsvWriter writer = { .sink = sw_trace_sink_new_for_path (path, SW_TRACE_SINK_WHOLE, error) };

  if (writer.sink == NULL)
    return FALSE;
  csv_writer_init (&writer, trace);
  sw_trace_sink_put (writer.sink, HEADER, strlen (HEADER));
  sw_trace_sink_end_record (writer.sink);
  write_rows (&writer, indices, n);
  csv_writer_clear (&writer);
  return sw_trace_sink_close (writer.sink, error);
}

/**
 * sw_zone_trace_write_to_csv:
 * @self: the trace
 * @path: (type filename): the file to write
 * @error: return location for an error
 *
 * Writes all zones as CSV (RFC 4180): a line with the names of the columns, then a line for each zone, in UTF-8.
 *
 * Times are integer nanoseconds of the monotonic clock. The frame of a zone that began outside any frame is empty. The
 * file is put in place as [method@Strideweave.ZoneTrace.write_to_json] does it.
 *
 * Fails with %SW_ERROR_IO.
 *
 * Returns: whether the file was written
 */
gboolean
sw_zone_trace_write_to_csv (SwZoneTrace *self,
                            const char *path,
                            GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return write_csv (self, NULL, self->n_zones, path, error);
}

/**
 * sw_zone_selection_write_to_csv:
 * @self: the selection
 * @path: (type filename): the file to write
 * @error: return location for an error
 *
 * Writes the zones as CSV, in the selection's order, just as [method@Strideweave.ZoneTrace.write_to_csv] does it.
 *
 * Fails with %SW_ERROR_IO.
 *
 * Returns: whether the file was written
 */
gboolean
sw_zone_selection_write_to_csv (SwZoneSelection *self,
                                const char *path,
                                GError **error)
{
  const guint32 *indices;
  guint32 n;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  indices = sw_zone_selection_peek_indices (self, &n);
  return write_csv (sw_zone_selection_get_trace (self), indices, n, path, error);
}
