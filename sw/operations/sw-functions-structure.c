/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions-private.h"

#include "sw/shape/sw-layout-private.h"

/* Views. */

/**
 * sw_broadcast_to:
 * @input: a tensor
 * @shape: a shape to which @input's can be broadcast
 * @error: return location for an error
 *
 * Repeats values along modes of extent 1, as [method@Strideweave.Layout.broadcast_to] says: @shape is nested as @input's
 * is, and has the same extents where these are not 1.
 *
 * `result[i, j] = input[i, 0]`, where j runs along modes of extent 1.
 *
 * The result has the shape @shape and any dtype, that of @input. It is a view: it shares @input's carrier, whose values
 * it shows several times by steps of 0.
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
 * Reorders modes: `result[i[order[0]], i[order[1]], ...] = input[i[0], i[1], ...]`.
 *
 * The result has the modes of @input in that order, and any dtype, that of @input. It is a view: it shares @input's
 * carrier.
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
 * Gives the values another shape; each keeps its ordinal, first mode fastest: `result[n] = input[n]` for each ordinal n.
 *
 * The result has the shape @shape and any dtype, that of @input. It is a view that shares @input's carrier where
 * strides can express it, else a copy on a new carrier of the same kind.
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

/**
 * sw_view:
 * @input: a tensor
 * @shape: a shape of the same size
 * @error: return location for an error
 *
 * Gives the values another shape without copying them; each keeps its ordinal, first mode fastest:
 * `result[n] = input[n]` for each ordinal n.
 *
 * The result has the shape @shape and any dtype, that of @input, and shares its carrier. [func@Strideweave.reshape]
 * copies where that cannot be.
 *
 * Fails with %SW_ERROR_VALUE when the sizes differ, with %SW_ERROR_UNSUPPORTED when no strides over the same storage express
 * the result, and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_view (SwTensor *input,
         SwShape *shape,
         GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (shape != NULL, NULL);

  return call_two (SW_OPERATION_VIEW, input, sw_operand_shape (shape), NULL, error);
}

/**
 * sw_rearrange:
 * @input: a tensor
 * @pattern: names for the modes, an arrow, and the same names in another order
 * @error: return location for an error
 *
 * Reorders modes and nests them, as a pattern such as `a b c -> (c a) b` says.
 *
 * The left side names each mode of @input once; parentheses there look into a mode that is nested. The right side has
 * the same names in any order; parentheses make one mode of what they hold, its first part fastest. Since modes nest,
 * the result is always a view: it shares @input's carrier.
 *
 * Fails with %SW_ERROR_VALUE when @pattern is not of this form or does not fit the shape, which the message explains,
 * and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_rearrange (SwTensor *input,
              const char *pattern,
              GError **error)
{
  g_auto (GValue) text = G_VALUE_INIT;
  g_autoptr (SwValue) value = NULL;

  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (pattern != NULL, NULL);

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_string (&text, pattern);
  value = sw_value_new_object (&text);
  return call_two (SW_OPERATION_REARRANGE, input, (SwOperand){ .kind = SW_VALUE_OBJECT, .object = value }, NULL, error);
}

/**
 * sw_squeeze:
 * @input: a tensor
 * @error: return location for an error
 *
 * Leaves out all modes that have one coordinate only: `result[i, k] = input[i, 0, k]`.
 *
 * The result has the shape of the other modes and any dtype, that of @input. It is a view: it shares @input's carrier.
 * Fails with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_squeeze (SwTensor *input,
            GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_one (SW_OPERATION_SQUEEZE, input, NULL, error);
}

/**
 * sw_squeeze_modes:
 * @input: a tensor
 * @modes: (array length=n_modes): top-level modes of @input of size 1, each once
 * @n_modes: how many
 * @error: return location for an error
 *
 * Leaves out some modes that have one coordinate only.
 *
 * The result is a view: it shares @input's carrier.
 *
 * Fails with %SW_ERROR_VALUE when @input does not have a mode, one is named twice or is larger, and with
 * %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_squeeze_modes (SwTensor *input,
                  const gint64 *modes,
                  gsize n_modes,
                  GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (modes != NULL || n_modes == 0, NULL);

  return call_two (SW_OPERATION_SQUEEZE, input, sw_operand_indices (modes, n_modes), NULL, error);
}

/**
 * sw_unsqueeze:
 * @input: a tensor
 * @mode: which mode of the result is the new one; at most the number of modes of @input
 * @error: return location for an error
 *
 * Adds a mode with one coordinate: `result[i, 0, k] = input[i, k]`.
 *
 * The result has the shape of @input with a 1 at @mode, and any dtype, that of @input. It is a view: it shares @input's
 * carrier.
 *
 * Fails with %SW_ERROR_VALUE when @mode is out of range and with %SW_ERROR_STATE when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_unsqueeze (SwTensor *input,
              gint64 mode,
              GError **error)
{
  g_return_val_if_fail (input != NULL, NULL);

  return call_two (SW_OPERATION_UNSQUEEZE, input, sw_operand_int64 (mode), NULL, error);
}

/**
 * sw_as_strided:
 * @input: a tensor
 * @layout: which index each coordinate has, counted from @offset
 * @offset: the index within the carrier that coordinate zero has
 * @error: return location for an error
 *
 * Shows any values of @input's carrier in any layout; [method@Strideweave.Tensor.get_offset] tells where @input begins.
 *
 * `result[i] = carrier[offset + layout (i)]`.
 *
 * The result has the shape of @layout and any dtype, that of @input. It is a view: it shares @input's carrier.
 *
 * Fails with %SW_ERROR_VALUE when @layout goes beyond the carrier's values or @offset is negative, and with %SW_ERROR_STATE
 * when the carrier is released.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_as_strided (SwTensor *input,
               SwLayout *layout,
               gint64 offset,
               GError **error)
{
  g_autofree gint64 *steps = NULL;
  SwOperand operands[4];

  g_return_val_if_fail (input != NULL, NULL);
  g_return_val_if_fail (layout != NULL, NULL);

  steps = g_new (gint64, layout->n_leaves + 1);
  for (guint i = 0; i < layout->n_leaves; i++)
    steps[i] = layout->leaves[i].step;
  operands[0] = sw_operand_tensor (input);
  operands[1] = sw_operand_shape (layout->shape);
  operands[2] = sw_operand_indices (steps, layout->n_leaves);
  operands[3] = sw_operand_int64 (offset);
  return sw_call (SW_OPERATION_AS_STRIDED, operands, 4, NULL, error);
}
