/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-reduction-private.h"

SwTensor *
sw_reduce_compute (const SwCall *call,
                   GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  SwTensor *tensor, *result = NULL;
  SwDType accumulator;
  SwDTypes dtypes;
  SwView input;

  if (!sw_inputs_check_count (call, 1, 3, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  if (tensor == NULL || !sw_view_hold (&input, tensor, "input", error))
    return NULL;

  if (sw_dtype_rules_resolve (info, tensor->carrier, input.dtype, &dtypes, error) &&
      sw_dtype_rules_get_accumulator (info, call->options, input.dtype, &accumulator, error))
    result = sw_reduction_compute (call, &input, "modes", dtypes.result, accumulator, error);

  sw_view_drop (tensor);
  return result;
}
