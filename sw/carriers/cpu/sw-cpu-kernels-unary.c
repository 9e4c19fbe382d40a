/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/cpu/sw-cpu-exp-private.h"

/* Defines the row function @operation_@type of a unary operation from an inline function of the same name with "one_"
 * before it, which computes one value and may set the sign bit of *bad to report overflow. */
#define DEFINE_ROW(operation, type, Type, Result)                                       \
  SW_CPU_INLINE gboolean                                                                \
      all_##operation##_##type (gint64 n,                                               \
                                const Type *input,                                      \
                                gint64 input_step,                                      \
                                Result *restrict result,                                \
                                gint64 result_step)                                     \
  {                                                                                     \
    Type bad = 0;                                                                       \
                                                                                        \
    for (gint64 i = 0; i < n; i++)                                                      \
      result[i * result_step] = one_##operation##_##type (input[i * input_step], &bad); \
    return bad < 0;                                                                     \
  }                                                                                     \
                                                                                        \
  SW_CPU_WIDE_ROW static gboolean                                                       \
      operation##_##type (gint64 n,                                                     \
                          gconstpointer input,                                          \
                          gint64 input_step,                                            \
                          gpointer result,                                              \
                          gint64 result_step)                                           \
  {                                                                                     \
    if (result_step == 1 && input_step == 1)                                            \
      return all_##operation##_##type (n, input, 1, result, 1);                         \
    return all_##operation##_##type (n, input, input_step, result, result_step);        \
  }

/* No overflow to report. */
#define DEFINE_SIMPLE(operation, type, Type, Result, expression) \
  SW_CPU_INLINE Result                                           \
      one_##operation##_##type (Type x, Type *bad)               \
  {                                                              \
    return expression;                                           \
  }                                                              \
  DEFINE_ROW (operation, type, Type, Result)

/* The smallest integer is the one whose negation keeps the sign. */
#define DEFINE_NEGATION(type, Type, Unsigned) \
  SW_CPU_INLINE Type                          \
      one_neg_##type (Type x, Type *bad)      \
  {                                           \
    Type negated = (Type) (0 - (Unsigned) x); \
                                              \
    *bad |= x & negated;                      \
    return negated;                           \
  }                                           \
  DEFINE_ROW (neg, type, Type, Type)

DEFINE_SIMPLE (neg, float32, float, float, -x)
DEFINE_SIMPLE (neg, float64, double, double, -x)
DEFINE_NEGATION (int32, gint32, guint32)
DEFINE_NEGATION (int64, gint64, guint64)

DEFINE_SIMPLE (exp, float32, float, float, sw_exp_float32 (x))
DEFINE_SIMPLE (exp, float64, double, double, sw_exp_float64 (x))
DEFINE_SIMPLE (exp, int32, gint32, double, sw_exp_float64 (x))
DEFINE_SIMPLE (exp, int64, gint64, double, sw_exp_float64 ((double) x))

/* Not a number stays so: it is not below zero. */
DEFINE_SIMPLE (relu, float32, float, float, x <= 0 ? 0 : x)
DEFINE_SIMPLE (relu, float64, double, double, x <= 0 ? 0 : x)
DEFINE_SIMPLE (relu, int32, gint32, gint32, MAX (x, 0))
DEFINE_SIMPLE (relu, int64, gint64, gint64, MAX (x, 0))

#define ROWS(operation)                       \
  {                                           \
    [SW_DTYPE_FLOAT32] = operation##_float32, \
    [SW_DTYPE_FLOAT64] = operation##_float64, \
    [SW_DTYPE_INT32] = operation##_int32,     \
    [SW_DTYPE_INT64] = operation##_int64,     \
  }

const SwCpuUnaryKernel sw_cpu_neg_kernel = { { sw_cpu_run_unary }, ROWS (neg) };
const SwCpuUnaryKernel sw_cpu_exp_kernel = { { sw_cpu_run_unary }, ROWS (exp) };
const SwCpuUnaryKernel sw_cpu_relu_kernel = { { sw_cpu_run_unary }, ROWS (relu) };
