/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>

#include "sw-profiler/tool/sw-tool-summary-private.h"

static const char *const titles[SW_N_SLICE_KINDS] = {
  [SW_SLICE_KIND_THREAD] = "Slices on threads",
  [SW_SLICE_KIND_GPU] = "Slices on GPU queues and other tracks",
  [SW_SLICE_KIND_ASYNC] = "Asynchronous slices",
  [SW_SLICE_KIND_FRAME] = "Frames",
};

static void
print_more (gsize n,
            guint top)
{
  if (top > 0 && n > top)
    printf ("and %" G_GSIZE_FORMAT " more; --top 0 shows all\n", n - top);
}

static void
print_head (SwToolSummary *self,
            const SwToolStyle *style)
{
  const SwTraceAnalysis *analysis = self->trace->analysis;
  g_autofree char *path = sw_tool_text_display (self->trace->path, 0);
  g_autofree char *size = sw_tool_format_count (self->trace->report.n_bytes);
  g_autofree char *slices = sw_tool_format_count (analysis->n_slices);
  g_autofree char *instants = sw_tool_format_count (analysis->n_instants);
  g_autofree char *counters = sw_tool_format_count (analysis->n_counters);
  g_autofree char *span = analysis->last_ns >= analysis->first_ns
                              ? sw_tool_format_ns ((double) analysis->last_ns - (double) analysis->first_ns)
                              : g_strdup ("no time");

  sw_tool_print_heading (style, "%s", path);
  printf ("%s, %s bytes; %s slices, %s instants, %s values of counters; %s\n", sw_tool_trace_get_format (self->trace), size, slices,
          instants, counters, span);
  for (guint i = 0; i < self->notes->len; i++)
    printf ("%sNote:%s %s\n", style->has_colors ? "\033[33m" : "", style->has_colors ? "\033[0m" : "",
            (const char *) g_ptr_array_index (self->notes, i));
}

static SwToolTable *
new_rows_table (SwSliceKind kind)
{
  SwToolTable *table = sw_tool_table_new ();

  sw_tool_table_add_text_column (table, "Name");
  sw_tool_table_add_number_column (table, kind == SW_SLICE_KIND_FRAME ? "Frames" : "Calls");
  sw_tool_table_add_number_column (table, "Total");
  sw_tool_table_add_number_column (table, kind == SW_SLICE_KIND_FRAME ? "Mean" : "Self");
  sw_tool_table_add_number_column (table, kind == SW_SLICE_KIND_FRAME ? "fps" : "Share");
  sw_tool_table_add_number_column (table, "p50");
  sw_tool_table_add_number_column (table, "p90");
  if (kind == SW_SLICE_KIND_FRAME)
    sw_tool_table_add_number_column (table, "p95");
  sw_tool_table_add_number_column (table, "p99");
  sw_tool_table_add_number_column (table, "Min");
  sw_tool_table_add_number_column (table, "Max");
  return table;
}

static void
add_row (SwToolSummary *self,
         SwToolTable *table,
         guint i)
{
  const SwSliceRow *row = sw_slice_table_get_row (self->table, i);
  double whole = (double) sw_slice_table_get_whole_ns (self->table, row->kind);

  sw_tool_table_add (table, sw_slice_table_get_row_text (self->table, i));
  sw_tool_table_take (table, sw_tool_format_count (row->calls));
  sw_tool_table_take (table, sw_tool_format_ns ((double) row->total_ns));
  if (row->kind == SW_SLICE_KIND_FRAME)
    {
      sw_tool_table_take (table, sw_tool_format_ns ((double) row->total_ns / (double) row->calls));
      sw_tool_table_take (table, sw_tool_format_double (sw_tool_summary_get_fps (row), 1));
    }
  else
    {
      sw_tool_table_take (table, sw_tool_format_ns ((double) row->self_ns));
      sw_tool_table_take (table, sw_tool_format_percent ((double) row->self_ns, whole));
    }
  sw_tool_table_take (table, sw_tool_format_ns (row->p50_ns));
  sw_tool_table_take (table, sw_tool_format_ns (row->p90_ns));
  if (row->kind == SW_SLICE_KIND_FRAME)
    sw_tool_table_take (table, sw_tool_format_ns (row->p95_ns));
  sw_tool_table_take (table, sw_tool_format_ns (row->p99_ns));
  sw_tool_table_take (table, sw_tool_format_ns ((double) row->min_ns));
  sw_tool_table_take (table, sw_tool_format_ns ((double) row->max_ns));
}

static void
print_rows (SwToolSummary *self,
            const SwToolStyle *style,
            SwSliceKind kind,
            guint top)
{
  g_autoptr (SwToolTable) table = new_rows_table (kind);
  gsize n = 0;

  for (guint i = 0; i < sw_slice_table_get_n_rows (self->table); i++)
    {
      if (sw_slice_table_get_row (self->table, self->order[i])->kind != kind)
        continue;
      if (top == 0 || n < top)
        add_row (self, table, self->order[i]);
      n++;
    }
  if (n == 0)
    return;
  putchar ('\n');
  sw_tool_print_heading (style, "%s", titles[kind]);
  sw_tool_table_print (table, style);
  print_more (n, top);
}

static const char *
get_kind_name (const SwAnalysisTrack *track)
{
  if (track == NULL)
    return "";
  return track->kind == SW_TRACE_TRACK_GPU_QUEUE ? "gpu" : track->kind == SW_TRACE_TRACK_ASYNC ? "async"
                                                                                               : "thread";
}

static void
print_tracks (SwToolSummary *self,
              const SwToolStyle *style,
              guint top)
{
  g_autoptr (SwToolTable) table = sw_tool_table_new ();
  const char *process;

  if (self->n_tracks == 0)
    return;
  sw_tool_table_add_text_column (table, "Track");
  sw_tool_table_add_text_column (table, "Kind");
  sw_tool_table_add_number_column (table, "Process");
  sw_tool_table_add_number_column (table, "Thread");
  sw_tool_table_add_number_column (table, "Slices");
  sw_tool_table_add_number_column (table, "Busy");
  sw_tool_table_add_number_column (table, "Of");
  for (guint i = 0; i < self->n_tracks && (top == 0 || i < top); i++)
    {
      const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->trace->analysis, self->tracks[i]);
      const SwTrackTotals *totals = sw_slice_table_get_track (self->table, self->tracks[i]);
      gboolean has_id = track != NULL && track->kind != SW_TRACE_TRACK_ASYNC;

      sw_tool_table_add (table, sw_tool_summary_get_track_name (self, self->tracks[i]));
      sw_tool_table_add (table, get_kind_name (track));
      sw_tool_table_take (table, g_strdup_printf ("%" G_GINT64_FORMAT, sw_trace_analysis_get_pid (self->trace->analysis, self->tracks[i], &process)));
      sw_tool_table_take (table, has_id ? g_strdup_printf ("%" G_GINT64_FORMAT, track->id) : g_strdup ("-"));
      sw_tool_table_take (table, sw_tool_format_count (totals->n_slices));
      sw_tool_table_take (table, sw_tool_format_ns ((double) totals->busy_ns));
      sw_tool_table_take (table, sw_tool_format_ns ((double) totals->last_ns - (double) totals->first_ns));
    }
  putchar ('\n');
  sw_tool_print_heading (style, "Tracks");
  sw_tool_table_print (table, style);
  print_more (self->n_tracks, top);
}

static void
print_processes (SwToolSummary *self,
                 const SwToolStyle *style,
                 guint top)
{
  g_autoptr (SwToolTable) table = sw_tool_table_new ();

  if (self->processes->len == 0)
    return;
  sw_tool_table_add_text_column (table, "Process");
  sw_tool_table_add_number_column (table, "Number");
  sw_tool_table_add_number_column (table, "Tracks");
  sw_tool_table_add_number_column (table, "Slices");
  sw_tool_table_add_number_column (table, "Busy");
  for (guint i = 0; i < self->processes->len && (top == 0 || i < top); i++)
    {
      const SwToolProcess *process = &g_array_index (self->processes, SwToolProcess, i);

      sw_tool_table_add (table, process->name != NULL ? process->name : "");
      sw_tool_table_take (table, g_strdup_printf ("%" G_GINT64_FORMAT, process->pid));
      sw_tool_table_take (table, sw_tool_format_count (process->n_tracks));
      sw_tool_table_take (table, sw_tool_format_count (process->n_slices));
      sw_tool_table_take (table, sw_tool_format_ns ((double) process->busy_ns));
    }
  putchar ('\n');
  sw_tool_print_heading (style, "Processes");
  sw_tool_table_print (table, style);
  print_more (self->processes->len, top);
}

static char *
format_value (const SwAnalysisCounter *counter,
              gint64 integer,
              double real)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (counter->n == counter->n_not_finite)
    return g_strdup ("-");
  if (counter->is_integer)
    return g_strdup_printf ("%" G_GINT64_FORMAT, integer);
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.6g", real));
}

static void
print_counters (SwToolSummary *self,
                const SwToolStyle *style,
                guint top)
{
  g_autoptr (SwToolTable) table = sw_tool_table_new ();

  if (self->n_counters == 0)
    return;
  sw_tool_table_add_text_column (table, "Counter");
  sw_tool_table_add_text_column (table, "Unit");
  sw_tool_table_add_number_column (table, "Values");
  sw_tool_table_add_number_column (table, "Last");
  sw_tool_table_add_number_column (table, "Min");
  sw_tool_table_add_number_column (table, "Max");
  for (guint i = 0; i < self->n_counters && (top == 0 || i < top); i++)
    {
      const SwAnalysisCounter *counter = &g_array_index (self->trace->analysis->counters, SwAnalysisCounter, self->counters[i]);
      const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->trace->analysis, self->counters[i]);

      sw_tool_table_add (table, sw_tool_summary_get_track_name (self, self->counters[i]));
      sw_tool_table_add (table, track != NULL && track->unit != NULL ? track->unit : "");
      sw_tool_table_take (table, sw_tool_format_count (counter->n));
      sw_tool_table_take (table, format_value (counter, counter->last_integer, counter->last));
      sw_tool_table_take (table, format_value (counter, counter->min_integer, counter->min));
      sw_tool_table_take (table, format_value (counter, counter->max_integer, counter->max));
    }
  putchar ('\n');
  sw_tool_print_heading (style, "Counters");
  sw_tool_table_print (table, style);
  print_more (self->n_counters, top);
}

static void
print_instants (SwToolSummary *self,
                const SwToolStyle *style,
                guint top)
{
  SwTraceAnalysis *analysis = self->trace->analysis;
  g_autoptr (SwToolTable) table = sw_tool_table_new ();

  if (self->n_instants == 0)
    return;
  sw_tool_table_add_text_column (table, "Instant");
  sw_tool_table_add_text_column (table, "Track");
  sw_tool_table_add_number_column (table, "Times");
  sw_tool_table_add_number_column (table, "First after");
  sw_tool_table_add_number_column (table, "Last after");
  for (guint i = 0; i < self->n_instants && (top == 0 || i < top); i++)
    {
      const SwAnalysisInstants *instants = &g_array_index (analysis->instants, SwAnalysisInstants, self->instants[i]);

      sw_tool_table_add (table, sw_trace_analysis_get_text (analysis, sw_trace_analysis_get_label (analysis, instants->label)->name));
      sw_tool_table_add (table, sw_tool_summary_get_track_name (self, instants->track));
      sw_tool_table_take (table, sw_tool_format_count (instants->n));
      sw_tool_table_take (table, sw_tool_format_ns ((double) instants->first_ns - (double) analysis->first_ns));
      sw_tool_table_take (table, sw_tool_format_ns ((double) instants->last_ns - (double) analysis->first_ns));
    }
  putchar ('\n');
  sw_tool_print_heading (style, "Instants");
  sw_tool_table_print (table, style);
  print_more (self->n_instants, top);
}

void
sw_tool_summary_print (SwToolSummary *self,
                       const SwToolStyle *style,
                       guint top)
{
  print_head (self, style);
  for (SwSliceKind kind = 0; kind < SW_N_SLICE_KINDS; kind++)
    print_rows (self, style, kind, top);
  print_tracks (self, style, top);
  if (self->processes->len > 1)
    print_processes (self, style, top);
  print_counters (self, style, top);
  print_instants (self, style, top);
}
