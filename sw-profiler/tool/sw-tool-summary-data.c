/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-summary-private.h"

/* As JSON and CSV: what the keys mean, docs/guide/reading-traces.md says. */

const char sw_tool_summary_csv_header[] = "file,kind,name,calls,total_ns,self_ns,share,mean_ns,p50_ns,p90_ns,p95_ns,p99_ns,min_ns,max_ns,"
                                          "unfinished,overlapping\r\n";

static double
get_share (SwToolSummary *self,
           const SwSliceRow *row)
{
  gint64 whole_ns = sw_slice_table_get_whole_ns (self->table, row->kind);

  return whole_ns > 0 ? (double) row->self_ns / (double) whole_ns : 0;
}

static void
put_row (SwToolSummary *self,
         SwToolJson *json,
         guint i)
{
  const SwSliceRow *row = sw_slice_table_get_row (self->table, i);

  sw_tool_json_begin (json, NULL, '{');
  sw_tool_json_string (json, "kind", sw_tool_slice_kinds[row->kind]);
  sw_tool_json_string (json, "name", sw_slice_table_get_row_text (self->table, i));
  sw_tool_json_uint64 (json, "calls", row->calls);
  sw_tool_json_int64 (json, "total_ns", row->total_ns);
  sw_tool_json_int64 (json, "self_ns", row->self_ns);
  sw_tool_json_double (json, "share", get_share (self, row));
  sw_tool_json_double (json, "mean_ns", (double) row->total_ns / (double) row->calls);
  sw_tool_json_double (json, "p50_ns", row->p50_ns);
  sw_tool_json_double (json, "p90_ns", row->p90_ns);
  sw_tool_json_double (json, "p95_ns", row->p95_ns);
  sw_tool_json_double (json, "p99_ns", row->p99_ns);
  sw_tool_json_int64 (json, "min_ns", row->min_ns);
  sw_tool_json_int64 (json, "max_ns", row->max_ns);
  sw_tool_json_uint64 (json, "unfinished", row->n_unfinished);
  sw_tool_json_uint64 (json, "overlapping", row->n_clipped);
  if (row->kind == SW_SLICE_KIND_FRAME)
    sw_tool_json_double (json, "fps", sw_tool_summary_get_fps (row));
  sw_tool_json_end (json, '}');
}

static void
put_rows (SwToolSummary *self,
          SwToolJson *json,
          guint top)
{
  guint n_of_kind[SW_N_SLICE_KINDS] = { 0 };

  sw_tool_json_begin (json, "rows", '[');
  for (guint i = 0; i < sw_slice_table_get_n_rows (self->table); i++)
    {
      SwSliceKind kind = sw_slice_table_get_row (self->table, self->order[i])->kind;

      if (top == 0 || n_of_kind[kind]++ < top)
        put_row (self, json, self->order[i]);
    }
  sw_tool_json_end (json, ']');
}

static void
put_tracks (SwToolSummary *self,
            SwToolJson *json)
{
  sw_tool_json_begin (json, "tracks", '[');
  for (guint i = 0; i < self->n_tracks; i++)
    {
      const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->trace->analysis, self->tracks[i]);
      const SwTrackTotals *totals = sw_slice_table_get_track (self->table, self->tracks[i]);
      SwTraceTrackKind kind = track != NULL ? track->kind : SW_TRACE_TRACK_THREAD;
      const char *process;

      sw_tool_json_begin (json, NULL, '{');
      sw_tool_json_string (json, "kind", kind == SW_TRACE_TRACK_GPU_QUEUE ? "gpu" : kind == SW_TRACE_TRACK_ASYNC ? "async"
                                                                                                                 : "thread");
      sw_tool_json_string (json, "name", track != NULL ? track->name : NULL);
      sw_tool_json_int64 (json, "pid", sw_trace_analysis_get_pid (self->trace->analysis, self->tracks[i], &process));
      sw_tool_json_int64 (json, "tid", track != NULL ? track->id : 0);
      sw_tool_json_uint64 (json, "slices", totals->n_slices);
      sw_tool_json_int64 (json, "busy_ns", totals->busy_ns);
      sw_tool_json_int64 (json, "start_ns", totals->first_ns);
      sw_tool_json_int64 (json, "end_ns", totals->last_ns);
      sw_tool_json_uint64 (json, "unfinished", totals->n_unfinished);
      sw_tool_json_uint64 (json, "overlapping", totals->n_clipped);
      sw_tool_json_int64 (json, "overlap_ns", totals->clipped_ns);
      sw_tool_json_end (json, '}');
    }
  sw_tool_json_end (json, ']');
}

static void
put_processes (SwToolSummary *self,
               SwToolJson *json)
{
  sw_tool_json_begin (json, "processes", '[');
  for (guint i = 0; i < self->processes->len; i++)
    {
      const SwToolProcess *process = &g_array_index (self->processes, SwToolProcess, i);

      sw_tool_json_begin (json, NULL, '{');
      sw_tool_json_string (json, "name", process->name);
      sw_tool_json_int64 (json, "pid", process->pid);
      sw_tool_json_uint64 (json, "tracks", process->n_tracks);
      sw_tool_json_uint64 (json, "slices", process->n_slices);
      sw_tool_json_int64 (json, "busy_ns", process->busy_ns);
      sw_tool_json_end (json, '}');
    }
  sw_tool_json_end (json, ']');
}

static void
put_value (SwToolJson *json,
           const char *key,
           const SwAnalysisCounter *counter,
           gint64 integer,
           double real)
{
  if (counter->n == counter->n_not_finite)
    sw_tool_json_string (json, key, NULL);
  else if (counter->is_integer)
    sw_tool_json_int64 (json, key, integer);
  else
    sw_tool_json_double (json, key, real);
}

static void
put_counters (SwToolSummary *self,
              SwToolJson *json)
{
  const char *process;

  sw_tool_json_begin (json, "counters", '[');
  for (guint i = 0; i < self->n_counters; i++)
    {
      const SwAnalysisCounter *counter = &g_array_index (self->trace->analysis->counters, SwAnalysisCounter, self->counters[i]);
      const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->trace->analysis, self->counters[i]);

      sw_tool_json_begin (json, NULL, '{');
      sw_tool_json_string (json, "name", sw_tool_summary_get_track_name (self, self->counters[i]));
      sw_tool_json_string (json, "unit", track != NULL ? track->unit : NULL);
      sw_tool_json_int64 (json, "pid", sw_trace_analysis_get_pid (self->trace->analysis, self->counters[i], &process));
      sw_tool_json_uint64 (json, "values", counter->n);
      sw_tool_json_uint64 (json, "not_finite", counter->n_not_finite);
      put_value (json, "last", counter, counter->last_integer, counter->last);
      put_value (json, "min", counter, counter->min_integer, counter->min);
      put_value (json, "max", counter, counter->max_integer, counter->max);
      sw_tool_json_end (json, '}');
    }
  sw_tool_json_end (json, ']');
}

static void
put_instants (SwToolSummary *self,
              SwToolJson *json)
{
  SwTraceAnalysis *analysis = self->trace->analysis;

  sw_tool_json_begin (json, "instants", '[');
  for (guint i = 0; i < self->n_instants; i++)
    {
      const SwAnalysisInstants *instants = &g_array_index (analysis->instants, SwAnalysisInstants, self->instants[i]);
      const SwTraceLabel *label = sw_trace_analysis_get_label (analysis, instants->label);

      sw_tool_json_begin (json, NULL, '{');
      sw_tool_json_string (json, "name", sw_trace_analysis_get_text (analysis, label->name));
      sw_tool_json_string (json, "category", sw_trace_analysis_get_text (analysis, label->category));
      sw_tool_json_string (json, "track", sw_tool_summary_get_track_name (self, instants->track));
      sw_tool_json_uint64 (json, "times", instants->n);
      sw_tool_json_int64 (json, "first_ns", instants->first_ns);
      sw_tool_json_int64 (json, "last_ns", instants->last_ns);
      sw_tool_json_end (json, '}');
    }
  sw_tool_json_end (json, ']');
}

static void
put_counts (SwToolJson *json,
            const char *key,
            GArray *counts)
{
  sw_tool_json_begin (json, key, '{');
  for (guint i = 0; i < counts->len; i++)
    sw_tool_json_uint64 (json, g_array_index (counts, SwAnalysisCount, i).name, g_array_index (counts, SwAnalysisCount, i).n);
  sw_tool_json_end (json, '}');
}

static void
put_head (SwToolSummary *self,
          SwToolJson *json)
{
  const SwTraceReadReport *report = &self->trace->report;
  const SwTraceAnalysis *analysis = self->trace->analysis;
  gboolean has_events = analysis->last_ns >= analysis->first_ns;

  sw_tool_json_string (json, "file", self->trace->path);
  sw_tool_json_string (json, "format", sw_tool_trace_get_format (self->trace));
  sw_tool_json_uint64 (json, "bytes", report->n_bytes);
  sw_tool_json_uint64 (json, "records", report->n_records);
  sw_tool_json_uint64 (json, "slices", analysis->n_slices);
  sw_tool_json_uint64 (json, "instants_total", analysis->n_instants);
  sw_tool_json_uint64 (json, "counter_values", analysis->n_counters);
  sw_tool_json_int64 (json, "start_ns", has_events ? analysis->first_ns : 0);
  sw_tool_json_int64 (json, "end_ns", has_events ? analysis->last_ns : 0);
  sw_tool_json_boolean (json, "truncated", report->is_truncated);
  sw_tool_json_uint64 (json, "malformed", report->n_malformed);
  sw_tool_json_uint64 (json, "bad_times", report->n_bad_times);
  sw_tool_json_uint64 (json, "bad_texts", report->n_bad_texts);
  sw_tool_json_uint64 (json, "orphan_ends", report->n_orphan_ends);
  sw_tool_json_uint64 (json, "misnamed_ends", report->n_misnamed_ends);
  sw_tool_json_uint64 (json, "unfinished", report->n_unfinished);
  sw_tool_json_uint64 (json, "ignored", report->n_ignored);
  sw_tool_json_string (json, "ignored_kinds", report->ignored);
  sw_tool_json_uint64 (json, "negative", analysis->n_negative);
  put_counts (json, "dropped", analysis->drops);
  put_counts (json, "diagnostics", analysis->diagnostics);
  sw_tool_json_begin (json, "notes", '[');
  for (guint i = 0; i < self->notes->len; i++)
    sw_tool_json_string (json, NULL, g_ptr_array_index (self->notes, i));
  sw_tool_json_end (json, ']');
}

void
sw_tool_summary_put_json (SwToolSummary *self,
                          SwToolJson *json,
                          guint top)
{
  sw_tool_json_begin (json, NULL, '{');
  put_head (self, json);
  put_rows (self, json, top);
  put_tracks (self, json);
  put_processes (self, json);
  put_counters (self, json);
  put_instants (self, json);
  sw_tool_json_end (json, '}');
}

static void
put_csv_row (SwToolSummary *self,
             GString *csv,
             guint i)
{
  const SwSliceRow *row = sw_slice_table_get_row (self->table, i);

  sw_tool_csv_text (csv, self->trace->path);
  sw_tool_csv_text (csv, sw_tool_slice_kinds[row->kind]);
  sw_tool_csv_text (csv, sw_slice_table_get_row_text (self->table, i));
  sw_tool_csv_uint64 (csv, row->calls);
  sw_tool_csv_int64 (csv, row->total_ns);
  sw_tool_csv_int64 (csv, row->self_ns);
  sw_tool_csv_double (csv, get_share (self, row));
  sw_tool_csv_double (csv, (double) row->total_ns / (double) row->calls);
  sw_tool_csv_double (csv, row->p50_ns);
  sw_tool_csv_double (csv, row->p90_ns);
  sw_tool_csv_double (csv, row->p95_ns);
  sw_tool_csv_double (csv, row->p99_ns);
  sw_tool_csv_int64 (csv, row->min_ns);
  sw_tool_csv_int64 (csv, row->max_ns);
  sw_tool_csv_uint64 (csv, row->n_unfinished);
  sw_tool_csv_uint64 (csv, row->n_clipped);
  sw_tool_csv_end (csv);
}

/* Instants have a number only, which stands where calls do. */
static void
put_csv_instants (SwToolSummary *self,
                  GString *csv,
                  guint i)
{
  SwTraceAnalysis *analysis = self->trace->analysis;
  const SwAnalysisInstants *instants = &g_array_index (analysis->instants, SwAnalysisInstants, self->instants[i]);
  const SwTraceLabel *label = sw_trace_analysis_get_label (analysis, instants->label);

  sw_tool_csv_text (csv, self->trace->path);
  sw_tool_csv_text (csv, "instant");
  sw_tool_csv_text (csv, sw_trace_analysis_get_text (analysis, label->name));
  sw_tool_csv_uint64 (csv, instants->n);
  g_string_append (csv, ",,,,,,,,,,,,");
  sw_tool_csv_end (csv);
}

void
sw_tool_summary_put_csv (SwToolSummary *self,
                         GString *csv,
                         guint top)
{
  guint n_of_kind[SW_N_SLICE_KINDS] = { 0 };

  for (guint i = 0; i < sw_slice_table_get_n_rows (self->table); i++)
    {
      SwSliceKind kind = sw_slice_table_get_row (self->table, self->order[i])->kind;

      if (top == 0 || n_of_kind[kind]++ < top)
        put_csv_row (self, csv, self->order[i]);
    }
  for (guint i = 0; i < self->n_instants && (top == 0 || i < top); i++)
    put_csv_instants (self, csv, i);
}
