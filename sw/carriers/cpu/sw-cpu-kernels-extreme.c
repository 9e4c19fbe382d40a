/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

/* Not a number wins: as a by the second comparison, as b because it is neither less nor greater. */
#define DEFINE_EXTREME(name, operator)                                                    \
  SW_CPU_DEFINE_BINARY (name, float32, float, float, (a operator b) | (a != a) ? a : b)   \
  SW_CPU_DEFINE_BINARY (name, float64, double, double, (a operator b) | (a != a) ? a : b) \
  SW_CPU_DEFINE_BINARY (name, int32, gint32, gint32, a operator b ? a : b)                \
  SW_CPU_DEFINE_BINARY (name, int64, gint64, gint64, a operator b ? a : b)                \
                                                                                          \
  const SwCpuBinaryKernel sw_cpu_##name##_kernel = { { sw_cpu_run_binary }, SW_CPU_NUMBER_ROWS (name) };

DEFINE_EXTREME (maximum, >=)
DEFINE_EXTREME (minimum, <=)
