/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* The public form of rows of the operation table; what may go wrong is checked in the row's family. */

/**
 * sw_add:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Adds two tensors, value by value: `lhs[i] + rhs[i]`.
 *
 * The result holds what the operands hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Nothing is broadcast by itself, see [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_add (SwTensor *lhs,
        SwTensor *rhs,
        GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_ADD, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_add_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * Adds a number to every value: `lhs[i] + rhs`.
 *
 * The result holds what @lhs holds.
 *
 * Fails with %SW_ERROR_TYPE when @lhs holds integers and @rhs is not a whole number, with %SW_ERROR_VALUE when @rhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_add_scalar (SwTensor *lhs,
               double rhs,
               GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_ADD, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_sub:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Subtracts one tensor from another, value by value: `lhs[i] - rhs[i]`.
 *
 * The result holds what the operands hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Nothing is broadcast by itself, see [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_sub (SwTensor *lhs,
        SwTensor *rhs,
        GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_SUB, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_sub_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * Subtracts a number from every value: `lhs[i] - rhs`.
 *
 * The result holds what @lhs holds.
 *
 * Fails with %SW_ERROR_TYPE when @lhs holds integers and @rhs is not a whole number, with %SW_ERROR_VALUE when @rhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_sub_scalar (SwTensor *lhs,
               double rhs,
               GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_SUB, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_mul:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Multiplies two tensors, value by value: `lhs[i] * rhs[i]`.
 *
 * The result holds what the operands hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Nothing is broadcast by itself, see [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_mul (SwTensor *lhs,
        SwTensor *rhs,
        GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_MUL, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_mul_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * Multiplies every value by a number: `lhs[i] * rhs`.
 *
 * The result holds what @lhs holds.
 *
 * Fails with %SW_ERROR_TYPE when @lhs holds integers and @rhs is not a whole number, with %SW_ERROR_VALUE when @rhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_mul_scalar (SwTensor *lhs,
               double rhs,
               GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_MUL, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_elementwise_mul:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Multiplies two tensors, value by value: `lhs[i] * rhs[i]`.
 *
 * The same as [func@Strideweave.mul], which also takes a number. The result holds what the operands hold; of different
 * dtypes, the one that both are brought to: Int64 for integers, Float64 for others. Nothing is broadcast by itself,
 * see [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_elementwise_mul (SwTensor *lhs,
                    SwTensor *rhs,
                    GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_ELEMENTWISE_MUL, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_div:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Divides one tensor by another, value by value: `lhs[i] / rhs[i]`.
 *
 * The result holds what the operands hold; Float64 for integers and for operands of different dtypes. Division by zero
 * follows IEEE 754: it gives an infinity, or not a number for `0 / 0`. Nothing is broadcast by itself, see
 * [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_div (SwTensor *lhs,
        SwTensor *rhs,
        GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_DIV, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_div_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as the result holds it
 * @error: return location for an error
 *
 * Divides every value by a number: `lhs[i] / rhs`.
 *
 * The result holds what @lhs holds, and Float64 where that is an integer. Division by zero follows IEEE 754: it gives
 * an infinity, or not a number for `0 / 0`.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_div_scalar (SwTensor *lhs,
               double rhs,
               GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_DIV, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_pow:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Raises one tensor to the power of another, value by value: `lhs[i] ^ rhs[i]`.
 *
 * The result holds what the operands hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Real numbers follow the C function pow(): `x ^ 0` is 1 for every x, and a negative base with a
 * fractional exponent is not a number. Results are within 1 unit in the last place. Nothing is broadcast by itself,
 * see [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index. So is a negative
 * exponent of an integer.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_pow (SwTensor *lhs,
        SwTensor *rhs,
        GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_POW, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_pow_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * Raises every value to a power: `lhs[i] ^ rhs`.
 *
 * The result holds what @lhs holds. Real numbers follow the C function pow(): `x ^ 0` is 1 for every x, and a negative
 * base with a fractional exponent is not a number. Results are within 1 unit in the last place.
 *
 * Fails with %SW_ERROR_TYPE when @lhs holds integers and @rhs is not a whole number, with %SW_ERROR_VALUE when @rhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index. So is a negative
 * exponent of an integer.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_pow_scalar (SwTensor *lhs,
               double rhs,
               GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_POW, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_rem:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Takes the rest of a division that rounds down, value by value: `lhs[i] - rhs[i] * floor (lhs[i] / rhs[i])`.
 *
 * The result holds what the operands hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. The rest has the sign of the divisor, and is computed without rounding the quotient. Of real
 * numbers, the rest of a division by zero is not a number. Nothing is broadcast by itself, see
 * [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 * Of integers, a division by zero is an %SW_ERROR_VALUE that tells the index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_rem (SwTensor *lhs,
        SwTensor *rhs,
        GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_REM, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_rem_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * Takes the rest of a division by a number that rounds down: `lhs[i] - rhs * floor (lhs[i] / rhs)`.
 *
 * The result holds what @lhs holds. The rest has the sign of the divisor, and is computed without rounding the
 * quotient. Of real numbers, the rest of a division by zero is not a number.
 *
 * Fails with %SW_ERROR_TYPE when @lhs holds integers and @rhs is not a whole number, with %SW_ERROR_VALUE when @rhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 * Of integers, a division by zero is an %SW_ERROR_VALUE that tells the index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_rem_scalar (SwTensor *lhs,
               double rhs,
               GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_REM, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_maximum:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Takes the larger of two values: `max (lhs[i], rhs[i])`.
 *
 * The result holds what the operands hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Where one of the two is not a number, neither is the result. Nothing is broadcast by itself, see
 * [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_maximum (SwTensor *lhs,
            SwTensor *rhs,
            GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_MAXIMUM, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_maximum_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * Takes the larger of every value and a number: `max (lhs[i], rhs)`.
 *
 * The result holds what @lhs holds. Where one of the two is not a number, neither is the result.
 *
 * Fails with %SW_ERROR_TYPE when @lhs holds integers and @rhs is not a whole number, with %SW_ERROR_VALUE when @rhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_maximum_scalar (SwTensor *lhs,
                   double rhs,
                   GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_MAXIMUM, lhs, sw_operand_double (rhs), NULL, error);
}

/**
 * sw_minimum:
 * @lhs: a tensor
 * @rhs: a tensor of the same shape, on the same kind of carrier
 * @error: return location for an error
 *
 * Takes the smaller of two values: `min (lhs[i], rhs[i])`.
 *
 * The result holds what the operands hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Where one of the two is not a number, neither is the result. Nothing is broadcast by itself, see
 * [func@Strideweave.broadcast_to].
 *
 * Fails with %SW_ERROR_VALUE when the shapes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different
 * kinds of carrier or hold Bool, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_minimum (SwTensor *lhs,
            SwTensor *rhs,
            GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_MINIMUM, lhs, sw_operand_tensor (rhs), NULL, error);
}

/**
 * sw_minimum_scalar:
 * @lhs: a tensor
 * @rhs: a number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * Takes the smaller of every value and a number: `min (lhs[i], rhs)`.
 *
 * The result holds what @lhs holds. Where one of the two is not a number, neither is the result.
 *
 * Fails with %SW_ERROR_TYPE when @lhs holds integers and @rhs is not a whole number, with %SW_ERROR_VALUE when @rhs is
 * out of their range, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_minimum_scalar (SwTensor *lhs,
                   double rhs,
                   GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);

  return call_two (SW_OPERATION_MINIMUM, lhs, sw_operand_double (rhs), NULL, error);
}
