/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-operand-private.h"

static SwTensor *
run (const SwCall *call,
     SwTensor *tensor,
     SwDType dtype,
     const SwView *lhs,
     const SwView *rhs,
     GError **error)
{
  const SwBinaryKernel *kernel = call->implementation->kernel;
  SwView view;
  SwTensor *result = sw_view_allocate (&view, tensor, sw_layout_new_for_result (tensor->layout), dtype, error);

  if (result != NULL && !kernel->run (kernel, call->implementation->info->name, lhs, rhs, &view, error))
    g_clear_pointer (&result, sw_tensor_unref);
  return result;
}

/* The number becomes one value of the tensor's own dtype, so kernels know tensors only. */
static SwTensor *
run_with_number (const SwCall *call,
                 SwTensor *tensor,
                 SwDType dtype,
                 const SwView *lhs,
                 GError **error)
{
  SwNumberCell cell;
  SwView rhs = { "rhs", &cell, lhs->dtype, 0, { lhs->axis.size, 0, NULL } };
  SwTensor *result;

  if (!sw_operand_get_number (&call->operands[1], "rhs", lhs->dtype, &cell, error))
    return NULL;

  result = run (call, tensor, dtype, lhs, &rhs, error);
  sw_number_cell_clear (&cell, lhs->dtype);
  return result;
}

static gboolean
check_shapes (SwTensor *lhs,
              SwTensor *rhs,
              GError **error)
{
  SwShape *lhs_shape = lhs->layout->shape;
  SwShape *rhs_shape = rhs->layout->shape;
  g_autofree char *lhs_text = NULL;
  g_autofree char *rhs_text = NULL;

  if (G_LIKELY (lhs_shape == rhs_shape || sw_shape_equal (lhs_shape, rhs_shape)))
    return TRUE;

  lhs_text = sw_shape_to_string (lhs_shape);
  rhs_text = sw_shape_to_string (rhs_shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "rhs has the shape %s, but lhs has the shape %s; broadcast one of them",
               rhs_text, lhs_text);
  return FALSE;
}

static SwTensor *
run_with_tensor (const SwCall *call,
                 SwTensor *tensor,
                 SwDType dtype,
                 const SwView *lhs,
                 GError **error)
{
  SwTensor *other = sw_inputs_get_tensor (call, 1, "rhs", error);
  SwTensor *result = NULL;
  SwView rhs;

  if (other == NULL || !check_shapes (tensor, other, error) || !sw_view_hold (&rhs, other, "rhs", error))
    return NULL;

  if (G_LIKELY (lhs->dtype == rhs.dtype))
    result = run (call, tensor, dtype, lhs, &rhs, error);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "rhs holds %s, but lhs holds %s",
                 sw_dtype_to_string (rhs.dtype), sw_dtype_to_string (lhs->dtype));

  sw_view_drop (other);
  return result;
}

SwTensor *
sw_binary_compute (const SwCall *call,
                   GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  SwTensor *tensor, *result = NULL;
  SwDType dtype;
  SwView lhs;

  if (!sw_inputs_check_count (call, 2, 2, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "lhs", error);
  if (tensor == NULL || !sw_view_hold (&lhs, tensor, "lhs", error))
    return NULL;

  dtype = sw_dtype_rules_resolve (info, tensor->carrier, lhs.dtype, error);
  if (dtype == SW_DTYPE_INVALID)
    result = NULL;
  else if ((info->flags & SW_OPERATION_TAKES_SCALAR) != 0 && sw_operand_is_number (&call->operands[1]))
    result = run_with_number (call, tensor, dtype, &lhs, error);
  else
    result = run_with_tensor (call, tensor, dtype, &lhs, error);

  sw_view_drop (tensor);
  return result;
}
