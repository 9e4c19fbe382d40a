/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* Products and views. */

/**
 * sw_matmul:
 * @lhs: a tensor of two modes, `(m, k)`
 * @rhs: a tensor of two modes, `(k, n)`, on the same kind of carrier
 * @options: (nullable): options made for "matmul"; they may say what sums are kept in; %NULL for the defaults
 * @error: return location for an error
 *
 * Multiplies two matrices: `result[i, j]` is the sum over k of `lhs[i, k] * rhs[k, j]`.
 *
 * Modes may be nested; the inner ones, `k`, must have the same shape, and the result has the modes `(m, n)` as they are.
 * The result holds what the inputs hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Sums of Float32 and Float64 may be kept in either of the two, sums of integers are kept in Int64.
 *
 * Fails with %SW_ERROR_VALUE when a shape does not fit or when the options name another dtype for the sums, with
 * %SW_ERROR_UNSUPPORTED when the operands lie on different kinds of carrier or hold Bool, with %SW_ERROR_STATE when a
 * carrier is released, and with %SW_ERROR_FAILED when there is no memory to bring an operand in order. Integers are checked: a product or a sum that does not fit is an %SW_ERROR_VALUE that tells
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
