/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results that are written to tensors which are there already. */
#include "config.h"

#include "operation-fixture.h"

#include "sw/operations/sw-operation-info-private.h"

static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_BOOL };

#define N 37

/* Values that all functions have a result for, from 1 on; @step apart in storage that begins @offset values early. */
static SwTensor *
make_strided (Place place,
              SwDType dtype,
              gint64 offset,
              gint64 step)
{
  g_autofree char *stride = g_strdup_printf ("(%d,)", (int) step);
  SwTensor *tensor = make_view (place, dtype, "(37,)", stride, offset);

  for (gint64 i = 0; i < N; i++)
    put_number (tensor->carrier, offset + i * step, dtype == SW_DTYPE_BOOL ? i % 2 : 1 + i % 3);
  return tensor;
}

static void
assert_same (SwTensor *tensor,
             SwTensor *expected)
{
  g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, sw_tensor_get_dtype (expected));
  for (gint64 i = 0; i < N; i++)
    {
      double a = get_number (tensor, i), b = get_number (expected, i);

      if (a != b && !(isnan (a) && isnan (b)))
        g_error ("value %d is %.17g, not %.17g", (int) i, a, b);
    }
}

static SwTensor *
compute (const char *name,
         SwTensor *lhs,
         SwTensor *rhs) /* nullable */
{
  g_autoptr (SwValue) first = sw_value_new_tensor (lhs);
  g_autoptr (SwValue) second = rhs != NULL ? sw_value_new_tensor (rhs) : NULL;
  SwValue *values[] = { first, second };
  g_autoptr (SwValueList) inputs = sw_value_list_new (values, rhs != NULL ? 2 : 1);

  return sw_call_operation (name, inputs, NULL, NULL);
}

static void
compute_into (SwTensor *out,
              const char *name,
              SwTensor *lhs,
              SwTensor *rhs)
{
  g_autoptr (GError) error = NULL;
  guint64 version = sw_carrier_get_version (out->carrier);
  gboolean done = rhs != NULL ? sw_binary_into (out, name, lhs, rhs, &error) : sw_unary_into (out, name, lhs, &error);

  g_assert_no_error (error);
  g_assert_true (done);
  g_assert_cmpuint (sw_carrier_get_version (out->carrier), ==, version + 1);
}

/* Strides of the result, and how inputs and result lie to each other. */
static void
check_ways (Place place,
            const char *name,
            SwDType dtype,
            gboolean has_two)
{
  static const gint64 steps[] = { 1, 3 };
  g_autoptr (SwTensor) lhs = make_strided (place, dtype, 2, 1);
  g_autoptr (SwTensor) rhs = has_two ? make_strided (place, dtype, 0, 2) : NULL;
  g_autoptr (SwTensor) expected = compute (name, lhs, rhs);
  SwDType result_dtype;

  /* The operation does not take this dtype. */
  if (expected == NULL)
    return;

  result_dtype = sw_tensor_get_dtype (expected);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (SwTensor) out = make_strided (place, result_dtype, 1, steps[i]);
      gint64 last = 1 + (N - 1) * steps[i];

      compute_into (out, name, lhs, rhs);
      assert_same (out, expected);
      /* Nothing between, nor before. */
      if (steps[i] > 1 && last > 2)
        g_assert_cmpfloat (get_number (out, 0), ==, get_number (expected, 0));
    }
  if (result_dtype != dtype)
    return;

  {
    g_autoptr (SwTensor) in_place = make_strided (place, dtype, 2, 1);
    g_autoptr (SwTensor) strided = make_strided (place, dtype, 0, 2);
    g_autoptr (SwTensor) shifted = make_strided (place, dtype, 2, 1);
    g_autoptr (SwTensor) before = sw_tensor_new (shifted->carrier, 1, shifted->layout, NULL);
    g_autoptr (SwTensor) second = make_strided (place, dtype, 2, 1);

    compute_into (in_place, name, in_place, rhs);
    assert_same (in_place, expected);
    compute_into (before, name, shifted, rhs);
    assert_same (before, expected);
    if (!has_two)
      return;
    compute_into (strided, name, lhs, strided);
    assert_same (strided, expected);
    /* Both inputs, one of which lies across the result. */
    compute_into (second, name, second, second);
  }
}

static void
test_ways (gconstpointer data)
{
  guint n_checked = 0;

  for (guint i = 0; i < SW_N_OPERATIONS; i++)
    {
      const SwOperationInfo *info = &sw_operation_infos[i];

      if (info->family != SW_FAMILY_UNARY && info->family != SW_FAMILY_BINARY)
        continue;
      for (guint j = 0; j < G_N_ELEMENTS (dtypes); j++)
        check_ways (PLACE (data), info->name, dtypes[j], info->family == SW_FAMILY_BINARY);
      n_checked++;
    }
  g_assert_cmpuint (n_checked, >=, 35);
}

static void
test_other_families (gconstpointer data)
{
  g_autoptr (SwTensor) input = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(3,)", -2, 0.5, 9);
  g_autoptr (SwTensor) other = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(3,)", 1, 2, 3);
  g_autoptr (SwTensor) truth = make_tensor_of (PLACE (data), SW_DTYPE_BOOL, "(3,)", 1, 0, 1);
  g_autoptr (SwTensor) out = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT32, "(3,)", 7, 7, 7);
  g_autoptr (SwTensor) whole = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(3,)", 7, 7, 7);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValue) tensor = sw_value_new_tensor (input), second = sw_value_new_tensor (other);
  g_autoptr (SwValue) condition = sw_value_new_tensor (truth);
  g_autoptr (SwValue) low = sw_value_new_double (-1), high = sw_value_new_double (1), dtype = sw_value_new_int64 (SW_DTYPE_INT32);
  g_autoptr (SwValueList) clamp = sw_value_list_new ((SwValue *[]){ tensor, low, high }, 3);
  g_autoptr (SwValueList) select = sw_value_list_new ((SwValue *[]){ condition, tensor, second }, 3);
  g_autoptr (SwValueList) cast = sw_value_list_new ((SwValue *[]){ second, dtype }, 2);

  g_assert_true (sw_compute_into (out, "clamp", clamp, &error));
  assert_tensor (out, error, SW_DTYPE_FLOAT32, "(3,)", 0, (double[]){ -1, 0.5, 1 });
  g_assert_true (sw_compute_into (out, "select", select, &error));
  assert_tensor (out, error, SW_DTYPE_FLOAT32, "(3,)", 0, (double[]){ -2, 2, 9 });
  g_assert_true (sw_compute_into (whole, "cast", cast, &error));
  assert_tensor (whole, error, SW_DTYPE_INT32, "(3,)", 0, (double[]){ 1, 2, 3 });
  g_assert_true (sw_binary_scalar_into (out, "mul", out, 2, &error));
  assert_tensor (out, error, SW_DTYPE_FLOAT32, "(3,)", 0, (double[]){ -4, 4, 18 });
}

static void
test_matmul (gconstpointer data)
{
  static const char *const strides[] = { "(1, 2)", "(3, 1)", "(4, 9)" };
  g_autoptr (SwTensor) lhs = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "(2, 2)", 1, 2, 3, 4);
  g_autoptr (SwTensor) rhs = make_tensor_of (PLACE (data), SW_DTYPE_FLOAT64, "(2, 3)", 1, 2, 3, 4, 5, 6);
  g_autoptr (SwTensor) whole = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(2, 2)", 1, 2, 3, 4);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (strides); i++)
    {
      g_autoptr (SwTensor) out = make_view (PLACE (data), SW_DTYPE_FLOAT64, "(2, 3)", strides[i], 5);

      g_assert_true (sw_binary_into (out, "matmul", lhs, rhs, &error));
      assert_tensor (out, error, SW_DTYPE_FLOAT64, "(2, 3)", 0, (double[]){ 7, 10, 15, 22, 23, 34 });
    }

  /* A product needs its inputs to the end. */
  g_assert_true (sw_binary_into (lhs, "matmul", lhs, lhs, &error));
  assert_tensor (lhs, error, SW_DTYPE_FLOAT64, "(2, 2)", 0, (double[]){ 7, 10, 15, 22 });
  g_assert_true (sw_binary_into (whole, "matmul", whole, whole, &error));
  assert_tensor (whole, error, SW_DTYPE_INT32, "(2, 2)", 0, (double[]){ 7, 10, 15, 22 });
}

/* Products that go through memory of their own, since integers may overflow or an input lies there: out may have gaps then. */
static void
test_many_products_with_gaps (gconstpointer data)
{
  static const SwDType kinds[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };
  static const char *const strides[] = { "(8, 3, 1)", "(8, 1, 3)", "(1, 4, 2)", "(1, 3, 12)" };
  static const double expected[] = { 7, 70, 15, 150, 10, 100, 22, 220 };

  for (guint i = 0; i < G_N_ELEMENTS (kinds) * G_N_ELEMENTS (strides) * 2; i++)
    {
      SwDType dtype = kinds[i % 4];
      g_autoptr (SwTensor) lhs = make_tensor_of (PLACE (data), dtype, "(2, 2, 2)", 1, 10, 3, 30, 2, 20, 4, 40);
      g_autoptr (SwTensor) rhs = make_tensor_of (PLACE (data), dtype, "(2, 2, 2)", 1, 1, 3, 3, 2, 2, 4, 4);
      g_autoptr (SwTensor) out = make_view (PLACE (data), dtype, "(2, 2, 2)", strides[i / 4 % 4], 1);
      g_autoptr (SwTensor) across = sw_tensor_new (out->carrier, 0, out->layout, NULL);
      g_autoptr (GError) error = NULL;

      if (i / 16 == 1)
        {
          /* Copied to where the result goes, or nearly. */
          g_assert_true (sw_binary_scalar_into (across, "mul", lhs, 1, &error));
          g_assert_true (sw_binary_into (out, "matmul", across, rhs, &error));
        }
      else
        {
          g_assert_true (sw_binary_into (out, "matmul", lhs, rhs, &error));
        }
      assert_tensor (out, error, dtype, "(2, 2, 2)", 0, expected);
    }
}

static void
assert_refused (SwTensor *out,
                const char *name,
                SwTensor *lhs,
                SwTensor *rhs,
                gint code,
                const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_binary_into (out, name, lhs, rhs, &error));
  g_assert_error (error, SW_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_refusals (void)
{
  g_autoptr (SwTensor) input = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(2,)", 1, 2);
  g_autoptr (SwTensor) longer = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(3,)", 1, 2, 3);
  g_autoptr (SwTensor) wider = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT64, "(2,)", 1, 2);
  g_autoptr (SwTensor) elsewhere = make_tensor_of (ON_GENERIC, SW_DTYPE_FLOAT32, "(2,)", 1, 2);
  g_autoptr (SwTensor) narrow = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(2,)", "(0,)", 0);
  g_autoptr (SwTensor) fixed = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(2,)", 5, 5);
  g_autoptr (SwTensor) gone = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(2,)", 5, 5);
  g_autoptr (SwTensor) out = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(2,)", 5, 5);

  sw_carrier_get_private (fixed->carrier)->is_mutable = FALSE;
  g_assert_true (sw_carrier_release (gone->carrier, NULL));

  assert_refused (longer, "add", input, input, SW_ERROR_VALUE, "out has the shape (3,), but the result has the shape (2,)");
  assert_refused (wider, "add", input, input, SW_ERROR_TYPE, "out holds Float64, but the result holds Float32");
  assert_refused (out, "eq", input, input, SW_ERROR_TYPE, "out holds Float32, but the result holds Bool");
  assert_refused (elsewhere, "add", input, input, SW_ERROR_UNSUPPORTED,
                  "out is on Generic, but the first input of add is on CPU; move one of them");
  assert_refused (narrow, "add", input, input, SW_ERROR_VALUE,
                  "out has the layout (2,):(0,), in which several coordinates share a value");
  assert_refused (fixed, "add", input, input, SW_ERROR_STATE, "out: carrier is an immutable CPU");
  assert_refused (gone, "add", input, input, SW_ERROR_STATE, "out lies on a released CPU");
  assert_refused (out, "reduce_sum", input, input, SW_ERROR_UNSUPPORTED,
                  "out is given, but reduce_sum makes its result by itself; only operations element by element and matmul write elsewhere");
  assert_refused (out, "nothing", input, input, SW_ERROR_VALUE, "operation name 'nothing' is not known");
  assert_refused (out, "add", input, longer, SW_ERROR_VALUE,
                  "rhs has the shape (3,), but lhs has the shape (2,); broadcast one of them");
  assert_tensor (out, NULL, SW_DTYPE_FLOAT32, "(2,)", 0, (double[]){ 5, 5 });
  assert_tensor (fixed, NULL, SW_DTYPE_FLOAT32, "(2,)", 0, (double[]){ 5, 5 });
  g_assert_cmpuint (sw_carrier_get_version (out->carrier), ==, 0);
}

/* An overflow leaves all as it was, and says where it is, also when the result is written over the input. */
static void
test_overflow (gconstpointer data)
{
  g_autoptr (SwTensor) input = make_tensor_of (PLACE (data), SW_DTYPE_INT32, "(3,)", 1, 2, G_MAXINT32);
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_binary_into (input, "add", input, input, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "add overflows Int32 at index 2");
  assert_tensor (input, NULL, SW_DTYPE_INT32, "(3,)", 0, (double[]){ 1, 2, G_MAXINT32 });
  g_assert_cmpuint (sw_carrier_get_version (input->carrier), ==, 0);
}

static void
test_options (void)
{
  g_autoptr (SwTensor) out = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(2,)", 5, 5);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwExecutionOptions) options = sw_execution_options_new_into ("relu", SW_DTYPE_INVALID, out, &error);

  g_assert_no_error (error);
  g_assert_true (sw_execution_options_get_out (options) == out);
  g_assert_cmpstr (sw_execution_options_get_operation_name (options), ==, "relu");
  g_assert_null (sw_execution_options_new_into ("sort", SW_DTYPE_INVALID, out, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
}

/* A version that a result got does not go on to the next one that its carrier holds. */
static void
test_versions_begin_anew (void)
{
  g_autoptr (SwTensor) input = make_tensor_of (ON_CPU, SW_DTYPE_FLOAT32, "(2,)", 1, 2);
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_cpu_set_cache_limit (1 << 20, &error));
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (SwTensor) result = sw_relu (input, &error);

      g_assert_true (sw_unary_into (result, "relu", input, &error));
      g_assert_cmpuint (sw_carrier_get_version (result->carrier), ==, 1);
    }
}

static void
add_case (const char *carrier,
          const char *name,
          gpointer data,
          GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/out/%s/%s", carrier, name);

  g_test_add_data_func (path, data, function);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (Place place = ON_GENERIC; place <= ON_CPU; place++)
    {
      const char *name = place == ON_CPU ? "cpu" : "generic";
      gpointer data = GINT_TO_POINTER (place);

      add_case (name, "ways", data, test_ways);
      add_case (name, "other-families", data, test_other_families);
      add_case (name, "matmul", data, test_matmul);
      add_case (name, "many-products-with-gaps", data, test_many_products_with_gaps);
      add_case (name, "overflow", data, test_overflow);
    }
  g_test_add_func ("/out/refusals", test_refusals);
  g_test_add_func ("/out/options", test_options);
  g_test_add_func ("/out/versions-begin-anew", test_versions_begin_anew);

  return g_test_run ();
}
