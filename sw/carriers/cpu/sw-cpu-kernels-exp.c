/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

#include <math.h>

#include "sw/carriers/cpu/sw-cpu-exp-private.h"

/* What is made of e^x and plain arithmetic. e^-|x| does not overflow, and its inaccuracy is not multiplied. */

#define DEFINE_REAL(type, Type, f)                                                                             \
  SW_CPU_INLINE Type                                                                                           \
      sigmoid_of_##type (Type x)                                                                               \
  {                                                                                                            \
    Type small = sw_exp_##type (-fabs##f (x));                                                                 \
                                                                                                               \
    return (x < 0 ? small : 1) / (1 + small);                                                                  \
  }                                                                                                            \
                                                                                                               \
  SW_CPU_DEFINE_UNARY (sigmoid, type, Type, Type, sigmoid_of_##type (x))                                       \
  /* Below the limit the sigmoid is zero to any accuracy, and minus infinity times zero would be no number. */ \
  SW_CPU_DEFINE_UNARY (silu, type, Type, Type,                                                                 \
                       (x < (Type) -800 ? (Type) -800 : x) * sigmoid_of_##type (x))

DEFINE_REAL (float32, float, f)
DEFINE_REAL (float64, double, )

const SwCpuUnaryKernel sw_cpu_sigmoid_kernel = { { sw_cpu_run_unary }, SW_CPU_REAL_ROWS (sigmoid), SW_CPU_WORK_MUCH };
const SwCpuUnaryKernel sw_cpu_silu_kernel = { { sw_cpu_run_unary }, SW_CPU_REAL_ROWS (silu), SW_CPU_WORK_MUCH };
