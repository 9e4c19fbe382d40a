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

/* -(high + low) = k ln 2 + r with |r| <= ln 2 / 2; returns r, e^r - 1 - r, and k, which is whole. */
static inline Floats
expm1_of_negative (Floats high,
                   Floats low,
                   Floats *curve,
                   Floats *power)
{
  Floats zero = { 0 };
  Floats k = (Floats) FMA_FLOAT (high, zero - 0x1.715476p0f, zero + 0x1.8p23f);
  Floats r, y = zero + 0x1.6c6a9ep-10f;

  k -= 0x1.8p23f;
  *power = k;
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

/* The higher terms in pairs, so that few wait for each other; nearly all rounding is that of the lower ones. */
static inline Floats
polynomial_of_gelu (Floats q)
{
  Floats zero = { 0 };
  Floats square = q * q, y;
  Floats first = (Floats) FMA_FLOAT (zero - 0x1.301c72p-3f, q, zero - 0x1.b43620p-4f);
  Floats second = (Floats) FMA_FLOAT (zero + 0x1.0c8eaap-4f, q, zero - 0x1.a002b2p-6f);

  y = (Floats) FMA_FLOAT (zero - 0x1.4a0260p-4f, q, zero + 0x1.a061b4p-4f);
  y = (Floats) FMA_FLOAT (y, square, second);
  y = (Floats) FMA_FLOAT (y, square, first);
  POLYNOMIAL_STEP (y, q, 0x1.12b17ep-2f);
  POLYNOMIAL_STEP (y, q, 0x1.8ede50p-2f);
  POLYNOMIAL_STEP (y, q, -0x1.1a56d4p+0f);
  return y;
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
  Floats v = a * reciprocal, quotient, q, y, rest, curve, power, square = a * a;

  rest = (Floats) FMA_FLOAT (-v, sum, a);
  rest = (Floats) FMA_FLOAT (-v, lost, rest);
  quotient = v;
  v = (Floats) FMA_FLOAT (rest, reciprocal, quotient);
  rest = (Floats) FMA_FLOAT (rest, reciprocal, quotient - v);
  q = v - 0.25f;
  y = polynomial_of_gelu (q);
  sum = (Floats) FMA_FLOAT (y, q, zero + 0x1.e8a7a4p-1f);
  lost = (Floats) FMA_FLOAT (y, q, 0x1.e8a7a4p-1f - sum);
  y = sum * v;
  lost = (Floats) FMA_FLOAT (lost, v, (Floats) FMA_FLOAT (sum, v, -y));
  lost = (Floats) FMA_FLOAT (rest, (Floats) FMA_FLOAT (v, zero - 1.44f, zero + 1.04f), lost); /* the product's derivative, nearly */
  rest = expm1_of_negative (square * 0.5f, (Floats) FMA_FLOAT (a, a, -square) * 0.5f, &curve, &power);
  y += (Floats) FMA_FLOAT (y, rest, (Floats) FMA_FLOAT (y, curve, lost));
  return positive - (Floats) SCALE_FLOAT (y, power);
}

/* max (x, 0) + log1p (u) for u = e^-|x|, and log1p (u) / u is a polynomial; u / 2 is nearly 2^k / (1 + u), by
 * which what was lost when 1 + (e^r - 1) was rounded is given back. Within 2 units in the last place. */
static inline Floats
softplus_of_float32s (Floats x)
{
  Floats zero = { 0 };
  Floats positive = (Floats) ((FloatBits) x & (x > 0));
  Floats a = (Floats) MIN_FLOAT (zero + 110.0f, (Floats) ((FloatBits) x & G_MAXINT32));
  Floats u, lost, rest, curve, power, y = zero - 0x1.a93296p-9f;

  rest = expm1_of_negative (a, zero, &curve, &power);
  rest += curve;
  u = rest + 1;
  lost = rest - (u - 1);
  u = (Floats) SCALE_FLOAT (u, power);
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

/* u / (1 + u) or 1 / (1 + u) for u = e^-|x|, which keep what e^r and 1 + u lost. One step puts the quotient by a short reciprocal right.
 * Within 2 units in the last place. */
static inline Floats
sigmoid_of_float32s (Floats x)
{
  Floats zero = { 0 };
  FloatBits is_negative = x < 0, one = (FloatBits) (zero + 1);
  Floats a = (Floats) MIN_FLOAT (zero + 110.0f, (Floats) ((FloatBits) x & G_MAXINT32));
  Floats u, lost, sum, top, rest, curve, power, reciprocal, y;

  rest = expm1_of_negative (a, zero, &curve, &power);
  rest += curve;
  u = rest + 1;
  lost = (Floats) SCALE_FLOAT (rest - (u - 1), power);
  u = (Floats) SCALE_FLOAT (u, power);
  sum = u + 1;
  top = (Floats) (((FloatBits) u & is_negative) | (one & ~is_negative));
  reciprocal = (Floats) RECIPROCAL_FLOAT (sum);
  y = top * reciprocal;
  rest = (Floats) FMA_FLOAT (-y, sum, top) + (Floats) ((FloatBits) lost & is_negative);
  rest = (Floats) FMA_FLOAT (-y, lost + (u - (sum - 1)), rest);
  return (Floats) FMA_FLOAT (rest, reciprocal, y);
}

/* Below the limit the sigmoid is zero to any accuracy, and minus infinity times zero would be no number. Within 2 units in the last
 * place. */
static inline Floats
silu_of_float32s (Floats x)
{
  Floats zero = { 0 };

  return (Floats) MAX_FLOAT (zero - 800.0f, x) * sigmoid_of_float32s (x);
}
