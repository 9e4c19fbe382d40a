/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"
#include "sw/carriers/generic/sw-generic-sum-private.h"

static gboolean
load_factors (const SwProduct *product,
              gint64 i,
              gint64 j,
              gint64 k,
              SwScalar *a,
              SwScalar *b,
              GError **error)
{
  gint64 lhs = sw_view_get_index (&product->lhs, i) + sw_axis_get_index (&product->lhs_inner, k);
  gint64 rhs = sw_view_get_index (&product->rhs, j) + sw_axis_get_index (&product->rhs_inner, k);

  return sw_scalar_load (a, &product->lhs, lhs, error) &&
         sw_scalar_load (b, &product->rhs, rhs, error);
}

static gboolean
multiply_row (const SwProduct *product,
              gint64 i,
              gint64 j,
              GError **error)
{
  SwGenericSum sum = { .rounds = product->accumulator == SW_DTYPE_FLOAT32 };
  gint64 place = sw_product_get_ordinal (product, i, j);

  for (gint64 k = 0; k < product->lhs_inner.size; k++)
    {
      SwScalar a, b, term;

      if (!load_factors (product, i, j, k, &a, &b, error))
        return FALSE;
      if (!sw_scalar_multiply (a, b, &term))
        {
          sw_scalar_set_overflow (product->name, product->result.dtype, place, error);
          return FALSE;
        }
      sw_generic_sum_add (&sum, term);
    }

  return sw_generic_sum_store (&sum, &product->result, place, product->name, error);
}

static gboolean
run_matmul (const SwMatmulKernel *self,
            const SwProduct *product,
            GError **error)
{
  for (gint64 j = 0; j < product->rhs.axis.size; j++)
    {
      for (gint64 i = 0; i < product->lhs.axis.size; i++)
        {
          if (!multiply_row (product, i, j, error))
            return FALSE;
        }
    }

  return TRUE;
}

const SwMatmulKernel sw_generic_matmul_kernel = { run_matmul, sw_product_run_each };
