/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* e^r - 1 - r for |r| <= ln 2 / 2: the beginning of its power series. */
SW_CPU_INLINE float
sw_expm1_curve_float32 (float r)
{
  float y = 1.0f / 5040;

  y = y * r + 1.0f / 720;
  y = y * r + 1.0f / 120;
  y = y * r + 1.0f / 24;
  y = y * r + 1.0f / 6;
  y = y * r + 0.5f;
  return y * (r * r);
}

SW_CPU_INLINE float
sw_expm1_series_float32 (float r)
{
  return sw_expm1_curve_float32 (r) + r;
}

SW_CPU_INLINE double
sw_expm1_curve_float64 (double r)
{
  double y = 1.0 / 6227020800;

  y = y * r + 1.0 / 479001600;
  y = y * r + 1.0 / 39916800;
  y = y * r + 1.0 / 3628800;
  y = y * r + 1.0 / 362880;
  y = y * r + 1.0 / 40320;
  y = y * r + 1.0 / 5040;
  y = y * r + 1.0 / 720;
  y = y * r + 1.0 / 120;
  y = y * r + 1.0 / 24;
  y = y * r + 1.0 / 6;
  y = y * r + 0.5;
  return y * (r * r);
}

SW_CPU_INLINE double
sw_expm1_series_float64 (double r)
{
  return sw_expm1_curve_float64 (r) + r;
}

/* e^x in plain arithmetic without branches, so that the compiler makes vector code of a loop over it; within 1.1
 * units in the last place. e^x = 2^k e^r with |r| <= ln 2 / 2, and e^r is the beginning of its power series, which is as
 * long as the type shows. 2^k is applied in two halves, each in range, so that infinite, denormal and zero results come
 * out by themselves. Not a number passes every step. */
#define DEFINE_EXP(name, Type, Unsigned, BIAS, MANTISSA_BITS, SHIFT, LN2_HIGH, LN2_LOW, LOWEST, HIGHEST, series) \
  SW_CPU_INLINE Type                                                                                             \
      name##_power_of_two (Type k)                                                                               \
  {                                                                                                              \
    Type shifted = k + SHIFT, power; /* the low bits of which are now the integer k */                           \
    Unsigned bits;                                                                                               \
                                                                                                                 \
    memcpy (&bits, &shifted, sizeof bits);                                                                       \
    bits = (bits + BIAS) << MANTISSA_BITS;                                                                       \
    memcpy (&power, &bits, sizeof power);                                                                        \
    return power;                                                                                                \
  }                                                                                                              \
                                                                                                                 \
  SW_CPU_INLINE Type                                                                                             \
  name (Type x)                                                                                                  \
  {                                                                                                              \
    Type k, half, r, y;                                                                                          \
                                                                                                                 \
    x = x > HIGHEST ? HIGHEST : x;                                                                               \
    x = x < LOWEST ? LOWEST : x;                                                                                 \
    k = x * (Type) 0x1.71547652b82fep0 + SHIFT - SHIFT;                                                          \
    half = k * (Type) 0.5 + SHIFT - SHIFT;                                                                       \
    r = x - k * LN2_HIGH - k * LN2_LOW;                                                                          \
    y = series (r);                                                                                              \
    return y * name##_power_of_two (half) * name##_power_of_two (k - half);                                      \
  }

#define SERIES_FLOAT32(r) (sw_expm1_series_float32 (r) + 1)
#define SERIES_FLOAT64(r) (sw_expm1_series_float64 (r) + 1)

/* LN2_HIGH has so few bits that its product with k is exact. */
DEFINE_EXP (sw_exp_float32, float, guint32, 127, 23, 0x1.8p23f, 0x1.62e4p-1f, 0x1.7f7d1cp-20f, -105.0f, 89.0f, SERIES_FLOAT32)
DEFINE_EXP (sw_exp_float64, double, guint64, 1023, 52, 0x1.8p52, 0x1.62e42feep-1, 0x1.a39ef35793c76p-33, -746.0, 710.0, SERIES_FLOAT64)

/* e^x - 1, within 1.5 units in the last place, for x from LOWEST, below which it is -1, to HIGHEST, beyond which it is not
 * asked. With x = k ln 2 + r it is 2^k (e^r - 1) + (2^k - 1), in which nothing cancels. Not a number passes every step. */
#define DEFINE_EXPM1(name, exp, Type, SHIFT, LN2_HIGH, LN2_LOW, LOWEST, HIGHEST, curve)  \
  SW_CPU_INLINE Type                                                                     \
  name (Type x)                                                                          \
  {                                                                                      \
    Type k, rest, r, lost, scale;                                                        \
                                                                                         \
    x = x > HIGHEST ? HIGHEST : x;                                                       \
    x = x < LOWEST ? LOWEST : x;                                                         \
    k = x * (Type) 0x1.71547652b82fep0 + SHIFT - SHIFT;                                  \
    rest = x - k * LN2_HIGH; /* exact */                                                 \
    r = rest - k * LN2_LOW;                                                              \
    lost = rest - r - k * LN2_LOW;                                                       \
    scale = exp##_power_of_two (k);                                                      \
    return scale * (curve (r) + lost + r) + (scale - 1);                                 \
  }

DEFINE_EXPM1 (sw_expm1_float32, sw_exp_float32, float, 0x1.8p23f, 0x1.62e4p-1f, 0x1.7f7d1cp-20f, -20.0f, 80.0f, sw_expm1_curve_float32)
DEFINE_EXPM1 (sw_expm1_float64, sw_exp_float64, double, 0x1.8p52, 0x1.62e42feep-1, 0x1.a39ef35793c76p-33, -40.0, 700.0, sw_expm1_curve_float64)
