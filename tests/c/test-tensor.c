/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/shape/sw-layout-private.h"
#include "sw/tensor/sw-tensor-private.h"
#include "sw/tensor/sw-value.h"
#include "sw/tensor/sw-value-list.h"

#include <string.h>

static SwLayout *
new_layout (const char *shape_text,
            const char *stride_text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwShape) shape = sw_shape_new_from_string (shape_text, &error);
  g_autoptr (SwStride) stride = NULL;
  SwLayout *layout;

  g_assert_no_error (error);
  if (stride_text == NULL)
    return sw_layout_new_compact (shape);

  stride = sw_stride_new_from_string (stride_text, &error);
  g_assert_no_error (error);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  return layout;
}

/* 0, 1, 2 ... on a carrier of @dtype. */
static SwCarrier *
new_counting (SwDType dtype,
              gint64 size)
{
  g_autofree gint64 *numbers = g_new (gint64, size + 1);
  g_autoptr (SwValueList) list = NULL;
  g_autoptr (GError) error = NULL;
  SwCarrier *carrier;

  for (gint64 i = 0; i < size; i++)
    numbers[i] = i;
  list = sw_value_list_new_int64s (numbers, size);
  carrier = sw_generic_new (list, TRUE, dtype, &error);
  g_assert_no_error (error);
  return carrier;
}

static SwTensor *
new_tensor (SwCarrier *carrier,
            gint64 offset,
            const char *shape,
            const char *stride)
{
  g_autoptr (SwLayout) layout = new_layout (shape, stride);
  g_autoptr (GError) error = NULL;
  SwTensor *tensor = sw_tensor_new (carrier, offset, layout, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
test_new (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_FLOAT32, 12);
  g_autoptr (SwLayout) layout = new_layout ("(2, (3, 2))", NULL);
  g_autoptr (GError) error = NULL;
  SwTensor *tensor = sw_tensor_new (carrier, 0, layout, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  g_assert_true (sw_tensor_get_carrier (tensor) == carrier);
  g_assert_true (sw_tensor_get_layout (tensor) == layout);
  g_assert_true (sw_tensor_get_shape (tensor) == sw_layout_get_shape (layout));
  g_assert_cmpint (sw_tensor_get_offset (tensor), ==, 0);
  g_assert_cmpint (sw_tensor_get_size (tensor), ==, 12);
  g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, SW_DTYPE_FLOAT32);
  text = sw_tensor_to_string (tensor);
  g_assert_true (g_str_has_suffix (text, ", shape=(2, (3, 2)), dtype=Float32, carrier=Generic)"));

  g_assert_true (sw_tensor_ref (tensor) == tensor);
  sw_tensor_unref (tensor);
  g_assert_true (sw_tensor_get_carrier (tensor) == carrier);
  sw_tensor_unref (tensor);
  g_assert_finalize_object (g_steal_pointer (&carrier));
}

static void
assert_new_fails (SwCarrier *carrier,
                  gint64 offset,
                  const char *shape,
                  const char *stride,
                  SwError code,
                  const char *message)
{
  g_autoptr (SwLayout) layout = new_layout (shape, stride);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_tensor_new (carrier, offset, layout, &error));
  g_assert_error (error, SW_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_new_errors (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_FLOATING, 12);
  g_autoptr (SwTensor) last = new_tensor (carrier, 2, "(10,)", NULL);

  assert_new_fails (carrier, -1, "(2,)", NULL, SW_ERROR_VALUE, "offset is -1, and must not be negative");
  assert_new_fails (carrier, 3, "(10,)", NULL, SW_ERROR_VALUE, "offset 3 + cosize 10 exceeds the carrier's 12 values");
  assert_new_fails (carrier, 0, "(2, 3)", "(1, 6)", SW_ERROR_VALUE, "offset 0 + cosize 14 exceeds the carrier's 12 values");
  assert_new_fails (carrier, G_MAXINT64, "(2,)", NULL, SW_ERROR_VALUE,
                    "offset 9223372036854775807 + cosize 2 exceeds the carrier's 12 values");
  assert_new_fails (carrier, 1, "(2,)", "(9223372036854775806,)", SW_ERROR_VALUE,
                    "offset 1 + cosize 9223372036854775807 exceeds the carrier's 12 values");
  assert_new_fails (carrier, 12, "()", NULL, SW_ERROR_VALUE, "offset 12 + cosize 1 exceeds the carrier's 12 values");

  g_assert_true (sw_carrier_release (carrier, NULL));
  assert_new_fails (carrier, 0, "(2,)", NULL, SW_ERROR_STATE, "carrier is a released Generic");
}

static gint64
get_integer (SwTensor *tensor,
             const gint64 *tokens,
             gsize n_tokens)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValue) value = sw_tensor_get_value (tensor, tokens, n_tokens, &error);

  g_assert_no_error (error);
  return sw_value_get_int64 (value);
}

#define GET(tensor, ...) get_integer (tensor, (const gint64[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })))

static void
test_access (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_INT64, 20);
  g_autoptr (SwTensor) nested = new_tensor (carrier, 3, "(2, (3, 2))", "(6, (2, 1))");
  g_autoptr (SwTensor) scalar = new_tensor (carrier, 7, "()", NULL);
  g_autoptr (SwValue) value = sw_value_new_int64 (100);
  const gint64 coordinate[] = { -4, 1, -4, 2, 0 };
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (GET (nested, -4, 1, -4, 2, 1), ==, 3 + 6 + 4 + 1);
  g_assert_cmpint (GET (nested, -4, 1, 5), ==, 3 + 6 + 4 + 1);
  g_assert_cmpint (GET (nested, 11), ==, 3 + 6 + 4 + 1);
  g_assert_cmpint (GET (scalar, -2), ==, 7);

  g_assert_true (sw_tensor_set_value (nested, coordinate, G_N_ELEMENTS (coordinate), value, &error));
  g_assert_no_error (error);
  g_assert_cmpint (GET (nested, -4, 1, -4, 2, 0), ==, 100);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
}

static void
test_access_errors (void)
{
  static const gint64 outside[] = { -4, 2, 0 };
  static const gint64 first[] = { -4, 0, 0 };
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_INT64, 6);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 0, "(2, 3)", NULL);
  g_autoptr (SwValue) real = sw_value_new_double (0.5);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_tensor_get_value (tensor, outside, 3, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (sw_tensor_set_value (tensor, outside, 3, real, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (sw_tensor_get_value (tensor, outside, 2, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_false (sw_tensor_set_value (tensor, first, 3, real, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 0);

  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_null (sw_tensor_get_value (tensor, first, 3, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, SW_DTYPE_INT64);
}

static void
test_bytes (void)
{
  static const struct
  {
    gint64 offset;
    const char *shape;
    const char *stride;
    guint n;
    gint64 expected[12];
  } cases[] = {
    { 0, "(2, 3)", NULL, 6, { 0, 1, 2, 3, 4, 5 } },
    { 1, "(2, 3)", "(3, 1)", 6, { 1, 4, 2, 5, 3, 6 } },
    { 2, "(2, 3)", "(0, 2)", 6, { 2, 2, 4, 4, 6, 6 } },
    { 0, "(2, (1, 2), 2)", "(1, (99, 8), 2)", 8, { 0, 1, 8, 9, 2, 3, 10, 11 } },
    { 11, "()", NULL, 1, { 11 } },
  };
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_INT64, 12);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SwTensor) tensor = new_tensor (carrier, cases[i].offset, cases[i].shape, cases[i].stride);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (tensor, &error);

      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), cases[i].expected, cases[i].n * sizeof (gint64));
    }
}

/* Deeper than what the walk keeps on the stack. */
static void
test_bytes_many_modes (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_INT32, 8);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 0, "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,2,2)", "(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4,2,1)");
  g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (tensor, NULL);
  static const gint32 expected[] = { 0, 4, 2, 6, 1, 5, 3, 7 };

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, sizeof expected);
}

static void
test_bytes_of_each_dtype (void)
{
  static const double reals[] = { 1, 0 };
  static const float singles[] = { 1, 0 };
  static const gint32 int32s[] = { 1, 0 };
  static const gint64 int64s[] = { 1, 0 };
  static const guint8 bools[] = { 1, 0 };
  static const struct
  {
    SwDType dtype;
    gconstpointer items;
    gsize n_bytes;
  } cases[] = {
    { SW_DTYPE_FLOATING, reals, sizeof reals },
    { SW_DTYPE_FLOAT64, reals, sizeof reals },
    { SW_DTYPE_FLOAT32, singles, sizeof singles },
    { SW_DTYPE_INT32, int32s, sizeof int32s },
    { SW_DTYPE_INT64, int64s, sizeof int64s },
    { SW_DTYPE_BOOL, bools, sizeof bools },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwDType dtype = cases[i].dtype;
      g_autoptr (SwValue) one = dtype == SW_DTYPE_BOOL ? sw_value_new_bool (TRUE) : sw_value_new_int64 (1);
      g_autoptr (SwValue) zero = dtype == SW_DTYPE_BOOL ? sw_value_new_bool (FALSE) : sw_value_new_int64 (0);
      SwValue *values[] = { one, zero };
      g_autoptr (SwValueList) list = sw_value_list_new (values, 2);
      g_autoptr (SwCarrier) carrier = sw_generic_new (list, TRUE, dtype, NULL);
      g_autoptr (SwTensor) tensor = new_tensor (carrier, 0, "(2,)", NULL);
      g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (tensor, NULL);

      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), cases[i].items, cases[i].n_bytes);
    }
}

static void
test_bytes_errors (void)
{
  g_autoptr (SwCarrier) any = new_counting (SW_DTYPE_ANY, 2);
  g_autoptr (SwTensor) tensor = new_tensor (any, 0, "(2,)", NULL);
  g_autoptr (SwCarrier) numbers = new_counting (SW_DTYPE_INT64, 2);
  g_autoptr (SwTensor) huge = new_tensor (numbers, 0, "(4611686018427387904,)", "(0,)");
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_tensor_dup_bytes (tensor, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_null (sw_tensor_dup_bytes (huge, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_true (sw_carrier_release (numbers, NULL));
  {
    g_autoptr (SwCarrier) other = new_counting (SW_DTYPE_INT64, 2);
    g_autoptr (SwTensor) released = new_tensor (other, 0, "(2,)", NULL);

    g_assert_true (sw_carrier_release (other, NULL));
    g_assert_null (sw_tensor_dup_bytes (released, &error));
    g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  }
}

static void
assert_contents (SwCarrier *carrier,
                 const gint64 *expected,
                 gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (SwValue) value = sw_carrier_get_value (carrier, i, NULL);

      g_assert_cmpint ((gint64) sw_value_get_double (value), ==, expected[i]);
    }
}

static void
test_scatter (void)
{
  g_autoptr (SwCarrier) from = new_counting (SW_DTYPE_INT64, 6);
  g_autoptr (SwCarrier) to = new_counting (SW_DTYPE_INT64, 8);
  g_autoptr (SwCarrier) cpu = sw_cpu_new (8, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwTensor) source = new_tensor (from, 0, "(2, 2)", "(1, 4)");
  g_autoptr (SwTensor) onto = new_tensor (to, 0, "(8,)", NULL);
  g_autoptr (SwTensor) onto_cpu = new_tensor (cpu, 0, "(8,)", NULL);
  g_autoptr (SwLayout) mapping = new_layout ("(2, 2)", "(3, 1)");
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_carrier_scatter (to, source, onto, mapping, 2, &error));
  g_assert_no_error (error);
  assert_contents (to, (const gint64[]){ 0, 1, 0, 4, 4, 1, 5, 7 }, 8);
  g_assert_cmpuint (sw_carrier_get_version (to), ==, 1);

  g_assert_true (sw_carrier_scatter (cpu, source, onto_cpu, mapping, 0, &error));
  g_assert_no_error (error);
  assert_contents (cpu, (const gint64[]){ 0, 4, 0, 1, 5, 0, 0, 0 }, 8);
}

/* Overlapping storage: all is read before anything is written. The last of several writes to one place stays. */
static void
test_scatter_onto_itself (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_INT64, 5);
  g_autoptr (SwTensor) source = new_tensor (carrier, 0, "(4,)", NULL);
  g_autoptr (SwLayout) next = new_layout ("(4,)", NULL);
  g_autoptr (SwLayout) same = new_layout ("(4,)", "(0,)");
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_carrier_scatter (carrier, source, source, next, 1, &error));
  assert_contents (carrier, (const gint64[]){ 0, 0, 1, 2, 3 }, 5);
  g_assert_true (sw_carrier_scatter (carrier, source, source, same, 4, &error));
  assert_contents (carrier, (const gint64[]){ 0, 0, 1, 2, 2 }, 5);
  g_assert_no_error (error);
}

static void
assert_scatter_fails (SwCarrier *to,
                      SwTensor *source,
                      SwTensor *onto,
                      const char *mapping_text,
                      gint64 offset,
                      SwError code,
                      const char *message)
{
  g_autoptr (SwLayout) mapping = new_layout (mapping_text, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_carrier_scatter (to, source, onto, mapping, offset, &error));
  g_assert_error (error, SW_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_scatter_errors (void)
{
  g_autoptr (SwCarrier) from = new_counting (SW_DTYPE_INT64, 4);
  g_autoptr (SwCarrier) to = new_counting (SW_DTYPE_INT32, 8);
  g_autoptr (SwCarrier) other = new_counting (SW_DTYPE_INT32, 8);
  g_autoptr (SwCarrier) reals = new_counting (SW_DTYPE_FLOATING, 4);
  g_autoptr (SwTensor) source = new_tensor (from, 0, "(2, 2)", NULL);
  g_autoptr (SwTensor) onto = new_tensor (to, 0, "(8,)", NULL);
  g_autoptr (SwTensor) elsewhere = new_tensor (other, 0, "(8,)", NULL);
  g_autoptr (SwTensor) real_source = new_tensor (reals, 0, "(4,)", NULL);
  g_autoptr (SwValue) large = sw_value_new_int64 (G_MAXINT64);
  static const gint64 last[] = { 3 };

  assert_scatter_fails (to, source, onto, "(2, 3)", 0, SW_ERROR_VALUE,
                        "mapping shape must match the source's shape (2, 2) in size, and is (2, 3)");
  assert_scatter_fails (to, source, onto, "(2, 2)", -1, SW_ERROR_VALUE, "mapping_offset is -1, and must not be negative");
  assert_scatter_fails (to, source, onto, "(2, 2)", 5, SW_ERROR_VALUE, "mapping_offset 5 + cosize 4 exceeds the carrier's 8 values");
  assert_scatter_fails (to, source, onto, "(2, 2)", G_MAXINT64, SW_ERROR_VALUE,
                        "mapping_offset 9223372036854775807 + cosize 4 exceeds the carrier's 8 values");
  assert_scatter_fails (to, source, elsewhere, "(2, 2)", 0, SW_ERROR_VALUE,
                        "onto lies on another carrier, a Generic, than the one to write to");
  assert_scatter_fails (to, real_source, onto, "(2, 2)", 0, SW_ERROR_TYPE, "value 0.0 is not an Int32");

  /* The last value does not fit, and the first ones are not written either. */
  g_assert_true (sw_tensor_set_value (source, last, 1, large, NULL));
  assert_scatter_fails (to, source, onto, "(2, 2)", 4, SW_ERROR_VALUE, "value 9223372036854775807 is outside the range of an Int32");
  assert_contents (to, (const gint64[]){ 0, 1, 2, 3, 4, 5, 6, 7 }, 8);
  g_assert_cmpuint (sw_carrier_get_version (to), ==, 0);

  g_assert_true (sw_carrier_release (from, NULL));
  assert_scatter_fails (to, source, onto, "(2, 2)", 0, SW_ERROR_STATE, "source is a released Generic");
  g_assert_true (sw_carrier_release (to, NULL));
  assert_scatter_fails (to, real_source, onto, "(2, 2)", 0, SW_ERROR_STATE, "carrier is a released Generic");
}

static void
assert_texts (SwTensor *tensor,
              const char *values,
              const char *all)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *values_text = sw_tensor_dup_values_text (tensor, &error);
  g_autofree char *text = sw_tensor_to_string (tensor);

  g_assert_no_error (error);
  g_assert_cmpstr (values_text, ==, values);
  g_assert_cmpstr (text, ==, all);
}

static void
test_text (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_FLOATING, 2000);
  g_autoptr (SwTensor) matrix = new_tensor (carrier, 8, "(2, 3)", "(3, 1)");
  g_autoptr (SwTensor) nested = new_tensor (carrier, 0, "((2, 2), 1)", "((1, 2), 0)");
  g_autoptr (SwTensor) alone = new_tensor (carrier, 7, "()", "()");
  g_autoptr (SwTensor) many = new_tensor (carrier, 0, "(2000,)", "(1,)");

  assert_texts (matrix, "[[ 8.  9. 10.]\n [11. 12. 13.]]",
                "Tensor([[ 8.,  9., 10.],\n        [11., 12., 13.]], shape=(2, 3), dtype=Floating, carrier=Generic)");
  assert_texts (nested, "[[[0.]\n  [2.]]\n\n [[1.]\n  [3.]]]",
                "Tensor([[[0.],\n         [2.]],\n\n        [[1.],\n         [3.]]], shape=((2, 2), 1), dtype=Floating, carrier=Generic)");
  assert_texts (alone, "7.0", "Tensor(7., shape=(), dtype=Floating, carrier=Generic)");
  assert_texts (many, "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]",
                "Tensor([0.000e+00, 1.000e+00, 2.000e+00, ..., 1.997e+03, 1.998e+03,\n"
                "        1.999e+03], shape=(2000,), dtype=Floating, carrier=Generic)");
}

static void
test_text_of_nothing (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_INT32, 4);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 0, "(2, 2)", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  sw_carrier_release (carrier, &error);
  g_assert_no_error (error);
  g_assert_null (sw_tensor_dup_values_text (tensor, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  text = sw_tensor_to_string (tensor);
  g_assert_true (g_str_has_prefix (text, "Tensor(shape=(2, 2), dtype=Int32, carrier=Generic; no values: "));
  g_assert_nonnull (strstr (text, "released"));
}

/* What a tensor holds as a value is named, not shown: it may hold itself. */
static void
test_text_of_itself (void)
{
  g_autoptr (SwCarrier) carrier = new_counting (SW_DTYPE_ANY, 1);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 0, "(1,)", NULL);
  g_autoptr (SwValue) value = sw_value_new_tensor (tensor);
  g_autoptr (SwValue) none = sw_value_new_none ();
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_carrier_set_value (carrier, 0, value, &error));
  assert_texts (tensor, "[Tensor(shape=(1,), dtype=Any, carrier=Generic)]",
                "Tensor([Tensor(shape=(1,), dtype=Any, carrier=Generic)],\n"
                "       shape=(1,), dtype=Any, carrier=Generic)");
  g_assert_true (sw_carrier_set_value (carrier, 0, none, &error));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/tensor/new", test_new);
  g_test_add_func ("/tensor/new-errors", test_new_errors);
  g_test_add_func ("/tensor/access", test_access);
  g_test_add_func ("/tensor/access-errors", test_access_errors);
  g_test_add_func ("/tensor/bytes/layouts", test_bytes);
  g_test_add_func ("/tensor/bytes/many-modes", test_bytes_many_modes);
  g_test_add_func ("/tensor/bytes/dtypes", test_bytes_of_each_dtype);
  g_test_add_func ("/tensor/bytes/errors", test_bytes_errors);
  g_test_add_func ("/tensor/scatter", test_scatter);
  g_test_add_func ("/tensor/scatter/onto-itself", test_scatter_onto_itself);
  g_test_add_func ("/tensor/scatter/errors", test_scatter_errors);
  g_test_add_func ("/tensor/text", test_text);
  g_test_add_func ("/tensor/text/of-nothing", test_text_of_nothing);
  g_test_add_func ("/tensor/text/of-itself", test_text_of_itself);
  return g_test_run ();
}
