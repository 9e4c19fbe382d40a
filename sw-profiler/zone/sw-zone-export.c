/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-trace-private.h"

#include <stdlib.h>

#include "sw-profiler/export/sw-trace-writer-private.h"
#include "sw-profiler/zone/sw-profiler-diagnostics-private.h"
#include "sw/base/sw-site-registry-private.h"

/* A trace in the formats of other programs. Zones are written chunk by chunk, in the order in which they ended, so that
 * little is kept besides the trace; only timelines on which zones did not end in that order are sorted first. */

/* A longer chain of parents is a circle. */
#define MAX_DEPTH 65536

/* What events of one site have in common. */
typedef struct
{
  guint32 name;
  guint32 function;
  guint32 source; /* "file:line" */
} SiteNames;

typedef struct
{
  guint32 track;
  gboolean is_sorted;
  guint64 last_end_ns;
} TimelineState;

typedef struct
{
  SwZoneTrace *trace;
  SwTraceWriter *writer;
  TimelineState *timelines;
  SiteNames *sites; /* by id, up to the highest */
  guint32 n_sites;
  GHashTable *links; /* of Link, by its id */
  guint32 category[2];
  guint32 key_function, key_source, key_frame, key_correlation;
  gint32 last_parent, last_depth;
} Export;

/* What a correlation id links: a zone on a thread, at FALSE, to one on a queue, at TRUE. */
typedef struct
{
  guint64 id;
  gboolean has[2];
  guint32 index[2];
  guint64 start_ns[2];
} Link;

/* A zone that is sorted before it is written. */
typedef struct
{
  guint32 timeline_id;
  guint32 index;
  guint64 start_ns;
  guint64 duration_ns;
} SortedZone;

static gint64
clamp_ns (guint64 ns)
{
  return (gint64) MIN (ns, G_MAXINT64);
}

/* How many zones are around one; the neighbours of a zone mostly have the same parent. */
static gint32
find_depth (Export *self,
            gint32 parent)
{
  gint32 depth = 0;

  if (parent == self->last_parent)
    return self->last_depth;
  self->last_parent = parent;
  for (; parent != -1; depth++)
    {
      const SwZoneChunk *chunk = sw_zone_trace_find_chunk (self->trace, (guint32) parent);

      if (depth == MAX_DEPTH)
        {
          depth = SW_TRACE_DEPTH_UNKNOWN;
          break;
        }
      parent = chunk->parent_index[(guint32) parent - chunk->first_index];
    }
  return self->last_depth = depth;
}

static guint32
intern (Export *self,
        const char *text)
{
  return sw_trace_writer_intern (self->writer, text, -1);
}

static void
add_sites (Export *self)
{
  const SwSiteList *list = sw_zone_trace_peek_sites (self->trace);

  self->n_sites = list->n_ids > 0 ? list->ids[list->n_ids - 1] + 1 : 0;
  self->sites = g_new0 (SiteNames, self->n_sites);
  for (guint32 i = 0; i < list->n_ids; i++)
    {
      const SwSite *site = sw_site_registry_get (list->ids[i]);
      SiteNames *names = &self->sites[list->ids[i]];
      g_autofree char *source = NULL;

      if (site == NULL)
        continue;
      names->name = intern (self, site->name);
      names->function = *site->function != '\0' ? intern (self, site->function) : 0;
      if (*site->file == '\0')
        continue;
      source = g_strdup_printf ("%s:%u", site->file, site->line);
      names->source = intern (self, source);
    }
}

/* Whether each timeline's zones are in the order of their ends. */
static void
check_order (Export *self)
{
  for (guint32 k = 0; k < self->trace->n_chunks; k++)
    {
      const SwZoneChunk *chunk = self->trace->chunks[k];
      const guint32 *timeline_id = sw_zone_chunk_column (chunk, timeline_id);
      const guint64 *start_ns = sw_zone_chunk_column (chunk, start_ns);
      const guint64 *duration_ns = sw_zone_chunk_column (chunk, duration_ns);

      for (guint32 i = 0; i < chunk->n_zones; i++)
        {
          TimelineState *timeline = &self->timelines[timeline_id[i]];
          guint64 end_ns = start_ns[i] + duration_ns[i];

          timeline->is_sorted |= end_ns < timeline->last_end_ns;
          timeline->last_end_ns = end_ns;
        }
    }
}

static void
add_tracks (Export *self)
{
  self->timelines = g_new0 (TimelineState, self->trace->n_timelines);
  check_order (self);
  for (guint32 i = 0; i < self->trace->n_timelines; i++)
    {
      SwTimeline *timeline = self->trace->timelines[i];
      gboolean is_gpu = sw_timeline_get_timeline_type (timeline) == SW_TIMELINE_TYPE_GPU;
      SwTraceTrackInfo info = {
        .kind = is_gpu ? SW_TRACE_TRACK_GPU_QUEUE : SW_TRACE_TRACK_THREAD,
        .order = self->timelines[i].is_sorted ? SW_TRACE_ORDER_START : SW_TRACE_ORDER_END,
        .rank = (gint32) MIN (i, G_MAXINT32 - 1) + 1,
        .id = is_gpu ? 0 : clamp_ns (sw_timeline_get_thread_id (timeline)),
        .name = sw_timeline_get_name (timeline),
      };

      self->timelines[i].track = sw_trace_writer_add_track (self->writer, &info);
    }
}

static gboolean
is_gpu (const Export *self,
        guint32 timeline_id)
{
  return sw_timeline_get_timeline_type (self->trace->timelines[timeline_id]) == SW_TIMELINE_TYPE_GPU;
}

static gboolean
has_gpu (const Export *self)
{
  for (guint32 i = 0; i < self->trace->n_timelines; i++)
    if (is_gpu (self, i))
      return TRUE;
  return FALSE;
}

/* The first zones of a correlation id, on a thread and on a queue. */
static void
link_zone (Export *self,
           const SwZoneChunk *chunk,
           guint32 i)
{
  guint64 id = sw_zone_chunk_column (chunk, correlation_id)[i];
  gboolean of_gpu = is_gpu (self, sw_zone_chunk_column (chunk, timeline_id)[i]);
  Link *link = g_hash_table_lookup (self->links, &id);

  if (link == NULL)
    {
      /* Only what is on a queue can be linked. */
      if (!of_gpu)
        return;
      link = g_new0 (Link, 1);
      link->id = id;
      g_hash_table_add (self->links, link);
    }
  if (link->has[of_gpu])
    return;
  link->has[of_gpu] = TRUE;
  link->index[of_gpu] = chunk->first_index + i;
  link->start_ns[of_gpu] = sw_zone_chunk_column (chunk, start_ns)[i];
}

static void
visit_links (Export *self,
             gboolean of_gpu)
{
  for (guint32 k = 0; k < self->trace->n_chunks; k++)
    {
      const SwZoneChunk *chunk = self->trace->chunks[k];
      const guint64 *correlation_id = sw_zone_chunk_column (chunk, correlation_id);
      const guint32 *timeline_id = sw_zone_chunk_column (chunk, timeline_id);

      for (guint32 i = 0; i < chunk->n_zones; i++)
        if (correlation_id[i] != 0 && is_gpu (self, timeline_id[i]) == of_gpu)
          link_zone (self, chunk, i);
    }
}

static void
find_links (Export *self)
{
  self->links = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (!has_gpu (self))
    return;
  visit_links (self, TRUE);
  visit_links (self, FALSE);
}

/* An arrow, where both of its ends are there and it leads forward in time. */
static gboolean
has_flow (const Export *self,
          guint64 correlation_id,
          guint32 index,
          gboolean of_gpu)
{
  const Link *link;

  if (correlation_id == 0 || g_hash_table_size (self->links) == 0)
    return FALSE;
  link = g_hash_table_lookup (self->links, &correlation_id);
  return link != NULL && link->has[FALSE] && link->has[TRUE] && link->start_ns[FALSE] <= link->start_ns[TRUE] &&
         link->index[of_gpu] == index;
}

static guint
add_name (SwTraceArg *arg,
          guint32 key,
          guint32 name)
{
  if (name == 0)
    return 0;
  *arg = (SwTraceArg){ key, SW_TRACE_ARG_NAME, { .name = name } };
  return 1;
}

static void
write_zone (Export *self,
            const SwZoneChunk *chunk,
            guint32 i)
{
  guint32 timeline_id = sw_zone_chunk_column (chunk, timeline_id)[i];
  guint32 frame = sw_zone_chunk_column (chunk, frame_index)[i];
  guint64 correlation_id = sw_zone_chunk_column (chunk, correlation_id)[i];
  const SiteNames *site = &self->sites[sw_zone_chunk_column (chunk, site_id)[i]];
  gboolean of_gpu = is_gpu (self, timeline_id);
  SwTraceFlow flow = { correlation_id, of_gpu ? SW_TRACE_FLOW_END : SW_TRACE_FLOW_START, 0 };
  SwTraceArg args[4];
  guint n_args = add_name (args, self->key_function, site->function);
  SwTraceSlice slice = {
    .track = self->timelines[timeline_id].track,
    .name = site->name,
    .category = self->category[of_gpu],
    .depth = find_depth (self, chunk->parent_index[i]),
    .start_ns = clamp_ns (sw_zone_chunk_column (chunk, start_ns)[i]),
    .duration_ns = clamp_ns (sw_zone_chunk_column (chunk, duration_ns)[i]),
    .args = args,
    .flows = &flow,
    .n_flows = has_flow (self, correlation_id, chunk->first_index + i, of_gpu),
  };

  n_args += add_name (args + n_args, self->key_source, site->source);
  if (frame != SW_ZONE_NO_FRAME)
    args[n_args++] = (SwTraceArg){ self->key_frame, SW_TRACE_ARG_UINT64, { .uint64 = frame } };
  if (correlation_id != 0)
    args[n_args++] = (SwTraceArg){ self->key_correlation, SW_TRACE_ARG_UINT64, { .uint64 = correlation_id } };
  slice.n_args = n_args;
  sw_trace_writer_slice (self->writer, &slice);
}

static void
write_chunks (Export *self)
{
  for (guint32 k = 0; k < self->trace->n_chunks; k++)
    {
      const SwZoneChunk *chunk = self->trace->chunks[k];
      const guint32 *timeline_id = sw_zone_chunk_column (chunk, timeline_id);

      for (guint32 i = 0; i < chunk->n_zones; i++)
        if (!self->timelines[timeline_id[i]].is_sorted)
          write_zone (self, chunk, i);
    }
}

/* What is outer comes first; what is as long as its parent ended before it, and so has the lower index. */
static int
compare_zones (gconstpointer a,
               gconstpointer b)
{
  const SortedZone *x = a, *y = b;

  if (x->timeline_id != y->timeline_id)
    return x->timeline_id < y->timeline_id ? -1 : 1;
  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  if (x->duration_ns != y->duration_ns)
    return x->duration_ns > y->duration_ns ? -1 : 1;
  return (x->index < y->index) - (x->index > y->index);
}

static GArray *
collect_sorted (Export *self)
{
  GArray *zones = g_array_new (FALSE, FALSE, sizeof (SortedZone));

  for (guint32 k = 0; k < self->trace->n_chunks; k++)
    {
      const SwZoneChunk *chunk = self->trace->chunks[k];

      for (guint32 i = 0; i < chunk->n_zones; i++)
        {
          SortedZone zone = {
            sw_zone_chunk_column (chunk, timeline_id)[i],
            chunk->first_index + i,
            sw_zone_chunk_column (chunk, start_ns)[i],
            sw_zone_chunk_column (chunk, duration_ns)[i],
          };

          if (self->timelines[zone.timeline_id].is_sorted)
            g_array_append_val (zones, zone);
        }
    }
  if (zones->len > 0)
    qsort (zones->data, zones->len, sizeof (SortedZone), compare_zones);
  return zones;
}

static gboolean
has_sorted (const Export *self)
{
  for (guint32 i = 0; i < self->trace->n_timelines; i++)
    if (self->timelines[i].is_sorted)
      return TRUE;
  return FALSE;
}

static void
write_sorted (Export *self)
{
  g_autoptr (GArray) zones = NULL;

  if (!has_sorted (self))
    return;
  zones = collect_sorted (self);
  for (guint i = 0; i < zones->len; i++)
    {
      guint32 index = g_array_index (zones, SortedZone, i).index;
      const SwZoneChunk *chunk = sw_zone_trace_find_chunk (self->trace, index);

      write_zone (self, chunk, index - chunk->first_index);
    }
}

static void
write_frames (Export *self)
{
  SwTraceTrackInfo info = { .kind = SW_TRACE_TRACK_ASYNC, .order = SW_TRACE_ORDER_START, .rank = 0, .name = "frames" };
  guint32 category = intern (self, "frame");
  guint32 track;

  if (self->trace->n_frames == 0)
    return;
  track = sw_trace_writer_add_track (self->writer, &info);
  for (guint32 i = 0; i < self->trace->n_frames; i++)
    {
      SwZoneFrame *frame = self->trace->frames[i];
      SwTraceArg arg = { self->key_frame, SW_TRACE_ARG_UINT64, { .uint64 = sw_zone_frame_get_index (frame) } };
      SwTraceSlice slice = {
        .track = track,
        .name = intern (self, sw_zone_frame_get_name (frame)),
        .category = category,
        .depth = 0,
        .start_ns = clamp_ns (sw_zone_frame_get_start_ns (frame)),
        .duration_ns = clamp_ns (sw_zone_frame_get_duration_ns (frame)),
        .args = &arg,
        .n_args = 1,
      };

      sw_trace_writer_slice (self->writer, &slice);
    }
}

static void
write_drops (Export *self)
{
  const SwDiagnosticCounters *counters = sw_profiler_diagnostics_peek (self->trace->diagnostics);
  const struct
  {
    const char *reason;
    guint64 n;
  } drops[] = {
    { "queue full", counters->queue_full },
    { "stack full", counters->stack_full },
    { "memory limit", counters->memory_limit },
    { "GPU time missing", counters->unresolved },
    { "discarded", counters->discarded },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (drops); i++)
    if (drops[i].n > 0)
      sw_trace_writer_add_drops (self->writer, drops[i].reason, drops[i].n);
}

/* Zones and frames may have begun before the trace did. */
static gint64
find_base (SwZoneTrace *trace)
{
  guint64 base = trace->start_ns;

  for (guint32 k = 0; k < trace->n_chunks; k++)
    base = MIN (base, trace->chunks[k]->summary.first_start_ns);
  for (guint32 i = 0; i < trace->n_frames; i++)
    base = MIN (base, sw_zone_frame_get_start_ns (trace->frames[i]));
  return clamp_ns (base);
}

static void
write_all (Export *self)
{
  self->category[0] = intern (self, "zone");
  self->category[1] = intern (self, "gpu");
  self->key_function = intern (self, "function");
  self->key_source = intern (self, "source");
  self->key_frame = intern (self, "frame");
  self->key_correlation = intern (self, "correlation_id");
  add_tracks (self);
  add_sites (self);
  find_links (self);
  write_frames (self);
  write_chunks (self);
  write_sorted (self);
  write_drops (self);
  g_hash_table_unref (self->links);
  g_free (self->sites);
  g_free (self->timelines);
}

static gboolean
write_trace (SwZoneTrace *trace,
             SwTraceFormat format,
             const char *path,
             GError **error)
{
  Export export = { .trace = trace, .last_parent = -1 };
  SwTraceSession session;

  sw_trace_session_init (&session, find_base (trace));
  export.writer = sw_trace_writer_new_for_path (format, path, SW_TRACE_SINK_WHOLE, &session, error);
  g_free ((char *) session.process_name);
  if (export.writer == NULL)
    return FALSE;
  write_all (&export);
  return sw_trace_writer_close (export.writer, error);
}

/**
 * sw_zone_trace_write_to_json:
 * @self: the trace
 * @path: (type filename): the file to write
 * @error: return location for an error
 *
 * Writes the trace as Chrome's trace-event JSON, which chrome://tracing, Perfetto and others open.
 *
 * Each timeline is a row of its own, and so are the frames. Times are microseconds with three decimals, from the base that
 * the file states. What the trace lost is written too. The file appears when it is complete: until then, and after a
 * failure, whatever was there stays. A path that ends in `.gz` is compressed.
 *
 * Fails with %SW_ERROR_IO.
 *
 * Returns: whether the file was written
 */
gboolean
sw_zone_trace_write_to_json (SwZoneTrace *self,
                             const char *path,
                             GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return write_trace (self, SW_TRACE_FORMAT_CHROME_JSON, path, error);
}

/**
 * sw_zone_trace_write_to_jsonl:
 * @self: the trace
 * @path: (type filename): the file to write
 * @error: return location for an error
 *
 * Writes the trace as lines of JSON: a header, then one object a line, with times in integer nanoseconds.
 *
 * The file is put in place as [method@Strideweave.ZoneTrace.write_to_json] does it.
 *
 * Fails with %SW_ERROR_IO.
 *
 * Returns: whether the file was written
 */
gboolean
sw_zone_trace_write_to_jsonl (SwZoneTrace *self,
                              const char *path,
                              GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return write_trace (self, SW_TRACE_FORMAT_JSONL, path, error);
}

/**
 * sw_zone_trace_write_to_perfetto:
 * @self: the trace
 * @path: (type filename): the file to write
 * @error: return location for an error
 *
 * Writes the trace as Perfetto's protobuf, which ui.perfetto.dev opens: the smallest of the formats.
 *
 * The file is put in place as [method@Strideweave.ZoneTrace.write_to_json] does it.
 *
 * Fails with %SW_ERROR_IO.
 *
 * Returns: whether the file was written
 */
gboolean
sw_zone_trace_write_to_perfetto (SwZoneTrace *self,
                                 const char *path,
                                 GError **error)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return write_trace (self, SW_TRACE_FORMAT_PERFETTO, path, error);
}
