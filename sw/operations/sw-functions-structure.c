/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* Products, reductions and views; see sw-functions.c. */

/**
 * sw_matmul:
 * @lhs: a tensor of two modes, `(m, k)`
 * @rhs: a tensor of two modes, `(k, n)`, of the same dtype and on the same kind of carrier
 * @options: (nullable): options made for "matmul"; they may say what sums are kept in; %NULL for the defaults
 * @error: return location for an error
 *
 * Multiplies two matrices: `result[i, j]` is the sum over k of `lhs[i, k] * rhs[k, j]`.
 *
 * Modes may be nested; the inner ones, `k`, must have the same shape, and the result has the modes `(m, n)` as they are.
 * The result holds what the inputs hold. Sums of Float32 and Float64 may be kept in either of the two, sums of integers
 * are kept in Int64.
 *
 * Fails with %SW_ERROR_VALUE when a shape does not fit or when the options name another dtype for the sums, with
 * %SW_ERROR_TYPE when the dtypes differ, with %SW_ERROR_UNSUPPORTED when the operands lie on different kinds of carrier
 * or hold Bool, with %SW_ERROR_STATE when a carrier is released, and with %SW_ERROR_FAILED when there is no memory to
 * bring an operand in order. Integers are checked: a product or a sum that does not fit is an %SW_ERROR_VALUE that tells
 * the index of the result, first mode fastest.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape `(m, n)`
 */
SwTensor *
sw_matmul (SwTensor *lhs,
           SwTensor *rhs,
           SwExecutionOptions *options,
           GError **error)
{
  g_return_val_if_fail (lhs != NULL, NULL);
  g_return_val_if_fail (rhs != NULL, NULL);

  return call_two (SW_OPERATION_MATMUL, lhs, sw_operand_tensor (rhs), options, error);
}

/**
 * sw_reduce_sum:
 * @input: a tensor
 * @options: (nullable): options made for "reduce_sum"; they may say what the sum is kept in; %NULL for the defaults
 * @error: return location for an error
 *
 * Adds all values.
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
 * Returns: (transfer full): a new tensor whose shape is the modes that remain, in their order; of rank 0 when none does
 */
SwTensor *
sw_reduce_sum_modes (SwTensor *input,
                     const gint64 *modes,
                     gsize n_modes,
                     SwExecutionOptions *options,
                     GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return call_two (SW_OPERATION_REDUCE_SUM, input, sw_operand_indices (modes, n_modes), options, error);
}

/**
 * sw_reduce_max:
 * @input: a tensor
 * @error: return location for an error
 *
 * Takes the largest of all values.
 *
 * The result holds what @input holds. When one value is not a number, neither is the result.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
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
 * @error: return location for an error
 *
 * Takes the largest value along some modes: `result[i]` is the largest over all coordinates of @modes at `i`.
 *
 * A nested mode is reduced whole. Otherwise see [func@Strideweave.reduce_max]; a mode that @input does not have, or that
 * is named twice, is an %SW_ERROR_VALUE.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor whose shape is the modes that remain, in their order; of rank 0 when none does
 */
SwTensor *
sw_reduce_max_modes (SwTensor *input,
                     const gint64 *modes,
                     gsize n_modes,
                     GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return call_two (SW_OPERATION_REDUCE_MAX, input, sw_operand_indices (modes, n_modes), NULL, error);
}

/**
 * sw_argmax:
 * @input: a tensor
 * @error: return location for an error
 *
 * Finds the largest of all values.
 *
 * The result holds Int64: the value's ordinal in @input, first mode fastest. Of equal values the first one counts, and
 * what is not a number counts as larger than all numbers.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for Bool and with %SW_ERROR_STATE when the carrier is released.
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
 * @error: return location for an error
 *
 * Finds the largest value along one mode: `result[i]` is the ordinal within @mode of the largest value at `i`.
 *
 * A nested mode is searched whole, its first mode fastest. Otherwise see [func@Strideweave.argmax]; a mode that @input
 * does not have is an %SW_ERROR_VALUE.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of Int64 whose shape is the other modes, in their order
 */
SwTensor *
sw_argmax_mode (SwTensor *input,
                gint64 mode,
                GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_two (SW_OPERATION_ARGMAX, input, sw_operand_indices (&mode, 1), NULL, error);
}

/**
 * sw_broadcast_to:
 * @input: a tensor
 * @shape: a shape to which @input's can be broadcast
 * @error: return location for an error
 *
 * Repeats values along modes of extent 1, as [method@Strideweave.Layout.broadcast_to] says: @shape is nested as @input's
 * is, and has the same extents where these are not 1.
 *
 * The result is a view: it shares @input's carrier, whose values it shows several times by steps of 0.
 *
 * Fails with %SW_ERROR_VALUE when @shape does not allow it and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_broadcast_to (SwTensor *input,
                 SwShape *shape,
                 GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (shape != NULL, NULL);

  return call_two (SW_OPERATION_BROADCAST_TO, input, sw_operand_shape (shape), NULL, error);
}

/**
 * sw_permute:
 * @input: a tensor
 * @order: (array length=n_order): which of the top-level modes of @input comes at each place, each mode once
 * @n_order: how many, as many as @input has modes
 * @error: return location for an error
 *
 * Reorders modes.
 *
 * The result is a view: it shares @input's carrier.
 *
 * Fails with %SW_ERROR_VALUE when @order is not a permutation of the modes and with %SW_ERROR_STATE when the carrier is
 * released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_permute (SwTensor *input,
            const gint64 *order,
            gsize n_order,
            GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (order != NULL || n_order == 0, NULL);

  return call_two (SW_OPERATION_PERMUTE, input, sw_operand_indices (order, n_order), NULL, error);
}

/**
 * sw_reshape:
 * @input: a tensor
 * @shape: a shape of the same size
 * @error: return location for an error
 *
 * Gives the values another shape; each keeps its ordinal, first mode fastest.
 *
 * The result is a view that shares @input's carrier where strides can express it, else a copy on a new carrier of the
 * same kind.
 *
 * Fails with %SW_ERROR_VALUE when the sizes differ and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_reshape (SwTensor *input,
            SwShape *shape,
            GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (shape != NULL, NULL);

  return call_two (SW_OPERATION_RESHAPE, input, sw_operand_shape (shape), NULL, error);
}
