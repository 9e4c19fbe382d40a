/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-range-private.h"
#include "sw-profiler/zone/sw-zone-selection-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-site-registry-private.h"
#include "sw/carriers/cpu/sw-cpu-vector-private.h"

#include <string.h>

/* So many sites of one name are compared with one after the other; more are looked up in a table. */
#define N_COMPARED 4
#define ANY_TIMELINE -1

typedef struct
{
  SwZoneTrace *trace;
  gboolean any_site;
  GArray *sites;       /* of their ids */
  GByteArray *is_site; /* by id; empty while few sites are compared */
  gboolean any_timeline;
  guint8 *is_timeline; /* by id */
  guint64 timelines;   /* as in a summary */
  SwZoneRange frames;
  SwZoneRange times;
  guint32 *indices;
  gsize n_indices;
  gsize capacity;
} Query;

SW_CPU_ROW static void
mark_equal (const guint32 *restrict column,
            guint32 n,
            guint32 value,
            guint8 *restrict marks)
{
  for (guint32 i = 0; i < n; i++)
    marks[i] |= column[i] == value;
}

SW_CPU_ROW static void
keep_frames (const guint32 *restrict column,
             guint32 n,
             guint32 first,
             guint32 n_frames,
             guint8 *restrict marks)
{
  for (guint32 i = 0; i < n; i++)
    marks[i] &= column[i] - first < n_frames;
}

SW_CPU_ROW static void
keep_times (const guint64 *restrict start_ns,
            const guint64 *restrict duration_ns,
            guint32 n,
            guint64 first,
            guint64 end,
            guint8 *restrict marks)
{
  for (guint32 i = 0; i < n; i++)
    marks[i] &= (start_ns[i] < end) & (sw_zone_end_ns (start_ns[i], duration_ns[i]) > first);
}

static void
keep_marked (const guint32 *column,
             guint32 n,
             const guint8 *is_wanted,
             guint8 *marks)
{
  for (guint32 i = 0; i < n; i++)
    marks[i] &= is_wanted[column[i]];
}

/* Puts the indices of the marked zones behind @indices, which has room for 8 more than there are. */
static guint32 *
gather (const guint8 *marks,
        guint32 n,
        guint32 first_index,
        guint32 *indices)
{
  for (guint32 i = 0; i < n; i += 8)
    {
      guint64 eight;

      memcpy (&eight, marks + i, sizeof eight);
      if (eight == 0)
        continue;
      for (guint32 j = 0; j < 8; j++)
        {
          /* No branch: a mark that is not set is written over. */
          *indices = first_index + i + j;
          indices += marks[i + j];
        }
    }
  return indices;
}

static gboolean
has_some_site (const Query *self,
               const SwZoneSummary *summary)
{
  for (guint i = 0; i < self->sites->len; i++)
    if (sw_zone_summary_has_site (summary, g_array_index (self->sites, guint32, i)))
      return TRUE;
  return FALSE;
}

static gboolean
may_match (const Query *self,
           const SwZoneSummary *summary)
{
  if (!self->any_site && !has_some_site (self, summary))
    return FALSE;
  if (!self->any_timeline && (summary->timelines & self->timelines) == 0)
    return FALSE;
  if (self->frames.is_bounded &&
      (summary->first_frame > summary->last_frame || summary->first_frame >= self->frames.end ||
       summary->last_frame < self->frames.first))
    return FALSE;
  return summary->first_start_ns < self->times.end && summary->last_end_ns > self->times.first;
}

static void
mark_sites (const Query *self,
            const SwZoneChunk *chunk,
            guint8 *marks)
{
  const guint32 *site_id = sw_zone_chunk_column (chunk, site_id);

  if (self->any_site || self->is_site->len > 0)
    memset (marks, 1, chunk->n_zones);
  if (self->is_site->len > 0)
    keep_marked (site_id, chunk->n_zones, self->is_site->data, marks);
  else
    for (guint i = 0; i < self->sites->len; i++)
      mark_equal (site_id, chunk->n_zones, g_array_index (self->sites, guint32, i), marks);
}

static void
query_chunk (Query *self,
             const SwZoneChunk *chunk)
{
  guint8 marks[SW_ZONE_CHUNK_SIZE + 8] = { 0 };
  guint32 n = chunk->n_zones;

  mark_sites (self, chunk, marks);
  if (!self->any_timeline)
    keep_marked (sw_zone_chunk_column (chunk, timeline_id), n, self->is_timeline, marks);
  if (self->frames.is_bounded)
    keep_frames (sw_zone_chunk_column (chunk, frame_index), n, (guint32) self->frames.first,
                 (guint32) (self->frames.end - self->frames.first), marks);
  if (self->times.is_bounded)
    keep_times (sw_zone_chunk_column (chunk, start_ns), sw_zone_chunk_column (chunk, duration_ns), n, self->times.first,
                self->times.end, marks);
  if (self->capacity - self->n_indices < n + 8)
    {
      self->capacity = MAX (2 * self->capacity, self->n_indices + SW_ZONE_CHUNK_SIZE + 8);
      self->indices = g_renew (guint32, self->indices, self->capacity);
    }
  self->n_indices = (gsize) (gather (marks, n, chunk->first_index, self->indices + self->n_indices) - self->indices);
}

static void
find_sites (Query *self,
            const char *name)
{
  const SwSiteList *list = sw_zone_trace_peek_sites (self->trace);

  for (guint32 i = 0; i < list->n_ids; i++)
    {
      const SwSite *site = sw_site_registry_get (list->ids[i]);

      if (site != NULL && strcmp (site->name, name) == 0)
        g_array_append_val (self->sites, list->ids[i]);
    }
  if (self->sites->len <= N_COMPARED)
    return;
  g_byte_array_set_size (self->is_site, list->ids[list->n_ids - 1] + 1);
  memset (self->is_site->data, 0, self->is_site->len);
  for (guint i = 0; i < self->sites->len; i++)
    self->is_site->data[g_array_index (self->sites, guint32, i)] = 1;
}

static void
find_timelines (Query *self,
                int timeline_type)
{
  self->is_timeline = g_new0 (guint8, self->trace->n_timelines);
  for (guint32 i = 0; i < self->trace->n_timelines; i++)
    if ((int) sw_timeline_get_timeline_type (self->trace->timelines[i]) == timeline_type)
      {
        self->is_timeline[i] = 1;
        self->timelines |= G_GUINT64_CONSTANT (1) << i % 64;
      }
}

static gboolean
check_timeline_type (int timeline_type,
                     GError **error)
{
  if (timeline_type == ANY_TIMELINE || timeline_type == SW_TIMELINE_TYPE_CPU || timeline_type == SW_TIMELINE_TYPE_GPU)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "timeline_type is %d, which is neither a type nor -1 for any", timeline_type);
  return FALSE;
}

/* Frames are numbers of 32 bits, the highest of which means none. */
static void
clip_frames (SwZoneRange *frames)
{
  if (!frames->is_bounded)
    return;
  frames->end = MIN (frames->end, SW_ZONE_NO_FRAME);
  frames->first = MIN (frames->first, frames->end);
}

static SwZoneSelection *
run (Query *self)
{
  for (guint32 i = 0; i < self->trace->n_chunks; i++)
    if (may_match (self, &self->trace->chunks[i]->summary))
      query_chunk (self, self->trace->chunks[i]);
  return sw_zone_selection_new (self->trace, self->indices, self->n_indices);
}

/**
 * sw_zone_trace_query_zones:
 * @self: the trace
 * @name: (nullable): the exact name that the zones' sites give them; %NULL for any
 * @timeline_type: the [enum@Strideweave.TimelineType] of their timelines; -1 for any
 * @frame_begin: the first frame; -1 for no bound
 * @frame_end: the frame behind the last one; -1 for no bound
 * @start_ns: where the range of time begins, in nanoseconds of the monotonic clock; -1 for no bound
 * @end_ns: where it ends, exclusively; -1 for no bound
 * @error: return location for an error
 *
 * Finds the zones that meet all of the conditions, in the order of their indices.
 *
 * A zone is in a range of time when it overlaps it; one that took no time, when it began in it. With a bound for frames,
 * zones that began outside any frame are left out.
 *
 * Fails with %SW_ERROR_VALUE when @timeline_type is no type, or a bound is negative and not -1.
 *
 * Returns: (transfer full): the zones
 */
SwZoneSelection *
sw_zone_trace_query_zones (SwZoneTrace *self,
                           const char *name,
                           int timeline_type,
                           gint64 frame_begin,
                           gint64 frame_end,
                           gint64 start_ns,
                           gint64 end_ns,
                           GError **error)
{
  Query query = { .trace = self, .any_site = name == NULL, .any_timeline = timeline_type == ANY_TIMELINE };
  SwZoneSelection *selection;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!check_timeline_type (timeline_type, error) ||
      !sw_zone_range_init (&query.frames, "frame_begin", frame_begin, "frame_end", frame_end, error) ||
      !sw_zone_range_init (&query.times, "start_ns", start_ns, "end_ns", end_ns, error))
    return NULL;
  clip_frames (&query.frames);
  query.sites = g_array_new (FALSE, FALSE, sizeof (guint32));
  query.is_site = g_byte_array_new ();
  if (name != NULL)
    find_sites (&query, name);
  if (!query.any_timeline)
    find_timelines (&query, timeline_type);
  selection = run (&query);
  g_array_unref (query.sites);
  g_byte_array_unref (query.is_site);
  g_free (query.is_timeline);
  return selection;
}
