/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-columns-private.h"

#include <string.h>

#include "library/sw-enum-types.h"
#include "sw-profiler/operation/sw-text-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-ref-count-private.h"

/**
 * SwProfilerColumns:
 *
 * Events or aggregates of a [class@Strideweave.Profiler] as columns of numbers, all in one piece of memory.
 *
 * [method@Strideweave.Profiler.tabulate_events] and [method@Strideweave.Profiler.tabulate_aggregates] make them. Texts
 * are numbers, too: a column of labels has a number for each row, from 0, and says once what each number is called.
 *
 * The columns do not need the profiler any more. They never change and may be used from any thread.
 */
typedef struct
{
  const char *name;
  SwColumnKind kind;
  gsize offset;
  gsize stride;
  char **labels; /* of a column of labels */
} Column;

struct _SwProfilerColumns
{
  SwRefCount ref_count;
  SwColumnOrder order;
  gsize n_rows;
  GBytes *bytes;
  guint8 *data;      /* in bytes */
  GPtrArray *shapes; /* of SwInputShapes */
  guint n_columns;
  Column columns[SW_MAX_COLUMNS];
};

G_DEFINE_BOXED_TYPE (SwProfilerColumns, sw_profiler_columns, sw_profiler_columns_ref, sw_profiler_columns_unref)

void
sw_labels_init (SwLabels *self)
{
  self->numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->texts = g_ptr_array_new_with_free_func (g_free);
}

void
sw_labels_clear (SwLabels *self)
{
  g_clear_pointer (&self->numbers, g_hash_table_unref);
  g_clear_pointer (&self->texts, g_ptr_array_unref);
}

gint32
sw_labels_add (SwLabels *self,
               const char *key,
               const char *text)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, key));

  if (known != 0)
    return (gint32) known - 1;
  g_ptr_array_add (self->texts, g_utf8_make_valid (text, -1));
  g_hash_table_insert (self->numbers, g_strdup (key), GUINT_TO_POINTER (self->texts->len));
  return (gint32) self->texts->len - 1;
}

static gsize
get_item_size (SwColumnKind kind)
{
  switch (kind)
    {
    case SW_COLUMN_KIND_BOOL:
      return 1;
    case SW_COLUMN_KIND_INT32:
    case SW_COLUMN_KIND_LABEL:
      return 4;
    case SW_COLUMN_KIND_INT64:
    case SW_COLUMN_KIND_UINT64:
    case SW_COLUMN_KIND_DOUBLE:
    default:
      return 8;
    }
}

/* Places the columns, those of large values first, so that all are aligned; returns how many bytes there are. */
static gsize
place_columns (SwProfilerColumns *self)
{
  gboolean by_row = self->order == SW_COLUMN_ORDER_ROWS;
  gsize at = 0;

  for (gsize size = 8; size > 0; size /= 2)
    {
      for (guint c = 0; c < self->n_columns; c++)
        {
          Column *column = &self->columns[c];

          if (get_item_size (column->kind) != size)
            continue;
          column->offset = at;
          column->stride = size;
          at += by_row ? size : size * self->n_rows;
        }
    }
  if (!by_row)
    return at;
  at = (at + 7) & ~(gsize) 7;
  for (guint c = 0; c < self->n_columns; c++)
    self->columns[c].stride = at;
  return at * self->n_rows;
}

gboolean
sw_column_order_check (SwColumnOrder order,
                       GError **error)
{
  if (order == SW_COLUMN_ORDER_COLUMNS || order == SW_COLUMN_ORDER_ROWS)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "order is %d, which is no ColumnOrder", (int) order);
  return FALSE;
}

SwProfilerColumns *
sw_profiler_columns_new (const SwColumnSpec *specs,
                         guint n_columns,
                         gsize n_rows,
                         SwColumnOrder order)
{
  SwProfilerColumns *self = g_new0 (SwProfilerColumns, 1);
  gsize n_bytes;

  g_assert (n_columns <= SW_MAX_COLUMNS);
  sw_ref_count_init (&self->ref_count);
  self->order = order;
  self->n_rows = n_rows;
  self->n_columns = n_columns;
  for (guint c = 0; c < n_columns; c++)
    self->columns[c] = (Column){ .name = specs[c].name, .kind = specs[c].kind };
  n_bytes = place_columns (self);
  self->data = g_malloc (n_bytes + 1);
  /* Nobody wants to see what the gaps between the values of a row held before. */
  if (order == SW_COLUMN_ORDER_ROWS)
    memset (self->data, 0, n_bytes);
  self->bytes = g_bytes_new_take (self->data, n_bytes);
  return self;
}

gpointer
sw_profiler_columns_get_values (SwProfilerColumns *self,
                                guint column,
                                gsize *stride)
{
  *stride = self->columns[column].stride;
  return self->data + self->columns[column].offset;
}

void
sw_profiler_columns_take_labels (SwProfilerColumns *self,
                                 guint column,
                                 SwLabels *labels)
{
  g_ptr_array_add (labels->texts, NULL);
  self->columns[column].labels = (char **) g_ptr_array_steal (labels->texts, NULL);
  sw_labels_clear (labels);
}

void
sw_profiler_columns_take_shapes (SwProfilerColumns *self,
                                 GPtrArray *shapes)
{
  self->shapes = shapes;
}

/**
 * sw_profiler_columns_ref:
 * @self: the columns
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwProfilerColumns *
sw_profiler_columns_ref (SwProfilerColumns *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_profiler_columns_unref:
 * @self: (transfer full): the columns
 *
 * Gives a reference back. May be called on any thread; the last one frees the columns.
 */
void
sw_profiler_columns_unref (SwProfilerColumns *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  for (guint c = 0; c < self->n_columns; c++)
    g_strfreev (self->columns[c].labels);
  g_clear_pointer (&self->shapes, g_ptr_array_unref);
  g_bytes_unref (self->bytes);
  g_free (self);
}

/**
 * sw_profiler_columns_get_n_rows:
 * @self: the columns
 *
 * Returns how many values each column has.
 *
 * Returns: the number of rows
 */
gint64
sw_profiler_columns_get_n_rows (SwProfilerColumns *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return (gint64) self->n_rows;
}

/**
 * sw_profiler_columns_get_n_columns:
 * @self: the columns
 *
 * Returns how many columns there are.
 *
 * Returns: the number of columns
 */
guint
sw_profiler_columns_get_n_columns (SwProfilerColumns *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_columns;
}

/**
 * sw_profiler_columns_get_order:
 * @self: the columns
 *
 * Returns how the values lie in memory.
 *
 * Returns: the order
 */
SwColumnOrder
sw_profiler_columns_get_order (SwProfilerColumns *self)
{
  g_return_val_if_fail (self != NULL, SW_COLUMN_ORDER_COLUMNS);

  return self->order;
}

/**
 * sw_profiler_columns_get_name:
 * @self: the columns
 * @column: a column, from 0
 *
 * Returns the name of a column: that of the field of an event or an aggregate.
 *
 * Returns: (transfer none) (nullable): the name; %NULL when there is no such column
 */
const char *
sw_profiler_columns_get_name (SwProfilerColumns *self,
                              guint column)
{
  g_return_val_if_fail (self != NULL, NULL);

  return column < self->n_columns ? self->columns[column].name : NULL;
}

/**
 * sw_profiler_columns_get_kind:
 * @self: the columns
 * @column: a column, from 0
 *
 * Returns what the values of a column are.
 *
 * Returns: the kind; %SW_COLUMN_KIND_BOOL when there is no such column
 */
SwColumnKind
sw_profiler_columns_get_kind (SwProfilerColumns *self,
                              guint column)
{
  g_return_val_if_fail (self != NULL, SW_COLUMN_KIND_BOOL);

  return column < self->n_columns ? self->columns[column].kind : SW_COLUMN_KIND_BOOL;
}

/**
 * sw_profiler_columns_get_offset:
 * @self: the columns
 * @column: a column, from 0
 *
 * Returns where in [method@Strideweave.ProfilerColumns.get_bytes] a column begins.
 *
 * Returns: the number of bytes before its first value; 0 when there is no such column
 */
guint64
sw_profiler_columns_get_offset (SwProfilerColumns *self,
                                guint column)
{
  g_return_val_if_fail (self != NULL, 0);

  return column < self->n_columns ? self->columns[column].offset : 0;
}

/**
 * sw_profiler_columns_get_stride:
 * @self: the columns
 * @column: a column, from 0
 *
 * Returns how far the values of a column are from each other: their size, or that of a row.
 *
 * Returns: the number of bytes from one value to the next; 0 when there is no such column
 */
guint
sw_profiler_columns_get_stride (SwProfilerColumns *self,
                                guint column)
{
  g_return_val_if_fail (self != NULL, 0);

  return column < self->n_columns ? (guint) self->columns[column].stride : 0;
}

/**
 * sw_profiler_columns_get_address:
 * @self: the columns
 *
 * Returns where [method@Strideweave.ProfilerColumns.get_bytes] are, for languages that can read memory by its address.
 * They must not write there, and keep the columns while they read.
 *
 * Returns: the address
 */
guint64
sw_profiler_columns_get_address (SwProfilerColumns *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return GPOINTER_TO_SIZE (self->data);
}

/**
 * sw_profiler_columns_get_bytes:
 * @self: the columns
 *
 * Returns the values of all columns.
 *
 * Returns: (transfer none): the bytes; they may be kept longer than the columns
 */
GBytes *
sw_profiler_columns_get_bytes (SwProfilerColumns *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->bytes;
}

static const Column *
find_column (SwProfilerColumns *self,
             const char *name,
             GError **error)
{
  g_autoptr (GString) text = NULL;

  for (guint c = 0; c < self->n_columns; c++)
    {
      if (strcmp (self->columns[c].name, name) == 0)
        return &self->columns[c];
    }
  text = g_string_new ("name is ");
  sw_text_append_quoted (text, name);
  g_string_append (text, ", which is none of the columns");
  for (guint c = 0; c < self->n_columns; c++)
    g_string_append_printf (text, "%s%s", c == 0 ? " " : ", ", self->columns[c].name);
  g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, text->str);
  return NULL;
}

static const Column *
find_contiguous (SwProfilerColumns *self,
                 const char *name,
                 GError **error)
{
  const Column *column = find_column (self, name, error);

  if (column == NULL || self->order == SW_COLUMN_ORDER_COLUMNS)
    return column;
  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "column %s does not lie by itself: the order of these columns is by rows", name);
  return NULL;
}

/**
 * sw_profiler_columns_dup_column:
 * @self: the columns
 * @name: the name of a column
 * @error: return location for an error
 *
 * Returns the values of one column, without copying them.
 *
 * Fails with %SW_ERROR_VALUE when there is no such column, and with %SW_ERROR_STATE when the order is by rows.
 *
 * Returns: (transfer full): the bytes; they may be kept longer than the columns
 */
GBytes *
sw_profiler_columns_dup_column (SwProfilerColumns *self,
                                const char *name,
                                GError **error)
{
  const Column *column;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (name != NULL, NULL);

  column = find_contiguous (self, name, error);
  if (column == NULL)
    return NULL;
  return g_bytes_new_from_bytes (self->bytes, column->offset, column->stride * self->n_rows);
}

/* NULL with an error, or values of the @kind or the @other one. */
static gconstpointer
get_values (SwProfilerColumns *self,
            const char *name,
            SwColumnKind kind,
            SwColumnKind other,
            gsize *n_values,
            GError **error)
{
  const Column *column = find_contiguous (self, name, error);
  GEnumClass *kinds;

  *n_values = 0;
  if (column == NULL)
    return NULL;
  if (column->kind == kind || column->kind == other)
    {
      *n_values = self->n_rows;
      return self->data + column->offset;
    }
  kinds = g_type_class_ref (SW_TYPE_COLUMN_KIND);
  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "column %s holds values of the kind %s, not %s", name,
               g_enum_get_value (kinds, (gint) column->kind)->value_nick, g_enum_get_value (kinds, (gint) kind)->value_nick);
  g_type_class_unref (kinds);
  return NULL;
}

/**
 * sw_profiler_columns_get_int64s: (skip)
 * @self: the columns
 * @name: the name of a column of the kind %SW_COLUMN_KIND_INT64
 * @n_values: (out): how many values there are
 * @error: return location for an error
 *
 * Returns the values of one column. Languages that would copy them one by one have
 * [method@Strideweave.ProfilerColumns.dup_column].
 *
 * Fails as [method@Strideweave.ProfilerColumns.dup_column] does, and with %SW_ERROR_TYPE for a column of another kind.
 *
 * Returns: (transfer none) (array length=n_values): the values, as long as the columns live
 */
const gint64 *
sw_profiler_columns_get_int64s (SwProfilerColumns *self,
                                const char *name,
                                gsize *n_values,
                                GError **error)
{
  g_return_val_if_fail (self != NULL && name != NULL && n_values != NULL, NULL);

  return get_values (self, name, SW_COLUMN_KIND_INT64, SW_COLUMN_KIND_INT64, n_values, error);
}

/**
 * sw_profiler_columns_get_int32s: (skip)
 * @self: the columns
 * @name: the name of a column of the kind %SW_COLUMN_KIND_INT32 or %SW_COLUMN_KIND_LABEL
 * @n_values: (out): how many values there are
 * @error: return location for an error
 *
 * Returns the values of one column, as [method@Strideweave.ProfilerColumns.get_int64s] does.
 *
 * Returns: (transfer none) (array length=n_values): the values, as long as the columns live
 */
const gint32 *
sw_profiler_columns_get_int32s (SwProfilerColumns *self,
                                const char *name,
                                gsize *n_values,
                                GError **error)
{
  g_return_val_if_fail (self != NULL && name != NULL && n_values != NULL, NULL);

  return get_values (self, name, SW_COLUMN_KIND_INT32, SW_COLUMN_KIND_LABEL, n_values, error);
}

/**
 * sw_profiler_columns_get_doubles: (skip)
 * @self: the columns
 * @name: the name of a column of the kind %SW_COLUMN_KIND_DOUBLE
 * @n_values: (out): how many values there are
 * @error: return location for an error
 *
 * Returns the values of one column, as [method@Strideweave.ProfilerColumns.get_int64s] does.
 *
 * Returns: (transfer none) (array length=n_values): the values, as long as the columns live
 */
const double *
sw_profiler_columns_get_doubles (SwProfilerColumns *self,
                                 const char *name,
                                 gsize *n_values,
                                 GError **error)
{
  g_return_val_if_fail (self != NULL && name != NULL && n_values != NULL, NULL);

  return get_values (self, name, SW_COLUMN_KIND_DOUBLE, SW_COLUMN_KIND_DOUBLE, n_values, error);
}

/**
 * sw_profiler_columns_dup_labels:
 * @self: the columns
 * @name: the name of a column of the kind %SW_COLUMN_KIND_LABEL
 * @error: return location for an error
 *
 * Returns what the numbers of a column stand for: label 0, label 1 and so on. Shapes are nested tuples.
 *
 * Fails with %SW_ERROR_VALUE when there is no such column, and with %SW_ERROR_TYPE when it holds no labels.
 *
 * Returns: (transfer full) (array zero-terminated=1): the labels, in valid UTF-8
 */
char **
sw_profiler_columns_dup_labels (SwProfilerColumns *self,
                                const char *name,
                                GError **error)
{
  const Column *column;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (name != NULL, NULL);

  column = find_column (self, name, error);
  if (column == NULL)
    return NULL;
  if (column->labels == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "column %s holds numbers, not labels", name);
      return NULL;
    }
  return g_strdupv (column->labels);
}

/**
 * sw_profiler_columns_get_input_shapes:
 * @self: the columns
 * @label: a value of the column input_shapes
 *
 * Returns the shapes that a label stands for.
 *
 * Returns: (transfer none) (nullable): the shapes; %NULL for -1 and for a label that does not exist
 */
SwInputShapes *
sw_profiler_columns_get_input_shapes (SwProfilerColumns *self,
                                      gint64 label)
{
  g_return_val_if_fail (self != NULL, NULL);

  if (self->shapes == NULL || label < 0 || label >= (gint64) self->shapes->len)
    return NULL;
  return g_ptr_array_index (self->shapes, label);
}
