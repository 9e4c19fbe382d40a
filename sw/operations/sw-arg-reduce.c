/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-reduction-private.h"

SwTensor *
sw_arg_reduce_compute (const SwCall *call,
                       GError **error)
{
  SwTensor *tensor, *result = NULL;
  SwDTypes dtypes;
  SwView input;

  if (!sw_inputs_check_count (call, 1, 3, error) || !sw_split_check_one_mode (call, 1, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  if (tensor == NULL || !sw_view_hold (&input, tensor, "input", error))
    return NULL;

  if (sw_dtype_rules_resolve (call->implementation->info, tensor->carrier, input.dtype, &dtypes, error))
    result = sw_reduction_compute (call, &input, "mode", dtypes.result, SW_DTYPE_INVALID, error);

  sw_view_drop (tensor);
  return result;
}
