/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-trace-private.h"

#include <stdio.h>
#include <unistd.h>

#include "sw-profiler/tool/sw-tool-text-private.h"

#define PROGRESS_AFTER_US 500000
#define PROGRESS_STEP_US 200000

static const SwTraceName *
get_name (gpointer data,
          guint32 id)
{
  return sw_trace_reader_name (data, id);
}

void
sw_tool_progress_init (SwToolProgress *self,
                       SwTraceReader *reader)
{
  *self = (SwToolProgress){ reader, 0, g_get_monotonic_time () + PROGRESS_AFTER_US, isatty (STDERR_FILENO), FALSE };
}

void
sw_tool_progress_show (SwToolProgress *self)
{
  guint64 size, position = sw_trace_reader_get_position (self->reader, &size);
  gint64 now_us = g_get_monotonic_time ();

  if (!self->is_wanted || now_us < self->next_us)
    return;
  self->next_us = now_us + PROGRESS_STEP_US;
  self->is_shown = TRUE;
  if (size > 0)
    fprintf (stderr, "\r\033[KReading %3.0f %%", 100.0 * (double) position / (double) size);
  else
    fprintf (stderr, "\r\033[KReading %" G_GUINT64_FORMAT " MB", position / 1000000);
}

void
sw_tool_progress_finish (SwToolProgress *self)
{
  if (self->is_shown)
    fputs ("\r\033[K", stderr);
}

typedef struct
{
  SwToolTrace *trace;
  SwToolProgress progress;
} Progress;

static void
take_slice (gpointer data,
            const SwTraceReadSlice *slice)
{
  Progress *self = data;

  sw_trace_analysis_visitor.slice (self->trace->analysis, slice);
  sw_tool_progress_step (&self->progress);
}

static void
take_restart (gpointer data)
{
  sw_trace_analysis_visitor.restart (((Progress *) data)->trace->analysis);
}

#define FORWARD(name, TYPE)                                                       \
  static void take_##name (gpointer data, TYPE value)                             \
  {                                                                               \
    sw_trace_analysis_visitor.name (((Progress *) data)->trace->analysis, value); \
  }
#define FORWARD_PAIR(name, TYPE, OTHER)                                                  \
  static void take_##name (gpointer data, TYPE value, OTHER other)                       \
  {                                                                                      \
    sw_trace_analysis_visitor.name (((Progress *) data)->trace->analysis, value, other); \
  }
FORWARD_PAIR (session, const SwTraceSession *, gboolean)
FORWARD_PAIR (track, guint32, const SwTraceTrackInfo *)
FORWARD (instant, const SwTraceSlice *)
FORWARD (counter, const SwTraceReadCounter *)
FORWARD_PAIR (drops, const char *, guint64)
FORWARD_PAIR (diagnostic, const char *, guint64)

static gboolean
read_with_progress (SwToolTrace *self,
                    GError **error)
{
  static const SwTraceVisitor visitor = {
    .no_args = TRUE,
    .restart = take_restart,
    .session = take_session,
    .track = take_track,
    .slice = take_slice,
    .instant = take_instant,
    .counter = take_counter,
    .drops = take_drops,
    .diagnostic = take_diagnostic,
  };
  Progress progress = { .trace = self };
  gboolean is_done;

  sw_tool_progress_init (&progress.progress, self->reader);
  is_done = sw_trace_reader_read (self->reader, &visitor, &progress, error);
  sw_tool_progress_finish (&progress.progress);
  return is_done;
}

SwToolTrace *
sw_tool_trace_load (const char *path,
                    GError **error)
{
  return sw_tool_trace_load_with (path, FALSE, error);
}

SwToolTrace *
sw_tool_trace_load_with (const char *path,
                         gboolean keeps_moments,
                         GError **error)
{
  g_autoptr (SwToolTrace) self = g_new0 (SwToolTrace, 1);
  gboolean is_done;

  self->path = path;
  self->reader = sw_trace_reader_new_for_path (path, error);
  if (self->reader == NULL)
    return NULL;
  self->analysis = sw_trace_analysis_new (get_name, self->reader, 0);
  if (keeps_moments)
    sw_trace_analysis_keep_moments (self->analysis);
  if (isatty (STDERR_FILENO))
    is_done = read_with_progress (self, error);
  else
    is_done = sw_trace_reader_read (self->reader, &sw_trace_analysis_visitor, self->analysis, error);
  if (!is_done || !sw_trace_analysis_finish (self->analysis, error))
    return NULL;
  self->report = *sw_trace_reader_get_report (self->reader);
  return g_steal_pointer (&self);
}

void
sw_tool_trace_free (SwToolTrace *self)
{
  g_clear_pointer (&self->analysis, sw_trace_analysis_free);
  g_clear_pointer (&self->reader, sw_trace_reader_free);
  g_free (self);
}

gboolean
sw_tool_report_is_broken (const SwTraceReadReport *report)
{
  return report->is_truncated || report->n_malformed > 0 || report->n_bad_times > 0;
}

gboolean
sw_tool_trace_is_broken (const SwToolTrace *self)
{
  return sw_tool_report_is_broken (&self->report);
}

const char *
sw_tool_trace_get_format (const SwToolTrace *self)
{
  switch (self->report.input)
    {
    case SW_TRACE_INPUT_CHROME_JSON:
      return "chrome-json";
    case SW_TRACE_INPUT_JSONL:
      return "jsonl";
    case SW_TRACE_INPUT_PERFETTO:
      return "perfetto";
    case SW_TRACE_INPUT_UNKNOWN:
    default:
      return "unknown";
    }
}

void
sw_tool_note (GPtrArray *notes,
              const char *format,
              ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* @text says what happened to that many; nothing is said of none. */
void
sw_tool_note_count (GPtrArray *notes,
                    guint64 n,
                    const char *text)
{
  g_autofree char *count = sw_tool_format_count (n);

  if (n > 0)
    sw_tool_note (notes, "%s: %s", text, count);
}

static void
note_losses (const SwToolTrace *self,
             GPtrArray *notes)
{
  for (guint i = 0; i < self->analysis->drops->len; i++)
    {
      const SwAnalysisCount *drops = &g_array_index (self->analysis->drops, SwAnalysisCount, i);
      g_autofree char *reason = sw_tool_text_display (drops->name, 0);
      g_autofree char *text = g_strdup_printf ("events that the recorder lost (%s)", reason);

      sw_tool_note_count (notes, drops->n, text);
    }
  for (guint i = 0; i < self->analysis->diagnostics->len; i++)
    {
      const SwAnalysisCount *diagnostic = &g_array_index (self->analysis->diagnostics, SwAnalysisCount, i);
      g_autofree char *name = sw_tool_text_display (diagnostic->name, 0);
      g_autofree char *text = g_strdup_printf ("the recorder says %s", name);

      sw_tool_note_count (notes, diagnostic->n, text);
    }
}

void
sw_tool_report_add_notes (const SwTraceReadReport *report,
                          GPtrArray *notes)
{
  g_autofree char *kinds = sw_tool_text_display (report->ignored != NULL ? report->ignored : "others", 0);
  g_autofree char *ignored = g_strdup_printf ("records of kinds that have no place here, left out (%s)", kinds);

  if (report->is_truncated)
    sw_tool_note (notes, "the file is cut short, or broken, at byte %" G_GUINT64_FORMAT ", in record %" G_GUINT64_FORMAT, report->error_offset,
                  report->error_record);
  else if (report->n_malformed > 0)
    sw_tool_note (notes, "the first malformed record is number %" G_GUINT64_FORMAT ", at byte %" G_GUINT64_FORMAT, report->error_record,
                  report->error_offset);
  if (report->is_base_late)
    sw_tool_note (notes, "the file says what its times count from only after events, and could not be read twice: they count from 0");
  sw_tool_note_count (notes, report->n_malformed, "malformed records, left out");
  sw_tool_note_count (notes, report->n_bad_times, "records whose times are no numbers or do not fit, left out");
  sw_tool_note_count (notes, report->n_bad_texts, "texts with NUL or bytes that are not UTF-8, which are shown as U+FFFD");
  sw_tool_note_count (notes, report->n_orphan_ends, "ends without a beginning, left out");
  sw_tool_note_count (notes, report->n_misnamed_ends, "ends that name another slice than the innermost open one");
  sw_tool_note_count (notes, report->n_unfinished, "slices without an end, which last until the last event of their process");
  sw_tool_note_count (notes, report->n_ignored, ignored);
}

GPtrArray *
sw_tool_trace_dup_notes (const SwToolTrace *self)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func (g_free);

  sw_tool_report_add_notes (&self->report, notes);
  if (self->analysis->sessions->len > 1)
    sw_tool_note_count (notes, self->analysis->sessions->len, "sessions in the file, taken together");
  sw_tool_note_count (notes, self->analysis->n_negative, "slices that end before they begin, which last no time here");
  note_losses (self, notes);
  return notes;
}

void
sw_tool_trace_note_moments (const SwTraceAnalysis *analysis,
                            GPtrArray *notes)
{
  sw_tool_note_count (notes, analysis->n_instants, "instants, left out");
  sw_tool_note_count (notes, analysis->n_counters, "values of counters, left out");
}
