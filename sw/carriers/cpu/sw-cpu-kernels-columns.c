/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-lines-private.h"

#include <math.h>
#include <string.h>

#include "sw/carriers/cpu/sw-cpu-exp-private.h"

/* What sw-cpu-kernels-lines.c computes along a line, here for many lines in step, whose values of one place lie side by side. */

#define LARGER(a, b) (((a) > (b)) | ((a) != (a)) ? (a) : (b))

#define DEFINE_PUBLIC(name, type)                                                                               \
  SW_CPU_DEFINE_LEVELS (void, name##_##type,                                                                    \
                        (gint64 n, gint64 width, gconstpointer input, gint64 input_step, gpointer result,       \
                         gint64 result_step, gconstpointer weight, gconstpointer bias, double epsilon),         \
                        (n, width, input, input_step, result, result_step, weight, bias, epsilon))              \
                                                                                                                \
  void sw_cpu_##name##_##type (gint64 n, gint64 width, gconstpointer input, gint64 input_step, gpointer result, \
                               gint64 result_step, gconstpointer weight, gconstpointer bias, double epsilon)    \
  {                                                                                                             \
    name##_##type (n, width, input, input_step, result, result_step, weight, bias, epsilon);                    \
  }

#define PARAMETERS                                                                                      \
  (gint64 n, gint64 width, gconstpointer input, gint64 input_step, gpointer result, gint64 result_step, \
   gconstpointer weight, gconstpointer bias, double epsilon)

/* So many rows are added in the dtype of the values before their sums go to a double. */
#define BLOCK 16

#define DEFINE_SOFTMAX(type, Type)                                                                                           \
  SW_CPU_INLINE void                                                                                                         \
      find_largest_##type (gint64 n, gint64 width, const Type *values, gint64 step, Type *restrict largest)                  \
  {                                                                                                                          \
    gint64 k = 0;                                                                                                            \
                                                                                                                             \
    for (gint64 j = 0; j < width; j++)                                                                                       \
      largest[j] = -INFINITY;                                                                                                \
    for (; k + 2 <= n; k += 2, values += 2 * step)                                                                           \
      {                                                                                                                      \
        for (gint64 j = 0; j < width; j++)                                                                                   \
          {                                                                                                                  \
            Type larger = LARGER (values[j], largest[j]);                                                                    \
                                                                                                                             \
            largest[j] = LARGER (values[j + step], larger);                                                                  \
          }                                                                                                                  \
      }                                                                                                                      \
    for (gint64 j = 0; j < width && k < n; j++)                                                                              \
      largest[j] = LARGER (values[j], largest[j]);                                                                           \
  }                                                                                                                          \
                                                                                                                             \
  SW_CPU_INLINE void                                                                                                         \
      raise_row_##type (gint64 width, const Type *values, const Type *largest, Type *restrict powers, Type *restrict block)  \
  {                                                                                                                          \
    for (gint64 j = 0; j < width; j++)                                                                                       \
      {                                                                                                                      \
        powers[j] = sw_exp_##type (values[j] - largest[j]);                                                                  \
        block[j] += powers[j];                                                                                               \
      }                                                                                                                      \
  }                                                                                                                          \
                                                                                                                             \
  SW_CPU_INLINE void                                                                                                         \
      softmax_columns_##type##_at_level PARAMETERS                                                                           \
  {                                                                                                                          \
    Type largest[SW_CPU_MAX_COLUMNS], scales[SW_CPU_MAX_COLUMNS];                                                            \
    double sums[SW_CPU_MAX_COLUMNS];                                                                                         \
                                                                                                                             \
    find_largest_##type (n, width, input, input_step, largest);                                                              \
    memset (sums, 0, width * sizeof *sums);                                                                                  \
    memset (scales, 0, width * sizeof *scales);                                                                              \
    for (gint64 k = 0; k < n; k++)                                                                                           \
      {                                                                                                                      \
        raise_row_##type (width, (const Type *) input + k * input_step, largest, (Type *) result + k * result_step, scales); \
        if (k % BLOCK != BLOCK - 1 && k != n - 1)                                                                            \
          continue;                                                                                                          \
        for (gint64 j = 0; j < width; j++)                                                                                   \
          {                                                                                                                  \
            sums[j] += scales[j];                                                                                            \
            scales[j] = 0;                                                                                                   \
          }                                                                                                                  \
      }                                                                                                                      \
    for (gint64 j = 0; j < width; j++)                                                                                       \
      scales[j] = (Type) (1 / sums[j]);                                                                                      \
    for (gint64 k = 0; k < n; k++)                                                                                           \
      {                                                                                                                      \
        Type *restrict powers = (Type *) result + k * result_step;                                                           \
                                                                                                                             \
        for (gint64 j = 0; j < width; j++)                                                                                   \
          powers[j] *= scales[j];                                                                                            \
      }                                                                                                                      \
  }                                                                                                                          \
                                                                                                                             \
  DEFINE_PUBLIC (softmax_columns, type)

DEFINE_SOFTMAX (float32, float)
DEFINE_SOFTMAX (float64, double)

/* Four rows while the sums are in registers. */
#define DEFINE_LAYER_NORM(type, Type)                                                                                          \
  SW_CPU_INLINE void                                                                                                           \
      add_rows_##type (gint64 n, gint64 width, const Type *values, gint64 step, double *restrict sums)                         \
  {                                                                                                                            \
    gint64 k = 0;                                                                                                              \
                                                                                                                               \
    for (; k + 4 <= n; k += 4, values += 4 * step)                                                                             \
      {                                                                                                                        \
        for (gint64 j = 0; j < width; j++)                                                                                     \
          sums[j] += ((double) values[j] + values[j + step]) + ((double) values[j + 2 * step] + values[j + 3 * step]);         \
      }                                                                                                                        \
    for (; k < n; k++, values += step)                                                                                         \
      {                                                                                                                        \
        for (gint64 j = 0; j < width; j++)                                                                                     \
          sums[j] += values[j];                                                                                                \
      }                                                                                                                        \
  }                                                                                                                            \
                                                                                                                               \
  SW_CPU_INLINE void                                                                                                           \
      add_squares_##type (gint64 n, gint64 width, const Type *values, gint64 step, const double *means, double *restrict sums) \
  {                                                                                                                            \
    gint64 k = 0;                                                                                                              \
                                                                                                                               \
    for (; k + 4 <= n; k += 4, values += 4 * step)                                                                             \
      {                                                                                                                        \
        for (gint64 j = 0; j < width; j++)                                                                                     \
          {                                                                                                                    \
            double a = values[j] - means[j], b = values[j + step] - means[j];                                                  \
            double c = values[j + 2 * step] - means[j], d = values[j + 3 * step] - means[j];                                   \
                                                                                                                               \
            sums[j] += (a * a + b * b) + (c * c + d * d);                                                                      \
          }                                                                                                                    \
      }                                                                                                                        \
    for (; k < n; k++, values += step)                                                                                         \
      {                                                                                                                        \
        for (gint64 j = 0; j < width; j++)                                                                                     \
          sums[j] += (values[j] - means[j]) * (values[j] - means[j]);                                                          \
      }                                                                                                                        \
  }                                                                                                                            \
                                                                                                                               \
  SW_CPU_INLINE void                                                                                                           \
      layer_norm_columns_##type##_at_level PARAMETERS                                                                          \
  {                                                                                                                            \
    const Type *weights = weight, *biases = bias;                                                                              \
    double means[SW_CPU_MAX_COLUMNS], scales[SW_CPU_MAX_COLUMNS];                                                              \
                                                                                                                               \
    memset (means, 0, width * sizeof *means);                                                                                  \
    memset (scales, 0, width * sizeof *scales);                                                                                \
    add_rows_##type (n, width, input, input_step, means);                                                                      \
    for (gint64 j = 0; j < width; j++)                                                                                         \
      means[j] /= n;                                                                                                           \
    add_squares_##type (n, width, input, input_step, means, scales);                                                           \
    for (gint64 j = 0; j < width; j++)                                                                                         \
      scales[j] = 1 / sqrt (scales[j] / n + epsilon);                                                                          \
    for (gint64 k = 0; k < n; k++)                                                                                             \
      {                                                                                                                        \
        const Type *values = (const Type *) input + k * input_step;                                                            \
        Type *restrict results = (Type *) result + k * result_step;                                                            \
        double w = weights != NULL ? weights[k] : 1, b = biases != NULL ? biases[k] : 0;                                       \
                                                                                                                               \
        for (gint64 j = 0; j < width; j++)                                                                                     \
          results[j] = (Type) ((values[j] - means[j]) * scales[j] * w + b);                                                    \
      }                                                                                                                        \
  }                                                                                                                            \
                                                                                                                               \
  DEFINE_PUBLIC (layer_norm_columns, type)

DEFINE_LAYER_NORM (float32, float)
DEFINE_LAYER_NORM (float64, double)

#define DEFINE_CUMSUM(type, Type)                                   \
  SW_CPU_INLINE void                                                \
      cumsum_columns_##type##_at_level PARAMETERS                   \
  {                                                                 \
    double sums[SW_CPU_MAX_COLUMNS];                                \
                                                                    \
    for (gint64 j = 0; j < width; j++)                              \
      sums[j] = -0.0;                                               \
    for (gint64 k = 0; k < n; k++)                                  \
      {                                                             \
        const Type *values = (const Type *) input + k * input_step; \
        Type *restrict results = (Type *) result + k * result_step; \
                                                                    \
        for (gint64 j = 0; j < width; j++)                          \
          {                                                         \
            sums[j] += values[j];                                   \
            results[j] = (Type) sums[j];                            \
          }                                                         \
      }                                                             \
  }                                                                 \
                                                                    \
  DEFINE_PUBLIC (cumsum_columns, type)

DEFINE_CUMSUM (float32, float)
DEFINE_CUMSUM (float64, double)
