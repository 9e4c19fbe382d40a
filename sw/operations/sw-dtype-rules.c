/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-dtype-rules-private.h"

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-carrier-private.h"

static gboolean
is_number (SwDType dtype)
{
  return dtype != SW_DTYPE_INVALID && dtype != SW_DTYPE_BOOL;
}

static gboolean
is_integer (SwDType dtype)
{
  return dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64;
}

static void
set_unsupported (const SwOperationInfo *info,
                 SwCarrier *carrier,
                 SwDType input,
                 GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (carrier)->builtin;
  g_autoptr (GString) supported = g_string_new (NULL);

  for (SwDType dtype = SW_DTYPE_FLOAT32; dtype < SW_DTYPE_N; dtype++)
    {
      if (is_number (dtype) && builtin->supports_dtype (carrier, dtype))
        g_string_append_printf (supported, "%s%s", supported->len > 0 ? ", " : "", sw_dtype_to_string (dtype));
    }
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "%s does not support %s; on %s it takes one of %s",
               info->name, sw_dtype_to_string (input), builtin->name, supported->str);
}

SwDType
sw_dtype_rules_resolve (const SwOperationInfo *info,
                        SwCarrier *carrier,
                        SwDType input,
                        GError **error)
{
  if (info->result_dtype == SW_RESULT_SAME)
    return input;

  if (G_UNLIKELY (!is_number (input)))
    {
      set_unsupported (info, carrier, input, error);
      return SW_DTYPE_INVALID;
    }

  switch (info->result_dtype)
    {
    case SW_RESULT_REAL:
      return is_integer (input) ? SW_DTYPE_FLOAT64 : input;
    case SW_RESULT_INDEX:
      return SW_DTYPE_INT64;
    case SW_RESULT_SAME:
    case SW_RESULT_ARITHMETIC:
      return input;
    }

  g_return_val_if_reached (SW_DTYPE_INVALID);
}

static gboolean
can_accumulate (SwDType input,
                SwDType accumulator)
{
  if (is_integer (input))
    return accumulator == SW_DTYPE_INT64;
  return input != SW_DTYPE_ANY && (accumulator == SW_DTYPE_FLOAT32 || accumulator == SW_DTYPE_FLOAT64);
}

static const char *
describe_accumulators (SwDType input)
{
  if (is_integer (input))
    return "Int64 only";
  return input == SW_DTYPE_ANY ? "none" : "Float32 or Float64";
}

gboolean
sw_dtype_rules_get_accumulator (const SwOperationInfo *info,
                                SwExecutionOptions *options,
                                SwDType input,
                                SwDType *accumulator,
                                GError **error)
{
  *accumulator = options != NULL ? sw_execution_options_get_accumulator_dtype (options) : SW_DTYPE_INVALID;
  if (*accumulator == SW_DTYPE_INVALID || can_accumulate (input, *accumulator))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "accumulator_dtype is %s, but %s of %s allows %s",
               sw_dtype_to_string (*accumulator), info->name, sw_dtype_to_string (input), describe_accumulators (input));
  return FALSE;
}
