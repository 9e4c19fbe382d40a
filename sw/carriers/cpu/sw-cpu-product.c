/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-product-private.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* What every processor has: vectors of 16 bytes, which the compiler makes of whatever there is. */
typedef float Floats __attribute__ ((vector_size (16)));
typedef double Doubles __attribute__ ((vector_size (16)));

#define DEFINE_ACCESS(name, Type, Vector)           \
  SW_CPU_INLINE Vector                              \
      load_##name (const Type *from, int n)         \
  {                                                 \
    Vector vector = { 0 };                          \
                                                    \
    for (int i = 0; i < n; i++)                     \
      vector[i] = from[i];                          \
    return vector;                                  \
  }                                                 \
                                                    \
  SW_CPU_INLINE Vector                              \
      load_whole_##name (const Type *from)          \
  {                                                 \
    Vector vector;                                  \
                                                    \
    memcpy (&vector, from, sizeof vector);          \
    return vector;                                  \
  }                                                 \
                                                    \
  SW_CPU_INLINE void                                \
      store_##name (Type *to, int n, Vector vector) \
  {                                                 \
    for (int i = 0; i < n; i++)                     \
      to[i] = vector[i];                            \
  }

DEFINE_ACCESS (floats, float, Floats)
DEFINE_ACCESS (doubles, double, Doubles)

#define NAME(name) name##_float32
#define TYPE float
#define VECTOR Floats
#define N_LANES 4
#define MAX_VECTORS 2
#define MAX_COLUMNS 4
#define LOAD(from) load_whole_floats (from)
#define STORE(to, vector) memcpy (to, &(vector), sizeof (Floats))
#define LOAD_SOME(from, n) load_floats (from, n)
#define STORE_SOME(to, n, vector) store_floats (to, n, vector)
#define MULTIPLY_ADD(vector, factor, sum) ((sum) + (vector) * (factor))
#include "sw/carriers/cpu/sw-cpu-product-tiles-private.h"

#define NAME(name) name##_float64
#define TYPE double
#define VECTOR Doubles
#define N_LANES 2
#define MAX_VECTORS 2
#define MAX_COLUMNS 4
#define LOAD(from) load_whole_doubles (from)
#define STORE(to, vector) memcpy (to, &(vector), sizeof (Doubles))
#define LOAD_SOME(from, n) load_doubles (from, n)
#define STORE_SOME(to, n, vector) store_doubles (to, n, vector)
#define MULTIPLY_ADD(vector, factor, sum) ((sum) + (vector) * (factor))
#include "sw/carriers/cpu/sw-cpu-product-tiles-private.h"

const SwCpuProducts sw_cpu_products_base = { multiply_float32, multiply_float64, sum_float32, sum_float64 };

static const SwCpuProducts *
get_products (void)
{
#ifdef SW_CPU_HAVE_LEVELS
  if (sw_cpu_level == SW_CPU_LEVEL_AVX512)
    return &sw_cpu_products_avx512;
  if (sw_cpu_level == SW_CPU_LEVEL_AVX2)
    return &sw_cpu_products_avx2;
#endif
  return &sw_cpu_products_base;
}

SwCpuProductFunc
sw_cpu_product_get (SwDType dtype)
{
  return dtype == SW_DTYPE_FLOAT32 ? get_products ()->float32 : get_products ()->float64;
}

SwCpuSumFunc
sw_cpu_sum_get (SwDType dtype)
{
  return dtype == SW_DTYPE_FLOAT32 ? get_products ()->sum_float32 : get_products ()->sum_float64;
}
