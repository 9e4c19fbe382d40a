/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Aggregates as columns that say what they are. */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include "sw-profiler/operation/sw-profiler-aggregate.h"
#include "sw-profiler/operation/sw-profiler-columns-private.h"

typedef struct
{
  SwColumnSpec spec;
  gint64 (*get_integer) (SwProfilerAggregate *aggregate);
  double (*get_double) (SwProfilerAggregate *aggregate);
} Field;

/* In the order of an aggregate's fields; the statistics are last. */
static const Field fields[] = {
  { { "name", SW_COLUMN_KIND_LABEL }, NULL, NULL },
  { { "carrier_type", SW_COLUMN_KIND_LABEL }, NULL, NULL },
  { { "input_shapes", SW_COLUMN_KIND_LABEL }, NULL, NULL },
  { { "count", SW_COLUMN_KIND_INT64 }, sw_profiler_aggregate_get_count, NULL },
  { { "total_time_ns", SW_COLUMN_KIND_INT64 }, sw_profiler_aggregate_get_total_time_ns, NULL },
  { { "self_total_time_ns", SW_COLUMN_KIND_INT64 }, sw_profiler_aggregate_get_self_total_time_ns, NULL },
  { { "mean_time_ns", SW_COLUMN_KIND_DOUBLE }, NULL, sw_profiler_aggregate_get_mean_time_ns },
  { { "min_time_ns", SW_COLUMN_KIND_INT64 }, sw_profiler_aggregate_get_min_time_ns, NULL },
  { { "max_time_ns", SW_COLUMN_KIND_INT64 }, sw_profiler_aggregate_get_max_time_ns, NULL },
  { { "p50_time_ns", SW_COLUMN_KIND_DOUBLE }, NULL, sw_profiler_aggregate_get_p50_time_ns },
  { { "p90_time_ns", SW_COLUMN_KIND_DOUBLE }, NULL, sw_profiler_aggregate_get_p90_time_ns },
  { { "p99_time_ns", SW_COLUMN_KIND_DOUBLE }, NULL, sw_profiler_aggregate_get_p99_time_ns },
  { { "stddev_time_ns", SW_COLUMN_KIND_DOUBLE }, NULL, sw_profiler_aggregate_get_stddev_time_ns },
  { { "total_percent", SW_COLUMN_KIND_DOUBLE }, NULL, sw_profiler_aggregate_get_total_percent },
  { { "self_total_percent", SW_COLUMN_KIND_DOUBLE }, NULL, sw_profiler_aggregate_get_self_total_percent },
};

#define N_LABELS 3
#define N_SPECIFIED 9

G_STATIC_ASSERT (G_N_ELEMENTS (fields) <= SW_MAX_COLUMNS);

static void
put_numbers (SwProfilerColumns *columns,
             guint column,
             GPtrArray *rows)
{
  const Field *field = &fields[column];
  gsize stride;
  guint8 *at = sw_profiler_columns_get_values (columns, column, &stride);

  for (guint i = 0; i < rows->len; i++, at += stride)
    {
      SwProfilerAggregate *row = g_ptr_array_index (rows, i);

      if (field->get_integer != NULL)
        *(gint64 *) (gpointer) at = field->get_integer (row);
      else
        *(double *) (gpointer) at = field->get_double (row);
    }
}

static gint32
label_shapes (SwLabels *labels,
              GPtrArray *known,
              SwInputShapes *shapes)
{
  g_autofree char *text = shapes != NULL ? sw_input_shapes_to_string (shapes) : NULL;
  gint32 label;

  if (shapes == NULL)
    return -1;
  label = sw_labels_add (labels, text, text);
  if (label == (gint32) known->len)
    g_ptr_array_add (known, sw_input_shapes_ref (shapes));
  return label;
}

static void
put_labels (SwProfilerColumns *columns,
            GPtrArray *rows)
{
  GPtrArray *shapes = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_input_shapes_unref);
  guint8 *values[N_LABELS];
  gsize strides[N_LABELS];
  SwLabels labels[N_LABELS];

  for (guint c = 0; c < N_LABELS; c++)
    {
      values[c] = sw_profiler_columns_get_values (columns, c, &strides[c]);
      sw_labels_init (&labels[c]);
    }
  for (guint i = 0; i < rows->len; i++)
    {
      SwProfilerAggregate *row = g_ptr_array_index (rows, i);
      const char *name = sw_profiler_aggregate_get_name (row);
      const char *carrier = sw_profiler_aggregate_get_carrier_name (row);
      /* Two types may be called the same. */
      g_autofree char *key = g_strdup_printf ("%" G_GSIZE_FORMAT " %s", (gsize) sw_profiler_aggregate_get_carrier_type (row), carrier);

      *(gint32 *) (gpointer) (values[0] + i * strides[0]) = sw_labels_add (&labels[0], name, name);
      *(gint32 *) (gpointer) (values[1] + i * strides[1]) = sw_labels_add (&labels[1], key, carrier);
      *(gint32 *) (gpointer) (values[2] + i * strides[2]) = label_shapes (&labels[2], shapes, sw_profiler_aggregate_get_input_shapes (row));
    }
  for (guint c = 0; c < N_LABELS; c++)
    sw_profiler_columns_take_labels (columns, c, &labels[c]);
  sw_profiler_columns_take_shapes (columns, shapes);
}

SwProfilerColumns *
sw_event_source_tabulate_aggregates (const SwEventSource *self,
                                     SwColumnOrder order,
                                     gboolean group_by_shape,
                                     gboolean with_statistics)
{
  g_autoptr (GPtrArray) rows = with_statistics ? sw_event_source_dup_key_statistics (self, group_by_shape)
                                               : sw_event_source_dup_key_averages (self, group_by_shape);
  guint n_columns = with_statistics ? G_N_ELEMENTS (fields) : N_SPECIFIED;
  SwColumnSpec specs[G_N_ELEMENTS (fields)];
  SwProfilerColumns *columns;

  for (guint c = 0; c < n_columns; c++)
    specs[c] = fields[c].spec;
  columns = sw_profiler_columns_new (specs, n_columns, rows->len, order);
  put_labels (columns, rows);
  for (guint c = N_LABELS; c < n_columns; c++)
    put_numbers (columns, c, rows);
  return columns;
}
