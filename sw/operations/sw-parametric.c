/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-out-private.h"
#include "sw/operations/sw-operand-private.h"

typedef struct
{
  const char *argument;
  double otherwise;     /* what stands for None or a missing argument */
  gboolean may_be_open; /* None and the infinity mean that there is no such limit */
} Parameter;

typedef struct
{
  SwOperationId id;
  guint n_required;
  guint n_parameters;
  Parameter parameters[SW_MAX_PARAMETERS];
} Signature;

static const Signature signatures[] = {
  { SW_OPERATION_ELU, 0, 1, { { "alpha", 1.0, FALSE } } },
  { SW_OPERATION_LEAKY_RELU, 0, 1, { { "slope", 0.01, FALSE } } },
  { SW_OPERATION_CLAMP, 2, 2, { { "minimum", -INFINITY, TRUE }, { "maximum", INFINITY, TRUE } } },
};

static const Signature *
get_signature (SwOperationId id)
{
  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    {
      if (signatures[i].id == id)
        return &signatures[i];
    }

  g_return_val_if_reached (NULL);
}

static void
set_open_limit (SwDType dtype,
                gboolean is_lower,
                SwNumberCell *cell)
{
  if (dtype == SW_DTYPE_INT32)
    cell->int32 = is_lower ? G_MININT32 : G_MAXINT32;
  else
    cell->int64 = is_lower ? G_MININT64 : G_MAXINT64;
}

static gboolean
get_parameter (const SwOperand *operand, /* nullable */
               const Parameter *parameter,
               SwDType dtype,
               SwNumberCell *cell,
               GError **error)
{
  SwOperand number = sw_operand_double (parameter->otherwise);
  gboolean is_given = operand != NULL && !(operand->kind == SW_VALUE_NONE && parameter->may_be_open);

  if (is_given && !sw_operand_is_number (operand))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must be a number%s, not %s", parameter->argument,
                   parameter->may_be_open ? " or None" : "", sw_operand_get_type_name (operand));
      return FALSE;
    }

  if (is_given)
    number = *operand;
  if (parameter->may_be_open && (dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64) &&
      number.kind == SW_VALUE_DOUBLE && number.real == parameter->otherwise)
    {
      set_open_limit (dtype, parameter->otherwise < 0, cell);
      return TRUE;
    }
  return sw_operand_get_number (&number, parameter->argument, dtype, cell, error);
}

static SwTensor *
run_with_parameters (const SwCall *call,
                     SwTensor *tensor,
                     SwView *input,
                     SwDTypes dtypes,
                     const SwNumberCell *cells,
                     GError **error)
{
  const SwParametricKernel *kernel = call->implementation->kernel;
  SwTensor *converted, *made = NULL;
  SwResult result;

  if (!sw_view_convert (input, tensor, dtypes.operands, &converted, error))
    return NULL;
  if (sw_result_begin (&result, call, tensor, dtypes.result, (const SwView *[]){ input }, 1, error))
    made = sw_result_end (&result,
                          sw_view_is_empty (&result.view) ||
                              kernel->run (kernel, call->implementation->info->name, input, cells, &result.view, error),
                          error);
  g_clear_pointer (&converted, sw_tensor_unref);
  return made;
}

static SwTensor *
run (const SwCall *call,
     SwTensor *tensor,
     SwView *input,
     const Signature *signature,
     GError **error)
{
  SwNumberCell cells[SW_MAX_PARAMETERS];
  SwTensor *result = NULL;
  SwDTypes dtypes;
  guint n_cells = 0;

  if (!sw_dtype_rules_resolve (call->implementation->info, tensor->carrier, input->dtype, &dtypes, error))
    return NULL;

  for (; n_cells < signature->n_parameters; n_cells++)
    {
      const SwOperand *operand = n_cells + 1 < call->n_operands ? &call->operands[n_cells + 1] : NULL;

      if (!get_parameter (operand, &signature->parameters[n_cells], dtypes.operands, &cells[n_cells], error))
        break;
    }
  if (n_cells == signature->n_parameters)
    result = run_with_parameters (call, tensor, input, dtypes, cells, error);

  while (n_cells > 0)
    sw_number_cell_clear (&cells[--n_cells], dtypes.operands);
  return result;
}

SwTensor *
sw_parametric_compute (const SwCall *call,
                       GError **error)
{
  const Signature *signature = get_signature (call->implementation->info->id);
  SwTensor *tensor, *result;
  SwView input;

  if (!sw_inputs_check_count (call, 1 + signature->n_required, 1 + signature->n_parameters, error))
    return NULL;
  tensor = sw_inputs_get_tensor (call, 0, "input", error);
  if (tensor == NULL || !sw_view_hold (&input, tensor, "input", error))
    return NULL;

  result = run (call, tensor, &input, signature, error);
  sw_view_drop (tensor);
  return result;
}
