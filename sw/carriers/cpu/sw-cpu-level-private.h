/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Which instructions the kernels use, each with those before it. What is computed differs by roundings only, and only where
 * a function is documented to be within some units in the last place. */
typedef enum
{
  SW_CPU_LEVEL_BASE, /* what every processor of the architecture has: SSE2 on x86-64 */
  SW_CPU_LEVEL_AVX2, /* and FMA */
  SW_CPU_LEVEL_AVX512, /* F, DQ, BW and VL */
  SW_CPU_N_LEVELS
} SwCpuLevel;

/* Set while the library is loaded, and then constant, except in tests. */
extern SwCpuLevel sw_cpu_level;

/* What the processor has, the environment notwithstanding. */
SwCpuLevel sw_cpu_level_get_highest (void);
/* "base", "avx2", "avx512" */
const char *sw_cpu_level_get_name (SwCpuLevel level);

G_END_DECLS
