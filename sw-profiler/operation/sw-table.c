/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw-profiler/operation/sw-profiler-aggregate.h"
#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/operation/sw-type-name.h"

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
  N_COLUMNS
} ColumnId;

typedef struct
{
  const char *field; /* of an aggregate; what sort_by names */
  const char *title;
  gboolean is_number;
  glong max_width; /* of what is shown; 0: any */
} Column;

static const Column columns[N_COLUMNS] = {
  [COLUMN_NAME] = { "name", "Name", FALSE, 60 },
  [COLUMN_CARRIER_TYPE] = { "carrier_type", "Carrier", FALSE, 0 },
  [COLUMN_INPUT_SHAPES] = { "input_shapes", "Input shapes", FALSE, 120 },
  [COLUMN_COUNT] = { "count", "Calls", TRUE, 0 },
  [COLUMN_TOTAL] = { "total_time_ns", "Total (ns)", TRUE, 0 },
  [COLUMN_SELF_TOTAL] = { "self_total_time_ns", "Self total (ns)", TRUE, 0 },
  [COLUMN_MEAN] = { "mean_time_ns", "Mean (ns)", TRUE, 0 },
  [COLUMN_MIN] = { "min_time_ns", "Min (ns)", TRUE, 0 },
  [COLUMN_MAX] = { "max_time_ns", "Max (ns)", TRUE, 0 },
};

/* An aggregate with all that orders and shows it. */
typedef struct
{
  SwProfilerAggregate *aggregate;
  gsize position; /* in the order of keys */
  const char *carrier_name;
  char *shapes_text;
  char *cells[N_COLUMNS];
} Row;

typedef struct
{
  ColumnId column;
  gboolean descending;
} SortOrder;

static int
compare_int64 (gint64 a,
               gint64 b)
{
  return (a > b) - (a < b);
}

static int
compare_field (ColumnId column,
               const Row *a,
               const Row *b)
{
  SwProfilerAggregate *x = a->aggregate;
  SwProfilerAggregate *y = b->aggregate;

  switch (column)
    {
    case COLUMN_NAME:
      return strcmp (sw_profiler_aggregate_get_name (x), sw_profiler_aggregate_get_name (y));
    case COLUMN_CARRIER_TYPE:
      return strcmp (a->carrier_name, b->carrier_name);
    case COLUMN_INPUT_SHAPES:
      return strcmp (a->shapes_text, b->shapes_text);
    case COLUMN_COUNT:
      return compare_int64 (sw_profiler_aggregate_get_count (x), sw_profiler_aggregate_get_count (y));
    case COLUMN_TOTAL:
      return compare_int64 (sw_profiler_aggregate_get_total_time_ns (x), sw_profiler_aggregate_get_total_time_ns (y));
    case COLUMN_SELF_TOTAL:
      return compare_int64 (sw_profiler_aggregate_get_self_total_time_ns (x), sw_profiler_aggregate_get_self_total_time_ns (y));
    case COLUMN_MEAN:
      return (sw_profiler_aggregate_get_mean_time_ns (x) > sw_profiler_aggregate_get_mean_time_ns (y)) - (sw_profiler_aggregate_get_mean_time_ns (x) < sw_profiler_aggregate_get_mean_time_ns (y));
    case COLUMN_MIN:
      return compare_int64 (sw_profiler_aggregate_get_min_time_ns (x), sw_profiler_aggregate_get_min_time_ns (y));
    case COLUMN_MAX:
      return compare_int64 (sw_profiler_aggregate_get_max_time_ns (x), sw_profiler_aggregate_get_max_time_ns (y));
    case N_COLUMNS:
    default:
      g_assert_not_reached ();
    }
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
format_mean (double mean)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof (text), "%.1f", mean));
}

static char *
format_cell (const Row *row,
             ColumnId column)
{
  SwProfilerAggregate *aggregate = row->aggregate;
  glong max_width = columns[column].max_width;

  switch (column)
    {
    case COLUMN_NAME:
      return format_text (sw_profiler_aggregate_get_name (aggregate), max_width);
    case COLUMN_CARRIER_TYPE:
      return format_text (row->carrier_name, max_width);
    case COLUMN_INPUT_SHAPES:
      return format_text (row->shapes_text, max_width);
    case COLUMN_COUNT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sw_profiler_aggregate_get_count (aggregate));
    case COLUMN_TOTAL:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sw_profiler_aggregate_get_total_time_ns (aggregate));
    case COLUMN_SELF_TOTAL:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sw_profiler_aggregate_get_self_total_time_ns (aggregate));
    case COLUMN_MEAN:
      return format_mean (sw_profiler_aggregate_get_mean_time_ns (aggregate));
    case COLUMN_MIN:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sw_profiler_aggregate_get_min_time_ns (aggregate));
    case COLUMN_MAX:
      return g_strdup_printf ("%" G_GINT64_FORMAT, sw_profiler_aggregate_get_max_time_ns (aggregate));
    case N_COLUMNS:
    default:
      g_assert_not_reached ();
    }
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
      rows[i].carrier_name = sw_profiler_get_type_name (sw_profiler_aggregate_get_carrier_type (aggregate));
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
             gboolean is_number)
{
  glong padding = width - g_utf8_strlen (text, -1);

  if (is_number)
    g_string_append_printf (table, "%*s", (int) padding, "");
  g_string_append (table, text);
  if (!is_number)
    g_string_append_printf (table, "%*s", (int) padding, "");
}

/* One line of cells; without cells, the line that separates the header. */
static void
append_line (GString *table,
             const char *const *cells,
             const glong *widths)
{
  for (guint c = 0; c < N_COLUMNS; c++)
    {
      if (widths[c] == 0)
        continue;
      if (c > 0)
        g_string_append (table, "  ");
      if (cells != NULL)
        append_cell (table, cells[c], widths[c], columns[c].is_number);
      else
        for (glong i = 0; i < widths[c]; i++)
          g_string_append_c (table, '-');
    }
}

static char *
render (const Row *rows,
        gsize n_rows,
        gboolean with_shapes,
        guint64 n_dropped)
{
  GString *table = g_string_new (NULL);
  const char *titles[N_COLUMNS];
  glong widths[N_COLUMNS] = { 0 };

  for (guint c = 0; c < N_COLUMNS; c++)
    {
      titles[c] = columns[c].title;
      if (c == COLUMN_INPUT_SHAPES && !with_shapes)
        continue;
      widths[c] = g_utf8_strlen (titles[c], -1);
      for (gsize i = 0; i < n_rows; i++)
        widths[c] = MAX (widths[c], g_utf8_strlen (rows[i].cells[c], -1));
    }
  append_line (table, titles, widths);
  g_string_append_c (table, '\n');
  append_line (table, NULL, widths);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_string_append_c (table, '\n');
      append_line (table, (const char *const *) rows[i].cells, widths);
    }
  if (n_dropped > 0)
    g_string_append_printf (table, "\n%" G_GUINT64_FORMAT " more events found no memory to be kept in", n_dropped);
  return g_string_free (table, FALSE);
}

static gboolean
parse_sort_field (const char *sort_by,
                  ColumnId *column,
                  GError **error)
{
  GString *fields;

  for (guint c = 0; c < N_COLUMNS; c++)
    {
      if (strcmp (sort_by, columns[c].field) == 0)
        {
          *column = c;
          return TRUE;
        }
    }
  fields = g_string_new ("sort field ");
  sw_text_append_quoted (fields, sort_by);
  for (guint c = 0; c < N_COLUMNS; c++)
    g_string_append_printf (fields, "%s%s", c == 0 ? " is not one of " : ", ", columns[c].field);
  g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, fields->str);
  g_string_free (fields, TRUE);
  return FALSE;
}

char *
sw_event_source_dup_table (const SwEventSource *self,
                           const char *sort_by,
                           gboolean descending,
                           gboolean group_by_shape,
                           gint64 row_limit,
                           GError **error)
{
  g_autoptr (GPtrArray) aggregates = NULL;
  SortOrder order = { COLUMN_SELF_TOTAL, descending };
  gsize n_shown;
  Row *rows;
  char *table;

  if (sort_by != NULL && !parse_sort_field (sort_by, &order.column, error))
    return NULL;
  if (row_limit < -1)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "row_limit is %" G_GINT64_FORMAT ", but must not be negative, or be -1 for all rows", row_limit);
      return NULL;
    }
  aggregates = sw_event_source_dup_key_averages (self, group_by_shape);
  rows = make_rows (aggregates);
  if (aggregates->len > 1)
    g_qsort_with_data (rows, aggregates->len, sizeof (Row), compare_rows, &order);
  n_shown = row_limit < 0 ? aggregates->len : MIN ((guint64) row_limit, aggregates->len);
  for (gsize i = 0; i < n_shown; i++)
    {
      for (guint c = 0; c < N_COLUMNS; c++)
        rows[i].cells[c] = format_cell (&rows[i], c);
    }
  table = render (rows, n_shown, group_by_shape, self->n_dropped);
  free_rows (rows, aggregates->len);
  return table;
}
