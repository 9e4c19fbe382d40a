/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw-profiler/tool/sw-tool-text-private.h"

#define GAP 2
/* Names have at least that much, however narrow the terminal is, and that much where there is none. */
#define MIN_TEXT 20
#define USUAL_TEXT 72

typedef struct
{
  const char *title;
  gboolean is_text;
  int width;
} Column;

struct _SwToolTable
{
  GArray *columns; /* of Column */
  GPtrArray *cells;
};

SwToolTable *
sw_tool_table_new (void)
{
  SwToolTable *self = g_new0 (SwToolTable, 1);

  self->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  self->cells = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
sw_tool_table_free (SwToolTable *self)
{
  g_array_unref (self->columns);
  g_ptr_array_unref (self->cells);
  g_free (self);
}

static void
add_column (SwToolTable *self,
            const char *title,
            gboolean is_text)
{
  Column column = { title, is_text, 0 };

  g_array_append_val (self->columns, column);
}

void
sw_tool_table_add_text_column (SwToolTable *self,
                               const char *title)
{
  add_column (self, title, TRUE);
}

void
sw_tool_table_add_number_column (SwToolTable *self,
                                 const char *title)
{
  add_column (self, title, FALSE);
}

void
sw_tool_table_add (SwToolTable *self,
                   const char *text)
{
  g_ptr_array_add (self->cells, g_strdup (text));
}

void
sw_tool_table_take (SwToolTable *self,
                    char *text)
{
  g_ptr_array_add (self->cells, text);
}

static inline Column *
get_column (SwToolTable *self,
            guint i)
{
  return &g_array_index (self->columns, Column, i);
}

/* Makes all cells valid text of one line, of at most @max columns where they are texts. */
static void
prepare_cells (SwToolTable *self,
               int max)
{
  for (guint i = 0; i < self->cells->len; i++)
    {
      Column *column = get_column (self, i % self->columns->len);
      char *cell = g_ptr_array_index (self->cells, i);

      if (column->is_text)
        {
          self->cells->pdata[i] = sw_tool_text_display (cell, max);
          g_free (cell);
        }
      column->width = MAX (column->width, sw_tool_text_width (g_ptr_array_index (self->cells, i)));
    }
}

/* What the numbers leave of the line, for each text. */
static int
find_text_width (SwToolTable *self,
                 int width)
{
  int n_texts = 0, taken = 0;

  if (width == 0)
    return USUAL_TEXT;
  for (guint c = 0; c < self->columns->len; c++)
    {
      Column *column = get_column (self, c);
      int needed = sw_tool_text_width (column->title);

      taken += c > 0 ? GAP : 0;
      n_texts += column->is_text;
      if (column->is_text)
        continue;
      for (guint i = c; i < self->cells->len; i += self->columns->len)
        needed = MAX (needed, sw_tool_text_width (g_ptr_array_index (self->cells, i)));
      taken += needed;
    }
  return MAX (MIN_TEXT, (width - taken) / MAX (n_texts, 1));
}

static void
print_cell (SwToolTable *self,
            guint c,
            const char *text)
{
  const Column *column = get_column (self, c);
  int padding = column->width - sw_tool_text_width (text);
  gboolean is_last = c + 1 == self->columns->len;

  if (column->is_text)
    printf ("%s%*s", text, is_last ? 0 : padding, "");
  else
    printf ("%*s%s", padding, "", text);
  fputs (is_last ? "" : "  ", stdout);
}

void
sw_tool_table_print (SwToolTable *self,
                     const SwToolStyle *style)
{
  for (guint c = 0; c < self->columns->len; c++)
    get_column (self, c)->width = sw_tool_text_width (get_column (self, c)->title);
  prepare_cells (self, find_text_width (self, style->width));
  fputs (style->has_colors ? "\033[2m" : "", stdout);
  for (guint c = 0; c < self->columns->len; c++)
    print_cell (self, c, get_column (self, c)->title);
  puts (style->has_colors ? "\033[0m" : "");
  for (guint i = 0; i < self->cells->len; i++)
    {
      print_cell (self, i % self->columns->len, g_ptr_array_index (self->cells, i));
      if (i % self->columns->len + 1 == self->columns->len)
        putchar ('\n');
    }
}

/* Between code marks, which nothing in a name can end. */
static void
print_markdown_text (const char *text)
{
  g_autofree char *shown = sw_tool_text_display (text, USUAL_TEXT);
  g_autoptr (GString) safe = g_string_new (shown);

  g_string_replace (safe, "|", "\\|", 0);
  if (*shown == '\0')
    return;
  printf (strchr (shown, '`') != NULL ? "`` %s ``" : "`%s`", safe->str);
}

void
sw_tool_table_print_markdown (SwToolTable *self)
{
  for (guint c = 0; c < self->columns->len; c++)
    printf ("| %s ", get_column (self, c)->title);
  puts ("|");
  for (guint c = 0; c < self->columns->len; c++)
    fputs (get_column (self, c)->is_text ? "| --- " : "| ---: ", stdout);
  puts ("|");
  for (guint i = 0; i < self->cells->len; i++)
    {
      fputs ("| ", stdout);
      if (get_column (self, i % self->columns->len)->is_text)
        print_markdown_text (g_ptr_array_index (self->cells, i));
      else
        fputs (g_ptr_array_index (self->cells, i), stdout);
      fputs (i % self->columns->len + 1 == self->columns->len ? " |\n" : " ", stdout);
    }
}
