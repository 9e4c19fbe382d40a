/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Functions of floats that SLEEF has slowly or not at all, for sw-cpu-math-vectors-private.h, which says what it needs. All
 * polynomials are those with the least largest error. */

#define POLYNOMIAL_STEP(y, x, coefficient) ((y) = (Floats) FMA_FLOAT (y, x, zero + (coefficient)))

/* y 2^k, in two halves each of which is in range, so that infinite, denormal and zero results come out by themselves. */
static inline Floats
scale_floats (Floats y,
              FloatBits k)
{
  FloatBits half = k >> 1;

  return y * (Floats) ((half + 127) << 23) * (Floats) ((k - half + 127) << 23);
}

/* x = k ln 2 + r with |r| <= ln 2 / 2; e^x is 2^k e^r. The limits are beyond what is neither infinite nor zero. Within 2 units in the
 * last place. */
static inline Floats
exp_of_float32s (Floats x)
{
  Floats zero = { 0 };
  Floats k, r, y = zero + 0x1.6c6a9ep-10f;

  x = (Floats) MAX_FLOAT (zero - 105.0f, (Floats) MIN_FLOAT (zero + 89.0f, x));
  k = (Floats) FMA_FLOAT (x, zero + 0x1.715476p0f, zero + 0x1.8p23f) - 0x1.8p23f;
  r = (Floats) FMA_FLOAT (k, zero - 0x1.62e43p-1f, x);
  r = (Floats) FMA_FLOAT (k, zero + 0x1.05c61p-29f, r);
  POLYNOMIAL_STEP (y, r, 0x1.120d2ep-7f);
  POLYNOMIAL_STEP (y, r, 0x1.5555bcp-5f);
  POLYNOMIAL_STEP (y, r, 0x1.5554dcp-3f);
  POLYNOMIAL_STEP (y, r, 0.5f);
  y = (Floats) FMA_FLOAT (y, r * r, r) + 1;
  return (Floats) SCALE_FLOAT (y, k);
}

/* -(high + low) = k ln 2 + r with |r| <= ln 2 / 2; returns r, e^r - 1 - r, and k. */
static inline Floats
expm1_of_negative (Floats high,
                   Floats low,
                   Floats *curve,
                   FloatBits *power)
{
  Floats zero = { 0 };
  Floats k = (Floats) FMA_FLOAT (high, zero - 0x1.715476p0f, zero + 0x1.8p23f);
  Floats r, y = zero + 0x1.6c6a9ep-10f;

  *power = (FloatBits) k - 0x4b400000;
  k -= 0x1.8p23f;
  /* The first product and difference are exact, so that only the sum is rounded. */
  r = (Floats) FMA_FLOAT (k, zero - 0x1.62e4p-1f, -high);
  r += (Floats) FMA_FLOAT (k, zero - 0x1.7f7d1cp-20f, -low);
  POLYNOMIAL_STEP (y, r, 0x1.120d2ep-7f);
  POLYNOMIAL_STEP (y, r, 0x1.5555bcp-5f);
  POLYNOMIAL_STEP (y, r, 0x1.5554dcp-3f);
  POLYNOMIAL_STEP (y, r, 0.5f);
  *curve = y * (r * r);
  return r;
}

/* max (x, 0) - |x| Q (|x|), where Q is the probability that a normal variable is beyond that. a Q (a) e^(a^2 / 2) is
 * v = a / (a + 5 / 2) times a polynomial in v, whose middle is near 1 / 4. What roundings of these, and of a^2,
 * lost is given back. From 15 on a Q (a) is zero. Within 2 units in the last place. */
static inline Floats
gelu_of_float32s (Floats x)
{
  Floats zero = { 0 };
  Floats positive = (Floats) ((FloatBits) x & ((x > 0) | G_MININT32));
  Floats a = (Floats) MIN_FLOAT (zero + 15.0f, (Floats) ((FloatBits) x & G_MAXINT32));
  Floats sum = a + 2.5f, lost = a - (sum - 2.5f), reciprocal = (Floats) RECIPROCAL_FLOAT (sum);
  Floats v = a * reciprocal, quotient, q, y, rest, curve, square = a * a;
  FloatBits power;

  rest = (Floats) FMA_FLOAT (-v, sum, a);
  rest = (Floats) FMA_FLOAT (-v, lost, rest);
  quotient = v;
  v = (Floats) FMA_FLOAT (rest, reciprocal, quotient);
  rest = (Floats) FMA_FLOAT (rest, reciprocal, quotient - v);
  q = v - 0.25f;
  y = zero - 0x1.4a0260p-4f;
  POLYNOMIAL_STEP (y, q, 0x1.a061b4p-4f);
  POLYNOMIAL_STEP (y, q, 0x1.0c8eaap-4f);
  POLYNOMIAL_STEP (y, q, -0x1.a002b2p-6f);
  POLYNOMIAL_STEP (y, q, -0x1.301c72p-3f);
  POLYNOMIAL_STEP (y, q, -0x1.b43620p-4f);
  POLYNOMIAL_STEP (y, q, 0x1.12b17ep-2f);
  POLYNOMIAL_STEP (y, q, 0x1.8ede50p-2f);
  POLYNOMIAL_STEP (y, q, -0x1.1a56d4p+0f);
  sum = (Floats) FMA_FLOAT (y, q, zero + 0x1.e8a7a4p-1f);
  lost = (Floats) FMA_FLOAT (y, q, 0x1.e8a7a4p-1f - sum);
  y = sum * v;
  lost = (Floats) FMA_FLOAT (lost, v, (Floats) FMA_FLOAT (sum, v, -y));
  lost = (Floats) FMA_FLOAT (rest, (Floats) FMA_FLOAT (v, zero - 1.44f, zero + 1.04f), lost); /* the product's derivative, nearly */
  rest = expm1_of_negative (square * 0.5f, (Floats) FMA_FLOAT (a, a, -square) * 0.5f, &curve, &power);
  return positive - scale_floats (y + (Floats) FMA_FLOAT (y, rest, (Floats) FMA_FLOAT (y, curve, lost)), power);
}

/* max (x, 0) + log1p (u) for u = e^-|x|, and log1p (u) / u is a polynomial; u / 2 is nearly 2^k / (1 + u), by
 * which what was lost when 1 + (e^r - 1) was rounded is given back. Within 2 units in the last place. */
static inline Floats
softplus_of_float32s (Floats x)
{
  Floats zero = { 0 };
  Floats positive = (Floats) ((FloatBits) x & (x > 0));
  Floats a = (Floats) MIN_FLOAT (zero + 110.0f, (Floats) ((FloatBits) x & G_MAXINT32));
  Floats u, lost, rest, curve, y = zero - 0x1.a93296p-9f;
  FloatBits power;

  rest = expm1_of_negative (a, zero, &curve, &power);
  rest += curve;
  u = rest + 1;
  lost = rest - (u - 1);
  u = scale_floats (u, power);
  POLYNOMIAL_STEP (y, u, 0x1.453ebap-6f);
  POLYNOMIAL_STEP (y, u, -0x1.d29c9ep-5f);
  POLYNOMIAL_STEP (y, u, 0x1.b2535ep-4f);
  POLYNOMIAL_STEP (y, u, -0x1.39756ap-3f);
  POLYNOMIAL_STEP (y, u, 0x1.92f69cp-3f);
  POLYNOMIAL_STEP (y, u, -0x1.ff0f8ap-3f);
  POLYNOMIAL_STEP (y, u, 0x1.554c8p-2f);
  POLYNOMIAL_STEP (y, u, -0x1.ffffbep-2f);
  POLYNOMIAL_STEP (y, u, 1.0f);
  return (Floats) FMA_FLOAT (y, u, (Floats) FMA_FLOAT (u * 0.5f, lost, positive));
}

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
