/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-operand-private.h"

static SwShape *
get_shape (const SwCall *call,
           GError **error)
{
  const SwOperand *operand = &call->operands[1];

  if (operand->kind == SW_VALUE_SHAPE)
    return operand->shape;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "shape must be a Shape, not %s", sw_operand_get_type_name (operand));
  return NULL;
}

SwLayout *
sw_view_broadcast_to (const SwCall *call,
                      SwLayout *layout,
                      gboolean *needs_copy,
                      GError **error)
{
  SwShape *shape = get_shape (call, error);

  return shape != NULL ? sw_layout_broadcast_to (layout, shape, error) : NULL;
}

SwLayout *
sw_view_permute (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error)
{
  const SwOperand *operand = &call->operands[1];

  if (operand->kind != SW_VALUE_INDICES)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "order must be a list of integers, not %s",
                   sw_operand_get_type_name (operand));
      return NULL;
    }

  return sw_layout_permute (layout, operand->indices.values, operand->indices.n_values, error);
}

SwLayout *
sw_view_reshape (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error)
{
  g_autoptr (GError) failure = NULL;
  SwShape *shape = get_shape (call, error);
  SwLayout *result;

  if (shape == NULL)
    return NULL;

  result = sw_layout_reshape (layout, shape, &failure);
  if (result == NULL && g_error_matches (failure, SW_ERROR, SW_ERROR_UNSUPPORTED))
    {
      *needs_copy = TRUE;
      return sw_layout_new_compact (shape);
    }

  if (result == NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return result;
}

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

SwTensor *
sw_view_compute (const SwCall *call,
                 GError **error)
{
  const SwViewKernel *kernel = call->implementation->kernel;
  gboolean needs_copy = FALSE;
  SwTensor *tensor, *result;
  SwLayout *layout;
  SwView input;

  if (!sw_inputs_check_count (call, 2, 2, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  layout = tensor != NULL ? kernel->transform (call, tensor->layout, &needs_copy, error) : NULL;
  if (layout == NULL)
    return NULL;

  if (!needs_copy)
    return sw_tensor_new_take (g_object_ref (tensor->carrier), tensor->offset, layout);

  if (!sw_view_hold (&input, tensor, "input", error))
    {
      sw_layout_unref (layout);
      return NULL;
    }
  result = copy (call, &input, layout, error);
  sw_view_drop (tensor);
  return result;
}
