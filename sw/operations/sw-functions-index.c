/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

/* What looks up places, or puts values in order. */

/**
 * sw_gather:
 * @input: a tensor
 * @mode: a top-level mode of @input
 * @index: a tensor of Int32 or Int64, whose other modes have the shape of @input's
 * @error: return location for an error
 *
 * Takes values from the places that an index names: `result[i, k] = input[i, index[i, k]]`, where k runs along @mode.
 *
 * A place is an ordinal within @mode, from 0; a nested mode counts its first mode fastest. The result holds what @input
 * holds, of any dtype.
 *
 * Fails with %SW_ERROR_VALUE when @input has no such mode or @index another shape, with %SW_ERROR_INDEX when a place does not
 * exist, with %SW_ERROR_UNSUPPORTED when @index holds another dtype or lies on another kind of carrier, and with
 * %SW_ERROR_STATE when a carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape of @index
 */
SwTensor *
sw_gather (SwTensor *input,
           gint64 mode,
           SwTensor *index,
           GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (input), sw_operand_indices (&mode, 1), sw_operand_tensor (index) };

  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (index != NULL, NULL);

  return sw_call (SW_OPERATION_GATHER, operands, 3, NULL, error);
}

/**
 * sw_scatter:
 * @input: a tensor
 * @mode: a top-level mode of @input
 * @index: a tensor of Int32 or Int64, whose other modes have the shape of @input's
 * @source: a tensor of the shape of @index
 * @error: return location for an error
 *
 * Puts values to the places that an index names, in a copy: `result[i, index[i, k]] = source[i, k]`, where k runs along
 * @mode; all other values are those of @input.
 *
 * Of several values for one place, that with the last ordinal stays. The result holds what the tensors hold; of different
 * dtypes, the one that both are brought to.
 *
 * Fails as [func@Strideweave.gather] does, and with %SW_ERROR_VALUE when @source has another shape than @index.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape of @input
 */
SwTensor *
sw_scatter (SwTensor *input,
            gint64 mode,
            SwTensor *index,
            SwTensor *source,
            GError **error)
{
  SwOperand operands[] = {
    sw_operand_tensor (input),
    sw_operand_indices (&mode, 1),
    sw_operand_tensor (index),
    sw_operand_tensor (source),
  };

  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (index != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);

  return sw_call (SW_OPERATION_SCATTER, operands, 4, NULL, error);
}

/**
 * sw_scatter_add:
 * @input: a tensor
 * @mode: a top-level mode of @input
 * @index: a tensor of Int32 or Int64, whose other modes have the shape of @input's
 * @source: a tensor of the shape of @index
 * @error: return location for an error
 *
 * Adds values to those at the places that an index names, in a copy: `result[i, index[i, k]] += source[i, k]`, where k runs
 * along @mode.
 *
 * Values for one place are added in the order of their ordinals, in the dtype of the result. Integers are checked: a sum that
 * does not fit on the way is an %SW_ERROR_VALUE.
 *
 * Otherwise fails as [func@Strideweave.scatter]; Bool is an %SW_ERROR_UNSUPPORTED.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the shape of @input
 */
SwTensor *
sw_scatter_add (SwTensor *input,
                gint64 mode,
                SwTensor *index,
                SwTensor *source,
                GError **error)
{
  SwOperand operands[] = {
    sw_operand_tensor (input),
    sw_operand_indices (&mode, 1),
    sw_operand_tensor (index),
    sw_operand_tensor (source),
  };

  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (index != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);

  return sw_call (SW_OPERATION_SCATTER_ADD, operands, 4, NULL, error);
}

/**
 * sw_sort:
 * @input: a tensor
 * @mode: a top-level mode of @input
 * @descending: whether the largest value comes first
 * @error: return location for an error
 *
 * Puts the values along one mode in order: `result[i, k] <= result[i, k + 1]`, and `>=` for @descending.
 *
 * What is not a number counts as larger than all numbers, and a negative zero as less than the other one. A nested mode is
 * sorted whole, its first mode fastest. The result holds what @input holds.
 *
 * Fails with %SW_ERROR_VALUE when @input has no such mode, with %SW_ERROR_UNSUPPORTED for Bool, with %SW_ERROR_FAILED when
 * there is no memory to sort in, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor of the same shape
 */
SwTensor *
sw_sort (SwTensor *input,
         gint64 mode,
         gboolean descending,
         GError **error)
{
  SwOperand operands[] = {
    sw_operand_tensor (input),
    sw_operand_indices (&mode, 1),
    { .kind = SW_VALUE_BOOL, .boolean = descending != FALSE },
  };

  g_return_val_if_fail (input != NULL, NULL);

  return sw_call (SW_OPERATION_SORT, operands, 3, NULL, error);
}

/**
 * sw_topk:
 * @input: a tensor
 * @k: how many values; at most the size of the mode, and maybe none
 * @mode: a top-level mode of @input
 * @error: return location for an error
 *
 * Takes the largest values along one mode, the largest first: `result[i, j] = sort (input, mode, descending)[i, j]` for the
 * first @k places j.
 *
 * What is not a number counts as larger than all numbers. The result holds what @input holds, and has a flat mode of extent
 * @k where @mode is.
 *
 * Fails with %SW_ERROR_VALUE when @input has no such mode or @k is out of range, otherwise as [func@Strideweave.sort].
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_topk (SwTensor *input,
         gint64 k,
         gint64 mode,
         GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (input), sw_operand_int64 (k), sw_operand_indices (&mode, 1) };

  g_return_val_if_fail (input != NULL, NULL);

  return sw_call (SW_OPERATION_TOPK, operands, 3, NULL, error);
}
