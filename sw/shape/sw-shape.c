/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"

/**
 * SwShape:
 *
 * A tree of extents: how many elements each mode of a tensor has, and how modes are made of modes.
 *
 * The root is always a tuple, and its items are the top-level modes. An item is an extent of at least 0, or
 * again a tuple. A shape without modes has one element, a scalar; a shape with an extent of 0 has none.
 *
 * Between languages a shape is a list of integers, its tokens, in preorder: an extent is its value, a tuple of
 * n items is -2 - n and is followed by its items. So `(2, (3, 4))` is `[-4, 2, -4, 3, 4]`.
 *
 * Elements are numbered with the first mode fastest; such a number is an ordinal.
 *
 * A shape never changes and may be used by several threads at once.
 */
G_DEFINE_BOXED_TYPE (SwShape, sw_shape, sw_shape_ref, sw_shape_unref)

static const SwTreeKind shape_kind = { "shape", "an extent", 0 };

static gboolean
fail_too_large (const SwTree *tree,
                gboolean is_empty,
                GError **error)
{
  g_autofree char *description = sw_tree_describe (tree->tokens);

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "shape %s has more than %" G_GINT64_FORMAT " elements%s",
               description, G_MAXINT64, is_empty ? " along the modes that are not empty" : "");
  return FALSE;
}

/* The extents other than 0 must have a product in any case: strides, and the sizes of the other modes, are made of it. */
static gboolean
multiply_extents (const SwTree *tree,
                  gint64 *size,
                  GError **error)
{
  gboolean is_empty = FALSE;
  gint64 product = 1;

  for (guint i = 0; i < tree->n_tokens; i++)
    is_empty |= tree->tokens[i] == 0;
  for (guint i = 0; i < tree->n_tokens; i++)
    if (tree->tokens[i] > 1 && __builtin_mul_overflow (product, tree->tokens[i], &product))
      return fail_too_large (tree, is_empty, error);
  *size = is_empty ? 0 : product;
  return TRUE;
}

/**
 * sw_shape_new_from_tokens: (constructor)
 * @tokens: (array length=n_tokens): a tree of extents in preorder
 * @n_tokens: how many tokens there are
 * @error: return location for an error
 *
 * Makes a shape from its tokens.
 *
 * A single extent without a tuple around it makes a shape of one mode.
 *
 * Fails with %SW_ERROR_VALUE when the tokens are not one whole tree, when it is nested more than 256 levels deep,
 * when an extent is negative, and when there are more than 2^63 - 1 elements. Where an extent is 0, there are none, but
 * the others must not make more than that either.
 *
 * Returns: (transfer full): the shape
 */
SwShape *
sw_shape_new_from_tokens (const gint64 *tokens,
                          gsize n_tokens,
                          GError **error)
{
  gint64 wrapped[2] = { SW_TREE_TUPLE (1), n_tokens == 1 ? tokens[0] : 0 };
  SwShape *self;
  SwTree tree;
  gint64 size;

  if (n_tokens == 1 && tokens[0] >= 0)
    {
      tokens = wrapped;
      n_tokens = 2;
    }
  if (!sw_tree_scan (&tree, &shape_kind, tokens, n_tokens, error) || !multiply_extents (&tree, &size, error))
    return NULL;

  self = g_malloc (sizeof *self + n_tokens * sizeof *tokens);
  sw_ref_count_init (&self->ref_count);
  self->size = size;
  sw_tree_copy (&self->tree, &tree, self->tokens);
  return self;
}

/**
 * sw_shape_new: (constructor)
 * @extents: (array length=n_extents) (nullable): the extent of each mode
 * @n_extents: how many modes there are
 * @error: return location for an error
 *
 * Makes a shape whose modes are all plain extents.
 *
 * Fails with %SW_ERROR_VALUE when an extent is negative and when there are more than 2^63 - 1 elements, where extents of
 * 0 do not count.
 *
 * Returns: (transfer full): the shape
 */
SwShape *
sw_shape_new (const gint64 *extents,
              gsize n_extents,
              GError **error)
{
  g_autofree gint64 *tokens = sw_tree_dup_flat_tokens (&shape_kind, extents, n_extents, error);

  return tokens != NULL ? sw_shape_new_from_tokens (tokens, n_extents + 1, error) : NULL;
}

/**
 * sw_shape_new_from_string: (constructor)
 * @text: a shape as [method@Strideweave.Shape.to_string] writes it, such as `(2, (3, 4))`
 * @error: return location for an error
 *
 * Makes a shape from text.
 *
 * A number without parentheses makes a shape of one mode.
 *
 * Fails with %SW_ERROR_VALUE when the text is not a shape, or when the shape is impossible as described for
 * [ctor@Strideweave.Shape.new_from_tokens].
 *
 * Returns: (transfer full): the shape
 */
SwShape *
sw_shape_new_from_string (const char *text,
                          GError **error)
{
  g_autoptr (GArray) tokens = NULL;

  g_return_val_if_fail (text != NULL, NULL);

  tokens = sw_tree_parse (&shape_kind, text, error);
  if (tokens == NULL)
    return NULL;
  return sw_shape_new_from_tokens ((const gint64 *) (gpointer) tokens->data, tokens->len, error);
}

/**
 * sw_shape_ref:
 * @self: a shape
 *
 * Takes a reference. Any thread may.
 *
 * Returns: (transfer full): @self
 */
SwShape *
sw_shape_ref (SwShape *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  /* Orders nothing: the caller already has a reference, and the shape never changes. */
  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_shape_unref:
 * @self: (transfer full): a shape
 *
 * Gives a reference back; the last one frees the shape. Any thread may.
 */
void
sw_shape_unref (SwShape *self)
{
  g_return_if_fail (self != NULL);

  /* Orders every use of the shape, on any thread, before its memory is freed. */
  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * sw_shape_get_size:
 * @self: a shape
 *
 * Gets how many elements the shape has: the product of all extents.
 *
 * Returns: the number of elements; 0 where an extent is 0
 */
gint64
sw_shape_get_size (SwShape *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->size;
}

/**
 * sw_shape_get_rank:
 * @self: a shape
 *
 * Gets how many top-level modes the shape has.
 *
 * Returns: the number of top-level modes
 */
guint
sw_shape_get_rank (SwShape *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.n_items;
}

/**
 * sw_shape_get_depth:
 * @self: a shape
 *
 * Gets how deep the shape is nested: 0 for a scalar, 1 when every mode is a plain extent.
 *
 * Returns: the depth, at most 64
 */
guint
sw_shape_get_depth (SwShape *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.depth;
}

/**
 * sw_shape_get_n_leaves:
 * @self: a shape
 *
 * Gets how many extents the shape has, on all levels.
 *
 * Returns: the number of extents
 */
guint
sw_shape_get_n_leaves (SwShape *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.n_leaves;
}

/**
 * sw_shape_is_leaf:
 * @self: a shape
 * @mode: the number of a top-level mode
 *
 * Gets whether a top-level mode is a plain extent.
 *
 * Returns: %TRUE for a plain extent; %FALSE for a mode that is made of modes, and when there is no such mode
 */
gboolean
sw_shape_is_leaf (SwShape *self,
                  guint mode)
{
  guint position;

  g_return_val_if_fail (self != NULL, FALSE);

  position = sw_tree_find_mode (&self->tree, mode);
  return position > 0 && self->tokens[position] >= 0;
}

/**
 * sw_shape_get_extent:
 * @self: a shape
 * @mode: the number of a top-level mode
 *
 * Gets how many elements a top-level mode has; for a mode that is made of modes that is the product of its extents.
 *
 * Returns: the number of elements; 0, too, when there is no such mode
 */
gint64
sw_shape_get_extent (SwShape *self,
                     guint mode)
{
  gint64 size = 1;
  guint position, end;

  g_return_val_if_fail (self != NULL, 0);

  position = sw_tree_find_mode (&self->tree, mode);
  if (position == 0)
    return 0;
  /* Cannot overflow: all extents other than 0 together did not. */
  for (end = sw_tree_skip (self->tokens, position); position < end; position++)
    if (self->tokens[position] >= 0)
      size *= self->tokens[position];
  return size;
}

/**
 * sw_shape_dup_mode:
 * @self: a shape
 * @mode: the number of a top-level mode
 * @error: return location for an error
 *
 * Makes a shape of one top-level mode. A plain extent makes a shape of one mode.
 *
 * Fails with %SW_ERROR_INDEX when there is no such mode.
 *
 * Returns: (transfer full): the shape of the mode
 */
SwShape *
sw_shape_dup_mode (SwShape *self,
                   guint mode,
                   GError **error)
{
  guint position;

  g_return_val_if_fail (self != NULL, NULL);

  position = sw_tree_find_mode (&self->tree, mode);
  if (position == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_INDEX, "mode is %u, but the shape has %u modes", mode, self->tree.n_items);
      return NULL;
    }
  return sw_shape_new_from_tokens (self->tokens + position, sw_tree_skip (self->tokens, position) - position, error);
}

/**
 * sw_shape_dup_tokens:
 * @self: a shape
 * @n_tokens: (out): how many tokens there are
 *
 * Gets the tokens of the shape, the tuple at its root included.
 *
 * Returns: (transfer full) (array length=n_tokens): the tokens
 */
gint64 *
sw_shape_dup_tokens (SwShape *self,
                     gsize *n_tokens)
{
  g_return_val_if_fail (self != NULL && n_tokens != NULL, NULL);

  return sw_tree_dup_tokens (&self->tree, n_tokens);
}

/**
 * sw_shape_dup_leaves:
 * @self: a shape
 * @n_leaves: (out): how many extents there are
 *
 * Gets the extents on all levels, in order, without their nesting.
 *
 * Returns: (transfer full) (array length=n_leaves) (nullable): the extents, or %NULL when there are none
 */
gint64 *
sw_shape_dup_leaves (SwShape *self,
                     gsize *n_leaves)
{
  g_return_val_if_fail (self != NULL && n_leaves != NULL, NULL);

  return sw_tree_dup_leaves (&self->tree, n_leaves);
}

/**
 * sw_shape_decode:
 * @self: a shape
 * @ordinal: the number of an element, first mode fastest
 * @n_tokens: (out): how many tokens the coordinate has
 * @error: return location for an error
 *
 * Finds the coordinate of an element: a tree nested as the shape is, of indices that each start at 0.
 *
 * Fails with %SW_ERROR_VALUE when there is no such element.
 *
 * Returns: (transfer full) (array length=n_tokens): the tokens of the coordinate
 */
gint64 *
sw_shape_decode (SwShape *self,
                 gint64 ordinal,
                 gsize *n_tokens,
                 GError **error)
{
  gint64 *tokens;

  g_return_val_if_fail (self != NULL && n_tokens != NULL, NULL);

  *n_tokens = 0;
  if (ordinal < 0 || ordinal >= self->size)
    {
      g_autofree char *description = sw_tree_describe (self->tokens);

      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "ordinal is %" G_GINT64_FORMAT ", but the shape %s has %" G_GINT64_FORMAT " elements",
                   ordinal, description, self->size);
      return NULL;
    }

  tokens = sw_tree_dup_tokens (&self->tree, n_tokens);
  for (gsize i = 0; i < *n_tokens; i++)
    {
      gint64 extent = tokens[i];

      if (extent < 0)
        continue;
      tokens[i] = ordinal % extent;
      ordinal /= extent;
    }
  return tokens;
}

/**
 * sw_shape_encode:
 * @self: a shape
 * @tokens: (array length=n_tokens): the tokens of a coordinate
 * @n_tokens: how many tokens there are
 * @error: return location for an error
 *
 * Finds the ordinal of an element, first mode fastest; the inverse of [method@Strideweave.Shape.decode].
 *
 * Where the shape has a tuple, the coordinate may have an integer: the ordinal within that mode.
 *
 * Fails with %SW_ERROR_VALUE when the coordinate is not nested as the shape is or lies outside of it.
 *
 * Returns: the ordinal, or -1 after an error
 */
gint64
sw_shape_encode (SwShape *self,
                 const gint64 *tokens,
                 gsize n_tokens,
                 GError **error)
{
  g_return_val_if_fail (self != NULL, -1);

  return sw_shape_locate (self, NULL, tokens, n_tokens, error);
}

/**
 * sw_shape_equal:
 * @self: a shape
 * @other: a shape
 *
 * Gets whether two shapes have the same nesting and the same extents.
 *
 * Returns: %TRUE when they are equal
 */
gboolean
sw_shape_equal (SwShape *self,
                SwShape *other)
{
  g_return_val_if_fail (self != NULL && other != NULL, FALSE);

  return sw_tree_equal (&self->tree, &other->tree);
}

/**
 * sw_shape_hash:
 * @self: a shape
 *
 * Gets a hash that equal shapes share. It was computed when the shape was made.
 *
 * Returns: the hash
 */
guint
sw_shape_hash (SwShape *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->tree.hash;
}

/**
 * sw_shape_compare:
 * @self: a shape
 * @other: a shape
 *
 * Orders shapes, for sorting: mode by mode, extents by value, an extent before a tuple, and a shape that the
 * other one only continues before that one.
 *
 * Returns: less than, equal to or greater than 0 as @self comes before, equals or comes after @other
 */
int
sw_shape_compare (SwShape *self,
                  SwShape *other)
{
  g_return_val_if_fail (self != NULL && other != NULL, 0);

  return sw_tree_compare (&self->tree, &other->tree);
}

/**
 * sw_shape_to_string:
 * @self: a shape
 *
 * Writes the shape as text, such as `(2, (3, 4))`, `(5,)` or `()`.
 *
 * Returns: (transfer full): the text
 */
char *
sw_shape_to_string (SwShape *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return sw_tree_to_string (&self->tree);
}
