/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <strideweave.h>

static SwShape *
shape_new (const char *text)
{
  GError *error = NULL;
  SwShape *shape = sw_shape_new_from_string (text, &error);

  g_assert_no_error (error);
  return shape;
}

static void
test_last_mode_is_fastest (void)
{
  static const gint32 source[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (source, sizeof source);
  g_autoptr (SwShape) shape = shape_new ("(2, 3, 2)");
  GError *error = NULL;
  g_autoptr (SwTensor) tensor = sw_from_bytes (bytes, shape, SW_DTYPE_INT32, &error);
  g_autoptr (GBytes) ordered = NULL;
  const gint32 *values;

  g_assert_no_error (error);
  g_assert_true (sw_shape_equal (sw_tensor_get_shape (tensor), shape));
  g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, SW_DTYPE_INT32);
  g_assert_false (sw_carrier_is_mutable (sw_tensor_get_carrier (tensor), NULL));
  ordered = sw_tensor_dup_bytes (tensor, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (ordered), ==, sizeof source);
  /* By ordinals, which have the first mode fastest. */
  values = g_bytes_get_data (ordered, NULL);
  for (gint32 i = 0; i < 12; i++)
    g_assert_cmpint (values[i], ==, 6 * (i % 2) + 2 * (i / 2 % 3) + i / 6);
}

static void
note_free (gpointer data)
{
  *(gboolean *) data = TRUE;
}

static void
test_memory (void)
{
  static const double source[] = { 1, 2 };
  gboolean is_freed = FALSE;
  GBytes *bytes = g_bytes_new_with_free_func (source, sizeof source, note_free, &is_freed);
  g_autoptr (SwShape) shape = shape_new ("(2,)");
  GError *error = NULL;
  SwTensor *tensor = sw_from_bytes (bytes, shape, SW_DTYPE_FLOAT64, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (sw_cpu_get_address (SW_CPU (sw_tensor_get_carrier (tensor)), NULL), ==, (gsize) source);
  g_bytes_unref (bytes);
  g_assert_false (is_freed);
  sw_tensor_unref (tensor);
  g_assert_true (is_freed);
}

static void
assert_refused (gsize n_bytes,
                const char *shape_text,
                SwDType dtype,
                const char *message)
{
  static const guint64 source[4];
  g_autoptr (GBytes) bytes = g_bytes_new_static (source, n_bytes);
  g_autoptr (SwShape) shape = shape_new (shape_text);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_from_bytes (bytes, shape, dtype, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refused (void)
{
  assert_refused (16, "(2, 3)", SW_DTYPE_FLOAT32, "bytes holds 4 values of Float32, but shape has 6");
  assert_refused (32, "(2, 3)", SW_DTYPE_FLOAT32, "bytes holds 8 values of Float32, but shape has 6");
  assert_refused (0, "(1,)", SW_DTYPE_BOOL, "bytes holds 0 values of Bool, but shape has 1");
  assert_refused (15, "(2,)", SW_DTYPE_INT64, "bytes holds 15 bytes");
  assert_refused (16, "(2,)", SW_DTYPE_ANY, "Any");
  assert_refused (16, "(2,)", SW_DTYPE_FLOATING, "Floating");
}

static SwCarrier *
generic_new (SwDType dtype)
{
  g_autoptr (SwValueList) none = sw_value_list_new (NULL, 0);
  GError *error = NULL;
  SwCarrier *carrier = sw_generic_new (none, TRUE, dtype, &error);

  g_assert_no_error (error);
  return carrier;
}

static SwCarrier *
file_backed_new (SwDType dtype)
{
  GError *error = NULL;
  SwCarrier *carrier = sw_file_backed_new (NULL, TRUE, dtype, &error);

  g_assert_no_error (error);
  return carrier;
}

static double
number_at (SwTensor *tensor,
           gint64 ordinal)
{
  GError *error = NULL;
  g_autoptr (SwValue) value = sw_tensor_get_value (tensor, &ordinal, 1, &error);

  g_assert_no_error (error);
  switch (sw_value_get_kind (value))
    {
    case SW_VALUE_BOOL:
      return sw_value_get_bool (value) ? 1 : 0;
    case SW_VALUE_INT64:
      return (double) sw_value_get_int64 (value);
    default:
      g_assert_cmpint (sw_value_get_kind (value), ==, SW_VALUE_DOUBLE);
      return sw_value_get_double (value);
    }
}

static void
assert_all (SwTensor *tensor,
            double expected)
{
  for (gint64 i = 0; i < sw_tensor_get_size (tensor); i++)
    g_assert_cmpfloat (number_at (tensor, i), ==, expected);
}

static void
check_filled (SwDType dtype,
              SwCarrier *like,
              GType carrier_type,
              SwDType expected)
{
  static const char *const shapes[] = { "()", "(1,)", "(7,)", "(2, (3, 5), 2)" };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (SwShape) shape = shape_new (shapes[i]);
      g_autoptr (SwLayout) layout = sw_layout_new_row_major (shape);
      g_autoptr (SwValue) three = sw_value_new_int64 (3);
      GError *error = NULL;
      g_autoptr (SwTensor) zeros = sw_zeros (shape, dtype, like, &error);
      g_autoptr (SwTensor) ones = error == NULL ? sw_ones (shape, dtype, like, &error) : NULL;
      g_autoptr (SwTensor) full = error == NULL ? sw_full (shape, three, dtype, like, &error) : NULL;

      g_assert_no_error (error);
      assert_all (zeros, 0);
      assert_all (ones, 1);
      assert_all (full, expected == SW_DTYPE_BOOL ? 1 : 3);
      g_assert_cmpint (sw_tensor_get_dtype (zeros), ==, expected);
      g_assert_cmpint (sw_tensor_get_dtype (ones), ==, expected);
      g_assert_true (sw_layout_equal (sw_tensor_get_layout (ones), layout));
      g_assert_true (sw_layout_equal (sw_tensor_get_layout (zeros), layout));
      g_assert_true (sw_tensor_get_carrier_type (zeros) == carrier_type);
      g_assert_true (sw_tensor_get_carrier_type (full) == carrier_type);
      g_assert_true (sw_carrier_is_mutable (sw_tensor_get_carrier (full), NULL));
    }
}

static void
test_filled (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_BOOL };
  g_autoptr (SwCarrier) generic = generic_new (SW_DTYPE_FLOATING);
  g_autoptr (SwCarrier) file_backed = file_backed_new (SW_DTYPE_INT32);

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      check_filled (dtypes[i], NULL, SW_TYPE_CPU, dtypes[i]);
      check_filled (dtypes[i], generic, SW_TYPE_GENERIC, dtypes[i]);
      check_filled (dtypes[i], file_backed, SW_TYPE_FILE_BACKED, dtypes[i]);
    }
  check_filled (SW_DTYPE_FLOATING, generic, SW_TYPE_GENERIC, SW_DTYPE_FLOATING);
  check_filled (SW_DTYPE_INVALID, generic, SW_TYPE_GENERIC, SW_DTYPE_FLOATING);
  check_filled (SW_DTYPE_INVALID, file_backed, SW_TYPE_FILE_BACKED, SW_DTYPE_INT32);
}

static void
test_filled_tiers (void)
{
  g_autoptr (SwCarrier) primary = sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwCarrier) secondary = file_backed_new (SW_DTYPE_FLOAT32);
  GError *error = NULL;
  g_autoptr (SwCarrier) like = sw_evictable_new (primary, secondary, &error);

  g_assert_no_error (error);
  check_filled (SW_DTYPE_INVALID, like, SW_TYPE_EVICTABLE, SW_DTYPE_FLOAT32);
}

static SwDType
get_dtype_of_full (SwValue *value)
{
  g_autoptr (SwShape) shape = shape_new ("(3,)");
  GError *error = NULL;
  g_autoptr (SwTensor) tensor = sw_full (shape, value, SW_DTYPE_INVALID, NULL, &error);

  g_assert_no_error (error);
  sw_value_unref (value);
  return sw_tensor_get_dtype (tensor);
}

static void
test_own_dtype (void)
{
  g_autoptr (SwShape) shape = shape_new ("(3,)");
  g_autoptr (SwTensor) zeros = sw_zeros (shape, SW_DTYPE_INVALID, NULL, NULL);

  g_assert_cmpint (sw_tensor_get_dtype (zeros), ==, SW_DTYPE_FLOAT32);
  g_assert_cmpint (get_dtype_of_full (sw_value_new_bool (TRUE)), ==, SW_DTYPE_BOOL);
  g_assert_cmpint (get_dtype_of_full (sw_value_new_int64 (1)), ==, SW_DTYPE_INT64);
  g_assert_cmpint (get_dtype_of_full (sw_value_new_double (1)), ==, SW_DTYPE_FLOAT64);
}

static void
test_any (void)
{
  g_autoptr (SwCarrier) like = generic_new (SW_DTYPE_ANY);
  g_autoptr (SwShape) shape = shape_new ("(2, 2)");
  g_autoptr (SwValue) value = sw_value_new_shape (shape);
  GError *error = NULL;
  g_autoptr (SwTensor) tensor = sw_full (shape, value, SW_DTYPE_INVALID, like, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < 4; i++)
    {
      g_autoptr (SwValue) found = sw_tensor_get_value (tensor, &i, 1, NULL);

      g_assert_true (sw_value_equal (found, value));
    }
}

static void
assert_full_refused (SwValue *value,
                     SwDType dtype,
                     SwCarrier *like,
                     gint code,
                     const char *message)
{
  g_autoptr (SwShape) shape = shape_new ("(2,)");
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_full (shape, value, dtype, like, &error));
  g_assert_error (error, SW_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
  sw_value_unref (value);
}

static void
test_full_refused (void)
{
  g_autoptr (SwShape) huge = shape_new ("(4611686018427387904,)");
  g_autoptr (SwShape) shape = shape_new ("(2,)");
  g_autoptr (SwCarrier) file_backed = file_backed_new (SW_DTYPE_INT32);
  g_autoptr (GError) error = NULL;

  assert_full_refused (sw_value_new_int64 (G_MAXINT32 + G_GINT64_CONSTANT (1)), SW_DTYPE_INT32, NULL, SW_ERROR_VALUE,
                       "value 2147483648 is outside the range of an Int32");
  assert_full_refused (sw_value_new_double (1.5), SW_DTYPE_INT64, NULL, SW_ERROR_TYPE, "value 1.5 is not an Int64");
  assert_full_refused (sw_value_new_shape (shape), SW_DTYPE_FLOAT32, NULL, SW_ERROR_TYPE, "is not a Float32");
  assert_full_refused (sw_value_new_shape (shape), SW_DTYPE_INVALID, NULL, SW_ERROR_VALUE, "Any");
  assert_full_refused (sw_value_new_int64 (1), SW_DTYPE_FLOATING, NULL, SW_ERROR_VALUE, "Floating");
  assert_full_refused (sw_value_new_int64 (1), SW_DTYPE_ANY, file_backed, SW_ERROR_VALUE, "dtype is Any, which FileBacked");
  assert_full_refused (sw_value_new_int64 (1), (SwDType) 99, NULL, SW_ERROR_VALUE, "dtype is 99");

  g_assert_null (sw_zeros (huge, SW_DTYPE_FLOAT64, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "4611686018427387904"));
  g_clear_error (&error);
  g_assert_null (sw_ones (huge, SW_DTYPE_INT32, file_backed, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

static void
check_range (gint64 start,
             gint64 stop,
             gint64 step,
             gint64 count)
{
  static const SwDType dtypes[] = { SW_DTYPE_INT64, SW_DTYPE_INT32, SW_DTYPE_FLOAT64, SW_DTYPE_FLOAT32 };

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    {
      GError *error = NULL;
      g_autoptr (SwTensor) tensor = sw_arange (start, stop, step, dtypes[d], NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (sw_tensor_get_size (tensor), ==, count);
      for (gint64 i = 0; i < count; i++)
        g_assert_cmpfloat (number_at (tensor, i), ==, (double) (start + i * step));
    }
}

static void
test_arange (void)
{
  g_autoptr (SwCarrier) generic = generic_new (SW_DTYPE_FLOATING);
  GError *error = NULL;
  g_autoptr (SwTensor) ends = NULL, reals = NULL, tenths = NULL;

  check_range (0, 5, 1, 5);
  check_range (2, 9, 3, 3);
  check_range (9, 2, -3, 3);
  check_range (-4, 4, 4, 2);
  check_range (0, 1, G_MAXINT64, 1);

  ends = sw_arange (G_MININT64, G_MAXINT64, G_MAXINT64, SW_DTYPE_INVALID, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_tensor_get_size (ends), ==, 3);
  g_assert_cmpint (sw_tensor_get_dtype (ends), ==, SW_DTYPE_INT64);
  g_assert_cmpfloat (number_at (ends, 0), ==, -0x1p63);
  g_assert_cmpfloat (number_at (ends, 2), ==, 0x1p63);

  reals = sw_arange_doubles (1, 0, -0.25, SW_DTYPE_INVALID, generic, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_tensor_get_dtype (reals), ==, SW_DTYPE_FLOATING);
  g_assert_cmpint (sw_tensor_get_size (reals), ==, 4);
  g_assert_cmpfloat (number_at (reals, 3), ==, 0.25);

  tenths = sw_arange_doubles (0, 100, 0.1, SW_DTYPE_FLOAT32, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (number_at (tenths, 777), ==, (float) (777 * 0.1));
}

static void
assert_message (SwTensor *tensor,
                GError **error,
                gint code,
                const char *message)
{
  g_assert_null (tensor);
  g_assert_error (*error, SW_ERROR, code);
  g_assert_nonnull (strstr ((*error)->message, message));
  g_clear_error (error);
}

static void
test_arange_refused (void)
{
  GError *error = NULL;

  assert_message (sw_arange (0, 3, 0, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "step is 0");
  assert_message (sw_arange (G_MININT64, G_MAXINT64, 1, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "more values than fit");
  assert_message (sw_arange (0, G_MAXINT64, 1, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "no memory");
  assert_message (sw_arange (G_MAXINT32 - 1, G_MAXINT64, 1 << 30, SW_DTYPE_BOOL, NULL, &error), &error, SW_ERROR_TYPE, "dtype is Bool");
  assert_message (sw_arange (G_MAXINT32, G_MAXINT32 + G_GINT64_CONSTANT (2), 1, SW_DTYPE_INT32, NULL, &error), &error, SW_ERROR_VALUE,
                  "value 2147483648 is outside the range of an Int32");
  assert_message (sw_arange_doubles (0, 3, 0, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "step is 0");
  assert_message (sw_arange_doubles (0, 3, NAN, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "step is nan");
  assert_message (sw_arange_doubles (0, -INFINITY, 1, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "stop is -inf");
  assert_message (sw_arange_doubles (-1e308, 1e308, 1, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "more values than fit");
  assert_message (sw_arange_doubles (0, 1e19, 1, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "more values than fit");
  assert_message (sw_arange_doubles (0, 3, 1.5, SW_DTYPE_INT32, NULL, &error), &error, SW_ERROR_TYPE, "dtype is Int32");
}

static void
test_from_values (void)
{
  static const double reals[] = { 1, 2.5, -3, 1e300, 5, 6 };
  static const gint64 integers[] = { 1, -2, 3, (G_GINT64_CONSTANT (1) << 53) + 1 };
  g_autoptr (SwValueList) doubles = sw_value_list_new_doubles (reals, 6);
  g_autoptr (SwValueList) int64s = sw_value_list_new_int64s (integers, 4);
  g_autoptr (SwCarrier) file_backed = file_backed_new (SW_DTYPE_FLOAT64);
  g_autoptr (SwShape) shape = shape_new ("(2, 3)");
  GError *error = NULL;
  g_autoptr (SwTensor) matrix = sw_from_values (doubles, shape, SW_DTYPE_INVALID, NULL, &error);
  g_autoptr (SwTensor) narrow = sw_from_values (doubles, NULL, SW_DTYPE_FLOAT32, NULL, &error);
  g_autoptr (SwTensor) whole = sw_from_values (int64s, NULL, SW_DTYPE_INVALID, NULL, &error);
  g_autoptr (SwTensor) real = sw_from_values (int64s, NULL, SW_DTYPE_INVALID, file_backed, &error);

  g_assert_no_error (error);
  g_assert_cmpint (sw_tensor_get_dtype (matrix), ==, SW_DTYPE_FLOAT64);
  /* Ordinal 1 is the second row's first. */
  g_assert_cmpfloat (number_at (matrix, 1), ==, 1e300);
  g_assert_cmpfloat (number_at (matrix, 2), ==, 2.5);
  g_assert_cmpfloat (number_at (narrow, 1), ==, 2.5);
  g_assert_cmpfloat (number_at (narrow, 3), ==, INFINITY);
  g_assert_cmpint (sw_tensor_get_dtype (whole), ==, SW_DTYPE_INT64);
  g_assert_cmpint (sw_tensor_get_dtype (real), ==, SW_DTYPE_FLOAT64);
  g_assert_true (sw_tensor_get_carrier_type (real) == SW_TYPE_FILE_BACKED);
  g_assert_cmpfloat (number_at (real, 3), ==, 0x1p53);
}

static void
test_from_mixed_values (void)
{
  g_autoptr (SwValue) truth = sw_value_new_bool (TRUE);
  g_autoptr (SwValue) integer = sw_value_new_int64 (2);
  g_autoptr (SwValue) real = sw_value_new_double (0.5);
  SwValue *numbers[] = { integer, real, integer };
  SwValue *both[] = { truth, integer };
  g_autoptr (SwValueList) number_list = sw_value_list_new (numbers, 3);
  g_autoptr (SwValueList) truth_list = sw_value_list_new (both, 1);
  g_autoptr (SwValueList) both_list = sw_value_list_new (both, 2);
  g_autoptr (SwValueList) none = sw_value_list_new (NULL, 0);
  g_autoptr (SwShape) shape = shape_new ("(2, 3)");
  GError *error = NULL;
  g_autoptr (SwTensor) reals = sw_from_values (number_list, NULL, SW_DTYPE_INVALID, NULL, &error);
  g_autoptr (SwTensor) truths = sw_from_values (truth_list, NULL, SW_DTYPE_INVALID, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (sw_tensor_get_dtype (reals), ==, SW_DTYPE_FLOAT64);
  g_assert_cmpfloat (number_at (reals, 2), ==, 2);
  g_assert_cmpint (sw_tensor_get_dtype (truths), ==, SW_DTYPE_BOOL);

  assert_message (sw_from_values (both_list, NULL, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_TYPE, "values[1]");
  assert_message (sw_from_values (both_list, NULL, SW_DTYPE_INT64, NULL, &error), &error, SW_ERROR_TYPE, "values[0]: value ");
  assert_message (sw_from_values (none, shape, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE, "values has 0 values, but shape has 6");
  assert_message (sw_from_values (number_list, shape, SW_DTYPE_INVALID, NULL, &error), &error, SW_ERROR_VALUE,
                  "values has 3 values, but shape has 6");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/creation/last-mode-is-fastest", test_last_mode_is_fastest);
  g_test_add_func ("/creation/memory", test_memory);
  g_test_add_func ("/creation/refused", test_refused);
  g_test_add_func ("/creation/filled", test_filled);
  g_test_add_func ("/creation/filled-tiers", test_filled_tiers);
  g_test_add_func ("/creation/own-dtype", test_own_dtype);
  g_test_add_func ("/creation/any", test_any);
  g_test_add_func ("/creation/full-refused", test_full_refused);
  g_test_add_func ("/creation/arange", test_arange);
  g_test_add_func ("/creation/arange-refused", test_arange_refused);
  g_test_add_func ("/creation/from-values", test_from_values);
  g_test_add_func ("/creation/from-mixed-values", test_from_mixed_values);
  return g_test_run ();
}
