/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>

#include "sw-profiler/tool/sw-tool-diff-private.h"
#include "sw/base/sw-error.h"

#define USUAL_TOP 30

typedef struct
{
  SwToolSelection selection;
  char **further[SW_TOOL_N_SIDES];
  char *by;
  char *fail_over;
  char *alpha;
  char *color;
  int top;
  gboolean json, csv, markdown;
  /* What they mean. */
  SwToolDiffBy by_what;
  double limit;
  double alpha_value;
  SwToolStyle style;
} Options;

static const char details[] =
    "Slices are compared name by name; names of threads, GPU queues, frames and what is asynchronous are kept apart.\n"
    "\n"
    "Whether a difference is more than chance, the test of Mann and Whitney says, on the durations of all slices of a name (on their self\n"
    "times by self): exactly for up to 40 of both sides together, else by the normal approximation with a correction for ties. As many names\n"
    "are tested at once, p is adjusted by Holm's method. Slices of one run are not quite independent of each other: several runs of each\n"
    "side, with --base and --new, tell more than one. A sum also changes significantly where the number of calls does by more than the limit.\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read, 2 wrong options, 3 done, but a file is cut short or broken, 4 with --fail-over: a\n"
    "name got significantly worse by more than that.";

static gboolean
parse_number (const char *option,
              const char *text,
              double most,
              double *value,
              GError **error)
{
  char *end;
  double number;

  if (text == NULL)
    return TRUE;
  number = g_ascii_strtod (text, &end);
  if (end == text || (*end != '\0' && !g_str_equal (end, "%")) || !(number >= 0 && number <= most))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %s, which is no number from 0 to %g", option, text, most);
      return FALSE;
    }
  *value = g_str_equal (end, "%") ? number / 100 : number;
  return TRUE;
}

static gboolean
parse_by (Options *self,
          GError **error)
{
  static const char *const names[] = {
    [SW_TOOL_DIFF_MEDIAN] = "median",
    [SW_TOOL_DIFF_MEAN] = "mean",
    [SW_TOOL_DIFF_TOTAL] = "total",
    [SW_TOOL_DIFF_SELF] = "self",
  };

  if (self->by == NULL)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (self->by, names[i]))
      {
        self->by_what = i;
        return TRUE;
      }
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--by is %s, which is none of self, total, mean, median", self->by);
  return FALSE;
}

static gboolean
understand (Options *self,
            GError **error)
{
  g_autofree char *with_sign = NULL;

  self->limit = -1;
  self->alpha_value = 0.05;
  /* A bare number is percent, too. */
  if (self->fail_over != NULL)
    with_sign = g_str_has_suffix (self->fail_over, "%") ? g_strdup (self->fail_over) : g_strconcat (self->fail_over, "%", NULL);
  if (!parse_number ("--fail-over", with_sign, 1e9, &self->limit, error) || !parse_number ("--alpha", self->alpha, 1, &self->alpha_value, error) ||
      !parse_by (self, error))
    return FALSE;
  if (self->json + self->csv + self->markdown > 1)
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, "only one of --json, --csv and --markdown is possible");
      return FALSE;
    }
  if (self->top < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--top is %d, which is negative", self->top);
      return FALSE;
    }
  return sw_tool_style_init (&self->style, self->color, error) && sw_tool_selection_check (&self->selection, error);
}

static gboolean
add_file (const Options *self,
          SwToolDiff *diff,
          SwToolSide side,
          const char *path)
{
  g_autoptr (GError) error = NULL;

  if (sw_tool_diff_add (diff, side, path, &self->selection, &error))
    return TRUE;
  sw_tool_complain ("%s: %s", path, error->message);
  return FALSE;
}

static gboolean
add_files (const Options *self,
           SwToolDiff *diff,
           char **paths)
{
  for (guint side = 0; side < SW_TOOL_N_SIDES; side++)
    {
      if (!add_file (self, diff, side, paths[side]))
        return FALSE;
      for (char **path = self->further[side]; path != NULL && *path != NULL; path++)
        if (!add_file (self, diff, side, *path))
          return FALSE;
    }
  return TRUE;
}

static void
show (const Options *self,
      SwToolDiff *diff)
{
  g_autoptr (GString) csv = g_string_new (NULL);
  SwToolJson json;

  if (self->json)
    {
      sw_tool_json_init (&json);
      sw_tool_diff_put_json (diff, &json);
      sw_tool_json_print (&json);
    }
  else if (self->csv)
    {
      sw_tool_diff_put_csv (diff, csv);
      fwrite (csv->str, 1, csv->len, stdout);
      for (guint i = 0; i < diff->notes->len; i++)
        sw_tool_complain ("%s", (const char *) g_ptr_array_index (diff->notes, i));
    }
  else
    sw_tool_diff_print (diff, &self->style, self->markdown, (guint) self->top);
}

static int
compare (const Options *self,
         char **paths)
{
  g_autoptr (SwToolDiff) diff = sw_tool_diff_new (self->by_what, self->alpha_value, self->limit);

  if (!add_files (self, diff, paths))
    return SW_TOOL_FAILED;
  sw_tool_diff_finish (diff);
  show (self, diff);
  if (diff->n_regressions > 0)
    return SW_TOOL_REGRESSION;
  return diff->has_broken ? SW_TOOL_TRUNCATED : SW_TOOL_OK;
}

static void
clear_options (Options *self)
{
  sw_tool_selection_clear (&self->selection);
  for (guint side = 0; side < SW_TOOL_N_SIDES; side++)
    g_strfreev (self->further[side]);
  g_free (self->by);
  g_free (self->fail_over);
  g_free (self->alpha);
  g_free (self->color);
}

static int
run (int argc,
     char **argv)
{
  Options options = { .top = USUAL_TOP };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "by", 'b', 0, G_OPTION_ARG_STRING, &options.by, "Compare median, mean, total or self; median is usual", "KEY" },
    { "fail-over", 0, 0, G_OPTION_ARG_STRING, &options.fail_over, "Exit with 4 where a name got significantly worse by more than this, like 5%", "PERCENT" },
    { "alpha", 0, 0, G_OPTION_ARG_STRING, &options.alpha, "Significant is what has an adjusted p of at most this; 0.05 is usual", "P" },
    { "base", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.further[SW_TOOL_SIDE_BASE], "One more trace of the base; may be repeated", "FILE" },
    { "new", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.further[SW_TOOL_SIDE_NEW], "One more trace of the new; may be repeated", "FILE" },
    { "top", 0, 0, G_OPTION_ARG_INT, &options.top, "So many rows of a text; 0: all; 30 are usual", "N" },
    SW_TOOL_SELECTION_ENTRIES (options.selection),
    { "markdown", 0, 0, G_OPTION_ARG_NONE, &options.markdown, "As Markdown", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "As JSON", NULL },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &options.csv, "As CSV", NULL },
    { "color", 0, 0, G_OPTION_ARG_STRING, &options.color, "auto, always or never", "WHEN" },
    { NULL },
  };
  gboolean is_done;
  int status = sw_tool_parse (&sw_tool_diff_command, entries, details, &argc, &argv, &is_done);

  if (!is_done)
    {
      status = SW_TOOL_USAGE;
      if (argc != 3)
        sw_tool_complain ("diff: two files are needed, not %d; see sw-profiler diff --help", argc - 1);
      else if (!understand (&options, &error))
        sw_tool_complain ("diff: %s", error->message);
      else
        status = compare (&options, argv + 1);
    }
  clear_options (&options);
  return status;
}

const SwToolCommand sw_tool_diff_command = { "diff", "BASE NEW", "What became slower or faster, with a test of whether it is chance", run };
