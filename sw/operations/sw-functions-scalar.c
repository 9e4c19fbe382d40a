/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations whose first input is a number. The carrier of the first input dispatches, so the number becomes a tensor of
 * the second one's shape first, which keeps it once. */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-functions-private.h"
#include "sw/operations/sw-functions-scalar.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/operations/sw-out-private.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/shape/sw-stride.h"
#include "sw/tensor/sw-carrier-private.h"
#include "sw/tensor/sw-tensor-private.h"
#include "sw/tensor/sw-value-list.h"
#include "sw/tensor/sw-value.h"

static const SwOperationInfo *
find (const char *name,
      GError **error)
{
  const SwOperationInfo *info = sw_operation_info_find (name);

  if (info == NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "operation name '%s' is not known", name);
  else if ((info->flags & SW_OPERATION_TAKES_SCALAR) == 0)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s takes no number", name);
  else
    return info;

  return NULL;
}

static gboolean
fail_by_type (const SwOperand *number,
              SwDType held,
              GError **error)
{
  g_autofree char *given = sw_operand_describe (number);

  if (sw_operand_is_number (number) || number->kind == SW_VALUE_BOOL)
    g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "lhs is %s, but rhs holds %s", given, sw_dtype_to_string (held));
  else
    g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "lhs must be a number, not %s", sw_operand_get_type_name (number));
  return FALSE;
}

/* What the number is taken as: what the tensor is brought to, as for a number that comes second. What carriers written by
 * others support, they say themselves. */
static gboolean
resolve (const SwOperationInfo *info,
         SwCarrier *carrier,
         const SwOperand *number,
         SwDType *dtype,
         GError **error)
{
  SwDType held = sw_carrier_dtype (carrier, error);
  SwDTypes dtypes = { held, held };
  gboolean is_ruled = SW_CARRIER_GET_CLASS (carrier)->builtin != NULL || held == SW_DTYPE_INT32 || held == SW_DTYPE_INT64;

  if (held == SW_DTYPE_INVALID)
    return FALSE;
  if (!sw_operand_is_number (number) && (number->kind != SW_VALUE_BOOL || (held != SW_DTYPE_BOOL && held != SW_DTYPE_ANY)))
    return fail_by_type (number, held, error);
  if (is_ruled && !sw_dtype_rules_resolve_number (info, carrier, held, number, &dtypes, error))
    return FALSE;
  if (held == SW_DTYPE_BOOL && number->kind != SW_VALUE_BOOL)
    return fail_by_type (number, held, error);

  *dtype = dtypes.operands;
  return TRUE;
}

static SwValue *
convert (const SwOperand *number,
         SwDType dtype,
         GError **error)
{
  SwNumberCell cell;

  if (!sw_operand_get_number (number, "lhs", dtype, &cell, error))
    return NULL;
  switch (dtype)
    {
    case SW_DTYPE_FLOAT32:
      return sw_value_new_double (cell.float32);
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      return sw_value_new_double (cell.float64);
    case SW_DTYPE_INT32:
      return sw_value_new_int64 (cell.int32);
    case SW_DTYPE_INT64:
      return sw_value_new_int64 (cell.int64);
    case SW_DTYPE_BOOL:
      return sw_value_new_bool (cell.boolean);
    case SW_DTYPE_ANY:
      return cell.any;
    case SW_DTYPE_INVALID:
      break;
    }

  g_return_val_if_reached (NULL);
}

/* All coordinates of the shape mean one value. */
static SwLayout *
new_still_layout (SwShape *shape,
                  GError **error)
{
  gsize n_tokens;
  g_autofree gint64 *tokens = sw_shape_dup_tokens (shape, &n_tokens);
  g_autoptr (SwStride) stride = NULL;

  /* Extents are not negative, and what is opens a nested mode. */
  for (gsize i = 0; i < n_tokens; i++)
    tokens[i] = MIN (tokens[i], 0);
  stride = sw_stride_new_from_tokens (tokens, n_tokens, error);
  return stride != NULL ? sw_layout_new (shape, stride, error) : NULL;
}

static SwTensor *
new_constant (const SwOperationInfo *info,
              const SwOperand *number,
              SwTensor *like,
              GError **error)
{
  g_autoptr (SwLayout) layout = NULL;
  g_autoptr (SwCarrier) carrier = NULL;
  g_autoptr (SwValueList) values = NULL;
  g_autoptr (SwValue) value = NULL;
  SwDType dtype = SW_DTYPE_INVALID;

  if (!resolve (info, like->carrier, number, &dtype, error))
    return NULL;
  value = convert (number, dtype, error);
  if (value == NULL)
    return NULL;

  values = sw_value_list_new (&value, 1);
  carrier = sw_carrier_new_like (like->carrier, values, TRUE, dtype, error);
  layout = carrier != NULL ? new_still_layout (like->layout->shape, error) : NULL;
  return layout != NULL ? sw_tensor_new (carrier, 0, layout, error) : NULL;
}

static SwTensor *
call (const SwOperationInfo *info,
      const SwOperand *number,
      SwTensor *rhs,
      SwTensor *out, /* nullable */
      SwExecutionOptions *options,
      GError **error)
{
  g_autoptr (SwTensor) lhs = new_constant (info, number, rhs, error);
  SwOperand operands[2];

  if (lhs == NULL)
    return NULL;
  operands[0] = sw_operand_tensor (lhs);
  operands[1] = sw_operand_tensor (rhs);
  if (out != NULL)
    return sw_call_into (info->id, operands, 2, out, error);
  return sw_call (info->id, operands, 2, options, error);
}

static SwTensor *
call_row (SwOperationId id,
          double lhs,
          SwTensor *rhs,
          GError **error)
{
  SwOperand number = sw_operand_double (lhs);

  g_return_val_if_fail (rhs != NULL, NULL);

  return call (sw_operation_info_get (id), &number, rhs, NULL, NULL, error);
}

/**
 * sw_scalar_sub:
 * @lhs: a number, which is taken as @rhs holds it
 * @rhs: a tensor
 * @error: return location for an error
 *
 * Subtracts every value from a number: `lhs - rhs[i]`.
 *
 * The result holds what @rhs holds.
 *
 * Fails with %SW_ERROR_TYPE when @rhs holds integers and @lhs is not a whole number, with %SW_ERROR_VALUE when @lhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_scalar_sub (double lhs,
               SwTensor *rhs,
               GError **error)
{
  return call_row (SW_OPERATION_SUB, lhs, rhs, error);
}

/**
 * sw_scalar_div:
 * @lhs: a number
 * @rhs: a tensor
 * @error: return location for an error
 *
 * Divides a number by every value: `lhs / rhs[i]`.
 *
 * The result holds the floating dtype of @rhs; Float64 where that holds integers. Division by zero gives infinities and NaN.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_scalar_div (double lhs,
               SwTensor *rhs,
               GError **error)
{
  return call_row (SW_OPERATION_DIV, lhs, rhs, error);
}

/**
 * sw_scalar_pow:
 * @lhs: a number, which is taken as @rhs holds it
 * @rhs: a tensor
 * @error: return location for an error
 *
 * Raises a number to the power of every value: `lhs ^ rhs[i]`, as [func@Strideweave.pow] does.
 *
 * The result holds what @rhs holds.
 *
 * Fails with %SW_ERROR_TYPE when @rhs holds integers and @lhs is not a whole number, with %SW_ERROR_VALUE when @lhs is
 * out of their range or an exponent of integers is negative, with %SW_ERROR_UNSUPPORTED for Bool, and with
 * %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_scalar_pow (double lhs,
               SwTensor *rhs,
               GError **error)
{
  return call_row (SW_OPERATION_POW, lhs, rhs, error);
}

/**
 * sw_scalar_rem:
 * @lhs: a number, which is taken as @rhs holds it
 * @rhs: a tensor
 * @error: return location for an error
 *
 * Divides a number by every value and takes what remains: `lhs - floor (lhs / rhs[i]) * rhs[i]`, as
 * [func@Strideweave.rem] does.
 *
 * The result holds what @rhs holds.
 *
 * Fails with %SW_ERROR_TYPE when @rhs holds integers and @lhs is not a whole number, with %SW_ERROR_VALUE when @lhs is
 * out of their range or an integer is divided by zero, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE
 * when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_scalar_rem (double lhs,
               SwTensor *rhs,
               GError **error)
{
  return call_row (SW_OPERATION_REM, lhs, rhs, error);
}

/**
 * sw_scalar_lt:
 * @lhs: a number
 * @rhs: a tensor
 * @error: return location for an error
 *
 * Tells where a number is less than the value: `lhs < rhs[i]`, which is `rhs[i] > lhs`.
 *
 * Integers are compared with what the number is, be it a whole number or not.
 *
 * Fails with %SW_ERROR_TYPE for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of Bool, of the same shape
 */
SwTensor *
sw_scalar_lt (double lhs,
              SwTensor *rhs,
              GError **error)
{
  return call_row (SW_OPERATION_LT, lhs, rhs, error);
}

/**
 * sw_scalar_le:
 * @lhs: a number
 * @rhs: a tensor
 * @error: return location for an error
 *
 * Tells where a number is at most the value: `lhs <= rhs[i]`, which is `rhs[i] >= lhs`.
 *
 * Integers are compared with what the number is, be it a whole number or not.
 *
 * Fails with %SW_ERROR_TYPE for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of Bool, of the same shape
 */
SwTensor *
sw_scalar_le (double lhs,
              SwTensor *rhs,
              GError **error)
{
  return call_row (SW_OPERATION_LE, lhs, rhs, error);
}

/**
 * sw_scalar_binary:
 * @name: the dispatch name of an operation on a tensor and a number, such as "sub"
 * @lhs: a number, or a truth value for comparisons of Bool
 * @rhs: a tensor
 * @options: (nullable): options made for this operation, or %NULL for the defaults
 * @error: return location for an error
 *
 * Runs an operation whose first input is a number: [func@Strideweave.scalar_sub] and the like for any name, and for
 * integers that a `double` does not hold.
 *
 * The operation runs on the carrier of @rhs and on two tensors: the number is one of the shape of @rhs, which keeps it
 * once.
 *
 * Fails as the operation does, with %SW_ERROR_VALUE when no operation has that name or it takes no number, and with
 * %SW_ERROR_TYPE when @lhs is none, or a truth value where @rhs holds no Bool.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_scalar_binary (const char *name,
                  SwValue *lhs,
                  SwTensor *rhs,
                  SwExecutionOptions *options,
                  GError **error)
{
  const SwOperationInfo *info;
  SwOperand number;

  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  info = find (name, error);
  if (info == NULL)
    return NULL;
  sw_operand_init_from_value (&number, lhs);
  return call (info, &number, rhs, NULL, options, error);
}

/**
 * sw_scalar_binary_into:
 * @out: the tensor that the result is written to
 * @name: the dispatch name of an operation on a tensor and a number, such as "sub"
 * @lhs: the number, which is taken as @rhs holds it
 * @rhs: its second input, which may be @out
 * @error: return location for an error
 *
 * [func@Strideweave.compute_into] for operations on a number and a tensor.
 *
 * Returns: %TRUE when the result was written
 */
gboolean
sw_scalar_binary_into (SwTensor *out,
                       const char *name,
                       double lhs,
                       SwTensor *rhs,
                       GError **error)
{
  SwOperand number = sw_operand_double (lhs);
  const SwOperationInfo *info;
  g_autoptr (SwTensor) result = NULL;

  g_return_val_if_fail (out != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (rhs != NULL, FALSE);

  info = find (name, error);
  if (info == NULL || !sw_out_check_operation (name, error))
    return FALSE;
  result = call (info, &number, rhs, out, NULL, error);
  return result != NULL;
}
