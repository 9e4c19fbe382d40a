/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <string.h>

#include "sw/carriers/sw-wide-int-private.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"
#include "sw/carriers/cpu/sw-cpu-vector-private.h"

#ifdef SW_CPU_HAVE_LEVELS
#include <immintrin.h>
#endif

/* As many additions as are in flight at once, and as many as make a block of a pairwise sum. */
#define N_LANES 32
#define BLOCK_FLOAT32 ((gint64) 1 << 16) /* Their accumulators have twice the digits. */
#define BLOCK_FLOAT64 4096
/* The sum of so many 32 bit integers fits into 64 bits. */
#define INTEGER_BLOCK ((gint64) 1 << 31)

static void
start_reals (gpointer accumulators,
             gint64 n)
{
  memset (accumulators, 0, n * sizeof (double));
}

static void
start_integers (gpointer accumulators,
                gint64 n)
{
  memset (accumulators, 0, n * sizeof (SwWideInt));
}

SW_CPU_INLINE double
fold_lanes (double *lanes)
{
  for (int width = N_LANES / 2; width > 0; width /= 2)
    {
      for (int k = 0; k < width; k++)
        lanes[k] += lanes[k + width];
    }
  return lanes[0];
}

/* A block of less than 2 * BLOCK values. */
static double
sum_some_float32 (gint64 n,
                  const float *input,
                  gint64 step);
static double
sum_some_float64 (gint64 n,
                  const double *input,
                  gint64 step);

/* Real values are summed in double, in blocks whose sums are added pairwise: for Float32 this is better than any order
 * of additions in Float32. */
#define DEFINE_REAL_SUM(type, Type, BLOCK)                                                                                              \
  SW_CPU_INLINE double                                                                                                                  \
      all_of_block_##type (gint64 n, const Type *input, gint64 step)                                                                    \
  {                                                                                                                                     \
    double lanes[N_LANES] = { 0 };                                                                                                      \
    gint64 i = 0;                                                                                                                       \
                                                                                                                                        \
    for (; i + N_LANES <= n; i += N_LANES)                                                                                              \
      {                                                                                                                                 \
        for (int k = 0; step == 1 && k < N_LANES; k += SW_CPU_LINE_LENGTH (Type))                                                       \
          SW_CPU_ASK_FOR (input, i + k, Type, 0);                                                                                       \
        for (int k = 0; k < N_LANES; k++)                                                                                               \
          lanes[k] += input[(i + k) * step];                                                                                            \
      }                                                                                                                                 \
    for (int k = 0; i < n; i++, k++)                                                                                                    \
      lanes[k] += input[i * step];                                                                                                      \
    return fold_lanes (lanes);                                                                                                          \
  }                                                                                                                                     \
                                                                                                                                        \
  SW_CPU_INLINE double                                                                                                                  \
      sum_block_##type##_at_level (gint64 n, const Type *input, gint64 step)                                                            \
  {                                                                                                                                     \
    return step == 1 ? all_of_block_##type (n, input, 1) : all_of_block_##type (n, input, step);                                        \
  }                                                                                                                                     \
                                                                                                                                        \
  SW_CPU_DEFINE_LEVELS (double, sum_block_##type,                                                                                       \
                        (gint64 n, const Type *input, gint64 step),                                                                     \
                        (n, input, step))                                                                                               \
                                                                                                                                        \
  static double                                                                                                                         \
      sum_pairwise_##type (gint64 n, const Type *input, gint64 step)                                                                    \
  {                                                                                                                                     \
    gint64 half = n / (2 * BLOCK) * BLOCK;                                                                                              \
                                                                                                                                        \
    if (half == 0)                                                                                                                      \
      return sum_some_##type (n, input, step);                                                                                          \
    return sum_pairwise_##type (half, input, step) + sum_pairwise_##type (n - half, input + half * step, step);                         \
  }                                                                                                                                     \
                                                                                                                                        \
  static void                                                                                                                           \
      add_row_##type (gpointer accumulator, gint64 n, gconstpointer input, gint64 step)                                                 \
  {                                                                                                                                     \
    *(double *) accumulator += sum_pairwise_##type (n, input, step);                                                                    \
  }                                                                                                                                     \
                                                                                                                                        \
  SW_CPU_INLINE void                                                                                                                    \
      add_columns_##type##_at_level (gpointer accumulators, gint64 n, gconstpointer input, gint64 step)                                 \
  {                                                                                                                                     \
    double *restrict sums = accumulators;                                                                                               \
    const Type *values = input;                                                                                                         \
                                                                                                                                        \
    if (step == 1)                                                                                                                      \
      {                                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                                                  \
          sums[i] += values[i];                                                                                                         \
        return;                                                                                                                         \
      }                                                                                                                                 \
    for (gint64 i = 0; i < n; i++)                                                                                                      \
      sums[i] += values[i * step];                                                                                                      \
  }                                                                                                                                     \
                                                                                                                                        \
  SW_CPU_DEFINE_LEVELS (void, add_columns_##type,                                                                                       \
                        (gpointer accumulators, gint64 n, gconstpointer input, gint64 step),                                            \
                        (accumulators, n, input, step))                                                                                 \
                                                                                                                                        \
  SW_CPU_INLINE void                                                                                                                    \
      add_rows_of_columns_##type##_at_level (gpointer accumulators, gint64 n, gconstpointer input, gint64 n_rows, gint64 step)          \
  {                                                                                                                                     \
    double *restrict sums = accumulators;                                                                                               \
    const Type *values = input;                                                                                                         \
    gint64 r = 0;                                                                                                                       \
                                                                                                                                        \
    for (; r + 4 <= n_rows; r += 4, values += 4 * step)                                                                                 \
      {                                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                                                  \
          sums[i] += ((double) values[i] + values[i + step]) + ((double) values[i + 2 * step] + values[i + 3 * step]);                  \
      }                                                                                                                                 \
    for (; r + 2 <= n_rows; r += 2, values += 2 * step)                                                                                 \
      {                                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                                                  \
          sums[i] += (double) values[i] + values[i + step];                                                                             \
      }                                                                                                                                 \
    for (; r < n_rows; r++, values += step)                                                                                             \
      {                                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                                                  \
          sums[i] += values[i];                                                                                                         \
      }                                                                                                                                 \
  }                                                                                                                                     \
                                                                                                                                        \
  SW_CPU_DEFINE_LEVELS (void, add_rows_of_columns_##type,                                                                               \
                        (gpointer accumulators, gint64 n, gconstpointer input, gint64 n_rows, gint64 step),                             \
                        (accumulators, n, input, n_rows, step))

#define DEFINE_REAL_FINISH(name, Type, Rounded)                                          \
  static gboolean                                                                        \
      finish_##name (gconstpointer accumulators, gint64 n, gpointer result, gint64 step) \
  {                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                       \
      ((Type *) result)[i * step] = (Rounded) ((const double *) accumulators)[i];        \
    return FALSE;                                                                        \
  }

/* Integers are summed exactly; only totals can be out of range. */
#define DEFINE_INTEGER_SUM(type, Type)                                                       \
  static void                                                                                \
      add_columns_##type (gpointer accumulators, gint64 n, gconstpointer input, gint64 step) \
  {                                                                                          \
    for (gint64 i = 0; i < n; i++)                                                           \
      sw_wide_int_add ((SwWideInt *) accumulators + i, ((const Type *) input)[i * step]);    \
  }                                                                                          \
                                                                                             \
  static gboolean                                                                            \
      finish_##type (gconstpointer accumulators, gint64 n, gpointer result, gint64 step)     \
  {                                                                                          \
    gboolean overflows = FALSE;                                                              \
                                                                                             \
    for (gint64 i = 0; i < n; i++)                                                           \
      {                                                                                      \
        gint64 total;                                                                        \
                                                                                             \
        overflows |= !sw_wide_int_get ((const SwWideInt *) accumulators + i, &total);        \
        overflows |= total != (Type) total;                                                  \
        ((Type *) result)[i * step] = (Type) total;                                          \
      }                                                                                      \
    return overflows;                                                                        \
  }

DEFINE_REAL_SUM (float32, float, BLOCK_FLOAT32)
DEFINE_REAL_SUM (float64, double, BLOCK_FLOAT64)

#ifdef SW_CPU_HAVE_LEVELS
/* The same additions in the same order; the compiler by itself loads each value twice. @lanes are the caller's: it would give an
 * array of these functions' own the alignment of whole registers, which frames under AddressSanitizer do not have. */
#define ADD_4(sum, k) sum = _mm256_add_pd (sum, _mm256_cvtps_pd (_mm_loadu_ps (input + i + (k))))
#define ADD_8(sum, k) sum = _mm512_add_pd (sum, _mm512_cvtps_pd (_mm256_loadu_ps (input + i + (k))))

static double
sum_rest (gint64 n,
          const float *input,
          double *lanes)
{
  for (gint64 i = 0; i < n; i++)
    lanes[i] += input[i];
  return fold_lanes (lanes);
}

SW_CPU_TARGET_AVX2 static double
sum_contiguous_in_avx2 (gint64 n,
                        const float *input,
                        double *lanes)
{
  __m256d a = _mm256_setzero_pd (), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  gint64 i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    {
      ADD_4 (a, 0);
      ADD_4 (b, 4);
      ADD_4 (c, 8);
      ADD_4 (d, 12);
      ADD_4 (e, 16);
      ADD_4 (f, 20);
      ADD_4 (g, 24);
      ADD_4 (h, 28);
    }
  _mm256_storeu_pd (lanes, a);
  _mm256_storeu_pd (lanes + 4, b);
  _mm256_storeu_pd (lanes + 8, c);
  _mm256_storeu_pd (lanes + 12, d);
  _mm256_storeu_pd (lanes + 16, e);
  _mm256_storeu_pd (lanes + 20, f);
  _mm256_storeu_pd (lanes + 24, g);
  _mm256_storeu_pd (lanes + 28, h);
  return sum_rest (n - i, input + i, lanes);
}

SW_CPU_TARGET_AVX512 static double
sum_contiguous_in_avx512 (gint64 n,
                          const float *input,
                          double *lanes)
{
  __m512d a = _mm512_setzero_pd (), b = a, c = a, d = a;
  gint64 i = 0;

  for (; i + N_LANES <= n; i += N_LANES)
    {
      ADD_8 (a, 0);
      ADD_8 (b, 8);
      ADD_8 (c, 16);
      ADD_8 (d, 24);
    }
  _mm512_storeu_pd (lanes, a);
  _mm512_storeu_pd (lanes + 8, b);
  _mm512_storeu_pd (lanes + 16, c);
  _mm512_storeu_pd (lanes + 24, d);
  return sum_rest (n - i, input + i, lanes);
}
#endif

static double
sum_some_float32 (gint64 n,
                  const float *input,
                  gint64 step)
{
#ifdef SW_CPU_HAVE_LEVELS
  double lanes[N_LANES];

  if (step == 1 && sw_cpu_level == SW_CPU_LEVEL_AVX512)
    return sum_contiguous_in_avx512 (n, input, lanes);
  if (step == 1 && sw_cpu_level == SW_CPU_LEVEL_AVX2)
    return sum_contiguous_in_avx2 (n, input, lanes);
#endif
  return sum_block_float32 (n, input, step);
}

static double
sum_some_float64 (gint64 n,
                  const double *input,
                  gint64 step)
{
  return sum_block_float64 (n, input, step);
}
DEFINE_REAL_FINISH (float32, float, float)
DEFINE_REAL_FINISH (float64, double, double)
DEFINE_REAL_FINISH (narrow, double, float)
DEFINE_INTEGER_SUM (int32, gint32)
DEFINE_INTEGER_SUM (int64, gint64)

#define DEFINE_INTEGER_ROW(type, Type)                                                                   \
  SW_CPU_INLINE void                                                                                     \
      sum_block_##type##_at_level (SwWideInt *sum, gint64 n, const Type *input, gint64 step)             \
  {                                                                                                      \
    if (step == 1)                                                                                       \
      all_of_block_##type (sum, n, input, 1);                                                            \
    else                                                                                                 \
      all_of_block_##type (sum, n, input, step);                                                         \
  }                                                                                                      \
                                                                                                         \
  SW_CPU_DEFINE_LEVELS (void, sum_block_##type,                                                          \
                        (SwWideInt * sum, gint64 n, const Type *input, gint64 step),                     \
                        (sum, n, input, step))                                                           \
                                                                                                         \
  static void                                                                                            \
      add_row_##type (gpointer accumulator, gint64 n, gconstpointer input, gint64 step)                  \
  {                                                                                                      \
    for (gint64 i = 0; i < n; i += INTEGER_BLOCK)                                                        \
      sum_block_##type (accumulator, MIN (n - i, INTEGER_BLOCK), (const Type *) input + i * step, step); \
  }

SW_CPU_INLINE void
all_of_block_int32 (SwWideInt *sum,
                    gint64 n,
                    const gint32 *input,
                    gint64 step)
{
  gint64 total = 0;

  for (gint64 i = 0; i < n; i++)
    total += input[i * step];
  sw_wide_int_add (sum, total);
}

/* The upper and the lower halves on their own, which cannot overflow. */
SW_CPU_INLINE void
all_of_block_int64 (SwWideInt *sum,
                    gint64 n,
                    const gint64 *input,
                    gint64 step)
{
  guint64 low = 0;
  gint64 high = 0;

  for (gint64 i = 0; i < n; i++)
    {
      low += (guint32) input[i * step];
      high += input[i * step] >> 32;
    }
  sw_wide_int_add_halves (sum, high, low);
}

DEFINE_INTEGER_ROW (int32, gint32)
DEFINE_INTEGER_ROW (int64, gint64)

static void
combine_reals (gpointer accumulator,
               gconstpointer later)
{
  *(double *) accumulator += *(const double *) later;
}

static void
combine_integers (gpointer accumulator,
                  gconstpointer later)
{
  SwWideInt *sum = accumulator;
  const SwWideInt *other = later;
  guint64 low = sum->low + other->low;

  sum->high += other->high + (low < other->low ? 1 : 0);
  sum->low = low;
}

static const SwCpuFold fold_float32 = { sizeof (double), start_reals, add_row_float32, add_columns_float32, finish_float32, combine_reals, add_rows_of_columns_float32 };
static const SwCpuFold fold_float64 = { sizeof (double), start_reals, add_row_float64, add_columns_float64, finish_float64, combine_reals, add_rows_of_columns_float64 };
static const SwCpuFold fold_narrow = { sizeof (double), start_reals, add_row_float64, add_columns_float64, finish_narrow, combine_reals, add_rows_of_columns_float64 };
static const SwCpuFold fold_int32 = { sizeof (SwWideInt), start_integers, add_row_int32, add_columns_int32, finish_int32, combine_integers, .columns_code = SW_CPU_CODE_SCALAR };
static const SwCpuFold fold_int64 = { sizeof (SwWideInt), start_integers, add_row_int64, add_columns_int64, finish_int64, combine_integers, .columns_code = SW_CPU_CODE_SCALAR };

const SwCpuReduceKernel sw_cpu_reduce_sum_kernel = {
  { sw_cpu_run_reduce },
  {
      [SW_DTYPE_FLOAT32] = &fold_float32,
      [SW_DTYPE_FLOAT64] = &fold_float64,
      [SW_DTYPE_INT32] = &fold_int32,
      [SW_DTYPE_INT64] = &fold_int64,
  },
  &fold_narrow,
};
