/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* Products of matrices, and what goes over a tensor in windows. */

/**
 * sw_matmul:
 * @lhs: a tensor of two modes, `(m, k)`, or more, `(..., m, k)`
 * @rhs: a tensor of two modes, `(k, n)`, or as many as @lhs has, on the same kind of carrier
 * @options: (nullable): options made for "matmul"; they may say what sums are kept in; %NULL for the defaults
 * @error: return location for an error
 *
 * Multiplies two matrices: `result[i, j]` is the sum over k of `lhs[i, k] * rhs[k, j]`, which is 0 where k has the extent 0.
 *
 * Modes may be nested; the inner ones, `k`, must have the same shape, and the result has the modes `(m, n)` as they are. Modes before
 * the last two count matrices: they must be the same in both, and pairs of matrices are multiplied one by one.
 * The result holds what the inputs hold; of different dtypes, the one that both are brought to: Int64 for integers,
 * Float64 for others. Sums of Float32 and Float64 may be kept in either of the two, sums of integers are kept in Int64.
 *
 * Where both operands have their last mode fastest, the values of each matrix in rows, the result has it too; else its
 * first mode is fastest. A tensor that the options give for the result is written to without a copy where one of its
 * last two modes has steps of 1.
 *
 * Fails with %SW_ERROR_VALUE when a shape does not fit or when the options name another dtype for the sums, with
 * %SW_ERROR_UNSUPPORTED when the operands lie on different kinds of carrier or hold Bool, with %SW_ERROR_STATE when a
 * carrier is released, and with %SW_ERROR_FAILED when there is no memory to bring an operand in order. Integers are checked: a sum that does not fit is an %SW_ERROR_VALUE that tells
 * the index within the matrix, first mode fastest, and so is a single product that does not fit into Int64, whatever the others add to it.
 * On the way to a sum that fits, nothing overflows.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape `(..., m, n)`
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

/* An empty list stands for the defaults. */
static SwOperand
operand_of_list (const gint64 *values,
                 gsize n_values)
{
  return n_values > 0 ? sw_operand_indices (values, n_values) : (SwOperand){ .kind = SW_VALUE_NONE };
}

/**
 * sw_conv_general:
 * @input: a tensor of images, `(n, c, ...)`, with one to three modes after the first two, none of them nested
 * @weight: a tensor `(o, c / groups, ...)` with as many modes, on the same kind of carrier
 * @strides: (array length=n_strides): how far windows are apart, for each mode after the first two; at least 1
 * @n_strides: how many; none for 1 in each mode
 * @padding: (array length=n_padding): how many zeros come before and after each such mode: one number for both, or two
 * @n_padding: how many; none for no padding
 * @dilation: (array length=n_dilation): how far the values of a window are apart, for each such mode; at least 1
 * @n_dilation: how many; none for 1 in each mode
 * @groups: into how many groups channels are divided; 1 for a single one
 * @error: return location for an error
 *
 * Convolves images, without turning the weights round: `result[n, o, p]` is the sum over the channels c of o's group and the
 * places k of a window of `input[n, c, p * strides - padding + k * dilation] * weight[o, c, k]`.
 *
 * A mode of the result has `(extent + padding - dilation * (window - 1) - 1) / strides + 1` positions, rounded down. The result
 * holds what the tensors hold; Float64 for integers and for tensors of different dtypes. On CPU the sums are those of a product
 * of matrices, in the dtype of the result. The zeros of padding are multiplied like other values: with a weight that is infinite
 * or not a number they make what is not a number.
 *
 * There may be no images and no channels, but a window and the modes that it goes over must have values.
 *
 * Fails with %SW_ERROR_VALUE when a shape, a list or @groups does not fit, with %SW_ERROR_UNSUPPORTED for Bool or tensors on
 * different kinds of carrier, with %SW_ERROR_FAILED when there is no memory to bring windows in order, and with
 * %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape `(n, o, ...)`
 */
SwTensor *
sw_conv_general (SwTensor *input,
                 SwTensor *weight,
                 const gint64 *strides,
                 gsize n_strides,
                 const gint64 *padding,
                 gsize n_padding,
                 const gint64 *dilation,
                 gsize n_dilation,
                 gint64 groups,
                 GError **error)
{
  SwOperand operands[] = {
    sw_operand_tensor (input),
    sw_operand_tensor (weight),
    operand_of_list (strides, n_strides),
    operand_of_list (padding, n_padding),
    operand_of_list (dilation, n_dilation),
    sw_operand_int64 (groups),
  };

  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (weight != NULL, NULL);

  return sw_call (SW_OPERATION_CONV_GENERAL, operands, G_N_ELEMENTS (operands), NULL, error);
}

static SwTensor *
pool (SwOperationId id,
      SwTensor *input,
      SwOperand window,
      SwOperand strides,
      SwOperand padding,
      GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (input), window, strides, padding };

  return sw_call (id, operands, G_N_ELEMENTS (operands), NULL, error);
}

/**
 * sw_max_pool:
 * @input: a tensor of images, `(n, c, ...)`, with one to three modes after the first two, none of them nested
 * @window: (array length=n_window): the extents of a window, for each mode after the first two
 * @n_window: how many
 * @strides: (array length=n_strides): how far windows are apart, for each such mode; at least 1
 * @n_strides: how many; none for the extents of the window
 * @padding: (array length=n_padding): how far windows reach beyond both ends of each such mode: one number for both, or two
 * @n_padding: how many; none for no padding
 * @error: return location for an error
 *
 * Takes the largest value in each window: `result[n, c, i] = max (input[n, c, i * stride + j - padding])` over the places j of
 * the window, for each mode after the first two.
 *
 * Padding counts as less than all values, and each window must hold a value. Where one is not a number, neither is the result.
 * The result holds what @input holds.
 *
 * Fails with %SW_ERROR_VALUE when a shape or a list does not fit, with %SW_ERROR_UNSUPPORTED for Bool, and with
 * %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape `(n, c, ...)`
 */
SwTensor *
sw_max_pool (SwTensor *input,
             const gint64 *window,
             gsize n_window,
             const gint64 *strides,
             gsize n_strides,
             const gint64 *padding,
             gsize n_padding,
             GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return pool (SW_OPERATION_MAX_POOL, input, sw_operand_indices (window, n_window), operand_of_list (strides, n_strides),
               operand_of_list (padding, n_padding), error);
}

/**
 * sw_avg_pool:
 * @input: a tensor of images, `(n, c, ...)`, with one to three modes after the first two, none of them nested
 * @window: (array length=n_window): the extents of a window, for each mode after the first two
 * @n_window: how many
 * @strides: (array length=n_strides): how far windows are apart, for each such mode; at least 1
 * @n_strides: how many; none for the extents of the window
 * @padding: (array length=n_padding): how far windows reach beyond both ends of each such mode: one number for both, or two
 * @n_padding: how many; none for no padding
 * @error: return location for an error
 *
 * Takes the mean of the values in each window: `result[n, c, i] = mean (input[n, c, i * stride + j - padding])` over the places j
 * of the window that are in the image, for each mode after the first two.
 *
 * Padding does not count, and each window must hold a value. Sums are kept in Float64. The result holds what @input holds, and
 * Float64 where that is an integer.
 *
 * Fails with %SW_ERROR_VALUE when a shape or a list does not fit, with %SW_ERROR_UNSUPPORTED for Bool, with %SW_ERROR_FAILED
 * when there is no memory for the sums, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape `(n, c, ...)`
 */
SwTensor *
sw_avg_pool (SwTensor *input,
             const gint64 *window,
             gsize n_window,
             const gint64 *strides,
             gsize n_strides,
             const gint64 *padding,
             gsize n_padding,
             GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return pool (SW_OPERATION_AVG_POOL, input, sw_operand_indices (window, n_window), operand_of_list (strides, n_strides),
               operand_of_list (padding, n_padding), error);
}
