/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* Reductions, and what is computed along modes. */

/* Operations of one's own need not know of modes that stay, unless somebody asks for them. */
static SwTensor *
reduce_modes (SwOperationId id,
              SwTensor *input,
              const gint64 *modes,
              gsize n_modes,
              gboolean keeps_modes,
              SwExecutionOptions *options,
              GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (input), sw_operand_indices (modes, n_modes), { .kind = SW_VALUE_BOOL, .boolean = TRUE } };

  return sw_call (id, operands, keeps_modes ? 3 : 2, options, error);
}

/**
 * sw_reduce_sum:
 * @input: a tensor
 * @options: (nullable): options made for "reduce_sum"; they may say what the sum is kept in; %NULL for the defaults
 * @error: return location for an error
 *
 * Adds all values: `result = input[0] + ... + input[n - 1]`, and 0 where there are none.
 *
 * The result holds what @input holds. A sum of Float32 or Float64 may be kept in either of the two, and is never less
 * exact than that; a sum of integers is kept in Int64. On CPU, Float32 is summed in Float64 in any case.
 *
 * Fails with %SW_ERROR_VALUE when the options name another dtype for the sum or when an integer sum does not fit, with
 * %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of rank 0
 */
SwTensor *
sw_reduce_sum (SwTensor *input,
               SwExecutionOptions *options,
               GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_REDUCE_SUM, input, options, error);
}

/**
 * sw_reduce_sum_modes:
 * @input: a tensor
 * @modes: (array length=n_modes): top-level modes of @input, each once
 * @n_modes: how many; with none of them the result is a copy
 * @keep_modes: whether these modes stay, with extents of 1
 * @options: (nullable): options made for "reduce_sum"; they may say what sums are kept in; %NULL for the defaults
 * @error: return location for an error
 *
 * Adds the values along some modes: `result[i]` is the sum over all coordinates of @modes at `i`.
 *
 * A nested mode is summed whole. Otherwise see [func@Strideweave.reduce_sum]; a mode that @input does not have, or that
 * is named twice, is an %SW_ERROR_VALUE too.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor whose shape is the modes that remain, in their order; of rank 0 when none does. With
 *   @keep_modes it is nested as @input's is, with 1 for each extent of @modes, and can be broadcast to that
 */
SwTensor *
sw_reduce_sum_modes (SwTensor *input,
                     const gint64 *modes,
                     gsize n_modes,
                     gboolean keep_modes,
                     SwExecutionOptions *options,
                     GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return reduce_modes (SW_OPERATION_REDUCE_SUM, input, modes, n_modes, keep_modes, options, error);
}

/**
 * sw_reduce_max:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the largest of all values: `result = max (input[0], ..., input[n - 1])`.
 *
 * The result holds what @input holds. When one value is not a number, neither is the result.
 *
 * Fails with %SW_ERROR_VALUE where there is no value, with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of rank 0
 */
SwTensor *
sw_reduce_max (SwTensor *input,
               GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_REDUCE_MAX, input, NULL, error);
}

/**
 * sw_reduce_max_modes:
 * @input: a tensor
 * @modes: (array length=n_modes): top-level modes of @input, each once
 * @n_modes: how many; with none of them the result is a copy
 * @keep_modes: whether these modes stay, with extents of 1
 * @error: return location for an error
 *
 * Takes the largest value along some modes: `result[i]` is the largest over all coordinates of @modes at `i`.
 *
 * A nested mode is reduced whole. Otherwise see [func@Strideweave.reduce_max]; a mode that @input does not have, or that
 * is named twice, is an %SW_ERROR_VALUE.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor whose shape is the modes that remain, in their order; of rank 0 when none does. With
 *   @keep_modes it is nested as @input's is, with 1 for each extent of @modes, and can be broadcast to that
 */
SwTensor *
sw_reduce_max_modes (SwTensor *input,
                     const gint64 *modes,
                     gsize n_modes,
                     gboolean keep_modes,
                     GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return reduce_modes (SW_OPERATION_REDUCE_MAX, input, modes, n_modes, keep_modes, NULL, error);
}

/**
 * sw_reduce_min:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the smallest of all values: `result = min (input[0], ..., input[n - 1])`.
 *
 * The result holds what @input holds. When one value is not a number, neither is the result.
 *
 * Fails with %SW_ERROR_VALUE where there is no value, with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of rank 0
 */
SwTensor *
sw_reduce_min (SwTensor *input,
               GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_REDUCE_MIN, input, NULL, error);
}

/**
 * sw_reduce_min_modes:
 * @input: a tensor
 * @modes: (array length=n_modes): top-level modes of @input, each once
 * @n_modes: how many; with none of them the result is a copy
 * @keep_modes: whether these modes stay, with extents of 1
 * @error: return location for an error
 *
 * Takes the smallest value along some modes: `result[i]` is the smallest over all coordinates of @modes at `i`.
 *
 * A nested mode is reduced whole. Otherwise see [func@Strideweave.reduce_min]; a mode that @input does not have, or that
 * is named twice, is an %SW_ERROR_VALUE.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor whose shape is the modes that remain, in their order; of rank 0 when none does. With
 *   @keep_modes it is nested as @input's is, with 1 for each extent of @modes, and can be broadcast to that
 */
SwTensor *
sw_reduce_min_modes (SwTensor *input,
                     const gint64 *modes,
                     gsize n_modes,
                     gboolean keep_modes,
                     GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return reduce_modes (SW_OPERATION_REDUCE_MIN, input, modes, n_modes, keep_modes, NULL, error);
}

/**
 * sw_reduce_prod:
 * @input: a tensor
 * @error: return location for an error
 *
 * Multiplies all values: `result = input[0] * ... * input[n - 1]`, and 1 where there are none.
 *
 * The result holds what @input holds. A product of Float32 is kept in Float64 until it is whole.
 *
 * Fails with %SW_ERROR_VALUE when an integer product does not fit, with %SW_ERROR_UNSUPPORTED for Bool, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of rank 0
 */
SwTensor *
sw_reduce_prod (SwTensor *input,
                GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_REDUCE_PROD, input, NULL, error);
}

/**
 * sw_reduce_prod_modes:
 * @input: a tensor
 * @modes: (array length=n_modes): top-level modes of @input, each once
 * @n_modes: how many; with none of them the result is a copy
 * @keep_modes: whether these modes stay, with extents of 1
 * @error: return location for an error
 *
 * Multiplies the values along some modes: `result[i]` is the product over all coordinates of @modes at `i`.
 *
 * A nested mode is reduced whole. Otherwise see [func@Strideweave.reduce_prod]; a mode that @input does not have, or that
 * is named twice, is an %SW_ERROR_VALUE.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor whose shape is the modes that remain, in their order; of rank 0 when none does. With
 *   @keep_modes it is nested as @input's is, with 1 for each extent of @modes, and can be broadcast to that
 */
SwTensor *
sw_reduce_prod_modes (SwTensor *input,
                      const gint64 *modes,
                      gsize n_modes,
                      gboolean keep_modes,
                      GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return reduce_modes (SW_OPERATION_REDUCE_PROD, input, modes, n_modes, keep_modes, NULL, error);
}

/**
 * sw_argmax:
 * @input: a tensor
 * @error: return location for an error
 *
 * Finds the largest of all values: the least `i` such that no `input[j]` is larger than `input[i]`.
 *
 * The result holds Int64: the value's ordinal in @input, first mode fastest. Of equal values the first one counts, and
 * what is not a number counts as larger than all numbers.
 *
 * Fails with %SW_ERROR_VALUE where there is no value, with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of rank 0
 */
SwTensor *
sw_argmax (SwTensor *input,
           GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_ARGMAX, input, NULL, error);
}

/**
 * sw_argmax_mode:
 * @input: a tensor
 * @mode: a top-level mode of @input
 * @keep_mode: whether @mode stays, with extents of 1
 * @error: return location for an error
 *
 * Finds the largest value along one mode: `result[i]` is the ordinal within @mode of the largest value at `i`.
 *
 * A nested mode is searched whole, its first mode fastest. Otherwise see [func@Strideweave.argmax]; a mode that @input
 * does not have is an %SW_ERROR_VALUE.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of Int64 whose shape is the other modes, in their order; with @keep_mode it is nested as
 *   @input's is, with 1 for each extent of @mode
 */
SwTensor *
sw_argmax_mode (SwTensor *input,
                gint64 mode,
                gboolean keep_mode,
                GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return reduce_modes (SW_OPERATION_ARGMAX, input, &mode, 1, keep_mode, NULL, error);
}

/**
 * sw_argmin:
 * @input: a tensor
 * @error: return location for an error
 *
 * Finds the smallest of all values: the least `i` such that no `input[j]` is smaller than `input[i]`.
 *
 * The result holds Int64: the value's ordinal in @input, first mode fastest. Of equal values the first one counts, and
 * what is not a number counts as smaller than all numbers.
 *
 * Fails with %SW_ERROR_VALUE where there is no value, with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when
 * the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of rank 0
 */
SwTensor *
sw_argmin (SwTensor *input,
           GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_ARGMIN, input, NULL, error);
}

/**
 * sw_argmin_mode:
 * @input: a tensor
 * @mode: a top-level mode of @input
 * @keep_mode: whether @mode stays, with extents of 1
 * @error: return location for an error
 *
 * Finds the smallest value along one mode: `result[i]` is the ordinal within @mode of the smallest value at `i`.
 *
 * A nested mode is searched whole, its first mode fastest. Otherwise see [func@Strideweave.argmin]; a mode that @input
 * does not have is an %SW_ERROR_VALUE.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of Int64 whose shape is the other modes, in their order; with @keep_mode it is nested as
 *   @input's is, with 1 for each extent of @mode
 */
SwTensor *
sw_argmin_mode (SwTensor *input,
                gint64 mode,
                gboolean keep_mode,
                GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return reduce_modes (SW_OPERATION_ARGMIN, input, &mode, 1, keep_mode, NULL, error);
}

/**
 * sw_cumsum:
 * @input: a tensor
 * @mode: a top-level mode of @input
 * @error: return location for an error
 *
 * Adds up values along one mode: `result[k]` is the sum of `input[0]` to `input[k]` along @mode.
 *
 * The result holds what @input holds. A nested mode is one line, its first mode fastest. Sums of Float32 are kept in Float64
 * and rounded where they are written.
 *
 * Fails with %SW_ERROR_VALUE when @input has no such mode or when an integer sum does not fit, which the message tells the
 * place of, with %SW_ERROR_UNSUPPORTED for Bool, with %SW_ERROR_FAILED when there is no memory to bring values in order, and
 * with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_cumsum (SwTensor *input,
           gint64 mode,
           GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_two (SW_OPERATION_CUMSUM, input, sw_operand_indices (&mode, 1), NULL, error);
}

/**
 * sw_softmax:
 * @input: a tensor
 * @modes: (array length=n_modes): top-level modes of @input, each once
 * @n_modes: how many
 * @error: return location for an error
 *
 * Makes values along some modes positive and their sum 1: `e ^ input[k] / sum of e ^ input[j]`.
 *
 * The result holds what @input holds, and Float64 where that is an integer. Powers are taken of differences to the largest
 * value, so nothing overflows. Results are within 6 units in the last place of a normal number. Where one value along the
 * modes is not a number, or infinity, no result there is a number, and neither where all are minus infinity.
 *
 * Fails with %SW_ERROR_VALUE when @input does not have a mode, or one is named twice, with %SW_ERROR_UNSUPPORTED for Bool,
 * with %SW_ERROR_FAILED when there is no memory to bring values in order, and with %SW_ERROR_STATE when the carrier is
 * released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_softmax (SwTensor *input,
            const gint64 *modes,
            gsize n_modes,
            GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return call_two (SW_OPERATION_SOFTMAX, input, sw_operand_indices (modes, n_modes), NULL, error);
}

static SwOperand
operand_or_none (SwTensor *tensor)
{
  return tensor != NULL ? sw_operand_tensor (tensor) : (SwOperand){ .kind = SW_VALUE_NONE };
}

/**
 * sw_layer_norm:
 * @input: a tensor
 * @modes: (array length=n_modes): top-level modes of @input, each once
 * @n_modes: how many
 * @weight: (nullable): a tensor whose shape is these modes of @input, in their order there; %NULL for ones
 * @bias: (nullable): another one; %NULL for zeros
 * @epsilon: what is added to each variance; usually 1e-5
 * @error: return location for an error
 *
 * Brings values along some modes to a mean of 0 and a variance of 1:
 * `(input[k] - mean) / sqrt (variance + epsilon) * weight[k] + bias[k]`.
 *
 * The variance is the mean of the squared deviations. The result holds what the tensors hold; Float64 for integers and for
 * tensors of different dtypes. Moments are kept in Float64.
 *
 * Fails with %SW_ERROR_VALUE when @input does not have a mode, one is named twice, a shape does not fit or @epsilon is
 * negative, with %SW_ERROR_UNSUPPORTED for Bool or tensors on different kinds of carrier, with %SW_ERROR_FAILED when there
 * is no memory to bring values in order, and with %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_layer_norm (SwTensor *input,
               const gint64 *modes,
               gsize n_modes,
               SwTensor *weight,
               SwTensor *bias,
               double epsilon,
               GError **error)
{
  SwOperand operands[] = {
    sw_operand_tensor (input),
    sw_operand_indices (modes, n_modes),
    operand_or_none (weight),
    operand_or_none (bias),
    sw_operand_double (epsilon),
  };

  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return sw_call (SW_OPERATION_LAYER_NORM, operands, G_N_ELEMENTS (operands), NULL, error);
}
