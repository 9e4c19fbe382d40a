/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <math.h>

/* The formulas of functions that the C library does not have, in double. They avoid what cancels or overflows. */

static inline double
sw_recip (double x)
{
  return 1 / x;
}

static inline double
sw_rsqrt (double x)
{
  return 1 / sqrt (x);
}

/* The rest of a division that rounds down: it has the sign of the divisor, also where it is zero. */
static inline double
sw_rest (double a,
         double b)
{
  double rest = fmod (a, b);

  if (rest == 0)
    return copysign (0, b);
  return (b < 0) != (rest < 0) && rest == rest ? rest + b : rest;
}

static inline double
sw_sigmoid (double x)
{
  double small = exp (-fabs (x));

  return (x < 0 ? small : 1) / (1 + small);
}

/* x times the probability that a normal variable is less than x: erfc (z) / 2 for z = -x / sqrt (2). The tail of erfc ()
 * multiplies the rounding error of z by z^2, so the derivative takes it back. */
static inline double
sw_gelu (double x)
{
  double z = x * -M_SQRT1_2;
  double lost = fma (x, -M_SQRT1_2, -z) - x * -0x1.bdd3413b26456p-55;

  if (x == -INFINITY)
    return -0.0;
  if (!(fabs (z) < 30))
    lost = 0;
  return 0.5 * x * (erfc (z) - M_2_SQRTPI * exp (-z * z) * lost);
}

static inline double
sw_silu (double x)
{
  if (x == -INFINITY)
    return -0.0;
  return x * sw_sigmoid (x);
}

static inline double
sw_softplus (double x)
{
  return (x > 0 ? x : 0) + (x == x ? log1p (exp (-fabs (x))) : x);
}

static inline double
sw_elu (double x,
        double alpha)
{
  return x < 0 ? alpha * expm1 (x) : x;
}

static inline double
sw_leaky_relu (double x,
               double slope)
{
  return x < 0 ? slope * x : x;
}
