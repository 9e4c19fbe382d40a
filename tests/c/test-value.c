/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/tensor/sw-dtype.h"
#include "sw/tensor/sw-tensor.h"
#include "sw/tensor/sw-value-private.h"

#include <math.h>

static SwTensor *
new_tensor (void)
{
  static const double values[] = { 1, 2, 3, 4, 5, 6 };
  static const gint64 extents[] = { 2, 3 };
  g_autoptr (SwCarrier) carrier = sw_generic_new_doubles (values, G_N_ELEMENTS (values), SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwShape) shape = sw_shape_new (extents, G_N_ELEMENTS (extents), NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);

  return sw_tensor_new (carrier, 0, layout, NULL);
}

static void
assert_text (SwValue *value,
             const char *text)
{
  g_autofree char *actual = sw_value_to_string (value);

  g_assert_cmpstr (actual, ==, text);
  sw_value_unref (value);
}

static void
test_dtypes (void)
{
  static const struct
  {
    SwDType dtype;
    const char *name;
    gsize item_size;
  } expected[] = {
    { SW_DTYPE_FLOAT32, "Float32", 4 },
    { SW_DTYPE_FLOAT64, "Float64", 8 },
    { SW_DTYPE_INT32, "Int32", 4 },
    { SW_DTYPE_INT64, "Int64", 8 },
    { SW_DTYPE_BOOL, "Bool", 1 },
    { SW_DTYPE_FLOATING, "Floating", 8 },
    { SW_DTYPE_ANY, "Any", sizeof (gpointer) },
    { SW_DTYPE_INVALID, "Invalid", 0 },
    { SW_DTYPE_N, "Invalid", 0 },
    { (SwDType) -3, "Invalid", 0 },
    { (SwDType) 100000, "Invalid", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_assert_cmpstr (sw_dtype_to_string (expected[i].dtype), ==, expected[i].name);
      g_assert_cmpuint (sw_dtype_get_item_size (expected[i].dtype), ==, expected[i].item_size);
    }
}

static void
test_content (void)
{
  g_autoptr (SwValue) none = sw_value_new_none ();
  g_autoptr (SwValue) truth = sw_value_new_bool (42);
  g_autoptr (SwValue) integer = sw_value_new_int64 (G_MININT64);
  g_autoptr (SwValue) real = sw_value_new_double (-0.25);

  g_assert_cmpint (sw_value_get_kind (none), ==, SW_VALUE_NONE);
  g_assert_cmpint (sw_value_get_kind (truth), ==, SW_VALUE_BOOL);
  g_assert_cmpint (sw_value_get_bool (truth), ==, TRUE);
  g_assert_cmpint (sw_value_get_kind (integer), ==, SW_VALUE_INT64);
  g_assert_cmpint (sw_value_get_int64 (integer), ==, G_MININT64);
  g_assert_cmpint (sw_value_get_kind (real), ==, SW_VALUE_DOUBLE);
  g_assert_cmpfloat (sw_value_get_double (real), ==, -0.25);
}

/* Every getter answers for every kind; a script that asks the wrong one gets nothing and no crash. */
static void
test_wrong_getters (void)
{
  g_autoptr (SwTensor) tensor = new_tensor ();
  SwValue *values[] = {
    sw_value_new_none (),
    sw_value_new_bool (TRUE),
    sw_value_new_int64 (7),
    sw_value_new_double (7.5),
    sw_value_new_tensor (tensor),
    sw_value_new_shape (sw_tensor_get_shape (tensor)),
    sw_value_new_indices ((const gint64[]){ 1, 2 }, 2),
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      SwValueKind kind = sw_value_get_kind (values[i]);
      gsize n_indices = 99;
      g_autofree gint64 *indices = sw_value_dup_indices (values[i], &n_indices);

      g_assert_cmpint (sw_value_get_bool (values[i]), ==, kind == SW_VALUE_BOOL);
      g_assert_cmpint (sw_value_get_int64 (values[i]), ==, kind == SW_VALUE_INT64 ? 7 : 0);
      g_assert_cmpfloat (sw_value_get_double (values[i]), ==, kind == SW_VALUE_DOUBLE ? 7.5 : kind == SW_VALUE_INT64 ? 7
                                                                                                                     : 0);
      g_assert_true (sw_value_get_tensor (values[i]) == (kind == SW_VALUE_TENSOR ? tensor : NULL));
      g_assert_true (sw_value_get_shape (values[i]) == (kind == SW_VALUE_SHAPE ? sw_tensor_get_shape (tensor) : NULL));
      g_assert_cmpuint (n_indices, ==, kind == SW_VALUE_INDICES ? 2 : 0);
      g_assert_null (sw_value_get_object (values[i]));
      sw_value_unref (values[i]);
    }
}

static void
test_objects (void)
{
  g_auto (GValue) text = G_VALUE_INIT;
  g_auto (GValue) number = G_VALUE_INIT;
  g_autoptr (SwCarrier) carrier = sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOATING, NULL);
  g_auto (GValue) object = G_VALUE_INIT;
  g_autoptr (SwValue) a = NULL, b = NULL, c = NULL, d = NULL;

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_string (&text, "x");
  g_value_init (&number, G_TYPE_INT);
  g_value_set_int (&number, 3);
  g_value_init (&object, G_TYPE_OBJECT);
  g_value_set_object (&object, carrier);

  a = sw_value_new_object (&text);
  b = sw_value_new_object (&text);
  c = sw_value_new_object (&number);
  d = sw_value_new_object (&object);
  g_assert_cmpstr (g_value_get_string (sw_value_get_object (a)), ==, "x");
  g_assert_true (sw_value_equal (a, b));
  g_assert_false (sw_value_equal (a, c));
  g_assert_cmpstr (sw_value_get_type_name (a), ==, "str");
  g_assert_cmpstr (sw_value_get_type_name (c), ==, "gint");
  g_assert_cmpstr (sw_value_get_type_name (d), ==, "SwGeneric");

  g_value_set_int (&number, 4);
  g_clear_pointer (&b, sw_value_unref);
  b = sw_value_new_object (&number);
  g_assert_false (sw_value_equal (b, c));

  g_clear_pointer (&d, sw_value_unref);
  g_value_reset (&object);
  g_assert_finalize_object (g_steal_pointer (&carrier));
}

static void
test_text (void)
{
  g_auto (GValue) text = G_VALUE_INIT;

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_string (&text, "x");

  assert_text (sw_value_new_none (), "None");
  assert_text (sw_value_new_bool (TRUE), "True");
  assert_text (sw_value_new_bool (FALSE), "False");
  assert_text (sw_value_new_int64 (-7), "-7");
  assert_text (sw_value_new_double (2), "2.0");
  assert_text (sw_value_new_double (2.5), "2.5");
  assert_text (sw_value_new_double (0.1), "0.1");
  assert_text (sw_value_new_double (1.0 / 3), "0.3333333333333333");
  assert_text (sw_value_new_double (1e300), "1e+300");
  assert_text (sw_value_new_double (-INFINITY), "-inf");
  assert_text (sw_value_new_double (NAN), "nan");
  assert_text (sw_value_new_indices (NULL, 0), "[]");
  assert_text (sw_value_new_indices ((const gint64[]){ 0, -1 }, 2), "[0, -1]");
  assert_text (sw_value_new_object (&text), "'x'");
}

static void
test_equality (void)
{
  g_autoptr (SwTensor) tensor = new_tensor ();
  g_autoptr (SwTensor) twin = new_tensor ();
  static const gint64 one_two[] = { 1, 2 };
  /* All different from each other, each equal to the other of its row. */
  SwValue *values[][2] = {
    { sw_value_new_none (), sw_value_new_none () },
    { sw_value_new_bool (TRUE), sw_value_new_bool (TRUE) },
    { sw_value_new_bool (FALSE), sw_value_new_bool (FALSE) },
    { sw_value_new_int64 (1), sw_value_new_int64 (1) },
    { sw_value_new_double (1), sw_value_new_double (1) },
    { sw_value_new_double (0.0), sw_value_new_double (-0.0) },
    { sw_value_new_double (NAN), sw_value_new_double (NAN) },
    { sw_value_new_tensor (tensor), sw_value_new_tensor (tensor) },
    { sw_value_new_tensor (twin), sw_value_new_tensor (twin) },
    { sw_value_new_shape (sw_tensor_get_shape (tensor)), sw_value_new_shape (sw_tensor_get_shape (twin)) },
    { sw_value_new_indices (NULL, 0), sw_value_new_indices (NULL, 0) },
    { sw_value_new_indices (one_two, 1), sw_value_new_indices (one_two, 1) },
    { sw_value_new_indices (one_two, 2), sw_value_new_indices (one_two, 2) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    for (guint j = 0; j < G_N_ELEMENTS (values); j++)
      g_assert_cmpint (sw_value_equal (values[i][0], values[j][1]), ==, i == j);

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      sw_value_unref (values[i][0]);
      sw_value_unref (values[i][1]);
    }
}

static void
test_list_of_values (void)
{
  g_autoptr (SwTensor) tensor = new_tensor ();
  g_autoptr (SwValue) first = sw_value_new_tensor (tensor);
  g_autoptr (SwValue) second = sw_value_new_int64 (5);
  SwValue *values[] = { first, second, NULL };
  g_autoptr (SwValueList) list = sw_value_list_new (values, G_N_ELEMENTS (values));
  g_autoptr (SwTensor) found = NULL;
  g_autoptr (SwValue) copy = NULL;
  g_autoptr (SwValue) hole = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (sw_value_list_get_length (list), ==, 3);
  g_assert_null (sw_value_list_peek_doubles (list));
  g_assert_null (sw_value_list_peek_int64s (list));
  g_assert_true (sw_value_list_peek (list, 1) == second);

  found = sw_value_list_dup_tensor (list, 0, &error);
  g_assert_no_error (error);
  g_assert_true (found == tensor);
  copy = sw_value_list_dup_value (list, 1, &error);
  g_assert_no_error (error);
  g_assert_true (copy == second);
  hole = sw_value_list_dup_value (list, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_value_get_kind (hole), ==, SW_VALUE_NONE);
}

static void
test_list_of_numbers (void)
{
  static const double reals[] = { 1.5, -2 };
  static const gint64 integers[] = { 4, G_MAXINT64 };
  g_autoptr (SwValueList) doubles = sw_value_list_new_doubles (reals, 2);
  g_autoptr (SwValueList) int64s = sw_value_list_new_int64s (integers, 2);
  g_autoptr (SwValue) real = sw_value_list_dup_value (doubles, 1, NULL);
  g_autoptr (SwValue) integer = sw_value_list_dup_value (int64s, 1, NULL);

  g_assert_cmpfloat (sw_value_get_double (real), ==, -2);
  g_assert_cmpint (sw_value_get_int64 (integer), ==, G_MAXINT64);
  g_assert_null (sw_value_list_peek (doubles, 0));
  g_assert_cmpmem (sw_value_list_peek_doubles (doubles), sizeof reals, reals, sizeof reals);
  g_assert_cmpmem (sw_value_list_peek_int64s (int64s), sizeof integers, integers, sizeof integers);
}

static void
test_list_of_tensors (void)
{
  g_autoptr (SwTensor) tensor = new_tensor ();
  SwTensor *tensors[] = { tensor, NULL, tensor };
  g_autoptr (SwValueList) list = sw_value_list_new_tensors (tensors, G_N_ELEMENTS (tensors));
  g_autoptr (SwTensor) found = sw_value_list_dup_tensor (list, 2, NULL);

  g_assert_true (found == tensor);
  g_assert_cmpint (sw_value_list_peek (list, 1)->kind, ==, SW_VALUE_NONE);
}

static void
assert_list_error (SwValueList *list,
                   gsize index,
                   SwError code,
                   const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_value_list_dup_tensor (list, index, &error));
  g_assert_error (error, SW_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_list_errors (void)
{
  g_auto (GValue) text = G_VALUE_INIT;
  g_autoptr (SwValue) string = NULL;
  g_autoptr (SwValueList) list = NULL;
  g_autoptr (SwValueList) numbers = sw_value_list_new_doubles ((const double[]){ 1 }, 1);
  g_autoptr (SwValueList) nothing = sw_value_list_new (NULL, 0);
  g_autoptr (GError) error = NULL;
  SwValue *values[2];

  g_value_init (&text, G_TYPE_STRING);
  g_value_set_string (&text, "x");
  string = sw_value_new_object (&text);
  values[0] = values[1] = string;
  list = sw_value_list_new (values, 2);

  assert_list_error (list, 1, SW_ERROR_TYPE, "inputs[1] is a str, not a Tensor");
  assert_list_error (numbers, 0, SW_ERROR_TYPE, "inputs[0] is a double, not a Tensor");
  assert_list_error (list, 2, SW_ERROR_INDEX, "index is 2, but the list holds 2 values");
  assert_list_error (nothing, 0, SW_ERROR_INDEX, "index is 0, but the list holds 0 values");
  g_assert_null (sw_value_list_dup_value (list, G_MAXSIZE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
  g_assert_null (sw_value_list_dup_value (list, G_MAXSIZE, NULL));
}

static void
test_error_domain (void)
{
  g_assert_cmpstr (g_quark_to_string (SW_ERROR), ==, "sw-error-quark");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/error/domain", test_error_domain);
  g_test_add_func ("/dtype/names-and-sizes", test_dtypes);
  g_test_add_func ("/value/content", test_content);
  g_test_add_func ("/value/wrong-getters", test_wrong_getters);
  g_test_add_func ("/value/objects", test_objects);
  g_test_add_func ("/value/text", test_text);
  g_test_add_func ("/value/equality", test_equality);
  g_test_add_func ("/value-list/values", test_list_of_values);
  g_test_add_func ("/value-list/numbers", test_list_of_numbers);
  g_test_add_func ("/value-list/tensors", test_list_of_tensors);
  g_test_add_func ("/value-list/errors", test_list_errors);
  return g_test_run ();
}
