/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/evictable/sw-evictable.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/shape/sw-stride.h"
#include "sw/tensor/sw-buffer.h"
#include "sw/tensor/sw-tensor.h"
#include "sw/tensor/sw-value-list.h"

/* What a consumer of DLPack knows of the structure. */
typedef struct
{
  double *data;
  gint32 device_type;
  gint32 device_id;
  gint32 n_dimensions;
  guint8 code;
  guint8 bits;
  guint16 lanes;
  gint64 *shape;
  gint64 *strides;
  guint64 byte_offset;
  gpointer context;
  void (*deleter) (gpointer self);
} Managed;

static const double numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static SwTensor *
new_tensor (SwCarrier *carrier,
            gint64 offset,
            const char *shape_text,
            const char *stride_text)
{
  g_autoptr (SwShape) shape = sw_shape_new_from_string (shape_text, NULL);
  g_autoptr (SwStride) stride = sw_stride_new_from_string (stride_text, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new (shape, stride, NULL);
  g_autoptr (GError) error = NULL;
  SwTensor *tensor = sw_tensor_new (carrier, offset, layout, &error);

  g_assert_no_error (error);
  return tensor;
}

static SwCarrier *
new_generic (gboolean is_mutable)
{
  g_autoptr (SwValueList) values = sw_value_list_new_doubles (numbers, G_N_ELEMENTS (numbers));

  return sw_generic_new (values, is_mutable, SW_DTYPE_FLOATING, NULL);
}

static void
test_describes_memory (void)
{
  g_autoptr (SwCarrier) carrier = new_generic (TRUE);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 1, "(2, (3,))", "(1, (2,))");
  g_autoptr (GError) error = NULL;
  g_autoptr (SwBuffer) buffer = sw_buffer_new (tensor, &error);
  g_autoptr (SwBuffer) again = NULL;

  g_assert_no_error (error);
  g_assert_cmpfloat (*(double *) (guintptr) sw_buffer_get_address (buffer), ==, 1);
  g_assert_cmpuint (sw_buffer_get_size (buffer), ==, 6 * sizeof (double));
  g_assert_cmpint (sw_buffer_get_dtype (buffer), ==, SW_DTYPE_FLOATING);
  g_assert_true (sw_buffer_is_writable (buffer));

  again = g_boxed_copy (SW_TYPE_BUFFER, buffer);
  g_assert_true (again == buffer);
}

static void
test_outlives_release_and_carrier (void)
{
  SwCarrier *carrier = new_generic (TRUE);
  SwTensor *tensor = new_tensor (carrier, 0, "(8,)", "(1,)");
  SwBuffer *buffer = sw_buffer_new (tensor, NULL);
  const double *data = (const double *) (guintptr) sw_buffer_get_address (buffer);
  g_autoptr (GError) error = NULL;

  sw_tensor_unref (tensor);
  g_assert_true (sw_carrier_release (carrier, &error));
  g_assert_no_error (error);
  g_object_add_weak_pointer (G_OBJECT (carrier), (gpointer *) &carrier);
  g_object_unref (carrier);

  g_assert_nonnull (carrier);
  g_assert_cmpmem (data, sizeof (numbers), numbers, sizeof (numbers));
  sw_buffer_unref (buffer);
  g_assert_null (carrier);
}

static void
test_read_only (void)
{
  g_autoptr (SwCarrier) frozen = new_generic (FALSE);
  g_autoptr (SwTensor) tensor = new_tensor (frozen, 0, "(8,)", "(1,)");
  g_autoptr (SwBuffer) buffer = sw_buffer_new (tensor, NULL);

  g_assert_false (sw_buffer_is_writable (buffer));
}

static void
test_refuses (void)
{
  g_autoptr (SwCarrier) released = new_generic (TRUE);
  g_autoptr (SwTensor) on_released = new_tensor (released, 0, "(8,)", "(1,)");
  g_autoptr (SwCarrier) primary = new_generic (TRUE);
  g_autoptr (SwValueList) nothing = sw_value_list_new_doubles (NULL, 0);
  g_autoptr (SwCarrier) secondary = sw_generic_new (nothing, TRUE, SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwCarrier) composite = sw_evictable_new (primary, secondary, NULL);
  g_autoptr (SwTensor) on_composite = new_tensor (composite, 0, "(8,)", "(1,)");
  g_autoptr (SwValueList) values = sw_value_list_new_doubles (numbers, 1);
  g_autoptr (SwCarrier) any = sw_generic_new (values, TRUE, SW_DTYPE_ANY, NULL);
  g_autoptr (SwTensor) on_any = new_tensor (any, 0, "(1,)", "(1,)");
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_carrier_release (released, NULL));
  g_assert_null (sw_buffer_new (on_released, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);

  g_assert_null (sw_buffer_new (on_composite, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_clear_error (&error);

  /* And does not go on holding what it refused. */
  g_assert_null (sw_buffer_new (on_any, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_clear_pointer (&on_composite, sw_tensor_unref);
  g_assert_finalize_object (g_steal_pointer (&composite));
}

static void
test_dlpack (void)
{
  SwCarrier *carrier = new_generic (TRUE);
  SwTensor *tensor = new_tensor (carrier, 1, "(2, (3, 1))", "(1, (2, 0))");
  SwBuffer *buffer = sw_buffer_new (tensor, NULL);
  Managed *managed = (Managed *) (guintptr) sw_buffer_new_dlpack (buffer);
  guint64 unused = sw_buffer_new_dlpack (buffer);

  sw_buffer_unref (buffer);
  sw_tensor_unref (tensor);
  g_object_add_weak_pointer (G_OBJECT (carrier), (gpointer *) &carrier);
  g_object_unref (carrier);
  sw_buffer_free_dlpack (unused);

  g_assert_cmpfloat (managed->data[0], ==, 1);
  g_assert_cmpint (managed->device_type, ==, 1);
  g_assert_cmpint (managed->device_id, ==, 0);
  g_assert_cmpint (managed->n_dimensions, ==, 3);
  g_assert_cmpint (managed->code, ==, 2);
  g_assert_cmpint (managed->bits, ==, 64);
  g_assert_cmpint (managed->lanes, ==, 1);
  g_assert_cmpmem (managed->shape, 24, ((gint64[]){ 2, 3, 1 }), 24);
  g_assert_cmpmem (managed->strides, 24, ((gint64[]){ 1, 2, 0 }), 24);
  g_assert_cmpuint (managed->byte_offset, ==, 0);
  g_assert_nonnull (carrier);
  managed->deleter (managed);
  g_assert_null (carrier);
}

static void
test_dlpack_dtypes (void)
{
  const struct
  {
    SwDType dtype;
    guint8 code;
    guint8 bits;
  } rows[] = {
    { SW_DTYPE_FLOAT32, 2, 32 },
    { SW_DTYPE_FLOAT64, 2, 64 },
    { SW_DTYPE_INT32, 0, 32 },
    { SW_DTYPE_INT64, 0, 64 },
    { SW_DTYPE_BOOL, 6, 8 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SwCarrier) carrier = sw_cpu_new (3, TRUE, rows[i].dtype, FALSE, NULL);
      g_autoptr (SwTensor) tensor = new_tensor (carrier, 0, "(3,)", "(1,)");
      g_autoptr (SwBuffer) buffer = sw_buffer_new (tensor, NULL);
      Managed *managed = (Managed *) (guintptr) sw_buffer_new_dlpack (buffer);

      g_assert_cmpint (managed->code, ==, rows[i].code);
      g_assert_cmpint (managed->bits, ==, rows[i].bits);
      managed->deleter (managed);
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/buffer/describes-memory", test_describes_memory);
  g_test_add_func ("/buffer/outlives-release-and-carrier", test_outlives_release_and_carrier);
  g_test_add_func ("/buffer/read-only", test_read_only);
  g_test_add_func ("/buffer/refuses", test_refuses);
  g_test_add_func ("/buffer/dlpack", test_dlpack);
  g_test_add_func ("/buffer/dlpack-dtypes", test_dlpack_dtypes);

  return g_test_run ();
}
