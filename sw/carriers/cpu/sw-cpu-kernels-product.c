/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/sw-integer-product-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* As many multiplications as are in flight at once. */
#define N_LANES 16

static void
start_reals (gpointer accumulators,
             gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    ((double *) accumulators)[i] = 1;
}

static void
start_integers (gpointer accumulators,
                gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    sw_integer_product_init ((SwIntegerProduct *) accumulators + i);
}

static void
combine_reals (gpointer accumulator,
               gconstpointer later)
{
  *(double *) accumulator *= *(const double *) later;
}

/* Kept in double, which does not overflow before a Float32 result does for good. */
#define DEFINE_REAL(type, Type)                                                                                                \
  SW_CPU_INLINE double                                                                                                         \
      multiply_all_##type (gint64 n, const Type *input, gint64 step)                                                           \
  {                                                                                                                            \
    double lanes[N_LANES];                                                                                                     \
    gint64 i = 0;                                                                                                              \
                                                                                                                               \
    for (int k = 0; k < N_LANES; k++)                                                                                          \
      lanes[k] = 1;                                                                                                            \
    for (; i + N_LANES <= n; i += N_LANES)                                                                                     \
      {                                                                                                                        \
        for (int k = 0; k < N_LANES; k++)                                                                                      \
          lanes[k] *= input[(i + k) * step];                                                                                   \
      }                                                                                                                        \
    for (int k = 0; i < n; i++, k++)                                                                                           \
      lanes[k] *= input[i * step];                                                                                             \
    for (int width = N_LANES / 2; width > 0; width /= 2)                                                                       \
      {                                                                                                                        \
        for (int k = 0; k < width; k++)                                                                                        \
          lanes[k] *= lanes[k + width];                                                                                        \
      }                                                                                                                        \
    return lanes[0];                                                                                                           \
  }                                                                                                                            \
                                                                                                                               \
  SW_CPU_INLINE void                                                                                                           \
      add_row_##type##_at_level (gpointer accumulator, gint64 n, gconstpointer input, gint64 step)                             \
  {                                                                                                                            \
    *(double *) accumulator *= step == 1 ? multiply_all_##type (n, input, 1) : multiply_all_##type (n, input, step);           \
  }                                                                                                                            \
                                                                                                                               \
  SW_CPU_DEFINE_LEVELS (void, add_row_##type,                                                                                  \
                        (gpointer accumulator, gint64 n, gconstpointer input, gint64 step),                                    \
                        (accumulator, n, input, step))                                                                         \
                                                                                                                               \
  SW_CPU_INLINE void                                                                                                           \
      add_columns_##type##_at_level (gpointer accumulators, gint64 n, gconstpointer input, gint64 step)                        \
  {                                                                                                                            \
    double *restrict products = accumulators;                                                                                  \
    const Type *values = input;                                                                                                \
                                                                                                                               \
    for (gint64 i = 0; i < n; i++)                                                                                             \
      products[i] *= values[i * step];                                                                                         \
  }                                                                                                                            \
                                                                                                                               \
  SW_CPU_DEFINE_LEVELS (void, add_columns_##type,                                                                              \
                        (gpointer accumulators, gint64 n, gconstpointer input, gint64 step),                                   \
                        (accumulators, n, input, step))                                                                        \
                                                                                                                               \
  SW_CPU_INLINE void                                                                                                           \
      add_rows_of_columns_##type##_at_level (gpointer accumulators, gint64 n, gconstpointer input, gint64 n_rows, gint64 step) \
  {                                                                                                                            \
    double *restrict products = accumulators;                                                                                  \
    const Type *values = input;                                                                                                \
    gint64 r = 0;                                                                                                              \
                                                                                                                               \
    for (; r + 4 <= n_rows; r += 4, values += 4 * step)                                                                        \
      {                                                                                                                        \
        for (gint64 i = 0; i < n; i++)                                                                                         \
          products[i] = products[i] * values[i] * values[i + step] * values[i + 2 * step] * values[i + 3 * step];              \
      }                                                                                                                        \
    for (; r < n_rows; r++, values += step)                                                                                    \
      {                                                                                                                        \
        for (gint64 i = 0; i < n; i++)                                                                                         \
          products[i] *= values[i];                                                                                            \
      }                                                                                                                        \
  }                                                                                                                            \
                                                                                                                               \
  SW_CPU_DEFINE_LEVELS (void, add_rows_of_columns_##type,                                                                      \
                        (gpointer accumulators, gint64 n, gconstpointer input, gint64 n_rows, gint64 step),                    \
                        (accumulators, n, input, n_rows, step))                                                                \
  static gboolean                                                                                                              \
      finish_##type (gconstpointer accumulators, gint64 n, gpointer result, gint64 step)                                       \
  {                                                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                                             \
      ((Type *) result)[i * step] = (Type) ((const double *) accumulators)[i];                                                 \
    return FALSE;                                                                                                              \
  }                                                                                                                            \
                                                                                                                               \
  static const SwCpuFold fold_##type = { sizeof (double), start_reals, add_row_##type, add_columns_##type, finish_##type, combine_reals, add_rows_of_columns_##type };

#define DEFINE_INTEGER(type, Type)                                                                      \
  static void                                                                                           \
      add_row_##type (gpointer accumulator, gint64 n, gconstpointer input, gint64 step)                 \
  {                                                                                                     \
    for (gint64 i = 0; i < n; i++)                                                                      \
      sw_integer_product_add (accumulator, ((const Type *) input)[i * step]);                           \
  }                                                                                                     \
                                                                                                        \
  static void                                                                                           \
      add_columns_##type (gpointer accumulators, gint64 n, gconstpointer input, gint64 step)            \
  {                                                                                                     \
    for (gint64 i = 0; i < n; i++)                                                                      \
      sw_integer_product_add ((SwIntegerProduct *) accumulators + i, ((const Type *) input)[i * step]); \
  }                                                                                                     \
                                                                                                        \
  static gboolean                                                                                       \
      finish_##type (gconstpointer accumulators, gint64 n, gpointer result, gint64 step)                \
  {                                                                                                     \
    gboolean overflows = FALSE;                                                                         \
                                                                                                        \
    for (gint64 i = 0; i < n; i++)                                                                      \
      {                                                                                                 \
        gint64 product;                                                                                 \
                                                                                                        \
        overflows |= !sw_integer_product_get ((const SwIntegerProduct *) accumulators + i, &product);   \
        overflows |= product != (Type) product;                                                         \
        ((Type *) result)[i * step] = (Type) product;                                                   \
      }                                                                                                 \
    return overflows;                                                                                   \
  }                                                                                                     \
                                                                                                        \
  static const SwCpuFold fold_##type = { sizeof (SwIntegerProduct), start_integers, add_row_##type, add_columns_##type, finish_##type, .code = SW_CPU_CODE_SCALAR, .columns_code = SW_CPU_CODE_SCALAR };

DEFINE_REAL (float32, float)
DEFINE_REAL (float64, double)
DEFINE_INTEGER (int32, gint32)
DEFINE_INTEGER (int64, gint64)

const SwCpuReduceKernel sw_cpu_reduce_prod_kernel = {
  { sw_cpu_run_reduce },
  {
      [SW_DTYPE_FLOAT32] = &fold_float32,
      [SW_DTYPE_FLOAT64] = &fold_float64,
      [SW_DTYPE_INT32] = &fold_int32,
      [SW_DTYPE_INT64] = &fold_int64,
  },
};
