/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>

#include "sw-profiler/analysis/sw-call-tree-private.h"
#include "sw-profiler/tool/sw-tool-json-private.h"
#include "sw-profiler/tool/sw-tool-text-private.h"
#include "sw-profiler/tool/sw-tool-trace-private.h"
#include "sw/base/sw-error.h"

/* A deeper nesting is shown no further to the right. */
#define MAX_INDENT 100
#define MIN_NAME 20
#define NUMBERS "%12s  %12s  %8s  %12s  "
#define NUMBERS_WIDTH (12 + 2 + 12 + 2 + 8 + 2 + 12 + 2)

typedef struct
{
  SwToolSelection selection;
  int depth; /* -1: any */
  char *min_share;
  gboolean per_thread;
  gboolean json;
  char *color;
  /* What they mean. */
  double least_part;
  SwToolStyle style;
} Options;

static const char details[] =
    "A row for each path of names, from an outermost slice down: its total is its self time and the totals of the rows inside of it. Shares\n"
    "are of the whole time of a group: of all threads, all GPU queues, all that is asynchronous; with --per-thread of each track.\n"
    "\n"
    "Exit status: 0 done, 1 the file could not be read, 2 wrong options, 3 done, but the file is cut short or broken.";

/* Parts of 100, with or without the sign. */
static gboolean
parse_percent (const char *option,
               const char *text,
               double *part,
               GError **error)
{
  char *end;
  double value;

  if (text == NULL)
    return TRUE;
  value = g_ascii_strtod (text, &end);
  if (end == text || (*end != '\0' && !g_str_equal (end, "%")) || !(value >= 0 && value <= 100))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %s, which is no part of 100 %%", option, text);
      return FALSE;
    }
  *part = value / 100;
  return TRUE;
}

static gboolean
understand (Options *self,
            GError **error)
{
  if (self->depth < -1)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--depth is %d, which is negative", self->depth);
      return FALSE;
    }
  return parse_percent ("--min-share", self->min_share, &self->least_part, error) &&
         sw_tool_style_init (&self->style, self->color, error) && sw_tool_selection_check (&self->selection, error);
}

/* Of its group. */
static double
get_part (const SwCallNode *node,
          gint64 whole_ns)
{
  return whole_ns > 0 ? (double) node->total_ns / (double) whole_ns : 0;
}

typedef void (*ShowNode) (const Options *options,
                          SwCallTree *tree,
                          guint32 node,
                          double part,
                          gpointer data);

/* How many rows are left out, of those whose parents are there. */
static guint64
show_nodes (const Options *self,
            SwCallTree *tree,
            ShowNode show,
            gpointer data)
{
  guint32 node = sw_call_tree_next (tree, SW_CALL_TREE_ROOT, FALSE);
  guint64 n_hidden = 0;
  gint64 whole_ns = 0;

  while (node != SW_CALL_TREE_NONE)
    {
      const SwCallNode *at = sw_call_tree_get_node (tree, node);
      gboolean is_hidden;

      if (at->depth == 1)
        whole_ns = at->total_ns;
      is_hidden = at->depth > 1 && ((self->depth >= 0 && at->depth > (guint) self->depth + 1) || get_part (at, whole_ns) < self->least_part);
      if (is_hidden)
        n_hidden++;
      else
        show (self, tree, node, get_part (at, whole_ns), data);
      node = sw_call_tree_next (tree, node, is_hidden);
    }
  return n_hidden;
}

static void
print_node (const Options *self,
            SwCallTree *tree,
            guint32 node,
            double part,
            gpointer data)
{
  const SwCallNode *at = sw_call_tree_get_node (tree, node);
  int indent = MIN (2 * ((int) MIN (at->depth, MAX_INDENT) - 1), MAX_INDENT);
  int room = self->style.width > 0 ? MAX (self->style.width - NUMBERS_WIDTH - indent, MIN_NAME) : 0;
  g_autofree char *total = sw_tool_format_ns ((double) at->total_ns);
  g_autofree char *own = sw_tool_format_ns ((double) at->self_ns);
  g_autofree char *share = sw_tool_format_percent (part, 1);
  g_autofree char *calls = sw_tool_format_count (at->calls);
  g_autofree char *name = sw_tool_text_display (sw_call_tree_get_text (tree, node), room);
  gboolean is_bold = self->style.has_colors && at->depth == 1;

  /* printf () counts bytes: µ has two. */
  printf ("%*s%s  %*s%s  %8s  %12s  ", 12 - sw_tool_text_width (total), "", total, 12 - sw_tool_text_width (own), "", own, share, calls);
  printf ("%*s%s%s%s\n", indent, "", is_bold ? "\033[1m" : "", name, is_bold ? "\033[0m" : "");
}

static gboolean
is_empty (SwCallTree *tree)
{
  return sw_call_tree_next (tree, SW_CALL_TREE_ROOT, FALSE) == SW_CALL_TREE_NONE;
}

/* Also why there is nothing, where that is so. */
static GPtrArray *
dup_notes (const SwToolTrace *trace,
           SwCallTree *tree)
{
  GPtrArray *notes = sw_tool_trace_dup_notes (trace);

  sw_tool_trace_note_moments (trace->analysis, notes);
  if (is_empty (tree))
    g_ptr_array_add (notes, g_strdup (trace->analysis->n_slices == 0 ? "no event of the file lasts any time: there are no slices"
                                                                     : "the options leave no slice"));
  return notes;
}

static void
print_tree (const Options *self,
            const SwToolTrace *trace,
            SwCallTree *tree)
{
  g_autoptr (GPtrArray) notes = dup_notes (trace, tree);
  g_autofree char *path = sw_tool_text_display (trace->path, 0);
  guint64 n_hidden;

  sw_tool_print_heading (&self->style, "%s", path);
  for (guint i = 0; i < notes->len; i++)
    printf ("Note: %s\n", (const char *) g_ptr_array_index (notes, i));
  if (is_empty (tree))
    return;
  printf (NUMBERS "%s\n", "Total", "Self", "Share", "Calls", "Name");
  n_hidden = show_nodes (self, tree, print_node, NULL);
  if (n_hidden > 0)
    printf ("and %" G_GUINT64_FORMAT " more, with what is inside of them; --depth and --min-share say how much is shown\n", n_hidden);
}

static void
put_node (const Options *self,
          SwCallTree *tree,
          guint32 node,
          double part,
          gpointer data)
{
  const SwCallNode *at = sw_call_tree_get_node (tree, node);
  SwToolJson *json = data;

  sw_tool_json_begin (json, NULL, '{');
  sw_tool_json_uint64 (json, "id", node);
  sw_tool_json_uint64 (json, "parent", at->parent);
  sw_tool_json_uint64 (json, "depth", at->depth);
  sw_tool_json_string (json, "name", sw_call_tree_get_text (tree, node));
  sw_tool_json_uint64 (json, "calls", at->calls);
  sw_tool_json_int64 (json, "total_ns", at->total_ns);
  sw_tool_json_int64 (json, "self_ns", at->self_ns);
  sw_tool_json_double (json, "share", part);
  sw_tool_json_end (json, '}');
}

/* A list: no reader needs to nest as deep as a program did. */
static void
put_tree (const Options *self,
          const SwToolTrace *trace,
          SwCallTree *tree)
{
  g_autoptr (GPtrArray) notes = dup_notes (trace, tree);
  SwToolJson json;
  guint64 n_hidden;

  sw_tool_json_init (&json);
  sw_tool_json_begin (&json, NULL, '{');
  sw_tool_json_string (&json, "file", trace->path);
  sw_tool_json_begin (&json, "notes", '[');
  for (guint i = 0; i < notes->len; i++)
    sw_tool_json_string (&json, NULL, g_ptr_array_index (notes, i));
  sw_tool_json_end (&json, ']');
  sw_tool_json_begin (&json, "nodes", '[');
  n_hidden = show_nodes (self, tree, put_node, &json);
  sw_tool_json_end (&json, ']');
  sw_tool_json_uint64 (&json, "hidden", n_hidden);
  sw_tool_json_end (&json, '}');
  sw_tool_json_print (&json);
}

static int
show_tree (const Options *self,
           const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwToolTrace) trace = sw_tool_trace_load (path, &error);
  g_autoptr (SwCallTree) tree = NULL;
  SwSliceFilter filter;

  if (trace != NULL)
    {
      sw_tool_selection_apply (&self->selection, trace, &filter);
      tree = sw_call_tree_new (trace->analysis, &filter, self->per_thread ? SW_CALL_GROUP_TRACK : SW_CALL_GROUP_KIND, &error);
      sw_slice_filter_clear (&filter);
    }
  if (tree == NULL)
    {
      sw_tool_complain ("%s: %s", path, error->message);
      return SW_TOOL_FAILED;
    }
  sw_call_tree_sort (tree);
  if (self->json)
    put_tree (self, trace, tree);
  else
    print_tree (self, trace, tree);
  return sw_tool_trace_is_broken (trace) ? SW_TOOL_TRUNCATED : SW_TOOL_OK;
}

static int
run (int argc,
     char **argv)
{
  Options options = { .depth = -1 };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "depth", 'd', 0, G_OPTION_ARG_INT, &options.depth, "So many names of a path", "N" },
    { "min-share", 0, 0, G_OPTION_ARG_STRING, &options.min_share, "Only paths that take this part of the whole, like 1%", "PERCENT" },
    { "per-thread", 0, 0, G_OPTION_ARG_NONE, &options.per_thread, "A tree for each thread and GPU queue", NULL },
    SW_TOOL_TIME_ENTRIES (options.selection),
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "As JSON", NULL },
    { "color", 0, 0, G_OPTION_ARG_STRING, &options.color, "auto, always or never", "WHEN" },
    { NULL },
  };
  gboolean is_done;
  int status = sw_tool_parse (&sw_tool_tree_command, entries, details, &argc, &argv, &is_done);

  if (!is_done)
    {
      status = SW_TOOL_USAGE;
      if (argc != 2)
        sw_tool_complain ("tree: one file is needed, not %d; see sw-profiler tree --help", argc - 1);
      else if (!understand (&options, &error))
        sw_tool_complain ("tree: %s", error->message);
      else
        status = show_tree (&options, argv[1]);
    }
  sw_tool_selection_clear (&options.selection);
  g_free (options.min_share);
  g_free (options.color);
  return status;
}

const SwToolCommand sw_tool_tree_command = { "tree", "FILE", "What took the time in a trace, by path", run };
