/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"
#include "sw/carriers/generic/sw-generic-sum-private.h"
#include "sw/carriers/sw-integer-product-private.h"

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

static gboolean
run_product (const SwReduceKernel *self,
             const SwReduction *reduction,
             GError **error)
{
  for (gint64 i = 0; i < reduction->result.axis.size; i++)
    {
      SwScalar total = sw_scalar_real (1);
      SwIntegerProduct product;
      gboolean has_real = FALSE;

      sw_integer_product_init (&product);
      for (gint64 r = 0; r < reduction->reduced.size; r++)
        {
          SwScalar value;

          if (!load (&value, reduction, i, r, error))
            return FALSE;
          has_real |= !value.is_integer;
          total.real *= sw_scalar_to_real (value);
          if (value.is_integer)
            sw_integer_product_add (&product, value.integer);
        }
      if (!has_real)
        {
          total.is_integer = TRUE;
          if (!sw_integer_product_get (&product, &total.integer))
            {
              sw_scalar_set_overflow (reduction->name, reduction->result.dtype, i, error);
              return FALSE;
            }
        }
      if (!sw_scalar_store (total, &reduction->result, i, reduction->name, error))
        return FALSE;
    }

  return TRUE;
}

typedef gboolean (*IsBetter) (SwScalar a,
                              SwScalar b);

/* Not a number is smaller than all numbers, as it is larger than them where the largest is asked for. */
static gboolean
is_smaller (SwScalar a,
            SwScalar b)
{
  return !sw_scalar_is_nan (b) && (sw_scalar_is_nan (a) || sw_scalar_compare (a, b) < 0);
}

/* The largest or smallest value of a group and its place; of equal ones the first. */
static gboolean
find (const SwReduction *reduction,
      IsBetter is_better,
      gint64 i,
      SwScalar *best,
      gint64 *place,
      GError **error)
{
  *place = 0;
  if (!load (best, reduction, i, 0, error))
    return FALSE;

  for (gint64 r = 1; r < reduction->reduced.size; r++)
    {
      SwScalar value;

      if (!load (&value, reduction, i, r, error))
        return FALSE;
      if (is_better (value, *best))
        {
          *best = value;
          *place = r;
        }
    }

  return TRUE;
}

static gboolean
run_extreme (const SwReduction *reduction,
             IsBetter is_better,
             gboolean wants_place,
             GError **error)
{
  for (gint64 i = 0; i < reduction->result.axis.size; i++)
    {
      SwScalar best;
      gint64 place;

      if (!find (reduction, is_better, i, &best, &place, error) ||
          !sw_scalar_store (wants_place ? sw_scalar_integer (place) : best, &reduction->result, i, reduction->name, error))
        return FALSE;
    }

  return TRUE;
}

#define DEFINE_EXTREME(name, is_better, wants_place)                                        \
  static gboolean                                                                           \
      run_##name (const SwReduceKernel *self, const SwReduction *reduction, GError **error) \
  {                                                                                         \
    return run_extreme (reduction, is_better, wants_place, error);                          \
  }                                                                                         \
                                                                                            \
  const SwReduceKernel sw_generic_##name##_kernel = { run_##name };

DEFINE_EXTREME (reduce_max, sw_scalar_is_larger, FALSE)
DEFINE_EXTREME (reduce_min, is_smaller, FALSE)
DEFINE_EXTREME (argmax, sw_scalar_is_larger, TRUE)
DEFINE_EXTREME (argmin, is_smaller, TRUE)

const SwReduceKernel sw_generic_reduce_sum_kernel = { run_sum };
const SwReduceKernel sw_generic_reduce_prod_kernel = { run_product };
