/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Which kernel ran, and why no better one: of operation objects, and as events. */

#include "operation-fixture.h"

#include "sw/carriers/cpu/sw-cpu-level-private.h"

typedef struct
{
  char *kernel;
  char **rejections;
} Chosen;

static void
chosen_clear (Chosen *self)
{
  g_clear_pointer (&self->kernel, g_free);
  g_clear_pointer (&self->rejections, g_strfreev);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Chosen, chosen_clear)

/* The properties after one execution. */
static Chosen
run (const char *name,
     SwTensor *a,
     SwTensor *b)
{
  SwValue *values[2] = { sw_value_new_tensor (a), b != NULL ? sw_value_new_tensor (b) : NULL };
  g_autoptr (SwValueList) inputs = sw_value_list_new (values, b != NULL ? 2 : 1);
  GError *error = NULL;
  g_autoptr (SwOperation) operation = sw_carrier_dispatch_op (a->carrier, name, &error);
  g_autoptr (SwTensor) result = NULL;
  Chosen chosen;

  g_assert_no_error (error);
  g_object_get (operation, "kernel", &chosen.kernel, "kernel-rejections", &chosen.rejections, NULL);
  g_assert_null (chosen.kernel);
  g_assert_null (chosen.rejections);
  result = sw_operation_forward (operation, inputs, NULL, &error);
  g_assert_no_error (error);
  g_object_get (operation, "kernel", &chosen.kernel, "kernel-rejections", &chosen.rejections, NULL);
  sw_value_unref (values[0]);
  g_clear_pointer (&values[1], sw_value_unref);
  return chosen;
}

static void
assert_chosen (Chosen chosen,
               const char *kernel,
               const char *rejection)
{
  g_assert_cmpstr (chosen.kernel, ==, kernel);
  if (rejection != NULL && !g_strv_contains ((const char *const *) chosen.rejections, rejection))
    {
      g_autofree char *all = g_strjoinv ("; ", chosen.rejections);

      g_error ("%s: no \"%s\" in \"%s\"", kernel, rejection, all);
    }
  chosen_clear (&chosen);
}

#define SMALL "threads: below the size for threads"

static void
test_levels (void)
{
  SwCpuLevel before = sw_cpu_level, highest = sw_cpu_level_get_highest ();
  g_autoptr (SwTensor) a = make_view (ON_CPU, SW_DTYPE_FLOAT32, "64", "1", 0);

  for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
    {
      g_autofree char *expected = g_strdup_printf ("%s contiguous", sw_cpu_level_get_name (level));
      g_auto (Chosen) chosen = { NULL, NULL };

      sw_cpu_level = level;
      chosen = run ("add", a, a);
      g_assert_cmpstr (chosen.kernel, ==, expected);
      g_assert_true (g_strv_contains ((const char *const *) chosen.rejections, SMALL));
      for (guint above = level + 1; above < SW_CPU_N_LEVELS; above++)
        {
          g_autofree char *prefix = g_strdup_printf ("%s: ", sw_cpu_level_get_name (above));
          gboolean is_lowered = above <= highest, found = FALSE;

          for (guint i = 0; chosen.rejections[i] != NULL; i++)
            found |= g_str_has_prefix (chosen.rejections[i], prefix) &&
                     is_lowered == g_str_has_suffix (chosen.rejections[i], "STRIDEWEAVE_SIMD asks for less");
          g_assert_true (found);
        }
      g_assert_cmpuint (g_strv_length (chosen.rejections), ==, 1 + SW_CPU_LEVEL_AVX512 - level);
    }
  sw_cpu_level = before;
}

static void
test_layouts (void)
{
  SwCpuLevel before = sw_cpu_level;
  g_autoptr (SwTensor) flat = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(8, 8)", "(1, 8)", 0);
  g_autoptr (SwTensor) one = make_view (ON_CPU, SW_DTYPE_FLOAT32, "1", "1", 0);
  g_autoptr (SwTensor) rows = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(8, 8)", "(1, 9)", 0);
  g_autoptr (SwTensor) apart = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(8, 8)", "(2, 16)", 0);
  g_autoptr (SwTensor) repeated = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(8, 8)", "(0, 1)", 0);
  g_autoptr (SwTensor) short_row = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(8, 3)", "(1, 8)", 0);
  g_autoptr (SwTensor) long_row = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(8, 32)", "(1, 8)", 0);
  g_autoptr (SwTensor) integers = make_tensor_of (ON_CPU, SW_DTYPE_INT32, "(2, 2)", 1, 2, 3, 4);
  g_autoptr (SwTensor) long_value = make_view (ON_CPU, SW_DTYPE_INT64, "(8, 8)", "(1, 8)", 0);

  sw_cpu_level = SW_CPU_LEVEL_BASE;
  assert_chosen (run ("add", flat, flat), "base contiguous", SMALL);
  assert_chosen (run ("relu", one, NULL), "base single value", SMALL);
  assert_chosen (run ("add", flat, rows), "base contiguous rows", "contiguous: rows do not follow one another, loops: 2");
  assert_chosen (run ("add", flat, apart), "base strided", "contiguous: non-unit stride in mode 0");
  assert_chosen (run ("add", flat, repeated), "base broadcast", "contiguous: one value for all of mode 0");
  assert_chosen (run ("relu", apart, NULL), "base strided", "contiguous: non-unit stride in mode 0");
  assert_chosen (run ("mul", long_value, long_value), "scalar contiguous", "vector: dtype Int64 has no vector kernel");
  assert_chosen (run ("exp2", flat, NULL), "libm contiguous", NULL);
  assert_chosen (run ("reduce_sum", flat, NULL), "base contiguous rows", SMALL);
  assert_chosen (run ("reduce_sum", apart, NULL), "base strided rows", "contiguous rows: non-unit stride in the reduced modes");
  assert_chosen (run ("argmax", short_row, NULL), "scalar contiguous rows", "vector: values of a row: 24");
  assert_chosen (run ("argmax", long_row, NULL), "base contiguous rows", SMALL);
  assert_chosen (run ("argmin", apart, NULL), "scalar strided rows", "vector: non-unit stride in the reduced modes");
  assert_chosen (run ("reduce_sum", integers, NULL), "base contiguous rows", SMALL);
  assert_chosen (run ("reduce_prod", integers, NULL), "scalar contiguous rows", "vector: dtype Int32 has no vector kernel");
  sw_cpu_level = before;
}

static void
test_products (void)
{
  SwCpuLevel before = sw_cpu_level;
  g_autoptr (SwTensor) matrix = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(4, 4)", "(1, 4)", 0);
  g_autoptr (SwTensor) turned = make_view (ON_CPU, SW_DTYPE_FLOAT64, "(4, 4)", "(4, 1)", 0);
  g_autoptr (SwTensor) turned_narrow = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(4, 4)", "(4, 1)", 0);
  g_autoptr (SwTensor) large = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(20, 20)", "(1, 20)", 0);
  g_autoptr (SwTensor) large_turned = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(20, 20)", "(20, 1)", 0);
  g_autoptr (SwTensor) apart = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(4, 4)", "(2, 8)", 0);
  g_autoptr (SwTensor) integers = make_view (ON_CPU, SW_DTYPE_INT32, "(4, 4)", "(1, 4)", 0);
  GError *error = NULL;

  g_assert_true (sw_cpu_set_n_threads (1, &error));
  sw_cpu_level = SW_CPU_LEVEL_BASE;
  assert_chosen (run ("matmul", matrix, matrix), "base product as it lies", SMALL);
  assert_chosen (run ("matmul", turned, turned), "base product as it lies", SMALL);
  assert_chosen (run ("matmul", large, large), "blas sgemm", "product as it lies: a factor has more values than are faster so");
  assert_chosen (run ("matmul", large, large_turned), "blas sgemm", NULL);
  assert_chosen (run ("matmul", large_turned, large), "blas sgemm", "product as it lies: non-unit stride where the result has unit stride");
  assert_chosen (run ("matmul", apart, matrix), "blas sgemm, lhs copied",
                 "lhs as it lies: neither mode has unit stride, or one needs several steps");
  assert_chosen (run ("matmul", turned_narrow, apart), "blas sgemm, rhs copied",
                 "rhs as it lies: neither mode has unit stride, or one needs several steps");
  assert_chosen (run ("matmul", apart, apart), "blas sgemm, lhs and rhs copied", NULL);
  sw_cpu_level = before;
  assert_chosen (run ("matmul", integers, integers), "scalar dot products of copied rows and columns",
                 "blas: dtype Int32 is none of its own");
}

static void
test_convolutions (void)
{
  SwCpuLevel before = sw_cpu_level;
  g_autoptr (SwTensor) images = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(1, 2, 5, 5)", "(50, 25, 5, 1)", 0);
  g_autoptr (SwTensor) turned = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(1, 2, 5, 5)", "(50, 25, 1, 5)", 0);
  g_autoptr (SwTensor) small = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(3, 2, 1, 1)", "(2, 1, 1, 1)", 0);
  g_autoptr (SwTensor) few = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(1, 2, 3, 3)", "(18, 9, 3, 1)", 0);
  g_autoptr (SwTensor) large = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(64, 2, 3, 3)", "(18, 9, 3, 1)", 0);
  g_autoptr (SwTensor) reversed = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(64, 2, 3, 3)", "(1, 64, 128, 384)", 0);
  g_autoptr (SwTensor) wide = make_view (ON_CPU, SW_DTYPE_FLOAT64, "(1, 2, 100, 100)", "(20000, 10000, 100, 1)", 0);
  g_autoptr (SwTensor) wide_large = make_view (ON_CPU, SW_DTYPE_FLOAT64, "(64, 2, 3, 3)", "(18, 9, 3, 1)", 0);
  g_autoptr (SwTensor) wide_small = make_view (ON_CPU, SW_DTYPE_FLOAT64, "(64, 2, 1, 1)", "(2, 1, 1, 1)", 0);
  GError *error = NULL;

  g_assert_true (sw_cpu_set_n_threads (1, &error));
  sw_cpu_level = SW_CPU_LEVEL_BASE;
  assert_chosen (run ("conv_general", images, small), "base pointwise", SMALL);
  assert_chosen (run ("conv_general", turned, small), "base im2col", "pointwise: non-unit stride in the modes of windows, which are 2");
  assert_chosen (run ("conv_general", images, few), "base summed rows", "im2col: few outputs in a group: 1");
  assert_chosen (run ("conv_general", images, large), "base im2col", "pointwise: values of a window: 9");
  assert_chosen (run ("conv_general", images, reversed), "base im2col, weights copied", NULL);
  assert_chosen (run ("conv_general", wide, wide_large), "im2col + dgemm", "pointwise: values of a window: 9");
  assert_chosen (run ("conv_general", wide, wide_small), "pointwise dgemm", NULL);
  if (before >= SW_CPU_LEVEL_AVX2)
    {
      sw_cpu_level = SW_CPU_LEVEL_AVX2;
      assert_chosen (run ("conv_general", wide, wide_large), "avx2 im2col, 6 pieces, 1 thread", "threads: no more than one is allowed");
      g_assert_true (sw_cpu_set_n_threads (2, &error));
      assert_chosen (run ("conv_general", wide, wide_large), "avx2 im2col, 6 pieces, 2 threads", NULL);
    }
  sw_cpu_level = before;
}

static void
test_threads (void)
{
  g_autoptr (SwTensor) large = make_view (ON_CPU, SW_DTYPE_FLOAT32, "262144", "1", 0);
  g_autofree char *two = g_strdup_printf ("%s contiguous, 4 pieces, 2 threads", sw_cpu_level_get_name (sw_cpu_level));
  g_autofree char *one = g_strdup_printf ("%s contiguous, 4 pieces, 1 thread", sw_cpu_level_get_name (sw_cpu_level));
  GError *error = NULL;

  g_assert_true (sw_cpu_set_n_threads (2, &error));
  assert_chosen (run ("add", large, large), two, NULL);
  g_assert_true (sw_cpu_set_n_threads (1, &error));
  assert_chosen (run ("add", large, large), one, "threads: no more than one is allowed");
}

/* Generic has but one way, and says nothing. */
static void
test_without (void)
{
  g_autoptr (SwTensor) generic = make_view (ON_GENERIC, SW_DTYPE_FLOAT64, "(1, 4)", "(4, 1)", 0);
  g_auto (Chosen) plain = run ("add", generic, generic);
  g_auto (Chosen) viewed = run ("squeeze", generic, NULL);

  g_assert_null (plain.kernel);
  g_assert_null (plain.rejections);
  g_assert_null (viewed.kernel);
  g_assert_null (viewed.rejections);
}

static Chosen
run_with (const char *name,
          SwTensor *a,
          SwValue *first,
          SwValue *second)
{
  g_autoptr (SwValue) tensor = sw_value_new_tensor (a);
  g_autoptr (SwValueList) inputs = sw_value_list_new ((SwValue *[]){ tensor, first, second }, second != NULL ? 3 : 2);
  GError *error = NULL;
  g_autoptr (SwOperation) operation = sw_carrier_dispatch_op (a->carrier, name, &error);
  g_autoptr (SwTensor) result = NULL;
  Chosen chosen;

  g_assert_no_error (error);
  result = sw_operation_forward (operation, inputs, NULL, &error);
  g_assert_no_error (error);
  g_object_get (operation, "kernel", &chosen.kernel, "kernel-rejections", &chosen.rejections, NULL);
  return chosen;
}

/* What moves nothing, and what moves or sorts values. */
static void
test_moves (void)
{
  SwCpuLevel before = sw_cpu_level, highest = sw_cpu_level_get_highest ();
  g_autoptr (SwTensor) flat = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(1, 64)", "(64, 1)", 0);
  g_autoptr (SwTensor) turned = make_view (ON_CPU, SW_DTYPE_FLOAT32, "(8, 8)", "(8, 1)", 0);
  g_autoptr (SwTensor) wide = make_view (ON_CPU, SW_DTYPE_FLOAT64, "64", "1", 0);
  g_autoptr (SwTensor) places = make_tensor_of (ON_CPU, SW_DTYPE_INT64, "(1, 2)", 3, 1);
  g_autoptr (SwShape) shape = make_shape ("64");
  g_autoptr (SwValue) wanted = sw_value_new_shape (shape);
  g_autoptr (SwValue) index = sw_value_new_tensor (places);
  g_autoptr (SwValue) one = sw_value_new_int64 (1);
  g_autoptr (SwValue) zero = sw_value_new_int64 (0);

  assert_chosen (run ("squeeze", flat, NULL), "view, no values moved", NULL);
  assert_chosen (run_with ("reshape", flat, wanted, NULL), "view, no values moved", NULL);
  assert_chosen (run_with ("reshape", turned, wanted, NULL), "copy", "view: no layout of the shape has these values where they are");
  assert_chosen (run_with ("gather", flat, one, index), "scalar by index", "threads: gather runs on one");
  assert_chosen (run_with ("sort", wide, zero, NULL), "scalar radix sort", "vector: dtype Float64 has no vector kernel");
  if (highest == SW_CPU_LEVEL_AVX512)
    assert_chosen (run_with ("sort", flat, one, NULL), "avx512 quicksort", "threads: sorting runs on one");
  sw_cpu_level = SW_CPU_LEVEL_BASE;
  assert_chosen (run_with ("sort", flat, one, NULL), "scalar radix sort",
                 highest == SW_CPU_LEVEL_AVX512 ? "avx512: STRIDEWEAVE_SIMD asks for less" : "threads: sorting runs on one");
  assert_chosen (run_with ("sort", turned, one, NULL), "scalar insertion sort", "radix sort: values of a line: 8");
  sw_cpu_level = before;
}

static char *
dup_text (SwTraceEvent *event,
          const char *key)
{
  g_autoptr (GVariant) arguments = sw_trace_event_dup_arguments (event);
  char *text = NULL;

  g_variant_lookup (arguments, key, "s", &text);
  return text;
}

static void
assert_text (SwTraceEvent *event,
             const char *key,
             const char *expected)
{
  g_autofree char *text = dup_text (event, key);

  g_assert_cmpstr (text, ==, expected);
}

/* Both ways to run an operation say the same; who wants to know of less is told nothing. */
static void
test_events (void)
{
  SwCpuLevel before = sw_cpu_level;
  SwTraceContext *context = sw_trace_context_get_default ();
  g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (64, NULL);
  g_autoptr (SwTensor) apart = make_view (ON_CPU, SW_DTYPE_FLOAT32, "8", "2", 0);
  g_autoptr (SwTensor) generic = make_view (ON_GENERIC, SW_DTYPE_FLOAT64, "4", "1", 0);
  g_autoptr (SwTensor) first = NULL;
  g_autoptr (SwTensor) second = NULL;
  g_autoptr (GPtrArray) events = NULL;
  GError *error = NULL;

  sw_cpu_level = SW_CPU_LEVEL_BASE;
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_DECISIONS);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  first = sw_relu (apart, &error);
  g_assert_no_error (error);
  second = sw_relu (generic, &error);
  g_assert_no_error (error);
  assert_chosen (run ("relu", apart, NULL), "base strided", NULL);
  sw_trace_context_set_collector (context, NULL);
  g_clear_pointer (&first, sw_tensor_unref);
  first = sw_relu (apart, &error);
  g_assert_no_error (error);

  events = sw_memory_collector_dup_events (collector);
  g_assert_cmpuint (events->len, ==, 2);
  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);

      g_assert_cmpstr (sw_trace_event_get_name (event), ==, "kernel.selected");
      g_assert_cmpstr (sw_trace_event_get_category (event), ==, "kernel");
      assert_text (event, "operation", "relu");
      assert_text (event, "carrier", "Strideweave.CPU");
      assert_text (event, "variant", "base strided");
      assert_text (event, "rejected_0", "avx512");
      assert_text (event, "rejected_2", "contiguous");
      assert_text (event, "reason_2", "non-unit stride in mode 0");
      assert_text (event, "rejected_3", "threads");
      assert_text (event, "reason_3", "below the size for threads");
    }
  sw_cpu_level = before;
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-choice/levels", test_levels);
  g_test_add_func ("/kernel-choice/layouts", test_layouts);
  g_test_add_func ("/kernel-choice/products", test_products);
  g_test_add_func ("/kernel-choice/convolutions", test_convolutions);
  g_test_add_func ("/kernel-choice/threads", test_threads);
  g_test_add_func ("/kernel-choice/without", test_without);
  g_test_add_func ("/kernel-choice/moves", test_moves);
  g_test_add_func ("/kernel-choice/events", test_events);
  return g_test_run ();
}
