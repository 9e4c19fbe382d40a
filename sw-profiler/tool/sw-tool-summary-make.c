/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw-profiler/tool/sw-tool-summary-private.h"
#include "sw/base/sw-hash-private.h"

/* A call that is so many times as long as the median of so many, and that part of the trace, is likely to have lost its end. */
#define RUNAWAY_FACTOR 1000
#define RUNAWAY_CALLS 10
#define RUNAWAY_PART 0.5

const char *const sw_tool_slice_kinds[SW_N_SLICE_KINDS] = {
  [SW_SLICE_KIND_THREAD] = "thread",
  [SW_SLICE_KIND_GPU] = "gpu",
  [SW_SLICE_KIND_ASYNC] = "async",
  [SW_SLICE_KIND_FRAME] = "frame",
};

typedef struct
{
  SwToolSummary *summary;
  SwToolSort sort;
} Order;

static int
compare_int64 (gint64 a,
               gint64 b)
{
  return (a > b) - (a < b);
}

/* Descending, by name ascending; the name decides between equal ones, so that the order of the file does not. */
static int
compare_rows (gconstpointer a,
              gconstpointer b,
              gpointer data)
{
  Order *order = data;
  SwSliceTable *table = order->summary->table;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const SwSliceRow *x = sw_slice_table_get_row (table, i), *y = sw_slice_table_get_row (table, j);
  int result = 0;

  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if (order->sort == SW_TOOL_SORT_SELF)
    result = compare_int64 (y->self_ns, x->self_ns);
  else if (order->sort == SW_TOOL_SORT_TOTAL)
    result = compare_int64 (y->total_ns, x->total_ns);
  else if (order->sort == SW_TOOL_SORT_CALLS)
    result = compare_int64 ((gint64) y->calls, (gint64) x->calls);
  else if (order->sort == SW_TOOL_SORT_MAX)
    result = compare_int64 (y->max_ns, x->max_ns);
  if (result == 0)
    result = strcmp (sw_slice_table_get_row_text (table, i), sw_slice_table_get_row_text (table, j));
  return result != 0 ? result : compare_int64 (x->key, y->key);
}

static void
sort_rows (SwToolSummary *self,
           SwToolSort sort)
{
  guint n = sw_slice_table_get_n_rows (self->table);
  Order order = { self, sort };

  self->order = g_new (guint, n);
  for (guint i = 0; i < n; i++)
    self->order[i] = i;
  if (n > 1)
    g_qsort_with_data (self->order, (gint) n, sizeof *self->order, compare_rows, &order);
}

static int
compare_tracks (gconstpointer a,
                gconstpointer b,
                gpointer data)
{
  SwToolSummary *self = data;
  guint32 i = *(const guint32 *) a, j = *(const guint32 *) b;
  const SwTrackTotals *x = sw_slice_table_get_track (self->table, i), *y = sw_slice_table_get_track (self->table, j);
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->trace->analysis, i);
  const SwAnalysisTrack *other = sw_trace_analysis_get_track (self->trace->analysis, j);

  if (x->busy_ns != y->busy_ns)
    return compare_int64 (y->busy_ns, x->busy_ns);
  if (track == NULL || other == NULL || track->id == other->id)
    return compare_int64 (i, j);
  return compare_int64 (track->id, other->id);
}

static int
compare_processes (gconstpointer a,
                   gconstpointer b)
{
  const SwToolProcess *x = a, *y = b;

  return x->busy_ns != y->busy_ns ? compare_int64 (y->busy_ns, x->busy_ns) : compare_int64 (x->pid, y->pid);
}

/* Processes of one number are one, but for those whose number is none: a text in their file. */
static gint64
get_process_key (const SwToolSummary *self,
                 guint32 track,
                 gint64 pid)
{
  const SwAnalysisTrack *info = sw_trace_analysis_get_track (self->trace->analysis, track);

  return pid != 0 || info == NULL ? pid : G_MININT64 + info->process;
}

static void
add_to_process (SwToolSummary *self,
                GHashTable *by_key,
                guint32 track)
{
  const SwTrackTotals *totals = sw_slice_table_get_track (self->table, track);
  SwToolProcess new = { 0 };
  SwToolProcess *process;
  gint64 key;
  gpointer place;

  new.pid = sw_trace_analysis_get_pid (self->trace->analysis, track, &new.name);
  key = get_process_key (self, track, new.pid);
  if (!g_hash_table_lookup_extended (by_key, &key, NULL, &place))
    {
      place = GUINT_TO_POINTER (self->processes->len);
      g_hash_table_insert (by_key, g_memdup2 (&key, sizeof key), place);
      g_array_append_val (self->processes, new);
    }
  process = &g_array_index (self->processes, SwToolProcess, GPOINTER_TO_UINT (place));
  if (process->name == NULL)
    process->name = new.name;
  process->n_tracks++;
  process->n_slices += totals->n_slices;
  process->busy_ns = sw_add_saturated (process->busy_ns, totals->busy_ns);
}

static void
find_tracks (SwToolSummary *self)
{
  g_autoptr (GHashTable) by_key = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  guint n = self->trace->analysis->tracks->len;

  self->tracks = g_new (guint32, n);
  self->processes = g_array_new (FALSE, FALSE, sizeof (SwToolProcess));
  for (guint32 track = 0; track < n; track++)
    {
      if (sw_slice_table_get_track (self->table, track) == NULL)
        continue;
      self->tracks[self->n_tracks++] = track;
      add_to_process (self, by_key, track);
    }
  if (self->n_tracks > 1)
    g_qsort_with_data (self->tracks, (gint) self->n_tracks, sizeof *self->tracks, compare_tracks, self);
  g_array_sort (self->processes, compare_processes);
}

static const SwAnalysisInstants *
get_instants (SwToolSummary *self,
              guint i)
{
  return &g_array_index (self->trace->analysis->instants, SwAnalysisInstants, i);
}

static const char *
get_instants_name (SwToolSummary *self,
                   guint i)
{
  guint32 label = get_instants (self, i)->label;

  return sw_trace_analysis_get_text (self->trace->analysis, sw_trace_analysis_get_label (self->trace->analysis, label)->name);
}

static int
compare_instants (gconstpointer a,
                  gconstpointer b,
                  gpointer data)
{
  SwToolSummary *self = data;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const SwAnalysisInstants *x = get_instants (self, i), *y = get_instants (self, j);
  int result = x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp (get_instants_name (self, i), get_instants_name (self, j));

  return result != 0 ? result : compare_int64 (x->first_ns, y->first_ns);
}

static void
find_instants (SwToolSummary *self)
{
  SwTraceAnalysis *analysis = self->trace->analysis;

  self->instants = g_new (guint, analysis->instants->len);
  for (guint i = 0; i < analysis->instants->len; i++)
    if (get_instants (self, i)->n > 0 && sw_slice_filter_has_label (&self->filter, analysis, get_instants (self, i)->label) &&
        sw_slice_filter_has_track (&self->filter, analysis, get_instants (self, i)->track))
      self->instants[self->n_instants++] = i;
  if (self->n_instants > 1)
    g_qsort_with_data (self->instants, (gint) self->n_instants, sizeof *self->instants, compare_instants, self);
}

const char *
sw_tool_summary_get_track_name (const SwToolSummary *self,
                                guint32 id)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->trace->analysis, id);

  return track != NULL && track->name != NULL ? track->name : "";
}

static int
compare_counters (gconstpointer a,
                  gconstpointer b,
                  gpointer data)
{
  guint i = *(const guint *) a, j = *(const guint *) b;
  int result = strcmp (sw_tool_summary_get_track_name (data, i), sw_tool_summary_get_track_name (data, j));

  return result != 0 ? result : compare_int64 (i, j);
}

static void
find_counters (SwToolSummary *self)
{
  GArray *counters = self->trace->analysis->counters;

  self->counters = g_new (guint, counters->len);
  for (guint i = 0; i < counters->len; i++)
    if (g_array_index (counters, SwAnalysisCounter, i).n > 0)
      self->counters[self->n_counters++] = i;
  if (self->n_counters > 1)
    g_qsort_with_data (self->counters, (gint) self->n_counters, sizeof *self->counters, compare_counters, self);
}

static void
note_overlaps (SwToolSummary *self)
{
  for (guint i = 0; i < self->n_tracks; i++)
    {
      const SwTrackTotals *totals = sw_slice_table_get_track (self->table, self->tracks[i]);
      g_autofree char *count = sw_tool_format_count (totals->n_clipped);
      g_autofree char *clipped = sw_tool_format_ns ((double) totals->clipped_ns);
      g_autofree char *track = NULL;
      g_autofree char *name = NULL;
      const SwTraceLabel *label;

      if (totals->n_clipped == 0)
        continue;
      label = sw_trace_analysis_get_label (self->trace->analysis, totals->clipped_label);
      name = sw_tool_text_display (sw_trace_analysis_get_text (self->trace->analysis, label->name), 60);
      track = sw_tool_text_display (sw_tool_summary_get_track_name (self, self->tracks[i]), 60);
      g_ptr_array_add (self->notes, g_strdup_printf ("slices on track \"%s\" that overlap without nesting, cut where what they began in ends: "
                                                     "%s, by %s in all, most of it from %s",
                                                     track, count, clipped, name));
    }
}

static void
note_runaways (SwToolSummary *self)
{
  double span_ns = (double) self->trace->analysis->last_ns - (double) self->trace->analysis->first_ns;

  for (guint i = 0; i < sw_slice_table_get_n_rows (self->table); i++)
    {
      const SwSliceRow *row = sw_slice_table_get_row (self->table, i);
      g_autofree char *name = NULL;
      g_autofree char *longest = NULL;
      g_autofree char *median = NULL;

      if (row->calls < RUNAWAY_CALLS || (double) row->max_ns < RUNAWAY_FACTOR * row->p50_ns || (double) row->max_ns < RUNAWAY_PART * span_ns)
        continue;
      name = sw_tool_text_display (sw_slice_table_get_row_text (self->table, i), 60);
      longest = sw_tool_format_ns ((double) row->max_ns);
      median = sw_tool_format_ns (row->p50_ns);
      g_ptr_array_add (self->notes, g_strdup_printf ("one slice of %s lasts %s, their median is %s: it may have lost its end", name, longest, median));
    }
}

/* Never an empty table without a reason. */
static void
note_emptiness (SwToolSummary *self)
{
  SwTraceAnalysis *analysis = self->trace->analysis;

  if (analysis->n_slices == 0 && analysis->n_instants == 0 && analysis->n_counters == 0)
    g_ptr_array_add (self->notes, g_strdup (self->trace->report.n_records == 0 ? "there is nothing in the file"
                                                                               : "no record of the file is an event"));
  else if (analysis->n_slices == 0)
    g_ptr_array_add (self->notes, g_strdup ("no event of the file lasts any time: there are no slices"));
  else if (sw_slice_table_get_n_rows (self->table) == 0)
    g_ptr_array_add (self->notes, g_strdup ("the options leave no slice"));
}

SwToolSummary *
sw_tool_summary_new (const SwToolTrace *trace,
                     const SwToolSelection *selection,
                     SwSliceGrouping grouping,
                     SwToolSort sort,
                     GError **error)
{
  g_autoptr (SwToolSummary) self = g_new0 (SwToolSummary, 1);

  self->trace = trace;
  sw_tool_selection_apply (selection, trace, &self->filter);
  self->table = sw_slice_table_new (trace->analysis, &self->filter, grouping, SW_SLICE_SAMPLES_DURATION, error);
  if (self->table == NULL)
    return NULL;
  if (sw_tool_selection_has_time (selection) &&
      !sw_trace_analysis_narrow_moments (trace->analysis, self->filter.from_ns, self->filter.to_ns, error))
    return NULL;
  sort_rows (self, sort);
  find_tracks (self);
  find_instants (self);
  find_counters (self);
  self->notes = sw_tool_trace_dup_notes (trace);
  note_overlaps (self);
  note_runaways (self);
  note_emptiness (self);
  return g_steal_pointer (&self);
}

void
sw_tool_summary_free (SwToolSummary *self)
{
  g_clear_pointer (&self->table, sw_slice_table_free);
  sw_slice_filter_clear (&self->filter);
  g_free (self->order);
  g_free (self->tracks);
  g_clear_pointer (&self->processes, g_array_unref);
  g_free (self->instants);
  g_free (self->counters);
  g_clear_pointer (&self->notes, g_ptr_array_unref);
  g_free (self);
}

double
sw_tool_summary_get_fps (const SwSliceRow *row)
{
  double span_ns = (double) row->last_start_ns - (double) row->first_start_ns;

  return row->calls > 1 && span_ns > 0 ? (double) (row->calls - 1) * 1e9 / span_ns : 0;
}
