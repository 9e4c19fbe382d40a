/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-flame-private.h"

#include "sw-profiler/tool/sw-tool-output-private.h"
#include "sw-profiler/tool/sw-tool-text-private.h"
#include "sw/base/sw-error.h"

typedef struct
{
  SwToolSelection selection;
  char *output;
  char *title;
  char *min_duration;
  gboolean per_thread;
  /* What they mean. */
  gboolean is_svg;
  gint64 min_ns;
} Options;

static const char details[] =
    "The page needs nothing but a browser: it has a flame graph, in which a path of names is as wide as the time it took, and a timeline of all\n"
    "threads and GPU queues. Both can be searched and zoomed into. A picture has the flame graph alone.\n"
    "\n"
    "Of large traces, what takes the least time is left out, and the page says how much.\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read or written, 2 wrong options, 3 done, but the file is cut short or broken.";

const char *
sw_flame_get_part (const char *name)
{
  g_autofree char *path = g_strconcat ("/org/strideweave/tool/page/", name, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  /* It lies in the program, which outlives the bytes, and ends with a NUL. */
  return bytes != NULL ? g_bytes_get_data (bytes, NULL) : "";
}

static guint64
count_shown (const SwCallTree *tree,
             gint64 limit,
             guint64 *n_hidden)
{
  guint32 node = SW_CALL_TREE_ROOT;
  guint64 n_shown = 0;

  *n_hidden = 0;
  while (node != SW_CALL_TREE_NONE)
    {
      gboolean is_hidden = node != SW_CALL_TREE_ROOT && sw_call_tree_get_node (tree, node)->total_ns < limit;

      if (is_hidden)
        ++*n_hidden;
      else
        n_shown++;
      node = sw_call_tree_next (tree, node, is_hidden);
    }
  return n_shown;
}

gint64
sw_flame_find_limit (const SwCallTree *tree,
                     guint max_nodes,
                     gint64 at_least,
                     guint64 *n_hidden)
{
  gint64 limit = at_least;

  while (count_shown (tree, limit, n_hidden) > max_nodes && limit < G_MAXINT64 / 2)
    limit = MAX (limit, 1) * 2;
  return limit;
}

void
sw_flame_note_hidden (SwFlame *self,
                      guint64 n_hidden,
                      gint64 limit_ns)
{
  g_autofree char *limit = sw_tool_format_ns ((double) limit_ns);

  if (n_hidden > 0)
    g_ptr_array_add (self->notes, g_strdup_printf ("The flame graph leaves out %" G_GUINT64_FORMAT " paths, with what is inside of them, that take less than %s.", n_hidden, limit));
}

static gboolean
understand (Options *self,
            GError **error)
{
  gboolean is_absolute = FALSE;
  g_autofree char *lower = self->output != NULL ? g_ascii_strdown (self->output, -1) : NULL;

  if (lower == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--output is missing: FILE.html, FILE.svg, or - for a page on the standard output");
      return FALSE;
    }
  self->is_svg = g_str_has_suffix (lower, ".svg");
  if (!self->is_svg && !g_str_has_suffix (lower, ".html") && !g_str_has_suffix (lower, ".htm") && !g_str_equal (lower, "-"))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--output is %s, which ends neither in .html nor in .svg", self->output);
      return FALSE;
    }
  if (self->min_duration != NULL && !sw_tool_parse_time ("--min-duration", self->min_duration, &self->min_ns, &is_absolute, error))
    return FALSE;
  if (is_absolute)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--min-duration is %s, which is a time, not a duration", self->min_duration);
      return FALSE;
    }
  return sw_tool_selection_check (&self->selection, error);
}

static gboolean
write_flame (const Options *self,
             SwFlame *flame,
             GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  SwTraceSink *sink;

  if (self->is_svg)
    sw_flame_put_svg (flame, self->min_ns, text);
  else if (!sw_flame_put_page (flame, self->min_ns, text, error))
    return FALSE;
  sink = sw_tool_output_open (self->output, error);
  if (sink == NULL)
    return FALSE;
  sw_trace_sink_put (sink, text->str, text->len);
  sw_trace_sink_end_record (sink);
  return sw_trace_sink_close (sink, error);
}

static gboolean
make_flame (const Options *self,
            SwToolTrace *trace,
            GError **error)
{
  SwSliceFilter filter;
  g_autoptr (SwCallTree) tree = NULL;
  g_autoptr (GPtrArray) notes = sw_tool_trace_dup_notes (trace);
  g_autofree char *title = g_str_equal (trace->path, "-") ? g_strdup ("standard input") : g_path_get_basename (trace->path);
  SwFlame flame = { .trace = trace, .filter = &filter, .title = self->title != NULL ? self->title : title, .notes = notes };
  gboolean done = FALSE;

  sw_tool_trace_note_moments (trace->analysis, notes);
  sw_tool_selection_apply (&self->selection, trace, &filter);
  tree = sw_call_tree_new (trace->analysis, &filter, self->per_thread ? SW_CALL_GROUP_TRACK : SW_CALL_GROUP_KIND, error);
  if (tree != NULL)
    {
      sw_call_tree_sort (tree);
      flame.tree = tree;
      done = write_flame (self, &flame, error);
    }
  sw_slice_filter_clear (&filter);
  return done;
}

static int
show_flame (const Options *self,
            const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwToolTrace) trace = sw_tool_trace_load (path, &error);

  if (trace == NULL || !make_flame (self, trace, &error))
    {
      sw_tool_complain ("%s: %s", path, error->message);
      return SW_TOOL_FAILED;
    }
  return sw_tool_trace_is_broken (trace) ? SW_TOOL_TRUNCATED : SW_TOOL_OK;
}

static int
run (int argc,
     char **argv)
{
  Options options = { 0 };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "A page, FILE.html, or a picture, FILE.svg", "FILE" },
    { "title", 0, 0, G_OPTION_ARG_FILENAME, &options.title, "What stands above it; otherwise the name of the file", "TEXT" },
    { "per-thread", 0, 0, G_OPTION_ARG_NONE, &options.per_thread, "A flame graph for each thread and GPU queue, side by side", NULL },
    { "min-duration", 0, 0, G_OPTION_ARG_STRING, &options.min_duration, "Only paths that take this long in all, like 1ms", "TIME" },
    SW_TOOL_TIME_ENTRIES (options.selection),
    { NULL },
  };
  gboolean is_done;
  int status = sw_tool_parse (&sw_tool_flame_command, entries, details, &argc, &argv, &is_done);

  if (!is_done)
    {
      status = SW_TOOL_USAGE;
      if (argc != 2)
        sw_tool_complain ("flame: one file is needed, not %d; see sw-profiler flame --help", argc - 1);
      else if (!understand (&options, &error))
        sw_tool_complain ("flame: %s", error->message);
      else
        status = show_flame (&options, argv[1]);
    }
  sw_tool_selection_clear (&options.selection);
  g_free (options.output);
  g_free (options.title);
  g_free (options.min_duration);
  return status;
}

const SwToolCommand sw_tool_flame_command = { "flame", "FILE --output FILE.html|FILE.svg", "A flame graph and a timeline of a trace, as a page for a browser", run };
