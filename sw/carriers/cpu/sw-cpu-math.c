/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-math-private.h"

#include "sw/carriers/cpu/sw-cpu-level-private.h"
#include "sw/carriers/sw-real-functions-private.h"

#define DEFINE_ROW(name, type, Type, function)                            \
  static void                                                             \
      name##_##type (gint64 n, gconstpointer input, gpointer result)      \
  {                                                                       \
    for (gint64 i = 0; i < n; i++)                                        \
      ((Type *) result)[i] = (Type) function (((const Type *) input)[i]); \
  }

#define DEFINE_FUNCTION(name)                \
  DEFINE_ROW (name, float32, float, name##f) \
  DEFINE_ROW (name, float64, double, name)

DEFINE_FUNCTION (sqrt)
DEFINE_ROW (rsqrt, float32, float, 1 / sqrtf)
DEFINE_ROW (rsqrt, float64, double, 1 / sqrt)
DEFINE_FUNCTION (exp2)
DEFINE_FUNCTION (log)
DEFINE_FUNCTION (log2)
DEFINE_FUNCTION (sin)
DEFINE_FUNCTION (cos)
DEFINE_FUNCTION (erf)
DEFINE_ROW (gelu, float32, float, sw_gelu)
DEFINE_ROW (gelu, float64, double, sw_gelu)
DEFINE_ROW (softplus, float32, float, sw_softplus)
DEFINE_ROW (softplus, float64, double, sw_softplus)

#define DEFINE_POW(type, Type, function)                                                         \
  static void                                                                                    \
      pow_##type (gint64 n, gconstpointer lhs, gconstpointer rhs, gpointer result)               \
  {                                                                                              \
    for (gint64 i = 0; i < n; i++)                                                               \
      ((Type *) result)[i] = (Type) function (((const Type *) lhs)[i], ((const Type *) rhs)[i]); \
  }

DEFINE_POW (float32, float, powf)
DEFINE_POW (float64, double, pow)

#define ROWS(type)                            \
  {                                           \
    [SW_CPU_MATH_SQRT] = sqrt_##type,         \
    [SW_CPU_MATH_RSQRT] = rsqrt_##type,       \
    [SW_CPU_MATH_EXP2] = exp2_##type,         \
    [SW_CPU_MATH_LOG] = log_##type,           \
    [SW_CPU_MATH_LOG2] = log2_##type,         \
    [SW_CPU_MATH_SIN] = sin_##type,           \
    [SW_CPU_MATH_COS] = cos_##type,           \
    [SW_CPU_MATH_ERF] = erf_##type,           \
    [SW_CPU_MATH_GELU] = gelu_##type,         \
    [SW_CPU_MATH_SOFTPLUS] = softplus_##type, \
  }

const SwCpuMath sw_cpu_math_portable = { "portable", ROWS (float32), ROWS (float64), .pow_float32 = pow_float32, .pow_float64 = pow_float64 };

const SwCpuMath *
sw_cpu_math_get (void)
{
#ifdef SW_CPU_MATH_X86
  if (sw_cpu_level == SW_CPU_LEVEL_AVX512)
    return &sw_cpu_math_avx512;
  if (sw_cpu_level == SW_CPU_LEVEL_AVX2)
    return &sw_cpu_math_avx2;
#endif
  return &sw_cpu_math_portable;
}
