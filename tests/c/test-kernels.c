/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Every operation on random layouts: CPU must do what Generic's plain loops do. */

#include "operation-fixture.h"

#define N_ROUNDS 300
#define MAX_LEAVES 16
#define MAX_TOKENS 64
#define MAX_SIZE 1500

static const SwDType number_dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };

/* The same values in the same layout on both carriers. */
typedef struct
{
  SwTensor *generic;
  SwTensor *cpu;
} Pair;

static void
pair_clear (Pair *self)
{
  g_clear_pointer (&self->generic, sw_tensor_unref);
  g_clear_pointer (&self->cpu, sw_tensor_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

typedef struct
{
  gint64 tokens[MAX_TOKENS];
  guint n_tokens;
  gint64 extents[MAX_LEAVES];
  guint n_leaves;
  gint64 size; /* 0 before the first leaf */
} RandomShape;

/* Now and then long enough for the vector code. */
static gint64
make_random_extent (RandomShape *self)
{
  gint64 size = MAX (self->size, 1);
  gint64 extent = g_test_rand_int_range (0, 6) == 0 ? g_test_rand_int_range (30, 70) : g_test_rand_int_range (1, 5);

  if (self->n_leaves >= 6 || size * extent > MAX_SIZE)
    extent = 1;
  self->size = size * extent;
  return extent;
}

static void
add_items (RandomShape *self,
           guint n_items,
           int depth)
{
  self->tokens[self->n_tokens++] = -2 - (gint64) n_items;
  for (guint i = 0; i < n_items; i++)
    {
      if (depth < 3 && self->n_leaves < 4 && g_test_rand_int_range (0, 4) == 0)
        {
          add_items (self, g_test_rand_int_range (1, 3), depth + 1);
          continue;
        }
      self->extents[self->n_leaves] = make_random_extent (self);
      self->tokens[self->n_tokens++] = self->extents[self->n_leaves++];
    }
}

static SwShape *
make_random_shape (RandomShape *self)
{
  GError *error = NULL;
  SwShape *shape;

  shape = sw_shape_new_from_tokens (self->tokens, self->n_tokens, &error);
  g_assert_no_error (error);
  return shape;
}

/* Steps in a random order of the leaves, with gaps, overlaps and repetitions. */
static SwLayout *
make_random_layout (const RandomShape *self,
                    SwShape *shape)
{
  gint64 steps[MAX_LEAVES], tokens[MAX_TOKENS];
  guint order[MAX_LEAVES], leaf = 0;
  gint64 next = 1;
  GError *error = NULL;
  g_autoptr (SwStride) stride = NULL;
  SwLayout *layout;
  gboolean plain = g_test_rand_int_range (0, 3) == 0;

  for (guint i = 0; i < self->n_leaves; i++)
    order[i] = i;
  for (guint i = self->n_leaves; i > 1; i--)
    {
      guint other = g_test_rand_int_range (0, 2) == 0 ? i - 1 : (guint) g_test_rand_int_range (0, i);
      guint swapped = order[i - 1];

      order[i - 1] = order[other];
      order[other] = swapped;
    }
  for (guint i = 0; i < self->n_leaves; i++)
    {
      int choice = plain ? 9 : g_test_rand_int_range (0, 10);

      steps[order[i]] = choice == 0 ? 0 : choice == 1 ? next * 2
                                      : choice == 2   ? next + 1
                                                      : next;
      next = MAX (next, steps[order[i]]) * (choice == 0 ? 1 : self->extents[order[i]]);
    }

  for (guint i = 0; i < self->n_tokens; i++)
    tokens[i] = self->tokens[i] < 0 ? self->tokens[i] : steps[leaf++];
  stride = sw_stride_new_from_tokens (tokens, self->n_tokens, &error);
  g_assert_no_error (error);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  return layout;
}

static double
make_random_number (SwDType dtype,
                    gboolean with_specials)
{
  static const double specials[] = { 0, -0.0, NAN, INFINITY, -INFINITY, 1e-40, -3e38 };

  if (dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64)
    return g_test_rand_int_range (-9, 10);
  /* Sums of so few quarters are exact in any order. */
  if (!with_specials)
    return g_test_rand_int_range (-16, 17) / 4.0;
  if (g_test_rand_int_range (0, 30) == 0)
    return specials[g_test_rand_int_range (0, G_N_ELEMENTS (specials))];
  return g_test_rand_double_range (-4, 4);
}

static Pair
make_pair (SwDType dtype,
           SwLayout *layout,
           gboolean with_specials)
{
  gint64 offset = g_test_rand_int_range (0, 4);
  gint64 size = offset + sw_layout_get_cosize (layout);
  SwCarrier *generic = make_carrier (ON_GENERIC, dtype, size);
  SwCarrier *cpu = make_carrier (ON_CPU, dtype, size);

  for (gint64 i = 0; i < size; i++)
    {
      double number = make_random_number (dtype, with_specials);

      put_number (generic, i, number);
      put_number (cpu, i, number);
    }
  return (Pair){ sw_tensor_new_take (generic, offset, sw_layout_ref (layout)), sw_tensor_new_take (cpu, offset, sw_layout_ref (layout)) };
}

/* Sums in another order differ by rounding errors of the terms, of which @scale is the largest. */
static void
compare (const char *name,
         SwTensor *generic,
         GError *generic_error,
         SwTensor *cpu,
         GError *cpu_error,
         double tolerance,
         double scale)
{
  if (generic == NULL)
    {
      g_assert_null (cpu);
      g_assert_error (cpu_error, SW_ERROR, generic_error->code);
      g_assert_cmpstr (cpu_error->message, ==, generic_error->message);
      g_error_free (generic_error);
      g_error_free (cpu_error);
      return;
    }

  g_assert_no_error (cpu_error);
  g_assert_true (sw_shape_equal (sw_tensor_get_shape (generic), sw_tensor_get_shape (cpu)));
  g_assert_cmpint (sw_tensor_get_dtype (generic), ==, sw_tensor_get_dtype (cpu));
  for (gint64 i = 0; i < sw_tensor_get_size (generic); i++)
    {
      double a = get_number (generic, i), b = get_number (cpu, i);

      if (!is_close (a, b, tolerance) && !(fabs (a - b) <= tolerance * scale))
        g_error ("%s: value %d is %.17g on Generic and %.17g on CPU", name, (int) i, a, b);
    }
  sw_tensor_unref (generic);
  sw_tensor_unref (cpu);
}

#define COMPARE(call_generic, call_cpu, tolerance, scale)                                    \
  G_STMT_START                                                                               \
  {                                                                                          \
    GError *generic_error = NULL, *cpu_error = NULL;                                         \
    SwTensor *on_generic = call_generic, *on_cpu = call_cpu;                                 \
                                                                                             \
    compare (#call_generic, on_generic, generic_error, on_cpu, cpu_error, tolerance, scale); \
  }                                                                                          \
  G_STMT_END

#define COMPARE_UNARY(function, tolerance) \
  COMPARE (function (a.generic, &generic_error), function (a.cpu, &cpu_error), tolerance, 0)
#define COMPARE_BINARY(function)                                                                        \
  COMPARE (function (a.generic, b.generic, &generic_error), function (a.cpu, b.cpu, &cpu_error), 0, 0); \
  COMPARE (function (b.generic, a.generic, &generic_error), function (b.cpu, a.cpu, &cpu_error), 0, 0)
#define COMPARE_NUMBER(function, number) \
  COMPARE (function (a.generic, number, &generic_error), function (a.cpu, number, &cpu_error), 0, 0)

static double
get_tolerance (SwDType dtype)
{
  return dtype == SW_DTYPE_FLOAT32 ? 0x1p-22 : 0x1p-44;
}

typedef SwTensor *(*UnaryFunction) (SwTensor *input,
                                    GError **error);

static const UnaryFunction exact_functions[] = { sw_neg, sw_abs, sw_sign, sw_floor, sw_ceil, sw_round, sw_recip, sw_sqrt, sw_relu, sw_logical_not };
static const UnaryFunction close_functions[] = { sw_rsqrt, sw_exp, sw_exp2, sw_log, sw_log2, sw_sin, sw_cos, sw_tanh, sw_erf, sw_sigmoid, sw_silu, sw_gelu, sw_softplus };

static void
test_elementwise (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      SwDType dtype = number_dtypes[round % G_N_ELEMENTS (number_dtypes)];
      RandomShape random = { 0 };
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (SwLayout) first = NULL;
      g_autoptr (SwLayout) second = NULL;

      add_items (&random, g_test_rand_int_range (0, 4), 0);
      shape = make_random_shape (&random);
      first = make_random_layout (&random, shape);
      second = make_random_layout (&random, shape);
      {
        g_auto (Pair) a = make_pair (dtype, first, TRUE);
        g_auto (Pair) b = make_pair (dtype, second, TRUE);

        COMPARE_BINARY (sw_add);
        COMPARE_BINARY (sw_sub);
        COMPARE_BINARY (sw_mul);
        COMPARE_BINARY (sw_elementwise_mul);
        COMPARE_BINARY (sw_div);
        COMPARE_BINARY (sw_maximum);
        COMPARE_BINARY (sw_minimum);
        COMPARE_BINARY (sw_rem);
        COMPARE_BINARY (sw_eq);
        COMPARE_BINARY (sw_ne);
        COMPARE_BINARY (sw_lt);
        COMPARE_BINARY (sw_le);
        COMPARE_NUMBER (sw_add_scalar, 3);
        COMPARE_NUMBER (sw_sub_scalar, -2);
        COMPARE_NUMBER (sw_mul_scalar, 5);
        COMPARE_NUMBER (sw_div_scalar, 7);
        COMPARE_NUMBER (sw_maximum_scalar, 1);
        COMPARE_NUMBER (sw_rem_scalar, -3);
        COMPARE_NUMBER (sw_lt_scalar, 0.5);
        for (guint i = 0; i < G_N_ELEMENTS (exact_functions); i++)
          COMPARE_UNARY (exact_functions[i], 0);
        for (guint i = 0; i < G_N_ELEMENTS (close_functions); i++)
          COMPARE_UNARY (close_functions[i], get_tolerance (dtype));
      }
    }
}

static void
test_overflow (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      SwDType dtype = round % 2 == 0 ? SW_DTYPE_INT32 : SW_DTYPE_INT64;
      RandomShape random = { 0 };
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (SwLayout) layout = NULL;

      add_items (&random, g_test_rand_int_range (1, 4), 0);
      shape = make_random_shape (&random);
      layout = make_random_layout (&random, shape);
      {
        g_auto (Pair) a = make_pair (dtype, layout, FALSE);
        g_auto (Pair) b = make_pair (dtype, layout, FALSE);
        double large = dtype == SW_DTYPE_INT32 ? 0x1p30 : 0x1p62;

        for (int k = g_test_rand_int_range (0, 4); k > 0; k--)
          {
            gint64 index = a.cpu->offset + g_test_rand_int_range (0, (gint32) sw_layout_get_cosize (layout));
            double number = g_test_rand_bit () ? large : -2 * large;

            put_number (a.cpu->carrier, index, number);
            put_number (a.generic->carrier, index, number);
          }
        COMPARE_BINARY (sw_add);
        COMPARE_BINARY (sw_sub);
        COMPARE_BINARY (sw_mul);
        COMPARE_BINARY (sw_pow);
        COMPARE_UNARY (sw_neg, 0);
        COMPARE_UNARY (sw_abs, 0);
        COMPARE (sw_reduce_sum (a.generic, NULL, &generic_error), sw_reduce_sum (a.cpu, NULL, &cpu_error), 0, 0);
        COMPARE (sw_reduce_sum_modes (a.generic, (gint64[]){ 0 }, 1, FALSE, NULL, &generic_error),
                 sw_reduce_sum_modes (a.cpu, (gint64[]){ 0 }, 1, FALSE, NULL, &cpu_error), 0, 0);
      }
    }
}

static void
test_reductions (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      SwDType dtype = number_dtypes[round % G_N_ELEMENTS (number_dtypes)];
      gboolean with_specials = round % 3 == 0;
      guint rank = g_test_rand_int_range (1, 5);
      RandomShape random = { 0 };
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (SwLayout) layout = NULL;
      gint64 modes[4];
      guint n_modes = 0;

      add_items (&random, rank, 0);
      shape = make_random_shape (&random);
      layout = make_random_layout (&random, shape);
      for (guint i = 0; i < rank; i++)
        {
          if (g_test_rand_bit ())
            modes[n_modes++] = i;
        }
      {
        g_auto (Pair) a = make_pair (dtype, layout, with_specials);
        gint64 mode = g_test_rand_int_range (0, rank);
        double tolerance = with_specials ? get_tolerance (dtype) : 0, scale = 3e38 * 1e3;

        COMPARE (sw_reduce_sum (a.generic, NULL, &generic_error), sw_reduce_sum (a.cpu, NULL, &cpu_error), tolerance, scale);
        COMPARE (sw_reduce_sum_modes (a.generic, modes, n_modes, FALSE, NULL, &generic_error),
                 sw_reduce_sum_modes (a.cpu, modes, n_modes, FALSE, NULL, &cpu_error), tolerance, scale);
        COMPARE (sw_reduce_max (a.generic, &generic_error), sw_reduce_max (a.cpu, &cpu_error), 0, 0);
        COMPARE (sw_reduce_max_modes (a.generic, modes, n_modes, FALSE, &generic_error),
                 sw_reduce_max_modes (a.cpu, modes, n_modes, FALSE, &cpu_error), 0, 0);
        COMPARE (sw_argmax (a.generic, &generic_error), sw_argmax (a.cpu, &cpu_error), 0, 0);
        COMPARE (sw_argmax_mode (a.generic, mode, FALSE, &generic_error), sw_argmax_mode (a.cpu, mode, FALSE, &cpu_error), 0, 0);
      }
    }
}

/* A shape of two modes, with the given tokens as one of them. */
static SwLayout *
make_matrix_layout (const RandomShape *inner,
                    gboolean inner_first)
{
  RandomShape matrix = { 0 }, outer = { 0 };
  g_autoptr (SwShape) shape = NULL;

  add_items (&outer, 1, 2);
  matrix.tokens[matrix.n_tokens++] = -4;
  for (guint part = 0; part < 2; part++)
    {
      const RandomShape *mode = (part == 0) == inner_first ? inner : &outer;

      for (guint i = 0; i < mode->n_tokens; i++)
        {
          matrix.tokens[matrix.n_tokens++] = mode->tokens[i];
          if (mode->tokens[i] >= 0)
            matrix.extents[matrix.n_leaves++] = mode->tokens[i];
        }
    }
  shape = make_random_shape (&matrix);
  return make_random_layout (&matrix, shape);
}

static void
test_matmul (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      SwDType dtype = number_dtypes[round % G_N_ELEMENTS (number_dtypes)];
      RandomShape inner = { 0 };
      g_autoptr (SwLayout) first = NULL;
      g_autoptr (SwLayout) second = NULL;

      add_items (&inner, g_test_rand_int_range (1, 3), 2);
      first = make_matrix_layout (&inner, FALSE);
      second = make_matrix_layout (&inner, TRUE);
      {
        g_auto (Pair) a = make_pair (dtype, first, FALSE);
        g_auto (Pair) b = make_pair (dtype, second, FALSE);

        COMPARE (sw_matmul (a.generic, b.generic, NULL, &generic_error), sw_matmul (a.cpu, b.cpu, NULL, &cpu_error), 0, 0);
      }
    }
}

static void
test_reshape (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_BOOL };
      RandomShape random = { 0 };
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (SwLayout) layout = NULL;
      g_autoptr (SwShape) flat = NULL;
      GError *error = NULL;

      add_items (&random, g_test_rand_int_range (1, 4), 0);
      shape = make_random_shape (&random);
      layout = make_random_layout (&random, shape);
      flat = sw_shape_new ((gint64[]){ sw_shape_get_size (shape) }, 1, &error);
      {
        g_auto (Pair) a = make_pair (dtypes[round % G_N_ELEMENTS (dtypes)], layout, FALSE);
        SwTensor *reshaped = sw_reshape (a.cpu, flat, &error);

        g_assert_no_error (error);
        for (gint64 i = 0; i < sw_tensor_get_size (a.cpu); i++)
          g_assert_cmpfloat (get_number (reshaped, i), ==, get_number (a.cpu, i));
        sw_tensor_unref (reshaped);
        COMPARE (sw_reshape (a.generic, flat, &generic_error), sw_reshape (a.cpu, flat, &cpu_error), 0, 0);
      }
    }
}

static void
test_lines (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      SwDType dtype = number_dtypes[round % G_N_ELEMENTS (number_dtypes)];
      guint rank = g_test_rand_int_range (1, 4);
      RandomShape random = { 0 };
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (SwLayout) layout = NULL;

      add_items (&random, rank, 0);
      shape = make_random_shape (&random);
      layout = make_random_layout (&random, shape);
      {
        g_auto (Pair) a = make_pair (dtype, layout, FALSE);
        g_auto (Pair) b = make_pair (dtype, layout, round % 2 == 0);
        gint64 mode = g_test_rand_int_range (0, rank);

        COMPARE (sw_cumsum (a.generic, mode, &generic_error), sw_cumsum (a.cpu, mode, &cpu_error), 0, 0);
        COMPARE (sw_sort (b.generic, mode, round % 3 == 0, &generic_error), sw_sort (b.cpu, mode, round % 3 == 0, &cpu_error), 0, 0);
        COMPARE (sw_topk (b.generic, 1, mode, &generic_error), sw_topk (b.cpu, 1, mode, &cpu_error), 0, 0);
        COMPARE (sw_softmax (b.generic, &mode, 1, &generic_error), sw_softmax (b.cpu, &mode, 1, &cpu_error), 4 * get_tolerance (dtype), 1);
        COMPARE (sw_layer_norm (a.generic, &mode, 1, NULL, NULL, 1e-3, &generic_error),
                 sw_layer_norm (a.cpu, &mode, 1, NULL, NULL, 1e-3, &cpu_error), 4 * get_tolerance (dtype), 4);
      }
    }
}

/* A flat shape in a random layout. */
static SwLayout *
make_flat_layout (const gint64 *extents,
                  guint rank)
{
  RandomShape random = { .tokens = { -2 - (gint64) rank }, .n_tokens = 1 };
  g_autoptr (SwShape) shape = NULL;

  for (guint i = 0; i < rank; i++)
    random.extents[random.n_leaves++] = random.tokens[random.n_tokens++] = extents[i];
  shape = make_random_shape (&random);
  return make_random_layout (&random, shape);
}

static void
test_windows (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      SwDType dtype = number_dtypes[round % G_N_ELEMENTS (number_dtypes)];
      gint64 window[2] = { g_test_rand_int_range (1, 4), g_test_rand_int_range (1, 4) };
      gint64 padding[4] = { g_test_rand_int_range (0, window[0]), g_test_rand_int_range (0, 3), g_test_rand_int_range (0, window[1]), 0 };
      gint64 strides[2] = { g_test_rand_int_range (1, 4), g_test_rand_int_range (1, 3) };
      gint64 dilation[2] = { g_test_rand_int_range (1, 3), 1 };
      gint64 groups = g_test_rand_int_range (1, 3);
      g_autoptr (SwLayout) first = make_flat_layout ((gint64[]){ 2, 2 * groups, g_test_rand_int_range (5, 9), g_test_rand_int_range (3, 20) }, 4);
      g_autoptr (SwLayout) second = make_flat_layout ((gint64[]){ 3 * groups, 2, window[0], window[1] }, 4);
      g_auto (Pair) a = make_pair (dtype, first, FALSE);
      g_auto (Pair) b = make_pair (dtype, second, FALSE);

      COMPARE (sw_conv_general (a.generic, b.generic, strides, 2, padding, 4, dilation, 2, groups, &generic_error),
               sw_conv_general (a.cpu, b.cpu, strides, 2, padding, 4, dilation, 2, groups, &cpu_error), get_tolerance (dtype), 100);
      COMPARE (sw_max_pool (a.generic, window, 2, strides, 2, padding, 4, &generic_error),
               sw_max_pool (a.cpu, window, 2, strides, 2, padding, 4, &cpu_error), 0, 0);
      COMPARE (sw_avg_pool (a.generic, window, 2, strides, 2, padding, 4, &generic_error),
               sw_avg_pool (a.cpu, window, 2, strides, 2, padding, 4, &cpu_error), get_tolerance (dtype), 16);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/kernels/elementwise", test_elementwise);
  g_test_add_func ("/kernels/overflow", test_overflow);
  g_test_add_func ("/kernels/reductions", test_reductions);
  g_test_add_func ("/kernels/matmul", test_matmul);
  g_test_add_func ("/kernels/reshape", test_reshape);
  g_test_add_func ("/kernels/lines", test_lines);
  g_test_add_func ("/kernels/windows", test_windows);

  return g_test_run ();
}
