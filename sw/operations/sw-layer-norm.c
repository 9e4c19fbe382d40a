/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-held-private.h"
#include "sw/operations/sw-lines-private.h"
#include "sw/operations/sw-operand-private.h"
#include "sw/operations/sw-reduction-private.h"

#define EPSILON 1e-5

/* Inputs: the tensor, the modes, the weight, the bias, epsilon. */
enum
{
  INPUT,
  MODES,
  WEIGHT,
  BIAS,
  EPSILON_INPUT,
  N_INPUTS
};

static const char *const arguments[] = { "input", "modes", "weight", "bias", "epsilon" };

static gboolean
is_given (const SwCall *call,
          guint index)
{
  return index < call->n_operands && call->operands[index].kind != SW_VALUE_NONE;
}

/* Weight and bias have a value for each place of the modes. */
static gboolean
check_shape (const SwHeld *held,
             SwShape *expected,
             const char *argument,
             GError **error)
{
  g_autofree char *given = NULL;
  g_autofree char *wanted = NULL;

  if (held->tensor == NULL || sw_shape_equal (held->tensor->layout->shape, expected))
    return TRUE;
  given = sw_shape_to_string (held->tensor->layout->shape);
  wanted = sw_shape_to_string (expected);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has the shape %s, but modes have the shape %s", argument, given, wanted);
  return FALSE;
}

static gboolean
check_shapes (const SwHeld *held,
              const gboolean *is_along,
              GError **error)
{
  g_autoptr (SwLayout) line = sw_split_build_layout (held[INPUT].tensor->layout, is_along, TRUE, error);

  return line != NULL && check_shape (&held[WEIGHT], line->shape, "weight", error) &&
         check_shape (&held[BIAS], line->shape, "bias", error);
}

static gboolean
convert (const SwCall *call,
         SwHeld *held,
         SwDTypes *dtypes,
         GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  SwCarrier *carrier = held[INPUT].tensor->carrier;
  SwDType common = held[INPUT].view.dtype;

  if (!sw_dtype_rules_resolve (info, carrier, common, dtypes, error))
    return FALSE;
  for (guint i = WEIGHT; i <= BIAS; i++)
    {
      if (held[i].tensor == NULL)
        continue;
      if (!sw_dtype_rules_resolve_two (info, carrier, common, held[i].view.dtype, dtypes, error))
        return FALSE;
      common = dtypes->operands;
    }
  for (guint i = INPUT; i <= BIAS; i++)
    {
      if (!sw_held_convert (&held[i], dtypes->operands, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
get_epsilon (const SwCall *call,
             double *epsilon,
             GError **error)
{
  SwNumberCell cell;

  *epsilon = EPSILON;
  if (!is_given (call, EPSILON_INPUT))
    return TRUE;
  if (!sw_operand_is_number (&call->operands[EPSILON_INPUT]))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "epsilon must be a number, not %s",
                   sw_operand_get_type_name (&call->operands[EPSILON_INPUT]));
      return FALSE;
    }
  if (!sw_operand_get_number (&call->operands[EPSILON_INPUT], "epsilon", SW_DTYPE_FLOAT64, &cell, error))
    return FALSE;
  *epsilon = cell.float64;
  if (*epsilon >= 0)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "epsilon is %.17g, but must not be negative", *epsilon);
  return FALSE;
}

static SwTensor *
run (const SwCall *call,
     SwHeld *held,
     GError **error)
{
  SwLines lines = { call->implementation->info->name };
  g_autofree gboolean *is_along = sw_split_mark_modes (call, MODES, "modes", error);
  SwDTypes dtypes;

  if (is_along == NULL || !check_shapes (held, is_along, error) || !get_epsilon (call, &lines.epsilon, error) ||
      !convert (call, held, &dtypes, error))
    return NULL;

  lines.input = held[INPUT].view;
  lines.weight = held[WEIGHT].view;
  lines.bias = held[BIAS].view;
  return sw_lines_run (call, &lines, sw_held_get_tensor (&held[INPUT]), is_along,
                       dtypes.result, error);
}

SwTensor *
sw_layer_norm_compute (const SwCall *call,
                       GError **error)
{
  SwHeld held[BIAS + 1] = { { NULL } };
  SwTensor *result = NULL;

  if (!sw_inputs_check_count (call, 1, N_INPUTS, error))
    return NULL;
  if (sw_held_init (&held[INPUT], call, INPUT, arguments[INPUT], error) &&
      (!is_given (call, WEIGHT) || sw_held_init (&held[WEIGHT], call, WEIGHT, arguments[WEIGHT], error)) &&
      (!is_given (call, BIAS) || sw_held_init (&held[BIAS], call, BIAS, arguments[BIAS], error)))
    result = run (call, held, error);

  for (guint i = INPUT; i <= BIAS; i++)
    sw_held_clear (&held[i]);
  return result;
}
