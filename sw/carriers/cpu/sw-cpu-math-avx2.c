/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-math-private.h"

#ifdef SW_CPU_MATH_X86

#include <string.h>

/* Before the headers, which declare what this target has. */
#pragma GCC target("avx2,fma")

#include <immintrin.h>
#include <sleef.h>

#define N_FLOATS 8
#define N_DOUBLES 4
#define SLEEF_FLOAT(name, ulp) Sleef_##name##f8_##ulp##avx2
#define SLEEF_DOUBLE(name, ulp) Sleef_##name##d4_##ulp##avx2
#define FMA_FLOAT _mm256_fmadd_ps
#define FMA_DOUBLE _mm256_fmadd_pd
#define SQRT_FLOAT _mm256_sqrt_ps
#define SQRT_DOUBLE _mm256_sqrt_pd

#include "sw/carriers/cpu/sw-cpu-math-vectors-private.h"

const SwCpuMath sw_cpu_math_avx2 = { "avx2", ROWS (float32), ROWS (float64) };

#endif
