/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <math.h>

#include "sw/carriers/cpu/sw-cpu-exp-private.h"
#include "sw/carriers/cpu/sw-cpu-math-private.h"
#include "sw/carriers/cpu/sw-cpu-rows-private.h"

/* Values that do not lie side by side are brought there, so many at a time. */
#define N_GATHERED 256

#define DEFINE_RUN(type, Type)                                                                                        \
  static void                                                                                                         \
      run_##type (SwCpuMathRow row, gint64 n, const Type *input, gint64 input_step, Type *result, gint64 result_step) \
  {                                                                                                                   \
    Type gathered[N_GATHERED];                                                                                        \
                                                                                                                      \
    if (input_step == 1 && result_step == 1)                                                                          \
      {                                                                                                               \
        row (n, input, result);                                                                                       \
        return;                                                                                                       \
      }                                                                                                               \
    for (gint64 first = 0; first < n; first += N_GATHERED)                                                            \
      {                                                                                                               \
        gint64 count = MIN (n - first, N_GATHERED);                                                                   \
                                                                                                                      \
        for (gint64 i = 0; i < count; i++)                                                                            \
          gathered[i] = input[(first + i) * input_step];                                                              \
        row (count, gathered, gathered);                                                                              \
        for (gint64 i = 0; i < count; i++)                                                                            \
          result[(first + i) * result_step] = gathered[i];                                                            \
      }                                                                                                               \
  }

DEFINE_RUN (float32, float)
DEFINE_RUN (float64, double)

#define DEFINE_FUNCTION(name, NAME)                                                                           \
  static gboolean                                                                                             \
      name##_float32 (gint64 n, gconstpointer input, gint64 input_step, gpointer result, gint64 result_step)  \
  {                                                                                                           \
    run_float32 (sw_cpu_math_get ()->float32[SW_CPU_MATH_##NAME], n, input, input_step, result, result_step); \
    return FALSE;                                                                                             \
  }                                                                                                           \
                                                                                                              \
  static gboolean                                                                                             \
      name##_float64 (gint64 n, gconstpointer input, gint64 input_step, gpointer result, gint64 result_step)  \
  {                                                                                                           \
    run_float64 (sw_cpu_math_get ()->float64[SW_CPU_MATH_##NAME], n, input, input_step, result, result_step); \
    return FALSE;                                                                                             \
  }                                                                                                           \
                                                                                                              \
  const SwCpuUnaryKernel sw_cpu_##name##_kernel = { { sw_cpu_run_unary }, SW_CPU_REAL_ROWS (name), SW_CPU_WORK_MUCH, SW_CPU_MATH_CODES };

DEFINE_FUNCTION (sqrt, SQRT)
DEFINE_FUNCTION (rsqrt, RSQRT)
DEFINE_FUNCTION (exp2, EXP2)
DEFINE_FUNCTION (log, LOG)
DEFINE_FUNCTION (log2, LOG2)
DEFINE_FUNCTION (sin, SIN)
DEFINE_FUNCTION (cos, COS)
DEFINE_FUNCTION (erf, ERF)
DEFINE_FUNCTION (gelu, GELU)
DEFINE_FUNCTION (softplus, SOFTPLUS)

/* t = y / (y + 2) for y = e^2x - 1 and positive x, which is 1 from LIMIT on; within 2 units in the last place, as SLEEF's
 * function is, and several times faster. What y + 2 lost is given back: 1 / (y + 2) is (1 - t) / 2. */
#define DEFINE_TANH(name, type, Type, f, LIMIT)                           \
  SW_CPU_INLINE Type                                                      \
      tanh_of_##type (Type x)                                             \
  {                                                                       \
    Type size = fabs##f (x), y, sum, lost, t;                             \
                                                                          \
    y = sw_expm1_##type (2 * (size > LIMIT ? LIMIT : size));              \
    sum = y + 2;                                                          \
    lost = y < 2 ? y - (sum - 2) : 2 - (sum - y);                         \
    t = y / sum;                                                          \
    return copysign##f (t - t * lost * ((Type) 0.5 - (Type) 0.5 * t), x); \
  }                                                                       \
                                                                          \
  SW_CPU_DEFINE_UNARY (name, type, Type, Type, tanh_of_##type (x))

DEFINE_TANH (plain_tanh, float32, float, f, 9.2f)
DEFINE_TANH (tanh, float64, double, , 19.2)

SW_CPU_DEFINE_UNARY (plain_exp, float32, float, float, sw_exp_float32 (x))
SW_CPU_DEFINE_UNARY (exp, float64, double, double, sw_exp_float64 (x))

/* e^-|x| does not overflow, and its inaccuracy is not multiplied. Below the limit of silu the sigmoid is zero to any accuracy, and minus
 * infinity times zero would be no number. */
#define DEFINE_SIGMOID(prefix, type, Type, f)                                    \
  SW_CPU_INLINE Type                                                             \
      sigmoid_of_##type (Type x)                                                 \
  {                                                                              \
    Type small = sw_exp_##type (-fabs##f (x));                                   \
                                                                                 \
    return (x < 0 ? small : 1) / (1 + small);                                    \
  }                                                                              \
                                                                                 \
  SW_CPU_DEFINE_UNARY (prefix##sigmoid, type, Type, Type, sigmoid_of_##type (x)) \
  SW_CPU_DEFINE_UNARY (prefix##silu, type, Type, Type,                           \
                       (x < (Type) -800 ? (Type) -800 : x) * sigmoid_of_##type (x))

DEFINE_SIGMOID (plain_, float32, float, f)
DEFINE_SIGMOID (, float64, double, )

/* By the library's own vectors of the level; where there are none, what the compiler makes of plain arithmetic. */
#define DEFINE_MATH_OR_VECTOR(name)                                                                          \
  static gboolean                                                                                            \
      name##_float32 (gint64 n, gconstpointer input, gint64 input_step, gpointer result, gint64 result_step) \
  {                                                                                                          \
    SwCpuMathRow row = sw_cpu_math_get ()->name##_float32;                                                   \
                                                                                                             \
    if (row == NULL)                                                                                         \
      return plain_##name##_float32 (n, input, input_step, result, result_step);                             \
    run_float32 (row, n, input, input_step, result, result_step);                                            \
    return FALSE;                                                                                            \
  }                                                                                                          \
                                                                                                             \
  const SwCpuUnaryKernel sw_cpu_##name##_kernel = { { sw_cpu_run_unary }, SW_CPU_REAL_ROWS (name), SW_CPU_WORK_MUCH, { [SW_DTYPE_FLOAT32] = SW_CPU_CODE_MATH_OR_VECTOR } };

DEFINE_MATH_OR_VECTOR (exp)
DEFINE_MATH_OR_VECTOR (tanh)
DEFINE_MATH_OR_VECTOR (sigmoid)
DEFINE_MATH_OR_VECTOR (silu)
