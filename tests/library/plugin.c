/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A module with a carrier and an operation of its own, whose names are texts of its own. */
#include "plugin.h"

typedef struct
{
  SwCarrier parent_instance;
} PluginCarrier;

typedef struct
{
  SwCarrierClass parent_class;
} PluginCarrierClass;

typedef struct
{
  SwOperation parent_instance;
} PluginOperation;

typedef struct
{
  SwOperationClass parent_class;
} PluginOperationClass;

GType
plugin_carrier_get_type (void);
GType
plugin_operation_get_type (void);

G_DEFINE_DYNAMIC_TYPE (PluginCarrier, plugin_carrier, SW_TYPE_CARRIER)
G_DEFINE_DYNAMIC_TYPE (PluginOperation, plugin_operation, SW_TYPE_OPERATION)

static SwTensor *
plugin_operation_compute (SwOperation *operation,
                          SwValueList *inputs,
                          SwExecutionOptions *options,
                          GError **error)
{
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
plugin_operation_class_init (PluginOperationClass *klass)
{
  SW_OPERATION_CLASS (klass)->compute = plugin_operation_compute;
}

static void
plugin_operation_class_finalize (PluginOperationClass *klass)
{
}

static void
plugin_operation_init (PluginOperation *self)
{
}

static gint64
plugin_carrier_size (SwCarrier *carrier,
                     GError **error)
{
  return 1;
}

static SwDType
plugin_carrier_dtype (SwCarrier *carrier,
                      GError **error)
{
  return SW_DTYPE_FLOAT64;
}

static SwOperation *
plugin_carrier_dispatch_op (SwCarrier *carrier,
                            const char *name,
                            GError **error)
{
  return g_object_new (plugin_operation_get_type (), NULL);
}

static void
plugin_carrier_class_init (PluginCarrierClass *klass)
{
  SwCarrierClass *carrier_class = SW_CARRIER_CLASS (klass);

  carrier_class->size = plugin_carrier_size;
  carrier_class->dtype = plugin_carrier_dtype;
  carrier_class->dispatch_op = plugin_carrier_dispatch_op;
}

static void
plugin_carrier_class_finalize (PluginCarrierClass *klass)
{
}

static void
plugin_carrier_init (PluginCarrier *self)
{
}

static GType
register_carrier (GTypeModule *module)
{
  plugin_operation_register_type (module);
  plugin_carrier_register_type (module);
  sw_profiler_set_type_name (plugin_carrier_get_type (), "plugin.Carrier");
  return plugin_carrier_get_type ();
}

static void
run (SwCarrier *carrier)
{
  static const char name[] = "an operation that the plugin names";
  gint64 extent = 1;
  g_autoptr (SwShape) shape = sw_shape_new (&extent, 1, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (SwTensor) tensor = sw_tensor_new (carrier, 0, layout, NULL);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) result = sw_call_operation (name, inputs, NULL, &error);

  g_assert_no_error (error);
}

__attribute__ ((visibility ("default"))) const Plugin plugin = { register_carrier, run };
