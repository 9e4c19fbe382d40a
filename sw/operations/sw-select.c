/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-out-private.h"
#include "sw/operations/sw-operand-private.h"

/* One of the two operands that are selected from. */
typedef struct
{
  const SwOperand *operand;
  const char *argument;
  SwTensor *tensor; /* borrowed; NULL: a number */
  gboolean is_held;
  SwView view;
  SwTensor *converted;
  SwNumberCell cell;
  SwDType cell_dtype; /* SW_DTYPE_INVALID: there is no number yet */
} Choice;

static gboolean
choice_init (Choice *self,
             const SwCall *call,
             guint index,
             const char *argument,
             SwTensor *condition,
             GError **error)
{
  *self = (Choice){ &call->operands[index], argument };
  if (sw_operand_is_number (self->operand) || self->operand->kind == SW_VALUE_BOOL)
    return TRUE;

  self->tensor = sw_inputs_get_tensor (call, index, argument, error);
  self->is_held = self->tensor != NULL && sw_inputs_check_same_shape (self->tensor, argument, condition, "condition", error) &&
                  sw_view_hold (&self->view, self->tensor, argument, error);
  return self->is_held;
}

static void
choice_clear (Choice *self)
{
  if (self->cell_dtype != SW_DTYPE_INVALID)
    sw_number_cell_clear (&self->cell, self->cell_dtype);
  g_clear_pointer (&self->converted, sw_tensor_unref);
  if (self->is_held)
    sw_view_drop (self->tensor);
}

/* Brings the values to the dtype of the result. */
static gboolean
choice_convert (Choice *self,
                SwDType dtype,
                const SwView *condition,
                GError **error)
{
  if (self->tensor != NULL)
    return sw_view_convert (&self->view, self->tensor, dtype, &self->converted, error);

  if ((self->operand->kind == SW_VALUE_BOOL) != (dtype == SW_DTYPE_BOOL))
    {
      g_autofree char *given = sw_operand_describe (self->operand);

      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s is %s, but the other one holds %s", self->argument, given,
                   sw_dtype_to_string (dtype));
      return FALSE;
    }
  if (!sw_operand_get_number (self->operand, self->argument, dtype, &self->cell, error))
    return FALSE;
  self->cell_dtype = dtype;
  self->view = (SwView){ self->argument, &self->cell, dtype, 0, { condition->axis.size, 0, NULL } };
  return TRUE;
}

static gboolean
resolve (const SwCall *call,
         SwTensor *condition,
         const Choice *lhs,
         const Choice *rhs,
         SwDTypes *dtypes,
         GError **error)
{
  const SwOperationInfo *info = call->implementation->info;

  if (lhs->tensor != NULL && rhs->tensor != NULL)
    return sw_dtype_rules_resolve_two (info, condition->carrier, lhs->view.dtype, rhs->view.dtype, dtypes, error);
  if (lhs->tensor != NULL || rhs->tensor != NULL)
    return sw_dtype_rules_resolve (info, condition->carrier, (lhs->tensor != NULL ? lhs : rhs)->view.dtype, dtypes, error);

  g_set_error_literal (error, SW_ERROR, SW_ERROR_TYPE, "one of lhs and rhs must be a Tensor, which says what the result holds");
  return FALSE;
}

static SwTensor *
run (const SwCall *call,
     SwTensor *condition,
     const SwView *view,
     Choice *lhs,
     Choice *rhs,
     GError **error)
{
  const SwSelectKernel *kernel = call->implementation->kernel;
  SwResult result;
  SwDTypes dtypes;

  if (view->dtype != SW_DTYPE_BOOL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "select does not support %s as condition; it takes Bool only",
                   sw_dtype_to_string (view->dtype));
      return NULL;
    }
  if (!resolve (call, condition, lhs, rhs, &dtypes, error) || !choice_convert (lhs, dtypes.operands, view, error) ||
      !choice_convert (rhs, dtypes.operands, view, error))
    return NULL;

  if (!sw_result_begin (&result, call, condition, dtypes.result, (const SwView *[]){ view, &lhs->view, &rhs->view }, 3, error))
    return NULL;
  return sw_result_end (&result,
                        sw_view_is_empty (&result.view) ||
                            kernel->run (kernel, view, &lhs->view, &rhs->view, &result.view, error),
                        error);
}

SwTensor *
sw_select_compute (const SwCall *call,
                   GError **error)
{
  Choice lhs = { NULL }, rhs = { NULL };
  SwTensor *condition, *result = NULL;
  SwView view;

  if (!sw_inputs_check_count (call, 3, 3, error))
    return NULL;
  condition = sw_inputs_get_tensor (call, 0, "condition", error);
  if (condition == NULL || !sw_view_hold (&view, condition, "condition", error))
    return NULL;

  if (choice_init (&lhs, call, 1, "lhs", condition, error) && choice_init (&rhs, call, 2, "rhs", condition, error))
    result = run (call, condition, &view, &lhs, &rhs, error);

  choice_clear (&rhs);
  choice_clear (&lhs);
  sw_view_drop (condition);
  return result;
}
