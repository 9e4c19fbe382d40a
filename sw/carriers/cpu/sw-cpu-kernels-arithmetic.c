/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

/* Two's complement: a sum has overflowed when its sign differs from both signs; a difference, when the signs differ
 * and the result's is not that of the first. */
#define DEFINE_SUM(type, Type, Unsigned)                 \
  SW_CPU_INLINE Type                                     \
      one_add_##type (Type a, Type b, Type *bad)         \
  {                                                      \
    Type sum = (Type) ((Unsigned) a + (Unsigned) b);     \
                                                         \
    *bad |= (a ^ sum) & (b ^ sum);                       \
    return sum;                                          \
  }                                                      \
  SW_CPU_DEFINE_BINARY_ROW (add, type, Type, Type, Type) \
                                                         \
  SW_CPU_INLINE Type                                     \
      one_sub_##type (Type a, Type b, Type *bad)         \
  {                                                      \
    Type rest = (Type) ((Unsigned) a - (Unsigned) b);    \
                                                         \
    *bad |= (a ^ b) & (a ^ rest);                        \
    return rest;                                         \
  }                                                      \
  SW_CPU_DEFINE_BINARY_ROW (sub, type, Type, Type, Type)

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
SW_CPU_DEFINE_BINARY_ROW (mul, int32, gint32, gint32, gint64)

SW_CPU_INLINE gint64
one_mul_int64 (gint64 a, gint64 b, gint32 *bad)
{
  gint64 product;

  *bad |= -(gint32) __builtin_mul_overflow (a, b, &product);
  return product;
}
SW_CPU_DEFINE_BINARY_ROW (mul, int64, gint64, gint64, gint32)

SW_CPU_DEFINE_BINARY (add, float32, float, float, a + b)
SW_CPU_DEFINE_BINARY (add, float64, double, double, a + b)
SW_CPU_DEFINE_BINARY (sub, float32, float, float, a - b)
SW_CPU_DEFINE_BINARY (sub, float64, double, double, a - b)
SW_CPU_DEFINE_BINARY (mul, float32, float, float, a *b)
SW_CPU_DEFINE_BINARY (mul, float64, double, double, a *b)
SW_CPU_DEFINE_BINARY (div, float32, float, float, a / b)
SW_CPU_DEFINE_BINARY (div, float64, double, double, a / b)

/* No instruction tells of many products at once whether they overflow 64 bits. */
#define CHECKED_PRODUCT_CODES             \
  {                                       \
    [SW_DTYPE_INT64] = SW_CPU_CODE_SCALAR \
  }

const SwCpuBinaryKernel sw_cpu_add_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (add) };
const SwCpuBinaryKernel sw_cpu_sub_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (sub) };
const SwCpuBinaryKernel sw_cpu_mul_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (mul), .codes = CHECKED_PRODUCT_CODES };
const SwCpuBinaryKernel sw_cpu_elementwise_mul_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (mul), .codes = CHECKED_PRODUCT_CODES };
const SwCpuBinaryKernel sw_cpu_div_kernel = { { sw_cpu_run_binary }, SW_CPU_REAL_ROWS (div) };
