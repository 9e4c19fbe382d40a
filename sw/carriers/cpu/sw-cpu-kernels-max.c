/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <math.h>

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

#define N_LANES 32

/* Not a number is larger than all numbers; the comparison with itself vanishes for integers. */
#define IS_LARGER(a, b) (((a) > (b)) | (((a) != (a)) & ((b) == (b))))
/* The same where it does not matter which of several values that are not numbers is kept. */
#define LARGER(a, b) (((a) > (b)) | ((a) != (a)) ? (a) : (b))
#define IS_SAME(a, b) (((a) == (b)) | (((a) != (a)) & ((b) != (b))))

#define DEFINE_MAX(type, Type, SMALLEST)                                                                             \
  static void                                                                                                        \
      start_##type (gpointer accumulators, gint64 n)                                                                 \
  {                                                                                                                  \
    for (gint64 i = 0; i < n; i++)                                                                                   \
      ((Type *) accumulators)[i] = SMALLEST;                                                                         \
  }                                                                                                                  \
                                                                                                                     \
  SW_CPU_INLINE Type                                                                                                 \
      max_of_all_##type (Type largest, gint64 n, const Type *input, gint64 step)                                     \
  {                                                                                                                  \
    Type lanes[N_LANES];                                                                                             \
    gint64 i = 0;                                                                                                    \
                                                                                                                     \
    if (n >= N_LANES)                                                                                                \
      {                                                                                                              \
        for (int k = 0; k < N_LANES; k++)                                                                            \
          lanes[k] = largest;                                                                                        \
        for (; i + N_LANES <= n; i += N_LANES)                                                                       \
          {                                                                                                          \
            for (int k = 0; k < N_LANES; k++)                                                                        \
              lanes[k] = LARGER (input[(i + k) * step], lanes[k]);                                                   \
          }                                                                                                          \
        for (int k = 0; k < N_LANES; k++)                                                                            \
          largest = LARGER (lanes[k], largest);                                                                      \
      }                                                                                                              \
    for (; i < n; i++)                                                                                               \
      largest = LARGER (input[i * step], largest);                                                                   \
    return largest;                                                                                                  \
  }                                                                                                                  \
                                                                                                                     \
  SW_CPU_ROW static void                                                                                             \
      add_row_##type (gpointer accumulator, gint64 n, gconstpointer input, gint64 step)                              \
  {                                                                                                                  \
    Type *largest = accumulator;                                                                                     \
                                                                                                                     \
    *largest = step == 1 ? max_of_all_##type (*largest, n, input, 1) : max_of_all_##type (*largest, n, input, step); \
  }                                                                                                                  \
                                                                                                                     \
  SW_CPU_ROW static void                                                                                             \
      add_columns_##type (gpointer accumulators, gint64 n, gconstpointer input, gint64 step)                         \
  {                                                                                                                  \
    Type *restrict largest = accumulators;                                                                           \
    const Type *values = input;                                                                                      \
                                                                                                                     \
    if (step == 1)                                                                                                   \
      {                                                                                                              \
        for (gint64 i = 0; i < n; i++)                                                                               \
          largest[i] = LARGER (values[i], largest[i]);                                                               \
        return;                                                                                                      \
      }                                                                                                              \
    for (gint64 i = 0; i < n; i++)                                                                                   \
      largest[i] = LARGER (values[i * step], largest[i]);                                                            \
  }                                                                                                                  \
                                                                                                                     \
  static gboolean                                                                                                    \
      finish_##type (gconstpointer accumulators, gint64 n, gpointer result, gint64 step)                             \
  {                                                                                                                  \
    for (gint64 i = 0; i < n; i++)                                                                                   \
      ((Type *) result)[i * step] = ((const Type *) accumulators)[i];                                                \
    return FALSE;                                                                                                    \
  }                                                                                                                  \
                                                                                                                     \
  static const SwCpuFold fold_##type = { sizeof (Type), start_##type, add_row_##type, add_columns_##type, finish_##type };

/* A long row is first asked, in vector code, for its largest value, and only then where that is. */
#define DEFINE_ARGMAX(type, Type)                                                                          \
  SW_CPU_ROW static gint64                                                                                 \
      get_place_##type (const Type *input, gint64 n, Type value)                                           \
  {                                                                                                        \
    gint64 i = 0;                                                                                          \
                                                                                                           \
    for (; i + N_LANES <= n; i += N_LANES)                                                                 \
      {                                                                                                    \
        gboolean found = FALSE;                                                                            \
                                                                                                           \
        for (int k = 0; k < N_LANES; k++)                                                                  \
          found |= IS_SAME (input[i + k], value);                                                          \
        if (found)                                                                                         \
          break;                                                                                           \
      }                                                                                                    \
    while (!IS_SAME (input[i], value))                                                                     \
      i++;                                                                                                 \
    return i;                                                                                              \
  }                                                                                                        \
                                                                                                           \
  static void                                                                                              \
      find_in_long_row_##type (Type *largest, gint64 *place, gint64 start, gint64 n, const Type *values)   \
  {                                                                                                        \
    Type found = *largest;                                                                                 \
                                                                                                           \
    add_row_##type (&found, n, values, 1);                                                                 \
    if (start != 0 && !IS_LARGER (found, *largest))                                                        \
      return;                                                                                              \
    *largest = found;                                                                                      \
    *place = start + get_place_##type (values, n, found);                                                  \
  }                                                                                                        \
                                                                                                           \
  static void                                                                                              \
      find_##type (gpointer best, gint64 *place, gint64 start, gint64 n, gconstpointer input, gint64 step) \
  {                                                                                                        \
    const Type *values = input;                                                                            \
    Type *largest = best;                                                                                  \
                                                                                                           \
    if (start == 0)                                                                                        \
      *largest = values[0];                                                                                \
    if (n >= 2 * N_LANES && step == 1)                                                                     \
      {                                                                                                    \
        find_in_long_row_##type (largest, place, start, n, values);                                        \
        return;                                                                                            \
      }                                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                         \
      {                                                                                                    \
        if (!IS_LARGER (values[i * step], *largest))                                                       \
          continue;                                                                                        \
        *largest = values[i * step];                                                                       \
        *place = start + i;                                                                                \
      }                                                                                                    \
  }

DEFINE_MAX (float32, float, -INFINITY)
DEFINE_MAX (float64, double, -INFINITY)
DEFINE_MAX (int32, gint32, G_MININT32)
DEFINE_MAX (int64, gint64, G_MININT64)

DEFINE_ARGMAX (float32, float)
DEFINE_ARGMAX (float64, double)
DEFINE_ARGMAX (int32, gint32)
DEFINE_ARGMAX (int64, gint64)

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
};
