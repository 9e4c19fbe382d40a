/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"

/**
 * SwLayout:
 *
 * A function from the coordinates of a [struct@Strideweave.Shape] to indices: the sum of each coordinate times its
 * step in a [struct@Strideweave.Stride] of the same nesting.
 *
 * An integer in place of a tuple stands for the whole mode, first mode fastest.
 *
 * Where an extent is 0 there are no coordinates and no indices, and steps mean nothing.
 *
 * A layout never changes and may be used by several threads at once.
 */
G_DEFINE_BOXED_TYPE (SwLayout, sw_layout, sw_layout_ref, sw_layout_unref)

/* Whether the wide leaves, in some order, have the steps 1, e, e * f ... */
static gboolean
leaves_are_compact (const SwLayoutLeaf *leaves,
                    guint n_leaves)
{
  const SwLayoutLeaf *wide[SW_LAYOUT_MAX_WIDE_LEAVES];
  guint n_wide = 0;
  gint64 n_before = 1;

  for (guint i = 0; i < n_leaves; i++)
    if (leaves[i].extent > 1)
      wide[n_wide++] = &leaves[i];

  while (n_wide > 0)
    {
      guint i;

      /* From both ends, where the next leaf is in the usual orders. */
      if (wide[n_wide - 1]->step == n_before)
        i = n_wide - 1;
      else
        for (i = 0; i < n_wide && wide[i]->step != n_before; i++)
          ;
      if (i == n_wide)
        return FALSE;
      n_before *= wide[i]->extent;
      for (n_wide--; i < n_wide; i++)
        wide[i] = wide[i + 1];
    }
  return TRUE;
}

/* Reads the leaves of both trees side by side. Returns whether the cosize fits into an integer. */
static gboolean
fill_leaves (SwLayout *self)
{
  const SwTree *shape = &self->shape->tree;
  const gint64 *steps = self->stride->tokens;
  gint64 last = 0;
  guint n = 0;

  for (guint i = 0; i < shape->n_tokens; i++)
    {
      gint64 extent = shape->tokens[i];
      gint64 reach;

      if (extent < 0)
        continue;
      self->leaves[n].extent = extent;
      self->leaves[n++].step = steps[i];
      /* An empty mode reaches nowhere; the others are checked all the same, so that sums of their steps are safe to make. */
      if (__builtin_mul_overflow (MAX (extent, 1) - 1, steps[i], &reach) || __builtin_add_overflow (last, reach, &last))
        return FALSE;
    }

  self->n_leaves = n;
  if (__builtin_add_overflow (last, 1, &self->cosize))
    return FALSE;
  if (self->size == 0)
    self->cosize = 0;
  return TRUE;
}

/* Takes @stride over. NULL when the cosize overflows. */
static SwLayout *
layout_new_take (SwShape *shape,
                 SwStride *stride)
{
  SwLayout *self = g_malloc (sizeof *self + shape->tree.n_leaves * sizeof self->leaves[0]);

  sw_ref_count_init (&self->ref_count);
  self->shape = sw_shape_ref (shape);
  self->stride = stride;
  self->size = shape->size;
  if (!fill_leaves (self))
    {
      sw_layout_unref (self);
      return NULL;
    }
  self->compact = self->cosize == self->size && (self->size == 0 || leaves_are_compact (self->leaves, self->n_leaves));
  return self;
}

/**
 * sw_layout_new: (constructor)
 * @shape: the extents
 * @stride: the steps
 * @error: return location for an error
 *
 * Makes a layout. It keeps a reference to @shape and to @stride.
 *
 * Fails with %SW_ERROR_VALUE when the two are not nested alike, and when an index is more than 2^63 - 2.
 *
 * Returns: (transfer full): the layout
 */
SwLayout *
sw_layout_new (SwShape *shape,
               SwStride *stride,
               GError **error)
{
  g_autofree char *extents = NULL;
  g_autofree char *steps = NULL;
  SwLayout *self;
  gboolean congruent;

  g_return_val_if_fail (shape != NULL && stride != NULL, NULL);

  congruent = sw_tree_congruent (&shape->tree, &stride->tree);
  if (G_LIKELY (congruent))
    {
      self = layout_new_take (shape, sw_stride_ref (stride));
      if (G_LIKELY (self != NULL))
        return self;
    }

  extents = sw_tree_describe (shape->tokens);
  steps = sw_tree_describe (stride->tokens);
  if (!congruent)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "shape %s and stride %s are not nested alike", extents, steps);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "shape %s with stride %s reaches past index %" G_GINT64_FORMAT,
                 extents, steps, G_MAXINT64 - 1);
  return NULL;
}

SwLayout *
sw_layout_new_from_tokens (const gint64 *extents,
                           const gint64 *steps,
                           gsize n_tokens,
                           GError **error)
{
  g_autoptr (SwShape) shape = sw_shape_new_from_tokens (extents, n_tokens, error);
  g_autoptr (SwStride) stride = NULL;

  if (shape != NULL)
    stride = sw_stride_new_from_tokens (steps, n_tokens, error);
  return stride != NULL ? sw_layout_new (shape, stride, error) : NULL;
}

/* Steps that follow each other with nothing between, from the leaf at @first on to the other end. */
static SwLayout *
layout_new_dense (SwShape *shape,
                  gboolean first_fastest)
{
  const guint n_tokens = shape->tree.n_tokens;
  g_autofree gint64 *tokens = g_memdup2 (shape->tokens, n_tokens * sizeof *tokens);
  gint64 n_before = 1;

  for (guint i = 0; i < n_tokens; i++)
    {
      guint at = first_fastest ? i : n_tokens - 1 - i;

      if (tokens[at] < 0)
        continue;
      tokens[at] = n_before;
      /* Empty modes as if they had one element: as NumPy does. */
      n_before *= MAX (shape->tokens[at], 1);
    }
  return layout_new_take (shape, sw_stride_new_from_tokens (tokens, n_tokens, NULL));
}

/**
 * sw_layout_new_compact: (constructor)
 * @shape: the extents
 *
 * Makes the layout whose elements follow each other with the first mode fastest.
 *
 * Returns: (transfer full): the layout
 */
SwLayout *
sw_layout_new_compact (SwShape *shape)
{
  g_return_val_if_fail (shape != NULL, NULL);

  return layout_new_dense (shape, TRUE);
}

/**
 * sw_layout_new_row_major: (constructor)
 * @shape: the extents
 *
 * Makes the layout whose elements follow each other with the last mode fastest, on all levels.
 *
 * Returns: (transfer full): the layout
 */
SwLayout *
sw_layout_new_row_major (SwShape *shape)
{
  g_return_val_if_fail (shape != NULL, NULL);

  return layout_new_dense (shape, FALSE);
}

SwLayout *
sw_layout_new_for_result (SwLayout *like)
{
  return like->compact ? sw_layout_ref (like) : sw_layout_new_compact (like->shape);
}

/**
 * sw_layout_ref:
 * @self: a layout
 *
 * Takes a reference. Any thread may.
 *
 * Returns: (transfer full): @self
 */
SwLayout *
sw_layout_ref (SwLayout *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  /* Orders nothing: the caller already has a reference, and the layout never changes. */
  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_layout_unref:
 * @self: (transfer full): a layout
 *
 * Gives a reference back; the last one frees the layout. Any thread may.
 */
void
sw_layout_unref (SwLayout *self)
{
  g_return_if_fail (self != NULL);

  /* Orders every use of the layout, on any thread, before its memory is freed. */
  if (!sw_ref_count_dec (&self->ref_count))
    return;
  sw_shape_unref (self->shape);
  sw_stride_unref (self->stride);
  g_free (self);
}

/**
 * sw_layout_get_shape:
 * @self: a layout
 *
 * Gets the extents.
 *
 * Returns: (transfer none): the shape
 */
SwShape *
sw_layout_get_shape (SwLayout *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->shape;
}

/**
 * sw_layout_get_stride:
 * @self: a layout
 *
 * Gets the steps.
 *
 * Returns: (transfer none): the stride
 */
SwStride *
sw_layout_get_stride (SwLayout *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->stride;
}

/**
 * sw_layout_get_size:
 * @self: a layout
 *
 * Gets how many coordinates the layout has.
 *
 * Returns: the number of coordinates; 0 where an extent is 0
 */
gint64
sw_layout_get_size (SwLayout *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->size;
}

/**
 * sw_layout_get_cosize:
 * @self: a layout
 *
 * Gets how much storage the layout needs: one more than its largest index, or nothing where it has no index.
 *
 * Returns: the number of elements from index 0 to the largest index; 0 where an extent is 0
 */
gint64
sw_layout_get_cosize (SwLayout *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->cosize;
}

/**
 * sw_layout_is_compact:
 * @self: a layout
 *
 * Gets whether the layout has every index from 0 to its size, each once, in some order of its modes. A layout without
 * elements has.
 *
 * Returns: %TRUE when the layout is compact
 */
gboolean
sw_layout_is_compact (SwLayout *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->compact;
}

/**
 * sw_layout_get_index:
 * @self: a layout
 * @tokens: (array length=n_tokens): the tokens of a coordinate
 * @n_tokens: how many tokens there are
 * @error: return location for an error
 *
 * Finds the index of a coordinate, in elements.
 *
 * Where the shape has a tuple, the coordinate may have an integer: the ordinal within that mode, first mode fastest.
 *
 * Fails with %SW_ERROR_VALUE when the coordinate is not nested as the shape is or lies outside of it.
 *
 * Returns: the index, or -1 after an error
 */
gint64
sw_layout_get_index (SwLayout *self,
                     const gint64 *tokens,
                     gsize n_tokens,
                     GError **error)
{
  g_return_val_if_fail (self != NULL, -1);

  return sw_shape_locate (self->shape, self->leaves, tokens, n_tokens, error);
}

/**
 * sw_layout_get_index_at:
 * @self: a layout
 * @ordinal: the number of an element, first mode fastest
 * @error: return location for an error
 *
 * Finds the index of the element with a number.
 *
 * Fails with %SW_ERROR_VALUE when there is no such element.
 *
 * Returns: the index, or -1 after an error
 */
gint64
sw_layout_get_index_at (SwLayout *self,
                        gint64 ordinal,
                        GError **error)
{
  gint64 index = 0;

  g_return_val_if_fail (self != NULL, -1);

  if (ordinal < 0 || ordinal >= self->size)
    {
      g_autofree char *description = sw_tree_describe (self->shape->tokens);

      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "ordinal is %" G_GINT64_FORMAT ", but the shape %s has %" G_GINT64_FORMAT " elements",
                   ordinal, description, self->size);
      return -1;
    }

  for (guint i = 0; i < self->n_leaves && ordinal > 0; i++)
    {
      index += ordinal % self->leaves[i].extent * self->leaves[i].step;
      ordinal /= self->leaves[i].extent;
    }
  return index;
}

/**
 * sw_layout_equal:
 * @self: a layout
 * @other: a layout
 *
 * Gets whether two layouts have equal shapes and equal strides.
 *
 * Returns: %TRUE when they are equal
 */
gboolean
sw_layout_equal (SwLayout *self,
                 SwLayout *other)
{
  g_return_val_if_fail (self != NULL && other != NULL, FALSE);

  return self == other || (sw_tree_equal (&self->shape->tree, &other->shape->tree) && sw_tree_equal (&self->stride->tree, &other->stride->tree));
}

/**
 * sw_layout_hash:
 * @self: a layout
 *
 * Gets a hash that equal layouts share.
 *
 * Returns: the hash
 */
guint
sw_layout_hash (SwLayout *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->shape->tree.hash * 31 + self->stride->tree.hash;
}

/**
 * sw_layout_to_string:
 * @self: a layout
 *
 * Writes the layout as text, such as `(2, (3, 4)):(1, (2, 6))`.
 *
 * Returns: (transfer full): the text
 */
char *
sw_layout_to_string (SwLayout *self)
{
  g_autofree char *extents = NULL;
  g_autofree char *steps = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  extents = sw_tree_to_string (&self->shape->tree);
  steps = sw_tree_to_string (&self->stride->tree);
  return g_strconcat (extents, ":", steps, NULL);
}

char *
sw_layout_describe (SwLayout *self)
{
  g_autofree char *extents = sw_tree_describe (self->shape->tokens);
  g_autofree char *steps = sw_tree_describe (self->stride->tokens);

  return g_strconcat (extents, ":", steps, NULL);
}
