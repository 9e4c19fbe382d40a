/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"
#include "sw/carriers/generic/sw-generic-sum-private.h"

/* The value that is @r-th within the group that makes result @i. */
static gboolean
load (SwScalar *value,
      const SwReduction *reduction,
      gint64 i,
      gint64 r,
      GError **error)
{
  gint64 index = sw_view_get_index (&reduction->kept, i) + sw_axis_get_index (&reduction->reduced, r);

  return sw_scalar_load (value, &reduction->kept, index, error);
}

static gboolean
run_sum (const SwReduceKernel *self,
         const SwReduction *reduction,
         GError **error)
{
  for (gint64 i = 0; i < reduction->result.axis.size; i++)
    {
      SwGenericSum sum = { .rounds = reduction->accumulator == SW_DTYPE_FLOAT32 };
      SwScalar value;

      for (gint64 r = 0; r < reduction->reduced.size; r++)
        {
          if (!load (&value, reduction, i, r, error))
            return FALSE;
          sw_generic_sum_add (&sum, value);
        }
      if (!sw_generic_sum_store (&sum, &reduction->result, i, reduction->name, error))
        return FALSE;
    }

  return TRUE;
}

/* The largest value of a group and its place; of equal ones the first. */
static gboolean
find_largest (const SwReduction *reduction,
              gint64 i,
              SwScalar *largest,
              gint64 *place,
              GError **error)
{
  *place = 0;
  if (!load (largest, reduction, i, 0, error))
    return FALSE;

  for (gint64 r = 1; r < reduction->reduced.size; r++)
    {
      SwScalar value;

      if (!load (&value, reduction, i, r, error))
        return FALSE;
      if (sw_scalar_is_larger (value, *largest))
        {
          *largest = value;
          *place = r;
        }
    }

  return TRUE;
}

static gboolean
run_max (const SwReduceKernel *self,
         const SwReduction *reduction,
         GError **error)
{
  for (gint64 i = 0; i < reduction->result.axis.size; i++)
    {
      SwScalar largest;
      gint64 place;

      if (!find_largest (reduction, i, &largest, &place, error) ||
          !sw_scalar_store (largest, &reduction->result, i, reduction->name, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_argmax (const SwReduceKernel *self,
            const SwReduction *reduction,
            GError **error)
{
  for (gint64 i = 0; i < reduction->result.axis.size; i++)
    {
      SwScalar largest;
      gint64 place;

      if (!find_largest (reduction, i, &largest, &place, error) ||
          !sw_scalar_store (sw_scalar_integer (place), &reduction->result, i, reduction->name, error))
        return FALSE;
    }

  return TRUE;
}

const SwReduceKernel sw_generic_reduce_sum_kernel = { run_sum };
const SwReduceKernel sw_generic_reduce_max_kernel = { run_max };
const SwReduceKernel sw_generic_argmax_kernel = { run_argmax };
