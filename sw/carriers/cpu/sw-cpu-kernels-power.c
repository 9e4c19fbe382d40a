/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

#include "sw/carriers/sw-integer-functions-private.h"
#include "sw/carriers/sw-real-functions-private.h"

/* Powers and rests: scalar code, whose time goes into each value. */

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

SW_CPU_DEFINE_BINARY (pow, float32, float, float, powf (a, b))
SW_CPU_DEFINE_BINARY (pow, float64, double, double, pow (a, b))
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

const SwCpuBinaryKernel sw_cpu_pow_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (pow), explain_power, SW_CPU_WORK_MUCH };
const SwCpuBinaryKernel sw_cpu_rem_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (rem), explain_rest, SW_CPU_WORK_MUCH };
