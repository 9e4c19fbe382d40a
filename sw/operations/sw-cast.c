/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-out-private.h"
#include "sw/operations/sw-operand-private.h"

static gboolean
get_dtype (const SwCall *call,
           SwCarrier *carrier,
           SwDType *dtype,
           GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (carrier)->builtin;
  const SwOperand *operand = &call->operands[1];

  if (operand->kind != SW_VALUE_INT64)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "dtype must be a DType, not %s", sw_operand_get_type_name (operand));
      return FALSE;
    }
  if (operand->integer <= SW_DTYPE_INVALID || operand->integer >= SW_DTYPE_N)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "dtype is %" G_GINT64_FORMAT ", which is no dtype", operand->integer);
      return FALSE;
    }

  *dtype = (SwDType) operand->integer;
  if (builtin->supports_dtype (carrier, *dtype))
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "dtype is %s, which %s does not hold", sw_dtype_to_string (*dtype), builtin->name);
  return FALSE;
}

SwTensor *
sw_cast_compute (const SwCall *call,
                 GError **error)
{
  const SwUnaryKernel *kernel = call->implementation->kernel;
  SwTensor *tensor, *made = NULL;
  SwResult result;
  SwView input;
  SwDType dtype;

  if (!sw_inputs_check_count (call, 2, 2, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  if (tensor == NULL || !get_dtype (call, tensor->carrier, &dtype, error) || !sw_view_hold (&input, tensor, "input", error))
    return NULL;

  if (sw_result_begin (&result, call, tensor, dtype, (const SwView *[]){ &input }, 1, error))
    made = sw_result_end (&result,
                          sw_view_is_empty (&result.view) ||
                              kernel->run (kernel, call->implementation->info->name, &input, &result.view, error),
                          error);
  sw_view_drop (tensor);
  return made;
}
