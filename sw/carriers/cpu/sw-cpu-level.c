/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-level-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

SwCpuLevel sw_cpu_level = SW_CPU_LEVEL_BASE;

static const char *const names[SW_CPU_N_LEVELS] = {
  [SW_CPU_LEVEL_BASE] = "base",
  [SW_CPU_LEVEL_AVX2] = "avx2",
  [SW_CPU_LEVEL_AVX512] = "avx512",
};

const char *
sw_cpu_level_get_name (SwCpuLevel level)
{
  return names[level];
}

SwCpuLevel
sw_cpu_level_get_highest (void)
{
#ifdef SW_CPU_HAVE_LEVELS
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma"))
    return SW_CPU_LEVEL_BASE;
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
      __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512vl"))
    return SW_CPU_LEVEL_AVX512;
  return SW_CPU_LEVEL_AVX2;
#else
  return SW_CPU_LEVEL_BASE;
#endif
}

/* The environment can only lower it: whoever compares results or speeds of levels has each processor's. What it does not
 * know, or the processor does not have, it leaves as it is. */
__attribute__ ((constructor)) static void
choose_level (void)
{
  const char *wanted = g_getenv ("STRIDEWEAVE_SIMD");

#ifdef SW_CPU_HAVE_LEVELS
  __builtin_cpu_init ();
#endif
  sw_cpu_level = sw_cpu_level_get_highest ();
  for (guint level = 0; wanted != NULL && level < sw_cpu_level; level++)
    {
      if (g_str_equal (wanted, names[level]))
        sw_cpu_level = level;
    }
}
