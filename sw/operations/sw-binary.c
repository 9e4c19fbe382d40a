/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-out-private.h"
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
  SwResult result;

  if (!sw_result_begin (&result, call, tensor, dtype, (const SwView *[]){ lhs, rhs }, 2, error))
    return NULL;
  return sw_result_end (&result,
                        sw_view_is_empty (&result.view) ||
                            kernel->run (kernel, call->implementation->info->name, lhs, rhs, &result.view, error),
                        error);
}

/* The number becomes one value of the dtype that the tensor is brought to, so kernels know tensors only. */
static SwTensor *
run_with_number (const SwCall *call,
                 SwTensor *tensor,
                 SwView *lhs,
                 GError **error)
{
  const SwOperand *number = &call->operands[1];
  SwTensor *converted, *result = NULL;
  SwNumberCell cell;
  SwDTypes dtypes;
  SwView rhs;

  if (!sw_dtype_rules_resolve_number (call->implementation->info, tensor->carrier, lhs->dtype, number, &dtypes, error) ||
      !sw_operand_get_number (number, "rhs", dtypes.operands, &cell, error))
    return NULL;

  rhs = (SwView){ "rhs", &cell, dtypes.operands, 0, { lhs->axis.size, 0, NULL } };
  if (sw_view_convert (lhs, tensor, dtypes.operands, &converted, error))
    result = run (call, tensor, dtypes.result, lhs, &rhs, error);

  g_clear_pointer (&converted, sw_tensor_unref);
  sw_number_cell_clear (&cell, dtypes.operands);
  return result;
}

static SwTensor *
run_with_held (const SwCall *call,
               SwTensor *tensor,
               SwView *lhs,
               SwTensor *other,
               SwView *rhs,
               GError **error)
{
  SwTensor *first = NULL, *second = NULL, *result = NULL;
  SwDTypes dtypes;

  if (!sw_dtype_rules_resolve_two (call->implementation->info, tensor->carrier, lhs->dtype, rhs->dtype, &dtypes, error))
    return NULL;

  if (sw_view_convert (lhs, tensor, dtypes.operands, &first, error) &&
      sw_view_convert (rhs, other, dtypes.operands, &second, error))
    result = run (call, tensor, dtypes.result, lhs, rhs, error);

  g_clear_pointer (&second, sw_tensor_unref);
  g_clear_pointer (&first, sw_tensor_unref);
  return result;
}

static SwTensor *
run_with_tensor (const SwCall *call,
                 SwTensor *tensor,
                 SwView *lhs,
                 GError **error)
{
  SwTensor *other = sw_inputs_get_tensor (call, 1, "rhs", error);
  SwTensor *result;
  SwView rhs;

  if (other == NULL || !sw_inputs_check_same_shape (other, "rhs", tensor, "lhs", error) ||
      !sw_view_hold (&rhs, other, "rhs", error))
    return NULL;

  result = run_with_held (call, tensor, lhs, other, &rhs, error);
  sw_view_drop (other);
  return result;
}

/* A truth value is a number to those operations only that take tensors of Bool. */
static gboolean
takes_as_number (const SwCall *call,
                 SwDType dtype)
{
  const SwOperationInfo *info = call->implementation->info;
  const SwOperand *operand = &call->operands[1];

  if ((info->flags & SW_OPERATION_TAKES_SCALAR) == 0)
    return FALSE;
  if (info->result_dtype == SW_RESULT_TRUTH && dtype == SW_DTYPE_BOOL)
    return operand->kind == SW_VALUE_BOOL;
  return sw_operand_is_number (operand);
}

/* Other operations say themselves that they do not take Bool. */
static gboolean
check_truth_values (const SwCall *call,
                    SwDType dtype,
                    GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  g_autofree char *given = NULL;

  if (dtype != SW_DTYPE_BOOL || info->result_dtype != SW_RESULT_TRUTH || !sw_operand_is_number (&call->operands[1]))
    return TRUE;

  given = sw_operand_describe (&call->operands[1]);
  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "rhs is %s, but lhs holds Bool", given);
  return FALSE;
}

SwTensor *
sw_binary_compute (const SwCall *call,
                   GError **error)
{
  SwTensor *tensor, *result;
  SwView lhs;

  if (!sw_inputs_check_count (call, 2, 2, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "lhs", error);
  if (tensor == NULL || !sw_view_hold (&lhs, tensor, "lhs", error))
    return NULL;

  if (!check_truth_values (call, lhs.dtype, error))
    result = NULL;
  else if (takes_as_number (call, lhs.dtype))
    result = run_with_number (call, tensor, &lhs, error);
  else
    result = run_with_tensor (call, tensor, &lhs, error);

  sw_view_drop (tensor);
  return result;
}
