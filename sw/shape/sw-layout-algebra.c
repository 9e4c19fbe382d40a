/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"

#include <string.h>

/* Shape and stride are nested alike, so what rearranges the tokens of one does so for the other. */
typedef struct
{
  gint64 *extents;
  gint64 *steps;
  guint n;
} Draft;

static void
draft_init (Draft *draft,
            gsize n_tokens)
{
  draft->extents = g_new (gint64, n_tokens);
  draft->steps = g_new (gint64, n_tokens);
  draft->n = 0;
}

static void
draft_add_tuple (Draft *draft,
                 guint n_items)
{
  draft->extents[draft->n] = draft->steps[draft->n] = SW_TREE_TUPLE (n_items);
  draft->n++;
}

static void
draft_add_tokens (Draft *draft,
                  SwLayout *layout,
                  guint first,
                  guint end)
{
  memcpy (draft->extents + draft->n, layout->shape->tokens + first, (end - first) * sizeof (gint64));
  memcpy (draft->steps + draft->n, layout->stride->tokens + first, (end - first) * sizeof (gint64));
  draft->n += end - first;
}

static SwLayout *
draft_end (Draft *draft,
           GError **error)
{
  SwLayout *layout = sw_layout_new_from_tokens (draft->extents, draft->steps, draft->n, error);

  g_free (draft->extents);
  g_free (draft->steps);
  return layout;
}

/**
 * sw_layout_dup_mode:
 * @self: a layout
 * @mode: the number of a top-level mode
 * @error: return location for an error
 *
 * Makes a layout of one top-level mode. A plain mode makes a layout of one mode.
 *
 * Fails with %SW_ERROR_INDEX when there is no such mode.
 *
 * Returns: (transfer full): the layout of the mode
 */
SwLayout *
sw_layout_dup_mode (SwLayout *self,
                    guint mode,
                    GError **error)
{
  guint first, end;

  g_return_val_if_fail (self != NULL, NULL);

  first = sw_tree_find_mode (&self->shape->tree, mode);
  if (first == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_INDEX, "mode is %u, but the layout has %u modes",
                   mode, self->shape->tree.n_items);
      return NULL;
    }
  end = sw_tree_skip (self->shape->tokens, first);
  return sw_layout_new_from_tokens (self->shape->tokens + first, self->stride->tokens + first, end - first, error);
}

static gboolean
check_broadcast (SwShape *from,
                 SwShape *to,
                 GError **error)
{
  g_autofree char *source = NULL;
  g_autofree char *target = NULL;
  gboolean congruent = sw_tree_congruent (&from->tree, &to->tree);
  guint i = 0;

  if (congruent)
    while (i < from->tree.n_tokens && (from->tokens[i] == to->tokens[i] || from->tokens[i] == 1))
      i++;
  if (congruent && i == from->tree.n_tokens)
    return TRUE;

  source = sw_tree_describe (from->tokens);
  target = sw_tree_describe (to->tokens);
  if (!congruent)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "shape %s cannot be broadcast to %s: they are not nested alike",
                 source, target);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                 "shape %s cannot be broadcast to %s: an extent of %" G_GINT64_FORMAT " cannot become %" G_GINT64_FORMAT,
                 source, target, from->tokens[i], to->tokens[i]);
  return FALSE;
}

/**
 * sw_layout_broadcast_to:
 * @self: a layout
 * @target: a shape that is nested like the layout's
 * @error: return location for an error
 *
 * Makes the layout that repeats elements to fill a shape: where the extent is 1 and @target has another one, the
 * step becomes 0.
 *
 * An extent of 1 may become 0, too, and then there is nothing left of the elements; one of 0 stays 0.
 *
 * Fails with %SW_ERROR_VALUE when @target is not nested alike, and when it changes an extent other than 1.
 *
 * Returns: (transfer full): the layout with the shape @target
 */
SwLayout *
sw_layout_broadcast_to (SwLayout *self,
                        SwShape *target,
                        GError **error)
{
  g_autofree gint64 *steps = NULL;
  g_autoptr (SwStride) stride = NULL;
  guint n;

  g_return_val_if_fail (self != NULL && target != NULL, NULL);

  if (sw_tree_equal (&self->shape->tree, &target->tree))
    return sw_layout_ref (self);
  if (!check_broadcast (self->shape, target, error))
    return NULL;

  n = target->tree.n_tokens;
  steps = g_memdup2 (self->stride->tokens, n * sizeof *steps);
  for (guint i = 0; i < n; i++)
    if (self->shape->tokens[i] != target->tokens[i])
      steps[i] = 0;
  stride = sw_stride_new_from_tokens (steps, n, error);
  return stride != NULL ? sw_layout_new (target, stride, error) : NULL;
}

static gboolean
check_order (guint n_modes,
             const gint64 *order,
             gsize n_order,
             GError **error)
{
  /* Where each mode was named, from 1. */
  g_autofree gsize *named = NULL;

  if (n_order != n_modes)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "order has %" G_GSIZE_FORMAT " entries, but the layout has %u modes",
                   n_order, n_modes);
      return FALSE;
    }

  named = g_new0 (gsize, n_modes);
  for (gsize i = 0; i < n_order; i++)
    {
      if (order[i] < 0 || order[i] >= n_modes)
        g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                     "order[%" G_GSIZE_FORMAT "] is %" G_GINT64_FORMAT ", but the layout has %u modes",
                     i, order[i], n_modes);
      else if (named[order[i]] > 0)
        g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                     "order[%" G_GSIZE_FORMAT "] is %" G_GINT64_FORMAT ", as order[%" G_GSIZE_FORMAT "] already is",
                     i, order[i], named[order[i]] - 1);
      else
        {
          named[order[i]] = i + 1;
          continue;
        }
      return FALSE;
    }
  return TRUE;
}

/**
 * sw_layout_permute:
 * @self: a layout
 * @order: (array length=n_order) (nullable): for each mode of the result, the top-level mode that it was
 * @n_order: how many entries @order has
 * @error: return location for an error
 *
 * Makes the layout with the top-level modes in another order.
 *
 * Fails with %SW_ERROR_VALUE when @order does not name every top-level mode once.
 *
 * Returns: (transfer full): the layout
 */
SwLayout *
sw_layout_permute (SwLayout *self,
                   const gint64 *order,
                   gsize n_order,
                   GError **error)
{
  const gint64 *tokens;
  g_autofree guint *first = NULL;
  Draft draft;
  guint n_modes;

  g_return_val_if_fail (self != NULL, NULL);

  n_modes = self->shape->tree.n_items;
  if (!check_order (n_modes, order, n_order, error))
    return NULL;

  tokens = self->shape->tokens;
  first = g_new (guint, n_modes + 1);
  first[0] = 1;
  for (guint i = 0; i < n_modes; i++)
    first[i + 1] = sw_tree_skip (tokens, first[i]);

  draft_init (&draft, self->shape->tree.n_tokens);
  draft_add_tuple (&draft, n_modes);
  for (guint i = 0; i < n_modes; i++)
    draft_add_tokens (&draft, self, first[order[i]], first[order[i] + 1]);
  return draft_end (&draft, error);
}

/**
 * sw_layout_concat:
 * @self: a layout
 * @other: a layout
 * @error: return location for an error
 *
 * Makes the layout whose top-level modes are those of @self and then those of @other.
 *
 * Fails with %SW_ERROR_VALUE when the result has more than 2^63 - 1 elements or reaches further than that.
 *
 * Returns: (transfer full): the layout
 */
SwLayout *
sw_layout_concat (SwLayout *self,
                  SwLayout *other,
                  GError **error)
{
  const SwTree *a, *b;
  Draft draft;

  g_return_val_if_fail (self != NULL && other != NULL, NULL);

  a = &self->shape->tree;
  b = &other->shape->tree;
  draft_init (&draft, a->n_tokens + b->n_tokens);
  draft_add_tuple (&draft, a->n_items + b->n_items);
  draft_add_tokens (&draft, self, 1, a->n_tokens);
  draft_add_tokens (&draft, other, 1, b->n_tokens);
  return draft_end (&draft, error);
}

/**
 * sw_layout_append:
 * @self: a layout
 * @other: a layout
 * @error: return location for an error
 *
 * Makes the layout whose top-level modes are those of @self and then one more, which is all of @other.
 *
 * When @other has one plain mode, that is the new mode; otherwise the new mode is a tuple of the modes of @other.
 *
 * Fails with %SW_ERROR_VALUE when the result has more than 2^63 - 1 elements or reaches further than that, or is
 * nested more than 256 levels deep.
 *
 * Returns: (transfer full): the layout
 */
SwLayout *
sw_layout_append (SwLayout *self,
                  SwLayout *other,
                  GError **error)
{
  const SwTree *a, *b;
  Draft draft;

  g_return_val_if_fail (self != NULL && other != NULL, NULL);

  a = &self->shape->tree;
  b = &other->shape->tree;
  draft_init (&draft, a->n_tokens + b->n_tokens);
  draft_add_tuple (&draft, a->n_items + 1);
  draft_add_tokens (&draft, self, 1, a->n_tokens);
  draft_add_tokens (&draft, other, b->flat && b->n_items == 1 ? 1 : 0, b->n_tokens);
  return draft_end (&draft, error);
}
