/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-value-private.h"

/* A whole value of the view goes to the result; both hold the same dtype. */
static void
copy_item (const SwView *from,
           gint64 from_ordinal,
           const SwView *to,
           gint64 to_ordinal)
{
  gsize size = sw_dtype_get_item_size (to->dtype);
  const char *source = (const char *) from->data + sw_view_get_index (from, from_ordinal) * (gssize) size;
  char *target = (char *) to->data + sw_view_get_index (to, to_ordinal) * (gssize) size;

  memcpy (target, source, size);
  if (to->dtype == SW_DTYPE_ANY && *(SwValue **) target != NULL)
    sw_value_ref (*(SwValue **) target);
}

static gboolean
run_select (const SwSelectKernel *self,
            const SwView *condition,
            const SwView *lhs,
            const SwView *rhs,
            const SwView *result,
            GError **error)
{
  for (gint64 i = 0; i < result->axis.size; i++)
    {
      gboolean is_set = ((const guint8 *) condition->data)[sw_view_get_index (condition, i)] != 0;

      copy_item (is_set ? lhs : rhs, i, result, i);
    }

  return TRUE;
}

/* The value of Any as a number of another dtype; what is none cannot be one. */
static gboolean
load (SwScalar *value,
      const SwView *input,
      gint64 ordinal,
      GError **error)
{
  gint64 index = sw_view_get_index (input, ordinal);

  if (input->dtype == SW_DTYPE_ANY)
    {
      SwValue *item = ((SwValue **) input->data)[index];

      if (item != NULL && item->kind == SW_VALUE_BOOL)
        {
          *value = sw_scalar_integer (item->boolean != 0);
          return TRUE;
        }
    }
  return sw_scalar_load (value, input, index, error);
}

static void
store_truth (const SwView *input,
             const SwView *result,
             gint64 ordinal)
{
  guint8 truth = ((const guint8 *) input->data)[sw_view_get_index (input, ordinal)];

  ((SwValue **) result->data)[sw_view_get_index (result, ordinal)] = sw_value_new_bool (truth != 0);
}

static gboolean
run_cast (const SwUnaryKernel *self,
          const char *name,
          const SwView *input,
          const SwView *result,
          GError **error)
{
  for (gint64 i = 0; i < result->axis.size; i++)
    {
      SwScalar value;

      if (input->dtype == result->dtype)
        copy_item (input, i, result, i);
      else if (input->dtype == SW_DTYPE_BOOL && result->dtype == SW_DTYPE_ANY)
        store_truth (input, result, i);
      else if (!load (&value, input, i, error) || !sw_scalar_store_converted (value, result, i, name, error))
        return FALSE;
    }

  return TRUE;
}

const SwSelectKernel sw_generic_select_kernel = { run_select };
const SwUnaryKernel sw_generic_cast_kernel = { run_cast };
