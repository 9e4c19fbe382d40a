/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "workload-carriers.h"

#include "tests/fixtures/clock.h"

typedef struct
{
  SwCarrier *inner;
} WorkloadAdapterPrivate;

G_DEFINE_TYPE_WITH_PRIVATE (WorkloadAdapter, workload_adapter, SW_TYPE_CARRIER)

#define DEFINE_ADAPTER(Name, name, COST)                                       \
  typedef WorkloadAdapter Name;                                                \
  typedef WorkloadAdapterClass Name##Class;                                    \
  G_DEFINE_TYPE (Name, name, WORKLOAD_TYPE_ADAPTER)                            \
  static void name##_class_init (Name##Class *klass) { klass->cost = (COST); } \
  static void name##_init (Name *self) {}

DEFINE_ADAPTER (WorkloadFirst, workload_first, 3)
DEFINE_ADAPTER (WorkloadSecond, workload_second, 20)
DEFINE_ADAPTER (WorkloadTwin, workload_twin, 0)

struct _WorkloadStep
{
  SwOperation parent_instance;
  WorkloadBlock block;
  gpointer data;
};

G_DEFINE_FINAL_TYPE (WorkloadStep, workload_step, SW_TYPE_OPERATION)

struct _WorkloadLowering
{
  SwOperation parent_instance;
  WorkloadAdapter *carrier;
  char *name;
};

G_DEFINE_FINAL_TYPE (WorkloadLowering, workload_lowering, SW_TYPE_OPERATION)

/* --- Step --- */

static SwTensor *
workload_step_compute (SwOperation *operation,
                       SwValueList *inputs,
                       SwExecutionOptions *options,
                       GError **error)
{
  WorkloadStep *self = WORKLOAD_STEP (operation);

  if (self->block != NULL && !self->block (self->data, error))
    return NULL;
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
workload_step_class_init (WorkloadStepClass *klass)
{
  SW_OPERATION_CLASS (klass)->compute = workload_step_compute;
}

static void
workload_step_init (WorkloadStep *self)
{
}

void
workload_step_set_block (WorkloadStep *self,
                         WorkloadBlock block,
                         gpointer data)
{
  self->block = block;
  self->data = data;
}

/* --- Lowering --- */

static SwCarrier *
get_inner (SwCarrier *carrier)
{
  WorkloadAdapterPrivate *priv = workload_adapter_get_instance_private (WORKLOAD_ADAPTER (carrier));

  return priv->inner;
}

static SwValue *
lower_value (SwValue *value,
             GError **error)
{
  SwTensor *tensor = sw_value_get_tensor (value);
  g_autoptr (SwTensor) lowered = NULL;

  if (tensor == NULL || !WORKLOAD_IS_ADAPTER (sw_tensor_get_carrier (tensor)))
    return sw_value_ref (value);
  lowered = sw_tensor_new (get_inner (sw_tensor_get_carrier (tensor)), sw_tensor_get_offset (tensor),
                           sw_tensor_get_layout (tensor), error);
  return lowered != NULL ? sw_value_new_tensor (lowered) : NULL;
}

static SwValueList *
lower_inputs (SwValueList *inputs,
              GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_value_unref);

  for (gsize i = 0; i < sw_value_list_get_length (inputs); i++)
    {
      g_autoptr (SwValue) value = sw_value_list_dup_value (inputs, i, error);
      SwValue *lowered = value != NULL ? lower_value (value, error) : NULL;

      if (lowered == NULL)
        return NULL;
      g_ptr_array_add (values, lowered);
    }
  return sw_value_list_new ((SwValue **) values->pdata, values->len);
}

static SwTensor *
lower (WorkloadLowering *self,
       SwValueList *inputs,
       SwExecutionOptions *options,
       GError **error)
{
  g_autoptr (SwValueList) lowered = lower_inputs (inputs, error);
  g_autoptr (SwOperation) operation = NULL;

  if (lowered == NULL)
    return NULL;
  operation = sw_carrier_dispatch_op (get_inner (SW_CARRIER (self->carrier)), self->name, error);
  return operation != NULL ? sw_operation_lower (operation, lowered, options, error) : NULL;
}

static SwTensor *
workload_lowering_compute (SwOperation *operation,
                           SwValueList *inputs,
                           SwExecutionOptions *options,
                           GError **error)
{
  WorkloadLowering *self = WORKLOAD_LOWERING (operation);
  g_autoptr (SwTensor) result = NULL;
  g_autoptr (SwCarrier) carrier = NULL;

  fixture_clock_advance (WORKLOAD_ADAPTER_GET_CLASS (self->carrier)->cost);
  result = lower (self, inputs, options, error);
  if (result == NULL)
    return NULL;
  if (g_str_equal (self->name, "exp") && G_OBJECT_TYPE (self->carrier) == workload_twin_get_type ())
    {
      g_set_error_literal (error, WORKLOAD_ERROR, 0, "Twin cannot take exponentials");
      return NULL;
    }
  carrier = workload_adapter_new (G_OBJECT_TYPE (self->carrier), sw_tensor_get_carrier (result));
  return sw_tensor_new (carrier, sw_tensor_get_offset (result), sw_tensor_get_layout (result), error);
}

static void
workload_lowering_finalize (GObject *object)
{
  WorkloadLowering *self = WORKLOAD_LOWERING (object);

  g_clear_object (&self->carrier);
  g_clear_pointer (&self->name, g_free);
  G_OBJECT_CLASS (workload_lowering_parent_class)->finalize (object);
}

static void
workload_lowering_class_init (WorkloadLoweringClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = workload_lowering_finalize;
  SW_OPERATION_CLASS (klass)->compute = workload_lowering_compute;
}

static void
workload_lowering_init (WorkloadLowering *self)
{
}

/* --- Adapters --- */

static gint64
workload_adapter_size (SwCarrier *carrier,
                       GError **error)
{
  return sw_carrier_size (get_inner (carrier), error);
}

static SwDType
workload_adapter_dtype (SwCarrier *carrier,
                        GError **error)
{
  return sw_carrier_dtype (get_inner (carrier), error);
}

static SwValue *
workload_adapter_get_value (SwCarrier *carrier,
                            gint64 index,
                            GError **error)
{
  return sw_carrier_get_value (get_inner (carrier), index, error);
}

static SwOperation *
workload_adapter_dispatch_op (SwCarrier *carrier,
                              const char *name,
                              GError **error)
{
  WorkloadLowering *lowering;

  if (g_str_equal (name, "step"))
    return g_object_new (WORKLOAD_TYPE_STEP, NULL);
  lowering = g_object_new (WORKLOAD_TYPE_LOWERING, NULL);
  lowering->carrier = g_object_ref (WORKLOAD_ADAPTER (carrier));
  lowering->name = g_strdup (name);
  return SW_OPERATION (lowering);
}

static void
workload_adapter_finalize (GObject *object)
{
  WorkloadAdapterPrivate *priv = workload_adapter_get_instance_private (WORKLOAD_ADAPTER (object));

  g_clear_object (&priv->inner);
  G_OBJECT_CLASS (workload_adapter_parent_class)->finalize (object);
}

static void
workload_adapter_class_init (WorkloadAdapterClass *klass)
{
  SwCarrierClass *carrier_class = SW_CARRIER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = workload_adapter_finalize;
  carrier_class->size = workload_adapter_size;
  carrier_class->dtype = workload_adapter_dtype;
  carrier_class->get_value = workload_adapter_get_value;
  carrier_class->dispatch_op = workload_adapter_dispatch_op;
}

static void
workload_adapter_init (WorkloadAdapter *self)
{
}

SwCarrier *
workload_adapter_new (GType type,
                      SwCarrier *inner)
{
  WorkloadAdapter *self = g_object_new (type, NULL);
  WorkloadAdapterPrivate *priv = workload_adapter_get_instance_private (self);

  priv->inner = g_object_ref (inner);
  return SW_CARRIER (self);
}
