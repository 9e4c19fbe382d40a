/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>

#include "sw-profiler/tool/sw-tool-summary-private.h"
#include "sw/base/sw-error.h"

#define USUAL_TOP 20

typedef struct
{
  SwToolSelection selection;
  int top; /* -1: not said */
  char *sort;
  char *by;
  char *color;
  gboolean json;
  gboolean csv;
  /* What they mean. */
  SwSliceGrouping grouping;
  SwToolSort order;
  SwToolStyle style;
  guint limit;
} Options;

/* What goes out at the end. */
typedef struct
{
  SwToolJson json;
  GString *csv;
  guint n_done;
} Output;

static const char details[] =
    "Each FILE is summarised for itself; - is the standard input. Files may be Strideweave's traces of any format, or Chrome's JSON from\n"
    "any program; compressed with gzip or not.\n"
    "\n"
    "Self time is what a slice takes without those inside of it: self times add up, totals of slices inside each other do not. A share is\n"
    "of the self time of all slices of its kind. Options that choose slices by name, category or duration change no self time and no share.\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read, 2 wrong options, 3 done, but a file is cut short or broken.";

/* The place of @text in a list. */
static gboolean
find_choice (const char *option,
             const char *text,
             const char *const *choices,
             guint *choice,
             GError **error)
{
  g_autofree char *known = NULL;

  if (text == NULL)
    return TRUE;
  for (guint i = 0; choices[i] != NULL; i++)
    if (g_str_equal (text, choices[i]))
      {
        *choice = i;
        return TRUE;
      }
  known = g_strjoinv (", ", (char **) choices);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %s, which is none of %s", option, text, known);
  return FALSE;
}

static gboolean
understand (Options *self,
            GError **error)
{
  static const char *const sorts[] = { "self", "total", "calls", "max", "name", NULL };
  static const char *const groupings[] = { "name", "category", "thread", NULL };
  guint sort = SW_TOOL_SORT_SELF, grouping = SW_SLICE_GROUP_NAME;

  if (!find_choice ("--sort", self->sort, sorts, &sort, error) || !find_choice ("--by", self->by, groupings, &grouping, error))
    return FALSE;
  self->order = sort;
  self->grouping = grouping;
  if (self->json && self->csv)
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, "--json and --csv exclude each other");
      return FALSE;
    }
  if (self->top < -1)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--top is %d, which is negative", self->top);
      return FALSE;
    }
  self->limit = self->top >= 0 ? (guint) self->top : self->json || self->csv ? 0
                                                                             : USUAL_TOP;
  return sw_tool_style_init (&self->style, self->color, error) && sw_tool_selection_check (&self->selection, error);
}

static void
begin_output (const Options *self,
              Output *output)
{
  *output = (Output){ .csv = g_string_new (NULL) };
  if (self->csv)
    g_string_append (output->csv, sw_tool_summary_csv_header);
  if (!self->json)
    return;
  sw_tool_json_init (&output->json);
  sw_tool_json_begin (&output->json, NULL, '{');
  sw_tool_json_begin (&output->json, "files", '[');
}

static void
end_output (const Options *self,
            Output *output)
{
  if (self->json)
    {
      sw_tool_json_end (&output->json, ']');
      sw_tool_json_end (&output->json, '}');
      sw_tool_json_print (&output->json);
    }
  fwrite (output->csv->str, 1, output->csv->len, stdout);
  g_string_free (output->csv, TRUE);
}

/* CSV has no place for them. */
static void
complain_notes (const SwToolSummary *summary)
{
  for (guint i = 0; i < summary->notes->len; i++)
    sw_tool_complain ("%s: %s", summary->trace->path, (const char *) g_ptr_array_index (summary->notes, i));
  if (summary->n_counters > 0)
    sw_tool_complain ("%s: counters are not in the CSV: %u", summary->trace->path, summary->n_counters);
}

static SwToolStatus
summarise (const Options *self,
           const char *path,
           Output *output)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwToolTrace) trace = sw_tool_trace_load_with (path, sw_tool_selection_has_time (&self->selection), &error);
  g_autoptr (SwToolSummary) summary = NULL;

  if (trace != NULL)
    summary = sw_tool_summary_new (trace, &self->selection, self->grouping, self->order, &error);
  if (summary == NULL)
    {
      sw_tool_complain ("%s: %s", path, error->message);
      return SW_TOOL_FAILED;
    }
  if (self->json)
    sw_tool_summary_put_json (summary, &output->json, self->limit);
  else if (self->csv)
    {
      sw_tool_summary_put_csv (summary, output->csv, self->limit);
      complain_notes (summary);
    }
  else
    {
      fputs (output->n_done > 0 ? "\n" : "", stdout);
      sw_tool_summary_print (summary, &self->style, self->limit);
    }
  output->n_done++;
  return sw_tool_trace_is_broken (trace) ? SW_TOOL_TRUNCATED : SW_TOOL_OK;
}

static int
summarise_all (Options *self,
               int n_paths,
               char **paths)
{
  g_autoptr (GError) error = NULL;
  SwToolStatus status = SW_TOOL_OK;
  Output output;

  if (!understand (self, &error))
    {
      sw_tool_complain ("summary: %s", error->message);
      return SW_TOOL_USAGE;
    }
  if (n_paths == 0)
    {
      sw_tool_complain ("summary: no file; see sw-profiler summary --help");
      return SW_TOOL_USAGE;
    }
  begin_output (self, &output);
  for (int i = 0; i < n_paths; i++)
    {
      SwToolStatus one = summarise (self, paths[i], &output);

      if (status != SW_TOOL_FAILED && one != SW_TOOL_OK)
        status = one;
    }
  end_output (self, &output);
  return status;
}

static int
run (int argc,
     char **argv)
{
  Options options = { .top = -1 };
  const GOptionEntry entries[] = {
    { "top", 0, 0, G_OPTION_ARG_INT, &options.top, "So many rows of a section; 0: all. Of text 20, of JSON and CSV all", "N" },
    { "sort", 's', 0, G_OPTION_ARG_STRING, &options.sort, "By self, total, calls, max or name", "KEY" },
    { "by", 'b', 0, G_OPTION_ARG_STRING, &options.by, "A row for each name, category or thread", "KEY" },
    SW_TOOL_SELECTION_ENTRIES (options.selection),
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "As JSON", NULL },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &options.csv, "The rows as CSV", NULL },
    { "color", 0, 0, G_OPTION_ARG_STRING, &options.color, "auto, always or never", "WHEN" },
    { NULL },
  };
  gboolean is_done;
  int status = sw_tool_parse (&sw_tool_summary_command, entries, details, &argc, &argv, &is_done);

  if (!is_done)
    status = summarise_all (&options, argc - 1, argv + 1);
  sw_tool_selection_clear (&options.selection);
  g_free (options.sort);
  g_free (options.by);
  g_free (options.color);
  return status;
}

const SwToolCommand sw_tool_summary_command = { "summary", "FILE…", "What took the time in traces", run };
