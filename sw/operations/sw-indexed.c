/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-held-private.h"
#include "sw/operations/sw-modes-private.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/operations/sw-reduction-private.h"

/* Inputs: the tensor, the mode, the index, and the source of what scatters. */
enum
{
  INPUT,
  MODE,
  INDEX,
  SOURCE,
  N_INPUTS
};

static gboolean
get_mode (const SwCall *call,
          guint *mode,
          GError **error)
{
  g_autofree gboolean *marks = NULL;

  if (!sw_split_check_one_mode (call, MODE, error))
    return FALSE;
  if (call->operands[MODE].kind == SW_VALUE_NONE)
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_TYPE, "mode must be an integer, not None");
      return FALSE;
    }
  marks = sw_split_mark_modes (call, MODE, "mode", error);
  if (marks == NULL)
    return FALSE;
  for (*mode = 0; !marks[*mode];)
    ++*mode;
  return TRUE;
}

/* The index is as the input, but for the mode. */
static gboolean
check_index (const SwHeld *input,
             const SwHeld *index,
             guint mode,
             GError **error)
{
  SwLayout *input_layout = input->tensor->layout, *layout = index->tensor->layout;
  guint rank = input_layout->shape->tree.n_items;
  g_autofree SwMode *input_modes = sw_modes_new (input_layout);
  g_autofree SwMode *modes = sw_modes_new (layout);
  gboolean fits = layout->shape->tree.n_items == rank;
  g_autofree char *text = NULL;
  g_autofree char *input_text = NULL;

  if (index->view.dtype != SW_DTYPE_INT32 && index->view.dtype != SW_DTYPE_INT64)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "index holds %s, but must hold Int32 or Int64",
                   sw_dtype_to_string (index->view.dtype));
      return FALSE;
    }

  for (guint i = 0; fits && i < rank; i++)
    fits = i == mode || sw_mode_same_shape (&input_modes[i], &modes[i]);
  if (fits)
    return TRUE;
  text = sw_shape_to_string (layout->shape);
  input_text = sw_shape_to_string (input_layout->shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "index has the shape %s, but input has the shape %s, and only mode %u may differ",
               text, input_text, mode);
  return FALSE;
}

/* The lines of one of the tensors along the mode. */
static void
set_lines (SwIndexedPart *part,
           SwSplit *split,
           const SwView *view,
           SwLayout *layout,
           const gboolean *is_along)
{
  sw_split_init (split, layout, is_along);
  part->view = *view;
  part->view.axis = split->kept;
  part->line = split->along;
}

static SwTensor *
run (const SwCall *call,
     SwHeld *held,
     guint mode,
     SwDType dtype,
     GError **error)
{
  const SwIndexedKernel *kernel = call->implementation->kernel;
  gboolean scatters = held[SOURCE].tensor != NULL;
  SwTensor *input = sw_held_get_tensor (&held[INPUT]);
  SwLayout *layout = (scatters ? input : held[INDEX].tensor)->layout;
  g_autofree gboolean *is_along = g_new0 (gboolean, layout->shape->tree.n_items + 1);
  SwIndexed indexed = { call->implementation->info->name };
  SwSplit splits[4] = { { NULL } };
  SwTensor *result;
  SwView view;

  result = sw_view_allocate (&view, input, sw_layout_new_for_result (layout), dtype, error);
  /* Indices that there are must be checked, even where they say to write to nothing. */
  if (result == NULL || (held[INDEX].view.axis.size == 0 && sw_view_is_empty (&view)))
    return result;

  is_along[mode] = TRUE;
  set_lines (&indexed.input, &splits[0], &held[INPUT].view, input->layout, is_along);
  set_lines (&indexed.index, &splits[1], &held[INDEX].view, held[INDEX].tensor->layout, is_along);
  set_lines (&indexed.result, &splits[2], &view, result->layout, is_along);
  if (scatters)
    set_lines (&indexed.source, &splits[3], &held[SOURCE].view, sw_held_get_tensor (&held[SOURCE])->layout, is_along);

  if (!kernel->run (kernel, &indexed, error))
    g_clear_pointer (&result, sw_tensor_unref);
  for (guint i = 0; i < G_N_ELEMENTS (splits); i++)
    sw_split_clear (&splits[i]);
  return result;
}

static SwTensor *
run_with_held (const SwCall *call,
               SwHeld *held,
               GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  SwCarrier *carrier = held[INPUT].tensor->carrier;
  SwDTypes dtypes;
  guint mode;

  if (!get_mode (call, &mode, error) || !check_index (&held[INPUT], &held[INDEX], mode, error))
    return NULL;
  if (held[SOURCE].tensor == NULL)
    return sw_dtype_rules_resolve (info, carrier, held[INPUT].view.dtype, &dtypes, error)
               ? run (call, held, mode, dtypes.result, error)
               : NULL;

  if (!sw_inputs_check_same_shape (held[SOURCE].tensor, "source", held[INDEX].tensor, "index", error) ||
      !sw_dtype_rules_resolve_two (info, carrier, held[INPUT].view.dtype, held[SOURCE].view.dtype, &dtypes, error) ||
      !sw_held_convert (&held[INPUT], dtypes.operands, error) || !sw_held_convert (&held[SOURCE], dtypes.operands, error))
    return NULL;
  return run (call, held, mode, dtypes.result, error);
}

SwTensor *
sw_indexed_compute (const SwCall *call,
                    GError **error)
{
  gboolean scatters = call->implementation->info->id != SW_OPERATION_GATHER;
  guint n_inputs = scatters ? N_INPUTS : SOURCE;
  SwHeld held[N_INPUTS] = { { NULL } };
  SwTensor *result = NULL;

  if (!sw_inputs_check_count (call, n_inputs, n_inputs, error))
    return NULL;

  if (sw_held_init (&held[INPUT], call, INPUT, "input", error) && sw_held_init (&held[INDEX], call, INDEX, "index", error) &&
      (!scatters || sw_held_init (&held[SOURCE], call, SOURCE, "source", error)))
    result = run_with_held (call, held, error);

  for (guint i = 0; i < N_INPUTS; i++)
    sw_held_clear (&held[i]);
  return result;
}
