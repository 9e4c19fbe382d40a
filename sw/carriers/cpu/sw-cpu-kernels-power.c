/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-math-private.h"
#include "sw/carriers/cpu/sw-cpu-rows-private.h"

#include "sw/carriers/sw-integer-functions-private.h"
#include "sw/carriers/sw-real-functions-private.h"

/* Powers, of reals in vectors, and rests, whose time goes into each value. */

#define DEFINE_INTEGER_ROWS(type, Type)                                     \
  SW_CPU_INLINE Type                                                        \
      one_pow_##type (Type a, Type b, gint32 *bad)                          \
  {                                                                         \
    gint64 power = 0;                                                       \
                                                                            \
    if (b < 0 || !sw_integer_power (a, b, &power) || power != (Type) power) \
      *bad = -1;                                                            \
    return (Type) power;                                                    \
  }                                                                         \
  SW_CPU_DEFINE_BINARY_ROW (pow, type, Type, Type, gint32)                  \
                                                                            \
  SW_CPU_INLINE Type                                                        \
      one_rem_##type (Type a, Type b, gint32 *bad)                          \
  {                                                                         \
    if (b == 0)                                                             \
      {                                                                     \
        *bad = -1;                                                          \
        return 0;                                                           \
      }                                                                     \
    return (Type) sw_integer_rest (a, b);                                   \
  }                                                                         \
  SW_CPU_DEFINE_BINARY_ROW (rem, type, Type, Type, gint32)

DEFINE_INTEGER_ROWS (int32, gint32)
DEFINE_INTEGER_ROWS (int64, gint64)

/* Values that do not lie side by side are brought there, so many at a time. */
#define N_GATHERED 256

#define DEFINE_REAL_POW(type, Type)                                                                 \
  static gboolean                                                                                   \
      pow_##type (gint64 n, gconstpointer lhs, gint64 lhs_step, gconstpointer rhs, gint64 rhs_step, \
                  gpointer result, gint64 result_step)                                              \
  {                                                                                                 \
    SwCpuMathBinaryRow row = sw_cpu_math_get ()->pow_##type;                                        \
    Type a[N_GATHERED], b[N_GATHERED];                                                              \
                                                                                                    \
    if (lhs_step == 1 && rhs_step == 1 && result_step == 1)                                         \
      {                                                                                             \
        row (n, lhs, rhs, result);                                                                  \
        return FALSE;                                                                               \
      }                                                                                             \
    for (gint64 first = 0; first < n; first += N_GATHERED)                                          \
      {                                                                                             \
        gint64 count = MIN (n - first, N_GATHERED);                                                 \
                                                                                                    \
        for (gint64 i = 0; i < count; i++)                                                          \
          {                                                                                         \
            a[i] = ((const Type *) lhs)[(first + i) * lhs_step];                                    \
            b[i] = ((const Type *) rhs)[(first + i) * rhs_step];                                    \
          }                                                                                         \
        row (count, a, b, a);                                                                       \
        for (gint64 i = 0; i < count; i++)                                                          \
          ((Type *) result)[(first + i) * result_step] = a[i];                                      \
      }                                                                                             \
    return FALSE;                                                                                   \
  }

DEFINE_REAL_POW (float32, float)
DEFINE_REAL_POW (float64, double)
SW_CPU_DEFINE_BINARY (rem, float32, float, float, (float) sw_rest (a, b))
SW_CPU_DEFINE_BINARY (rem, float64, double, double, sw_rest (a, b))

static gint64
get_integer (SwDType dtype,
             gconstpointer value)
{
  return dtype == SW_DTYPE_INT32 ? *(const gint32 *) value : *(const gint64 *) value;
}

static const char *
explain_power (SwDType dtype,
               gconstpointer rhs)
{
  return get_integer (dtype, rhs) < 0 ? SW_INTEGER_POWER_FAILURE : NULL;
}

static const char *
explain_rest (SwDType dtype,
              gconstpointer rhs)
{
  return SW_INTEGER_REST_FAILURE;
}

#define POW_CODES                          \
  {                                        \
    [SW_DTYPE_FLOAT32] = SW_CPU_CODE_MATH, \
    [SW_DTYPE_FLOAT64] = SW_CPU_CODE_MATH, \
    [SW_DTYPE_INT32] = SW_CPU_CODE_SCALAR, \
    [SW_DTYPE_INT64] = SW_CPU_CODE_SCALAR, \
  }
#define REM_CODES                            \
  {                                          \
    [SW_DTYPE_FLOAT32] = SW_CPU_CODE_SCALAR, \
    [SW_DTYPE_FLOAT64] = SW_CPU_CODE_SCALAR, \
    [SW_DTYPE_INT32] = SW_CPU_CODE_SCALAR,   \
    [SW_DTYPE_INT64] = SW_CPU_CODE_SCALAR,   \
  }

const SwCpuBinaryKernel sw_cpu_pow_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (pow), explain_power, SW_CPU_WORK_MUCH, POW_CODES };
const SwCpuBinaryKernel sw_cpu_rem_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (rem), explain_rest, SW_CPU_WORK_MUCH, REM_CODES };
