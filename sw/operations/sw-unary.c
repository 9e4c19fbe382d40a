/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-out-private.h"

static SwTensor *
run (const SwCall *call,
     SwTensor *tensor,
     SwView *input,
     GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  const SwUnaryKernel *kernel = call->implementation->kernel;
  SwTensor *converted, *made = NULL;
  SwDTypes dtypes;
  SwResult result;

  if (!sw_dtype_rules_resolve (info, tensor->carrier, input->dtype, &dtypes, error) ||
      !sw_view_convert (input, tensor, dtypes.operands, &converted, error))
    return NULL;

  if (sw_result_begin (&result, call, tensor, dtypes.result, (const SwView *[]){ input }, 1, error))
    made = sw_result_end (&result, sw_view_is_empty (&result.view) || kernel->run (kernel, info->name, input, &result.view, error), error);
  g_clear_pointer (&converted, sw_tensor_unref);
  return made;
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
