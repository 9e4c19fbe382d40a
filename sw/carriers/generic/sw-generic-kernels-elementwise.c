/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <math.h>

static gboolean
run_unary (const SwUnaryKernel *kernel,
           const char *name,
           const SwView *input,
           const SwView *result,
           GError **error)
{
  const SwGenericUnaryKernel *self = (const SwGenericUnaryKernel *) kernel;

  for (gint64 i = 0; i < result->axis.size; i++)
    {
      SwScalar x, y;

      if (!sw_scalar_load (&x, input, sw_view_get_index (input, i), error))
        return FALSE;
      if (!self->apply (x, &y))
        {
          sw_scalar_set_overflow (name, result->dtype, i, error);
          return FALSE;
        }
      if (!sw_scalar_store (y, result, i, name, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_binary (const SwBinaryKernel *kernel,
            const char *name,
            const SwView *lhs,
            const SwView *rhs,
            const SwView *result,
            GError **error)
{
  const SwGenericBinaryKernel *self = (const SwGenericBinaryKernel *) kernel;

  for (gint64 i = 0; i < result->axis.size; i++)
    {
      SwScalar a, b, y;

      if (!sw_scalar_load (&a, lhs, sw_view_get_index (lhs, i), error) ||
          !sw_scalar_load (&b, rhs, sw_view_get_index (rhs, i), error))
        return FALSE;
      if (!self->apply (a, b, &y))
        {
          sw_scalar_set_overflow (name, result->dtype, i, error);
          return FALSE;
        }
      if (!sw_scalar_store (y, result, i, name, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
subtract (SwScalar a,
          SwScalar b,
          SwScalar *result)
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
        SwScalar *result)
{
  *result = sw_scalar_real (sw_scalar_to_real (a) / sw_scalar_to_real (b));
  return TRUE;
}

static gboolean
maximum (SwScalar a,
         SwScalar b,
         SwScalar *result)
{
  *result = sw_scalar_is_larger (b, a) ? b : a;
  return TRUE;
}

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
exponential (SwScalar x,
             SwScalar *result)
{
  *result = sw_scalar_real (exp (sw_scalar_to_real (x)));
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

const SwGenericBinaryKernel sw_generic_add_kernel = { { run_binary }, sw_scalar_add };
const SwGenericBinaryKernel sw_generic_sub_kernel = { { run_binary }, subtract };
const SwGenericBinaryKernel sw_generic_mul_kernel = { { run_binary }, sw_scalar_multiply };
const SwGenericBinaryKernel sw_generic_elementwise_mul_kernel = { { run_binary }, sw_scalar_multiply };
const SwGenericBinaryKernel sw_generic_div_kernel = { { run_binary }, divide };
const SwGenericBinaryKernel sw_generic_maximum_kernel = { { run_binary }, maximum };
const SwGenericUnaryKernel sw_generic_neg_kernel = { { run_unary }, negate };
const SwGenericUnaryKernel sw_generic_exp_kernel = { { run_unary }, exponential };
const SwGenericUnaryKernel sw_generic_relu_kernel = { { run_unary }, rectify };
