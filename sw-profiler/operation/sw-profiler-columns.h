/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-input-shapes.h>

G_BEGIN_DECLS

/**
 * SwColumnOrder:
 * @SW_COLUMN_ORDER_COLUMNS: each column by itself, one after the other
 * @SW_COLUMN_ORDER_ROWS: each row by itself, one after the other
 *
 * How the values of [struct@Strideweave.ProfilerColumns] lie in memory.
 */
typedef enum {
  SW_COLUMN_ORDER_COLUMNS,
  SW_COLUMN_ORDER_ROWS,
} SwColumnOrder;

/**
 * SwColumnKind:
 * @SW_COLUMN_KIND_BOOL: one byte, 1 or 0
 * @SW_COLUMN_KIND_INT32: a signed integer of 32 bits
 * @SW_COLUMN_KIND_LABEL: a signed integer of 32 bits: which of the column's labels, from 0, or -1 for none
 * @SW_COLUMN_KIND_INT64: a signed integer of 64 bits
 * @SW_COLUMN_KIND_UINT64: an unsigned integer of 64 bits
 * @SW_COLUMN_KIND_DOUBLE: a floating-point number of 64 bits
 *
 * What the values of a column are, in the machine's byte order.
 */
typedef enum {
  SW_COLUMN_KIND_BOOL,
  SW_COLUMN_KIND_INT32,
  SW_COLUMN_KIND_LABEL,
  SW_COLUMN_KIND_INT64,
  SW_COLUMN_KIND_UINT64,
  SW_COLUMN_KIND_DOUBLE,
} SwColumnKind;

#define SW_TYPE_PROFILER_COLUMNS (sw_profiler_columns_get_type ())

typedef struct _SwProfilerColumns SwProfilerColumns;

SW_AVAILABLE_IN_0_1
GType sw_profiler_columns_get_type (void) G_GNUC_CONST;
SW_AVAILABLE_IN_0_1
SwProfilerColumns *sw_profiler_columns_ref (SwProfilerColumns *self);
SW_AVAILABLE_IN_0_1
void sw_profiler_columns_unref (SwProfilerColumns *self);

SW_AVAILABLE_IN_0_1
gint64 sw_profiler_columns_get_n_rows (SwProfilerColumns *self);
SW_AVAILABLE_IN_0_1
guint sw_profiler_columns_get_n_columns (SwProfilerColumns *self);
SW_AVAILABLE_IN_0_1
SwColumnOrder sw_profiler_columns_get_order (SwProfilerColumns *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_columns_get_name (SwProfilerColumns *self,
                                          guint column);
SW_AVAILABLE_IN_0_1
SwColumnKind sw_profiler_columns_get_kind (SwProfilerColumns *self,
                                           guint column);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_columns_get_offset (SwProfilerColumns *self,
                                        guint column);
SW_AVAILABLE_IN_0_1
guint sw_profiler_columns_get_stride (SwProfilerColumns *self,
                                      guint column);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_columns_get_address (SwProfilerColumns *self);
SW_AVAILABLE_IN_0_1
GBytes *sw_profiler_columns_get_bytes (SwProfilerColumns *self);

SW_AVAILABLE_IN_0_1
GBytes *sw_profiler_columns_dup_column (SwProfilerColumns *self,
                                        const char *name,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
const gint64 *sw_profiler_columns_get_int64s (SwProfilerColumns *self,
                                              const char *name,
                                              gsize *n_values,
                                              GError **error);
SW_AVAILABLE_IN_0_1
const gint32 *sw_profiler_columns_get_int32s (SwProfilerColumns *self,
                                              const char *name,
                                              gsize *n_values,
                                              GError **error);
SW_AVAILABLE_IN_0_1
const double *sw_profiler_columns_get_doubles (SwProfilerColumns *self,
                                               const char *name,
                                               gsize *n_values,
                                               GError **error);
SW_AVAILABLE_IN_0_1
char **sw_profiler_columns_dup_labels (SwProfilerColumns *self,
                                       const char *name,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwInputShapes *sw_profiler_columns_get_input_shapes (SwProfilerColumns *self,
                                                     gint64 label);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerColumns, sw_profiler_columns_unref)

G_END_DECLS
