/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "profiler-fixtures.h"

typedef struct
{
  TestBody body;
  gpointer data;
} TestCarrierPrivate;

G_DEFINE_TYPE_WITH_PRIVATE (TestCarrier, test_carrier, SW_TYPE_CARRIER)

typedef TestCarrier TestOtherCarrier;
typedef TestCarrierClass TestOtherCarrierClass;
G_DEFINE_TYPE (TestOtherCarrier, test_other_carrier, TEST_TYPE_CARRIER)

struct _TestOperation
{
  SwOperation parent_instance;
  TestCarrierPrivate *script;
};

G_DEFINE_FINAL_TYPE (TestOperation, test_operation, SW_TYPE_OPERATION)

static SwTensor *
test_operation_compute (SwOperation *operation,
                        SwValueList *inputs,
                        SwExecutionOptions *options,
                        GError **error)
{
  TestOperation *self = TEST_OPERATION (operation);

  if (self->script->body != NULL)
    return self->script->body (operation, inputs, self->script->data, error);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
test_operation_class_init (TestOperationClass *klass)
{
  SW_OPERATION_CLASS (klass)->compute = test_operation_compute;
}

static void
test_operation_init (TestOperation *self)
{
}

static gint64
test_carrier_size (SwCarrier *carrier,
                   GError **error)
{
  return 1;
}

static SwDType
test_carrier_dtype (SwCarrier *carrier,
                    GError **error)
{
  return SW_DTYPE_FLOAT64;
}

static SwOperation *
test_carrier_dispatch_op (SwCarrier *carrier,
                          const char *name,
                          GError **error)
{
  TestOperation *operation = g_object_new (TEST_TYPE_OPERATION, NULL);

  operation->script = test_carrier_get_instance_private (TEST_CARRIER (carrier));
  return SW_OPERATION (operation);
}

static void
test_carrier_class_init (TestCarrierClass *klass)
{
  SwCarrierClass *carrier_class = SW_CARRIER_CLASS (klass);

  carrier_class->size = test_carrier_size;
  carrier_class->dtype = test_carrier_dtype;
  carrier_class->dispatch_op = test_carrier_dispatch_op;
}

static void
test_carrier_init (TestCarrier *self)
{
}

static void
test_other_carrier_class_init (TestOtherCarrierClass *klass)
{
}

static void
test_other_carrier_init (TestOtherCarrier *self)
{
}

SwCarrier *
test_carrier_new (GType type,
                  TestBody body,
                  gpointer data)
{
  TestCarrier *self = g_object_new (type, NULL);
  TestCarrierPrivate *priv = test_carrier_get_instance_private (self);

  priv->body = body;
  priv->data = data;
  return SW_CARRIER (self);
}

static SwTensor *
make_tensor (SwCarrier *carrier,
             SwShape *shape)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  SwTensor *tensor = sw_tensor_new (carrier, 0, layout, &error);

  g_assert_no_error (error);
  return tensor;
}

static SwTensor *
make_flat_tensor (SwCarrier *carrier,
                  gint64 n)
{
  g_autoptr (SwShape) shape = sw_shape_new (&n, 1, NULL);

  return make_tensor (carrier, shape);
}

SwTensor *
test_tensor_on (SwCarrier *carrier)
{
  return make_flat_tensor (carrier, 1);
}

static SwCarrier *
make_generic (gint64 n)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *values = g_new (double, n + 1);
  SwCarrier *carrier;

  for (gint64 i = 0; i < n; i++)
    values[i] = (i % 2 == 0 ? -1.0 : 1.0) * (double) (i + 1);
  carrier = sw_generic_new_doubles (values, n, SW_DTYPE_FLOAT32, &error);
  g_assert_no_error (error);
  return carrier;
}

SwTensor *
test_generic_tensor (gint64 n)
{
  g_autoptr (SwCarrier) carrier = make_generic (n);

  return make_flat_tensor (carrier, n);
}

SwTensor *
test_cpu_tensor (gint64 n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_cpu_new (n, TRUE, SW_DTYPE_FLOAT32, FALSE, &error);

  g_assert_no_error (error);
  return make_flat_tensor (carrier, n);
}

SwTensor *
test_evictable_tensor (gint64 n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) primary = make_generic (n);
  g_autoptr (SwCarrier) secondary = make_generic (0);
  g_autoptr (SwCarrier) carrier = sw_evictable_new (primary, secondary, &error);

  g_assert_no_error (error);
  return make_flat_tensor (carrier, n);
}

SwTensor *
test_nested_tensor (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwShape) shape = sw_shape_new_from_string (text, &error);
  g_autoptr (SwCarrier) carrier = NULL;

  g_assert_no_error (error);
  carrier = make_generic (sw_shape_get_size (shape));
  return make_tensor (carrier, shape);
}

SwProfiler *
test_profiler_entered (gboolean record_shapes)
{
  g_autoptr (GError) error = NULL;
  SwProfiler *profiler = sw_profiler_new (record_shapes);

  sw_profiler_enter (profiler, &error);
  g_assert_no_error (error);
  return profiler;
}

SwProfiler *
test_profiler_entered_for (GType carrier_type)
{
  g_autoptr (GError) error = NULL;
  SwProfiler *profiler = sw_profiler_new_for_carriers (&carrier_type, 1, FALSE, &error);

  g_assert_no_error (error);
  sw_profiler_enter (profiler, &error);
  g_assert_no_error (error);
  return profiler;
}

void
test_profiler_exit (SwProfiler *profiler)
{
  g_autoptr (GError) error = NULL;

  sw_profiler_exit (profiler, &error);
  g_assert_no_error (error);
}

GPtrArray *
test_profiler_events (SwProfiler *profiler)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *events = sw_profiler_dup_events (profiler, &error);

  g_assert_no_error (error);
  return events;
}

void
test_relu (SwTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) result = sw_relu (tensor, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);
}

void
test_failing_add (SwTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  g_auto (GValue) text = G_VALUE_INIT;
  g_autoptr (SwValueList) inputs = NULL;
  SwValue *values[2];

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_static_string (&text, "not a tensor");
  values[0] = sw_value_new_tensor (tensor);
  values[1] = sw_value_new_object (&text);
  inputs = sw_value_list_new (values, 2);
  sw_value_unref (values[0]);
  sw_value_unref (values[1]);

  g_assert_null (sw_call_operation ("add", inputs, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_assert_nonnull (strstr (error->message, "rhs must be a Tensor"));
}

void
test_scenario (const char *title,
               GTestFunc func)
{
  g_autofree char *path = g_strdup_printf ("/scenario/%s", title);

  g_test_add_func (path, func);
}
