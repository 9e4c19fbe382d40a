/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"

#define DEFINE_COMPARISON(name, operator)                                      \
  SW_CPU_DEFINE_BINARY (name, float32, float, guint8, a operator b)            \
  SW_CPU_DEFINE_BINARY (name, float64, double, guint8, a operator b)           \
  SW_CPU_DEFINE_BINARY (name, int32, gint32, guint8, a operator b)             \
  SW_CPU_DEFINE_BINARY (name, int64, gint64, guint8, a operator b)             \
  SW_CPU_DEFINE_BINARY (name, bool, guint8, guint8, (a != 0) operator(b != 0)) \
                                                                               \
  const SwCpuBinaryKernel sw_cpu_##name##_kernel = { { sw_cpu_run_binary }, SW_CPU_ALL_ROWS (name) };

DEFINE_COMPARISON (eq, ==)
DEFINE_COMPARISON (ne, !=)
DEFINE_COMPARISON (lt, <)
DEFINE_COMPARISON (le, <=)
