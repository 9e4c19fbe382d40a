/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

#include <math.h>

/* The smallest integer is the one whose negation keeps the sign. */
#define DEFINE_NEGATION(type, Type, Unsigned)           \
  SW_CPU_INLINE Type                                    \
      one_neg_##type (Type x, Type *bad)                \
  {                                                     \
    Type negated = (Type) (0 - (Unsigned) x);           \
                                                        \
    *bad |= x & negated;                                \
    return negated;                                     \
  }                                                     \
  SW_CPU_DEFINE_UNARY_ROW (neg, type, Type, Type, Type) \
                                                        \
  SW_CPU_INLINE Type                                    \
      one_abs_##type (Type x, Type *bad)                \
  {                                                     \
    Type negated = (Type) (0 - (Unsigned) x);           \
                                                        \
    *bad |= x & negated;                                \
    return x < 0 ? negated : x;                         \
  }                                                     \
  SW_CPU_DEFINE_UNARY_ROW (abs, type, Type, Type, Type)

DEFINE_NEGATION (int32, gint32, guint32)
DEFINE_NEGATION (int64, gint64, guint64)

#define DEFINE_REAL(type, Type, f)                                    \
  SW_CPU_DEFINE_UNARY (neg, type, Type, Type, -x)                     \
  SW_CPU_DEFINE_UNARY (abs, type, Type, Type, fabs##f (x))            \
  SW_CPU_DEFINE_UNARY (sign, type, Type, Type, x > 0 ? 1 : x < 0 ? -1 \
                                                       : x == 0  ? 0  \
                                                                 : x)  \
  SW_CPU_DEFINE_UNARY (floor, type, Type, Type, floor##f (x))         \
  SW_CPU_DEFINE_UNARY (ceil, type, Type, Type, ceil##f (x))           \
  SW_CPU_DEFINE_UNARY (round, type, Type, Type, rint##f (x))          \
  /* Not a number stays so: it is not below zero. */                  \
  SW_CPU_DEFINE_UNARY (relu, type, Type, Type, x <= 0 ? 0 : x)        \
  SW_CPU_DEFINE_UNARY (recip, type, Type, Type, 1 / x)                \
  SW_CPU_DEFINE_UNARY (logical_not, type, Type, guint8, x == 0)

#define DEFINE_INTEGER(type, Type)                                \
  SW_CPU_DEFINE_UNARY (sign, type, Type, Type, (x > 0) - (x < 0)) \
  SW_CPU_DEFINE_UNARY (same, type, Type, Type, x)                 \
  SW_CPU_DEFINE_UNARY (relu, type, Type, Type, MAX (x, 0))        \
  SW_CPU_DEFINE_UNARY (logical_not, type, Type, guint8, x == 0)

DEFINE_REAL (float32, float, f)
DEFINE_REAL (float64, double, )
DEFINE_INTEGER (int32, gint32)
DEFINE_INTEGER (int64, gint64)
SW_CPU_DEFINE_UNARY (logical_not, bool, guint8, guint8, x == 0)

/* Integers are round already. */
#define ROUNDING_ROWS(operation)              \
  {                                           \
    [SW_DTYPE_FLOAT32] = operation##_float32, \
    [SW_DTYPE_FLOAT64] = operation##_float64, \
    [SW_DTYPE_INT32] = same_int32,            \
    [SW_DTYPE_INT64] = same_int64,            \
  }

const SwCpuUnaryKernel sw_cpu_neg_kernel = { { sw_cpu_run_unary }, SW_CPU_NUMBER_ROWS (neg) };
const SwCpuUnaryKernel sw_cpu_abs_kernel = { { sw_cpu_run_unary }, SW_CPU_NUMBER_ROWS (abs) };
const SwCpuUnaryKernel sw_cpu_sign_kernel = { { sw_cpu_run_unary }, SW_CPU_NUMBER_ROWS (sign) };
const SwCpuUnaryKernel sw_cpu_floor_kernel = { { sw_cpu_run_unary }, ROUNDING_ROWS (floor) };
const SwCpuUnaryKernel sw_cpu_ceil_kernel = { { sw_cpu_run_unary }, ROUNDING_ROWS (ceil) };
const SwCpuUnaryKernel sw_cpu_round_kernel = { { sw_cpu_run_unary }, ROUNDING_ROWS (round) };
const SwCpuUnaryKernel sw_cpu_relu_kernel = { { sw_cpu_run_unary }, SW_CPU_NUMBER_ROWS (relu) };
const SwCpuUnaryKernel sw_cpu_recip_kernel = { { sw_cpu_run_unary }, SW_CPU_REAL_ROWS (recip) };
const SwCpuUnaryKernel sw_cpu_logical_not_kernel = { { sw_cpu_run_unary }, SW_CPU_ALL_ROWS (logical_not) };
