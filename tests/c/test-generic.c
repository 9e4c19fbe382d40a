/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/tensor/sw-carrier-private.h"

#include <math.h>

static SwValue *
new_text (const char *text)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  return sw_value_new_object (&value);
}

/* Takes @value over. */
static gboolean
set_value (SwCarrier *carrier,
           gint64 index,
           SwValue *value,
           GError **error)
{
  gboolean done = sw_carrier_set_value (carrier, index, value, error);

  sw_value_unref (value);
  return done;
}

/* Takes @value over. */
static void
assert_refused (SwCarrier *carrier,
                SwValue *value,
                SwError code,
                const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValue) before = sw_carrier_get_value (carrier, 0, NULL);
  g_autoptr (SwValue) after = NULL;
  guint64 version = sw_carrier_get_version (carrier);

  g_assert_false (set_value (carrier, 0, value, &error));
  g_assert_error (error, SW_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
  after = sw_carrier_get_value (carrier, 0, NULL);
  g_assert_true (sw_value_equal (before, after));
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, version);
}

/* Takes @value over. */
static void
assert_kept (SwCarrier *carrier,
             SwValue *value,
             SwValue *kept)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValue) after = NULL;
  guint64 version = sw_carrier_get_version (carrier);

  g_assert_true (set_value (carrier, 0, value, &error));
  g_assert_no_error (error);
  after = sw_carrier_get_value (carrier, 0, &error);
  g_assert_no_error (error);
  g_assert_true (sw_value_equal (kept, after));
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, version + 1);
  sw_value_unref (kept);
}

static SwCarrier *
new_one (SwDType dtype)
{
  g_autoptr (SwCarrier) like = sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOATING, NULL);
  g_autoptr (GError) error = NULL;
  SwCarrier *carrier = sw_carrier_allocate_like (like, 1, TRUE, dtype, FALSE, &error);

  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, dtype);
  return carrier;
}

static void
test_real_dtypes (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOATING, SW_DTYPE_FLOAT64, SW_DTYPE_FLOAT32 };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (SwCarrier) carrier = new_one (dtypes[i]);
      g_autofree char *not_bool = g_strdup_printf ("value True is not a %s", sw_dtype_to_string (dtypes[i]));
      g_autofree char *not_text = g_strdup_printf ("value 'x' is not a %s", sw_dtype_to_string (dtypes[i]));
      g_autofree char *not_none = g_strdup_printf ("value None is not a %s", sw_dtype_to_string (dtypes[i]));

      assert_kept (carrier, sw_value_new_double (2.5), sw_value_new_double (2.5));
      assert_kept (carrier, sw_value_new_int64 (-3), sw_value_new_double (-3));
      assert_kept (carrier, sw_value_new_double (NAN), sw_value_new_double (NAN));
      assert_kept (carrier, sw_value_new_double (-INFINITY), sw_value_new_double (-INFINITY));
      assert_refused (carrier, sw_value_new_bool (TRUE), SW_ERROR_TYPE, not_bool);
      assert_refused (carrier, new_text ("x"), SW_ERROR_TYPE, not_text);
      assert_refused (carrier, sw_value_new_none (), SW_ERROR_TYPE, not_none);
    }
}

static void
test_float32_rounds (void)
{
  g_autoptr (SwCarrier) carrier = new_one (SW_DTYPE_FLOAT32);

  assert_kept (carrier, sw_value_new_double (0.1), sw_value_new_double (0.1f));
  assert_kept (carrier, sw_value_new_double (1e300), sw_value_new_double (INFINITY));
}

static void
test_integer_dtypes (void)
{
  g_autoptr (SwCarrier) int32 = new_one (SW_DTYPE_INT32);
  g_autoptr (SwCarrier) int64 = new_one (SW_DTYPE_INT64);

  assert_kept (int32, sw_value_new_int64 (G_MININT32), sw_value_new_int64 (G_MININT32));
  assert_kept (int32, sw_value_new_int64 (G_MAXINT32), sw_value_new_int64 (G_MAXINT32));
  assert_refused (int32, sw_value_new_double (2.5), SW_ERROR_TYPE, "value 2.5 is not an Int32");
  assert_refused (int32, sw_value_new_double (2), SW_ERROR_TYPE, "value 2.0 is not an Int32");
  assert_refused (int32, sw_value_new_bool (FALSE), SW_ERROR_TYPE, "value False is not an Int32");
  assert_refused (int32, sw_value_new_int64 (G_GINT64_CONSTANT (3000000000)), SW_ERROR_VALUE,
                  "value 3000000000 is outside the range of an Int32");
  assert_refused (int32, sw_value_new_int64 (G_MININT64), SW_ERROR_VALUE,
                  "value -9223372036854775808 is outside the range of an Int32");

  assert_kept (int64, sw_value_new_int64 (G_MININT64), sw_value_new_int64 (G_MININT64));
  assert_refused (int64, sw_value_new_double (NAN), SW_ERROR_TYPE, "value nan is not an Int64");
}

static void
test_bool_dtype (void)
{
  g_autoptr (SwCarrier) carrier = new_one (SW_DTYPE_BOOL);

  assert_kept (carrier, sw_value_new_bool (TRUE), sw_value_new_bool (TRUE));
  assert_refused (carrier, sw_value_new_int64 (1), SW_ERROR_TYPE, "value 1 is not a Bool");
  assert_refused (carrier, sw_value_new_double (1), SW_ERROR_TYPE, "value 1.0 is not a Bool");
}

static void
test_any_dtype (void)
{
  g_autoptr (SwCarrier) carrier = new_one (SW_DTYPE_ANY);
  g_autoptr (SwValue) fresh = sw_carrier_get_value (carrier, 0, NULL);

  g_assert_cmpint (sw_value_get_kind (fresh), ==, SW_VALUE_NONE);
  assert_kept (carrier, sw_value_new_bool (TRUE), sw_value_new_bool (TRUE));
  assert_kept (carrier, sw_value_new_int64 (1), sw_value_new_int64 (1));
  assert_kept (carrier, sw_value_new_double (1.5), sw_value_new_double (1.5));
  assert_kept (carrier, new_text ("x"), new_text ("x"));
  assert_kept (carrier, sw_value_new_none (), sw_value_new_none ());
  assert_kept (carrier, new_text ("left for the end"), new_text ("left for the end"));
}

/* Any gives back what it kept: at a release, and at the end. */
static void
test_any_lets_go (void)
{
  g_autoptr (SwCarrier) carrier = new_one (SW_DTYPE_ANY);
  g_autoptr (SwCarrier) kept = new_one (SW_DTYPE_FLOATING);
  g_auto (GValue) object = G_VALUE_INIT;

  g_object_add_weak_pointer (G_OBJECT (kept), (gpointer *) &kept);
  g_value_init (&object, G_TYPE_OBJECT);
  g_value_take_object (&object, kept);
  g_assert_true (set_value (carrier, 0, sw_value_new_object (&object), NULL));
  g_value_reset (&object);
  g_assert_nonnull (kept);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_null (kept);

  g_clear_object (&carrier);
  carrier = new_one (SW_DTYPE_ANY);
  kept = new_one (SW_DTYPE_FLOATING);
  g_object_add_weak_pointer (G_OBJECT (kept), (gpointer *) &kept);
  g_value_take_object (&object, kept);
  g_assert_true (set_value (carrier, 0, sw_value_new_object (&object), NULL));
  g_value_reset (&object);
  g_assert_nonnull (kept);
  g_clear_object (&carrier);
  g_assert_null (kept);
}

static void
test_new (void)
{
  static const double reals[] = { 1, 2.5, -3 };
  g_autoptr (SwValueList) list = sw_value_list_new_doubles (reals, 3);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_generic_new (list, FALSE, SW_DTYPE_FLOATING, &error);
  g_autoptr (SwValue) value = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, 3);
  g_assert_false (sw_carrier_is_mutable (carrier, NULL));
  value = sw_carrier_get_value (carrier, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sw_value_get_double (value), ==, 2.5);

  g_assert_false (sw_carrier_set_value (carrier, 0, value, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpstr (error->message, ==, "carrier is an immutable Generic");
  g_assert_finalize_object (g_steal_pointer (&carrier));
}

static void
assert_new_fails (SwValueList *list,
                  SwDType dtype,
                  SwError code,
                  const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_generic_new (list, TRUE, dtype, &error));
  g_assert_error (error, SW_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_new_errors (void)
{
  g_autoptr (SwValue) one = sw_value_new_int64 (1);
  g_autoptr (SwValue) text = new_text ("x");
  SwValue *mixed[] = { one, text, NULL };
  g_autoptr (SwValueList) numbers = sw_value_list_new_doubles ((const double[]){ 1, 2 }, 2);
  g_autoptr (SwValueList) large = sw_value_list_new_int64s ((const gint64[]){ 1, G_MAXINT64 }, 2);
  g_autoptr (SwValueList) list = sw_value_list_new (mixed, 2);
  g_autoptr (SwValueList) hole = sw_value_list_new (mixed + 2, 1);

  assert_new_fails (numbers, SW_DTYPE_INVALID, SW_ERROR_VALUE, "dtype is Invalid, which Generic does not hold");
  assert_new_fails (numbers, (SwDType) 77, SW_ERROR_VALUE, "dtype is Invalid, which Generic does not hold");
  assert_new_fails (numbers, SW_DTYPE_INT64, SW_ERROR_TYPE, "values[0]: value 1.0 is not an Int64");
  assert_new_fails (list, SW_DTYPE_FLOATING, SW_ERROR_TYPE, "values[1]: value 'x' is not a Floating");
  assert_new_fails (large, SW_DTYPE_INT32, SW_ERROR_VALUE, "values[1]: value 9223372036854775807 is outside the range of an Int32");
  assert_new_fails (hole, SW_DTYPE_FLOATING, SW_ERROR_TYPE, "values[0]: value None is not a Floating");
}

static void
test_like (void)
{
  g_autoptr (SwValue) one = sw_value_new_int64 (1);
  SwValue *with_hole[] = { one, NULL };
  g_autoptr (SwValueList) list = sw_value_list_new (with_hole, 2);
  g_autoptr (SwCarrier) carrier = new_one (SW_DTYPE_INT64);
  g_autoptr (GError) error = NULL;

  /* Twice: a released carrier makes others, too. */
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SwCarrier) own = sw_carrier_new_like (carrier, list, TRUE, SW_DTYPE_INVALID, &error);
      g_autoptr (SwCarrier) other = NULL;
      g_autoptr (SwCarrier) zeros = NULL;
      g_autoptr (SwValue) hole = NULL;
      g_autoptr (SwValue) zero = NULL;

      g_assert_no_error (error);
      g_assert_true (SW_IS_GENERIC (own));
      g_assert_true (sw_carrier_is_mutable (own, NULL));
      g_assert_cmpint (sw_carrier_dtype (own, NULL), ==, SW_DTYPE_INT64);
      hole = sw_carrier_get_value (own, 1, NULL);
      g_assert_cmpint (sw_value_get_kind (hole), ==, SW_VALUE_INT64);
      g_assert_cmpint (sw_value_get_int64 (hole), ==, 0);

      other = sw_carrier_new_like (carrier, list, FALSE, SW_DTYPE_FLOAT32, &error);
      g_assert_no_error (error);
      g_assert_false (sw_carrier_is_mutable (other, NULL));
      g_assert_cmpint (sw_carrier_dtype (other, NULL), ==, SW_DTYPE_FLOAT32);

      zeros = sw_carrier_allocate_like (carrier, 1000, FALSE, SW_DTYPE_INVALID, FALSE, &error);
      g_assert_no_error (error);
      g_assert_cmpint (sw_carrier_size (zeros, NULL), ==, 1000);
      zero = sw_carrier_get_value (zeros, 999, NULL);
      g_assert_cmpint (sw_value_get_int64 (zero), ==, 0);

      g_assert_true (sw_carrier_release (carrier, NULL));
    }
}

static void
test_like_errors (void)
{
  g_autoptr (SwCarrier) carrier = new_one (SW_DTYPE_INT64);
  g_autoptr (SwValueList) list = sw_value_list_new_doubles ((const double[]){ 0.5 }, 1);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_carrier_new_like (carrier, list, TRUE, SW_DTYPE_INVALID, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "values[0]: value 0.5 is not an Int64");
  g_clear_error (&error);

  g_assert_null (sw_carrier_new_like (carrier, list, TRUE, (SwDType) 55, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "dtype is 55, which is no dtype");
  g_clear_error (&error);

  g_assert_null (sw_carrier_allocate_like (carrier, -1, TRUE, SW_DTYPE_INVALID, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "size is -1, and must not be negative");
  g_clear_error (&error);

  g_assert_null (sw_carrier_allocate_like (carrier, G_MAXINT64, TRUE, SW_DTYPE_ANY, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "size is 9223372036854775807, and there is no memory for so many values of Any");
}

static void
test_supports (void)
{
  g_autoptr (SwCarrier) carrier = new_one (SW_DTYPE_INT64);

  g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_INVALID));
  for (SwDType dtype = SW_DTYPE_INVALID + 1; dtype < SW_DTYPE_N; dtype++)
    g_assert_true (sw_carrier_supports_storage_dtype (carrier, dtype));
  g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_N));
  g_assert_false (sw_carrier_supports_storage_dtype (carrier, (SwDType) -1));
}

static void
test_views (void)
{
  static const double reals[] = { 1, 2.5, -3 };
  g_autoptr (SwCarrier) carrier = sw_generic_new_doubles (reals, 3, SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwCarrier) any = new_one (SW_DTYPE_ANY);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) view = sw_carrier_ref_bytes (carrier, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_cmpmem (g_bytes_get_data (view, NULL), g_bytes_get_size (view), reals, sizeof reals);

  g_assert_null (sw_carrier_ref_bytes (any, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
}

/* The bulk form that movement uses, on Any: values are shared, and stay counted. */
static void
test_read_and_write_all (void)
{
  g_autoptr (SwCarrier) from = new_one (SW_DTYPE_ANY);
  g_autoptr (SwCarrier) to = new_one (SW_DTYPE_ANY);
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (from)->builtin;
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValue) moved = NULL;
  SwValue *items[1];

  g_assert_true (set_value (from, 0, new_text ("x"), NULL));
  g_assert_true (builtin->read_all (from, items, 1, &error));
  g_assert_true (builtin->write_all (to, items, 1, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_carrier_get_version (to), ==, 1);
  moved = sw_carrier_get_value (to, 0, NULL);
  g_assert_true (moved == items[0]);
  sw_value_unref (items[0]);

  g_assert_false (builtin->read_all (from, items, 2, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (builtin->write_all (from, items, 2, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/generic/dtype/real", test_real_dtypes);
  g_test_add_func ("/generic/dtype/float32-rounds", test_float32_rounds);
  g_test_add_func ("/generic/dtype/integer", test_integer_dtypes);
  g_test_add_func ("/generic/dtype/bool", test_bool_dtype);
  g_test_add_func ("/generic/dtype/any", test_any_dtype);
  g_test_add_func ("/generic/dtype/any-lets-go", test_any_lets_go);
  g_test_add_func ("/generic/dtype/supported", test_supports);
  g_test_add_func ("/generic/new", test_new);
  g_test_add_func ("/generic/new-errors", test_new_errors);
  g_test_add_func ("/generic/like", test_like);
  g_test_add_func ("/generic/like-errors", test_like_errors);
  g_test_add_func ("/generic/views", test_views);
  g_test_add_func ("/generic/read-and-write-all", test_read_and_write_all);
  return g_test_run ();
}
