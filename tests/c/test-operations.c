/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "operation-fixture.h"

#include <float.h>

static const SwDType number_dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };

static gboolean
is_integer (SwDType dtype)
{
  return dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64;
}

static void
test_arithmetic (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      SwDType real = is_integer (dtype) ? SW_DTYPE_FLOAT64 : dtype;
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), dtype, "(2, 2)", 1, -2, 3, 8);
      g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), dtype, "(2, 2)", 4, 5, -6, 2);
      GError *error = NULL;

      assert_result_is (sw_add (a, b, &error), error, dtype, "(2, 2)", 5, 3, -3, 10);
      assert_result_is (sw_sub (a, b, &error), error, dtype, "(2, 2)", -3, -7, 9, 6);
      assert_result_is (sw_mul (a, b, &error), error, dtype, "(2, 2)", 4, -10, -18, 16);
      assert_result_is (sw_elementwise_mul (a, b, &error), error, dtype, "(2, 2)", 4, -10, -18, 16);
      assert_result (sw_div (a, b, &error), error, real, "(2, 2)", FLT_EPSILON, (double[]){ 0.25, -0.4, -0.5, 4 });
      assert_result_is (sw_maximum (a, b, &error), error, dtype, "(2, 2)", 4, 5, 3, 8);
      assert_result_is (sw_neg (a, &error), error, dtype, "(2, 2)", -1, 2, -3, -8);
      assert_result_is (sw_relu (a, &error), error, dtype, "(2, 2)", 1, 0, 3, 8);
      assert_result (sw_exp (a, &error), error, real, "(2, 2)", 1e-7,
                     (double[]){ 2.718281828459045, 0.1353352832366127, 20.085536923187668, 2980.9579870417283 });
    }
}

static void
test_numbers (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      SwDType real = is_integer (dtype) ? SW_DTYPE_FLOAT64 : dtype;
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), dtype, "(3,)", 1, -2, 7);
      GError *error = NULL;

      assert_result_is (sw_add_scalar (a, 2, &error), error, dtype, "(3,)", 3, 0, 9);
      assert_result_is (sw_sub_scalar (a, 2, &error), error, dtype, "(3,)", -1, -4, 5);
      assert_result_is (sw_mul_scalar (a, -3, &error), error, dtype, "(3,)", -3, 6, -21);
      assert_result_is (sw_div_scalar (a, 2, &error), error, real, "(3,)", 0.5, -1, 3.5);
      assert_result_is (sw_maximum_scalar (a, 1, &error), error, dtype, "(3,)", 1, 1, 7);
      assert_result_is (call_with ("add", &error, sw_value_new_tensor (a), sw_value_new_int64 (40)), error, dtype, "(3,)", 41, 38, 47);

      if (is_integer (dtype))
        {
          assert_failure (sw_add_scalar (a, 2.5, &error), &error, SW_ERROR_TYPE, "rhs is 2.5, but a tensor of Int");
          assert_failure (sw_add_scalar (a, NAN, &error), &error, SW_ERROR_TYPE, "rhs is nan");
          assert_failure (sw_add_scalar (a, 1e300, &error), &error, SW_ERROR_VALUE, "out of the range of Int");
          assert_failure (sw_add_scalar (a, 0x1p63, &error), &error, SW_ERROR_VALUE, "out of the range of Int");
        }
    }
}

static void
test_range_of_numbers (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(1,)", -1);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_INT64, "(1,)", 0);
  GError *error = NULL;

  assert_result_is (sw_add_scalar (a, G_MAXINT32, &error), error, SW_DTYPE_INT32, "(1,)", G_MAXINT32 - 1.0);
  assert_failure (sw_add_scalar (a, G_MAXINT32 + 1.0, &error), &error, SW_ERROR_VALUE,
                  "rhs is the number 2147483648, which is out of the range of Int32");
  assert_result_is (sw_add_scalar (b, -0x1p63, &error), error, SW_DTYPE_INT64, "(1,)", -0x1p63);
}

/* Every other value, backwards order of modes, nesting, and one value for many: all against the plain sum. */
static void
test_layouts (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      g_autoptr (SwTensor) a = make_view (PLACE (data), dtype, "(2, (2, 3))", "(1, (2, 4))", 0);
      g_autoptr (SwTensor) b = make_view (PLACE (data), dtype, "(2, (2, 3))", "(12, (6, 2))", 3);
      g_autoptr (SwTensor) c = make_view (PLACE (data), dtype, "(2, (2, 3))", "(0, (5, 0))", 1);
      GError *error = NULL;

      assert_result_is (sw_add (a, b, &error), error, dtype, "(2, (2, 3))", 3, 16, 11, 24, 9, 22, 17, 30, 15, 28, 23, 36);
      assert_result_is (sw_sub (b, a, &error), error, dtype, "(2, (2, 3))", 3, 14, 7, 18, 1, 12, 5, 16, -1, 10, 3, 14);
      assert_result_is (sw_mul (b, c, &error), error, dtype, "(2, (2, 3))", 3, 15, 54, 126, 5, 17, 66, 138, 7, 19, 78, 150);
      assert_result_is (sw_neg (b, &error), error, dtype, "(2, (2, 3))",
                        -3, -15, -9, -21, -5, -17, -11, -23, -7, -19, -13, -25);
      assert_result_is (sw_relu (c, &error), error, dtype, "(2, (2, 3))", 1, 1, 6, 6, 1, 1, 6, 6, 1, 1, 6, 6);
      assert_result_is (sw_maximum_scalar (c, 4, &error), error, dtype, "(2, (2, 3))", 4, 4, 6, 6, 4, 4, 6, 6, 4, 4, 6, 6);
    }
}

/* A compact operand's order of modes is kept, so that rows stay rows. */
static void
test_result_layout (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(2, 3)", "(3, 1)", 0);
  GError *error = NULL;
  g_autoptr (SwTensor) b = sw_neg (a, &error);

  assert_tensor (b, error, SW_DTYPE_FLOAT32, "(2, 3)", 0, (double[]){ 0, -3, -1, -4, -2, -5 });
  g_assert_true (sw_layout_equal (b->layout, a->layout));
  g_assert_true (b->carrier != a->carrier);
}

static void
test_special_reals (gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      SwDType dtype = number_dtypes[i];
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), dtype, "(6,)", NAN, INFINITY, -INFINITY, 0, -1, 1);
      g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), dtype, "(6,)", 1, NAN, 2, 0, 0, 0);
      GError *error = NULL;

      assert_result_is (sw_maximum (a, b, &error), error, dtype, "(6,)", NAN, NAN, 2, 0, 0, 1);
      assert_result_is (sw_maximum (b, a, &error), error, dtype, "(6,)", NAN, NAN, 2, 0, 0, 1);
      assert_result_is (sw_relu (a, &error), error, dtype, "(6,)", NAN, INFINITY, 0, 0, 0, 1);
      assert_result_is (sw_div (a, b, &error), error, dtype, "(6,)", NAN, NAN, -INFINITY, NAN, -INFINITY, INFINITY);
      assert_result (sw_exp (a, &error), error, dtype, "(6,)", 1e-7, (double[]){ NAN, INFINITY, 0, 1, exp (-1), exp (1) });
      assert_result_is (sw_maximum_scalar (a, NAN, &error), error, dtype, "(6,)", NAN, NAN, NAN, NAN, NAN, NAN);
    }
}

static void
test_integer_division (gconstpointer data)
{
  for (guint i = 2; i < 4; i++)
    {
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), number_dtypes[i], "(3,)", 7, -7, 0);
      GError *error = NULL;

      assert_result_is (sw_div_scalar (a, 0, &error), error, SW_DTYPE_FLOAT64, "(3,)", INFINITY, -INFINITY, NAN);
      assert_result_is (sw_div_scalar (a, 2, &error), error, SW_DTYPE_FLOAT64, "(3,)", 3.5, -3.5, 0);
    }
}

static void
test_exp (gconstpointer data)
{
  GError *error = NULL;
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(4000,)", "(1,)", 0);
  SwTensor *result;

  /* All of the range, into the denormals and beyond both ends. */
  for (int i = 0; i < 4000; i++)
    put_number (a->carrier, i, (i - 2400) / 20.0 + 0.013 * (i % 7));
  result = sw_exp (a, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 4000; i++)
    {
      double exact = exp (get_number (a, i));
      float expected = (float) exact;
      float ulp = nextafterf (expected, INFINITY) - expected;

      if (isinf (expected))
        g_assert_true (isinf (get_number (result, i)));
      else
        g_assert_cmpfloat (fabs (get_number (result, i) - exact), <=, 1.1 * ulp);
    }
  sw_tensor_unref (result);
}

static void
test_exp_float64 (gconstpointer data)
{
  GError *error = NULL;
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT64, "(4000,)", "(1,)", 0);
  SwTensor *result;

  for (int i = 0; i < 4000; i++)
    put_number (a->carrier, i, (i - 2100) / 2.7 + 0.013 * (i % 7));
  result = sw_exp (a, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 4000; i++)
    {
      long double exact = expl (get_number (a, i));
      double expected = exact;
      double ulp = nextafter (expected, INFINITY) - expected;

      if (isinf (expected))
        g_assert_true (isinf (get_number (result, i)));
      else
        g_assert_cmpfloat (fabsl (get_number (result, i) - exact), <=, 1.1 * ulp);
    }
  sw_tensor_unref (result);
}

static void
test_overflow (gconstpointer data)
{
  GError *error = NULL;

  for (guint i = 2; i < 4; i++)
    {
      SwDType dtype = number_dtypes[i];
      double max = dtype == SW_DTYPE_INT32 ? 0x1p31 - 1 : 0x1p62, min = dtype == SW_DTYPE_INT32 ? -0x1p31 : -0x1p63;
      const char *name = sw_dtype_to_string (dtype);
      g_autofree char *text = g_strdup_printf (" overflows %s at index 5", name);
      g_autoptr (SwTensor) low = make_tensor_of (PLACE (data), dtype, "(3, 2)", 0, 1, 2, 3, 4, min);
      g_autoptr (SwTensor) high = make_tensor_of (PLACE (data), dtype, "(3, 2)", 0, 1, 2, 3, 4, max);

      assert_failure (sw_add (high, high, &error), &error, SW_ERROR_VALUE, text);
      assert_failure (sw_add (low, low, &error), &error, SW_ERROR_VALUE, text);
      assert_failure (sw_sub (low, high, &error), &error, SW_ERROR_VALUE, text);
      assert_failure (sw_mul (high, high, &error), &error, SW_ERROR_VALUE, text);
      assert_failure (sw_mul_scalar (low, -1, &error), &error, SW_ERROR_VALUE, text);
      assert_failure (sw_neg (low, &error), &error, SW_ERROR_VALUE, text);
      sw_tensor_unref (sw_neg (high, &error));
      g_assert_no_error (error);
      sw_tensor_unref (sw_relu (low, &error));
      g_assert_no_error (error);
    }
}

/* The index is that of the result's coordinate, not of the storage, and the first in the order of the ordinals. */
static void
test_overflow_index (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_INT32, "(4, 3)", "(3, 1)", 0);
  GError *error = NULL;

  put_number (a->carrier, 4, G_MAXINT32);  /* coordinate (1, 1) */
  put_number (a->carrier, 9, G_MAXINT32);  /* coordinate (3, 0) */
  put_number (a->carrier, 11, G_MAXINT32); /* coordinate (3, 2) */
  assert_failure (sw_add_scalar (a, 1, &error), &error, SW_ERROR_VALUE, "add overflows Int32 at index 3");
  assert_failure (sw_mul (a, a, &error), &error, SW_ERROR_VALUE, "mul overflows Int32 at index 3");
}

static void
test_wrong_operands (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "(2, 2)", 1, 2, 3, 4);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "((2, 2),)", 1, 2, 3, 4);
  g_autoptr (SwTensor) c = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 2)", 1, 2, 3, 4);
  g_auto (GValue) text = G_VALUE_INIT;
  GError *error = NULL;

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_static_string (&text, "x");
  assert_failure (sw_add (a, b, &error), &error, SW_ERROR_VALUE, "rhs has the shape ((2, 2),), but lhs has the shape (2, 2)");
  assert_result_is (sw_add (a, c, &error), error, SW_DTYPE_FLOAT64, "(2, 2)", 2, 4, 6, 8);
  assert_failure (call_with ("add", &error, sw_value_new_tensor (a), sw_value_new_object (&text)), &error, SW_ERROR_TYPE,
                  "rhs must be a Tensor or a number, not str");
  assert_failure (call_with ("elementwise_mul", &error, sw_value_new_tensor (a), sw_value_new_double (2)), &error, SW_ERROR_TYPE,
                  "rhs must be a Tensor, not double");
  assert_failure (call_with ("mul", &error, sw_value_new_tensor (a), sw_value_new_bool (TRUE)), &error, SW_ERROR_TYPE,
                  "rhs must be a Tensor or a number, not bool");
  assert_failure (call_with ("mul", &error, sw_value_new_tensor (a), sw_value_new_none ()), &error, SW_ERROR_TYPE, "not None");
  assert_failure (call_with ("add", &error, sw_value_new_tensor (a)), &error, SW_ERROR_TYPE, "add takes 2 inputs, not 1");
  assert_failure (call_with ("relu", &error, sw_value_new_tensor (a), sw_value_new_tensor (a)), &error, SW_ERROR_TYPE,
                  "relu takes 1 input, not 2");
  assert_failure (call_with ("argmax", &error, sw_value_new_tensor (a), sw_value_new_int64 (0), sw_value_new_int64 (0)), &error,
                  SW_ERROR_TYPE, "whether modes stay must be a bool, not int64");
  assert_failure (call_with ("argmax", &error, sw_value_new_tensor (a), sw_value_new_int64 (0), sw_value_new_bool (TRUE),
                             sw_value_new_bool (TRUE)),
                  &error, SW_ERROR_TYPE, "argmax takes 1 to 3 inputs, not 4");
}

static void
test_bool (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_BOOL, "(2,)", 1, 0);
  g_autoptr (SwShape) shape = make_shape ("(1, 2)");
  GError *error = NULL;

  assert_failure (sw_add (a, a, &error), &error, SW_ERROR_UNSUPPORTED, "add does not support Bool; on ");
  assert_failure (sw_exp (a, &error), &error, SW_ERROR_UNSUPPORTED, "Float32, Float64, Int32, Int64");
  assert_failure (sw_mul_scalar (a, 2, &error), &error, SW_ERROR_UNSUPPORTED, "mul does not support Bool");
  assert_failure (sw_reduce_max (a, &error), &error, SW_ERROR_UNSUPPORTED, "reduce_max does not support Bool");
  assert_failure (sw_argmax (a, &error), &error, SW_ERROR_UNSUPPORTED, "argmax does not support Bool");
  assert_failure (sw_reduce_sum (a, NULL, &error), &error, SW_ERROR_UNSUPPORTED, "reduce_sum does not support Bool");
  assert_result_is (sw_reshape (a, shape, &error), error, SW_DTYPE_BOOL, "(1, 2)", 1, 0);
}

static void
test_released (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(2,)", 1, 2);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(2,)", 1, 2);
  g_autoptr (SwShape) shape = make_shape ("(1, 2)");
  GError *error = NULL;

  sw_carrier_release (b->carrier, &error);
  g_assert_no_error (error);
  assert_failure (sw_add (a, b, &error), &error, SW_ERROR_STATE, "released");
  assert_failure (sw_relu (b, &error), &error, SW_ERROR_STATE, "released");
  assert_failure (sw_reshape (b, shape, &error), &error, SW_ERROR_STATE, "released");
  assert_failure (sw_reduce_sum (b, NULL, &error), &error, SW_ERROR_STATE, "released");
}

/* Repeated values make tensors whose result no memory holds. */
static void
test_too_large (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(1125899906842624,)", "(0,)", 0);
  g_autoptr (SwShape) shape = make_shape ("(1125899906842624, 1)");
  GError *error = NULL;
  SwTensor *view;

  g_assert_null (sw_relu (a, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_null (sw_add_scalar (a, 1, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_null (sw_reduce_sum_modes (a, NULL, 0, FALSE, NULL, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);

  view = sw_reshape (a, shape, &error);
  g_assert_no_error (error);
  sw_tensor_unref (view);
}

static void
test_other_carrier (void)
{
  g_autoptr (SwTensor) a = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(2, 1)", 1, 2);
  g_autoptr (SwTensor) b = make_tensor_of (ON_GENERIC, SW_DTYPE_FLOAT32, "(2, 1)", 1, 2);
  g_autoptr (SwOperation) operation = g_object_new (SW_TYPE_CPU_RELU_OPERATION, NULL);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&b, 1);
  GError *error = NULL;

  assert_failure (sw_add (a, b, &error), &error, SW_ERROR_UNSUPPORTED, "rhs is on Generic, but the first input of add is on CPU");
  assert_failure (sw_matmul (b, a, NULL, &error), &error, SW_ERROR_UNSUPPORTED, "rhs is on CPU");
  assert_failure (sw_operation_forward (operation, inputs, NULL, &error), &error, SW_ERROR_UNSUPPORTED,
                  "input is on Generic, which SwCPUReLUOperation does not run on");
}

static void
test_classes (gconstpointer data)
{
  g_autoptr (SwCarrier) carrier = make_carrier (PLACE (data), SW_DTYPE_FLOAT32, 1);
  g_auto (GStrv) names = sw_list_operations ();
  GError *error = NULL;

  g_assert_cmpuint (g_strv_length (names), ==, SW_N_OPERATIONS);
  for (guint i = 0; i < SW_N_OPERATIONS; i++)
    {
      const SwOperationInfo *info = sw_operation_info_get (i);
      g_autoptr (SwOperation) operation = sw_carrier_dispatch_op (carrier, names[i], &error);
      g_autoptr (SwOperation) other = sw_carrier_dispatch_op (carrier, names[i], &error);

      g_assert_no_error (error);
      g_assert_cmpuint (info->id, ==, i);
      g_assert_true (info->name == g_intern_string (names[i]));
      g_assert_true (sw_operation_info_find (names[i]) == info);
      g_assert_true (operation != other);
      g_assert_true (G_OBJECT_TYPE (operation) == G_OBJECT_TYPE (other));
      g_assert_true (g_str_has_suffix (G_OBJECT_TYPE_NAME (operation), "Operation"));
    }
  g_assert_null (sw_operation_info_find ("no such"));
}

/* Nothing keeps the inputs, whether the operation succeeds or not. */
static void
test_ownership (gconstpointer data)
{
  SwTensor *a = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 2)", 1, 2, 3, G_MAXINT32);
  SwCarrier *carrier = g_object_ref (a->carrier);
  g_autoptr (SwShape) shape = make_shape ("(4,)");
  GError *error = NULL;
  SwTensor *view;

  sw_tensor_unref (sw_exp (a, &error));
  sw_tensor_unref (sw_reduce_max (a, &error));
  g_assert_no_error (error);
  assert_failure (sw_mul (a, a, &error), &error, SW_ERROR_VALUE, "overflows");
  assert_failure (sw_matmul (a, a, NULL, &error), &error, SW_ERROR_VALUE, "overflows");
  assert_failure (sw_reduce_sum (a, NULL, &error), &error, SW_ERROR_VALUE, "overflows");

  view = sw_reshape (a, shape, &error);
  g_assert_true (view->carrier == carrier);
  sw_tensor_unref (a);
  sw_tensor_unref (view);
  g_assert_finalize_object (carrier);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  add_test ("arithmetic", test_arithmetic);
  add_test ("numbers", test_numbers);
  add_test ("range-of-numbers", test_range_of_numbers);
  add_test ("layouts", test_layouts);
  add_test ("result-layout", test_result_layout);
  add_test ("special-reals", test_special_reals);
  add_test ("integer-division", test_integer_division);
  add_test ("exp", test_exp);
  add_test ("exp-float64", test_exp_float64);
  add_test ("overflow", test_overflow);
  add_test ("overflow-index", test_overflow_index);
  add_test ("wrong-operands", test_wrong_operands);
  add_test ("bool", test_bool);
  add_test ("released", test_released);
  add_test ("classes", test_classes);
  add_test ("ownership", test_ownership);
  add_test ("too-large", test_too_large);
  g_test_add_func ("/operations/other-carrier", test_other_carrier);

  return g_test_run ();
}
