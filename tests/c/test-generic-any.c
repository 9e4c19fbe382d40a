/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "operation-fixture.h"

#define INTEGER(value) sw_value_new_int64 (value)
#define REAL(value) sw_value_new_double (value)

static SwTensor *
make_any_from (const char *shape_text,
               SwValue **values,
               gsize n_values)
{
  g_autoptr (SwValueList) list = sw_value_list_new (values, n_values);
  g_autoptr (SwShape) shape = make_shape (shape_text);
  GError *error = NULL;
  SwCarrier *carrier = sw_generic_new (list, TRUE, SW_DTYPE_ANY, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < n_values; i++)
    sw_value_unref (values[i]);
  return sw_tensor_new_take (carrier, 0, sw_layout_new_compact (shape));
}

#define make_any(shape_text, ...) \
  make_any_from (shape_text, (SwValue *[]){ __VA_ARGS__ }, G_N_ELEMENTS (((SwValue *[]){ __VA_ARGS__ })))

static void
assert_any_is (SwTensor *tensor,
               GError *error,
               const char *text)
{
  g_autoptr (GString) found = g_string_new (NULL);

  g_assert_no_error (error);
  g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, SW_DTYPE_ANY);
  for (gint64 i = 0; i < sw_tensor_get_size (tensor); i++)
    {
      gint64 index = tensor->offset + sw_layout_get_index_at (tensor->layout, i, &error);
      g_autoptr (SwValue) value = sw_carrier_get_value (tensor->carrier, index, &error);

      g_assert_no_error (error);
      if (sw_value_get_kind (value) == SW_VALUE_INT64)
        g_string_append_printf (found, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", sw_value_get_int64 (value));
      else
        g_string_append_printf (found, "%s%.4f", i > 0 ? " " : "", sw_value_get_double (value));
    }
  g_assert_cmpstr (found->str, ==, text);
  sw_tensor_unref (tensor);
}

static void
test_arithmetic (void)
{
  g_autoptr (SwTensor) a = make_any ("(3,)", INTEGER (-7), REAL (2.5), INTEGER (3));
  g_autoptr (SwTensor) b = make_any ("(3,)", INTEGER (2), INTEGER (2), REAL (0.5));
  GError *error = NULL;

  assert_any_is (sw_add (a, b, &error), error, "-5 4.5000 3.5000");
  assert_any_is (sw_sub (a, b, &error), error, "-9 0.5000 2.5000");
  assert_any_is (sw_mul (a, b, &error), error, "-14 5.0000 1.5000");
  assert_any_is (sw_div (a, b, &error), error, "-3.5000 1.2500 6.0000");
  assert_any_is (sw_maximum (a, b, &error), error, "2 2.5000 3");
  assert_any_is (sw_neg (a, &error), error, "7 -2.5000 -3");
  assert_any_is (sw_relu (a, &error), error, "0 2.5000 3");
  assert_any_is (sw_exp (b, &error), error, "7.3891 7.3891 1.6487");
  assert_any_is (sw_add_scalar (a, 0.5, &error), error, "-6.5000 3.0000 3.5000");
  assert_any_is (call_with ("add", &error, sw_value_new_tensor (a), sw_value_new_int64 (1)), error, "-6 3.5000 4");
}

static void
test_reductions (void)
{
  g_autoptr (SwTensor) a = make_any ("(2, 2)", INTEGER (1), INTEGER (2), REAL (0.5), INTEGER (4));
  g_autoptr (SwTensor) b = make_any ("(2, 1)", INTEGER (3), INTEGER (2));
  GError *error = NULL;

  assert_any_is (sw_reduce_sum (a, NULL, &error), error, "7.5000");
  assert_any_is (sw_reduce_sum_modes (a, (gint64[]){ 0 }, 1, FALSE, NULL, &error), error, "3 4.5000");
  assert_any_is (sw_reduce_max (a, &error), error, "4");
  assert_result_is (sw_argmax (a, &error), error, SW_DTYPE_INT64, "()", 3);
  assert_any_is (sw_matmul (a, b, NULL, &error), error, "4.0000 14");
}

static void
test_not_numbers (void)
{
  g_auto (GValue) text = G_VALUE_INIT;
  g_autoptr (SwTensor) a = NULL;
  g_autoptr (SwTensor) b = make_any ("(3,)", INTEGER (2), REAL (1), sw_value_new_bool (TRUE));
  g_autoptr (SwTensor) c = make_any ("(3,)", INTEGER (2), sw_value_new_none (), REAL (1));
  GError *error = NULL;

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_static_string (&text, "x");
  a = make_any ("(3,)", INTEGER (2), sw_value_new_object (&text), REAL (1));

  assert_failure (sw_relu (a, &error), &error, SW_ERROR_TYPE, "input must hold numbers, but value 1 of its carrier is a str");
  assert_failure (sw_add (c, b, &error), &error, SW_ERROR_TYPE, "lhs must hold numbers, but value 1 of its carrier is a None");
  assert_failure (sw_add_scalar (b, 1, &error), &error, SW_ERROR_TYPE, "value 2 of its carrier is a bool");
  assert_failure (sw_reduce_sum (a, NULL, &error), &error, SW_ERROR_TYPE, "value 1 of its carrier is a str");
  assert_failure (sw_argmax (a, &error), &error, SW_ERROR_TYPE, "value 1 of its carrier is a str");
}

static void
test_overflow (void)
{
  g_autoptr (SwTensor) a = make_any ("(2,)", INTEGER (1), INTEGER (G_MAXINT64));
  g_autoptr (SwTensor) b = make_any ("(2,)", INTEGER (1), INTEGER (G_MININT64));
  GError *error = NULL;

  assert_failure (sw_add (a, a, &error), &error, SW_ERROR_VALUE, "add overflows Int64 at index 1");
  assert_failure (sw_neg (b, &error), &error, SW_ERROR_VALUE, "neg overflows Int64 at index 1");
  assert_failure (sw_reduce_sum (a, NULL, &error), &error, SW_ERROR_VALUE, "reduce_sum overflows Int64 at index 0");
}

/* The values of a copy are the values themselves, whatever they are. */
static void
test_copy (void)
{
  g_autoptr (SwTensor) a = make_any ("(2, 2)", INTEGER (1), REAL (2), sw_value_new_none (), INTEGER (4));
  g_autoptr (SwShape) shape = make_shape ("(4,)");
  GError *error = NULL;
  g_autoptr (SwTensor) permuted = sw_permute (a, (gint64[]){ 1, 0 }, 2, &error);
  g_autoptr (SwTensor) copy = sw_reshape (permuted, shape, &error);
  g_autoptr (SwValue) value = NULL;

  g_assert_no_error (error);
  value = sw_carrier_get_value (copy->carrier, 1, &error);
  g_assert_cmpint (sw_value_get_kind (value), ==, SW_VALUE_NONE);
  g_clear_pointer (&value, sw_value_unref);
  value = sw_carrier_get_value (copy->carrier, 3, &error);
  g_assert_cmpint (sw_value_get_int64 (value), ==, 4);
}

static void
test_floating (void)
{
  g_autoptr (SwTensor) a = make_tensor_of (ON_GENERIC, SW_DTYPE_FLOATING, "(2, 2)", 1, -2, 0.5, 8);
  GError *error = NULL;

  assert_result_is (sw_add (a, a, &error), error, SW_DTYPE_FLOATING, "(2, 2)", 2, -4, 1, 16);
  assert_result_is (sw_div_scalar (a, 2, &error), error, SW_DTYPE_FLOATING, "(2, 2)", 0.5, -1, 0.25, 4);
  assert_result_is (sw_matmul (a, a, NULL, &error), error, SW_DTYPE_FLOATING, "(2, 2)", 0, -18, 4.5, 63);
  assert_result_is (sw_reduce_sum (a, NULL, &error), error, SW_DTYPE_FLOATING, "()", 7.5);
  assert_result_is (sw_argmax (a, &error), error, SW_DTYPE_INT64, "()", 3);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/any/arithmetic", test_arithmetic);
  g_test_add_func ("/any/reductions", test_reductions);
  g_test_add_func ("/any/not-numbers", test_not_numbers);
  g_test_add_func ("/any/overflow", test_overflow);
  g_test_add_func ("/any/copy", test_copy);
  g_test_add_func ("/floating", test_floating);

  return g_test_run ();
}
