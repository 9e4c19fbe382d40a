/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

#include "sw/carriers/sw-real-functions-private.h"

#define DEFINE_LIBRARY_FUNCTION(name)                              \
  SW_CPU_DEFINE_UNARY (name, float32, float, float, , name##f (x)) \
  SW_CPU_DEFINE_UNARY (name, float64, double, double, , name (x))  \
                                                                   \
  const SwCpuUnaryKernel sw_cpu_##name##_kernel = { { sw_cpu_run_unary }, SW_CPU_REAL_ROWS (name) };

DEFINE_LIBRARY_FUNCTION (exp2)
DEFINE_LIBRARY_FUNCTION (log)
DEFINE_LIBRARY_FUNCTION (log2)
DEFINE_LIBRARY_FUNCTION (sin)
DEFINE_LIBRARY_FUNCTION (cos)
DEFINE_LIBRARY_FUNCTION (tanh)
DEFINE_LIBRARY_FUNCTION (erf)

#define DEFINE_FORMULA(name)                                                 \
  SW_CPU_DEFINE_UNARY (name, float32, float, float, , (float) sw_##name (x)) \
  SW_CPU_DEFINE_UNARY (name, float64, double, double, , sw_##name (x))       \
                                                                             \
  const SwCpuUnaryKernel sw_cpu_##name##_kernel = { { sw_cpu_run_unary }, SW_CPU_REAL_ROWS (name) };

DEFINE_FORMULA (gelu)
DEFINE_FORMULA (softplus)
