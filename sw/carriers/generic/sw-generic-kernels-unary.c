/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <math.h>

#include "sw/carriers/sw-real-functions-private.h"

static gboolean
negate (SwScalar x,
        SwScalar *result)
{
  *result = x;
  if (x.is_integer)
    return !__builtin_sub_overflow ((gint64) 0, x.integer, &result->integer);

  result->real = -x.real;
  return TRUE;
}

static gboolean
absolute (SwScalar x,
          SwScalar *result)
{
  if (x.is_integer && x.integer < 0)
    return negate (x, result);

  *result = x;
  if (!x.is_integer)
    result->real = fabs (x.real);
  return TRUE;
}

/* Not a number has none, and stays so. */
static gboolean
sign (SwScalar x,
      SwScalar *result)
{
  *result = x;
  if (x.is_integer)
    result->integer = (x.integer > 0) - (x.integer < 0);
  else if (!isnan (x.real))
    result->real = (x.real > 0) - (x.real < 0);
  return TRUE;
}

/* Not a number stays so: it is not below zero. */
static gboolean
rectify (SwScalar x,
         SwScalar *result)
{
  *result = x;
  if (x.is_integer)
    result->integer = MAX (x.integer, 0);
  else if (x.real <= 0)
    result->real = 0;
  return TRUE;
}

static gboolean
is_zero (SwScalar x,
         SwScalar *result)
{
  *result = sw_scalar_integer (x.is_integer ? x.integer == 0 : x.real == 0);
  return TRUE;
}

/* Integers are as they are. */
#define DEFINE_ROUNDING(name, function) \
  static gboolean                       \
  name (SwScalar x, SwScalar *result)   \
  {                                     \
    *result = x;                        \
    if (!x.is_integer)                  \
      result->real = function (x.real); \
    return TRUE;                        \
  }

DEFINE_ROUNDING (round_down, floor)
DEFINE_ROUNDING (round_up, ceil)
DEFINE_ROUNDING (round_to_even, nearbyint)

#define DEFINE_REAL(name, function)                              \
  static gboolean                                                \
      real_##name (SwScalar x, SwScalar *result)                 \
  {                                                              \
    *result = sw_scalar_real (function (sw_scalar_to_real (x))); \
    return TRUE;                                                 \
  }                                                              \
                                                                 \
  const SwGenericUnaryKernel sw_generic_##name##_kernel = { { sw_generic_run_unary }, real_##name };

DEFINE_REAL (recip, sw_recip)
DEFINE_REAL (sqrt, sqrt)
DEFINE_REAL (rsqrt, sw_rsqrt)
DEFINE_REAL (exp, exp)
DEFINE_REAL (exp2, exp2)
DEFINE_REAL (log, log)
DEFINE_REAL (log2, log2)
DEFINE_REAL (sin, sin)
DEFINE_REAL (cos, cos)
DEFINE_REAL (tanh, tanh)
DEFINE_REAL (erf, erf)
DEFINE_REAL (sigmoid, sw_sigmoid)
DEFINE_REAL (gelu, sw_gelu)
DEFINE_REAL (silu, sw_silu)
DEFINE_REAL (softplus, sw_softplus)

const SwGenericUnaryKernel sw_generic_neg_kernel = { { sw_generic_run_unary }, negate };
const SwGenericUnaryKernel sw_generic_abs_kernel = { { sw_generic_run_unary }, absolute };
const SwGenericUnaryKernel sw_generic_sign_kernel = { { sw_generic_run_unary }, sign };
const SwGenericUnaryKernel sw_generic_floor_kernel = { { sw_generic_run_unary }, round_down };
const SwGenericUnaryKernel sw_generic_ceil_kernel = { { sw_generic_run_unary }, round_up };
const SwGenericUnaryKernel sw_generic_round_kernel = { { sw_generic_run_unary }, round_to_even };
const SwGenericUnaryKernel sw_generic_relu_kernel = { { sw_generic_run_unary }, rectify };
const SwGenericUnaryKernel sw_generic_logical_not_kernel = { { sw_generic_run_unary }, is_zero };

static SwScalar
elu (SwScalar x,
     const SwScalar *parameters)
{
  return sw_scalar_real (sw_elu (sw_scalar_to_real (x), sw_scalar_to_real (parameters[0])));
}

static SwScalar
leaky_relu (SwScalar x,
            const SwScalar *parameters)
{
  return sw_scalar_real (sw_leaky_relu (sw_scalar_to_real (x), sw_scalar_to_real (parameters[0])));
}

/* Where the limits are in the wrong order, the upper one counts. What is not a number stays so, and a limit that is none
 * makes all results so. */
static SwScalar
clamp (SwScalar x,
       const SwScalar *parameters)
{
  if (!sw_scalar_is_nan (x) && (sw_scalar_is_nan (parameters[0]) || sw_scalar_compare (x, parameters[0]) < 0))
    x = parameters[0];
  if (!sw_scalar_is_nan (x) && (sw_scalar_is_nan (parameters[1]) || sw_scalar_compare (x, parameters[1]) > 0))
    x = parameters[1];
  return x;
}

const SwGenericParametricKernel sw_generic_elu_kernel = { { sw_generic_run_parametric }, elu, 1 };
const SwGenericParametricKernel sw_generic_leaky_relu_kernel = { { sw_generic_run_parametric }, leaky_relu, 1 };
const SwGenericParametricKernel sw_generic_clamp_kernel = { { sw_generic_run_parametric }, clamp, 2 };
