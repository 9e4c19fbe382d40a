/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "operation-fixture.h"

static const SwDType number_dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };

static void
test_known (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      /* [[1 3 5] [2 4 6]] and [[1 4] [2 5] [3 6]] */
      g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), dtype, "(2, 3)", 1, 2, 3, 4, 5, 6);
      g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), dtype, "(3, 2)", 1, 2, 3, 4, 5, 6);
      GError *error = NULL;

      assert_result_is (sw_matmul (a, b, NULL, &error), error, dtype, "(2, 2)", 22, 28, 49, 64);
      assert_result_is (sw_matmul (b, a, NULL, &error), error, dtype, "(3, 3)", 9, 12, 15, 19, 26, 33, 29, 40, 51);
    }
}

static void
test_nested (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_dtypes); i++)
    {
      SwDType dtype = number_dtypes[i];
      g_autoptr (SwTensor) a = make_view (PLACE (data), dtype, "((2, 1), (2, 2))", "((1, 9), (2, 4))", 0);
      g_autoptr (SwTensor) b = make_view (PLACE (data), dtype, "((2, 2), (1, (2,)))", "((1, 2), (5, (4,)))", 0);
      GError *error = NULL;

      assert_result_is (sw_matmul (a, b, NULL, &error), error, dtype, "((2, 1), (1, (2,)))", 28, 34, 76, 98);
    }
}

/* Each pair of these is the same matrix in another storage order: what BLAS takes as it is, and what has to be packed. */
static void
test_orders (gconstpointer data)
{
  static const char *const lhs_strides[] = { "(1, 3)", "(4, 1)", "(2, 8)", "(10, 2)", "(0, 1)", "(1, 0)", "(0, 0)" };
  static const char *const rhs_strides[] = { "(1, 4)", "(2, 1)", "(3, 1)", "(1, 7)", "(2, 11)", "(0, 1)", "(1, 0)" };

  for (guint d = 0; d < G_N_ELEMENTS (number_dtypes); d++)
    {
      for (guint l = 0; l < G_N_ELEMENTS (lhs_strides); l++)
        {
          for (guint r = 0; r < G_N_ELEMENTS (rhs_strides); r++)
            {
              g_autoptr (SwTensor) a = make_view (PLACE (data), number_dtypes[d], "(3, 4)", lhs_strides[l], 1);
              g_autoptr (SwTensor) b = make_view (PLACE (data), number_dtypes[d], "(4, 2)", rhs_strides[r], 2);
              double expected[6] = { 0 };
              GError *error = NULL;

              for (int i = 0; i < 3; i++)
                {
                  for (int j = 0; j < 2; j++)
                    {
                      for (int k = 0; k < 4; k++)
                        expected[i + 3 * j] += get_number (a, i + 3 * k) * get_number (b, k + 4 * j);
                    }
                }
              assert_result (sw_matmul (a, b, NULL, &error), error, number_dtypes[d], "(3, 2)", 0, expected);
            }
        }
    }
}

static void
test_thin (gconstpointer data)
{
  g_autoptr (SwTensor) row = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(1, 5)", "(3, 2)", 0);
  g_autoptr (SwTensor) column = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(5, 1)", "(3, 0)", 1);
  g_autoptr (SwTensor) one = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(1, 1)", "(0, 0)", 3);
  GError *error = NULL;

  assert_result_is (sw_matmul (row, column, NULL, &error), error, SW_DTYPE_FLOAT32, "(1, 1)", 200);
  assert_result_is (sw_matmul (one, row, NULL, &error), error, SW_DTYPE_FLOAT32, "(1, 5)", 0, 6, 12, 18, 24);
  assert_result_is (sw_matmul (column, one, NULL, &error), error, SW_DTYPE_FLOAT32, "(5, 1)", 3, 12, 21, 30, 39);
  assert_result_is (sw_matmul (one, one, NULL, &error), error, SW_DTYPE_FLOAT32, "(1, 1)", 9);
}

static void
test_special_reals (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(2, 2)", 0, 1, NAN, 2);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(2, 1)", 3, INFINITY);
  GError *error = NULL;

  assert_result_is (sw_matmul (a, b, NULL, &error), error, SW_DTYPE_FLOAT32, "(2, 1)", NAN, INFINITY);
}

static void
test_overflow (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 2)", 1, 1, 1, G_MAXINT32);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 1)", 1, 1);
  g_autoptr (SwTensor) c = make_tensor_of (PLACE (data), SW_DTYPE_INT64, "(1, 2)", 0x1p40, 1);
  g_autoptr (SwTensor) d = make_tensor_of (PLACE (data), SW_DTYPE_INT64, "(2, 1)", 0x1p23, 1);
  g_autoptr (SwTensor) e = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(1, 2)", G_MAXINT32, 1 - 0x1p31);
  g_autoptr (SwTensor) f = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 1)", G_MAXINT32, G_MAXINT32);
  GError *error = NULL;

  assert_failure (sw_matmul (a, b, NULL, &error), &error, SW_ERROR_VALUE, "matmul overflows Int32 at index 1");
  assert_failure (sw_matmul (c, d, NULL, &error), &error, SW_ERROR_VALUE, "matmul overflows Int64 at index 0");
  assert_result_is (sw_matmul (e, f, NULL, &error), error, SW_DTYPE_INT32, "(1, 1)", 0);
}

static void
test_wrong_operands (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(2, 3)", "(1, 2)", 0);
  g_autoptr (SwTensor) b = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(4, 2)", "(1, 4)", 0);
  g_autoptr (SwTensor) c = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(3,)", "(1,)", 0);
  g_autoptr (SwTensor) d = make_view (PLACE (data), SW_DTYPE_FLOAT64, "(3, 1)", "(1, 1)", 0);
  g_autoptr (SwTensor) e = make_view (PLACE (data), SW_DTYPE_BOOL, "(1, 1)", "(1, 1)", 0);
  g_autoptr (SwTensor) f = make_view (PLACE (data), SW_DTYPE_FLOAT32, "((3,), 1)", "((1,), 1)", 0);
  GError *error = NULL;

  assert_failure (sw_matmul (a, b, NULL, &error), &error, SW_ERROR_VALUE, "mode 0 of rhs is 4, but mode 1 of lhs is 3");
  assert_failure (sw_matmul (a, f, NULL, &error), &error, SW_ERROR_VALUE, "mode 0 of rhs is (3,), but mode 1 of lhs is 3");
  assert_failure (sw_matmul (a, c, NULL, &error), &error, SW_ERROR_VALUE, "rhs must have 2 modes, but its shape is (3,)");
  assert_failure (sw_matmul (c, a, NULL, &error), &error, SW_ERROR_VALUE, "lhs must have 2 modes, but its shape is (3,)");
  assert_failure (sw_matmul (e, e, NULL, &error), &error, SW_ERROR_UNSUPPORTED, "matmul does not support Bool");
  assert_failure (call_with ("matmul", &error, sw_value_new_tensor (a), sw_value_new_double (1)), &error, SW_ERROR_TYPE,
                  "rhs must be a Tensor, not double");
}

/* A factor that BLAS cannot take as it is, and that is too large to be copied. */
static void
test_no_memory_to_pack (void)
{
  g_autoptr (SwTensor) a = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(1, 1125899906842624)", "(0, 0)", 0);
  g_autoptr (SwTensor) b = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(1125899906842624, 1)", "(0, 0)", 0);
  GError *error = NULL;

  assert_failure (sw_matmul (a, b, NULL, &error), &error, SW_ERROR_FAILED, "no memory to copy the 1125899906842624 values of lhs");
}

/* Repeated values make matrices that no memory holds. */
static void
test_too_large (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(1099511627776, 1)", "(0, 0)", 0);
  g_autoptr (SwTensor) b = make_view (PLACE (data), SW_DTYPE_FLOAT32, "(1, 1099511627776)", "(0, 0)", 0);
  GError *error = NULL;

  assert_failure (sw_matmul (a, b, NULL, &error), &error, SW_ERROR_VALUE, "");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  add_test ("known", test_known);
  add_test ("nested", test_nested);
  add_test ("orders", test_orders);
  add_test ("thin", test_thin);
  add_test ("special-reals", test_special_reals);
  add_test ("overflow", test_overflow);
  add_test ("wrong-operands", test_wrong_operands);
  add_test ("too-large", test_too_large);
  g_test_add_func ("/cpu/no-memory-to-pack", test_no_memory_to_pack);

  return g_test_run ();
}
