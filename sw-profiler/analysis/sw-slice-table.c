/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-slice-table-private.h"

#include <string.h>

#include "sw-profiler/analysis/sw-spill-private.h"
#include "sw-profiler/operation/sw-duration-statistics-private.h"

#define SAMPLES_BUDGET (64u << 20)
#define NO_ROW G_MAXUINT32
#define N_READ 65536

struct _SwSliceTable
{
  SwTraceAnalysis *analysis;
  SwSliceFilter *filter;
  SwSliceGrouping grouping;
  SwSliceSamples samples_kind;
  GArray *rows;                          /* of SwSliceRow */
  GArray *rows_by_key[SW_N_SLICE_KINDS]; /* of guint32 */
  GArray *tracks;                        /* of SwTrackTotals */
  SwSpill *samples;                      /* of gint64, a list for each row */
  gint64 whole_ns[SW_N_SLICE_KINDS];
  GPtrArray *texts; /* made for rows that have none */
  guint32 last_track;
  SwSliceKind last_kind;
};

static SwSliceKind
find_track_kind (SwSliceTable *self,
                 guint32 id)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->analysis, id);

  if (track != NULL && track->kind == SW_TRACE_TRACK_GPU_QUEUE)
    return SW_SLICE_KIND_GPU;
  if (track != NULL && track->kind == SW_TRACE_TRACK_ASYNC)
    return SW_SLICE_KIND_ASYNC;
  return SW_SLICE_KIND_THREAD;
}

static inline SwSliceKind
find_kind (SwSliceTable *self,
           const SwNestedSlice *slice,
           const SwTraceLabel *label)
{
  if (slice->track != self->last_track)
    {
      self->last_track = slice->track;
      self->last_kind = find_track_kind (self, slice->track);
    }
  /* Perfetto's form does not tell what is asynchronous from what is on a queue. */
  if (self->last_kind != SW_SLICE_KIND_THREAD && g_str_equal (sw_trace_analysis_get_text (self->analysis, label->category), "frame"))
    return SW_SLICE_KIND_FRAME;
  return self->last_kind;
}

static guint32
add_row (SwSliceTable *self,
         SwSliceKind kind,
         guint32 key)
{
  SwSliceRow row = { .kind = kind, .key = key, .min_ns = G_MAXINT64, .first_start_ns = G_MAXINT64, .last_start_ns = G_MININT64 };
  GArray *by_key = self->rows_by_key[kind];
  guint32 none = NO_ROW;

  while (by_key->len <= key)
    g_array_append_val (by_key, none);
  g_array_index (by_key, guint32, key) = self->rows->len;
  g_array_append_val (self->rows, row);
  return self->rows->len - 1;
}

static inline guint32
find_row (SwSliceTable *self,
          SwSliceKind kind,
          guint32 key)
{
  GArray *by_key = self->rows_by_key[kind];
  guint32 row = key < by_key->len ? g_array_index (by_key, guint32, key) : NO_ROW;

  return row != NO_ROW ? row : add_row (self, kind, key);
}

static inline guint32
get_key (SwSliceTable *self,
         SwSliceKind kind,
         const SwNestedSlice *slice,
         const SwTraceLabel *label)
{
  if (self->grouping == SW_SLICE_GROUP_NAME || kind == SW_SLICE_KIND_FRAME)
    return label->name;
  return self->grouping == SW_SLICE_GROUP_CATEGORY ? label->category : slice->track;
}

static void
count_in_track (SwSliceTable *self,
                const SwNestedSlice *slice)
{
  SwTrackTotals *track;

  if (slice->track >= self->tracks->len)
    g_array_set_size (self->tracks, slice->track + 1);
  track = &g_array_index (self->tracks, SwTrackTotals, slice->track);
  if (track->n_slices++ == 0)
    {
      track->first_ns = G_MAXINT64;
      track->last_ns = G_MININT64;
    }
  track->n_unfinished += (slice->flags & SW_SLICE_UNFINISHED) != 0;
  if (slice->depth == 0)
    track->busy_ns = sw_add_saturated (track->busy_ns, slice->duration_ns);
  track->first_ns = MIN (track->first_ns, slice->start_ns);
  track->last_ns = MAX (track->last_ns, slice->start_ns + slice->duration_ns);
  if (slice->clipped_ns == 0)
    return;
  track->n_clipped++;
  track->clipped_ns = sw_add_saturated (track->clipped_ns, slice->clipped_ns);
  if (slice->clipped_ns > track->most_clipped_ns)
    {
      track->most_clipped_ns = slice->clipped_ns;
      track->clipped_label = slice->label;
    }
}

static void
take_slice (gpointer data,
            const SwNestedSlice *slice,
            const SwNestedSlice *parent)
{
  SwSliceTable *self = data;
  const SwTraceLabel *label = sw_trace_analysis_get_label (self->analysis, slice->label);
  gint64 self_ns = sw_nested_slice_get_self_ns (slice);
  SwSliceKind kind;
  guint32 row_id;
  SwSliceRow *row;

  if (!sw_slice_filter_has_time (self->filter, slice))
    return;
  kind = find_kind (self, slice, label);
  count_in_track (self, slice);
  self->whole_ns[kind] = sw_add_saturated (self->whole_ns[kind], self_ns);
  if (slice->duration_ns < self->filter->min_duration_ns || !sw_slice_filter_has_label (self->filter, self->analysis, slice->label))
    return;
  row_id = find_row (self, kind, get_key (self, kind, slice, label));
  row = &g_array_index (self->rows, SwSliceRow, row_id);
  row->calls++;
  row->n_unfinished += (slice->flags & SW_SLICE_UNFINISHED) != 0;
  row->n_clipped += (slice->flags & SW_SLICE_CLIPPED) != 0;
  row->total_ns = sw_add_saturated (row->total_ns, slice->duration_ns);
  row->self_ns = sw_add_saturated (row->self_ns, self_ns);
  row->min_ns = MIN (row->min_ns, slice->duration_ns);
  row->max_ns = MAX (row->max_ns, slice->duration_ns);
  row->first_start_ns = MIN (row->first_start_ns, slice->start_ns);
  row->last_start_ns = MAX (row->last_start_ns, slice->start_ns);
  *(gint64 *) sw_spill_add (self->samples, row_id) = self->samples_kind == SW_SLICE_SAMPLES_SELF ? self_ns : slice->duration_ns;
}

static gboolean
wants_track (gpointer data,
             guint32 track)
{
  SwSliceTable *self = data;

  return sw_slice_filter_has_track (self->filter, self->analysis, track);
}

static gboolean
find_percentiles (SwSliceTable *self,
                  GError **error)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      SwSliceRow *row = &g_array_index (self->rows, SwSliceRow, i);
      g_autofree gint64 *durations = sw_slice_table_read_samples (self, i, error);
      gsize n_lower = 0;

      if (durations == NULL)
        return FALSE;
      row->p50_ns = sw_durations_take_percentile (durations, row->calls, 0.5, &n_lower);
      row->p90_ns = sw_durations_take_percentile (durations, row->calls, 0.9, &n_lower);
      row->p95_ns = sw_durations_take_percentile (durations, row->calls, 0.95, &n_lower);
      row->p99_ns = sw_durations_take_percentile (durations, row->calls, 0.99, &n_lower);
    }
  return TRUE;
}

SwSliceTable *
sw_slice_table_new (SwTraceAnalysis *analysis,
                    SwSliceFilter *filter,
                    SwSliceGrouping grouping,
                    SwSliceSamples samples,
                    GError **error)
{
  static const SwNestingVisitor visitor = { .close = take_slice };
  g_autoptr (SwSliceTable) self = g_new0 (SwSliceTable, 1);

  self->analysis = analysis;
  self->filter = filter;
  self->grouping = grouping;
  self->samples_kind = samples;
  self->last_track = G_MAXUINT32;
  self->rows = g_array_new (FALSE, FALSE, sizeof (SwSliceRow));
  for (guint kind = 0; kind < SW_N_SLICE_KINDS; kind++)
    self->rows_by_key[kind] = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->tracks = g_array_new (FALSE, TRUE, sizeof (SwTrackTotals));
  self->samples = sw_spill_new (sizeof (gint64), SAMPLES_BUDGET, NULL);
  self->texts = g_ptr_array_new_with_free_func (g_free);
  if (!sw_trace_analysis_visit (analysis, wants_track, &visitor, self, error) || !sw_spill_finish (self->samples, error))
    return NULL;
  if (samples == SW_SLICE_SAMPLES_DURATION && !find_percentiles (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
sw_slice_table_free (SwSliceTable *self)
{
  g_array_unref (self->rows);
  for (guint kind = 0; kind < SW_N_SLICE_KINDS; kind++)
    g_array_unref (self->rows_by_key[kind]);
  g_array_unref (self->tracks);
  sw_spill_free (self->samples);
  g_ptr_array_unref (self->texts);
  g_free (self);
}

guint
sw_slice_table_get_n_rows (const SwSliceTable *self)
{
  return self->rows->len;
}

const SwSliceRow *
sw_slice_table_get_row (const SwSliceTable *self,
                        guint i)
{
  return &g_array_index (self->rows, SwSliceRow, i);
}

const char *
sw_slice_table_get_row_text (SwSliceTable *self,
                             guint i)
{
  const SwSliceRow *row = sw_slice_table_get_row (self, i);
  const SwAnalysisTrack *track;

  if (self->grouping != SW_SLICE_GROUP_THREAD || row->kind == SW_SLICE_KIND_FRAME)
    return sw_trace_analysis_get_text (self->analysis, row->key);
  track = sw_trace_analysis_get_track (self->analysis, row->key);
  if (track != NULL && track->name != NULL && *track->name != '\0')
    return track->name;
  g_ptr_array_add (self->texts, g_strdup_printf ("%" G_GINT64_FORMAT, track != NULL ? track->id : 0));
  return g_ptr_array_index (self->texts, self->texts->len - 1);
}

gint64
sw_slice_table_get_whole_ns (const SwSliceTable *self,
                             SwSliceKind kind)
{
  return self->whole_ns[kind];
}

const SwTrackTotals *
sw_slice_table_get_track (const SwSliceTable *self,
                          guint32 track)
{
  if (track >= self->tracks->len || g_array_index (self->tracks, SwTrackTotals, track).n_slices == 0)
    return NULL;
  return &g_array_index (self->tracks, SwTrackTotals, track);
}

gint64 *
sw_slice_table_read_samples (SwSliceTable *self,
                             guint row,
                             GError **error)
{
  g_autofree gint64 *samples = g_new (gint64, sw_slice_table_get_row (self, row)->calls);
  gsize n = 0;

  for (gsize i = 0; i < sw_spill_get_n_parts (self->samples, row); i++)
    {
      SwSpillPart part;
      const void *records;
      gssize n_read;

      sw_spill_open_part (self->samples, row, i, &part);
      while ((n_read = sw_spill_read (&part, samples + n, N_READ, &records, error)) > 0)
        {
          if (records != samples + n)
            memcpy (samples + n, records, (gsize) n_read * sizeof *samples);
          n += (gsize) n_read;
        }
      if (n_read < 0)
        return NULL;
    }
  return g_steal_pointer (&samples);
}
