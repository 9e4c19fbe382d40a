/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <math.h>

#include "sw/carriers/cpu/sw-cpu-exp-private.h"
#include "sw/carriers/cpu/sw-cpu-lines-private.h"

/* As many additions as are in flight at once, and so many values as are summed in the dtype before they go to a double. */
#define N_LANES 16
#define BLOCK 1024
/* Enough that no comparison waits for the one before. */
#define N_COMPARED 64

#define LARGER(a, b) (((a) > (b)) | ((a) != (a)) ? (a) : (b))

/* Sums are kept in double, which for Float32 hides their order. */
#define DEFINE_REAL_CUMSUM(type, Type)                                                                                         \
  static gboolean                                                                                                              \
      cumsum_##type (gint64 n, gconstpointer input, gpointer result, gconstpointer weight, gconstpointer bias, double epsilon) \
  {                                                                                                                            \
    const Type *values = input;                                                                                                \
    Type *sums = result;                                                                                                       \
    double sum = n > 0 ? values[0] : 0;                                                                                        \
                                                                                                                               \
    if (n > 0)                                                                                                                 \
      sums[0] = values[0];                                                                                                     \
    for (gint64 i = 1; i < n; i++)                                                                                             \
      {                                                                                                                        \
        sum += values[i];                                                                                                      \
        sums[i] = (Type) sum;                                                                                                  \
      }                                                                                                                        \
    return FALSE;                                                                                                              \
  }

#define DEFINE_INTEGER_CUMSUM(type, Type)                                                                                      \
  static gboolean                                                                                                              \
      cumsum_##type (gint64 n, gconstpointer input, gpointer result, gconstpointer weight, gconstpointer bias, double epsilon) \
  {                                                                                                                            \
    const Type *values = input;                                                                                                \
    Type *sums = result;                                                                                                       \
    Type sum = 0;                                                                                                              \
                                                                                                                               \
    for (gint64 i = 0; i < n; i++)                                                                                             \
      {                                                                                                                        \
        if (__builtin_add_overflow (sum, values[i], &sum))                                                                     \
          return TRUE;                                                                                                         \
        sums[i] = sum;                                                                                                         \
      }                                                                                                                        \
    return FALSE;                                                                                                              \
  }

DEFINE_REAL_CUMSUM (float32, float)
DEFINE_REAL_CUMSUM (float64, double)
DEFINE_INTEGER_CUMSUM (int32, gint32)
DEFINE_INTEGER_CUMSUM (int64, gint64)

#define DEFINE_SOFTMAX(type, Type)                                                                                                         \
  SW_CPU_INLINE Type                                                                                                                       \
      find_largest_##type (gint64 n, const Type *values)                                                                                   \
  {                                                                                                                                        \
    Type lanes[N_COMPARED], largest = -INFINITY;                                                                                           \
    gint64 i = 0;                                                                                                                          \
                                                                                                                                           \
    for (int k = 0; k < N_COMPARED; k++)                                                                                                   \
      lanes[k] = -INFINITY;                                                                                                                \
    for (; i + N_COMPARED <= n; i += N_COMPARED)                                                                                           \
      {                                                                                                                                    \
        for (int k = 0; k < N_COMPARED; k++)                                                                                               \
          lanes[k] = LARGER (values[i + k], lanes[k]);                                                                                     \
      }                                                                                                                                    \
    for (int width = N_COMPARED / 2; width > 0; width /= 2)                                                                                \
      {                                                                                                                                    \
        for (int k = 0; k < width; k++)                                                                                                    \
          lanes[k] = LARGER (lanes[k + width], lanes[k]);                                                                                  \
      }                                                                                                                                    \
    largest = lanes[0];                                                                                                                    \
    for (; i < n; i++)                                                                                                                     \
      largest = LARGER (values[i], largest);                                                                                               \
    return largest;                                                                                                                        \
  }                                                                                                                                        \
                                                                                                                                           \
  SW_CPU_INLINE double                                                                                                                     \
      raise_block_##type (gint64 n, const Type *values, Type largest, Type *restrict powers)                                               \
  {                                                                                                                                        \
    Type lanes[N_LANES] = { 0 };                                                                                                           \
    double sum = 0;                                                                                                                        \
    gint64 i = 0;                                                                                                                          \
                                                                                                                                           \
    /* On their own, which makes better vector code. */                                                                                    \
    for (gint64 k = 0; k < n; k++)                                                                                                         \
      powers[k] = sw_exp_##type (values[k] - largest);                                                                                     \
    for (; i + N_LANES <= n; i += N_LANES)                                                                                                 \
      {                                                                                                                                    \
        for (int k = 0; k < N_LANES; k++)                                                                                                  \
          lanes[k] += powers[i + k];                                                                                                       \
      }                                                                                                                                    \
    for (; i < n; i++)                                                                                                                     \
      sum += powers[i];                                                                                                                    \
    for (int k = 0; k < N_LANES; k++)                                                                                                      \
      sum += lanes[k];                                                                                                                     \
    return sum;                                                                                                                            \
  }                                                                                                                                        \
                                                                                                                                           \
  SW_CPU_INLINE gboolean                                                                                                                   \
      softmax_##type##_at_level (gint64 n, gconstpointer input, gpointer result, gconstpointer weight, gconstpointer bias, double epsilon) \
  {                                                                                                                                        \
    const Type *values = input;                                                                                                            \
    Type *powers = result;                                                                                                                 \
    Type largest = find_largest_##type (n, values), scale;                                                                                 \
    double sum = 0;                                                                                                                        \
                                                                                                                                           \
    for (gint64 i = 0; i < n; i += BLOCK)                                                                                                  \
      sum += raise_block_##type (MIN (n - i, BLOCK), values + i, largest, powers + i);                                                     \
    scale = (Type) (1 / sum);                                                                                                              \
    for (gint64 i = 0; i < n; i++)                                                                                                         \
      powers[i] *= scale;                                                                                                                  \
    return FALSE;                                                                                                                          \
  }                                                                                                                                        \
                                                                                                                                           \
  SW_CPU_DEFINE_LEVELS (gboolean, softmax_##type,                                                                                          \
                        (gint64 n, gconstpointer input, gpointer result, gconstpointer weight, gconstpointer bias, double epsilon),        \
                        (n, input, result, weight, bias, epsilon))

DEFINE_SOFTMAX (float32, float)
DEFINE_SOFTMAX (float64, double)

/* In double throughout: a mean that is large beside the deviations costs no digits of theirs. */
#define DEFINE_LAYER_NORM(type, Type)                                                                                                         \
  SW_CPU_INLINE double                                                                                                                        \
      sum_powers_##type (gint64 n, const Type *values, double mean, gboolean squared)                                                         \
  {                                                                                                                                           \
    double lanes[N_LANES] = { 0 };                                                                                                            \
    gint64 i = 0;                                                                                                                             \
                                                                                                                                              \
    for (; i + N_LANES <= n; i += N_LANES)                                                                                                    \
      {                                                                                                                                       \
        for (int k = 0; k < N_LANES; k++)                                                                                                     \
          {                                                                                                                                   \
            double difference = values[i + k] - mean;                                                                                         \
                                                                                                                                              \
            lanes[k] += squared ? difference * difference : difference;                                                                       \
          }                                                                                                                                   \
      }                                                                                                                                       \
    for (int k = 0; i < n; i++, k++)                                                                                                          \
      {                                                                                                                                       \
        double difference = values[i] - mean;                                                                                                 \
                                                                                                                                              \
        lanes[k] += squared ? difference * difference : difference;                                                                           \
      }                                                                                                                                       \
    for (int width = N_LANES / 2; width > 0; width /= 2)                                                                                      \
      {                                                                                                                                       \
        for (int k = 0; k < width; k++)                                                                                                       \
          lanes[k] += lanes[k + width];                                                                                                       \
      }                                                                                                                                       \
    return lanes[0];                                                                                                                          \
  }                                                                                                                                           \
                                                                                                                                              \
  SW_CPU_INLINE gboolean                                                                                                                      \
      layer_norm_##type##_at_level (gint64 n, gconstpointer input, gpointer result, gconstpointer weight, gconstpointer bias, double epsilon) \
  {                                                                                                                                           \
    const Type *values = input, *weights = weight, *biases = bias;                                                                            \
    Type *restrict results = result;                                                                                                          \
    double mean = sum_powers_##type (n, values, 0, FALSE) / n;                                                                                \
    double scale = 1 / sqrt (sum_powers_##type (n, values, mean, TRUE) / n + epsilon);                                                        \
                                                                                                                                              \
    if (weights != NULL && biases != NULL)                                                                                                    \
      {                                                                                                                                       \
        for (gint64 i = 0; i < n; i++)                                                                                                        \
          results[i] = (Type) ((values[i] - mean) * scale * weights[i] + biases[i]);                                                          \
        return FALSE;                                                                                                                         \
      }                                                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                                                            \
      results[i] = (Type) ((values[i] - mean) * scale * (weights != NULL ? weights[i] : 1) + (biases != NULL ? biases[i] : 0));               \
    return FALSE;                                                                                                                             \
  }                                                                                                                                           \
                                                                                                                                              \
  SW_CPU_DEFINE_LEVELS (gboolean, layer_norm_##type,                                                                                          \
                        (gint64 n, gconstpointer input, gpointer result, gconstpointer weight, gconstpointer bias, double epsilon),           \
                        (n, input, result, weight, bias, epsilon))

DEFINE_LAYER_NORM (float32, float)
DEFINE_LAYER_NORM (float64, double)

const SwCpuLinesKernel sw_cpu_cumsum_kernel = {
  { sw_cpu_run_lines },
  {
      [SW_DTYPE_FLOAT32] = cumsum_float32,
      [SW_DTYPE_FLOAT64] = cumsum_float64,
      [SW_DTYPE_INT32] = cumsum_int32,
      [SW_DTYPE_INT64] = cumsum_int64,
  },
  {
      [SW_DTYPE_FLOAT32] = sw_cpu_cumsum_columns_float32,
      [SW_DTYPE_FLOAT64] = sw_cpu_cumsum_columns_float64,
  },
  .is_serial = TRUE,
};

const SwCpuLinesKernel sw_cpu_softmax_kernel = {
  { sw_cpu_run_lines },
  {
      [SW_DTYPE_FLOAT32] = softmax_float32,
      [SW_DTYPE_FLOAT64] = softmax_float64,
  },
  {
      [SW_DTYPE_FLOAT32] = sw_cpu_softmax_columns_float32,
      [SW_DTYPE_FLOAT64] = sw_cpu_softmax_columns_float64,
  },
};

const SwCpuLinesKernel sw_cpu_layer_norm_kernel = {
  { sw_cpu_run_lines },
  {
      [SW_DTYPE_FLOAT32] = layer_norm_float32,
      [SW_DTYPE_FLOAT64] = layer_norm_float64,
  },
  {
      [SW_DTYPE_FLOAT32] = sw_cpu_layer_norm_columns_float32,
      [SW_DTYPE_FLOAT64] = sw_cpu_layer_norm_columns_float64,
  },
};
