/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-modes-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/operations/sw-operand-private.h"

static void
count_leaves (SwMode *mode)
{
  mode->n_leaves = 0;
  mode->size = 1;
  for (guint i = 0; i < mode->n_tokens; i++)
    {
      if (mode->tokens[i] < 0)
        continue;
      mode->n_leaves++;
      mode->size *= mode->tokens[i];
    }
}

void
sw_modes_init (SwMode *modes,
               SwLayout *layout)
{
  const SwTree *tree = &layout->shape->tree;
  guint position = 1; /* after the root */
  guint leaf = 0;

  for (guint i = 0; i < tree->n_items; i++)
    {
      guint end = sw_tree_skip (tree->tokens, position);

      modes[i].tokens = tree->tokens + position;
      modes[i].n_tokens = end - position;
      modes[i].first_leaf = leaf;
      count_leaves (&modes[i]);
      leaf += modes[i].n_leaves;
      position = end;
    }
}

SwMode *
sw_modes_new (SwLayout *layout)
{
  SwMode *modes = g_new (SwMode, layout->shape->tree.n_items + 1);

  sw_modes_init (modes, layout);
  return modes;
}

gboolean
sw_mode_same_shape (const SwMode *a,
                    const SwMode *b)
{
  return a->n_tokens == b->n_tokens && memcmp (a->tokens, b->tokens, a->n_tokens * sizeof *a->tokens) == 0;
}

SwAxis
sw_mode_get_axis (const SwMode *self,
                  SwLayout *layout)
{
  return (SwAxis){ self->size, self->n_leaves, layout->leaves + self->first_leaf };
}

char *
sw_mode_to_string (const SwMode *self)
{
  return sw_tree_describe (self->tokens);
}

SwLayout *
sw_modes_build_layout (const SwMode *const *modes,
                       guint n_modes,
                       GError **error)
{
  g_autoptr (SwShape) shape = NULL;
  g_autofree gint64 *tokens = NULL;
  guint n_tokens = 1;

  for (guint i = 0; i < n_modes; i++)
    n_tokens += modes[i]->n_tokens;

  tokens = g_new (gint64, n_tokens);
  tokens[0] = SW_TREE_TUPLE (n_modes);
  n_tokens = 1;
  for (guint i = 0; i < n_modes; i++)
    {
      memcpy (tokens + n_tokens, modes[i]->tokens, modes[i]->n_tokens * sizeof *tokens);
      n_tokens += modes[i]->n_tokens;
    }

  shape = sw_shape_new_from_tokens (tokens, n_tokens, error);
  return shape != NULL ? sw_layout_new_compact (shape) : NULL;
}

gboolean
sw_modes_mark (const SwOperand *operand,
               const char *argument,
               guint rank,
               gboolean *marks,
               GError **error)
{
  gboolean is_list = operand->kind == SW_VALUE_INDICES;
  const gint64 *values = is_list ? operand->indices.values : &operand->integer;
  gsize n_values = is_list ? operand->indices.n_values : 1;

  if (!is_list && operand->kind != SW_VALUE_INT64)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must be an integer or a list of integers, not %s",
                   argument, sw_operand_get_type_name (operand));
      return FALSE;
    }

  for (gsize i = 0; i < n_values; i++)
    {
      if (values[i] < 0 || values[i] >= rank)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s[%" G_GSIZE_FORMAT "] is %" G_GINT64_FORMAT ", but the input has %u modes",
                       argument, i, values[i], rank);
          return FALSE;
        }
      if (marks[values[i]])
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s[%" G_GSIZE_FORMAT "] is %" G_GINT64_FORMAT ", which %s names already",
                       argument, i, values[i], argument);
          return FALSE;
        }
      marks[values[i]] = TRUE;
    }

  return TRUE;
}
