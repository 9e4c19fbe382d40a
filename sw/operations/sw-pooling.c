/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-held-private.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/operations/sw-windows-private.h"

enum
{
  INPUT,
  WINDOW,
  STRIDES,
  PADDING,
  N_INPUTS
};

static gboolean
check_window (const SwCall *call,
              guint n_modes,
              GError **error)
{
  const SwOperand *operand = &call->operands[WINDOW];

  if (operand->kind != SW_VALUE_INDICES)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "window must be a list of integers, not %s", sw_operand_get_type_name (operand));
      return FALSE;
    }
  if (operand->indices.n_values != n_modes)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "window has %" G_GSIZE_FORMAT " values, but there are %u modes to go over",
                   operand->indices.n_values, n_modes);
      return FALSE;
    }
  for (guint i = 0; i < n_modes; i++)
    {
      if (operand->indices.values[i] >= 1 && operand->indices.values[i] <= G_MAXINT32)
        continue;
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "window[%u] is %" G_GINT64_FORMAT ", but must be between 1 and %d", i,
                   operand->indices.values[i], G_MAXINT32);
      return FALSE;
    }
  return TRUE;
}

/* Each window must hold a value that is not padding. */
static gboolean
check_padding (const SwWindows *windows,
               GError **error)
{
  for (guint i = 0; i < windows->n_modes; i++)
    {
      gint64 last = (windows->counts[i] - 1) * windows->strides[i] - windows->paddings[i];

      if (windows->paddings[i] < windows->extents[i] && last < windows->input_extents[i])
        continue;
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "padding of mode %u makes windows that hold nothing else", i + 2);
      return FALSE;
    }
  return TRUE;
}

static gboolean
prepare (SwPooling *self,
         const SwCall *call,
         SwLayout *layout,
         GError **error)
{
  const gint64 *window = call->operands[WINDOW].indices.values;
  guint n_modes;

  if (!sw_windows_count (layout, "input", &n_modes, error) || !check_window (call, n_modes, error) ||
      !sw_windows_init (&self->windows, call, layout, window, window, STRIDES, PADDING, 0, error) ||
      !check_padding (&self->windows, error))
    return FALSE;
  self->input.axis = (SwAxis){ layout->size, layout->n_leaves, layout->leaves };
  return TRUE;
}

static SwTensor *
run (const SwCall *call,
     SwHeld *held,
     GError **error)
{
  const SwPoolingKernel *kernel = call->implementation->kernel;
  SwPooling pooling = { call->implementation->info->name };
  const SwLayoutLeaf *leaves = held->tensor->layout->leaves;
  SwTensor *result;
  SwLayout *layout;
  SwDTypes dtypes;

  if (!prepare (&pooling, call, held->tensor->layout, error) ||
      !sw_dtype_rules_resolve (call->implementation->info, held->tensor->carrier, held->view.dtype, &dtypes, error))
    return NULL;
  layout = sw_windows_build_layout (&pooling.windows, leaves[0].extent, leaves[1].extent, error);
  if (layout == NULL)
    return NULL;

  result = sw_view_allocate (&pooling.result, held->tensor, layout, dtypes.result, error);
  if (result == NULL || sw_view_is_empty (&pooling.result))
    return result;
  if (sw_held_convert (held, dtypes.operands, error))
    {
      pooling.input = held->view;
      if (prepare (&pooling, call, sw_held_get_tensor (held)->layout, error) && kernel->run (kernel, &pooling, error))
        return result;
    }
  g_clear_pointer (&result, sw_tensor_unref);
  return NULL;
}

SwTensor *
sw_pooling_compute (const SwCall *call,
                    GError **error)
{
  SwHeld held = { NULL };
  SwTensor *result = NULL;

  if (!sw_inputs_check_count (call, 2, N_INPUTS, error))
    return NULL;
  if (sw_held_init (&held, call, INPUT, "input", error))
    result = run (call, &held, error);
  sw_held_clear (&held);
  return result;
}
