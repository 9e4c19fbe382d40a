/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-product-private.h"
#include "sw/carriers/cpu/sw-cpu-vector-private.h"

#ifdef SW_CPU_HAVE_LEVELS

/* Before the headers, which declare what this target has. */
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma,prefer-vector-width=512")

#include <immintrin.h>

#define NAME(name) name##_float32
#define TYPE float
#define VECTOR __m512
#define N_LANES 16
#define MAX_VECTORS 3
#define MAX_COLUMNS 8
#define LOAD(from) _mm512_loadu_ps (from)
#define STORE(to, vector) _mm512_storeu_ps (to, vector)
#define LOAD_SOME(from, n) _mm512_maskz_loadu_ps ((__mmask16) ((1u << (n)) - 1), from)
#define STORE_SOME(to, n, vector) _mm512_mask_storeu_ps (to, (__mmask16) ((1u << (n)) - 1), vector)
#define MULTIPLY_ADD(vector, factor, sum) _mm512_fmadd_ps (vector, _mm512_set1_ps (factor), sum)
#include "sw/carriers/cpu/sw-cpu-product-tiles-private.h"

#define NAME(name) name##_float64
#define TYPE double
#define VECTOR __m512d
#define N_LANES 8
#define MAX_VECTORS 3
#define MAX_COLUMNS 8
#define LOAD(from) _mm512_loadu_pd (from)
#define STORE(to, vector) _mm512_storeu_pd (to, vector)
#define LOAD_SOME(from, n) _mm512_maskz_loadu_pd ((__mmask8) ((1u << (n)) - 1), from)
#define STORE_SOME(to, n, vector) _mm512_mask_storeu_pd (to, (__mmask8) ((1u << (n)) - 1), vector)
#define MULTIPLY_ADD(vector, factor, sum) _mm512_fmadd_pd (vector, _mm512_set1_pd (factor), sum)
#include "sw/carriers/cpu/sw-cpu-product-tiles-private.h"

const SwCpuProducts sw_cpu_products_avx512 = { multiply_float32, multiply_float64, sum_float32, sum_float64 };

#endif
