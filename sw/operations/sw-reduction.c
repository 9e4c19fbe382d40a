/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-reduction-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-modes-private.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/tensor/sw-tensor-private.h"

static void
add_mode (SwAxis *axis,
          const SwMode *mode,
          SwLayout *layout,
          SwLayoutLeaf *leaves)
{
  memcpy (leaves + axis->n_leaves, layout->leaves + mode->first_leaf, mode->n_leaves * sizeof *leaves);
  axis->n_leaves += mode->n_leaves;
  axis->size *= mode->size;
}

void
sw_split_init (SwSplit *self,
               SwLayout *layout,
               const gboolean *is_along)
{
  guint rank = layout->shape->tree.n_items;
  g_autofree SwMode *modes = sw_modes_new (layout);

  self->leaves = g_new (SwLayoutLeaf, layout->n_leaves + 1);
  self->kept = (SwAxis){ 1, 0, self->leaves };
  for (guint i = 0; i < rank; i++)
    {
      if (!is_along[i])
        add_mode (&self->kept, &modes[i], layout, self->leaves);
    }

  self->along = (SwAxis){ 1, 0, self->leaves + self->kept.n_leaves };
  for (guint i = 0; i < rank; i++)
    {
      if (is_along[i])
        add_mode (&self->along, &modes[i], layout, self->leaves + self->kept.n_leaves);
    }
}

void
sw_split_clear (SwSplit *self)
{
  g_clear_pointer (&self->leaves, g_free);
}

gboolean *
sw_split_mark_modes (const SwCall *call,
                     guint index,
                     const char *argument,
                     GError **error)
{
  guint rank = call->operands[0].tensor->layout->shape->tree.n_items;
  g_autofree gboolean *flags = g_new0 (gboolean, rank + 1);

  if (index < call->n_operands && call->operands[index].kind != SW_VALUE_NONE)
    {
      if (!sw_modes_mark (&call->operands[index], argument, rank, flags, error))
        return NULL;
      return g_steal_pointer (&flags);
    }

  for (guint i = 0; i < rank; i++)
    flags[i] = TRUE;
  return g_steal_pointer (&flags);
}

SwLayout *
sw_split_build_layout (SwLayout *layout,
                       const gboolean *flags,
                       gboolean flag,
                       GError **error)
{
  guint rank = layout->shape->tree.n_items;
  g_autofree SwMode *modes = sw_modes_new (layout);
  g_autofree const SwMode **chosen = g_new (const SwMode *, rank + 1);
  guint n_chosen = 0;

  for (guint i = 0; i < rank; i++)
    {
      if (!flags[i] == !flag)
        chosen[n_chosen++] = &modes[i];
    }
  return sw_modes_build_layout (chosen, n_chosen, error);
}

gboolean
sw_split_check_one_mode (const SwCall *call,
                         guint index,
                         GError **error)
{
  const SwOperand *operand = &call->operands[index];

  if (index >= call->n_operands || operand->kind != SW_VALUE_INDICES || operand->indices.n_values == 1)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mode must be one mode, not %" G_GSIZE_FORMAT, operand->indices.n_values);
  return FALSE;
}

/* The layout of the result as its user sees it: with extents of 1 for the modes that are reduced, nested as they are, which
 * changes nothing about where values lie. NULL without an error where these modes go. */
static SwLayout *
build_kept_layout (const SwCall *call,
                   const gboolean *is_reduced,
                   gboolean *is_valid,
                   GError **error)
{
  SwShape *shape = call->operands[0].tensor->layout->shape;
  SwLayout *layout = call->operands[0].tensor->layout;
  g_autofree SwMode *modes = NULL;
  g_autofree gint64 *tokens = NULL;
  g_autoptr (SwShape) kept = NULL;

  *is_valid = call->n_operands < 3 || call->operands[2].kind == SW_VALUE_BOOL;
  if (!*is_valid)
    g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "whether modes stay must be a bool, not %s", sw_operand_get_type_name (&call->operands[2]));
  if (!*is_valid || call->n_operands < 3 || !call->operands[2].boolean)
    return NULL;

  modes = sw_modes_new (layout);
  tokens = g_memdup2 (shape->tree.tokens, shape->tree.n_tokens * sizeof *tokens);
  for (guint i = 0; i < shape->tree.n_items; i++)
    {
      gint64 *mode_tokens = tokens + (modes[i].tokens - shape->tree.tokens);

      for (guint k = 0; is_reduced[i] && k < modes[i].n_tokens; k++)
        mode_tokens[k] = mode_tokens[k] < 0 ? mode_tokens[k] : 1;
    }
  kept = sw_shape_new_from_tokens (tokens, shape->tree.n_tokens, error);
  *is_valid = kept != NULL;
  return kept != NULL ? sw_layout_new_compact (kept) : NULL;
}

/* The largest of no values, or where it is, does not exist; the sum and the product of none do. As in NumPy, that is an
 * error even where no result would have to be made of it. */
static gboolean
check_has_values (const SwCall *call,
                  const SwReduction *reduction,
                  const char *modes_argument,
                  const gboolean *is_reduced,
                  GError **error)
{
  SwOperationId id = call->implementation->info->id;
  SwShape *input = call->operands[0].tensor->layout->shape;
  g_autoptr (GString) modes = NULL;
  g_autofree char *shape = NULL;

  if (reduction->reduced.size > 0 || id == SW_OPERATION_REDUCE_SUM || id == SW_OPERATION_REDUCE_PROD)
    return TRUE;

  modes = g_string_new (NULL);
  for (guint i = 0; i < input->tree.n_items; i++)
    {
      if (is_reduced[i])
        g_string_append_printf (modes, "%s%u", modes->len > 0 ? ", " : " ", i);
    }
  shape = sw_shape_to_string (input);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "input has the shape %s, in which %s finds no values along %s%s", shape,
               call->implementation->info->name, modes_argument, modes->str);
  return FALSE;
}

static gboolean
run (const SwCall *call,
     const SwReduction *reduction,
     GError **error)
{
  const SwReduceKernel *kernel = call->implementation->kernel;

  if (sw_view_is_empty (&reduction->result))
    return TRUE;
  if (reduction->reduced.size > 0)
    return kernel->run (kernel, reduction, error);
  return sw_view_fill (&reduction->result, call->operands[0].tensor->carrier,
                       call->implementation->info->id == SW_OPERATION_REDUCE_PROD ? 1 : 0, error);
}

SwTensor *
sw_reduction_compute (const SwCall *call,
                      const SwView *input,
                      const char *modes_argument,
                      SwDType dtype,
                      SwDType accumulator,
                      GError **error)
{
  SwTensor *tensor = call->operands[0].tensor;
  g_autofree gboolean *is_reduced = sw_split_mark_modes (call, 1, modes_argument, error);
  gboolean is_valid = is_reduced != NULL;
  g_autoptr (SwLayout) kept_layout = is_valid ? build_kept_layout (call, is_reduced, &is_valid, error) : NULL;
  SwLayout *layout = is_valid ? sw_split_build_layout (tensor->layout, is_reduced, FALSE, error) : NULL;
  SwReduction reduction = { call->implementation->info->name, accumulator, *input };
  SwTensor *result = NULL;
  SwSplit split;

  if (layout == NULL)
    return NULL;

  sw_split_init (&split, tensor->layout, is_reduced);
  reduction.kept.axis = split.kept;
  reduction.reduced = split.along;
  if (check_has_values (call, &reduction, modes_argument, is_reduced, error))
    result = sw_view_allocate (&reduction.result, tensor, g_steal_pointer (&layout), dtype, error);
  g_clear_pointer (&layout, sw_layout_unref);
  if (result != NULL && !run (call, &reduction, error))
    g_clear_pointer (&result, sw_tensor_unref);
  if (result != NULL && kept_layout != NULL)
    {
      /* Nobody has seen the result yet. */
      sw_layout_unref (result->layout);
      result->layout = g_steal_pointer (&kept_layout);
    }

  sw_split_clear (&split);
  return result;
}
