/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* Computes a line of @n values that lie side by side; weight and bias may be NULL. Returns whether an integer result was out
 * of range. */
typedef gboolean (*SwCpuLine) (gint64 n,
                               gconstpointer input,
                               gpointer result,
                               gconstpointer weight,
                               gconstpointer bias,
                               double epsilon);

/* Rows of so many values are walked through in order, and what is known of each column stays in the caches. */
#define SW_CPU_MAX_COLUMNS 4096

/* Computes as many lines at once, up to SW_CPU_MAX_COLUMNS, whose values of the same place lie side by side; steps are from
 * place to place. */
typedef void (*SwCpuLineColumns) (gint64 n,
                                  gint64 width,
                                  gconstpointer input,
                                  gint64 input_step,
                                  gpointer result,
                                  gint64 result_step,
                                  gconstpointer weight,
                                  gconstpointer bias,
                                  double epsilon);

typedef struct
{
  SwLinesKernel parent;
  SwCpuLine lines[SW_DTYPE_N]; /* by the dtype of the input */
  /* NULL where lines are brought in order instead. */
  SwCpuLineColumns columns[SW_DTYPE_N];
  gboolean is_serial; /* each value of a line needs the one before it */
} SwCpuLinesKernel;

#define SW_CPU_DECLARE_COLUMNS(name)                                                                                    \
  void name (gint64 n, gint64 width, gconstpointer input, gint64 input_step, gpointer result, gint64 result_step,       \
             gconstpointer weight, gconstpointer bias, double epsilon);

SW_CPU_DECLARE_COLUMNS (sw_cpu_softmax_columns_float32)
SW_CPU_DECLARE_COLUMNS (sw_cpu_softmax_columns_float64)
SW_CPU_DECLARE_COLUMNS (sw_cpu_layer_norm_columns_float32)
SW_CPU_DECLARE_COLUMNS (sw_cpu_layer_norm_columns_float64)
SW_CPU_DECLARE_COLUMNS (sw_cpu_cumsum_columns_float32)
SW_CPU_DECLARE_COLUMNS (sw_cpu_cumsum_columns_float64)

/* The run () function, for the kernels. */
gboolean
sw_cpu_run_lines (const SwLinesKernel *self,
                  const SwLines *lines,
                  GError **error);

G_END_DECLS
