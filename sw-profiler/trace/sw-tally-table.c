/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-tally-table-private.h"

#include "sw-profiler/operation/sw-text-private.h"

/* By thread, as they came. */
static int
compare_rows (gconstpointer a,
              gconstpointer b,
              gpointer data)
{
  const SwTallyTable *self = data;
  const SwTallyRow *x = *(const SwTallyRow *const *) a;
  const SwTallyRow *y = *(const SwTallyRow *const *) b;

  if (x->lane != y->lane)
    return sw_lane_get_id (x->lane) < sw_lane_get_id (y->lane) ? -1 : 1;
  return self->compare (x, y);
}

static GPtrArray *
sort_rows (const SwTallyTable *self,
           GHashTable *rows)
{
  GPtrArray *sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer row;

  g_hash_table_iter_init (&iter, rows);
  while (g_hash_table_iter_next (&iter, &row, NULL))
    g_ptr_array_add (sorted, row);
  g_ptr_array_sort_with_data (sorted, compare_rows, (gpointer) self);
  return sorted;
}

static void
append_thread (GString *text,
               SwLane *lane)
{
  g_autofree char *name = sw_lane_dup_name (lane);

  g_string_append (text, "Thread ");
  sw_text_append_display (text, name);
  g_string_append_printf (text, " (%" G_GUINT64_FORMAT ")\n", sw_lane_get_thread_id (lane));
}

/* The rows of one thread. Returns where the next one's begin. */
static guint
append_table (const SwTallyTable *self,
              GPtrArray *rows,
              guint first,
              gint64 row_limit,
              GString *text)
{
  SwLane *lane = ((const SwTallyRow *) g_ptr_array_index (rows, first))->lane;
  SwActivationTable table;
  guint i = first;

  sw_activation_table_init (&table, self->titles, self->n_columns, self->n_texts);
  for (; i < rows->len && ((const SwTallyRow *) g_ptr_array_index (rows, i))->lane == lane; i++)
    if (row_limit < 0 || i - first < (guint64) row_limit)
      self->add (&table, g_ptr_array_index (rows, i));
  if (lane != NULL)
    append_thread (text, lane);
  sw_activation_table_append_to (&table, text);
  sw_activation_table_clear (&table);
  return i;
}

/* Of all rows, or of those of one thread. */
static void
init_filled (SwActivationTable *table,
             const SwTallyTable *self,
             GHashTable *rows,
             const SwLane *lane)
{
  g_autoptr (GPtrArray) sorted = sort_rows (self, rows);

  sw_activation_table_init (table, self->titles, self->n_columns, self->n_texts);
  for (guint i = 0; i < sorted->len; i++)
    {
      const SwTallyRow *row = g_ptr_array_index (sorted, i);

      if (lane == NULL || row->lane == lane)
        self->add (table, row);
    }
}

void
sw_tally_table_append_csv (const SwTallyTable *self,
                           GHashTable *rows,
                           GString *text)
{
  SwActivationTable table;

  if (g_hash_table_size (rows) == 0)
    return;
  init_filled (&table, self, rows, NULL);
  sw_activation_table_append_csv (&table, text);
  sw_activation_table_clear (&table);
}

void
sw_tally_table_append_json (const SwTallyTable *self,
                            GHashTable *rows,
                            const SwLane *lane,
                            GString *text)
{
  SwActivationTable table;

  init_filled (&table, self, rows, lane);
  sw_activation_table_append_json (&table, text);
  sw_activation_table_clear (&table);
}

void
sw_tally_table_find_lanes (GHashTable *rows,
                           GHashTable *lanes)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, rows);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      SwLane *lane = ((const SwTallyRow *) key)->lane;

      if (lane != NULL && !g_hash_table_contains (lanes, lane))
        g_hash_table_add (lanes, sw_lane_ref (lane));
    }
}

void
sw_tally_table_append (const SwTallyTable *self,
                       GHashTable *rows,
                       gint64 row_limit,
                       GString *text)
{
  g_autoptr (GPtrArray) sorted = sort_rows (self, rows);
  guint i = 0;

  while (i < sorted->len)
    {
      if (i > 0)
        g_string_append_c (text, '\n');
      i = append_table (self, sorted, i, row_limit, text);
    }
}
