/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

/* The rows of SwCpuMath in vectors. Whoever includes this has chosen a target, and says what its vectors are:
 *
 * N_FLOATS, N_DOUBLES: how many values a vector has
 * SLEEF_FLOAT (name, ulp), SLEEF_DOUBLE (name, ulp): SLEEF's function for such vectors
 * FMA_FLOAT (a, b, c), FMA_DOUBLE (a, b, c): a * b + c, rounded once
 * SQRT_FLOAT (x), SQRT_DOUBLE (x): the square root, rounded once
 * MIN_FLOAT (a, b): the smaller ones; b where one is not a number
 * MAX_FLOAT (a, b): the larger ones; b where one is not a number
 * SCALE_FLOAT (y, k): y 2^k for whole k, infinite, denormal or zero where it must be
 * RECIPROCAL_FLOAT (x): 1 / x, within 2^-14
 * ALL_LESS (x, limit): whether all floats are less than a number, which what is not a number is not
 * NO_SIGNS (bits): whether no sign bit of floats is set
 * ALL_SET (mask), ANY_SET (mask): whether all, or any, of the masks of doubles are
 * MIN_DOUBLE (a, b), MAX_DOUBLE (a, b): as MIN_FLOAT
 * LOW_DOUBLES (x), HIGH_DOUBLES (x), JOIN_DOUBLES (low, high): either half of the floats as doubles, and the floats of both
 *
 * and, where tables in registers are fast:
 *
 * LOOK_UP_FLOAT (table, slots): a value of 32 for each of the slots, of which the lowest 5 bits count
 * MAX_BITS (a, b): the larger of integers of 32 bits
 *
 * POW_BY_TABLES says that there are also those that sw-cpu-math-pow-private.h asks for, and MIXES_PAIRS that there are registers enough
 * for two vectors at a time. */

typedef float Floats __attribute__ ((vector_size (N_FLOATS * 4)));
typedef double Doubles __attribute__ ((vector_size (N_DOUBLES * 8)));
typedef gint32 FloatBits __attribute__ ((vector_size (N_FLOATS * 4)));
typedef gint64 DoubleBits __attribute__ ((vector_size (N_DOUBLES * 8)));
typedef float LooseFloats __attribute__ ((vector_size (N_FLOATS * 4), aligned (4), may_alias));
typedef double LooseDoubles __attribute__ ((vector_size (N_DOUBLES * 8), aligned (8), may_alias));

/* The last values go through a vector of their own, the rest of which is not looked at. */
#define DEFINE_ROW_AFTER(name, type, Type, Vector, Loose, N_VALUES, start)        \
  static void                                                                     \
      name##_##type (gint64 n, gconstpointer input, gpointer result)              \
  {                                                                               \
    const Type *x = input;                                                        \
    Type *y = result;                                                             \
    gint64 i = start;                                                             \
                                                                                  \
    for (; i + N_VALUES <= n; i += N_VALUES)                                      \
      *(Loose *) (y + i) = name##_of_##type##s (*(const Loose *) (x + i));        \
    if (i < n)                                                                    \
      {                                                                           \
        Vector last = { 0 };                                                      \
                                                                                  \
        memcpy (&last, x + i, (n - i) * sizeof *x);                               \
        last = name##_of_##type##s (last);                                        \
        memcpy (y + i, &last, (n - i) * sizeof *y);                               \
      }                                                                           \
  }

#define DEFINE_ROW(name, type, Type, Vector, Loose, N_VALUES) DEFINE_ROW_AFTER (name, type, Type, Vector, Loose, N_VALUES, 0)

/* A processor looks so far ahead only that it hardly begins with a vector while it waits for the steps of the one before; the compiler
 * mixes those of two. What is before the first value that is left: */
#ifdef MIXES_PAIRS
#define DEFINE_FLOAT_ROW(name)                                                             \
  static inline gint64                                                                     \
      name##_of_pairs (gint64 n, const float *x, float *y)                                 \
  {                                                                                        \
    gint64 i = 0;                                                                          \
                                                                                           \
    for (; i + 2 * N_FLOATS <= n; i += 2 * N_FLOATS)                                       \
      {                                                                                    \
        Floats first = name##_of_float32s (*(const LooseFloats *) (x + i));                \
        Floats second = name##_of_float32s (*(const LooseFloats *) (x + i + N_FLOATS));    \
                                                                                           \
        *(LooseFloats *) (y + i) = first;                                                  \
        *(LooseFloats *) (y + i + N_FLOATS) = second;                                      \
      }                                                                                    \
    return i;                                                                              \
  }                                                                                        \
                                                                                           \
  DEFINE_ROW_AFTER (name, float32, float, Floats, LooseFloats, N_FLOATS, name##_of_pairs (n, x, y))
#else
#define DEFINE_FLOAT_ROW(name) DEFINE_ROW (name, float32, float, Floats, LooseFloats, N_FLOATS)
#endif

#define DEFINE_BINARY_ROW(name, type, Type, Vector, Loose, N_VALUES, start)                      \
  static void                                                                                    \
      name##_##type (gint64 n, gconstpointer lhs, gconstpointer rhs, gpointer result)            \
  {                                                                                              \
    const Type *a = lhs, *b = rhs;                                                               \
    Type *y = result;                                                                            \
    gint64 i = start;                                                                            \
                                                                                                 \
    for (; i + N_VALUES <= n; i += N_VALUES)                                                     \
      *(Loose *) (y + i) = name##_of_##type##s (*(const Loose *) (a + i), *(const Loose *) (b + i)); \
    if (i < n)                                                                                   \
      {                                                                                          \
        Vector last = (Vector) { 0 } + 1, other = last; /* ordinary: what is not takes longer */ \
                                                                                                 \
        memcpy (&last, a + i, (n - i) * sizeof *a);                                              \
        memcpy (&other, b + i, (n - i) * sizeof *b);                                             \
        last = name##_of_##type##s (last, other);                                                \
        memcpy (y + i, &last, (n - i) * sizeof *y);                                              \
      }                                                                                          \
  }

#define DEFINE_ROWS(name)                                                  \
  DEFINE_ROW (name, float32, float, Floats, LooseFloats, N_FLOATS)         \
  DEFINE_ROW (name, float64, double, Doubles, LooseDoubles, N_DOUBLES)

#define DEFINE_LIBRARY_FUNCTION(name)                  \
  static inline Floats                                 \
      name##_of_float32s (Floats x)                    \
  {                                                    \
    return (Floats) SLEEF_FLOAT (name, u10) (x);       \
  }                                                    \
                                                       \
  static inline Doubles                                \
      name##_of_float64s (Doubles x)                   \
  {                                                    \
    return (Doubles) SLEEF_DOUBLE (name, u10) (x);     \
  }                                                    \
                                                       \
  DEFINE_ROWS (name)

#define DEFINE_ROOTS(type, Vector, SQRT)              \
  static inline Vector                                \
      sqrt_of_##type##s (Vector x)                    \
  {                                                   \
    return (Vector) SQRT (x);                         \
  }                                                   \
                                                      \
  static inline Vector                                \
      rsqrt_of_##type##s (Vector x)                   \
  {                                                   \
    return 1 / (Vector) SQRT (x);                     \
  }

DEFINE_ROOTS (float32, Floats, SQRT_FLOAT)
DEFINE_ROOTS (float64, Doubles, SQRT_DOUBLE)
DEFINE_ROWS (sqrt)
DEFINE_ROWS (rsqrt)

DEFINE_LIBRARY_FUNCTION (exp2)
DEFINE_LIBRARY_FUNCTION (log)
DEFINE_LIBRARY_FUNCTION (log2)
/* Sine and cosine by the remainder of a division by pi / 2, which is in three parts, the first two products exact; within 1.5
 * units in the last place up to the limit. Beyond it, and for what is not a number, they are SLEEF's. */
#define TRIGONOMETRIC_LIMIT 8192.0f

static inline Floats
sine_or_cosine (Floats x,
                gboolean is_cosine)
{
  Floats zero = { 0 };
  FloatBits sign = (FloatBits) x & G_MININT32;
  Floats size = (Floats) ((FloatBits) x & G_MAXINT32);
  Floats k = size * 0x1.45f306p-1f + 0x1.8p23f;
  FloatBits quadrant = (FloatBits) k + is_cosine;
  Floats r, square, sine, cosine;
  FloatBits is_odd = (quadrant & 1) != 0;

  k -= 0x1.8p23f;
  r = (Floats) FMA_FLOAT (k, zero - 0x1.921fb6p0f, size);
  r = (Floats) FMA_FLOAT (k, zero + 0x1.777a5cp-25f, r);
  r = (Floats) FMA_FLOAT (k, zero + 0x1.ee59dap-50f, r);
  square = r * r;

  sine = (Floats) FMA_FLOAT (zero + 0x1.6dbe4ap-19f, square, zero - 0x1.a013a8p-13f);
  sine = (Floats) FMA_FLOAT (sine, square, zero + 0x1.110ed4p-7f);
  sine = (Floats) FMA_FLOAT (sine, square, zero - 0x1.55554cp-3f);
  sine = (Floats) FMA_FLOAT (sine * square, r, r);

  cosine = (Floats) FMA_FLOAT (zero + 0x1.98e616p-16f, square, zero - 0x1.6c06dcp-10f);
  cosine = (Floats) FMA_FLOAT (cosine, square, zero + 0x1.55553cp-5f);
  cosine = (Floats) FMA_FLOAT (cosine, square, zero - 0.5f);
  cosine = (Floats) FMA_FLOAT (cosine, square, zero + 1.0f);

  sine = (Floats) (((FloatBits) cosine & is_odd) | ((FloatBits) sine & ~is_odd));
  return (Floats) ((FloatBits) sine ^ ((quadrant & 2) << 30) ^ (is_cosine ? sign & 0 : sign));
}

/* Where @mask has all bits set, @a, else @b. */
#define CHOOSE(Vector, Bits, mask, a, b) ((Vector) (((Bits) (a) & (mask)) | ((Bits) (b) & ~(mask))))

/* SLEEF reduces doubles in one of three ways, which the largest of a vector decides. So that no value depends on those beside it, those
 * of each way go by themselves, with others in their place that go the same one. */
#define DOUBLE_LIMIT 15.0
#define DOUBLE_LARGE_LIMIT 1e14

#define DEFINE_TRIGONOMETRIC(name, is_cosine)                                                                                       \
  static inline Floats                                                                                                              \
      name##_of_float32s (Floats x)                                                                                                 \
  {                                                                                                                                 \
    Floats size = (Floats) ((FloatBits) x & G_MAXINT32), y = sine_or_cosine (x, is_cosine);                                         \
                                                                                                                                    \
    if (G_UNLIKELY (!ALL_LESS (size, TRIGONOMETRIC_LIMIT)))                                                                         \
      y = CHOOSE (Floats, FloatBits, size < TRIGONOMETRIC_LIMIT, y, SLEEF_FLOAT (name, u10) (x));                                   \
    return y;                                                                                                                       \
  }                                                                                                                                 \
                                                                                                                                    \
  static inline Doubles                                                                                                             \
      name##_of_float64s (Doubles x)                                                                                                \
  {                                                                                                                                 \
    Doubles zero = { 0 }, size = (Doubles) ((DoubleBits) x & G_MAXINT64), y;                                                        \
    DoubleBits is_small = size < DOUBLE_LIMIT, is_large = ~(size < DOUBLE_LARGE_LIMIT), is_middle = ~(is_small | is_large);         \
                                                                                                                                    \
    if (G_LIKELY (ALL_SET (is_small)))                                                                                              \
      return (Doubles) SLEEF_DOUBLE (name, u10) (x);                                                                                \
    y = (Doubles) SLEEF_DOUBLE (name, u10) (CHOOSE (Doubles, DoubleBits, is_middle, x, zero + DOUBLE_LIMIT));                       \
    if (ANY_SET (is_small))                                                                                                         \
      y = CHOOSE (Doubles, DoubleBits, is_small, SLEEF_DOUBLE (name, u10) ((Doubles) ((DoubleBits) x & is_small)), y);              \
    if (G_UNLIKELY (ANY_SET (is_large)))                                                                                            \
      y = CHOOSE (Doubles, DoubleBits, is_large,                                                                                    \
                  SLEEF_DOUBLE (name, u10) (CHOOSE (Doubles, DoubleBits, is_large, x, zero + DOUBLE_LARGE_LIMIT)), y);              \
    return y;                                                                                                                       \
  }                                                                                                                                 \
                                                                                                                                    \
  DEFINE_ROWS (name)

DEFINE_TRIGONOMETRIC (sin, FALSE)
DEFINE_TRIGONOMETRIC (cos, TRUE)
DEFINE_LIBRARY_FUNCTION (erf)

/* As sw_gelu () and sw_softplus () in double. LOWEST is where the result is zero to any accuracy: minus infinity times zero
 * would be no number. HIGH and LOW add up to the square root of 1/2. */
#define GELU_HIGH 0x1.6a09e667f3bcdp-1
#define GELU_LOW -0x1.bdd3413b26456p-55
#define GELU_LOWEST -60.0

static inline Doubles
gelu_of_float64s (Doubles x)
{
  Doubles zero = { 0 };
  DoubleBits is_lower = x < GELU_LOWEST;
  Doubles z, lost;

  x = (Doubles) (((DoubleBits) (zero + GELU_LOWEST) & is_lower) | ((DoubleBits) x & ~is_lower));
  z = x * -GELU_HIGH;
  lost = (Doubles) FMA_DOUBLE (x, zero - GELU_HIGH, -z) - x * GELU_LOW;
  lost = (Doubles) ((DoubleBits) lost & (z > -30) & (z < 30));
  return x * 0.5 * ((Doubles) SLEEF_DOUBLE (erfc, u15) (z) - 0x1.20dd750429b6dp0 * (Doubles) SLEEF_DOUBLE (exp, u10) (-z * z) * lost);
}

static inline Doubles
softplus_of_float64s (Doubles x)
{
  Doubles positive = (Doubles) ((DoubleBits) x & (x > 0));
  Doubles negative = (Doubles) ((DoubleBits) x | G_MININT64);

  return positive + (Doubles) SLEEF_DOUBLE (log1p, u10) ((Doubles) SLEEF_DOUBLE (exp, u10) (negative));
}

#include "sw/carriers/cpu/sw-cpu-math-floats-private.h"

DEFINE_FLOAT_ROW (exp)
DEFINE_FLOAT_ROW (gelu)
DEFINE_FLOAT_ROW (softplus)
DEFINE_FLOAT_ROW (sigmoid)
DEFINE_FLOAT_ROW (silu)
DEFINE_ROW (gelu, float64, double, Doubles, LooseDoubles, N_DOUBLES)
DEFINE_ROW (softplus, float64, double, Doubles, LooseDoubles, N_DOUBLES)

#include "sw/carriers/cpu/sw-cpu-math-tanh-private.h"

DEFINE_FLOAT_ROW (tanh)

#include "sw/carriers/cpu/sw-cpu-math-pow-private.h"

static inline Doubles
pow_of_float64s (Doubles a,
                 Doubles b)
{
  return (Doubles) SLEEF_DOUBLE (pow, u10) (a, b);
}

DEFINE_BINARY_ROW (pow, float32, float, Floats, LooseFloats, N_FLOATS, POW_OF_PAIRS (n, a, b, y))
DEFINE_BINARY_ROW (pow, float64, double, Doubles, LooseDoubles, N_DOUBLES, 0)

#define ROWS(type)                            \
  {                                           \
    [SW_CPU_MATH_SQRT] = sqrt_##type,         \
    [SW_CPU_MATH_RSQRT] = rsqrt_##type,       \
    [SW_CPU_MATH_EXP2] = exp2_##type,         \
    [SW_CPU_MATH_LOG] = log_##type,           \
    [SW_CPU_MATH_LOG2] = log2_##type,         \
    [SW_CPU_MATH_SIN] = sin_##type,           \
    [SW_CPU_MATH_COS] = cos_##type,           \
    [SW_CPU_MATH_ERF] = erf_##type,           \
    [SW_CPU_MATH_GELU] = gelu_##type,         \
    [SW_CPU_MATH_SOFTPLUS] = softplus_##type, \
  }
