/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-dtype-rules-private.h"

#include <math.h>

#include "sw/base/sw-error.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/tensor/sw-carrier-private.h"

#define NONE SW_DTYPE_INVALID
#define F32 SW_DTYPE_FLOAT32
#define F64 SW_DTYPE_FLOAT64
#define I32 SW_DTYPE_INT32
#define I64 SW_DTYPE_INT64
#define BOOL SW_DTYPE_BOOL
#define FLOATING SW_DTYPE_FLOATING
#define ANY SW_DTYPE_ANY

/* The whole policy: for each rule of the operation table, what it makes of each dtype. The first dtype is the one that
 * the operands are brought to, the second is the result's; what is not here is not supported. */
static const SwDTypes rules[SW_N_RESULT_DTYPES][SW_DTYPE_N] = {
  [SW_RESULT_SAME] = {
      [F32] = { F32, F32 },
      [F64] = { F64, F64 },
      [I32] = { I32, I32 },
      [I64] = { I64, I64 },
      [BOOL] = { BOOL, BOOL },
      [FLOATING] = { FLOATING, FLOATING },
      [ANY] = { ANY, ANY },
  },
  [SW_RESULT_ARITHMETIC] = {
      [F32] = { F32, F32 },
      [F64] = { F64, F64 },
      [I32] = { I32, I32 },
      [I64] = { I64, I64 },
      [FLOATING] = { FLOATING, FLOATING },
      [ANY] = { ANY, ANY },
  },
  [SW_RESULT_REAL] = {
      [F32] = { F32, F32 },
      [F64] = { F64, F64 },
      [I32] = { F64, F64 },
      [I64] = { F64, F64 },
      [FLOATING] = { FLOATING, FLOATING },
      [ANY] = { ANY, ANY },
  },
  [SW_RESULT_TRUTH] = {
      [F32] = { F32, BOOL },
      [F64] = { F64, BOOL },
      [I32] = { I32, BOOL },
      [I64] = { I64, BOOL },
      [BOOL] = { BOOL, BOOL },
      [FLOATING] = { FLOATING, BOOL },
      [ANY] = { ANY, BOOL },
  },
  [SW_RESULT_INDEX] = {
      [F32] = { F32, I64 },
      [F64] = { F64, I64 },
      [I32] = { I32, I64 },
      [I64] = { I64, I64 },
      [FLOATING] = { FLOATING, I64 },
      [ANY] = { ANY, I64 },
  },
};

/* What two operands are brought to. Whole numbers become real ones that hold all of Int32; Bool is no number. */
static const SwDType promotions[SW_DTYPE_N][SW_DTYPE_N] = {
  [F32] = { [F32] = F32, [F64] = F64, [I32] = F64, [I64] = F64, [FLOATING] = FLOATING, [ANY] = ANY },
  [F64] = { [F32] = F64, [F64] = F64, [I32] = F64, [I64] = F64, [FLOATING] = FLOATING, [ANY] = ANY },
  [I32] = { [F32] = F64, [F64] = F64, [I32] = I32, [I64] = I64, [FLOATING] = FLOATING, [ANY] = ANY },
  [I64] = { [F32] = F64, [F64] = F64, [I32] = I64, [I64] = I64, [FLOATING] = FLOATING, [ANY] = ANY },
  [BOOL] = { [BOOL] = BOOL },
  [FLOATING] = { [F32] = FLOATING, [F64] = FLOATING, [I32] = FLOATING, [I64] = FLOATING, [FLOATING] = FLOATING, [ANY] = ANY },
  [ANY] = { [F32] = ANY, [F64] = ANY, [I32] = ANY, [I64] = ANY, [FLOATING] = ANY, [ANY] = ANY },
};

SwDType
sw_dtype_rules_promote (SwDType a,
                        SwDType b)
{
  return promotions[a][b];
}

static gboolean
is_integer (SwDType dtype)
{
  return dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64;
}

static char *
describe_supported (const SwOperationInfo *info,
                    SwCarrier *carrier)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (carrier)->builtin;
  GString *supported = g_string_new (NULL);

  for (SwDType dtype = SW_DTYPE_FLOAT32; dtype < SW_DTYPE_N; dtype++)
    {
      if (rules[info->result_dtype][dtype].operands != NONE && builtin->supports_dtype (carrier, dtype))
        g_string_append_printf (supported, "%s%s", supported->len > 0 ? ", " : "", sw_dtype_to_string (dtype));
    }
  return g_string_free (supported, FALSE);
}

static const char *
get_carrier_name (SwCarrier *carrier)
{
  return ((const SwBuiltinCarrier *) SW_CARRIER_GET_CLASS (carrier)->builtin)->name;
}

gboolean
sw_dtype_rules_resolve (const SwOperationInfo *info,
                        SwCarrier *carrier,
                        SwDType input,
                        SwDTypes *dtypes,
                        GError **error)
{
  g_autofree char *supported = NULL;

  *dtypes = rules[info->result_dtype][input];
  if (G_LIKELY (dtypes->operands != NONE))
    return TRUE;

  supported = describe_supported (info, carrier);
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "%s does not support %s; on %s it takes one of %s",
               info->name, sw_dtype_to_string (input), get_carrier_name (carrier), supported);
  return FALSE;
}

gboolean
sw_dtype_rules_resolve_two (const SwOperationInfo *info,
                            SwCarrier *carrier,
                            SwDType lhs,
                            SwDType rhs,
                            SwDTypes *dtypes,
                            GError **error)
{
  SwDType common = sw_dtype_rules_promote (lhs, rhs);
  g_autofree char *supported = NULL;

  if (!sw_dtype_rules_resolve (info, carrier, lhs, dtypes, error))
    return FALSE;
  if (lhs == rhs)
    return TRUE;
  if (!sw_dtype_rules_resolve (info, carrier, rhs, dtypes, error))
    return FALSE;
  if (common != NONE)
    return sw_dtype_rules_resolve (info, carrier, common, dtypes, error);

  supported = describe_supported (info, carrier);
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
               "%s does not support %s with %s; on %s it takes %s, of which Bool goes with itself only",
               info->name, sw_dtype_to_string (lhs), sw_dtype_to_string (rhs), get_carrier_name (carrier), supported);
  return FALSE;
}

static gboolean
is_value_of (const SwOperand *number,
             SwDType dtype)
{
  gboolean is_narrow = dtype == SW_DTYPE_INT32;

  if (number->kind == SW_VALUE_INT64)
    return !is_narrow || number->integer == (gint32) number->integer;
  return number->real == trunc (number->real) && number->real >= (is_narrow ? -0x1p31 : -0x1p63) &&
         number->real < (is_narrow ? 0x1p31 : 0x1p63);
}

gboolean
sw_dtype_rules_resolve_number (const SwOperationInfo *info,
                               SwCarrier *carrier,
                               SwDType lhs,
                               const SwOperand *number,
                               SwDTypes *dtypes,
                               GError **error)
{
  if (!sw_dtype_rules_resolve (info, carrier, lhs, dtypes, error))
    return FALSE;

  /* A comparison with a number between or beyond all integers of the dtype has an answer, and Float64 knows it: rounding
   * keeps the order. */
  if (info->result_dtype == SW_RESULT_TRUTH && is_integer (lhs) && !is_value_of (number, lhs))
    dtypes->operands = SW_DTYPE_FLOAT64;
  return TRUE;
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
