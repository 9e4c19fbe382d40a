/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-lines-private.h"

#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-reduction-private.h"

SwTensor *
sw_lines_run (const SwCall *call,
              SwLines *lines,
              SwTensor *tensor,
              const gboolean *is_along,
              SwDType dtype,
              GError **error)
{
  const SwLinesKernel *kernel = call->implementation->kernel;
  SwTensor *result = sw_view_allocate (&lines->result, tensor, sw_layout_new_for_result (tensor->layout), dtype, error);
  SwSplit from, to;

  if (result == NULL || sw_view_is_empty (&lines->result))
    return result;

  sw_split_init (&from, tensor->layout, is_along);
  sw_split_init (&to, result->layout, is_along);
  lines->input.axis = from.kept;
  lines->input_line = from.along;
  lines->result.axis = to.kept;
  lines->result_line = to.along;

  if (!kernel->run (kernel, lines, error))
    g_clear_pointer (&result, sw_tensor_unref);
  sw_split_clear (&to);
  sw_split_clear (&from);
  return result;
}

static SwTensor *
run (const SwCall *call,
     SwTensor *tensor,
     SwLines *lines,
     const gboolean *is_along,
     GError **error)
{
  SwTensor *converted, *result;
  SwDTypes dtypes;

  if (!sw_dtype_rules_resolve (call->implementation->info, tensor->carrier, lines->input.dtype, &dtypes, error) ||
      !sw_view_convert (&lines->input, tensor, dtypes.operands, &converted, error))
    return NULL;

  result = sw_lines_run (call, lines, converted != NULL ? converted : tensor, is_along, dtypes.result, error);
  g_clear_pointer (&converted, sw_tensor_unref);
  return result;
}

SwTensor *
sw_lines_compute (const SwCall *call,
                  GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  gboolean takes_one = (info->flags & SW_OPERATION_TAKES_ONE_MODE) != 0;
  g_autofree gboolean *is_along = NULL;
  SwLines lines = { info->name };
  SwTensor *tensor, *result;

  if (!sw_inputs_check_count (call, takes_one ? 2 : 1, 2, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  if (tensor == NULL || (takes_one && !sw_split_check_one_mode (call, 1, error)))
    return NULL;
  is_along = sw_split_mark_modes (call, 1, takes_one ? "mode" : "modes", error);
  if (is_along == NULL || !sw_view_hold (&lines.input, tensor, "input", error))
    return NULL;

  result = run (call, tensor, &lines, is_along, error);
  sw_view_drop (tensor);
  return result;
}
