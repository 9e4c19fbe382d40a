/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-slice-filter-private.h"
#include "sw-profiler/tool/sw-tool-private.h"

G_BEGIN_DECLS

/* How far a reader is, on the standard error, where that is a terminal and it takes long. */
typedef struct
{
  SwTraceReader *reader;
  guint64 n;
  gint64 next_us;
  gboolean is_wanted;
  gboolean is_shown;
} SwToolProgress;

void sw_tool_progress_init (SwToolProgress *self,
                            SwTraceReader *reader);
void sw_tool_progress_show (SwToolProgress *self);
void sw_tool_progress_finish (SwToolProgress *self);

/* After each event. */
static inline void
sw_tool_progress_step (SwToolProgress *self)
{
  if (++self->n % 65536 == 0)
    sw_tool_progress_show (self);
}

/* Sentences for the reader of a result. */
void sw_tool_note (GPtrArray *notes,
                   const char *format,
                   ...) G_GNUC_PRINTF (2, 3);
/* @text says what happened to that many; nothing is said of none. */
void sw_tool_note_count (GPtrArray *notes,
                         guint64 n,
                         const char *text);
/* What was wrong in a file that was read, and whether that is all of it. */
void sw_tool_report_add_notes (const SwTraceReadReport *report,
                               GPtrArray *notes);
gboolean sw_tool_report_is_broken (const SwTraceReadReport *report);

/* A trace that a command reads as a whole before it answers. */
typedef struct
{
  const char *path; /* the caller's */
  SwTraceReader *reader;
  SwTraceAnalysis *analysis;
  SwTraceReadReport report;
} SwToolTrace;

/* Shows how far it is, on the standard error, where that is a terminal and it takes long. Fails with what the reader fails with. */
SwToolTrace *sw_tool_trace_load (const char *path,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same; with @keeps_moments, instants and counters of a part of its time can be told as well. */
SwToolTrace *sw_tool_trace_load_with (const char *path,
                                      gboolean keeps_moments,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_tool_trace_free (SwToolTrace *self);
/* Whether it is cut short or broken, so that the command exits with SW_TOOL_TRUNCATED. */
gboolean sw_tool_trace_is_broken (const SwToolTrace *self);
const char *sw_tool_trace_get_format (const SwToolTrace *self);
/* What is wrong with the trace, or missing in it: whatever makes its numbers less than the whole truth. In sentences. */
GPtrArray *sw_tool_trace_dup_notes (const SwToolTrace *self) G_GNUC_WARN_UNUSED_RESULT;
/* For results that show slices alone: what else the trace has. */
void sw_tool_trace_note_moments (const SwTraceAnalysis *analysis,
                                 GPtrArray *notes);

/* The options that choose slices, which several commands have. */
typedef struct
{
  char **names;
  char **categories;
  char **threads;
  char *from;
  char *to;
  char *min_duration;
} SwToolSelection;

/* clang-format off */
#define SW_TOOL_SELECTION_ENTRIES(selection) \
  { "name", 'n', 0, G_OPTION_ARG_FILENAME_ARRAY, &(selection).names, "Only slices of this name: a glob, or a regular expression between slashes; may be repeated", "PATTERN" }, \
  { "category", 'c', 0, G_OPTION_ARG_FILENAME_ARRAY, &(selection).categories, "Only slices of this category; the same", "PATTERN" }, \
  { "min-duration", 0, 0, G_OPTION_ARG_STRING, &(selection).min_duration, "Only slices that last this long, like 1.5ms", "TIME" }, \
  SW_TOOL_TIME_ENTRIES (selection)
#define SW_TOOL_TIME_ENTRIES(selection) \
  { "thread", 't', 0, G_OPTION_ARG_FILENAME_ARRAY, &(selection).threads, "Only threads and GPU queues of this name or number; the same", "PATTERN" }, \
  { "from", 0, 0, G_OPTION_ARG_STRING, &(selection).from, "Only what lasts beyond this time after the first event, like 1.5s; @ before it: of the trace's clock", "TIME" }, \
  { "to", 0, 0, G_OPTION_ARG_STRING, &(selection).to, "Only what begins before this time", "TIME" }
/* clang-format on */

static inline gboolean
sw_tool_selection_has_time (const SwToolSelection *self)
{
  return self->from != NULL || self->to != NULL;
}

void sw_tool_selection_clear (SwToolSelection *self);
/* Whether the options can be understood; before anything is read. Fails with VALUE. */
gboolean sw_tool_selection_check (const SwToolSelection *self,
                                  GError **error);
/* What they mean for a trace; @filter is to be cleared. Not before they were checked. */
void sw_tool_selection_apply (const SwToolSelection *self,
                              const SwToolTrace *trace,
                              SwSliceFilter *filter);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwToolTrace, sw_tool_trace_free)

G_END_DECLS
