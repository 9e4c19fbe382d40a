/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-held-private.h"
#include "sw/operations/sw-modes-private.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/operations/sw-reduction-private.h"

/* sort: the tensor, the mode, whether the largest value comes first; topk: the tensor, how many values, the mode. */

static gboolean
get_mode (const SwCall *call,
          guint position,
          guint *mode,
          GError **error)
{
  g_autofree gboolean *marks = NULL;

  if (call->operands[position].kind == SW_VALUE_NONE)
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_TYPE, "mode must be an integer, not None");
      return FALSE;
    }
  marks = sw_split_check_one_mode (call, position, error) ? sw_split_mark_modes (call, position, "mode", error) : NULL;
  if (marks == NULL)
    return FALSE;
  for (*mode = 0; !marks[*mode];)
    ++*mode;
  return TRUE;
}

static gboolean
get_descending (const SwCall *call,
                gboolean *is_descending,
                GError **error)
{
  *is_descending = FALSE;
  if (call->n_operands < 3)
    return TRUE;
  if (call->operands[2].kind != SW_VALUE_BOOL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "descending must be a bool, not %s",
                   sw_operand_get_type_name (&call->operands[2]));
      return FALSE;
    }
  *is_descending = call->operands[2].boolean;
  return TRUE;
}

static gboolean
get_count (const SwCall *call,
           gint64 size,
           gint64 *count,
           GError **error)
{
  const SwOperand *operand = &call->operands[1];

  if (operand->kind != SW_VALUE_INT64)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "k must be an integer, not %s", sw_operand_get_type_name (operand));
      return FALSE;
    }
  *count = operand->integer;
  if (*count >= 0 && *count <= size)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "k is %" G_GINT64_FORMAT ", but must be between 0 and %" G_GINT64_FORMAT ", the size of the mode", *count, size);
  return FALSE;
}

/* The shape of the input, with @count values where the mode is. */
static SwLayout *
build_result_layout (SwLayout *layout,
                     guint mode,
                     gint64 count,
                     GError **error)
{
  guint rank = layout->shape->tree.n_items;
  g_autofree SwMode *modes = sw_modes_new (layout);
  g_autofree const SwMode **all = g_new (const SwMode *, rank + 1);
  SwMode short_mode = { &count, 1, 0, 1, count };

  for (guint i = 0; i < rank; i++)
    all[i] = i == mode ? &short_mode : &modes[i];
  return sw_modes_build_layout (all, rank, error);
}

static SwTensor *
run (const SwCall *call,
     SwHeld *held,
     guint mode,
     gboolean is_descending,
     SwLayout *layout,
     GError **error)
{
  const SwSortKernel *kernel = call->implementation->kernel;
  SwTensor *tensor = held->tensor;
  g_autofree gboolean *is_along = g_new0 (gboolean, tensor->layout->shape->tree.n_items + 1);
  SwLines lines = { call->implementation->info->name, held->view };
  SwTensor *result = sw_view_allocate (&lines.result, tensor, layout, held->view.dtype, error);
  SwSplit from, to;

  if (result == NULL || sw_view_is_empty (&lines.result))
    return result;

  is_along[mode] = TRUE;
  sw_split_init (&from, tensor->layout, is_along);
  sw_split_init (&to, result->layout, is_along);
  lines.input.axis = from.kept;
  lines.input_line = from.along;
  lines.result.axis = to.kept;
  lines.result_line = to.along;
  if (!kernel->run (kernel, &lines, is_descending, error))
    g_clear_pointer (&result, sw_tensor_unref);
  sw_split_clear (&to);
  sw_split_clear (&from);
  return result;
}

static SwTensor *
run_with_held (const SwCall *call,
               SwHeld *held,
               GError **error)
{
  gboolean is_top = call->implementation->info->id == SW_OPERATION_TOPK, is_descending = TRUE;
  SwLayout *layout = held->tensor->layout;
  g_autofree SwMode *modes = sw_modes_new (layout);
  SwDTypes dtypes;
  gint64 count = 0;
  guint mode;

  if (!get_mode (call, is_top ? 2 : 1, &mode, error) ||
      !(is_top ? get_count (call, modes[mode].size, &count, error) : get_descending (call, &is_descending, error)) ||
      !sw_dtype_rules_resolve (call->implementation->info, held->tensor->carrier, held->view.dtype, &dtypes, error))
    return NULL;

  layout = is_top ? build_result_layout (layout, mode, count, error) : sw_layout_new_for_result (layout);
  return layout != NULL ? run (call, held, mode, is_descending, layout, error) : NULL;
}

SwTensor *
sw_sort_compute (const SwCall *call,
                 GError **error)
{
  gboolean is_top = call->implementation->info->id == SW_OPERATION_TOPK;
  SwHeld held = { NULL };
  SwTensor *result = NULL;

  if (!sw_inputs_check_count (call, is_top ? 3 : 2, 3, error))
    return NULL;
  if (sw_held_init (&held, call, 0, "input", error))
    result = run_with_held (call, &held, error);
  sw_held_clear (&held);
  return result;
}
