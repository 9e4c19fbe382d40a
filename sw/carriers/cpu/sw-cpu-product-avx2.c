/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-product-private.h"
#include "sw/carriers/cpu/sw-cpu-vector-private.h"

#ifdef SW_CPU_HAVE_LEVELS

/* Before the headers, which declare what this target has. */
#pragma GCC target("avx2,fma")

#include <immintrin.h>

static inline __m256i
get_mask_of_floats (int n)
{
  return _mm256_cmpgt_epi32 (_mm256_set1_epi32 (n), _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7));
}

static inline __m256i
get_mask_of_doubles (int n)
{
  return _mm256_cmpgt_epi64 (_mm256_set1_epi64x (n), _mm256_setr_epi64x (0, 1, 2, 3));
}

#define NAME(name) name##_float32
#define TYPE float
#define VECTOR __m256
#define N_LANES 8
#define MAX_VECTORS 3
#define MAX_COLUMNS 4
#define LOAD(from) _mm256_loadu_ps (from)
#define STORE(to, vector) _mm256_storeu_ps (to, vector)
#define LOAD_SOME(from, n) _mm256_maskload_ps (from, get_mask_of_floats (n))
#define STORE_SOME(to, n, vector) _mm256_maskstore_ps (to, get_mask_of_floats (n), vector)
#define MULTIPLY_ADD(vector, factor, sum) _mm256_fmadd_ps (vector, _mm256_set1_ps (factor), sum)
#include "sw/carriers/cpu/sw-cpu-product-tiles-private.h"

#define NAME(name) name##_float64
#define TYPE double
#define VECTOR __m256d
#define N_LANES 4
#define MAX_VECTORS 3
#define MAX_COLUMNS 4
#define LOAD(from) _mm256_loadu_pd (from)
#define STORE(to, vector) _mm256_storeu_pd (to, vector)
#define LOAD_SOME(from, n) _mm256_maskload_pd (from, get_mask_of_doubles (n))
#define STORE_SOME(to, n, vector) _mm256_maskstore_pd (to, get_mask_of_doubles (n), vector)
#define MULTIPLY_ADD(vector, factor, sum) _mm256_fmadd_pd (vector, _mm256_set1_pd (factor), sum)
#include "sw/carriers/cpu/sw-cpu-product-tiles-private.h"

const SwCpuProducts sw_cpu_products_avx2 = { multiply_float32, multiply_float64, sum_float32, sum_float64 };

#endif
