/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-columns-csv-private.h"

#include "sw-profiler/export/sw-csv-private.h"
#include "sw-profiler/operation/sw-text-private.h"

typedef struct
{
  SwColumnKind kind;
  const guint8 *at; /* the value of the next row */
  gsize stride;
  char **labels; /* as they are written */
} CsvColumn;

static char *
quote (const char *text)
{
  GString *quoted = g_string_new (NULL);

  sw_csv_append_text (quoted, text);
  return g_string_free (quoted, FALSE);
}

static void
csv_column_init (CsvColumn *self,
                 SwProfilerColumns *columns,
                 guint column)
{
  self->kind = sw_profiler_columns_get_kind (columns, column);
  self->at = (const guint8 *) g_bytes_get_data (sw_profiler_columns_get_bytes (columns), NULL) + sw_profiler_columns_get_offset (columns, column);
  self->stride = sw_profiler_columns_get_stride (columns, column);
  self->labels = NULL;
  if (self->kind != SW_COLUMN_KIND_LABEL)
    return;
  self->labels = sw_profiler_columns_dup_labels (columns, sw_profiler_columns_get_name (columns, column), NULL);
  for (char **label = self->labels; *label != NULL; label++)
    {
      char *text = *label;

      *label = quote (text);
      g_free (text);
    }
}

static void
put_double (SwFileWriter *file,
            double value)
{
  g_autoptr (GString) text = g_string_new (NULL);

  sw_text_append_double (text, value);
  sw_file_writer_put (file, text->str, text->len);
}

/* Nothing for what there is none of: such numbers are below 0. */
static void
put_value (SwFileWriter *file,
           const CsvColumn *column)
{
  gconstpointer at = column->at;

  switch (column->kind)
    {
    case SW_COLUMN_KIND_BOOL:
      sw_file_writer_put_string (file, *(const guint8 *) at != 0 ? "true" : "false");
      break;
    case SW_COLUMN_KIND_INT32:
      if (*(const gint32 *) at >= 0)
        sw_file_writer_put_int64 (file, *(const gint32 *) at);
      break;
    case SW_COLUMN_KIND_LABEL:
      if (*(const gint32 *) at >= 0)
        sw_file_writer_put_string (file, column->labels[*(const gint32 *) at]);
      break;
    case SW_COLUMN_KIND_INT64:
      sw_file_writer_put_int64 (file, *(const gint64 *) at);
      break;
    case SW_COLUMN_KIND_UINT64:
      sw_file_writer_put_uint64 (file, *(const guint64 *) at);
      break;
    case SW_COLUMN_KIND_DOUBLE:
    default:
      put_double (file, *(const double *) at);
    }
}

void
sw_profiler_columns_write_csv (SwProfilerColumns *self,
                               SwFileWriter *file)
{
  guint n_columns = sw_profiler_columns_get_n_columns (self);
  gint64 n_rows = sw_profiler_columns_get_n_rows (self);
  g_autofree CsvColumn *columns = g_new (CsvColumn, n_columns);

  for (guint c = 0; c < n_columns; c++)
    {
      csv_column_init (&columns[c], self, c);
      sw_file_writer_put_string (file, c > 0 ? "," : "");
      sw_file_writer_put_string (file, sw_profiler_columns_get_name (self, c));
    }
  sw_file_writer_put_string (file, "\r\n");
  for (gint64 row = 0; row < n_rows; row++)
    {
      for (guint c = 0; c < n_columns; c++)
        {
          if (c > 0)
            sw_file_writer_put (file, ",", 1);
          put_value (file, &columns[c]);
          columns[c].at += columns[c].stride;
        }
      sw_file_writer_put (file, "\r\n", 2);
    }
  for (guint c = 0; c < n_columns; c++)
    g_strfreev (columns[c].labels);
}
