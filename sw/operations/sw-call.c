/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/base/sw-note-private.h"
#include "sw/operations/sw-boundary-private.h"
#include "sw/operations/sw-execution-options-private.h"
#include "sw/operations/sw-functions.h"
#include "sw/operations/sw-kernel-choice-private.h"
#include "sw/operations/sw-operation-private.h"
#include "sw/tensor/sw-carrier-private.h"
#include "sw/tensor/sw-tensor-private.h"
#include "sw/tensor/sw-value-private.h"

/* Carriers that other people write get a real operation object. */
static SwTensor *
call_by_dispatch (const char *name,
                  SwCarrier *carrier,
                  const SwOperand *operands,
                  guint n_operands,
                  SwTensor *out,
                  SwExecutionOptions *options,
                  GError **error)
{
  g_autoptr (SwExecutionOptions) into = NULL;
  g_autoptr (SwOperation) operation = sw_carrier_dispatch_op (carrier, name, error);
  g_autoptr (SwValueList) inputs = NULL;
  g_autofree SwValue **values = NULL;

  if (operation == NULL)
    return NULL;
  if (out != NULL && options == NULL)
    {
      options = into = sw_execution_options_new_into (name, SW_DTYPE_INVALID, out, error);
      if (into == NULL)
        return NULL;
    }

  values = g_new (SwValue *, n_operands);
  for (guint i = 0; i < n_operands; i++)
    values[i] = sw_operand_dup_value (&operands[i]);
  inputs = sw_value_list_new (values, n_operands);
  for (guint i = 0; i < n_operands; i++)
    sw_value_unref (values[i]);

  return sw_operation_forward (operation, inputs, options, error);
}

static SwTensor *
compute_noting (const SwCall *call,
                SwKernelChoice *choice,
                GError **error)
{
  gpointer before = sw_kernel_choice_begin (choice);
  SwTensor *result = call->implementation->compute (call, error);

  sw_kernel_choice_end (before);
  return result;
}

static G_GNUC_NO_INLINE SwTensor *
call_observed (const SwCall *call,
               SwCarrier *carrier,
               GError **error)
{
  const SwImplementation *implementation = call->implementation;
  SwBoundaryInfo info = {
    implementation->info->name,
    G_OBJECT_TYPE (carrier),
    implementation->get_type (),
    call->operands,
    call->n_operands,
  };
  SwBoundary boundary;
  SwKernelChoice choice;
  gboolean observed = sw_gate_is_open () && sw_boundary_enter (&boundary, &info);
  gboolean is_told = sw_kernel_choice_is_wanted (); /* which entering may have begun */
  SwTensor *result = is_told ? compute_noting (call, &choice, error) : implementation->compute (call, error);

  if (observed)
    sw_boundary_leave (&boundary, result != NULL);
  /* Afterwards: to say it takes longer than a small operation, whose time that would be. */
  if (is_told)
    sw_kernel_choice_say (&choice, info.name, info.carrier_type);
  return result;
}

/* Relaxed: as sw_gate_is_open () and sw_kernel_choice_is_wanted (), which this asks at once. */
static inline gboolean
is_watched (void)
{
  return G_UNLIKELY ((__atomic_load_n (&sw_gate, __ATOMIC_RELAXED) & (SW_GATE_RECORDERS | SW_GATE_KERNELS | SW_GATE_NOTES (SW_NOTE_DECISIONS))) != 0);
}

/* The preflight, and what follows. */
static SwTensor *
execute (const SwCall *call,
         GError **error)
{
  if (!sw_execution_options_check (call->options, call->implementation->info->name, error) ||
      !sw_operands_check (call->operands, call->n_operands, error) || !sw_out_check (call->out, error))
    return NULL;

  if (is_watched ())
    return call_observed (call, call->operands[0].tensor->carrier, error);
  return call->implementation->compute (call, error);
}

static SwTensor *
call_builtin_or_dispatch (SwOperationId id,
                          const SwOperand *operands,
                          guint n_operands,
                          SwTensor *out,
                          SwExecutionOptions *options,
                          GError **error)
{
  const SwImplementation *implementations;
  SwCarrier *carrier;
  SwCall call = { NULL, operands, n_operands, options, out };

  if (G_UNLIKELY (n_operands == 0 || operands[0].kind != SW_VALUE_TENSOR))
    {
      g_autofree char *given = n_operands == 0 ? g_strdup ("nothing") : sw_operand_describe (&operands[0]);

      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "the first input of %s must be a Tensor, not %s",
                   sw_operation_info_get (id)->name, given);
      return NULL;
    }

  carrier = operands[0].tensor->carrier;
  implementations = SW_CARRIER_GET_CLASS (carrier)->kernels;
  if (implementations == NULL)
    return call_by_dispatch (sw_operation_info_get (id)->name, carrier, operands, n_operands, out, options, error);

  call.implementation = &implementations[id];
  if (options != NULL)
    call.out = sw_execution_options_peek_out (options, &call.owns_out);
  return execute (&call, error);
}

SwTensor *
sw_call (SwOperationId id,
         const SwOperand *operands,
         guint n_operands,
         SwExecutionOptions *options,
         GError **error)
{
  return call_builtin_or_dispatch (id, operands, n_operands, NULL, options, error);
}

SwTensor *
sw_call_into (SwOperationId id,
              const SwOperand *operands,
              guint n_operands,
              SwTensor *out,
              GError **error)
{
  return call_builtin_or_dispatch (id, operands, n_operands, out, NULL, error);
}

/**
 * sw_call_operation:
 * @name: a dispatch name
 * @inputs: the positional inputs; the first is a tensor
 * @options: (nullable): options made for this operation, or %NULL for the defaults
 * @error: return location for an error
 *
 * Dispatches an operation by the carrier of the first input, and executes it: the generic form of
 * [func@Strideweave.add] and the others, for any name that the carrier knows.
 *
 * Returns: (transfer full): the result
 */
SwTensor *
sw_call_operation (const char *name,
                   SwValueList *inputs,
                   SwExecutionOptions *options,
                   GError **error)
{
  g_autoptr (SwOperation) operation = NULL;
  g_autoptr (SwTensor) first = NULL;

  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (inputs != NULL, NULL);

  if (sw_value_list_get_length (inputs) == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "the first input of %s must be a Tensor, not nothing", name);
      return NULL;
    }
  first = sw_value_list_dup_tensor (inputs, 0, error);
  if (first == NULL)
    return NULL;

  operation = sw_carrier_dispatch_op (first->carrier, name, error);
  return operation != NULL ? sw_operation_forward (operation, inputs, options, error) : NULL;
}
