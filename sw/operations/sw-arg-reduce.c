/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-reduction-private.h"

/* An ordinal within several modes that are not neighbours would mean nothing. */
static gboolean
check_one_mode (const SwCall *call,
                GError **error)
{
  if (call->n_operands < 2 || call->operands[1].kind != SW_VALUE_INDICES || call->operands[1].indices.n_values == 1)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mode must be one mode, not %" G_GSIZE_FORMAT,
               call->operands[1].indices.n_values);
  return FALSE;
}

SwTensor *
sw_arg_reduce_compute (const SwCall *call,
                       GError **error)
{
  SwTensor *tensor, *result = NULL;
  SwDType dtype;
  SwView input;

  if (!sw_inputs_check_count (call, 1, 2, error) || !check_one_mode (call, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  if (tensor == NULL || !sw_view_hold (&input, tensor, "input", error))
    return NULL;

  dtype = sw_dtype_rules_resolve (call->implementation->info, tensor->carrier, input.dtype, error);
  if (dtype != SW_DTYPE_INVALID)
    result = sw_reduction_compute (call, &input, "mode", dtype, SW_DTYPE_INVALID, error);

  sw_view_drop (tensor);
  return result;
}
