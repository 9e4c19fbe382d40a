/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations whose first input is a number: 2 - x, 1 / x. */
#include "config.h"

#include "operation-fixture.h"

static const SwDType number_dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };

static gboolean
is_integer (SwDType dtype)
{
  return dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64;
}

static void
test_every_dtype (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i], real = is_integer (dtype) ? SW_DTYPE_FLOAT64 : dtype;
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), dtype, "(2, 2)", 1, 2, 4, 8);
      GError *error = NULL;

      assert_result_is (sw_scalar_sub (2, a, &error), error, dtype, "(2, 2)", 1, 0, -2, -6);
      assert_result_is (sw_scalar_div (1, a, &error), error, real, "(2, 2)", 1, 0.5, 0.25, 0.125);
      assert_result_is (sw_scalar_div (0.5, a, &error), error, real, "(2, 2)", 0.5, 0.25, 0.125, 0.0625);
      assert_result_is (sw_scalar_pow (2, a, &error), error, dtype, "(2, 2)", 2, 4, 16, 256);
      assert_result_is (sw_scalar_rem (-7, a, &error), error, dtype, "(2, 2)", 0, 1, 1, 1);
      assert_result_is (sw_scalar_lt (2, a, &error), error, SW_DTYPE_BOOL, "(2, 2)", FALSE, FALSE, TRUE, TRUE);
      assert_result_is (sw_scalar_le (2, a, &error), error, SW_DTYPE_BOOL, "(2, 2)", FALSE, TRUE, TRUE, TRUE);
      assert_result_is (sw_scalar_lt (2.5, a, &error), error, SW_DTYPE_BOOL, "(2, 2)", FALSE, FALSE, TRUE, TRUE);
      assert_result_is (sw_scalar_lt (-1e300, a, &error), error, SW_DTYPE_BOOL, "(2, 2)", TRUE, TRUE, TRUE, TRUE);
      assert_result_is (sw_scalar_le (NAN, a, &error), error, SW_DTYPE_BOOL, "(2, 2)", FALSE, FALSE, FALSE, FALSE);
    }
}

static void
test_layouts (gconstpointer data)
{
  g_autoptr (SwTensor) nested = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(2, (2, 3))", "(12, (6, 2))", 3);
  g_autoptr (SwTensor) single = make_view (PLACE (data), SW_DTYPE_INT64, "()", "()", 4);
  GError *error = NULL;

  assert_result_is (sw_scalar_sub (1, nested, &error), error, SW_DTYPE_FLOAT32, "(2, (2, 3))", -2, -14, -8, -20, -4, -16, -10,
                    -22, -6, -18, -12, -24);
  assert_result_is (sw_scalar_sub (1, single, &error), error, SW_DTYPE_INT64, "()", -3);
}

static void
test_failures (gconstpointer data)
{
  g_autoptr (SwTensor) whole = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2,)", 0, -1);
  g_autoptr (SwTensor) truth = make_tensor_of (PLACE (data), SW_DTYPE_BOOL, "(2,)", 0, 1);
  g_autoptr (SwTensor) released = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(1,)", 1);
  GError *error = NULL;

  assert_failure (sw_scalar_sub (2.5, whole, &error), &error, SW_ERROR_TYPE,
                  "lhs is 2.5, but a tensor of Int32 takes whole numbers only");
  assert_failure (sw_scalar_sub (NAN, whole, &error), &error, SW_ERROR_TYPE, "lhs is nan");
  assert_failure (sw_scalar_sub (0x1p31, whole, &error), &error, SW_ERROR_VALUE,
                  "lhs is the number 2147483648, which is out of the range of Int32");
  assert_failure (sw_scalar_sub (G_MAXINT32, whole, &error), &error, SW_ERROR_VALUE, "sub overflows Int32 at index 1");
  assert_failure (sw_scalar_rem (1, whole, &error), &error, SW_ERROR_VALUE, "rem divides an integer by zero at index 0");
  assert_failure (sw_scalar_pow (2, whole, &error), &error, SW_ERROR_VALUE, "negative exponent of an integer at index 1");
  assert_failure (sw_scalar_div (1, truth, &error), &error, SW_ERROR_UNSUPPORTED, "div does not support Bool; on ");
  assert_failure (sw_scalar_lt (1, truth, &error), &error, SW_ERROR_TYPE, "lhs is the number 1, but rhs holds Bool");
  g_assert_true (sw_carrier_release (released->carrier, &error));
  assert_failure (sw_scalar_sub (1, released, &error), &error, SW_ERROR_STATE, "released");
}

static SwTensor *
call_by_name (const char *name,
              SwValue *number,
              SwTensor *tensor,
              GError **error)
{
  g_autoptr (SwValue) lhs = number;

  return sw_scalar_binary (name, lhs, tensor, NULL, error);
}

static void
test_by_name (gconstpointer data)
{
  g_autoptr (SwTensor) large = make_tensor_of (PLACE (data), SW_DTYPE_INT64, "(2,)", 1, 2);
  g_autoptr (SwTensor) truth = make_tensor_of (PLACE (data), SW_DTYPE_BOOL, "(2,)", 0, 1);
  g_autoptr (SwTensor) result = NULL;
  GError *error = NULL;

  /* More than a double holds. */
  result = call_by_name ("sub", sw_value_new_int64 (G_MAXINT64), large, &error);
  g_assert_no_error (error);
  g_assert_cmpint (((gint64 *) sw_carrier_get_private (result->carrier)->data)[0], ==, G_MAXINT64 - 1);
  assert_result_is (call_by_name ("maximum", sw_value_new_int64 (2), large, &error), error, SW_DTYPE_INT64, "(2,)", 2, 2);
  assert_result_is (call_by_name ("eq", sw_value_new_bool (TRUE), truth, &error), error, SW_DTYPE_BOOL, "(2,)", 0, 1);
  assert_failure (call_by_name ("relu", sw_value_new_int64 (2), large, &error), &error, SW_ERROR_VALUE, "relu takes no number");
  assert_failure (call_by_name ("elementwise_mul", sw_value_new_int64 (2), large, &error), &error, SW_ERROR_VALUE,
                  "elementwise_mul takes no number");
  assert_failure (call_by_name ("nonsense", sw_value_new_int64 (2), large, &error), &error, SW_ERROR_VALUE, "'nonsense' is not known");
  assert_failure (call_by_name ("sub", sw_value_new_tensor (large), large, &error), &error, SW_ERROR_TYPE,
                  "lhs must be a number, not Tensor");
  assert_failure (call_by_name ("sub", sw_value_new_bool (TRUE), large, &error), &error, SW_ERROR_TYPE,
                  "lhs is True, but rhs holds Int64");
  assert_failure (call_by_name ("add", sw_value_new_bool (TRUE), truth, &error), &error, SW_ERROR_UNSUPPORTED,
                  "add does not support Bool");
}

static void
test_into (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "(3,)", 1, 2, 4);
  g_autoptr (SwTensor) truth = make_tensor_of (PLACE (data), SW_DTYPE_BOOL, "(3,)", 0, 0, 0);
  GError *error = NULL;

  g_assert_true (sw_scalar_binary_into (truth, "lt", 1.5, a, &error));
  assert_tensor (truth, error, SW_DTYPE_BOOL, "(3,)", 0, (double[]){ 0, 1, 1 });
  g_assert_true (sw_scalar_binary_into (a, "div", 8, a, &error));
  assert_tensor (a, error, SW_DTYPE_FLOAT64, "(3,)", 0, (double[]){ 8, 4, 2 });
  g_assert_false (sw_scalar_binary_into (truth, "div", 8, a, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_false (sw_scalar_binary_into (a, "sort", 8, a, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
}

/* A number is no step of its own: what recorders see is the one operation. */
static void
test_one_event (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(2, 2)", 1, 2, 4, 8);
  g_autoptr (SwProfiler) profiler = sw_profiler_new (TRUE);
  g_autofree char *table = NULL;
  GError *error = NULL;

  g_assert_true (sw_profiler_enter (profiler, &error));
  assert_result_is (sw_scalar_sub (2, a, &error), error, SW_DTYPE_FLOAT32, "(2, 2)", 1, 0, -2, -6);
  g_assert_true (sw_profiler_exit (profiler, &error));
  table = sw_profiler_dup_table (profiler, NULL, TRUE, TRUE, -1, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (table, "((2, 2), (2, 2))"));
  g_assert_nonnull (strstr (table, "sub"));
  g_assert_cmpint (sw_profiler_count_events (profiler, &error), ==, 1);
  g_assert_no_error (error);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  add_test ("every-dtype", test_every_dtype);
  add_test ("layouts", test_layouts);
  add_test ("failures", test_failures);
  add_test ("by-name", test_by_name);
  add_test ("into", test_into);
  add_test ("one-event", test_one_event);
  return g_test_run ();
}
