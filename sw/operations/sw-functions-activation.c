/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* The public form of rows of the operation table; what may go wrong is checked in the row's family. */

/**
 * sw_relu:
 * @input: a tensor
 * @error: return location for an error
 *
 * Replaces negative values by zero: `max (input[i], 0)`.
 *
 * The result holds what @input holds. What is not a number stays so.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_relu (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_RELU, input, NULL, error);
}

/**
 * sw_sigmoid:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the logistic function of every value: `1 / (1 + e ^ -input[i])`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 3 units in the last
 * place.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_sigmoid (SwTensor *input,
            GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_SIGMOID, input, NULL, error);
}

/**
 * sw_silu:
 * @input: a tensor
 * @error: return location for an error
 *
 * Multiplies every value by its logistic function: `input[i] / (1 + e ^ -input[i])`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 4 units in the last
 * place, but for the input times the smallest number of all. That of minus infinity is zero.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_silu (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_SILU, input, NULL, error);
}

/**
 * sw_gelu:
 * @input: a tensor
 * @error: return location for an error
 *
 * Multiplies every value by the probability that a normal variable is less: `input[i] * (1 + erf (input[i] / sqrt
 * (2))) / 2`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. This is the exact function, not its
 * approximation by tanh. Results are within 4 units in the last place, and 2 of Float32, but for the input times the
 * smallest number of all. That of minus infinity is zero.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_gelu (SwTensor *input,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_GELU, input, NULL, error);
}

/**
 * sw_softplus:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes a smooth form of the larger of every value and zero: `ln (1 + e ^ input[i])`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Results are within 3 units in the last
 * place, and 2 of Float32, and do not overflow.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_softplus (SwTensor *input,
             GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_SOFTPLUS, input, NULL, error);
}

/**
 * sw_elu:
 * @input: a tensor
 * @alpha: minus the limit; usually 1
 * @error: return location for an error
 *
 * Bends values below zero towards a limit: `alpha * (e ^ input[i] - 1)` where it is below zero, else `input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. What is not a number stays so. Results are
 * within 3 units in the last place.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_elu (SwTensor *input,
        double alpha,
        GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_two (SW_OPERATION_ELU, input, sw_operand_double (alpha), NULL, error);
}

/**
 * sw_leaky_relu:
 * @input: a tensor
 * @slope: what negative values are multiplied by; usually 0.01
 * @error: return location for an error
 *
 * Multiplies negative values by a number: `input[i] where it is not below zero, else slope * input[i]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. What is not a number stays so.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_leaky_relu (SwTensor *input,
               double slope,
               GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_two (SW_OPERATION_LEAKY_RELU, input, sw_operand_double (slope), NULL, error);
}

/**
 * sw_clamp:
 * @input: a tensor
 * @minimum: the lower limit; minus infinity for none
 * @maximum: the upper limit; infinity for none
 * @error: return location for an error
 *
 * Keeps values between two limits: `min (max (input[i], minimum), maximum)`.
 *
 * The result holds what @input holds. Where the limits are in the wrong order, the upper one counts. What is not a
 * number stays so, and a limit that is none makes all results so.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool, with %SW_ERROR_TYPE when @input holds integers and a limit is not a whole
 * number, with %SW_ERROR_VALUE when a limit is out of their range and with %SW_ERROR_STATE when the carrier is
 * released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_clamp (SwTensor *input,
          double minimum,
          double maximum,
          GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (input), sw_operand_double (minimum), sw_operand_double (maximum) };

  g_return_val_if_fail (input != NULL, NULL);

  return sw_call (SW_OPERATION_CLAMP, operands, 3, NULL, error);
}
