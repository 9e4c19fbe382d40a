/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-sort-private.h"

#ifdef SW_CPU_HAVE_LEVELS

#include <string.h>

/* Before the header, which declares what this target has. */
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")

#include <immintrin.h>

/* Quicksort of 32 bit keys: each part is divided from one memory into the other and back, sixteen keys at a time, which a
 * processor compresses to those on either side; few keys are sorted by a bitonic network, all in registers. */

#define N_KEYS 16
/* The most that a network takes. */
#define FEW (8 * N_KEYS)

#define NETWORK static inline __attribute__ ((always_inline))

/* One step of a network within a vector: each key with its partner; the larger ones go where @largest says. */
NETWORK __m512i
exchange (__m512i keys,
          __m512i partners,
          __mmask16 largest)
{
  return _mm512_mask_max_epu32 (_mm512_min_epu32 (keys, partners), largest, keys, partners);
}

NETWORK __m512i
reverse (__m512i keys)
{
  return _mm512_permutexvar_epi32 (_mm512_set_epi32 (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), keys);
}

/* Partners 1, 2, 4 and 8 places apart. */
#define APART_1(keys) _mm512_shuffle_epi32 ((keys), 0xb1)
#define APART_2(keys) _mm512_shuffle_epi32 ((keys), 0x4e)
#define APART_4(keys) _mm512_shuffle_i32x4 ((keys), (keys), 0xb1)
#define APART_8(keys) _mm512_shuffle_i32x4 ((keys), (keys), 0x4e)
/* The first of four with the last, and so on; the same of eight. */
#define FLIP_4(keys) _mm512_shuffle_epi32 ((keys), 0x1b)
#define FLIP_8(keys) APART_4 (FLIP_4 (keys))

NETWORK __m512i
sort_vector (__m512i keys)
{
  keys = exchange (keys, APART_1 (keys), 0xaaaa);
  keys = exchange (keys, FLIP_4 (keys), 0xcccc);
  keys = exchange (keys, APART_1 (keys), 0xaaaa);
  keys = exchange (keys, FLIP_8 (keys), 0xf0f0);
  keys = exchange (keys, APART_2 (keys), 0xcccc);
  keys = exchange (keys, APART_1 (keys), 0xaaaa);
  keys = exchange (keys, reverse (keys), 0xff00);
  keys = exchange (keys, APART_4 (keys), 0xf0f0);
  keys = exchange (keys, APART_2 (keys), 0xcccc);
  return exchange (keys, APART_1 (keys), 0xaaaa);
}

/* Of keys that rise and then fall, or the other way round. */
NETWORK __m512i
sort_bitonic_vector (__m512i keys)
{
  keys = exchange (keys, APART_8 (keys), 0xff00);
  keys = exchange (keys, APART_4 (keys), 0xf0f0);
  keys = exchange (keys, APART_2 (keys), 0xcccc);
  return exchange (keys, APART_1 (keys), 0xaaaa);
}

NETWORK void
order (__m512i *smaller,
       __m512i *larger)
{
  __m512i smallest = _mm512_min_epu32 (*smaller, *larger);

  *larger = _mm512_max_epu32 (*smaller, *larger);
  *smaller = smallest;
}

/* Two sorted sequences of as many vectors make one: those of the second are reversed, so that smaller ones go to the first and larger
 * ones to the second; both are bitonic then, and so on in each. Every vector is a variable of its own, which is how the compiler
 * keeps all of them in registers. */
NETWORK void
sort_bitonic_2 (__m512i *a,
                __m512i *b)
{
  order (a, b);
  *a = sort_bitonic_vector (*a);
  *b = sort_bitonic_vector (*b);
}

NETWORK void
sort_bitonic_4 (__m512i *a,
                __m512i *b,
                __m512i *c,
                __m512i *d)
{
  order (a, c);
  order (b, d);
  sort_bitonic_2 (a, b);
  sort_bitonic_2 (c, d);
}

NETWORK void
merge_2 (__m512i *a,
         __m512i *b)
{
  *b = reverse (*b);
  sort_bitonic_2 (a, b);
}

NETWORK void
merge_4 (__m512i *a,
         __m512i *b,
         __m512i *c,
         __m512i *d)
{
  __m512i last = reverse (*d);

  *d = reverse (*c);
  *c = last;
  sort_bitonic_4 (a, b, c, d);
}

NETWORK void
merge_8 (__m512i *v0,
         __m512i *v1,
         __m512i *v2,
         __m512i *v3,
         __m512i *v4,
         __m512i *v5,
         __m512i *v6,
         __m512i *v7)
{
  __m512i r4 = reverse (*v7), r5 = reverse (*v6), r6 = reverse (*v5), r7 = reverse (*v4);

  order (v0, &r4);
  order (v1, &r5);
  order (v2, &r6);
  order (v3, &r7);
  sort_bitonic_4 (v0, v1, v2, v3);
  sort_bitonic_4 (&r4, &r5, &r6, &r7);
  *v4 = r4;
  *v5 = r5;
  *v6 = r6;
  *v7 = r7;
}

/* Which of the @n keys a vector has. */
NETWORK __mmask16
get_mask (gint64 n,
          guint vector)
{
  return (__mmask16) ((1u << CLAMP (n - (gint64) vector * N_KEYS, 0, N_KEYS)) - 1);
}

/* Keys that are missing are as large as can be. */
NETWORK __m512i
load_sorted (const guint32 *from,
             gint64 n,
             guint vector)
{
  return sort_vector (_mm512_mask_loadu_epi32 (_mm512_set1_epi32 (-1), get_mask (n, vector), from + vector * N_KEYS));
}

NETWORK void
store (guint32 *to,
       gint64 n,
       guint vector,
       __m512i keys)
{
  _mm512_mask_storeu_epi32 (to + vector * N_KEYS, get_mask (n, vector), keys);
}

/* At most so many keys as the name says vectors; all are read before any is written. */
NETWORK void
sort_2 (const guint32 *from,
        guint32 *to,
        gint64 n)
{
  __m512i v0 = load_sorted (from, n, 0), v1 = load_sorted (from, n, 1);

  merge_2 (&v0, &v1);
  store (to, n, 0, v0);
  store (to, n, 1, v1);
}

NETWORK void
sort_4 (const guint32 *from,
        guint32 *to,
        gint64 n)
{
  __m512i v0 = load_sorted (from, n, 0), v1 = load_sorted (from, n, 1), v2 = load_sorted (from, n, 2), v3 = load_sorted (from, n, 3);

  merge_2 (&v0, &v1);
  merge_2 (&v2, &v3);
  merge_4 (&v0, &v1, &v2, &v3);
  store (to, n, 0, v0);
  store (to, n, 1, v1);
  store (to, n, 2, v2);
  store (to, n, 3, v3);
}

/* As sort_8 () with two vectors of the largest keys, which are not even thought of. */
static void
sort_6 (const guint32 *from,
        guint32 *to,
        gint64 n)
{
  __m512i v0 = load_sorted (from, n, 0), v1 = load_sorted (from, n, 1), v2 = load_sorted (from, n, 2), v3 = load_sorted (from, n, 3);
  __m512i v4 = load_sorted (from, n, 4), v5 = load_sorted (from, n, 5), r4, r5;

  merge_2 (&v0, &v1);
  merge_2 (&v2, &v3);
  merge_2 (&v4, &v5);
  merge_4 (&v0, &v1, &v2, &v3);
  r4 = reverse (v5);
  r5 = reverse (v4);
  order (&v2, &r4);
  order (&v3, &r5);
  sort_bitonic_4 (&v0, &v1, &v2, &v3);
  sort_bitonic_2 (&r4, &r5);
  store (to, n, 0, v0);
  store (to, n, 1, v1);
  store (to, n, 2, v2);
  store (to, n, 3, v3);
  store (to, n, 4, r4);
  store (to, n, 5, r5);
}

static void
sort_8 (const guint32 *from,
        guint32 *to,
        gint64 n)
{
  __m512i v0 = load_sorted (from, n, 0), v1 = load_sorted (from, n, 1), v2 = load_sorted (from, n, 2), v3 = load_sorted (from, n, 3);
  __m512i v4 = load_sorted (from, n, 4), v5 = load_sorted (from, n, 5), v6 = load_sorted (from, n, 6), v7 = load_sorted (from, n, 7);

  merge_2 (&v0, &v1);
  merge_2 (&v2, &v3);
  merge_2 (&v4, &v5);
  merge_2 (&v6, &v7);
  merge_4 (&v0, &v1, &v2, &v3);
  merge_4 (&v4, &v5, &v6, &v7);
  merge_8 (&v0, &v1, &v2, &v3, &v4, &v5, &v6, &v7);
  store (to, n, 0, v0);
  store (to, n, 1, v1);
  store (to, n, 2, v2);
  store (to, n, 3, v3);
  store (to, n, 4, v4);
  store (to, n, 5, v5);
  store (to, n, 6, v6);
  store (to, n, 7, v7);
}

static void
sort_few (const guint32 *from,
          guint32 *to,
          gint64 n)
{
  if (n <= 2 * N_KEYS)
    sort_2 (from, to, n);
  else if (n <= 4 * N_KEYS)
    sort_4 (from, to, n);
  else if (n <= 6 * N_KEYS)
    sort_6 (from, to, n);
  else
    sort_8 (from, to, n);
}

/* Something in the middle of three times sixteen keys. */
static guint32
choose_pivot (const guint32 *keys,
              gint64 n)
{
  __m512i a = _mm512_loadu_si512 (keys);
  __m512i b = _mm512_loadu_si512 (keys + n / 2);
  __m512i c = _mm512_loadu_si512 (keys + n - N_KEYS);
  guint32 middles[N_KEYS];

  order (&a, &b);
  order (&b, &c);
  order (&a, &b);
  _mm512_storeu_si512 (middles, sort_vector (b));
  return middles[N_KEYS / 2];
}

/* Those below @limit from the beginning of @to on, the others before its end; returns how many are below. As many places are
 * free between both as keys are left, so that a whole vector may be written after the first ones. */
static gint64
divide (const guint32 *from,
        guint32 *to,
        gint64 n,
        guint32 limit)
{
  __m512i limits = _mm512_set1_epi32 ((int) limit);
  gint64 low = 0, i = 0;

#pragma GCC unroll 4
  for (; i + N_KEYS <= n; i += N_KEYS)
    {
      __m512i keys = _mm512_loadu_si512 (from + i);
      __mmask16 below = _mm512_cmplt_epu32_mask (keys, limits);
      guint n_below = (guint) __builtin_popcount (below);

      _mm512_storeu_si512 (to + low, _mm512_maskz_compress_epi32 (below, keys));
      low += n_below;
      /* As many as are left lie between. */
      _mm512_mask_storeu_epi32 (to + low + (n - i - N_KEYS), (__mmask16) (0xffff >> n_below), _mm512_maskz_compress_epi32 ((__mmask16) ~below, keys));
    }
  if (i < n)
    {
      __mmask16 rest = (__mmask16) ((1u << (n - i)) - 1);
      __m512i keys = _mm512_maskz_loadu_epi32 (rest, from + i);
      __mmask16 below = _mm512_mask_cmplt_epu32_mask (rest, keys, limits), above = (__mmask16) (rest & ~below);
      guint n_below = (guint) __builtin_popcount (below), n_above = (guint) __builtin_popcount (above);

      _mm512_mask_storeu_epi32 (to + low, (__mmask16) ((1u << n_below) - 1), _mm512_maskz_compress_epi32 (below, keys));
      _mm512_mask_storeu_epi32 (to + low + n_below, (__mmask16) ((1u << n_above) - 1), _mm512_maskz_compress_epi32 (above, keys));
      low += n_below;
    }
  return low;
}

/* Where pivots were bad too often. */
static void
sort_by_radix (guint32 *keys,
               guint32 *other,
               gint64 n,
               guint32 *wanted)
{
  guint32 *sorted = sw_cpu_radix_sort_32 (keys, other, n);

  if (sorted != wanted)
    memcpy (wanted, sorted, n * sizeof *wanted);
}

/* The sorted keys are wanted in one of the two. @n_left: so many divisions before it is given up, and calls within calls. */
static void
sort_part (guint32 *keys,
           guint32 *other,
           gint64 n,
           gboolean is_wanted_in_other,
           guint n_left)
{
  for (; n > FEW; n_left--)
    {
      guint32 pivot = choose_pivot (keys, n);
      guint32 *swapped = keys;
      gint64 n_below;

      if (n_left == 0)
        {
          sort_by_radix (keys, other, n, is_wanted_in_other ? other : keys);
          return;
        }

      n_below = divide (keys, other, n, pivot);
      if (n_below == 0)
        {
          /* It is the smallest. Where it is the largest, too, all are alike, and it is where it is wanted in either memory. */
          n_below = pivot == G_MAXUINT32 ? n : divide (keys, other, n, pivot + 1);
          for (gint64 i = 0; i < n_below && !is_wanted_in_other; i++)
            keys[i] = pivot;
        }
      else
        {
          sort_part (other, keys, n_below, !is_wanted_in_other, n_left - 1);
        }
      keys = other + n_below;
      other = swapped + n_below;
      n -= n_below;
      is_wanted_in_other = !is_wanted_in_other;
    }
  sort_few (keys, is_wanted_in_other ? other : keys, n);
}

void
sw_cpu_quicksort_avx512 (guint32 *keys,
                         guint32 *other,
                         gint64 n,
                         guint max_depth)
{
  sort_part (keys, other, n, TRUE, max_depth);
}

#endif
