/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Powers of floats, for sw-cpu-math-vectors-private.h, which says what it needs. POW_BY_TABLES, which stands for AVX-512, also needs
 *
 * LOOK_UP_DOUBLE (table, slots): a value of 16 for each of the slots, of which the lowest 4 bits count
 * LIMIT_DOUBLE (x, limit): x, no farther from zero than the limit
 * LOW_FLOATS (x), HIGH_FLOATS (x), LOW_BITS (x), HIGH_BITS (x): either half of floats and of integers */

/* The signs of powers of negative numbers: not a number for fractional exponents. */
static inline Floats
apply_signs (Floats power,
             Floats a,
             Floats b)
{
  FloatBits is_negative = (FloatBits) a < 0;
  FloatBits is_small = (Floats) ((FloatBits) b & G_MAXINT32) < 0x1p24f;
  Floats small = (Floats) ((FloatBits) b & is_small); /* larger ones are even */
  FloatBits whole = __builtin_convertvector (small, FloatBits);
  FloatBits is_fraction = __builtin_convertvector (whole, Floats) != small;

  return (Floats) (((FloatBits) power ^ ((whole << 31) & is_negative)) | (is_negative & is_fraction));
}

#ifdef POW_BY_TABLES

/* 1 / c and log2 (c) for the middles of 16 intervals from 47/64 to 47/32, by the first bits of a mantissa. c is 1 in the first, from 63/64 to
 * 33/32, so that the logarithms of numbers near 1 are exact enough. */
static const double pow_reciprocals[16] __attribute__ ((aligned (64))) = {
  0x1.0000000000000p+0, 0x1.e1e1e1e1e1e1ep-1, 0x1.c71c71c71c71cp-1, 0x1.af286bca1af28p-1,
  0x1.999999999999ap-1, 0x1.8618618618618p-1, 0x1.745d1745d1746p-1, 0x1.642c8590b2164p-1,
  0x1.5555555555555p+0, 0x1.47ae147ae147bp+0, 0x1.3b13b13b13b14p+0, 0x1.2f684bda12f68p+0,
  0x1.2492492492492p+0, 0x1.1a7b9611a7b96p+0, 0x1.1111111111111p+0, 0x1.0842108421084p+0,
};
static const double pow_logarithms[16] __attribute__ ((aligned (64))) = {
  0x0.0000000000000p+0, 0x1.663f6fac91318p-4, 0x1.5c01a39fbd68bp-3, 0x1.fbc16b902680dp-3,
  0x1.49a784bcd1b8ap-2, 0x1.91bba891f170ap-2, 0x1.d6753e032ea0ep-2, 0x1.0c10500d63aa7p-1,
  -0x1.a8ff971810a5dp-2, -0x1.6cb0f6865c8ebp-2, -0x1.32bfee370ee6ap-2, -0x1.f5fd8a9063e32p-3,
  -0x1.8a8980abfbd30p-3, -0x1.22dadc2ab3496p-3, -0x1.7d60496cfbb4bp-4, -0x1.77394c9d958d0p-5,
};

/* The bits of b log2 (m 2^e) + POW_SHIFT: integers in the upper halves, and in the lower ones fractions from -1/2 to 1/2. The limit is
 * beyond all finite results. */
#define POW_SHIFT 0x1.8p20
#define POW_SHIFT_BITS 0x41380000 /* its upper half */
#define POW_LIMIT 200

static inline __m512i
multiply_log2 (__m256 b,
               __m256 m,
               __m256i e)
{
  Doubles zero = { 0 };
  Doubles x = (Doubles) _mm512_cvtps_pd (m);
  __m512i slots = (__m512i) (((DoubleBits) x + 0x0000800000000000) >> 48);
  Doubles r = (Doubles) FMA_DOUBLE (x, LOOK_UP_DOUBLE (pow_reciprocals, slots), zero - 1), square = r * r;
  Doubles first = (Doubles) FMA_DOUBLE (zero - 0x1.715476514cbe8p-1, r, zero + 0x1.71547652bd999p+0);
  Doubles second = (Doubles) FMA_DOUBLE (zero - 0x1.7154b3a544ba9p-2, r, zero + 0x1.ec70974848ee9p-2);
  Doubles third = (Doubles) FMA_DOUBLE (zero - 0x1.eab2a8d02d52fp-3, r, zero + 0x1.27c0a07f7e8c7p-2);
  Doubles whole = (Doubles) _mm512_cvtepi32_pd (e) + (Doubles) LOOK_UP_DOUBLE (pow_logarithms, slots), y;

  third = (Doubles) FMA_DOUBLE (third, square, second);
  third = (Doubles) FMA_DOUBLE (third, square, first);
  y = (Doubles) _mm512_cvtps_pd (b) * (Doubles) FMA_DOUBLE (third, r, whole);
  y = (Doubles) LIMIT_DOUBLE (y, zero + POW_LIMIT) + POW_SHIFT;
  return (__m512i) y;
}

/* |a|^b for those that is_unusual_pow () does not name. */
static inline Floats
usual_pow (Floats a,
           Floats b)
{
  const __m512i evens = _mm512_set_epi32 (30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odds = _mm512_set_epi32 (31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  Floats zero = { 0 };
  FloatBits bits = (FloatBits) a & G_MAXINT32;
  FloatBits e = (bits - 0x3f3c0000) >> 23;
  Floats m = (Floats) (bits - (e << 23)), f, k, square, y;
  __m512i low = multiply_log2 (LOW_FLOATS (b), LOW_FLOATS (m), LOW_BITS (e));
  __m512i high = multiply_log2 (HIGH_FLOATS (b), HIGH_FLOATS (m), HIGH_BITS (e));
  FloatBits fraction = (FloatBits) _mm512_permutex2var_epi32 (low, evens, high);
  FloatBits whole = (FloatBits) _mm512_permutex2var_epi32 (low, odds, high);

  f = __builtin_convertvector (fraction, Floats) * 0x1p-32f;
  k = __builtin_convertvector (whole - POW_SHIFT_BITS - (fraction >> 31), Floats);
  square = f * f;
  y = (Floats) FMA_FLOAT (zero + 0x1.5f087cp-10f, f, zero + 0x1.3b2bap-7f);
  y = (Floats) FMA_FLOAT (zero + 0x1.4308f8p-13f, square, y);
  y = (Floats) FMA_FLOAT (y, square, (Floats) FMA_FLOAT (zero + 0x1.c6af6ep-5f, f, zero + 0x1.ebfbdep-3f));
  POLYNOMIAL_STEP (y, f, 0x1.62e43p-1f);
  POLYNOMIAL_STEP (y, f, 1.0f);
  return (Floats) SCALE_FLOAT (y, k);
}

/* What is negative, zero, denormal, infinite or no number. */
static inline gboolean
is_unusual_pow (Floats a,
                Floats b)
{
  return (_mm512_fpclass_ps_mask ((__m512) a, 0xff) | _mm512_fpclass_ps_mask ((__m512) b, 0x99)) != 0;
}

/* Those that usual_pow () has right get their sign, the others are SLEEF's. */
static G_GNUC_NO_INLINE Floats
finish_pow (Floats power,
            Floats a,
            Floats b)
{
  __mmask16 is_special = _mm512_fpclass_ps_mask ((__m512) a, 0xbf) | _mm512_fpclass_ps_mask ((__m512) b, 0x99);

  power = apply_signs (power, a, b);
  if (is_special == 0)
    return power;
  return (Floats) _mm512_mask_mov_ps ((__m512) power, is_special, (__m512) SLEEF_FLOAT (pow, u10) ((__m512) a, (__m512) b));
}

/* 2^(b log2 |a|), the logarithm in double. Within 1 unit in the last place. */
static inline Floats
pow_of_float32s (Floats a,
                 Floats b)
{
  Floats power = usual_pow (a, b);

  return G_UNLIKELY (is_unusual_pow (a, b)) ? finish_pow (power, a, b) : power;
}

/* Without a branch between the steps of the two. */
static inline gint64
pow_of_pairs (gint64 n,
              const float *a,
              const float *b,
              float *y)
{
  gint64 i = 0;

  for (; i + 2 * N_FLOATS <= n; i += 2 * N_FLOATS)
    {
      Floats a1 = *(const LooseFloats *) (a + i), a2 = *(const LooseFloats *) (a + i + N_FLOATS);
      Floats b1 = *(const LooseFloats *) (b + i), b2 = *(const LooseFloats *) (b + i + N_FLOATS);
      Floats first = usual_pow (a1, b1), second = usual_pow (a2, b2);

      if (G_UNLIKELY (is_unusual_pow (a1, b1) | is_unusual_pow (a2, b2)))
        {
          first = finish_pow (first, a1, b1);
          second = finish_pow (second, a2, b2);
        }
      *(LooseFloats *) (y + i) = first;
      *(LooseFloats *) (y + i + N_FLOATS) = second;
    }
  return i;
}

#define POW_OF_PAIRS pow_of_pairs

#else

/* b log2 (m 2^e) for m from sqrt (1/2) to sqrt (2), by the series of atanh (s) for s = (m - 1) / (m + 1); a reciprocal of m + 1 as a
 * float is put right by what remains of the division. The limits are beyond all finite results. */
static inline Doubles
multiply_log2 (Doubles b,
               Doubles m,
               Doubles e,
               Doubles reciprocal)
{
  Doubles zero = { 0 };
  Doubles above = m - 1, sum = m + 1, s = above * reciprocal, square, y = zero + 0x1.5ce859b41592dp-2;

  s = (Doubles) FMA_DOUBLE ((Doubles) FMA_DOUBLE (-s, sum, above), reciprocal, s);
  square = s * s;
  y = (Doubles) FMA_DOUBLE (y, square, zero + 0x1.a58d88c6ca796p-2);
  y = (Doubles) FMA_DOUBLE (y, square, zero + 0x1.27777fe796053p-1);
  y = (Doubles) FMA_DOUBLE (y, square, zero + 0x1.ec709d12d37afp-1);
  y = (Doubles) FMA_DOUBLE (y, square, zero + 0x1.71547652bede6p+1);
  y = b * (Doubles) FMA_DOUBLE (y, s, e);
  return (Doubles) MIN_DOUBLE (zero + 130, (Doubles) MAX_DOUBLE (zero - 152, y));
}

/* 2^(b log2 |a|), the logarithm in double. Zero, denormal and infinite numbers and those that are none are SLEEF's. Within 1
 * unit in the last place. */
static inline Floats
pow_of_float32s (Floats a,
                 Floats b)
{
  Floats zero = { 0 };
  FloatBits bits = (FloatBits) a & G_MAXINT32;
  FloatBits is_special = (bits < 0x00800000) | (bits >= 0x7f800000) | (((FloatBits) b & G_MAXINT32) >= 0x7f800000);
  FloatBits exponent = (bits - 0x3f3504f3) >> 23;
  Floats m = (Floats) (bits - (exponent << 23)), e = __builtin_convertvector (exponent, Floats), k, f, y;
  Floats sum = m + 1, reciprocal = (Floats) RECIPROCAL_FLOAT (sum);
  Doubles low, high, low_k, high_k;

  reciprocal *= (Floats) FMA_FLOAT (-sum, reciprocal, zero + 2);
  low = multiply_log2 ((Doubles) LOW_DOUBLES (b), (Doubles) LOW_DOUBLES (m), (Doubles) LOW_DOUBLES (e), (Doubles) LOW_DOUBLES (reciprocal));
  high = multiply_log2 ((Doubles) HIGH_DOUBLES (b), (Doubles) HIGH_DOUBLES (m), (Doubles) HIGH_DOUBLES (e), (Doubles) HIGH_DOUBLES (reciprocal));
  low_k = low + 0x1.8p52 - 0x1.8p52;
  high_k = high + 0x1.8p52 - 0x1.8p52;
  f = (Floats) JOIN_DOUBLES (low - low_k, high - high_k);
  k = (Floats) JOIN_DOUBLES (low_k, high_k);
  y = zero + 0x1.4308f8p-13f;
  POLYNOMIAL_STEP (y, f, 0x1.5f087cp-10f);
  POLYNOMIAL_STEP (y, f, 0x1.3b2bap-7f);
  POLYNOMIAL_STEP (y, f, 0x1.c6af6ep-5f);
  POLYNOMIAL_STEP (y, f, 0x1.ebfbdep-3f);
  POLYNOMIAL_STEP (y, f, 0x1.62e43p-1f);
  POLYNOMIAL_STEP (y, f, 1.0f);
  y = scale_floats (y, __builtin_convertvector (k, FloatBits));
  if (!NO_SIGNS ((FloatBits) a))
    y = apply_signs (y, a, b);
  if (G_UNLIKELY (!NO_SIGNS (is_special)))
    y = CHOOSE (Floats, FloatBits, is_special, SLEEF_FLOAT (pow, u10) (a, b), y);
  return y;
}

#define POW_OF_PAIRS(n, a, b, y) 0

#endif
