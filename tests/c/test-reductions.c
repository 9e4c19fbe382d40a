/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "operation-fixture.h"

static const SwDType number_dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };

#define MODES(...) (const gint64[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ }))

static void
test_sum (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      g_autoptr (SwTensor) a = make_view (PLACE (data), dtype, "(2, (2, 3), 2)", "(1, (2, 4), 12)", 0);
      GError *error = NULL;

      assert_result_is (sw_reduce_sum (a, NULL, &error), error, dtype, "()", 276);
      assert_result_is (sw_reduce_sum_modes (a, MODES (0), FALSE, NULL, &error), error, dtype, "((2, 3), 2)",
                        1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45);
      assert_result_is (sw_reduce_sum_modes (a, MODES (1), FALSE, NULL, &error), error, dtype, "(2, 2)", 30, 36, 102, 108);
      assert_result_is (sw_reduce_sum_modes (a, MODES (1), TRUE, NULL, &error), error, dtype, "(2, (1, 1), 2)", 30, 36, 102, 108);
      assert_result_is (sw_reduce_sum_modes (a, MODES (2, 0), FALSE, NULL, &error), error, dtype, "((2, 3),)", 26, 34, 42, 50, 58, 66);
      assert_result_is (sw_reduce_sum_modes (a, MODES (0, 1, 2), FALSE, NULL, &error), error, dtype, "()", 276);
      assert_result_is (call_with ("reduce_sum", &error, sw_value_new_tensor (a), sw_value_new_int64 (1)), error, dtype, "(2, 2)", 30, 36, 102, 108);
      assert_result_is (call_with ("reduce_sum", &error, sw_value_new_tensor (a), sw_value_new_none ()), error, dtype, "()", 276);
    }
}

static void
test_no_modes (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_INT32, "(2, (1, 2))", "(2, (7, 1))", 1);
  GError *error = NULL;

  assert_result_is (sw_reduce_sum_modes (a, NULL, 0, FALSE, NULL, &error), error, SW_DTYPE_INT32, "(2, (1, 2))", 1, 3, 2, 4);
  assert_result_is (sw_reduce_max_modes (a, NULL, 0, FALSE, &error), error, SW_DTYPE_INT32, "(2, (1, 2))", 1, 3, 2, 4);
}

static void
test_scalar (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "()", 2.5);
  GError *error = NULL;

  assert_result_is (sw_reduce_sum (a, NULL, &error), error, SW_DTYPE_FLOAT32, "()", 2.5);
  assert_result_is (sw_reduce_max (a, &error), error, SW_DTYPE_FLOAT32, "()", 2.5);
  assert_result_is (sw_argmax (a, &error), error, SW_DTYPE_INT64, "()", 0);
  assert_result_is (sw_add (a, a, &error), error, SW_DTYPE_FLOAT32, "()", 5);
}

/* Rows and columns, long enough for every path of the loops. */
static void
test_long (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      g_autoptr (SwTensor) a = make_view (PLACE (data), dtype, "(37, 53)", "(53, 1)", 0);
      g_autofree double *rows = g_new (double, 37);
      g_autofree double *columns = g_new (double, 53);
      g_autofree double *rows_max = g_new (double, 37);
      g_autofree double *columns_max = g_new (double, 53);
      GError *error = NULL;

      for (int r = 0; r < 37; r++)
        {
          rows[r] = 53 * 53 * r + 53 * 52 / 2;
          rows_max[r] = 53 * r + 52;
        }
      for (int c = 0; c < 53; c++)
        {
          columns[c] = 53 * (37 * 36 / 2) + 37 * c;
          columns_max[c] = 36 * 53 + c;
        }
      assert_result (sw_reduce_sum_modes (a, MODES (1), FALSE, NULL, &error), error, dtype, "(37,)", 0, rows);
      assert_result (sw_reduce_sum_modes (a, MODES (0), FALSE, NULL, &error), error, dtype, "(53,)", 0, columns);
      assert_result (sw_reduce_max_modes (a, MODES (1), FALSE, &error), error, dtype, "(37,)", 0, rows_max);
      assert_result (sw_reduce_max_modes (a, MODES (0), FALSE, &error), error, dtype, "(53,)", 0, columns_max);
      assert_result_is (sw_reduce_sum (a, NULL, &error), error, dtype, "()", 1961 * 1960 / 2);
      assert_result_is (sw_reduce_max (a, &error), error, dtype, "()", 1960);
      assert_result_is (sw_argmax (a, &error), error, SW_DTYPE_INT64, "()", 1960);
    }
}

static void
test_repeated (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(40, 3)", "(0, 1)", 2);
  g_autofree double *expected = g_new (double, 40);
  GError *error = NULL;

  for (int i = 0; i < 40; i++)
    expected[i] = 9;
  assert_result_is (sw_reduce_sum_modes (a, MODES (0), FALSE, NULL, &error), error, SW_DTYPE_FLOAT32, "(3,)", 80, 120, 160);
  assert_result (sw_reduce_sum_modes (a, MODES (1), FALSE, NULL, &error), error, SW_DTYPE_FLOAT32, "(40,)", 0, expected);
  assert_result_is (sw_reduce_sum (a, NULL, &error), error, SW_DTYPE_FLOAT32, "()", 360);
}

static SwExecutionOptions *
make_options (const char *name,
              SwDType accumulator)
{
  GError *error = NULL;
  SwExecutionOptions *options = sw_execution_options_new (name, accumulator, &error);

  g_assert_no_error (error);
  return options;
}

static void
test_accumulators (gconstpointer data)
{
  static const struct
  {
    SwDType dtype;
    SwDType accumulator;
    gboolean allowed;
  } rows[] = {
    { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT32, TRUE },
    { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, TRUE },
    { SW_DTYPE_FLOAT64, SW_DTYPE_FLOAT32, TRUE },
    { SW_DTYPE_FLOAT64, SW_DTYPE_FLOAT64, TRUE },
    { SW_DTYPE_INT32, SW_DTYPE_INT64, TRUE },
    { SW_DTYPE_INT64, SW_DTYPE_INT64, TRUE },
    { SW_DTYPE_FLOAT32, SW_DTYPE_INT64, FALSE },
    { SW_DTYPE_INT32, SW_DTYPE_INT32, FALSE },
    { SW_DTYPE_INT32, SW_DTYPE_FLOAT64, FALSE },
    { SW_DTYPE_INT64, SW_DTYPE_FLOAT32, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), rows[i].dtype, "(1, 3)", 1, 2, 3);
      g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), rows[i].dtype, "(3, 1)", 4, 5, 6);
      g_autoptr (SwExecutionOptions) sum = make_options ("reduce_sum", rows[i].accumulator);
      g_autoptr (SwExecutionOptions) product = make_options ("matmul", rows[i].accumulator);
      GError *error = NULL;

      if (rows[i].allowed)
        {
          assert_result_is (sw_reduce_sum (a, sum, &error), error, rows[i].dtype, "()", 6);
          assert_result_is (sw_matmul (a, b, product, &error), error, rows[i].dtype, "(1, 1)", 32);
          continue;
        }
      assert_failure (sw_reduce_sum (a, sum, &error), &error, SW_ERROR_VALUE, "accumulator_dtype is ");
      assert_failure (sw_matmul (a, b, product, &error), &error, SW_ERROR_VALUE, " allows ");
    }
}

/* What the accumulator is shows in the result. */
static void
test_accumulator_precision (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "(1, 3)", 0x1p30, 1, 1);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "(3, 1)", 1, 1, 1);
  g_autoptr (SwTensor) c = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(1, 3)", 0x1p30, 1, -0x1p30);
  g_autoptr (SwTensor) d = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(3, 1)", 1, 1, 1);
  g_autoptr (SwExecutionOptions) sum32 = make_options ("reduce_sum", SW_DTYPE_FLOAT32);
  g_autoptr (SwExecutionOptions) product32 = make_options ("matmul", SW_DTYPE_FLOAT32);
  g_autoptr (SwExecutionOptions) sum64 = make_options ("reduce_sum", SW_DTYPE_FLOAT64);
  g_autoptr (SwExecutionOptions) product64 = make_options ("matmul", SW_DTYPE_FLOAT64);
  GError *error = NULL;

  assert_result_is (sw_reduce_sum (a, NULL, &error), error, SW_DTYPE_FLOAT64, "()", 0x1p30 + 2);
  assert_result_is (sw_reduce_sum (a, sum32, &error), error, SW_DTYPE_FLOAT64, "()", 0x1p30);
  assert_result_is (sw_matmul (a, b, product32, &error), error, SW_DTYPE_FLOAT64, "(1, 1)", 0x1p30);
  assert_result_is (sw_reduce_sum (c, sum64, &error), error, SW_DTYPE_FLOAT32, "()", 1);
  assert_result_is (sw_matmul (c, d, product64, &error), error, SW_DTYPE_FLOAT32, "(1, 1)", 1);
}

/* A running sum in Float32 would be far off. */
static void
test_sum_precision (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(200000,)", "(1,)", 0);
  GError *error = NULL;

  for (int i = 0; i < 200000; i++)
    put_number (a->carrier, i, 0.1);
  assert_result (sw_reduce_sum (a, NULL, &error), error, SW_DTYPE_FLOAT32, "()", 1e-7, (double[]){ 200000 * (double) 0.1f });
}

static void
test_integer_sum (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 2)", 1, 1, G_MAXINT32, 1);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(3,)", G_MAXINT32, G_MAXINT32, -0x1p31 + 1);
  g_autoptr (SwTensor) c = make_tensor_of (PLACE (data), SW_DTYPE_INT64, "(4,)", 0x1p62, 0x1p62, -0x1p62, -5);
  g_autoptr (SwTensor) d = make_tensor_of (PLACE (data), SW_DTYPE_INT64, "(3,)", -0x1p63, -1, 0);
  GError *error = NULL;

  assert_failure (sw_reduce_sum_modes (a, MODES (0), FALSE, NULL, &error), &error, SW_ERROR_VALUE, "reduce_sum overflows Int32 at index 1");
  assert_failure (sw_reduce_sum (a, NULL, &error), &error, SW_ERROR_VALUE, "reduce_sum overflows Int32 at index 0");
  /* Only the total counts, not what the sum was on the way. */
  assert_result_is (sw_reduce_sum (b, NULL, &error), error, SW_DTYPE_INT32, "()", G_MAXINT32);
  assert_result_is (sw_reduce_sum (c, NULL, &error), error, SW_DTYPE_INT64, "()", 0x1p62 - 5);
  assert_failure (sw_reduce_sum (d, NULL, &error), &error, SW_ERROR_VALUE, "reduce_sum overflows Int64 at index 0");
}

static void
test_max (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), dtype, "(2, (2, 2))", -5, -9, -7, -6, -8, -1, -4, -3);
      GError *error = NULL;

      assert_result_is (sw_reduce_max (a, &error), error, dtype, "()", -1);
      assert_result_is (sw_reduce_max_modes (a, MODES (0), FALSE, &error), error, dtype, "((2, 2),)", -5, -6, -1, -3);
      assert_result_is (sw_reduce_max_modes (a, MODES (1), FALSE, &error), error, dtype, "(2,)", -4, -1);
      assert_result_is (sw_argmax (a, &error), error, SW_DTYPE_INT64, "()", 5);
      assert_result_is (sw_argmax_mode (a, 0, FALSE, &error), error, SW_DTYPE_INT64, "((2, 2),)", 0, 1, 1, 1);
      assert_result_is (sw_argmax_mode (a, 1, FALSE, &error), error, SW_DTYPE_INT64, "(2,)", 3, 2);
      assert_result_is (call_with ("argmax", &error, sw_value_new_tensor (a), sw_value_new_int64 (1)), error, SW_DTYPE_INT64, "(2,)", 3, 2);
    }
}

static void
test_special_reals (gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      SwDType dtype = number_dtypes[i];
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), dtype, "(5,)", 1, NAN, INFINITY, NAN, 2);
      g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), dtype, "(3,)", -INFINITY, -INFINITY, -INFINITY);
      g_autoptr (SwTensor) c = make_tensor_of (PLACE (data), dtype, "(3,)", INFINITY, 1, -INFINITY);
      g_autoptr (SwTensor) d = make_tensor_of (PLACE (data), dtype, "(2,)", NAN, INFINITY);
      GError *error = NULL;

      assert_result_is (sw_reduce_max (a, &error), error, dtype, "()", NAN);
      assert_result_is (sw_argmax (a, &error), error, SW_DTYPE_INT64, "()", 1);
      assert_result_is (sw_reduce_max (b, &error), error, dtype, "()", -INFINITY);
      assert_result_is (sw_argmax (b, &error), error, SW_DTYPE_INT64, "()", 0);
      assert_result_is (sw_reduce_sum (c, NULL, &error), error, dtype, "()", NAN);
      assert_result_is (sw_argmax (d, &error), error, SW_DTYPE_INT64, "()", 0);
    }
}

/* The first of equal values, wherever it is and however long the row. */
static void
test_argmax_ties (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      for (int first = 0; first < 150; first += 7)
        {
          g_autoptr (SwTensor) a = make_view (PLACE (data), number_dtypes[i], "(2, 75)", "(75, 1)", 0);
          GError *error = NULL;
          gint64 index = sw_layout_get_index_at (a->layout, first, &error);

          put_number (a->carrier, index, 1000);
          for (int later = first + 3; later < 150; later += 11)
            put_number (a->carrier, sw_layout_get_index_at (a->layout, later, &error), 1000);
          assert_result_is (sw_argmax (a, &error), error, SW_DTYPE_INT64, "()", first);
        }
    }
}

static void
test_wrong_modes (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(2, (3, 4))", "(1, (2, 6))", 0);
  g_autoptr (SwShape) shape = make_shape ("(2,)");
  GError *error = NULL;

  assert_failure (sw_reduce_sum_modes (a, MODES (0, 7), FALSE, NULL, &error), &error, SW_ERROR_VALUE, "modes[1] is 7, but the input has 2 modes");
  assert_failure (sw_reduce_sum_modes (a, MODES (-1), FALSE, NULL, &error), &error, SW_ERROR_VALUE, "modes[0] is -1");
  assert_failure (sw_reduce_max_modes (a, MODES (1, 1), FALSE, &error), &error, SW_ERROR_VALUE, "modes[1] is 1, which modes names already");
  assert_failure (sw_argmax_mode (a, 2, FALSE, &error), &error, SW_ERROR_VALUE, "mode[0] is 2, but the input has 2 modes");
  assert_failure (sw_argmax_mode (a, G_MININT64, FALSE, &error), &error, SW_ERROR_VALUE, "mode[0] is -9223372036854775808");
  assert_failure (call_with ("argmax", &error, sw_value_new_tensor (a), sw_value_new_indices ((gint64[]){ 0, 1 }, 2)), &error,
                  SW_ERROR_VALUE, "mode must be one mode, not 2");
  assert_failure (call_with ("argmax", &error, sw_value_new_tensor (a), sw_value_new_double (1)), &error, SW_ERROR_TYPE,
                  "mode must be an integer or a list of integers, not double");
  assert_failure (call_with ("reduce_sum", &error, sw_value_new_tensor (a), sw_value_new_shape (shape)), &error, SW_ERROR_TYPE,
                  "modes must be an integer or a list of integers, not Shape");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  add_test ("sum", test_sum);
  add_test ("no-modes", test_no_modes);
  add_test ("scalar", test_scalar);
  add_test ("long", test_long);
  add_test ("repeated", test_repeated);
  add_test ("accumulators", test_accumulators);
  add_test ("accumulator-precision", test_accumulator_precision);
  add_test ("sum-precision", test_sum_precision);
  add_test ("integer-sum", test_integer_sum);
  add_test ("max", test_max);
  add_test ("special-reals", test_special_reals);
  add_test ("argmax-ties", test_argmax_ties);
  add_test ("wrong-modes", test_wrong_modes);

  return g_test_run ();
}
