/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-reduction-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-modes-private.h"

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

SwTensor *
sw_reduction_compute (const SwCall *call,
                      const SwView *input,
                      const char *modes_argument,
                      SwDType dtype,
                      SwDType accumulator,
                      GError **error)
{
  const SwReduceKernel *kernel = call->implementation->kernel;
  SwTensor *tensor = call->operands[0].tensor;
  g_autofree gboolean *is_reduced = sw_split_mark_modes (call, 1, modes_argument, error);
  SwLayout *layout = is_reduced != NULL ? sw_split_build_layout (tensor->layout, is_reduced, FALSE, error) : NULL;
  SwReduction reduction = { call->implementation->info->name, accumulator, *input };
  SwTensor *result;
  SwSplit split;

  if (layout == NULL)
    return NULL;

  sw_split_init (&split, tensor->layout, is_reduced);
  reduction.kept.axis = split.kept;
  reduction.reduced = split.along;
  result = sw_view_allocate (&reduction.result, tensor, layout, dtype, error);
  if (result != NULL && !kernel->run (kernel, &reduction, error))
    g_clear_pointer (&result, sw_tensor_unref);

  sw_split_clear (&split);
  return result;
}
