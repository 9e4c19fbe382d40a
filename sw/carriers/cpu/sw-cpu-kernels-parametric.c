/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

#include "sw/carriers/cpu/sw-cpu-exp-private.h"

#define KEEP_BETWEEN(x, a, b) (((x) < (a) ? (a) : (x)) > (b) ? (b) : ((x) < (a) ? (a) : (x)))

/* As minimum (maximum (x, a), b): where the limits are in the wrong order, the upper one counts; what is not a number stays
 * so, and a limit that is none makes all results so, which is found out once for all values. */
#define DEFINE_REAL(type, Type)                                          \
  SW_CPU_INLINE Type                                                     \
      clamped_##type (Type x, Type a, Type b)                            \
  {                                                                      \
    if (a != a || b != b)                                                \
      return a != a ? a : b;                                             \
    x = x < a ? a : x;                                                   \
    return x > b ? b : x;                                                \
  }                                                                      \
                                                                         \
  SW_CPU_DEFINE_PARAMETRIC (clamp, type, Type, clamped_##type (x, a, b)) \
  SW_CPU_DEFINE_PARAMETRIC (leaky_relu, type, Type, x < 0 ? x * a : x)   \
  SW_CPU_DEFINE_PARAMETRIC (elu, type, Type, x < 0 ? a * sw_expm1_##type (x) : x)

DEFINE_REAL (float32, float)
DEFINE_REAL (float64, double)
SW_CPU_DEFINE_PARAMETRIC (clamp, int32, gint32, KEEP_BETWEEN (x, a, b))
SW_CPU_DEFINE_PARAMETRIC (clamp, int64, gint64, KEEP_BETWEEN (x, a, b))

const SwCpuParametricKernel sw_cpu_clamp_kernel = { { sw_cpu_run_parametric }, SW_CPU_NUMBER_ROWS (clamp) };
const SwCpuParametricKernel sw_cpu_leaky_relu_kernel = { { sw_cpu_run_parametric }, SW_CPU_REAL_ROWS (leaky_relu) };
const SwCpuParametricKernel sw_cpu_elu_kernel = { { sw_cpu_run_parametric }, SW_CPU_REAL_ROWS (elu), SW_CPU_WORK_MUCH };
