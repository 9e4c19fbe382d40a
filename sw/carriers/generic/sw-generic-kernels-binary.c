/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <math.h>

#include "sw/carriers/sw-integer-functions-private.h"
#include "sw/carriers/sw-real-functions-private.h"

static gboolean
add (SwScalar a,
     SwScalar b,
     SwScalar *result,
     const char **failure)
{
  return sw_scalar_add (a, b, result);
}

static gboolean
multiply (SwScalar a,
          SwScalar b,
          SwScalar *result,
          const char **failure)
{
  return sw_scalar_multiply (a, b, result);
}

static gboolean
subtract (SwScalar a,
          SwScalar b,
          SwScalar *result,
          const char **failure)
{
  *result = a;
  if (a.is_integer && b.is_integer)
    return !__builtin_sub_overflow (a.integer, b.integer, &result->integer);

  *result = sw_scalar_real (sw_scalar_to_real (a) - sw_scalar_to_real (b));
  return TRUE;
}

static gboolean
divide (SwScalar a,
        SwScalar b,
        SwScalar *result,
        const char **failure)
{
  *result = sw_scalar_real (sw_scalar_to_real (a) / sw_scalar_to_real (b));
  return TRUE;
}

static gboolean
power (SwScalar a,
       SwScalar b,
       SwScalar *result,
       const char **failure)
{
  if (!a.is_integer || !b.is_integer)
    {
      *result = sw_scalar_real (pow (sw_scalar_to_real (a), sw_scalar_to_real (b)));
      return TRUE;
    }

  *result = a;
  if (b.integer < 0)
    {
      *failure = SW_INTEGER_POWER_FAILURE;
      return FALSE;
    }
  return sw_integer_power (a.integer, b.integer, &result->integer);
}

static gboolean
rest (SwScalar a,
      SwScalar b,
      SwScalar *result,
      const char **failure)
{
  if (!a.is_integer || !b.is_integer)
    {
      *result = sw_scalar_real (sw_rest (sw_scalar_to_real (a), sw_scalar_to_real (b)));
      return TRUE;
    }

  if (b.integer == 0)
    {
      *failure = SW_INTEGER_REST_FAILURE;
      return FALSE;
    }
  *result = sw_scalar_integer (sw_integer_rest (a.integer, b.integer));
  return TRUE;
}

static gboolean
maximum (SwScalar a,
         SwScalar b,
         SwScalar *result,
         const char **failure)
{
  *result = sw_scalar_is_larger (b, a) ? b : a;
  return TRUE;
}

static gboolean
minimum (SwScalar a,
         SwScalar b,
         SwScalar *result,
         const char **failure)
{
  *result = !sw_scalar_is_nan (a) && (sw_scalar_is_nan (b) || sw_scalar_compare (b, a) < 0) ? b : a;
  return TRUE;
}

#define DEFINE_COMPARISON(name, if_not_a_number, expression)                     \
  static gboolean                                                                \
  name (SwScalar a, SwScalar b, SwScalar *result, const char **failure)          \
  {                                                                              \
    gboolean is_ordered = !sw_scalar_is_nan (a) && !sw_scalar_is_nan (b);        \
    int order = is_ordered ? sw_scalar_compare (a, b) : 0;                       \
                                                                                 \
    *result = sw_scalar_integer (is_ordered ? (expression) : (if_not_a_number)); \
    return TRUE;                                                                 \
  }

DEFINE_COMPARISON (equal, FALSE, order == 0)
DEFINE_COMPARISON (unequal, TRUE, order != 0)
DEFINE_COMPARISON (less, FALSE, order < 0)
DEFINE_COMPARISON (less_or_equal, FALSE, order <= 0)

const SwGenericBinaryKernel sw_generic_add_kernel = { { sw_generic_run_binary }, add };
const SwGenericBinaryKernel sw_generic_sub_kernel = { { sw_generic_run_binary }, subtract };
const SwGenericBinaryKernel sw_generic_mul_kernel = { { sw_generic_run_binary }, multiply };
const SwGenericBinaryKernel sw_generic_elementwise_mul_kernel = { { sw_generic_run_binary }, multiply };
const SwGenericBinaryKernel sw_generic_div_kernel = { { sw_generic_run_binary }, divide };
const SwGenericBinaryKernel sw_generic_pow_kernel = { { sw_generic_run_binary }, power };
const SwGenericBinaryKernel sw_generic_rem_kernel = { { sw_generic_run_binary }, rest };
const SwGenericBinaryKernel sw_generic_maximum_kernel = { { sw_generic_run_binary }, maximum };
const SwGenericBinaryKernel sw_generic_minimum_kernel = { { sw_generic_run_binary }, minimum };
const SwGenericBinaryKernel sw_generic_eq_kernel = { { sw_generic_run_binary }, equal };
const SwGenericBinaryKernel sw_generic_ne_kernel = { { sw_generic_run_binary }, unequal };
const SwGenericBinaryKernel sw_generic_lt_kernel = { { sw_generic_run_binary }, less };
const SwGenericBinaryKernel sw_generic_le_kernel = { { sw_generic_run_binary }, less_or_equal };
