/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"

/**
 * SwStride:
 *
 * A tree of steps: how far one step along each mode moves in the storage, counted in elements.
 *
 * It is nested like the [struct@Strideweave.Shape] that it belongs to and has the same token form. A step is at
 * least 0; a mode with step 0 repeats the same elements.
 *
 * A stride never changes and may be used by several threads at once.
 */
G_DEFINE_BOXED_TYPE (SwStride, sw_stride, sw_stride_ref, sw_stride_unref)

static const SwTreeKind stride_kind = { "stride", "a step", 0 };

/**
 * sw_stride_new_from_tokens: (constructor)
 * @tokens: (array length=n_tokens): a tree of steps in preorder
 * @n_tokens: how many tokens there are
 * @error: return location for an error
 *
 * Makes a stride from its tokens.
 *
 * A single step without a tuple around it makes a stride of one mode.
 *
 * Fails with %SW_ERROR_VALUE when the tokens are not one whole tree, and when it is nested more than 256 levels deep.
 *
 * Returns: (transfer full): the stride
 */
SwStride *
sw_stride_new_from_tokens (const gint64 *tokens,
                           gsize n_tokens,
                           GError **error)
{
  gint64 wrapped[2] = { SW_TREE_TUPLE (1), n_tokens == 1 ? tokens[0] : 0 };
  SwStride *self;
  SwTree tree;

  if (n_tokens == 1 && tokens[0] >= 0)
    {
      tokens = wrapped;
      n_tokens = 2;
    }
  if (!sw_tree_scan (&tree, &stride_kind, tokens, n_tokens, error))
    return NULL;

  self = g_malloc (sizeof *self + n_tokens * sizeof *tokens);
  sw_ref_count_init (&self->ref_count);
  sw_tree_copy (&self->tree, &tree, self->tokens);
  return self;
}

/**
 * sw_stride_new: (constructor)
 * @strides: (array length=n_strides) (nullable): the step of each mode
 * @n_strides: how many modes there are
 * @error: return location for an error
 *
 * Makes a stride whose modes are all plain steps.
 *
 * Fails with %SW_ERROR_VALUE when a step is negative.
 *
 * Returns: (transfer full): the stride
 */
SwStride *
sw_stride_new (const gint64 *strides,
               gsize n_strides,
               GError **error)
{
  g_autofree gint64 *tokens = sw_tree_dup_flat_tokens (&stride_kind, strides, n_strides, error);

  return tokens != NULL ? sw_stride_new_from_tokens (tokens, n_strides + 1, error) : NULL;
}

/**
 * sw_stride_new_from_string: (constructor)
 * @text: a stride as [method@Strideweave.Stride.to_string] writes it, such as `(1, (2, 6))`
 * @error: return location for an error
 *
 * Makes a stride from text.
 *
 * A number without parentheses makes a stride of one mode.
 *
 * Fails with %SW_ERROR_VALUE when the text is not a stride.
 *
 * Returns: (transfer full): the stride
 */
SwStride *
sw_stride_new_from_string (const char *text,
                           GError **error)
{
  g_autoptr (GArray) tokens = NULL;

  g_return_val_if_fail (text != NULL, NULL);

  tokens = sw_tree_parse (&stride_kind, text, error);
  if (tokens == NULL)
    return NULL;
  return sw_stride_new_from_tokens ((const gint64 *) (gpointer) tokens->data, tokens->len, error);
}

/**
 * sw_stride_ref:
 * @self: a stride
 *
 * Takes a reference. Any thread may.
 *
 * Returns: (transfer full): @self
 */
SwStride *
sw_stride_ref (SwStride *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  /* Orders nothing: the caller already has a reference, and the stride never changes. */
  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_stride_unref:
 * @self: (transfer full): a stride
 *
 * Gives a reference back; the last one frees the stride. Any thread may.
 */
void
sw_stride_unref (SwStride *self)
{
  g_return_if_fail (self != NULL);

  /* Orders every use of the stride, on any thread, before its memory is freed. */
  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * sw_stride_get_rank:
 * @self: a stride
 *
 * Gets how many top-level modes the stride has.
 *
 * Returns: the number of top-level modes
 */
guint
sw_stride_get_rank (SwStride *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.n_items;
}

/**
 * sw_stride_get_depth:
 * @self: a stride
 *
 * Gets how deep the stride is nested: 0 for a scalar, 1 when every mode is a plain step.
 *
 * Returns: the depth, at most 64
 */
guint
sw_stride_get_depth (SwStride *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.depth;
}

/**
 * sw_stride_get_n_leaves:
 * @self: a stride
 *
 * Gets how many steps the stride has, on all levels.
 *
 * Returns: the number of steps
 */
guint
sw_stride_get_n_leaves (SwStride *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.n_leaves;
}

/**
 * sw_stride_is_leaf:
 * @self: a stride
 * @mode: the number of a top-level mode
 *
 * Gets whether a top-level mode is a plain step.
 *
 * Returns: %TRUE for a plain step; %FALSE for a mode that is made of modes, and when there is no such mode
 */
gboolean
sw_stride_is_leaf (SwStride *self,
                   guint mode)
{
  guint position;

  g_return_val_if_fail (self != NULL, FALSE);

  position = sw_tree_find_mode (&self->tree, mode);
  return position > 0 && self->tokens[position] >= 0;
}

/**
 * sw_stride_get_step:
 * @self: a stride
 * @mode: the number of a top-level mode
 *
 * Gets the step of a top-level mode, in elements.
 *
 * Returns: the step, or -1 when there is no such mode or it is made of modes and has no single step
 */
gint64
sw_stride_get_step (SwStride *self,
                    guint mode)
{
  guint position;

  g_return_val_if_fail (self != NULL, -1);

  position = sw_tree_find_mode (&self->tree, mode);
  return position > 0 && self->tokens[position] >= 0 ? self->tokens[position] : -1;
}

/**
 * sw_stride_dup_mode:
 * @self: a stride
 * @mode: the number of a top-level mode
 * @error: return location for an error
 *
 * Makes a stride of one top-level mode. A plain step makes a stride of one mode.
 *
 * Fails with %SW_ERROR_INDEX when there is no such mode.
 *
 * Returns: (transfer full): the stride of the mode
 */
SwStride *
sw_stride_dup_mode (SwStride *self,
                    guint mode,
                    GError **error)
{
  guint position;

  g_return_val_if_fail (self != NULL, NULL);

  position = sw_tree_find_mode (&self->tree, mode);
  if (position == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_INDEX, "mode is %u, but the stride has %u modes", mode, self->tree.n_items);
      return NULL;
    }
  return sw_stride_new_from_tokens (self->tokens + position, sw_tree_skip (self->tokens, position) - position, error);
}

/**
 * sw_stride_dup_tokens:
 * @self: a stride
 * @n_tokens: (out): how many tokens there are
 *
 * Gets the tokens of the stride, the tuple at its root included.
 *
 * Returns: (transfer full) (array length=n_tokens): the tokens
 */
gint64 *
sw_stride_dup_tokens (SwStride *self,
                      gsize *n_tokens)
{
  g_return_val_if_fail (self != NULL && n_tokens != NULL, NULL);

  return sw_tree_dup_tokens (&self->tree, n_tokens);
}

/**
 * sw_stride_dup_leaves:
 * @self: a stride
 * @n_leaves: (out): how many steps there are
 *
 * Gets the steps on all levels, in order, without their nesting.
 *
 * Returns: (transfer full) (array length=n_leaves) (nullable): the steps, or %NULL when there are none
 */
gint64 *
sw_stride_dup_leaves (SwStride *self,
                      gsize *n_leaves)
{
  g_return_val_if_fail (self != NULL && n_leaves != NULL, NULL);

  return sw_tree_dup_leaves (&self->tree, n_leaves);
}

/**
 * sw_stride_equal:
 * @self: a stride
 * @other: a stride
 *
 * Gets whether two strides have the same nesting and the same steps.
 *
 * Returns: %TRUE when they are equal
 */
gboolean
sw_stride_equal (SwStride *self,
                 SwStride *other)
{
  g_return_val_if_fail (self != NULL && other != NULL, FALSE);

  return sw_tree_equal (&self->tree, &other->tree);
}

/**
 * sw_stride_hash:
 * @self: a stride
 *
 * Gets a hash that equal strides share. It was computed when the stride was made.
 *
 * Returns: the hash
 */
guint
sw_stride_hash (SwStride *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.hash;
}

/**
 * sw_stride_to_string:
 * @self: a stride
 *
 * Writes the stride as text, such as `(1, (2, 6))`, `(1,)` or `()`.
 *
 * Returns: (transfer full): the text
 */
char *
sw_stride_to_string (SwStride *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return sw_tree_to_string (&self->tree);
}
