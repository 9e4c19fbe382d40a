/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* The public form of rows of the operation table; what may go wrong is checked in the row's family. */

/**
 * sw_exp:
 * @input: a tensor
 * @error: return location for an error
 *
 * Raises e to every value: `e ^ input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place; too large ones are infinite.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_exp (SwTensor *input,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_EXP, input, NULL, error);
}

/**
 * sw_exp2:
 * @input: a tensor
 * @error: return location for an error
 *
 * Raises 2 to every value: `2 ^ input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place; too large ones are infinite.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_exp2 (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_EXP2, input, NULL, error);
}

/**
 * sw_log:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the natural logarithm of every value: `ln input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place. The logarithm of a zero is minus infinity, and that of what is less is not a number.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_log (SwTensor *input,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_LOG, input, NULL, error);
}

/**
 * sw_log2:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the binary logarithm of every value: `log2 input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place. The logarithm of a zero is minus infinity, and that of what is less is not a number.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_log2 (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_LOG2, input, NULL, error);
}

/**
 * sw_sin:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the sine of every value, in radians: `sin input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place. The sine of an infinity is not a number.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_sin (SwTensor *input,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_SIN, input, NULL, error);
}

/**
 * sw_cos:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the cosine of every value, in radians: `cos input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place. The cosine of an infinity is not a number.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_cos (SwTensor *input,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_COS, input, NULL, error);
}

/**
 * sw_tanh:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the hyperbolic tangent of every value: `tanh input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_tanh (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_TANH, input, NULL, error);
}

/**
 * sw_erf:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the error function of every value: `2 / sqrt (pi) * integral of exp (-t * t) for t from 0 to input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 2 units in the last
 * place.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_erf (SwTensor *input,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_ERF, input, NULL, error);
}
