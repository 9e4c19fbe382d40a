/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-lines-private.h"

#include <math.h>

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

#define DEFINE_SOFTMAX(type, Type)                                  \
  SW_CPU_INLINE void                                                \
      softmax_columns_##type##_at_level PARAMETERS                  \
  {                                                                 \
    Type largest[SW_CPU_MAX_COLUMNS], scales[SW_CPU_MAX_COLUMNS];   \
    double sums[SW_CPU_MAX_COLUMNS];                                \
                                                                    \
    for (gint64 j = 0; j < width; j++)                              \
      {                                                             \
        largest[j] = -INFINITY;                                     \
        sums[j] = 0;                                                \
      }                                                             \
    for (gint64 k = 0; k < n; k++)                                  \
      {                                                             \
        const Type *values = (const Type *) input + k * input_step; \
                                                                    \
        for (gint64 j = 0; j < width; j++)                          \
          largest[j] = LARGER (values[j], largest[j]);              \
      }                                                             \
    for (gint64 k = 0; k < n; k++)                                  \
      {                                                             \
        const Type *values = (const Type *) input + k * input_step; \
        Type *restrict powers = (Type *) result + k * result_step;  \
                                                                    \
        for (gint64 j = 0; j < width; j++)                          \
          {                                                         \
            powers[j] = sw_exp_##type (values[j] - largest[j]);     \
            sums[j] += powers[j];                                   \
          }                                                         \
      }                                                             \
    for (gint64 j = 0; j < width; j++)                              \
      scales[j] = (Type) (1 / sums[j]);                             \
    for (gint64 k = 0; k < n; k++)                                  \
      {                                                             \
        Type *restrict powers = (Type *) result + k * result_step;  \
                                                                    \
        for (gint64 j = 0; j < width; j++)                          \
          powers[j] *= scales[j];                                   \
      }                                                             \
  }                                                                 \
                                                                    \
  DEFINE_PUBLIC (softmax_columns, type)

DEFINE_SOFTMAX (float32, float)
DEFINE_SOFTMAX (float64, double)

#define DEFINE_LAYER_NORM(type, Type)                                                    \
  SW_CPU_INLINE void                                                                     \
      layer_norm_columns_##type##_at_level PARAMETERS                                    \
  {                                                                                      \
    const Type *weights = weight, *biases = bias;                                        \
    double means[SW_CPU_MAX_COLUMNS] = { 0 }, scales[SW_CPU_MAX_COLUMNS] = { 0 };        \
                                                                                         \
    for (gint64 k = 0; k < n; k++)                                                       \
      {                                                                                  \
        const Type *values = (const Type *) input + k * input_step;                      \
                                                                                         \
        for (gint64 j = 0; j < width; j++)                                               \
          means[j] += values[j];                                                         \
      }                                                                                  \
    for (gint64 j = 0; j < width; j++)                                                   \
      means[j] /= n;                                                                     \
    for (gint64 k = 0; k < n; k++)                                                       \
      {                                                                                  \
        const Type *values = (const Type *) input + k * input_step;                      \
                                                                                         \
        for (gint64 j = 0; j < width; j++)                                               \
          scales[j] += (values[j] - means[j]) * (values[j] - means[j]);                  \
      }                                                                                  \
    for (gint64 j = 0; j < width; j++)                                                   \
      scales[j] = 1 / sqrt (scales[j] / n + epsilon);                                    \
    for (gint64 k = 0; k < n; k++)                                                       \
      {                                                                                  \
        const Type *values = (const Type *) input + k * input_step;                      \
        Type *restrict results = (Type *) result + k * result_step;                      \
        double w = weights != NULL ? weights[k] : 1, b = biases != NULL ? biases[k] : 0; \
                                                                                         \
        for (gint64 j = 0; j < width; j++)                                               \
          results[j] = (Type) ((values[j] - means[j]) * scales[j] * w + b);              \
      }                                                                                  \
  }                                                                                      \
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
