/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-modes-private.h"
#include "sw/operations/sw-operand-private.h"

/* How the layouts of views come about, but for that of rearrange. */

static SwShape *
get_shape (const SwCall *call,
           GError **error)
{
  const SwOperand *operand = &call->operands[1];

  if (operand->kind == SW_VALUE_SHAPE)
    return operand->shape;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "shape must be a Shape, not %s", sw_operand_get_type_name (operand));
  return NULL;
}

static gboolean
check_integers (const SwOperand *operand,
                const char *argument,
                GError **error)
{
  if (operand->kind == SW_VALUE_INDICES)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must be a list of integers, not %s", argument,
               sw_operand_get_type_name (operand));
  return FALSE;
}

static gboolean
check_integer (const SwOperand *operand,
               const char *argument,
               GError **error)
{
  if (operand->kind == SW_VALUE_INT64)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must be an integer, not %s", argument, sw_operand_get_type_name (operand));
  return FALSE;
}

SwLayout *
sw_view_broadcast_to (const SwCall *call,
                      SwLayout *layout,
                      gboolean *needs_copy,
                      GError **error)
{
  SwShape *shape = get_shape (call, error);

  return shape != NULL ? sw_layout_broadcast_to (layout, shape, error) : NULL;
}

SwLayout *
sw_view_permute (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error)
{
  const SwOperand *operand = &call->operands[1];

  if (!check_integers (operand, "order", error))
    return NULL;
  return sw_layout_permute (layout, operand->indices.values, operand->indices.n_values, error);
}

SwLayout *
sw_view_view (const SwCall *call,
              SwLayout *layout,
              gboolean *needs_copy,
              GError **error)
{
  SwShape *shape = get_shape (call, error);

  return shape != NULL ? sw_layout_reshape (layout, shape, error) : NULL;
}

SwLayout *
sw_view_reshape (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error)
{
  g_autoptr (GError) failure = NULL;
  SwShape *shape = get_shape (call, error);
  SwLayout *result;

  if (shape == NULL)
    return NULL;

  result = sw_layout_reshape (layout, shape, &failure);
  if (result == NULL && g_error_matches (failure, SW_ERROR, SW_ERROR_UNSUPPORTED))
    {
      *needs_copy = TRUE;
      return sw_layout_new_compact (shape);
    }

  if (result == NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return result;
}

/* The layout of the given extents and steps at the top level, each of which may be nested: @extents and @steps are tokens
 * of which the first is left to be set. */
static SwLayout *
build (GArray *extents,
       GArray *steps,
       guint n_modes,
       GError **error)
{
  g_array_index (extents, gint64, 0) = g_array_index (steps, gint64, 0) = SW_TREE_TUPLE (n_modes);
  return sw_layout_new_from_tokens ((const gint64 *) extents->data, (const gint64 *) steps->data, extents->len, error);
}

static void
append_mode (GArray *extents,
             GArray *steps,
             const SwMode *mode,
             SwLayout *layout)
{
  guint leaf = mode->first_leaf;

  for (guint i = 0; i < mode->n_tokens; i++)
    {
      gint64 step = mode->tokens[i] < 0 ? mode->tokens[i] : layout->leaves[leaf++].step;

      g_array_append_val (extents, mode->tokens[i]);
      g_array_append_val (steps, step);
    }
}

/* Which modes to leave out: those that are named, which must be of size 1, or all that are. */
static gboolean
mark_squeezed (const SwCall *call,
               const SwMode *modes,
               guint rank,
               gboolean *marks,
               GError **error)
{
  gboolean is_named = call->n_operands > 1 && call->operands[1].kind != SW_VALUE_NONE;

  if (is_named && !sw_modes_mark (&call->operands[1], "modes", rank, marks, error))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    {
      if (!is_named)
        marks[i] = modes[i].size == 1;
      else if (marks[i] && modes[i].size != 1)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "modes names mode %u, whose size is %" G_GINT64_FORMAT ", not 1", i,
                       modes[i].size);
          return FALSE;
        }
    }
  return TRUE;
}

SwLayout *
sw_view_squeeze (const SwCall *call,
                 SwLayout *layout,
                 gboolean *needs_copy,
                 GError **error)
{
  guint rank = layout->shape->tree.n_items, n_kept = 0;
  g_autofree SwMode *modes = sw_modes_new (layout);
  g_autofree gboolean *marks = g_new0 (gboolean, rank + 1);
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (!mark_squeezed (call, modes, rank, marks, error))
    return NULL;

  g_array_set_size (extents, 1);
  g_array_set_size (steps, 1);
  for (guint i = 0; i < rank; i++)
    {
      if (marks[i])
        continue;
      append_mode (extents, steps, &modes[i], layout);
      n_kept++;
    }
  return build (extents, steps, n_kept, error);
}

SwLayout *
sw_view_unsqueeze (const SwCall *call,
                   SwLayout *layout,
                   gboolean *needs_copy,
                   GError **error)
{
  guint rank = layout->shape->tree.n_items;
  g_autofree SwMode *modes = sw_modes_new (layout);
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 place, one = 1, none = 0;

  if (!check_integer (&call->operands[1], "mode", error))
    return NULL;
  place = call->operands[1].integer;
  if (place < 0 || place > rank)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mode is %" G_GINT64_FORMAT ", but must be at most %u, the number of modes",
                   place, rank);
      return NULL;
    }

  g_array_set_size (extents, 1);
  g_array_set_size (steps, 1);
  for (guint i = 0; i <= rank; i++)
    {
      if (i == place)
        {
          g_array_append_val (extents, one);
          g_array_append_val (steps, none);
        }
      if (i < rank)
        append_mode (extents, steps, &modes[i], layout);
    }
  return build (extents, steps, rank + 1, error);
}

SwLayout *
sw_view_as_strided (const SwCall *call,
                    SwLayout *layout,
                    gboolean *needs_copy,
                    GError **error)
{
  SwShape *shape = get_shape (call, error);
  const SwOperand *steps = &call->operands[2];
  g_autofree gint64 *tokens = NULL;
  gsize n_steps = 0;

  if (shape == NULL || !check_integers (steps, "steps", error) ||
      (call->n_operands > 3 && !check_integer (&call->operands[3], "offset", error)))
    return NULL;
  if (steps->indices.n_values != shape->tree.n_leaves)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "steps has %" G_GSIZE_FORMAT " values, but shape has %u extents",
                   steps->indices.n_values, shape->tree.n_leaves);
      return NULL;
    }

  tokens = g_new (gint64, shape->tree.n_tokens);
  for (guint i = 0; i < shape->tree.n_tokens; i++)
    tokens[i] = shape->tree.tokens[i] < 0 ? shape->tree.tokens[i] : steps->indices.values[n_steps++];
  return sw_layout_new_from_tokens (shape->tree.tokens, tokens, shape->tree.n_tokens, error);
}
