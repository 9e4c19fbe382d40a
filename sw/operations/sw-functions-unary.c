/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* The public form of rows of the operation table; what may go wrong is checked in the row's family. */

/**
 * sw_neg:
 * @input: a tensor
 * @error: return location for an error
 *
 * Negates every value: `-input[i]`.
 *
 * The result holds what @input holds.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_neg (SwTensor *input,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_NEG, input, NULL, error);
}

/**
 * sw_abs:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes every value without its sign: `|input[i]|`.
 *
 * The result holds what @input holds.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 * Integers are checked: a result that does not fit is an %SW_ERROR_VALUE that tells its index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_abs (SwTensor *input,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_ABS, input, NULL, error);
}

/**
 * sw_sign:
 * @input: a tensor
 * @error: return location for an error
 *
 * Tells the sign of every value: `-1, 0 or 1`.
 *
 * The result holds what @input holds. What is not a number stays so; a negative zero has no sign.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_sign (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_SIGN, input, NULL, error);
}

/**
 * sw_floor:
 * @input: a tensor
 * @error: return location for an error
 *
 * Rounds every value down: `the largest integer that is not larger than input[i]`.
 *
 * The result holds what @input holds. Integers, infinities and what is not a number stay as they are.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_floor (SwTensor *input,
          GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_FLOOR, input, NULL, error);
}

/**
 * sw_ceil:
 * @input: a tensor
 * @error: return location for an error
 *
 * Rounds every value up: `the smallest integer that is not smaller than input[i]`.
 *
 * The result holds what @input holds. Integers, infinities and what is not a number stay as they are.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_ceil (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_CEIL, input, NULL, error);
}

/**
 * sw_round:
 * @input: a tensor
 * @error: return location for an error
 *
 * Rounds every value to the nearest integer: `round (input[i])`.
 *
 * The result holds what @input holds. Halves go to the even neighbour. Integers, infinities and what is not a number
 * stay as they are.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_round (SwTensor *input,
          GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_ROUND, input, NULL, error);
}

/**
 * sw_recip:
 * @input: a tensor
 * @error: return location for an error
 *
 * Divides 1 by every value: `1 / input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. The reciprocal of a zero is an infinity of
 * its sign.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_recip (SwTensor *input,
          GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_RECIP, input, NULL, error);
}

/**
 * sw_sqrt:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the square root of every value: `sqrt (input[i])`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are correctly rounded; the root of
 * what is less than zero is not a number.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_sqrt (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_SQRT, input, NULL, error);
}

/**
 * sw_rsqrt:
 * @input: a tensor
 * @error: return location for an error
 *
 * Divides 1 by the square root of every value: `1 / sqrt (input[i])`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 1 unit in the last
 * place. That of a zero is an infinity of its sign, and that of what is less is not a number.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_rsqrt (SwTensor *input,
          GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_RSQRT, input, NULL, error);
}

/**
 * sw_logical_not:
 * @input: a tensor
 * @error: return location for an error
 *
 * Tells whether values are zero, or false: `input[i] == 0`.
 *
 * The result holds Bool. What is not a number is not zero.
 *
 * Fails with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_logical_not (SwTensor *input,
                GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_LOGICAL_NOT, input, NULL, error);
}
