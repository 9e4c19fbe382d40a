/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Large operations at every level of vector code, on every number of threads: the number changes nothing, to the last bit;
 * levels agree within roundings where values are computed, and to the last bit elsewhere. */

#include "operation-fixture.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-level-private.h"

#if defined(__SANITIZE_ADDRESS__)
/* Memory is what is watched there, and no count touches another part of it. */
static const guint thread_counts[] = { 1, 3 };
#else
static const guint thread_counts[] = { 1, 2, 3, 8 };
#endif

static const double specials[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 1e-40, -1e-40, 3e38, -3e38, 88.7, -104, 0.625, -0.625 };

typedef SwTensor *(*Run) (const char *name, SwTensor *a, SwTensor *b, GError **error);

/* A tensor with @shape over the strides, whose values hold what is special now and then. */
static SwTensor *
make_input (SwDType dtype,
            const char *shape_text,
            const char *stride_text,
            gboolean has_specials)
{
  SwTensor *tensor = make_view (ON_CPU, dtype, shape_text, stride_text, 0);
  SwCarrierPrivate *priv = sw_carrier_get_private (tensor->carrier);
  gboolean is_real = dtype == SW_DTYPE_FLOAT32 || dtype == SW_DTYPE_FLOAT64;

  for (gint64 i = 0; i < priv->size; i++)
    {
      double value = is_real ? g_test_rand_double_range (-4, 4) : g_test_rand_int_range (-3, 4);

      if (is_real && has_specials && g_test_rand_int_range (0, 1000) == 0)
        value = specials[g_test_rand_int_range (0, G_N_ELEMENTS (specials))];
      put_number (tensor->carrier, i, value);
    }
  return tensor;
}

static GBytes *
get_bytes (SwTensor *tensor)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (tensor->carrier);

  return g_bytes_new (priv->data, priv->size * sw_dtype_get_item_size (priv->dtype));
}

/* Value by value of the storage, which results of the same operation have alike. */
static double
get_stored (SwTensor *tensor,
            gint64 i)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (tensor->carrier);

  switch (priv->dtype)
    {
    case SW_DTYPE_FLOAT32:
      return ((float *) priv->data)[i];
    case SW_DTYPE_FLOAT64:
      return ((double *) priv->data)[i];
    case SW_DTYPE_INT32:
      return ((gint32 *) priv->data)[i];
    case SW_DTYPE_INT64:
      return (double) ((gint64 *) priv->data)[i];
    default:
      return ((guint8 *) priv->data)[i];
    }
}

static void
assert_close (const char *what,
              SwTensor *result,
              SwTensor *first,
              double tolerance)
{
  for (gint64 i = 0; i < sw_tensor_get_size (first); i++)
    {
      double a = get_stored (result, i), b = get_stored (first, i);

      if (!is_close (a, b, tolerance) && !(fabs (a - b) <= tolerance && tolerance > 0))
        g_error ("%s: value %d is %.17g, not %.17g", what, (int) i, a, b);
    }
}

/* @tolerance: between levels; 0 where they agree to the last bit. */
static void
check (const char *name,
       Run run,
       SwTensor *a,
       SwTensor *b,
       double tolerance)
{
  SwCpuLevel highest = sw_cpu_level_get_highest ();
  g_autoptr (SwTensor) first = NULL;
  GError *error = NULL;

  for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
    {
      g_autoptr (GBytes) bytes = NULL;

      sw_cpu_level = level;
      for (guint i = 0; i < G_N_ELEMENTS (thread_counts); i++)
        {
          g_autofree char *what = g_strdup_printf ("%s, %s, %u threads", name, sw_cpu_level_get_name (level), thread_counts[i]);
          g_autoptr (SwTensor) result = NULL;
          g_autoptr (GBytes) result_bytes = NULL;

          g_assert_true (sw_cpu_set_n_threads (thread_counts[i], &error));
          result = run (name, a, b, &error);
          g_assert_no_error (error);
          result_bytes = get_bytes (result);
          if (bytes == NULL)
            bytes = g_bytes_ref (result_bytes);
          if (!g_bytes_equal (bytes, result_bytes))
            g_error ("%s: not what one thread computes", what);
          if (first == NULL)
            first = sw_tensor_ref (result);
          if (i == 0)
            assert_close (what, result, first, tolerance);
        }
    }
  sw_cpu_level = highest;
}

static SwTensor *
run_by_name (const char *name,
             SwTensor *a,
             SwTensor *b,
             GError **error)
{
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors ((SwTensor *[]){ a, b }, b != NULL ? 2 : 1);

  return sw_call_operation (name, inputs, NULL, error);
}

static SwTensor *
run_special (const char *name,
             SwTensor *a,
             SwTensor *b,
             GError **error)
{
  static const gint64 modes[] = { 0, 1 };

  if (g_str_equal (name, "elu"))
    return sw_elu (a, 0.7, error);
  if (g_str_equal (name, "leaky_relu"))
    return sw_leaky_relu (a, 0.1, error);
  if (g_str_equal (name, "clamp"))
    return sw_clamp (a, -1.5, 2, error);
  if (g_str_equal (name, "cast"))
    return sw_cast (a, SW_DTYPE_FLOAT64, error);
  if (g_str_equal (name, "select"))
    return sw_select (b, a, a, error);
  if (g_str_equal (name, "cumsum 0"))
    return sw_cumsum (a, 0, error);
  if (g_str_equal (name, "cumsum 1"))
    return sw_cumsum (a, 1, error);
  if (g_str_equal (name, "sort 0"))
    return sw_sort (a, 0, FALSE, error);
  if (g_str_equal (name, "sort 1"))
    return sw_sort (a, 1, TRUE, error);
  if (g_str_equal (name, "softmax 0"))
    return sw_softmax (a, modes, 1, error);
  if (g_str_equal (name, "softmax 1"))
    return sw_softmax (a, modes + 1, 1, error);
  if (g_str_equal (name, "layer_norm 0"))
    return sw_layer_norm (a, modes, 1, NULL, NULL, 1e-5, error);
  if (g_str_equal (name, "layer_norm 1"))
    return sw_layer_norm (a, modes + 1, 1, NULL, NULL, 1e-5, error);
  g_assert_not_reached ();
}

static SwTensor *
run_along_mode (const char *name,
                SwTensor *a,
                SwTensor *b,
                GError **error)
{
  g_autoptr (SwValue) tensor = sw_value_new_tensor (a);
  g_autoptr (SwValue) mode = sw_value_new_int64 (name[strlen (name) - 1] - '0');
  g_autoptr (SwValueList) inputs = sw_value_list_new ((SwValue *[]){ tensor, mode }, 2);
  g_autofree char *operation = g_strndup (name, strlen (name) - 2);

  return sw_call_operation (operation, inputs, NULL, error);
}

/* Plain, transposed, every other value, nested and repeated; each large enough for several pieces. */
static const char *const layouts[][2] = {
  { "(1031, 150)", "(1, 1031)" },
  { "(301, 521)", "(521, 1)" },
  { "(400, 350)", "(2, 801)" },
  { "((30, 20), 230)", "((230, 6900), 1)" },
  { "(512, 290)", "(1, 0)" },
};

static double
get_tolerance (const char *name)
{
  static const char *const rounded[] = { "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf", "sigmoid", "gelu", "silu",
                                         "softplus", "rsqrt", "pow", NULL };

  return g_strv_contains (rounded, name) ? 2e-6 : 0;
}

static void
check_binary (const char *name,
              SwDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autoptr (SwTensor) a = make_input (dtype, layouts[i][0], layouts[i][1], TRUE);
      g_autoptr (SwTensor) b = make_input (dtype, layouts[i][0], layouts[i][1], TRUE);

      check (name, run_by_name, a, b, get_tolerance (name));
    }
}

static void
check_unary (const char *name,
             SwDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autoptr (SwTensor) a = make_input (dtype, layouts[i][0], layouts[i][1], TRUE);

      check (name, run_by_name, a, NULL, get_tolerance (name));
    }
}

static void
test_elementwise (void)
{
#define CHECK_BINARY(name) check_binary (#name, SW_DTYPE_FLOAT32);
#define CHECK_UNARY(name) check_unary (#name, SW_DTYPE_FLOAT32);
#define CHECK_OTHER(name)
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) CHECK_##FAMILY (name)
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
test_integers (void)
{
  static const char *const binary[] = { "add", "sub", "mul", "maximum", "minimum", "eq", "lt" };
  static const char *const unary[] = { "neg", "abs", "sign", "relu" };

  for (guint i = 0; i < G_N_ELEMENTS (binary); i++)
    {
      check_binary (binary[i], SW_DTYPE_INT32);
      check_binary (binary[i], SW_DTYPE_INT64);
    }
  for (guint i = 0; i < G_N_ELEMENTS (unary); i++)
    {
      check_unary (unary[i], SW_DTYPE_INT32);
      check_unary (unary[i], SW_DTYPE_INT64);
    }
}

static void
test_others (void)
{
  static const struct
  {
    const char *name;
    double tolerance;
  } cases[] = {
    { "elu", 2e-6 },
    { "leaky_relu", 0 },
    { "clamp", 0 },
    { "cast", 0 },
    { "select", 0 },
    { "cumsum 0", 0 },
    { "cumsum 1", 0 },
    { "sort 0", 0 },
    { "sort 1", 0 },
    { "softmax 0", 2e-6 },
    { "softmax 1", 2e-6 },
    { "layer_norm 0", 2e-6 },
    { "layer_norm 1", 2e-6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autoptr (SwTensor) a = make_input (SW_DTYPE_FLOAT32, layouts[i][0], layouts[i][1], FALSE);
      g_autoptr (SwTensor) b = make_input (SW_DTYPE_BOOL, layouts[i][0], layouts[i][1], FALSE);

      for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
        check (cases[k].name, run_special, a, b, cases[k].tolerance);
    }
}

static gboolean
is_rounded (const char *name)
{
  return g_str_has_prefix (name, "softmax") || g_str_has_prefix (name, "layer_norm");
}

/* Wider than what is computed in step, and many short lines, in both directions. */
static void
test_columns (void)
{
  static const char *const wide_layouts[][2] = {
    { "(70, 4500)", "(4500, 1)" },
    { "(3, 9001)", "(9001, 1)" },
    { "(4099, 40)", "(40, 1)" },
    { "(20011, 7)", "(7, 1)" },
    { "(7, 20011)", "(1, 9)" },
  };
  static const char *const along[] = { "cumsum 0", "sort 0", "sort 1", "softmax 0", "layer_norm 0" };
  static const char *const reductions[] = { "reduce_sum 0", "reduce_sum 1", "reduce_prod 0", "reduce_max 0", "reduce_max 1", "argmin 0" };
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64 };

  for (guint i = 0; i < G_N_ELEMENTS (wide_layouts) * G_N_ELEMENTS (dtypes); i++)
    {
      const char *const *layout = wide_layouts[i / G_N_ELEMENTS (dtypes)];
      g_autoptr (SwTensor) a = make_input (dtypes[i % G_N_ELEMENTS (dtypes)], layout[0], layout[1], FALSE);

      for (guint k = 0; k < G_N_ELEMENTS (along); k++)
        check (along[k], run_special, a, NULL, is_rounded (along[k]) ? 2e-6 : 0);
      for (guint k = 0; k < G_N_ELEMENTS (reductions); k++)
        check (reductions[k], run_along_mode, a, NULL, 0);
    }
}

static void
test_reductions (void)
{
  static const char *const names[] = { "reduce_sum", "reduce_max", "reduce_min", "argmax", "argmin" };
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
        {
          g_autoptr (SwTensor) a = make_input (dtypes[d], layouts[i][0], layouts[i][1], d == 1);

          for (guint k = 0; k < G_N_ELEMENTS (names); k++)
            {
              g_autofree char *first = g_strconcat (names[k], " 0", NULL);
              g_autofree char *second = g_strconcat (names[k], " 1", NULL);

              check (names[k], run_by_name, a, NULL, 0);
              check (first, run_along_mode, a, NULL, 0);
              check (second, run_along_mode, a, NULL, 0);
            }
        }
    }
}

/* Rows and columns of few and of many values, with what is special at their beginnings and ends, beside a search value by value. */
static gint64
find_extreme (SwTensor *a,
              gint64 first,
              gint64 n,
              gint64 step,
              gboolean is_max)
{
  gint64 place = 0;

  for (gint64 i = 1; i < n; i++)
    {
      double value = get_stored (a, first + i * step), best = get_stored (a, first + place * step);

      if (!isnan (best) && (isnan (value) || (is_max ? value > best : value < best)))
        place = i;
    }
  return place;
}

static void
check_places (SwDType dtype,
              gint64 n_rows,
              gint64 n)
{
  g_autofree char *shape = g_strdup_printf ("(%d, %d)", (int) n_rows, (int) n);
  g_autofree char *stride = g_strdup_printf ("(%d, 1)", (int) n);
  SwCpuLevel highest = sw_cpu_level_get_highest ();
  g_autoptr (SwTensor) a = make_input (dtype, shape, stride, g_test_rand_bit ());
  GError *error = NULL;

  for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
    {
      sw_cpu_level = level;
      for (guint k = 0; k < 4; k++)
        {
          gboolean is_max = k & 1, by_rows = k & 2;
          g_autofree char *name = g_strdup_printf ("%s %d", is_max ? "argmax" : "argmin", by_rows ? 1 : 0);
          g_autoptr (SwTensor) places = run_along_mode (name, a, NULL, &error);

          g_assert_no_error (error);
          for (gint64 i = 0; i < (by_rows ? n_rows : n); i++)
            g_assert_cmpint ((gint64) get_stored (places, i), ==,
                             by_rows ? find_extreme (a, i * n, n, 1, is_max) : find_extreme (a, i, n_rows, n, is_max));
        }
    }
  sw_cpu_level = highest;
}

static void
test_places (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };
  static const gint64 lengths[] = { 1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 255, 1000, 4096, 8191, 8192, 8193, 12300 };

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
        check_places (dtypes[d], g_test_rand_int_range (1, 9), lengths[i]);
      check_places (dtypes[d], 1201, 40);
    }
}

/* @n values from @offset on, as those of @tensor are. */
static SwTensor *
copy_to_offset (SwTensor *tensor,
                gint64 n,
                gint64 offset)
{
  g_autofree char *shape = g_strdup_printf ("%d", (int) n);
  SwTensor *copy = make_view (ON_CPU, sw_carrier_get_private (tensor->carrier)->dtype, shape, "1", offset);

  for (gint64 i = 0; i < n; i++)
    put_number (copy->carrier, offset + i, get_number (tensor, i));
  return copy;
}

/* Over the first input, where the values before it must stay. */
static void
check_place_over_input (const char *name,
                        SwTensor *a,
                        SwTensor *b,
                        SwTensor *expected)
{
  gint64 n = sw_tensor_get_size (a);
  g_autoptr (SwTensor) over = copy_to_offset (a, n, a->offset);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors ((SwTensor *[]){ over, b }, b != NULL ? 2 : 1);
  GError *error = NULL;

  g_assert_true (sw_compute_into (over, name, inputs, &error));
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    g_assert_true (is_close (get_number (over, i), get_number (expected, i), 0));
  for (gint64 i = 0; i < a->offset; i++)
    g_assert_cmpfloat (get_stored (over, i), ==, i);
}

static void
check_beginning (const char *name,
                 SwTensor *a,
                 SwTensor *b,
                 gint64 a_offset,
                 gint64 b_offset,
                 gboolean has_place)
{
  gint64 n = sw_tensor_get_size (a);
  g_autoptr (SwTensor) moved_a = copy_to_offset (a, n, a_offset);
  g_autoptr (SwTensor) moved_b = b != NULL ? copy_to_offset (b, n, b_offset) : NULL;
  GError *error = NULL;
  g_autoptr (SwTensor) expected = run_by_name (name, a, b, &error);
  g_autoptr (SwTensor) result = run_by_name (name, moved_a, moved_b, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    g_assert_true (is_close (get_number (result, i), get_number (expected, i), 0));
  if (has_place)
    check_place_over_input (name, moved_a, moved_b, expected);
}

/* Rows that begin within a line of the cache, as arrays of others do: what those at the beginning of one compute. */
static void
test_beginnings (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };
  static const char *const shapes[] = { "1023", "1024", "1039", "2101" };
  static const gint64 offsets[][2] = { { 1, 1 }, { 4, 4 }, { 15, 15 }, { 4, 20 }, { 0, 4 }, { 4, 0 }, { 3, 5 }, { 16, 16 } };
  SwCpuLevel highest = sw_cpu_level_get_highest ();

  for (guint k = 0; k < G_N_ELEMENTS (dtypes) * G_N_ELEMENTS (shapes) * G_N_ELEMENTS (offsets); k++)
    {
      SwDType dtype = dtypes[k % 4];
      const char *shape = shapes[k / 4 % 4];
      const gint64 *at = offsets[k / 16];
      g_autoptr (SwTensor) a = make_input (dtype, shape, "1", TRUE);
      g_autoptr (SwTensor) b = make_input (dtype, shape, "1", TRUE);

      for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
        {
          sw_cpu_level = level;
          check_beginning ("add", a, b, at[0], at[1], TRUE);
          check_beginning ("maximum", a, b, at[0], at[1], TRUE);
          check_beginning ("lt", a, b, at[0], at[1], FALSE);
          check_beginning ("relu", a, NULL, at[0], 0, TRUE);
          check_beginning ("neg", a, NULL, at[0], 0, TRUE);
        }
    }
  sw_cpu_level = highest;
}

/* An overflow counts wherever it is: before the first whole line, and after it. */
static void
test_overflow_at_beginnings (void)
{
  static const gint64 places[] = { 0, 11, 12, 1023, 1099 };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *place = g_strdup_printf ("at index %d", (int) places[i]);
      g_autoptr (SwTensor) a = make_view (ON_CPU, SW_DTYPE_INT32, "1100", "1", 4);
      g_autoptr (SwTensor) sum = NULL, negated = NULL;
      GError *error = NULL;

      put_number (a->carrier, 4 + places[i], G_MININT32);
      sum = run_by_name ("add", a, a, &error);
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, place));
      g_clear_error (&error);
      negated = run_by_name ("neg", a, NULL, &error);
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, place));
      g_clear_error (&error);
      g_assert_null (sum);
      g_assert_null (negated);
    }
}

static SwTensor *
run_windows (const char *name,
             SwTensor *a,
             SwTensor *b,
             GError **error)
{
  static const gint64 window[] = { 3, 2 }, padding[] = { 1, 0 };

  if (g_str_equal (name, "conv_general"))
    return sw_conv_general (a, b, NULL, 0, padding, 2, NULL, 0, 1, error);
  if (g_str_equal (name, "conv_general, strided, in groups"))
    return sw_conv_general (a, b, window, 2, padding, 2, NULL, 0, 2, error);
  if (g_str_equal (name, "max_pool"))
    return sw_max_pool (a, window, 2, window, 2, padding, 2, error);
  return sw_avg_pool (a, window, 2, NULL, 0, padding, 2, error);
}

/* OpenBLAS may add in another order on another number of threads, so here numbers are whole. */
static void
test_windows (void)
{
  static const char *const strides[] = { "(1, 4, 32, 2048)", "(32768, 4096, 64, 1)" };

  for (guint i = 0; i < G_N_ELEMENTS (strides); i++)
    {
      g_autoptr (SwTensor) a = make_input (SW_DTYPE_INT32, "(4, 8, 64, 64)", strides[i], FALSE);
      g_autoptr (SwTensor) w = make_input (SW_DTYPE_INT32, "(6, 8, 3, 3)", "(72, 9, 3, 1)", FALSE);
      g_autoptr (SwTensor) half = make_input (SW_DTYPE_INT32, "(6, 4, 3, 3)", "(1, 6, 24, 72)", FALSE);
      g_autoptr (SwTensor) one = make_input (SW_DTYPE_INT32, "(6, 8, 1, 1)", "(8, 1, 1, 1)", FALSE);
      GError *error = NULL;
      g_autoptr (SwTensor) ra = sw_cast (a, SW_DTYPE_FLOAT32, &error);
      g_autoptr (SwTensor) rw = sw_cast (w, SW_DTYPE_FLOAT32, &error);
      g_autoptr (SwTensor) rhalf = sw_cast (half, SW_DTYPE_FLOAT32, &error);
      g_autoptr (SwTensor) rone = sw_cast (one, SW_DTYPE_FLOAT32, &error);

      check ("conv_general", run_windows, ra, rw, 0);
      check ("conv_general", run_windows, ra, rone, 0);
      check ("conv_general, strided, in groups", run_windows, ra, rhalf, 0);
      check ("max_pool", run_windows, ra, NULL, 0);
      check ("max_pool", run_windows, a, NULL, 0);
      check ("avg_pool", run_windows, ra, NULL, 0);
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-levels/elementwise", test_elementwise);
  g_test_add_func ("/cpu-levels/integers", test_integers);
  g_test_add_func ("/cpu-levels/others", test_others);
  g_test_add_func ("/cpu-levels/columns", test_columns);
  g_test_add_func ("/cpu-levels/reductions", test_reductions);
  g_test_add_func ("/cpu-levels/places", test_places);
  g_test_add_func ("/cpu-levels/beginnings", test_beginnings);
  g_test_add_func ("/cpu-levels/overflow-at-beginnings", test_overflow_at_beginnings);
  g_test_add_func ("/cpu-levels/windows", test_windows);
  return g_test_run ();
}
