/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-modes-private.h"

/* The two modes of each matrix; NULL with a VALUE error when it has another number of modes. */
static SwMode *
get_matrix_modes (SwTensor *tensor,
                  const char *argument,
                  GError **error)
{
  g_autofree char *shape = NULL;

  if (tensor->layout->shape->tree.n_items == 2)
    return sw_modes_new (tensor->layout);

  shape = sw_shape_to_string (tensor->layout->shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s must have 2 modes, but its shape is %s", argument, shape);
  return NULL;
}

static gboolean
check_inner_modes (const SwMode *lhs,
                   const SwMode *rhs,
                   GError **error)
{
  g_autofree char *lhs_text = NULL;
  g_autofree char *rhs_text = NULL;

  if (sw_mode_same_shape (lhs, rhs))
    return TRUE;

  lhs_text = sw_mode_to_string (lhs);
  rhs_text = sw_mode_to_string (rhs);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mode 0 of rhs is %s, but mode 1 of lhs is %s", rhs_text, lhs_text);
  return FALSE;
}

static gboolean
check_shapes (SwTensor *lhs,
              SwTensor *rhs,
              GError **error)
{
  g_autofree SwMode *lhs_modes = get_matrix_modes (lhs, "lhs", error);
  g_autofree SwMode *rhs_modes = lhs_modes != NULL ? get_matrix_modes (rhs, "rhs", error) : NULL;

  return rhs_modes != NULL && check_inner_modes (&lhs_modes[1], &rhs_modes[0], error);
}

/* The shapes fit and both operands hold the same. */
static SwTensor *
run (const SwCall *call,
     SwProduct *product,
     SwTensor *lhs,
     SwTensor *rhs,
     SwDType dtype,
     GError **error)
{
  const SwMatmulKernel *kernel = call->implementation->kernel;
  g_autofree SwMode *lhs_modes = sw_modes_new (lhs->layout);
  g_autofree SwMode *rhs_modes = sw_modes_new (rhs->layout);
  SwLayout *layout;
  SwTensor *result;

  product->lhs.axis = sw_mode_get_axis (&lhs_modes[0], lhs->layout);
  product->lhs_inner = sw_mode_get_axis (&lhs_modes[1], lhs->layout);
  product->rhs.axis = sw_mode_get_axis (&rhs_modes[1], rhs->layout);
  product->rhs_inner = sw_mode_get_axis (&rhs_modes[0], rhs->layout);

  layout = sw_modes_build_layout ((const SwMode *[]){ &lhs_modes[0], &rhs_modes[1] }, 2, error);
  if (layout == NULL)
    return NULL;
  result = sw_view_allocate (&product->result, lhs, layout, dtype, error);
  if (result != NULL && !kernel->run (kernel, product, error))
    g_clear_pointer (&result, sw_tensor_unref);
  return result;
}

static SwTensor *
run_with_held (const SwCall *call,
               SwProduct *product,
               GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  SwTensor *lhs = call->operands[0].tensor;
  SwTensor *rhs = call->operands[1].tensor;
  SwTensor *first = NULL, *second = NULL, *result = NULL;
  SwDTypes dtypes;

  if (!check_shapes (lhs, rhs, error) ||
      !sw_dtype_rules_resolve_two (info, lhs->carrier, product->lhs.dtype, product->rhs.dtype, &dtypes, error) ||
      !sw_dtype_rules_get_accumulator (info, call->options, dtypes.operands, &product->accumulator, error))
    return NULL;

  if (sw_view_convert (&product->lhs, lhs, dtypes.operands, &first, error) &&
      sw_view_convert (&product->rhs, rhs, dtypes.operands, &second, error))
    result = run (call, product, first != NULL ? first : lhs, second != NULL ? second : rhs, dtypes.result, error);

  g_clear_pointer (&second, sw_tensor_unref);
  g_clear_pointer (&first, sw_tensor_unref);
  return result;
}

SwTensor *
sw_matmul_compute (const SwCall *call,
                   GError **error)
{
  SwProduct product = { call->implementation->info->name };
  SwTensor *lhs, *rhs, *result;

  if (!sw_inputs_check_count (call, 2, 2, error))
    return NULL;
  lhs = sw_inputs_get_tensor (call, 0, "lhs", error);
  rhs = lhs != NULL ? sw_inputs_get_tensor (call, 1, "rhs", error) : NULL;
  if (rhs == NULL || !sw_view_hold (&product.lhs, lhs, "lhs", error))
    return NULL;
  if (!sw_view_hold (&product.rhs, rhs, "rhs", error))
    {
      sw_view_drop (lhs);
      return NULL;
    }

  result = run_with_held (call, &product, error);
  sw_view_drop (rhs);
  sw_view_drop (lhs);
  return result;
}
