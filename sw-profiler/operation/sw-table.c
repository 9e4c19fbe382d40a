/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw-profiler/operation/sw-profiler-aggregate.h"
#include "sw-profiler/operation/sw-text-private.h"

/* Those that each table shows, and then the statistics that it shows when they are asked for. */
typedef enum
{
  COLUMN_NAME,
  COLUMN_CARRIER_TYPE,
  COLUMN_INPUT_SHAPES,
  COLUMN_COUNT,
  COLUMN_TOTAL,
  COLUMN_SELF_TOTAL,
  COLUMN_MEAN,
  COLUMN_MIN,
  COLUMN_MAX,
  N_USUAL_COLUMNS,
  COLUMN_P50 = N_USUAL_COLUMNS,
  COLUMN_P90,
  COLUMN_P99,
  COLUMN_STDDEV,
  COLUMN_TOTAL_PERCENT,
  COLUMN_SELF_TOTAL_PERCENT,
  N_COLUMNS
} ColumnId;

typedef struct
{
  const char *field; /* of an aggregate; what sort_by names */
  const char *title;
  gint64 (*get_integer) (SwProfilerAggregate *aggregate);
  double (*get_double) (SwProfilerAggregate *aggregate);
  const char *format; /* of doubles */
  glong max_width;    /* of what is shown; 0: any */
} Column;

static const Column columns[N_COLUMNS] = {
  [COLUMN_NAME] = { "name", "Name", .max_width = 60 },
  [COLUMN_CARRIER_TYPE] = { "carrier_type", "Carrier" },
  [COLUMN_INPUT_SHAPES] = { "input_shapes", "Input shapes", .max_width = 120 },
  [COLUMN_COUNT] = { "count", "Calls", sw_profiler_aggregate_get_count },
  [COLUMN_TOTAL] = { "total_time_ns", "Total (ns)", sw_profiler_aggregate_get_total_time_ns },
  [COLUMN_SELF_TOTAL] = { "self_total_time_ns", "Self total (ns)", sw_profiler_aggregate_get_self_total_time_ns },
  [COLUMN_MEAN] = { "mean_time_ns", "Mean (ns)", NULL, sw_profiler_aggregate_get_mean_time_ns, "%.1f" },
  [COLUMN_MIN] = { "min_time_ns", "Min (ns)", sw_profiler_aggregate_get_min_time_ns },
  [COLUMN_MAX] = { "max_time_ns", "Max (ns)", sw_profiler_aggregate_get_max_time_ns },
  [COLUMN_P50] = { "p50_time_ns", "p50 (ns)", NULL, sw_profiler_aggregate_get_p50_time_ns, "%.1f" },
  [COLUMN_P90] = { "p90_time_ns", "p90 (ns)", NULL, sw_profiler_aggregate_get_p90_time_ns, "%.1f" },
  [COLUMN_P99] = { "p99_time_ns", "p99 (ns)", NULL, sw_profiler_aggregate_get_p99_time_ns, "%.1f" },
  [COLUMN_STDDEV] = { "stddev_time_ns", "Std dev (ns)", NULL, sw_profiler_aggregate_get_stddev_time_ns, "%.1f" },
  [COLUMN_TOTAL_PERCENT] = { "total_percent", "Total %", NULL, sw_profiler_aggregate_get_total_percent, "%.2f" },
  [COLUMN_SELF_TOTAL_PERCENT] = { "self_total_percent", "Self total %", NULL, sw_profiler_aggregate_get_self_total_percent, "%.2f" },
};

/* The columns of one table, in their order. */
typedef struct
{
  ColumnId ids[N_COLUMNS];
  guint n;
} Columns;

/* An aggregate with all that orders and shows it. */
typedef struct
{
  SwProfilerAggregate *aggregate;
  gsize position; /* in the order of keys */
  const char *carrier_name;
  char *shapes_text;
  char *cells[N_COLUMNS]; /* by place in the table */
} Row;

typedef struct
{
  ColumnId column;
  gboolean descending;
} SortOrder;

static gboolean
is_number (ColumnId column)
{
  return columns[column].get_integer != NULL || columns[column].get_double != NULL;
}

static const char *
get_text (const Row *row,
          ColumnId column)
{
  switch (column)
    {
    case COLUMN_NAME:
      return sw_profiler_aggregate_get_name (row->aggregate);
    case COLUMN_CARRIER_TYPE:
      return row->carrier_name;
    default:
      return row->shapes_text;
    }
}

static int
compare_field (ColumnId id,
               const Row *a,
               const Row *b)
{
  const Column *column = &columns[id];

  if (column->get_integer != NULL)
    {
      gint64 x = column->get_integer (a->aggregate);
      gint64 y = column->get_integer (b->aggregate);

      return (x > y) - (x < y);
    }
  if (column->get_double != NULL)
    {
      double x = column->get_double (a->aggregate);
      double y = column->get_double (b->aggregate);

      return (x > y) - (x < y);
    }
  return strcmp (get_text (a, id), get_text (b, id));
}

static int
compare_rows (gconstpointer a,
              gconstpointer b,
              gpointer data)
{
  const Row *x = a;
  const Row *y = b;
  const SortOrder *order = data;
  int result = compare_field (order->column, x, y);

  if (result != 0)
    return order->descending ? -result : result;
  return (x->position > y->position) - (x->position < y->position);
}

/* @text as one line of at most @max_width characters; what is left out is in the middle, as names differ at their ends. */
static char *
format_text (const char *text,
             glong max_width)
{
  GString *shown = g_string_new (NULL);
  glong width;

  sw_text_append_display (shown, text);
  width = g_utf8_strlen (shown->str, shown->len);
  if (max_width > 0 && width > max_width)
    {
      glong n_end = max_width / 2;
      const char *from = g_utf8_offset_to_pointer (shown->str, max_width - n_end - 1);
      const char *to = g_utf8_offset_to_pointer (shown->str, width - n_end);
      gsize at = from - shown->str;

      g_string_erase (shown, at, to - from);
      g_string_insert (shown, at, "…");
    }
  return g_string_free (shown, FALSE);
}

static char *
format_cell (const Row *row,
             ColumnId id)
{
  const Column *column = &columns[id];
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (column->get_integer != NULL)
    return g_strdup_printf ("%" G_GINT64_FORMAT, column->get_integer (row->aggregate));
  if (column->get_double != NULL)
    return g_strdup (g_ascii_formatd (text, sizeof (text), column->format, column->get_double (row->aggregate)));
  return format_text (get_text (row, id), column->max_width);
}

static Row *
make_rows (GPtrArray *aggregates)
{
  Row *rows = g_new0 (Row, aggregates->len);

  for (guint i = 0; i < aggregates->len; i++)
    {
      SwProfilerAggregate *aggregate = g_ptr_array_index (aggregates, i);
      SwInputShapes *shapes = sw_profiler_aggregate_get_input_shapes (aggregate);

      rows[i].aggregate = aggregate;
      rows[i].position = i;
      rows[i].carrier_name = sw_profiler_aggregate_get_carrier_name (aggregate);
      rows[i].shapes_text = shapes != NULL ? sw_input_shapes_to_string (shapes) : g_strdup ("None");
    }
  return rows;
}

static void
free_rows (Row *rows,
           gsize n_rows)
{
  for (gsize i = 0; i < n_rows; i++)
    {
      g_free (rows[i].shapes_text);
      for (guint c = 0; c < N_COLUMNS; c++)
        g_free (rows[i].cells[c]);
    }
  g_free (rows);
}

static void
append_cell (GString *table,
             const char *text,
             glong width,
             gboolean right_aligned)
{
  glong padding = width - g_utf8_strlen (text, -1);

  if (right_aligned)
    g_string_append_printf (table, "%*s", (int) padding, "");
  g_string_append (table, text);
  if (!right_aligned)
    g_string_append_printf (table, "%*s", (int) padding, "");
}

/* One line of cells; without cells, the line that separates the header. */
static void
append_line (GString *table,
             const Columns *shown,
             const char *const *cells,
             const glong *widths)
{
  for (guint c = 0; c < shown->n; c++)
    {
      if (c > 0)
        g_string_append (table, "  ");
      if (cells != NULL)
        append_cell (table, cells[c], widths[c], is_number (shown->ids[c]));
      else
        for (glong i = 0; i < widths[c]; i++)
          g_string_append_c (table, '-');
    }
}

static char *
render (const Row *rows,
        gsize n_rows,
        const Columns *shown,
        guint64 n_dropped)
{
  GString *table = g_string_new (NULL);
  const char *titles[N_COLUMNS];
  glong widths[N_COLUMNS];

  for (guint c = 0; c < shown->n; c++)
    {
      titles[c] = columns[shown->ids[c]].title;
      widths[c] = g_utf8_strlen (titles[c], -1);
      for (gsize i = 0; i < n_rows; i++)
        widths[c] = MAX (widths[c], g_utf8_strlen (rows[i].cells[c], -1));
    }
  append_line (table, shown, titles, widths);
  g_string_append_c (table, '\n');
  append_line (table, shown, NULL, widths);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_string_append_c (table, '\n');
      append_line (table, shown, (const char *const *) rows[i].cells, widths);
    }
  if (n_dropped > 0)
    g_string_append_printf (table, "\n%" G_GUINT64_FORMAT " more events found no memory to be kept in", n_dropped);
  return g_string_free (table, FALSE);
}

static gboolean
find_column (const char *field,
             ColumnId first,
             ColumnId end,
             ColumnId *found)
{
  for (guint c = first; c < end; c++)
    {
      if (strcmp (field, columns[c].field) == 0)
        {
          *found = c;
          return TRUE;
        }
    }
  return FALSE;
}

static void
set_unknown (GError **error,
             const char *what,
             const char *field,
             const Columns *known)
{
  GString *text = g_string_new (what);

  sw_text_append_quoted (text, field);
  for (guint c = 0; c < known->n; c++)
    g_string_append_printf (text, "%s%s", c == 0 ? " is not one of " : ", ", columns[known->ids[c]].field);
  g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, text->str);
  g_string_free (text, TRUE);
}

static gboolean
has_column (const Columns *self,
            ColumnId id)
{
  for (guint c = 0; c < self->n; c++)
    {
      if (self->ids[c] == id)
        return TRUE;
    }
  return FALSE;
}

/* Adds the columns with statistics that @fields names. */
static gboolean
parse_columns (const char *const *fields,
               Columns *shown,
               GError **error)
{
  for (; fields != NULL && *fields != NULL; fields++)
    {
      ColumnId id;

      if (!find_column (*fields, N_USUAL_COLUMNS, N_COLUMNS, &id))
        {
          Columns known = { .n = 0 };

          for (guint c = N_USUAL_COLUMNS; c < N_COLUMNS; c++)
            known.ids[known.n++] = c;
          set_unknown (error, find_column (*fields, 0, N_USUAL_COLUMNS, &id) ? "columns names what every table shows: " : "columns: ", *fields, &known);
          return FALSE;
        }
      if (has_column (shown, id))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "columns names %s twice", *fields);
          return FALSE;
        }
      shown->ids[shown->n++] = id;
    }
  return TRUE;
}

/* The usual fields, and those that the table shows beside. */
static gboolean
parse_sort_field (const char *sort_by,
                  const Columns *shown,
                  ColumnId *column,
                  GError **error)
{
  Columns known = { .n = 0 };

  if (find_column (sort_by, 0, N_COLUMNS, column) && (*column < N_USUAL_COLUMNS || has_column (shown, *column)))
    return TRUE;
  for (guint c = 0; c < N_COLUMNS; c++)
    {
      if (c < N_USUAL_COLUMNS || has_column (shown, c))
        known.ids[known.n++] = c;
    }
  set_unknown (error, "sort field ", sort_by, &known);
  return FALSE;
}

static void
init_columns (Columns *self,
              gboolean with_shapes)
{
  self->n = 0;
  for (guint c = 0; c < N_USUAL_COLUMNS; c++)
    {
      if (c != COLUMN_INPUT_SHAPES || with_shapes)
        self->ids[self->n++] = c;
    }
}

/* Orders the rows, and makes the cells of the first @n_shown. */
static void
prepare_rows (Row *rows,
              gsize n_rows,
              gsize n_shown,
              const Columns *shown,
              SortOrder *order)
{
  if (n_rows > 1)
    g_qsort_with_data (rows, n_rows, sizeof (Row), compare_rows, order);
  for (gsize i = 0; i < n_shown; i++)
    {
      for (guint c = 0; c < shown->n; c++)
        rows[i].cells[c] = format_cell (&rows[i], shown->ids[c]);
    }
}

char *
sw_event_source_dup_table_with_columns (const SwEventSource *self,
                                        const char *const *further,
                                        const char *sort_by,
                                        gboolean descending,
                                        gboolean group_by_shape,
                                        gint64 row_limit,
                                        GError **error)
{
  g_autoptr (GPtrArray) aggregates = NULL;
  SortOrder order = { COLUMN_SELF_TOTAL, descending };
  gboolean with_statistics = further != NULL && *further != NULL;
  Columns shown;
  gsize n_shown;
  Row *rows;
  char *table;

  init_columns (&shown, group_by_shape);
  if (!parse_columns (further, &shown, error))
    return NULL;
  if (sort_by != NULL && !parse_sort_field (sort_by, &shown, &order.column, error))
    return NULL;
  if (row_limit < -1)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "row_limit is %" G_GINT64_FORMAT ", but must not be negative, or be -1 for all rows", row_limit);
      return NULL;
    }
  aggregates = with_statistics ? sw_event_source_dup_key_statistics (self, group_by_shape)
                               : sw_event_source_dup_key_averages (self, group_by_shape);
  rows = make_rows (aggregates);
  n_shown = row_limit < 0 ? aggregates->len : MIN ((guint64) row_limit, aggregates->len);
  prepare_rows (rows, aggregates->len, n_shown, &shown, &order);
  table = render (rows, n_shown, &shown, self->n_dropped);
  free_rows (rows, aggregates->len);
  return table;
}

char *
sw_event_source_dup_table (const SwEventSource *self,
                           const char *sort_by,
                           gboolean descending,
                           gboolean group_by_shape,
                           gint64 row_limit,
                           GError **error)
{
  return sw_event_source_dup_table_with_columns (self, NULL, sort_by, descending, group_by_shape, row_limit, error);
}
