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

typedef struct
{
  SwLinesKernel parent;
  SwCpuLine lines[SW_DTYPE_N]; /* by the dtype of the input */
} SwCpuLinesKernel;

/* The run () function, for the kernels. */
gboolean
sw_cpu_run_lines (const SwLinesKernel *self,
                  const SwLines *lines,
                  GError **error);

G_END_DECLS
