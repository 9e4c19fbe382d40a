/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>

#define BEYOND >
#define BEHIND <=
#include "sw/carriers/cpu/sw-cpu-extreme-private.h"

DEFINE_EXTREME (float32, float, gint32, -INFINITY, ARE_UNORDERED)
DEFINE_EXTREME (float64, double, gint64, -INFINITY, ARE_UNORDERED)
DEFINE_EXTREME (int32, gint32, gint32, G_MININT32, ARE_NEVER_UNORDERED)
DEFINE_EXTREME (int64, gint64, gint64, G_MININT64, ARE_NEVER_UNORDERED)

DEFINE_ARG_EXTREME (float32, float, gint32, ARE_UNORDERED)
DEFINE_ARG_EXTREME (float64, double, gint64, ARE_UNORDERED)
DEFINE_ARG_EXTREME (int32, gint32, gint32, ARE_NEVER_UNORDERED)
DEFINE_ARG_EXTREME (int64, gint64, gint64, ARE_NEVER_UNORDERED)

const SwCpuReduceKernel sw_cpu_reduce_max_kernel = {
  { sw_cpu_run_reduce },
  {
      [SW_DTYPE_FLOAT32] = &fold_float32,
      [SW_DTYPE_FLOAT64] = &fold_float64,
      [SW_DTYPE_INT32] = &fold_int32,
      [SW_DTYPE_INT64] = &fold_int64,
  },
};

const SwCpuArgReduceKernel sw_cpu_argmax_kernel = {
  { sw_cpu_run_arg_reduce },
  {
      [SW_DTYPE_FLOAT32] = find_float32,
      [SW_DTYPE_FLOAT64] = find_float64,
      [SW_DTYPE_INT32] = find_int32,
      [SW_DTYPE_INT64] = find_int64,
  },
  {
      [SW_DTYPE_FLOAT32] = find_in_columns_float32,
      [SW_DTYPE_FLOAT64] = find_in_columns_float64,
      [SW_DTYPE_INT32] = find_in_columns_int32,
      [SW_DTYPE_INT64] = find_in_columns_int64,
  },
};
