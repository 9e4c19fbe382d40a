/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-operand-private.h"

/* The values of @input in the order of its ordinals, which is the order of a compact result's storage whatever its
 * shape. Takes @layout. */
static SwTensor *
copy (const SwCall *call,
      const SwView *input,
      SwLayout *layout,
      GError **error)
{
  const SwViewKernel *kernel = call->implementation->kernel;
  g_autofree SwLayoutLeaf *leaves = g_new (SwLayoutLeaf, input->axis.n_leaves + 1);
  gint64 step = 1;
  SwTensor *result;
  SwView view;

  result = sw_view_allocate (&view, call->operands[0].tensor, layout, input->dtype, error);
  if (result == NULL)
    return NULL;

  for (guint i = 0; i < input->axis.n_leaves; i++)
    {
      leaves[i].extent = input->axis.leaves[i].extent;
      leaves[i].step = step;
      step *= leaves[i].extent;
    }
  view.axis.n_leaves = input->axis.n_leaves;
  view.axis.leaves = leaves;

  kernel->copy (input, &view);
  return result;
}

/* Only as_strided may go beyond what the input shows, so its layout is checked against the carrier. */
static SwTensor *
new_view (const SwCall *call,
          SwTensor *tensor,
          SwLayout *layout,
          GError **error)
{
  gint64 offset = tensor->offset;
  SwTensor *result;

  if (call->implementation->info->id != SW_OPERATION_AS_STRIDED)
    return sw_tensor_new_take (g_object_ref (tensor->carrier), offset, layout);

  if (call->n_operands > 3)
    offset = call->operands[3].integer;
  result = sw_tensor_new (tensor->carrier, offset, layout, error);
  sw_layout_unref (layout);
  return result;
}

SwTensor *
sw_view_compute (const SwCall *call,
                 GError **error)
{
  const SwViewKernel *kernel = call->implementation->kernel;
  gboolean needs_copy = FALSE;
  SwTensor *tensor, *result;
  SwLayout *layout;
  SwView input;

  if (!sw_inputs_check_count (call, kernel->min_inputs, kernel->max_inputs, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  layout = tensor != NULL ? kernel->transform (call, tensor->layout, &needs_copy, error) : NULL;
  if (layout == NULL)
    return NULL;

  if (!needs_copy)
    return new_view (call, tensor, layout, error);

  if (!sw_view_hold (&input, tensor, "input", error))
    {
      sw_layout_unref (layout);
      return NULL;
    }
  result = copy (call, &input, layout, error);
  sw_view_drop (tensor);
  return result;
}
