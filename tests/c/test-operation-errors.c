/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* What operations say of inputs that they cannot take, on both carriers; and that they say it before they allocate. */

#include "operation-fixture.h"

#define INDICES(...) (gint64[]){ __VA_ARGS__ }, G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ }))

static void
test_dtypes (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(2,)", 1, 2);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_BOOL, "(2,)", 1, 0);
  GError *error = NULL;

  assert_failure (sw_pow (a, b, &error), &error, SW_ERROR_UNSUPPORTED, "pow does not support Bool; on ");
  assert_failure (sw_eq (a, b, &error), &error, SW_ERROR_UNSUPPORTED, "eq does not support Float32 with Bool");
  assert_failure (sw_select (a, a, a, &error), &error, SW_ERROR_UNSUPPORTED, "select does not support Float32 as condition");
  assert_failure (sw_select (b, a, b, &error), &error, SW_ERROR_UNSUPPORTED, "select does not support Float32 with Bool");
  assert_failure (sw_softmax (b, INDICES (0), &error), &error, SW_ERROR_UNSUPPORTED, "softmax does not support Bool");
  assert_failure (sw_gather (a, 0, a, &error), &error, SW_ERROR_UNSUPPORTED, "index holds Float32, but must hold Int32 or Int64");
  assert_failure (sw_cast (a, SW_DTYPE_INVALID, &error), &error, SW_ERROR_VALUE, "dtype is 0, which is no dtype");
  assert_failure (sw_cast (a, (SwDType) 99, &error), &error, SW_ERROR_VALUE, "dtype is 99");
  assert_failure (call_with ("cast", &error, sw_value_new_tensor (a), sw_value_new_double (1)), &error, SW_ERROR_TYPE,
                  "dtype must be a DType, not double");
}

/* More values than any memory: who allocates first fails in another way. */
static void
test_nothing_is_allocated_first (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_BOOL, "(1125899906842624, 2)", "(0, 0)", 0);
  g_autoptr (SwTensor) b = make_view (PLACE (data), SW_DTYPE_FLOAT64, "(1125899906842624, 2)", "(0, 0)", 0);
  GError *error = NULL;

  assert_failure (sw_log (a, &error), &error, SW_ERROR_UNSUPPORTED, "log does not support Bool");
  assert_failure (sw_minimum (b, a, &error), &error, SW_ERROR_UNSUPPORTED, "minimum does not support Bool");
  assert_failure (sw_clamp (a, 0, 1, &error), &error, SW_ERROR_UNSUPPORTED, "clamp does not support Bool");
  assert_failure (sw_cumsum (a, 0, &error), &error, SW_ERROR_UNSUPPORTED, "cumsum does not support Bool");
  assert_failure (sw_sort (a, 1, FALSE, &error), &error, SW_ERROR_UNSUPPORTED, "sort does not support Bool");
  assert_failure (sw_log (b, &error), &error, SW_ERROR_VALUE, "2251799813685248");
}

static void
test_values (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 2)", 3, -2, 0, 7);
  g_autoptr (SwTensor) b = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "(2, 2)", 3, NAN, 0, 7);
  g_autoptr (SwTensor) index = make_tensor_of (PLACE (data), SW_DTYPE_INT64, "(2, 1)", 0, 2);
  GError *error = NULL;

  assert_failure (sw_pow_scalar (a, -1, &error), &error, SW_ERROR_VALUE, "pow has a negative exponent of an integer at index 0");
  assert_failure (sw_rem (a, a, &error), &error, SW_ERROR_VALUE, "rem divides an integer by zero at index 2");
  assert_failure (sw_cast (b, SW_DTYPE_INT64, &error), &error, SW_ERROR_VALUE, "cast overflows Int64 at index 1");
  assert_failure (sw_clamp (a, 0.5, 2, &error), &error, SW_ERROR_TYPE, "minimum is 0.5, but a tensor of Int32 takes whole numbers only");
  assert_failure (sw_gather (a, 1, index, &error), &error, SW_ERROR_INDEX, "index has the value 2, but the mode has 2 places");
  assert_failure (sw_gather (a, 2, index, &error), &error, SW_ERROR_VALUE, "mode[0] is 2, but the input has 2 modes");
  assert_failure (sw_scatter (a, 1, index, a, &error), &error, SW_ERROR_VALUE, "source has the shape (2, 2), but index has the shape (2, 1)");
  assert_failure (sw_topk (a, 3, 0, &error), &error, SW_ERROR_VALUE, "k is 3, but must be between 0 and 2");
  assert_failure (sw_squeeze_modes (a, INDICES (1), &error), &error, SW_ERROR_VALUE, "modes names mode 1, whose size is 2, not 1");
  assert_failure (sw_rearrange (a, "a b -> a", &error), &error, SW_ERROR_VALUE, "the right side leaves 'b' out");
  assert_failure (sw_layer_norm (b, INDICES (0), b, NULL, 0, &error), &error, SW_ERROR_VALUE, "weight has the shape (2, 2), but modes have the shape (2,)");
  assert_failure (sw_layer_norm (b, INDICES (0), NULL, NULL, -1, &error), &error, SW_ERROR_VALUE, "epsilon is -1, but must not be negative");
}

static void
test_windows (gconstpointer data)
{
  double zeros[48] = { 0 };
  g_autoptr (SwTensor) a = make_tensor (PLACE (data), SW_DTYPE_FLOAT32, "(1, 4, 3, 4)", zeros);
  g_autoptr (SwTensor) b = make_tensor (PLACE (data), SW_DTYPE_FLOAT32, "(2, 4, 1, 2)", zeros);
  GError *error = NULL;

  assert_failure (sw_conv_general (a, b, INDICES (1, 0), NULL, 0, NULL, 0, 1, &error), &error, SW_ERROR_VALUE, "strides[1] is 0, but must be between 1 and");
  assert_failure (sw_conv_general (a, b, NULL, 0, INDICES (1), NULL, 0, 1, &error), &error, SW_ERROR_VALUE, "padding has 1 values, but there are 2 modes");
  assert_failure (sw_conv_general (a, b, NULL, 0, NULL, 0, INDICES (1, 4), 1, &error), &error, SW_ERROR_VALUE, "a window reaches over 5 places of mode 3, but with its padding that has 4");
  assert_failure (sw_conv_general (a, b, NULL, 0, NULL, 0, NULL, 0, 3, &error), &error, SW_ERROR_VALUE, "groups is 3, but must divide the 4 channels of input and the 2 of weight");
  assert_failure (sw_conv_general (a, b, NULL, 0, NULL, 0, NULL, 0, 2, &error), &error, SW_ERROR_VALUE, "mode 1 of weight is 4, but input has 2 channels for each of 2 groups");
  assert_failure (sw_max_pool (a, INDICES (2), NULL, 0, NULL, 0, &error), &error, SW_ERROR_VALUE, "window has 1 values, but there are 2 modes");
  assert_failure (sw_max_pool (a, INDICES (2, 2), NULL, 0, INDICES (2, 0), &error), &error, SW_ERROR_VALUE, "padding of mode 2 makes windows that hold nothing else");
  assert_failure (sw_avg_pool (b, INDICES (2, 2), NULL, 0, NULL, 0, &error), &error, SW_ERROR_VALUE, "a window reaches over 2 places of mode 2");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  add_test ("dtypes", test_dtypes);
  add_test ("nothing-is-allocated-first", test_nothing_is_allocated_first);
  add_test ("values", test_values);
  add_test ("windows", test_windows);

  return g_test_run ();
}
