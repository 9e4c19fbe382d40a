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
  WEIGHT,
  STRIDES,
  PADDING,
  DILATION,
  GROUPS,
  N_INPUTS
};

static gboolean
get_groups (const SwCall *call,
            gint64 *groups,
            GError **error)
{
  *groups = 1;
  if (call->n_operands <= GROUPS || call->operands[GROUPS].kind == SW_VALUE_NONE)
    return TRUE;
  if (call->operands[GROUPS].kind != SW_VALUE_INT64)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "groups must be an integer, not %s",
                   sw_operand_get_type_name (&call->operands[GROUPS]));
      return FALSE;
    }
  *groups = call->operands[GROUPS].integer;
  return TRUE;
}

static gboolean
check_channels (const SwConvolution *self,
                GError **error)
{
  if (self->groups < 1 || self->n_inputs % self->groups != 0 || self->n_outputs % self->groups != 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "groups is %" G_GINT64_FORMAT ", but must divide the %" G_GINT64_FORMAT " channels of input and the %" G_GINT64_FORMAT " of weight",
                   self->groups, self->n_inputs, self->n_outputs);
      return FALSE;
    }
  if (self->weight.axis.leaves[1].extent == self->n_inputs / self->groups)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
               "mode 1 of weight is %" G_GINT64_FORMAT ", but input has %" G_GINT64_FORMAT " channels for each of %" G_GINT64_FORMAT " groups",
               self->weight.axis.leaves[1].extent, self->n_inputs / self->groups, self->groups);
  return FALSE;
}

/* Everything but the result, whose dtype and place are not known yet. */
static gboolean
prepare (SwConvolution *self,
         const SwCall *call,
         SwLayout *input,
         SwLayout *weight,
         GError **error)
{
  static const gint64 ones[SW_MAX_WINDOW_MODES] = { 1, 1, 1 };
  gint64 window[SW_MAX_WINDOW_MODES];
  guint n_modes, n_weight_modes;

  if (!sw_windows_count (input, "input", &n_modes, error) || !sw_windows_count (weight, "weight", &n_weight_modes, error))
    return FALSE;
  if (n_modes != n_weight_modes)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "weight has %u modes, but input has %u", n_weight_modes + 2, n_modes + 2);
      return FALSE;
    }

  for (guint i = 0; i < n_modes; i++)
    window[i] = weight->leaves[i + 2].extent;
  self->n_images = input->leaves[0].extent;
  self->n_inputs = input->leaves[1].extent;
  self->n_outputs = weight->leaves[0].extent;
  self->input.axis = (SwAxis){ input->size, input->n_leaves, input->leaves };
  self->weight.axis = (SwAxis){ weight->size, weight->n_leaves, weight->leaves };
  return get_groups (call, &self->groups, error) && check_channels (self, error) &&
         sw_windows_init (&self->windows, call, input, window, ones, STRIDES, PADDING, DILATION, error);
}

/* Sums of nothing. Takes @result. */
static SwTensor *
finish_without_channels (const SwConvolution *self,
                         SwTensor *result,
                         GError **error)
{
  if (!sw_view_fill (&self->result, result->carrier, 0, error))
    g_clear_pointer (&result, sw_tensor_unref);
  return result;
}

static SwTensor *
run (const SwCall *call,
     SwHeld *held,
     GError **error)
{
  const SwConvolutionKernel *kernel = call->implementation->kernel;
  const SwOperationInfo *info = call->implementation->info;
  SwConvolution convolution = { info->name };
  SwTensor *result;
  SwLayout *layout;
  SwDTypes dtypes;

  if (!prepare (&convolution, call, held[INPUT].tensor->layout, held[WEIGHT].tensor->layout, error) ||
      !sw_dtype_rules_resolve_two (info, held[INPUT].tensor->carrier, held[INPUT].view.dtype, held[WEIGHT].view.dtype, &dtypes, error))
    return NULL;
  layout = sw_windows_build_layout (&convolution.windows, convolution.n_images, convolution.n_outputs, error);
  if (layout == NULL)
    return NULL;

  result = sw_view_allocate (&convolution.result, held[INPUT].tensor, layout, dtypes.result, error);
  if (result == NULL || sw_view_is_empty (&convolution.result))
    return result;
  if (convolution.n_inputs == 0)
    return finish_without_channels (&convolution, result, error);
  if (sw_held_convert (&held[INPUT], dtypes.operands, error) &&
      sw_held_convert (&held[WEIGHT], dtypes.operands, error))
    {
      convolution.input = held[INPUT].view;
      convolution.weight = held[WEIGHT].view;
      /* A converted tensor has steps of its own. */
      if (prepare (&convolution, call, sw_held_get_tensor (&held[INPUT])->layout, sw_held_get_tensor (&held[WEIGHT])->layout, error) &&
          kernel->run (kernel, &convolution, error))
        return result;
    }
  g_clear_pointer (&result, sw_tensor_unref);
  return NULL;
}

SwTensor *
sw_convolution_compute (const SwCall *call,
                        GError **error)
{
  SwHeld held[2] = { { NULL } };
  SwTensor *result = NULL;

  if (!sw_inputs_check_count (call, 2, N_INPUTS, error))
    return NULL;
  if (sw_held_init (&held[INPUT], call, INPUT, "input", error) && sw_held_init (&held[WEIGHT], call, WEIGHT, "weight", error))
    result = run (call, held, error);
  sw_held_clear (&held[WEIGHT]);
  sw_held_clear (&held[INPUT]);
  return result;
}
