/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/evictable/sw-evictable-operation-private.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/evictable/sw-evictable-private.h"
#include "sw/operations/sw-execution-options-private.h"
#include "sw/shape/sw-layout.h"
#include "sw/tensor/sw-tensor-private.h"
#include "sw/tensor/sw-value-private.h"

/**
 * SwEvictableOperation:
 *
 * The operation of an [class@Strideweave.Evictable]: runs the operation of the primary on tensors that are put on their
 * primaries, and puts the result on an Evictable.
 *
 * All tensors must lie on promoted Evictables with tiers of the same two classes. A result that lies on the primary of
 * one of them, such as a view, lies on that very Evictable afterwards; any other gets an Evictable of its own, with an
 * empty secondary. [method@Strideweave.Carrier.dispatch_op] makes these operations, and each runs once.
 */
struct _SwEvictableOperation
{
  SwOperation parent_instance;
  SwOperation *nested;
  SwEvictable *carrier;
  GType primary_type;
  GType secondary_type;
  guint was_run;
};

G_DEFINE_FINAL_TYPE (SwEvictableOperation, sw_evictable_operation, SW_TYPE_OPERATION)

/* One positional input, in the form that the primary understands. */
typedef struct
{
  SwValue *value;
  SwEvictable *carrier; /* NULL where the input is no tensor */
  SwCarrier *primary;
} Input;

static void
input_clear (gpointer data)
{
  Input *input = data;

  g_clear_pointer (&input->value, sw_value_unref);
  g_clear_object (&input->carrier);
  g_clear_object (&input->primary);
}

SwOperation *
sw_evictable_operation_new (SwEvictable *carrier,
                            const char *name,
                            GError **error)
{
  g_autoptr (SwCarrier) primary = sw_evictable_ref_promoted (carrier, error);
  g_autoptr (SwOperation) nested = NULL;
  g_auto (SwTiers) tiers = { 0 };
  SwEvictableOperation *self;

  if (primary == NULL)
    return NULL;
  nested = sw_carrier_dispatch_op (primary, name, error);
  if (nested == NULL)
    return NULL;

  sw_tiers_init (&tiers, carrier);
  self = g_object_new (SW_TYPE_EVICTABLE_OPERATION, NULL);
  self->nested = g_steal_pointer (&nested);
  self->carrier = g_object_ref (carrier);
  self->primary_type = G_OBJECT_TYPE (tiers.primary);
  self->secondary_type = G_OBJECT_TYPE (tiers.secondary);
  return SW_OPERATION (self);
}

static gboolean
fail_other_tiers (SwEvictableOperation *self,
                  guint position,
                  const SwTiers *tiers,
                  GError **error)
{
  g_auto (SwTiers) own = { 0 };

  sw_tiers_init (&own, self->carrier);
  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "inputs[%u] lies on an Evictable over %s and %s, not over %s and %s", position,
               sw_carrier_get_class_name (tiers->primary), sw_carrier_get_class_name (tiers->secondary),
               sw_carrier_get_class_name (own.primary), sw_carrier_get_class_name (own.secondary));
  return FALSE;
}

static gboolean
lower_tensor (SwEvictableOperation *self,
              guint position,
              SwTensor *tensor,
              Input *input,
              GError **error)
{
  SwCarrier *carrier = tensor->carrier;
  g_auto (SwTiers) tiers = { 0 };
  g_autoptr (SwTensor) lowered = NULL;

  if (!SW_IS_EVICTABLE (carrier))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "inputs[%u] lies on a %s, not on an Evictable", position,
                   sw_carrier_get_class_name (carrier));
      return FALSE;
    }

  sw_tiers_init (&tiers, SW_EVICTABLE (carrier));
  if (G_OBJECT_TYPE (tiers.primary) != self->primary_type || G_OBJECT_TYPE (tiers.secondary) != self->secondary_type)
    return fail_other_tiers (self, position, &tiers, error);

  input->primary = sw_evictable_ref_promoted (SW_EVICTABLE (carrier), error);
  if (input->primary == NULL)
    {
      g_prefix_error (error, "inputs[%u]: ", position);
      return FALSE;
    }

  input->carrier = g_object_ref (SW_EVICTABLE (carrier));
  lowered = sw_tensor_new_take (g_object_ref (input->primary), tensor->offset, sw_layout_ref (tensor->layout));
  input->value = sw_value_new_tensor (lowered);
  return TRUE;
}

static GArray *
lower_inputs (SwEvictableOperation *self,
              SwValueList *list,
              GError **error)
{
  guint n_inputs = sw_value_list_get_length (list);
  g_autoptr (GArray) inputs = g_array_sized_new (FALSE, TRUE, sizeof (Input), n_inputs);

  g_array_set_clear_func (inputs, input_clear);
  g_array_set_size (inputs, n_inputs);

  for (guint i = 0; i < n_inputs; i++)
    {
      Input *input = &g_array_index (inputs, Input, i);
      g_autoptr (SwValue) value = sw_value_list_dup_value (list, i, NULL);

      if (value->kind != SW_VALUE_TENSOR)
        input->value = g_steal_pointer (&value);
      else if (!lower_tensor (self, i, value->tensor, input, error))
        return NULL;
    }

  return g_steal_pointer (&inputs);
}

static SwValueList *
new_list (GArray *inputs)
{
  g_autofree SwValue **values = g_new (SwValue *, inputs->len);

  for (guint i = 0; i < inputs->len; i++)
    values[i] = g_array_index (inputs, Input, i).value;
  return sw_value_list_new (values, inputs->len);
}

/* Runs the operation of the primaries. What they report when another thread has moved the values away since, that they
 * are released, is nothing that the caller knows of. */
static SwTensor *
run_nested (SwEvictableOperation *self,
            GArray *inputs,
            SwValueList *lowered,
            SwExecutionOptions *options,
            GError **error)
{
  GError *failure = NULL;
  SwTensor *result = sw_operation_lower (self->nested, lowered, options, &failure);

  for (guint i = 0; i < inputs->len && g_error_matches (failure, SW_ERROR, SW_ERROR_STATE); i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);

      if (input->carrier == NULL || !sw_evictable_was_replaced (input->carrier, input->primary))
        continue;
      g_clear_error (&failure);
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "inputs[%u]: the carrier's values were moving between its tiers", i);
    }

  if (failure != NULL)
    g_propagate_error (error, failure);
  return result;
}

/* The primary of the Evictable that the result is written to; it stays where it is until sw_evictable_end_write (). */
static SwCarrier *
begin_out (SwTensor *out,
           gboolean owns_out,
           GError **error)
{
  SwCarrier *primary;

  if (!SW_IS_EVICTABLE (out->carrier))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "out lies on a %s, not on an Evictable as the inputs do",
                   sw_carrier_get_class_name (out->carrier));
      return NULL;
    }

  primary = owns_out || sw_carrier_check_writable (out->carrier, error) ? sw_evictable_begin_write (SW_EVICTABLE (out->carrier), error)
                                                                        : NULL;
  if (primary == NULL)
    g_prefix_error (error, "out: ");
  return primary;
}

/* Writes the result where the caller wants it, on the primary of an Evictable. */
static SwTensor *
compute_into (SwEvictableOperation *self,
              SwTensor *out,
              gboolean owns_out,
              GArray *inputs,
              SwValueList *lowered,
              SwExecutionOptions *options,
              GError **error)
{
  SwCarrier *primary = begin_out (out, owns_out, error);
  g_autoptr (SwExecutionOptions) nested_options = NULL;
  g_autoptr (SwTensor) nested_out = NULL;
  g_autoptr (SwTensor) result = NULL;

  if (primary == NULL)
    return NULL;

  nested_out = sw_tensor_new_take (g_object_ref (primary), out->offset, sw_layout_ref (out->layout));
  nested_options = sw_execution_options_new_lowered (options, nested_out);
  result = run_nested (self, inputs, lowered, nested_options, error);
  sw_evictable_end_write (SW_EVICTABLE (out->carrier), primary);
  if (result == NULL)
    return NULL;

  sw_carrier_changed (out->carrier);
  return sw_tensor_ref (out);
}

/* The hierarchy that the carrier of a result belongs to, or a new one. */
static SwCarrier *
ref_hierarchy (SwEvictableOperation *self,
               GArray *inputs,
               SwCarrier *primary,
               GError **error)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      Input *input = &g_array_index (inputs, Input, i);

      if (input->primary == primary)
        return g_object_ref (SW_CARRIER (input->carrier));
    }

  return sw_evictable_new_around (self->carrier, primary, error);
}

static SwTensor *
sw_evictable_operation_compute (SwOperation *operation,
                                SwValueList *list,
                                SwExecutionOptions *options,
                                GError **error)
{
  SwEvictableOperation *self = SW_EVICTABLE_OPERATION (operation);
  g_autoptr (GArray) inputs = NULL;
  g_autoptr (SwValueList) lowered = NULL;
  g_autoptr (SwTensor) result = NULL;
  SwCarrier *carrier;
  gboolean owns_out;
  SwTensor *out = sw_execution_options_peek_out (options, &owns_out);

  /* Relaxed: only one thread may find it unset, and it says nothing about other memory. */
  if (self->nested == NULL || __atomic_exchange_n (&self->was_run, TRUE, __ATOMIC_RELAXED))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                           "an EvictableOperation runs once; dispatch_op() makes a fresh one for each execution");
      return NULL;
    }

  inputs = lower_inputs (self, list, error);
  if (inputs == NULL)
    return NULL;
  lowered = new_list (inputs);
  if (out != NULL)
    return compute_into (self, out, owns_out, inputs, lowered, options, error);
  result = run_nested (self, inputs, lowered, options, error);
  if (result == NULL)
    return NULL;

  carrier = ref_hierarchy (self, inputs, result->carrier, error);
  if (carrier == NULL)
    return NULL;
  return sw_tensor_new_take (carrier, result->offset, sw_layout_ref (result->layout));
}

static void
sw_evictable_operation_finalize (GObject *object)
{
  SwEvictableOperation *self = SW_EVICTABLE_OPERATION (object);

  g_clear_object (&self->nested);
  g_clear_object (&self->carrier);

  G_OBJECT_CLASS (sw_evictable_operation_parent_class)->finalize (object);
}

static void
sw_evictable_operation_class_init (SwEvictableOperationClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sw_evictable_operation_finalize;
  SW_OPERATION_CLASS (klass)->compute = sw_evictable_operation_compute;
}

static void
sw_evictable_operation_init (SwEvictableOperation *self)
{
}
