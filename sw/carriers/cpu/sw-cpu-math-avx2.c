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
#define ALL_LESS(x, limit) (_mm256_movemask_ps (_mm256_cmp_ps (x, _mm256_set1_ps (limit), _CMP_LT_OQ)) == 0xff)
#define NO_SIGNS(bits) (_mm256_movemask_ps ((__m256) (bits)) == 0)
#define ALL_SET(mask) (_mm256_movemask_pd ((__m256d) (mask)) == 0xf)
#define ANY_SET(mask) (_mm256_movemask_pd ((__m256d) (mask)) != 0)
#define MIN_DOUBLE _mm256_min_pd
#define MAX_DOUBLE _mm256_max_pd
#define LOW_DOUBLES(x) _mm256_cvtps_pd (_mm256_castps256_ps128 (x))
#define HIGH_DOUBLES(x) _mm256_cvtps_pd (_mm256_extractf128_ps (x, 1))
#define JOIN_DOUBLES(low, high) _mm256_set_m128 (_mm256_cvtpd_ps (high), _mm256_cvtpd_ps (low))
#define MIN_FLOAT _mm256_min_ps
#define MAX_FLOAT _mm256_max_ps
#define SCALE_FLOAT(y, k) scale_floats ((y), (FloatBits) __builtin_convertvector((k), FloatBits))
#define RECIPROCAL_FLOAT improved_reciprocal
#define SQRT_FLOAT _mm256_sqrt_ps
#define SQRT_DOUBLE _mm256_sqrt_pd

/* The processor's has 12 bits. */
static inline __m256
improved_reciprocal (__m256 x)
{
  __m256 y = _mm256_rcp_ps (x);

  return _mm256_mul_ps (y, _mm256_fnmadd_ps (x, y, _mm256_set1_ps (2)));
}

#include "sw/carriers/cpu/sw-cpu-math-vectors-private.h"

const SwCpuMath sw_cpu_math_avx2 = {
  "avx2",
  ROWS (float32),
  ROWS (float64),
  exp_float32,
  tanh_float32,
  sigmoid_float32,
  silu_float32,
  pow_float32,
  pow_float64,
};

#endif
