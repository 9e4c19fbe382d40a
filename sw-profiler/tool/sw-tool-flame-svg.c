/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-flame-private.h"

#include <string.h>

#include "sw-profiler/tool/sw-tool-text-private.h"

/* In units of the picture, which a viewer may scale. */
#define WIDTH 1200
#define ROW 18
#define TOP 58
#define BOTTOM 30
/* What is narrower is not drawn. */
#define MIN_WIDTH 0.1
#define LETTER_WIDTH 6.6
#define LONGEST_TEXT 512

static void
put_escaped (GString *svg,
             const char *text,
             int max)
{
  g_autofree char *shown = sw_tool_text_display (text, max);
  g_autofree char *escaped = g_markup_escape_text (shown, -1);

  g_string_append (svg, escaped);
}

static void
put_real (GString *svg,
          const char *attribute,
          double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (svg, " %s=\"%s\"", attribute, g_ascii_formatd (digits, sizeof digits, "%.3f", value));
}

static void
put_color (GString *svg,
           const char *name)
{
  guint hash = g_str_hash (name);

  g_string_append_printf (svg, " fill=\"hsl(%u,70%%,%u%%)\"", 8 + hash % 48, 66 + hash / 64 % 14);
}

static void
put_title (SwFlame *self,
           GString *svg,
           const SwCallNode *node,
           const char *name)
{
  gint64 whole_ns = sw_call_tree_get_node (self->tree, SW_CALL_TREE_ROOT)->total_ns;
  g_autofree char *total = sw_tool_format_ns ((double) node->total_ns);
  g_autofree char *own = sw_tool_format_ns ((double) node->self_ns);
  g_autofree char *share = sw_tool_format_percent ((double) node->total_ns, (double) whole_ns);
  g_autofree char *calls = sw_tool_format_count (node->calls);

  g_string_append (svg, "<title>");
  put_escaped (svg, name, LONGEST_TEXT);
  g_string_append_printf (svg, "\ntotal %s (%s), self %s, %s calls</title>", total, share, own, calls);
}

static void
put_node (SwFlame *self,
          GString *svg,
          guint32 node,
          double x,
          double width)
{
  const SwCallNode *at = sw_call_tree_get_node (self->tree, node);
  const char *name = node == SW_CALL_TREE_ROOT ? "all" : sw_call_tree_get_text (self->tree, node);
  int letters = (int) ((width - 6) / LETTER_WIDTH);
  double y = TOP + (double) at->depth * ROW;

  g_string_append (svg, "<g class=\"node\" tabindex=\"-1\">");
  put_title (self, svg, at, name);
  g_string_append (svg, "<rect");
  put_real (svg, "x", x);
  put_real (svg, "y", y);
  put_real (svg, "width", width);
  g_string_append_printf (svg, " height=\"%d\"", ROW - 1);
  put_color (svg, name);
  g_string_append (svg, "/><text");
  put_real (svg, "x", x + 3);
  put_real (svg, "y", y + ROW - 5);
  g_string_append (svg, ">");
  if (letters >= 3)
    put_escaped (svg, name, letters);
  g_string_append (svg, "</text></g>\n");
}

/* Siblings stand side by side, above what is inside of them. */
static void
put_nodes (SwFlame *self,
           GString *svg,
           gint64 limit)
{
  gint64 whole_ns = sw_call_tree_get_node (self->tree, SW_CALL_TREE_ROOT)->total_ns;
  g_autoptr (GArray) filled = g_array_new (FALSE, TRUE, sizeof (gint64)); /* by depth: where the next node begins */
  guint32 node = SW_CALL_TREE_ROOT;

  while (node != SW_CALL_TREE_NONE)
    {
      const SwCallNode *at = sw_call_tree_get_node (self->tree, node);
      gboolean is_hidden = at->total_ns < limit;
      gint64 *start;

      if (filled->len < at->depth + 2)
        g_array_set_size (filled, at->depth + 2);
      start = &g_array_index (filled, gint64, at->depth);
      start[1] = start[0];
      if (!is_hidden)
        put_node (self, svg, node, (double) start[0] / (double) whole_ns * WIDTH, (double) at->total_ns / (double) whole_ns * WIDTH);
      *start += at->total_ns;
      node = sw_call_tree_next (self->tree, node, is_hidden);
    }
}

static guint
get_deepest (SwFlame *self,
             gint64 limit)
{
  guint32 node = SW_CALL_TREE_ROOT;
  guint deepest = 0;

  while (node != SW_CALL_TREE_NONE)
    {
      const SwCallNode *at = sw_call_tree_get_node (self->tree, node);

      if (at->total_ns >= limit)
        deepest = MAX (deepest, at->depth);
      node = sw_call_tree_next (self->tree, node, at->total_ns < limit);
    }
  return deepest;
}

static void
put_picture (SwFlame *self,
             GString *svg,
             gint64 limit)
{
  gint64 whole_ns = sw_call_tree_get_node (self->tree, SW_CALL_TREE_ROOT)->total_ns;

  if (whole_ns > 0)
    put_nodes (self, svg, limit);
  else
    g_string_append (svg, "<text x=\"12\" y=\"80\">No slice takes any time.</text>\n");
}

static void
put_notes (SwFlame *self,
           GString *svg)
{
  for (guint i = 0; i < self->notes->len; i++)
    {
      g_string_append (svg, i == 0 ? "" : " ");
      put_escaped (svg, g_ptr_array_index (self->notes, i), 0);
    }
}

void
sw_flame_put_svg (SwFlame *self,
                  gint64 min_ns,
                  GString *svg)
{
  gint64 whole_ns = sw_call_tree_get_node (self->tree, SW_CALL_TREE_ROOT)->total_ns;
  guint64 n_hidden;
  gint64 limit = sw_flame_find_limit (self->tree, SW_FLAME_MAX_NODES, MAX (min_ns, (gint64) (MIN_WIDTH / WIDTH * (double) whole_ns)), &n_hidden);
  int height = TOP + BOTTOM + (int) (get_deepest (self, limit) + 1) * ROW;
  g_auto (GStrv) parts = g_strsplit (sw_flame_get_part ("flame.svg"), "@", -1);

  sw_flame_note_hidden (self, n_hidden, limit);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      if (i % 2 == 0)
        g_string_append (svg, parts[i]);
      else if (g_str_equal (parts[i], "TITLE"))
        put_escaped (svg, self->title, 100);
      else if (g_str_equal (parts[i], "HEIGHT"))
        g_string_append_printf (svg, "%d", height);
      else if (g_str_equal (parts[i], "SCRIPT"))
        g_string_append (svg, sw_flame_get_part ("flame-svg.js"));
      else if (g_str_equal (parts[i], "NOTES"))
        put_notes (self, svg);
      else
        put_picture (self, svg, limit);
    }
}
