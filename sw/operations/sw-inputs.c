/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-inputs-private.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-operand-private.h"

gboolean
sw_inputs_check_count (const SwCall *call,
                       guint min,
                       guint max,
                       GError **error)
{
  g_autofree char *expected = NULL;

  if (G_LIKELY (call->n_operands >= min && call->n_operands <= max))
    return TRUE;

  expected = min == max ? g_strdup_printf ("%u", min) : g_strdup_printf ("%u to %u", min, max);
  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s takes %s input%s, not %u",
               call->implementation->info->name, expected, max == 1 ? "" : "s", call->n_operands);
  return FALSE;
}

/* The implementations of a carrier are one array, in the order of the table. */
gboolean
sw_inputs_is_implemented_by (const SwCall *call,
                             SwCarrier *carrier)
{
  const SwImplementation *implementations = SW_CARRIER_GET_CLASS (carrier)->kernels;

  return implementations != NULL && implementations + call->implementation->info->id == call->implementation;
}

static void
set_wrong_carrier (const SwCall *call,
                   guint index,
                   const char *argument,
                   GError **error)
{
  SwCarrier *carrier = call->operands[index].tensor->carrier;

  if (index > 0)
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "%s is on %s, but the first input of %s is on %s; move one of them",
                 argument, sw_carrier_get_class_name (carrier), call->implementation->info->name,
                 sw_carrier_get_class_name (call->operands[0].tensor->carrier));
  else
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "%s is on %s, which %s does not run on",
                 argument, sw_carrier_get_class_name (carrier), g_type_name (call->implementation->get_type ()));
}

SwTensor *
sw_inputs_get_tensor (const SwCall *call,
                      guint index,
                      const char *argument,
                      GError **error)
{
  const SwOperand *operand = &call->operands[index];

  if (G_UNLIKELY (operand->kind != SW_VALUE_TENSOR))
    {
      gboolean takes_number = index > 0 && (call->implementation->info->flags & SW_OPERATION_TAKES_SCALAR) != 0;

      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must be a Tensor%s, not %s",
                   argument, takes_number ? " or a number" : "", sw_operand_get_type_name (operand));
      return NULL;
    }

  if (G_UNLIKELY (!sw_inputs_is_implemented_by (call, operand->tensor->carrier)))
    {
      set_wrong_carrier (call, index, argument, error);
      return NULL;
    }

  return operand->tensor;
}

static inline void
init_view (SwView *self,
           const char *argument,
           gpointer data,
           SwDType dtype,
           SwTensor *tensor)
{
  self->argument = argument;
  self->data = data;
  self->dtype = dtype;
  self->offset = tensor->offset;
  self->axis.size = tensor->layout->size;
  self->axis.n_leaves = tensor->layout->n_leaves;
  self->axis.leaves = tensor->layout->leaves;
}

gboolean
sw_view_hold (SwView *self,
              SwTensor *tensor,
              const char *argument,
              GError **error)
{
  SwStorage storage;

  if (!sw_carrier_hold (tensor->carrier, &storage, error))
    return FALSE;

  init_view (self, argument, storage.data, storage.dtype, tensor);
  return TRUE;
}

SwTensor *
sw_view_allocate (SwView *self,
                  SwTensor *like,
                  SwLayout *layout,
                  SwDType dtype,
                  GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (like->carrier)->builtin;
  SwCarrier *carrier = builtin->allocate (like->carrier, layout->size, dtype, error);
  SwTensor *tensor;

  if (carrier == NULL)
    {
      sw_layout_unref (layout);
      return NULL;
    }

  tensor = sw_tensor_new_for_result (carrier, layout);
  /* Nobody else knows the carrier yet, so nothing has to hold its storage. */
  init_view (self, "result", sw_carrier_get_private (carrier)->data, dtype, tensor);
  return tensor;
}

gboolean
sw_view_convert (SwView *self,
                 SwTensor *tensor,
                 SwDType dtype,
                 SwTensor **temporary,
                 GError **error)
{
  const SwImplementation *implementations = SW_CARRIER_GET_CLASS (tensor->carrier)->kernels;
  const SwUnaryKernel *kernel = implementations[SW_OPERATION_CAST].kernel;
  SwView view;

  *temporary = NULL;
  if (self->dtype == dtype)
    return TRUE;

  *temporary = sw_view_allocate (&view, tensor, sw_layout_new_for_result (tensor->layout), dtype, error);
  if (*temporary == NULL)
    return FALSE;
  if (view.axis.size > 0 && !kernel->run (kernel, "cast", self, &view, error))
    {
      g_clear_pointer (temporary, sw_tensor_unref);
      return FALSE;
    }

  view.argument = self->argument;
  *self = view;
  return TRUE;
}

gboolean
sw_view_fill (const SwView *result,
              SwCarrier *carrier,
              gint64 number,
              GError **error)
{
  const SwImplementation *implementations = SW_CARRIER_GET_CLASS (carrier)->kernels;
  const SwUnaryKernel *kernel = implementations[SW_OPERATION_CAST].kernel;
  const SwOperand operand = sw_operand_int64 (number);
  g_autofree SwLayoutLeaf *leaves = g_new (SwLayoutLeaf, result->axis.n_leaves + 1);
  SwKernelChoice *choice = sw_kernel_choice_get ();
  SwNumberCell cell;
  SwView view = { "value", &cell, result->dtype, 0, { result->axis.size, result->axis.n_leaves, leaves } };
  gboolean done;

  if (!sw_operand_get_number (&operand, "value", result->dtype, &cell, error))
    return FALSE;

  for (guint i = 0; i < result->axis.n_leaves; i++)
    leaves[i] = (SwLayoutLeaf){ result->axis.leaves[i].extent, 0 };
  done = kernel->run (kernel, "cast", &view, result, error);
  sw_number_cell_clear (&cell, result->dtype);
  if (choice != NULL)
    sw_kernel_choice_set (choice, NULL, "same value everywhere");
  return done;
}

gboolean
sw_inputs_check_same_shape (SwTensor *tensor,
                            const char *argument,
                            SwTensor *other,
                            const char *other_argument,
                            GError **error)
{
  SwShape *shape = tensor->layout->shape;
  SwShape *other_shape = other->layout->shape;
  g_autofree char *text = NULL;
  g_autofree char *other_text = NULL;

  if (G_LIKELY (shape == other_shape || sw_shape_equal (shape, other_shape)))
    return TRUE;

  text = sw_shape_to_string (shape);
  other_text = sw_shape_to_string (other_shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has the shape %s, but %s has the shape %s; broadcast one of them",
               argument, text, other_argument, other_text);
  return FALSE;
}
