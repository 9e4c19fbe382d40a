/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Results that are written over an input, at every level of vector code: to the last bit what is written elsewhere. */

#include "operation-fixture.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-level-private.h"

/* In rows that fill vectors, and leave some values over. */
static const char *const layouts[][2] = {
  { "1031", "1" },
  { "(103, 15)", "(1, 103)" },
  { "(103, 15)", "(15, 1)" },
  { "(103, 15)", "(2, 211)" },
};

static const double specials[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 1e-40, -1e-40, 3e38, -3e38 };

static SwTensor *
make_input (SwDType dtype,
            guint i)
{
  SwTensor *tensor = make_view (ON_CPU, dtype, layouts[i][0], layouts[i][1], 0);
  SwCarrierPrivate *priv = sw_carrier_get_private (tensor->carrier);
  gboolean is_real = dtype == SW_DTYPE_FLOAT32 || dtype == SW_DTYPE_FLOAT64;

  for (gint64 k = 0; k < priv->size; k++)
    {
      double value = is_real ? g_test_rand_double_range (-4, 4) : g_test_rand_int_range (0, 4);

      if (is_real && g_test_rand_int_range (0, 20) == 0)
        value = specials[g_test_rand_int_range (0, G_N_ELEMENTS (specials))];
      put_number (tensor->carrier, k, value);
    }
  return tensor;
}

static gsize
get_n_bytes (SwTensor *tensor)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (tensor->carrier);

  return priv->size * sw_dtype_get_item_size (priv->dtype);
}

/* A tensor of the same layout over values of its own, also those between. */
static SwTensor *
copy_storage (SwTensor *tensor)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (tensor->carrier);
  SwCarrier *carrier = make_carrier (ON_CPU, priv->dtype, priv->size);

  memcpy (sw_carrier_get_private (carrier)->data, priv->data, get_n_bytes (tensor));
  return sw_tensor_new_take (carrier, tensor->offset, sw_layout_ref (tensor->layout));
}

/* Of up to three inputs. FALSE: the result is none of the dtype of @out. */
static gboolean
compute_into (SwTensor *out,
              const char *name,
              SwTensor *a,
              SwTensor *b,
              SwTensor *c)
{
  SwTensor *tensors[] = { a, b, c };
  guint n = c != NULL ? 3 : b != NULL ? 2
                                      : 1;
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (tensors, n);
  g_autoptr (GError) error = NULL;

  if (sw_compute_into (out, name, inputs, &error))
    return TRUE;
  g_assert_true (g_error_matches (error, SW_ERROR, SW_ERROR_TYPE) || g_error_matches (error, SW_ERROR, SW_ERROR_UNSUPPORTED) ||
                 g_error_matches (error, SW_ERROR, SW_ERROR_VALUE));
  return FALSE;
}

static void
assert_same (const char *name,
             const char *way,
             SwTensor *tensor,
             SwTensor *expected)
{
  const char *a = sw_carrier_get_private (tensor->carrier)->data, *b = sw_carrier_get_private (expected->carrier)->data;

  for (gsize i = 0; i < get_n_bytes (expected); i++)
    {
      if (a[i] != b[i])
        g_error ("%s, %s, %s: byte %d differs", name, way, sw_cpu_level_get_name (sw_cpu_level), (int) i);
    }
}

/* Inputs hold the same, so that whichever is written over, what is between the values is the same, too. */
static void
check_binary_at_level (const char *name,
                       SwTensor *a,
                       guint *n_checked)
{
  g_autoptr (SwTensor) b = copy_storage (a);
  g_autoptr (SwTensor) expected = copy_storage (a);
  g_autoptr (SwTensor) first = copy_storage (a);
  g_autoptr (SwTensor) second = copy_storage (a);
  g_autoptr (SwTensor) both = copy_storage (a);

  if (!compute_into (expected, name, a, b, NULL))
    return;
  ++*n_checked;
  g_assert_true (compute_into (first, name, first, b, NULL));
  assert_same (name, "over the first", first, expected);
  g_assert_true (compute_into (second, name, a, second, NULL));
  assert_same (name, "over the second", second, expected);
  g_assert_true (compute_into (both, name, both, both, NULL));
  assert_same (name, "over both", both, expected);
}

static void
check_unary_at_level (const char *name,
                      SwTensor *a,
                      guint *n_checked)
{
  g_autoptr (SwTensor) expected = copy_storage (a);
  g_autoptr (SwTensor) result = copy_storage (a);

  if (!compute_into (expected, name, a, NULL, NULL))
    return;
  ++*n_checked;
  g_assert_true (compute_into (result, name, result, NULL, NULL));
  assert_same (name, "over it", result, expected);
}

static void
check (const char *name,
       void (*check_at_level) (const char *name, SwTensor *a, guint *n_checked))
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_BOOL };
  SwCpuLevel highest = sw_cpu_level_get_highest ();
  guint n_checked = 0;

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
        {
          g_autoptr (SwTensor) a = make_input (dtypes[d], i);

          for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
            {
              sw_cpu_level = level;
              check_at_level (name, a, &n_checked);
            }
        }
    }
  g_assert_cmpuint (n_checked, >, 0);
}

static void
test_elementwise (void)
{
#define CHECK_BINARY(name) check (name, check_binary_at_level);
#define CHECK_UNARY(name) check (name, check_unary_at_level);
#define CHECK_OTHER(name)
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) CHECK_##FAMILY (#name)
#define CHECK_PARAMETRIC CHECK_OTHER
#define CHECK_CAST CHECK_OTHER
#define CHECK_SELECT CHECK_OTHER
#define CHECK_MATMUL CHECK_OTHER
#define CHECK_CONVOLUTION CHECK_OTHER
#define CHECK_POOLING CHECK_OTHER
#define CHECK_REDUCE CHECK_OTHER
#define CHECK_ARG_REDUCE CHECK_OTHER
#define CHECK_LINES CHECK_OTHER
#define CHECK_LAYER_NORM CHECK_OTHER
#define CHECK_VIEW CHECK_OTHER
#define CHECK_INDEXED CHECK_OTHER
#define CHECK_SORT CHECK_OTHER
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION
}

static void
check_select_at_level (SwTensor *condition,
                       SwTensor *a,
                       SwTensor *b)
{
  g_autoptr (SwTensor) expected = copy_storage (a);
  g_autoptr (SwTensor) first = copy_storage (a);
  g_autoptr (SwTensor) second = copy_storage (b);

  g_assert_true (compute_into (expected, "select", condition, a, b));
  g_assert_true (compute_into (first, "select", condition, first, b));
  assert_same ("select", "over the first", first, expected);
  g_assert_true (compute_into (second, "select", condition, a, second));
  for (gint64 i = 0; i < sw_tensor_get_size (a); i++)
    g_assert_true (is_close (get_number (second, i), get_number (expected, i), 0));
}

/* The condition, too, where it is what is chosen from. */
static void
check_select_over_condition (SwTensor *condition)
{
  g_autoptr (SwTensor) other = copy_storage (condition);
  g_autoptr (SwTensor) expected = copy_storage (condition);
  g_autoptr (SwTensor) result = copy_storage (condition);

  for (gint64 i = 0; i < sw_carrier_get_private (other->carrier)->size; i++)
    put_number (other->carrier, i, i % 3 == 0);
  g_assert_true (compute_into (expected, "select", condition, other, condition));
  g_assert_true (compute_into (result, "select", result, other, result));
  assert_same ("select", "over the condition", result, expected);
}

static void
test_select (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_BOOL };
  SwCpuLevel highest = sw_cpu_level_get_highest ();

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autoptr (SwTensor) condition = make_input (SW_DTYPE_BOOL, i);

      for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
        {
          sw_cpu_level = level;
          for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
            {
              g_autoptr (SwTensor) a = make_input (dtypes[d], i);
              g_autoptr (SwTensor) b = make_input (dtypes[d], i);

              check_select_at_level (condition, a, b);
            }
          check_select_over_condition (condition);
        }
    }
}

/* A copy of values onto themselves, and what has parameters. */
static void
test_others (void)
{
  SwCpuLevel highest = sw_cpu_level_get_highest ();

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
        {
          g_autoptr (SwTensor) a = make_input (SW_DTYPE_FLOAT32, i);
          g_autoptr (SwTensor) expected = copy_storage (a);
          g_autoptr (SwTensor) result = copy_storage (a);
          g_autoptr (SwValue) tensor = sw_value_new_tensor (a);
          g_autoptr (SwValue) itself = sw_value_new_tensor (result);
          g_autoptr (SwValue) slope = sw_value_new_double (0.3);
          g_autoptr (SwValueList) inputs = sw_value_list_new ((SwValue *[]){ tensor, slope }, 2);
          g_autoptr (SwValueList) over = sw_value_list_new ((SwValue *[]){ itself, slope }, 2);
          g_autoptr (SwValue) dtype = sw_value_new_int64 (SW_DTYPE_FLOAT32);
          g_autoptr (SwValueList) cast = sw_value_list_new ((SwValue *[]){ itself, dtype }, 2);
          GError *error = NULL;
          g_autoptr (SwExecutionOptions) options = sw_execution_options_new_into ("cast", SW_DTYPE_INVALID, result, &error);
          g_autoptr (SwTensor) same = NULL;

          g_assert_no_error (error);
          sw_cpu_level = level;
          g_assert_true (sw_compute_into (expected, "elu", inputs, &error));
          g_assert_true (sw_compute_into (result, "elu", over, &error));
          assert_same ("elu", "over it", result, expected);
          same = sw_call_operation ("cast", cast, options, &error);
          g_assert_no_error (error);
          g_assert_true (same == result);
          assert_same ("cast", "over it", result, expected);
        }
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-in-place/elementwise", test_elementwise);
  g_test_add_func ("/cpu-in-place/select", test_select);
  g_test_add_func ("/cpu-in-place/others", test_others);
  return g_test_run ();
}
