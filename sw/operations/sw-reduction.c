/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-reduction-private.h"

#include <string.h>

#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-modes-private.h"

/* The leaves of a layout: those of the modes that stay, then those of the modes that are reduced. */
typedef struct
{
  SwLayoutLeaf *leaves;
  SwAxis kept;
  SwAxis reduced;
  SwLayout *result;
} Plan;

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

static gboolean
plan_init (Plan *plan,
           SwLayout *layout,
           const gboolean *is_reduced,
           GError **error)
{
  guint rank = layout->shape->tree.n_items;
  g_autofree SwMode *modes = sw_modes_new (layout);
  g_autofree const SwMode **kept = g_new (const SwMode *, rank + 1);
  guint n_kept = 0;

  plan->leaves = g_new (SwLayoutLeaf, layout->n_leaves + 1);
  plan->kept = (SwAxis){ 1, 0, plan->leaves };
  for (guint i = 0; i < rank; i++)
    {
      if (is_reduced[i])
        continue;
      add_mode (&plan->kept, &modes[i], layout, plan->leaves);
      kept[n_kept++] = &modes[i];
    }

  plan->reduced = (SwAxis){ 1, 0, plan->leaves + plan->kept.n_leaves };
  for (guint i = 0; i < rank; i++)
    {
      if (is_reduced[i])
        add_mode (&plan->reduced, &modes[i], layout, plan->leaves + plan->kept.n_leaves);
    }

  plan->result = sw_modes_build_layout (kept, n_kept, error);
  if (plan->result == NULL)
    g_clear_pointer (&plan->leaves, g_free);
  return plan->result != NULL;
}

static gboolean
plan_call (Plan *plan,
           const SwCall *call,
           const char *modes_argument,
           GError **error)
{
  SwLayout *layout = call->operands[0].tensor->layout;
  guint rank = layout->shape->tree.n_items;
  g_autofree gboolean *is_reduced = g_new0 (gboolean, rank + 1);

  if (call->n_operands > 1 && call->operands[1].kind != SW_VALUE_NONE)
    {
      if (!sw_modes_mark (&call->operands[1], modes_argument, rank, is_reduced, error))
        return FALSE;
    }
  else
    {
      for (guint i = 0; i < rank; i++)
        is_reduced[i] = TRUE;
    }

  return plan_init (plan, layout, is_reduced, error);
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
  SwReduction reduction = { call->implementation->info->name, accumulator, *input };
  SwTensor *result;
  Plan plan;

  if (!plan_call (&plan, call, modes_argument, error))
    return NULL;

  reduction.kept.axis = plan.kept;
  reduction.reduced = plan.reduced;
  result = sw_view_allocate (&reduction.result, call->operands[0].tensor, plan.result, dtype, error);
  if (result != NULL && !kernel->run (kernel, &reduction, error))
    g_clear_pointer (&result, sw_tensor_unref);

  g_free (plan.leaves);
  return result;
}
