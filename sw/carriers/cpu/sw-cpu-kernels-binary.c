/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* Defines the row function @operation_@type of a binary operation from an inline function of the same name with
 * "one_" before it, which computes one value and may set the sign bit of *bad to report overflow. */
#define DEFINE_ROW(operation, type, Type, Result, Bad)                                                 \
  SW_CPU_INLINE gboolean                                                                               \
      all_##operation##_##type (gint64 n,                                                              \
                                const Type *lhs,                                                       \
                                gint64 lhs_step,                                                       \
                                const Type *rhs,                                                       \
                                gint64 rhs_step,                                                       \
                                Result *restrict result,                                               \
                                gint64 result_step)                                                    \
  {                                                                                                    \
    Bad bad = 0;                                                                                       \
                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                     \
      result[i * result_step] = one_##operation##_##type (lhs[i * lhs_step], rhs[i * rhs_step], &bad); \
    return bad < 0;                                                                                    \
  }                                                                                                    \
                                                                                                       \
  SW_CPU_ROW static gboolean                                                                           \
      operation##_##type (gint64 n,                                                                    \
                          gconstpointer lhs,                                                           \
                          gint64 lhs_step,                                                             \
                          gconstpointer rhs,                                                           \
                          gint64 rhs_step,                                                             \
                          gpointer result,                                                             \
                          gint64 result_step)                                                          \
  {                                                                                                    \
    if (result_step == 1 && lhs_step == 1 && rhs_step == 1)                                            \
      return all_##operation##_##type (n, lhs, 1, rhs, 1, result, 1);                                  \
    if (result_step == 1 && lhs_step == 1 && rhs_step == 0)                                            \
      return all_##operation##_##type (n, lhs, 1, rhs, 0, result, 1);                                  \
    if (result_step == 1 && lhs_step == 0 && rhs_step == 1)                                            \
      return all_##operation##_##type (n, lhs, 0, rhs, 1, result, 1);                                  \
    return all_##operation##_##type (n, lhs, lhs_step, rhs, rhs_step, result, result_step);            \
  }

/* No overflow to report. */
#define DEFINE_REAL(operation, type, Type, Result, expression) \
  SW_CPU_INLINE Result                                         \
      one_##operation##_##type (Type a, Type b, gint32 *bad)   \
  {                                                            \
    return expression;                                         \
  }                                                            \
  DEFINE_ROW (operation, type, Type, Result, gint32)

/* Two's complement: a sum has overflowed when its sign differs from both signs; a difference, when the signs differ
 * and the result's is not that of the first. */
#define DEFINE_SUM(type, Type, Unsigned)              \
  SW_CPU_INLINE Type                                  \
      one_add_##type (Type a, Type b, Type *bad)      \
  {                                                   \
    Type sum = (Type) ((Unsigned) a + (Unsigned) b);  \
                                                      \
    *bad |= (a ^ sum) & (b ^ sum);                    \
    return sum;                                       \
  }                                                   \
  DEFINE_ROW (add, type, Type, Type, Type)            \
                                                      \
  SW_CPU_INLINE Type                                  \
      one_sub_##type (Type a, Type b, Type *bad)      \
  {                                                   \
    Type rest = (Type) ((Unsigned) a - (Unsigned) b); \
                                                      \
    *bad |= (a ^ b) & (a ^ rest);                     \
    return rest;                                      \
  }                                                   \
  DEFINE_ROW (sub, type, Type, Type, Type)

DEFINE_SUM (int32, gint32, guint32)
DEFINE_SUM (int64, gint64, guint64)

SW_CPU_INLINE gint32
one_mul_int32 (gint32 a, gint32 b, gint64 *bad)
{
  gint64 product = (gint64) a * b;
  gint64 lost = product ^ (gint32) product;

  /* The sign bit, when anything at all is lost. */
  *bad |= lost | -lost;
  return (gint32) product;
}
DEFINE_ROW (mul, int32, gint32, gint32, gint64)

SW_CPU_INLINE gint64
one_mul_int64 (gint64 a, gint64 b, gint32 *bad)
{
  gint64 product;

  *bad |= -(gint32) __builtin_mul_overflow (a, b, &product);
  return product;
}
DEFINE_ROW (mul, int64, gint64, gint64, gint32)

DEFINE_REAL (add, float32, float, float, a + b)
DEFINE_REAL (add, float64, double, double, a + b)
DEFINE_REAL (sub, float32, float, float, a - b)
DEFINE_REAL (sub, float64, double, double, a - b)
DEFINE_REAL (mul, float32, float, float, a *b)
DEFINE_REAL (mul, float64, double, double, a *b)
DEFINE_REAL (div, float32, float, float, a / b)
DEFINE_REAL (div, float64, double, double, a / b)
DEFINE_REAL (div, int32, gint32, double, (double) a / (double) b)
DEFINE_REAL (div, int64, gint64, double, (double) a / (double) b)
/* Not a number wins: as a by the second comparison, as b because it is not less. */
DEFINE_REAL (maximum, float32, float, float, (a >= b) | (a != a) ? a : b)
DEFINE_REAL (maximum, float64, double, double, (a >= b) | (a != a) ? a : b)
DEFINE_REAL (maximum, int32, gint32, gint32, a >= b ? a : b)
DEFINE_REAL (maximum, int64, gint64, gint64, a >= b ? a : b)

#define ROWS(operation)                       \
  {                                           \
    [SW_DTYPE_FLOAT32] = operation##_float32, \
    [SW_DTYPE_FLOAT64] = operation##_float64, \
    [SW_DTYPE_INT32] = operation##_int32,     \
    [SW_DTYPE_INT64] = operation##_int64,     \
  }

const SwCpuBinaryKernel sw_cpu_add_kernel = { { sw_cpu_run_binary }, ROWS (add) };
const SwCpuBinaryKernel sw_cpu_sub_kernel = { { sw_cpu_run_binary }, ROWS (sub) };
const SwCpuBinaryKernel sw_cpu_mul_kernel = { { sw_cpu_run_binary }, ROWS (mul) };
const SwCpuBinaryKernel sw_cpu_elementwise_mul_kernel = { { sw_cpu_run_binary }, ROWS (mul) };
const SwCpuBinaryKernel sw_cpu_div_kernel = { { sw_cpu_run_binary }, ROWS (div) };
const SwCpuBinaryKernel sw_cpu_maximum_kernel = { { sw_cpu_run_binary }, ROWS (maximum) };
