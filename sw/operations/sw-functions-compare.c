/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* The public form of rows of the operation table; what may go wrong is checked in the row's family. */

/**
 * sw_eq:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Tells whether values are equal: `lhs[i] == rhs[i]`.
 *
 * The result holds Bool. Operands of different dtypes are brought to one that holds both. What is not a number is not
 * equal to anything, itself included. Nothing is broadcast by itself, see [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or one of them only holds Bool, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_eq (SwTensor *lhs,
       SwTensor *rhs,
       GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_EQ, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_eq_scalar:
 * @lhs: a tensor
 * @rhs: a number
 * @error: return location for an error
 *
 * Tells whether values are equal to a number: `lhs[i] == rhs`.
 *
 * The result holds Bool. A number that @lhs cannot hold compares as what it is. What is not a number is not equal to
 * anything, itself included.
 *
 * Fails with %SW_ERROR_TYPE for Bool, which compares with truth values and tensors only, and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_eq_scalar (SwTensor *lhs,
              double rhs,
              GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_EQ, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_ne:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Tells whether values differ: `lhs[i] != rhs[i]`.
 *
 * The result holds Bool. Operands of different dtypes are brought to one that holds both. What is not a number differs
 * from everything, itself included. Nothing is broadcast by itself, see [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or one of them only holds Bool, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_ne (SwTensor *lhs,
       SwTensor *rhs,
       GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_NE, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_ne_scalar:
 * @lhs: a tensor
 * @rhs: a number
 * @error: return location for an error
 *
 * Tells whether values differ from a number: `lhs[i] != rhs`.
 *
 * The result holds Bool. A number that @lhs cannot hold compares as what it is. What is not a number differs from
 * everything, itself included.
 *
 * Fails with %SW_ERROR_TYPE for Bool, which compares with truth values and tensors only, and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_ne_scalar (SwTensor *lhs,
              double rhs,
              GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_NE, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_lt:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Tells whether values are less: `lhs[i] < rhs[i]`.
 *
 * The result holds Bool. Operands of different dtypes are brought to one that holds both. False is less than True.
 * What is not a number is neither less nor greater than anything. Nothing is broadcast by itself, see
 * [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or one of them only holds Bool, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_lt (SwTensor *lhs,
       SwTensor *rhs,
       GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_LT, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_lt_scalar:
 * @lhs: a tensor
 * @rhs: a number
 * @error: return location for an error
 *
 * Tells whether values are less than a number: `lhs[i] < rhs`.
 *
 * The result holds Bool. A number that @lhs cannot hold compares as what it is. False is less than True. What is not a
 * number is neither less nor greater than anything.
 *
 * Fails with %SW_ERROR_TYPE for Bool, which compares with truth values and tensors only, and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_lt_scalar (SwTensor *lhs,
              double rhs,
              GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_LT, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_le:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Tells whether values are less or equal: `lhs[i] <= rhs[i]`.
 *
 * The result holds Bool. Operands of different dtypes are brought to one that holds both. False is less than True.
 * What is not a number is neither less nor equal to anything. Nothing is broadcast by itself, see
 * [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or one of them only holds Bool, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_le (SwTensor *lhs,
       SwTensor *rhs,
       GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_LE, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_le_scalar:
 * @lhs: a tensor
 * @rhs: a number
 * @error: return location for an error
 *
 * Tells whether values are less than a number or equal to it: `lhs[i] <= rhs`.
 *
 * The result holds Bool. A number that @lhs cannot hold compares as what it is. False is less than True. What is not a
 * number is neither less nor equal to anything.
 *
 * Fails with %SW_ERROR_TYPE for Bool, which compares with truth values and tensors only, and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_le_scalar (SwTensor *lhs,
              double rhs,
              GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_LE, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_cast:
 * @input: a tensor
 * @dtype: what the result holds
 * @error: return location for an error
 *
 * Brings values to another dtype: the value of @dtype that is nearest to `input[i]`.
 *
 * Real numbers are cut to integers, towards zero. Bool becomes 0 or 1, and what becomes Bool is true when it is not zero.
 * The result is a copy, also where @input holds @dtype already.
 *
 * Fails with %SW_ERROR_VALUE when a value is out of the range of an integer dtype or not a number, which the message tells
 * the index of, with %SW_ERROR_UNSUPPORTED when the carrier does not hold @dtype, with %SW_ERROR_TYPE when a value of Any is
 * no number, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_cast (SwTensor *input,
         SwDType dtype,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_two (SW_OPERATION_CAST, input, sw_operand_int64 (dtype), NULL, error);
}

/**
 * sw_select:
 * @condition: a tensor of Bool
 * @lhs: a tensor of the same shape, on the same kind of carrier
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Takes each value from one of two tensors: `condition[i] ? lhs[i] : rhs[i]`.
 *
 * The result holds what the two hold; of different dtypes, the one that both are brought to: Int64 for integers, Float64
 * for others. Called by its name, one of the two may be a number, which is taken as the other one holds it.
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when @condition does not hold Bool, when one
 * of the other two only does, or when the operands lie on different kinds of carrier, and with %SW_ERROR_STATE when a carrier
 * is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_select (SwTensor *condition,
           SwTensor *lhs,
           SwTensor *rhs,
           GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (condition), sw_operand_tensor (lhs), sw_operand_tensor (rhs) };

  g_return_val_if_fail (condition != NULL, NULL);
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return sw_call (SW_OPERATION_SELECT, operands, 3, NULL, error);
}
