/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-math-private.h"

#ifdef SW_CPU_MATH_X86

#include <string.h>

/* Before the headers, which declare what this target has. */
#pragma GCC target("avx512f,avx512dq")
/* Mixes the steps of two vectors, see DEFINE_FLOAT_ROW (). */
#ifdef __OPTIMIZE__
#pragma GCC optimize("schedule-insns", "sched-pressure")
#endif
#define MIXES_PAIRS 1

#include <immintrin.h>
#include <sleef.h>

#define N_FLOATS 16
#define N_DOUBLES 8
#define SLEEF_FLOAT(name, ulp) Sleef_##name##f16_##ulp##avx512f
#define SLEEF_DOUBLE(name, ulp) Sleef_##name##d8_##ulp##avx512f
#define FMA_FLOAT _mm512_fmadd_ps
#define FMA_DOUBLE _mm512_fmadd_pd
#define ALL_LESS(x, limit) (_mm512_cmp_ps_mask (x, _mm512_set1_ps (limit), _CMP_LT_OQ) == 0xffff)
#define NO_SIGNS(bits) (_mm512_movepi32_mask ((__m512i) (bits)) == 0)
#define ALL_SET(mask) (_mm512_movepi64_mask ((__m512i) (mask)) == 0xff)
#define ANY_SET(mask) (_mm512_movepi64_mask ((__m512i) (mask)) != 0)
#define MIN_DOUBLE _mm512_min_pd
#define MAX_DOUBLE _mm512_max_pd
#define LOW_DOUBLES(x) _mm512_cvtps_pd (_mm512_castps512_ps256 (x))
#define HIGH_DOUBLES(x) _mm512_cvtps_pd (_mm512_extractf32x8_ps (x, 1))
#define JOIN_DOUBLES(low, high) \
  _mm512_insertf32x8 (_mm512_castps256_ps512 (_mm512_cvtpd_ps (low)), _mm512_cvtpd_ps (high), 1)
#define MIN_FLOAT _mm512_min_ps
#define MAX_FLOAT _mm512_max_ps
#define SCALE_FLOAT _mm512_scalef_ps
#define RECIPROCAL_FLOAT _mm512_rcp14_ps
#define LOOK_UP_FLOAT(table, slots) \
  _mm512_permutex2var_ps (_mm512_load_ps (table), (__m512i) (slots), _mm512_load_ps ((table) + 16))
#define MAX_BITS(a, b) _mm512_max_epi32 ((__m512i) (a), (__m512i) (b))
#define POW_BY_TABLES 1
#define LOOK_UP_DOUBLE(table, slots) \
  _mm512_permutex2var_pd (_mm512_load_pd (table), (__m512i) (slots), _mm512_load_pd ((table) + 8))
#define LIMIT_DOUBLE(x, limit) _mm512_range_pd (x, limit, 2) /* the one nearer to zero, with the sign of the first */
#define LOW_FLOATS(x) _mm512_castps512_ps256 (x)
#define HIGH_FLOATS(x) _mm512_extractf32x8_ps (x, 1)
#define LOW_BITS(x) _mm512_castsi512_si256 ((__m512i) (x))
#define HIGH_BITS(x) _mm512_extracti32x8_epi32 ((__m512i) (x), 1)
#define SQRT_FLOAT _mm512_sqrt_ps
#define SQRT_DOUBLE _mm512_sqrt_pd

#include "sw/carriers/cpu/sw-cpu-math-vectors-private.h"

const SwCpuMath sw_cpu_math_avx512 = {
  "avx512",
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
