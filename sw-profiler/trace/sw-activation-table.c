/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-table-private.h"

#include "sw-profiler/export/sw-csv-private.h"
#include "sw-profiler/operation/sw-text-private.h"

void
sw_activation_table_init (SwActivationTable *self,
                          const char *const *titles,
                          guint n_columns,
                          guint n_texts)
{
  self->titles = titles;
  self->n_columns = n_columns;
  self->n_texts = n_texts;
  self->cells = g_ptr_array_new_with_free_func (g_free);
}

void
sw_activation_table_clear (SwActivationTable *self)
{
  g_clear_pointer (&self->cells, g_ptr_array_unref);
}

void
sw_activation_table_add_text (SwActivationTable *self,
                              const char *text)
{
  g_ptr_array_add (self->cells, g_strdup (text));
}

void
sw_activation_table_add_number (SwActivationTable *self,
                                guint64 number)
{
  g_ptr_array_add (self->cells, g_strdup_printf ("%" G_GUINT64_FORMAT, number));
}

static void
append_cell (const SwActivationTable *self,
             GString *text,
             guint column,
             const char *cell,
             glong width)
{
  gboolean is_last = column + 1 == self->n_columns;
  int padding = (int) (width - g_utf8_strlen (cell, -1));

  if (column >= self->n_texts)
    g_string_append_printf (text, "%*s%s", padding, "", cell);
  else if (is_last)
    g_string_append (text, cell);
  else
    g_string_append_printf (text, "%s%*s", cell, padding, "");
  g_string_append (text, is_last ? "\n" : "  ");
}

static void
append_rule (const SwActivationTable *self,
             GString *text,
             const glong *widths)
{
  for (guint c = 0; c < self->n_columns; c++)
    {
      for (glong i = 0; i < widths[c]; i++)
        g_string_append_c (text, '-');
      g_string_append (text, c + 1 == self->n_columns ? "\n" : "  ");
    }
}

static GPtrArray *
make_shown_cells (const SwActivationTable *self)
{
  GPtrArray *cells = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->cells->len; i++)
    {
      GString *shown = g_string_new (NULL);

      sw_text_append_display (shown, g_ptr_array_index (self->cells, i));
      g_ptr_array_add (cells, g_string_free (shown, FALSE));
    }
  return cells;
}

void
sw_activation_table_append_to (const SwActivationTable *self,
                               GString *text)
{
  g_autoptr (GPtrArray) cells = make_shown_cells (self);
  g_autofree glong *widths = g_new (glong, self->n_columns);

  for (guint c = 0; c < self->n_columns; c++)
    widths[c] = g_utf8_strlen (self->titles[c], -1);
  for (guint i = 0; i < cells->len; i++)
    widths[i % self->n_columns] = MAX (widths[i % self->n_columns], g_utf8_strlen (g_ptr_array_index (cells, i), -1));
  for (guint c = 0; c < self->n_columns; c++)
    append_cell (self, text, c, self->titles[c], widths[c]);
  append_rule (self, text, widths);
  for (guint i = 0; i < cells->len; i++)
    append_cell (self, text, i % self->n_columns, g_ptr_array_index (cells, i), widths[i % self->n_columns]);
}

void
sw_activation_table_append_csv (const SwActivationTable *self,
                                GString *text)
{
  for (guint c = 0; c < self->n_columns; c++)
    g_string_append_printf (text, "%s%s", c > 0 ? "," : "", self->titles[c]);
  for (guint i = 0; i < self->cells->len; i++)
    {
      g_string_append (text, i % self->n_columns == 0 ? "\r\n" : ",");
      sw_csv_append_text (text, g_ptr_array_index (self->cells, i));
    }
  g_string_append (text, "\r\n");
}

void
sw_activation_table_append_json (const SwActivationTable *self,
                                 GString *text)
{
  g_string_append_c (text, '[');
  for (guint i = 0; i < self->cells->len; i++)
    {
      guint column = i % self->n_columns;
      const char *cell = g_ptr_array_index (self->cells, i);

      g_string_append (text, i == 0 ? "\n{" : column == 0 ? "},\n{"
                                                          : ",");
      g_string_append_printf (text, "\"%s\":", self->titles[column]);
      if (column < self->n_texts)
        sw_text_append_json (text, cell);
      else
        g_string_append (text, cell);
    }
  g_string_append (text, self->cells->len > 0 ? "}\n]" : "]");
}
