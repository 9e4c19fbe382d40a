/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"

static SwTensor *
run (const SwCall *call,
     SwTensor *tensor,
     SwView *input,
     GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  const SwUnaryKernel *kernel = call->implementation->kernel;
  SwTensor *converted, *result;
  SwDTypes dtypes;
  SwView view;

  if (!sw_dtype_rules_resolve (info, tensor->carrier, input->dtype, &dtypes, error) ||
      !sw_view_convert (input, tensor, dtypes.operands, &converted, error))
    return NULL;

  result = sw_view_allocate (&view, tensor, sw_layout_new_for_result (tensor->layout), dtypes.result, error);
  if (result != NULL && !kernel->run (kernel, info->name, input, &view, error))
    g_clear_pointer (&result, sw_tensor_unref);
  g_clear_pointer (&converted, sw_tensor_unref);
  return result;
}

SwTensor *
sw_unary_compute (const SwCall *call,
                  GError **error)
{
  SwTensor *tensor, *result;
  SwView input;

  if (!sw_inputs_check_count (call, 1, 1, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  if (tensor == NULL || !sw_view_hold (&input, tensor, "input", error))
    return NULL;

  result = run (call, tensor, &input, error);
  sw_view_drop (tensor);
  return result;
}
