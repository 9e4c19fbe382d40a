/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "operation-fixture.h"

static void
test_views (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_INT32, "(2, 3)", "(1, 2)", 0);
  g_autoptr (SwTensor) b = make_view (PLACE (data), SW_DTYPE_INT32, "(3, 1)", "(1, 1)", 2);
  g_autoptr (SwShape) wide = make_shape ("(3, 2)");
  g_autoptr (SwShape) flat = make_shape ("(6,)");
  g_autoptr (SwShape) nested = make_shape ("((1, 2), (3,))");
  GError *error = NULL;
  g_autoptr (SwTensor) permuted = sw_permute (a, (gint64[]){ 1, 0 }, 2, &error);
  g_autoptr (SwTensor) reshaped = NULL;

  assert_tensor (permuted, error, SW_DTYPE_INT32, "(3, 2)", 0, (double[]){ 0, 2, 4, 1, 3, 5 });
  g_assert_true (permuted->carrier == a->carrier);
  assert_result_is (sw_broadcast_to (b, wide, &error), error, SW_DTYPE_INT32, "(3, 2)", 2, 3, 4, 2, 3, 4);

  /* Strides express this one, not the other. */
  reshaped = sw_reshape (a, nested, &error);
  assert_tensor (reshaped, error, SW_DTYPE_INT32, "((1, 2), (3,))", 0, (double[]){ 0, 1, 2, 3, 4, 5 });
  g_assert_true (reshaped->carrier == a->carrier);
  g_clear_pointer (&reshaped, sw_tensor_unref);
  reshaped = sw_reshape (permuted, flat, &error);
  assert_tensor (reshaped, error, SW_DTYPE_INT32, "(6,)", 0, (double[]){ 0, 2, 4, 1, 3, 5 });
  g_assert_true (reshaped->carrier != a->carrier);
}

static void
test_copies (gconstpointer data)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_BOOL };
  g_autoptr (SwShape) shape = make_shape ("(6, 2)");

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (SwTensor) a = make_view (PLACE (data), dtypes[i], "(3, 2, 2)", "(4, 0, 1)", 1);
      double expected[] = { 1, 5, 9, 1, 5, 9, 2, 6, 10, 2, 6, 10 };
      GError *error = NULL;

      for (guint k = 0; dtypes[i] == SW_DTYPE_BOOL && k < 12; k++)
        expected[k] = 1;
      assert_result (sw_reshape (a, shape, &error), error, dtypes[i], "(6, 2)", 0, expected);
    }
}

static void
test_wrong_views (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_INT32, "(2, 3)", "(1, 2)", 0);
  g_autoptr (SwShape) shape = make_shape ("(2, 4)");
  GError *error = NULL;

  assert_failure (sw_reshape (a, shape, &error), &error, SW_ERROR_VALUE, "shape (2, 4) has 8 elements");
  assert_failure (sw_broadcast_to (a, shape, &error), &error, SW_ERROR_VALUE, "3 cannot become 4");
  assert_failure (sw_permute (a, (gint64[]){ 0, 7 }, 2, &error), &error, SW_ERROR_VALUE, "order[1] is 7");
  assert_failure (sw_permute (a, (gint64[]){ 0 }, 1, &error), &error, SW_ERROR_VALUE, "order");
  assert_failure (call_with ("reshape", &error, sw_value_new_tensor (a), sw_value_new_indices ((gint64[]){ 6 }, 1)), &error,
                  SW_ERROR_TYPE, "shape must be a Shape, not list of int64");
  assert_failure (call_with ("permute", &error, sw_value_new_tensor (a), sw_value_new_int64 (6)), &error, SW_ERROR_TYPE,
                  "order must be a list of integers, not int64");
  assert_failure (call_with ("broadcast_to", &error, sw_value_new_tensor (a)), &error, SW_ERROR_TYPE, "broadcast_to takes 2 inputs, not 1");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  add_test ("known", test_views);
  add_test ("copies", test_copies);
  add_test ("wrong", test_wrong_views);

  return g_test_run ();
}
