/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/generic/sw-generic-kernels-private.h"

/* The loops over one value after the other. */

gboolean
sw_generic_run_unary (const SwUnaryKernel *kernel,
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

gboolean
sw_generic_run_parametric (const SwParametricKernel *kernel,
                           const char *name,
                           const SwView *input,
                           const SwNumberCell *parameters,
                           const SwView *result,
                           GError **error)
{
  const SwGenericParametricKernel *self = (const SwGenericParametricKernel *) kernel;
  SwView cells = { "parameter", NULL, input->dtype, 0, { 1, 0, NULL } };
  SwScalar values[SW_MAX_PARAMETERS] = { 0 };

  for (guint k = 0; k < self->n_parameters; k++)
    {
      cells.data = (gpointer) &parameters[k];
      if (!sw_scalar_load (&values[k], &cells, 0, error))
        return FALSE;
    }

  for (gint64 i = 0; i < result->axis.size; i++)
    {
      SwScalar x;

      if (!sw_scalar_load (&x, input, sw_view_get_index (input, i), error) ||
          !sw_scalar_store (self->apply (x, values), result, i, name, error))
        return FALSE;
    }

  return TRUE;
}

static void
set_failure (const char *failure, /* nullable */
             const char *name,
             SwDType dtype,
             gint64 ordinal,
             GError **error)
{
  if (failure == NULL)
    sw_scalar_set_overflow (name, dtype, ordinal, error);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s %s at index %" G_GINT64_FORMAT, name, failure, ordinal);
}

gboolean
sw_generic_run_binary (const SwBinaryKernel *kernel,
                       const char *name,
                       const SwView *lhs,
                       const SwView *rhs,
                       const SwView *result,
                       GError **error)
{
  const SwGenericBinaryKernel *self = (const SwGenericBinaryKernel *) kernel;

  for (gint64 i = 0; i < result->axis.size; i++)
    {
      const char *failure = NULL;
      SwScalar a, b, y;

      if (!sw_scalar_load (&a, lhs, sw_view_get_index (lhs, i), error) ||
          !sw_scalar_load (&b, rhs, sw_view_get_index (rhs, i), error))
        return FALSE;
      if (!self->apply (a, b, &y, &failure))
        {
          set_failure (failure, name, result->dtype, i, error);
          return FALSE;
        }
      if (!sw_scalar_store (y, result, i, name, error))
        return FALSE;
    }

  return TRUE;
}
