/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Convolutions and products of matrices of all sizes, at every level of vector code and on several numbers of threads, must be
 * what Generic's plain loops compute. The values are few eighths, so that every order of adding them is exact. */

#include "operation-fixture.h"

#include "sw/carriers/cpu/sw-cpu-level-private.h"

static const guint thread_counts[] = { 1, 2, 3 };

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

static SwStride *
make_stride (const gint64 *steps,
             guint rank)
{
  GError *error = NULL;
  SwStride *stride = sw_stride_new (steps, rank, &error);

  g_assert_no_error (error);
  return stride;
}

/* The modes lie in the order that @order says, the first of it fastest, with @gap values between the lines of that. */
static Pair
make_pair (SwDType dtype,
           const gint64 *extents,
           guint rank,
           const guint *order,
           gint64 gap)
{
  gint64 steps[8], step = 1, offset = g_test_rand_int_range (0, 3);
  g_autoptr (SwShape) shape = sw_shape_new (extents, rank, NULL);
  g_autoptr (SwStride) stride = NULL;
  g_autoptr (SwLayout) layout = NULL;
  g_autoptr (SwCarrier) generic = NULL;
  g_autoptr (SwCarrier) cpu = NULL;
  GError *error = NULL;

  for (guint i = 0; i < rank; i++)
    {
      steps[order[i]] = step;
      step = step * extents[order[i]] + (i == 0 ? gap : 0);
    }
  stride = make_stride (steps, rank);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  generic = make_carrier (ON_GENERIC, dtype, offset + sw_layout_get_cosize (layout));
  cpu = make_carrier (ON_CPU, dtype, offset + sw_layout_get_cosize (layout));
  for (gint64 i = 0; i < offset + sw_layout_get_cosize (layout); i++)
    {
      double value = g_test_rand_int_range (-8, 9) / 8.0;

      put_number (generic, i, value);
      put_number (cpu, i, value);
    }
  return (Pair){ sw_tensor_new (generic, offset, layout, &error), sw_tensor_new (cpu, offset, layout, &error) };
}

static void
assert_same (SwTensor *result,
             SwTensor *expected,
             const char *what)
{
  g_assert_true (sw_shape_equal (sw_tensor_get_shape (result), sw_tensor_get_shape (expected)));
  for (gint64 i = 0; i < sw_tensor_get_size (expected); i++)
    {
      if (get_number (result, i) != get_number (expected, i))
        g_error ("%s: value %d is %.17g, not %.17g", what, (int) i, get_number (result, i), get_number (expected, i));
    }
}

typedef struct
{
  SwDType dtype;
  guint n_modes;
  gint64 n_images;
  gint64 n_channels; /* of a group */
  gint64 n_outputs;  /* of a group */
  gint64 groups;
  gint64 extents[3];
  gint64 window[3];
  gint64 strides[3];
  gint64 padding[6];
  gint64 dilation[3];
} Convolution;

static SwTensor *
convolve (const Convolution *self,
          SwTensor *input,
          SwTensor *weight)
{
  GError *error = NULL;
  SwTensor *result = sw_conv_general (input, weight, self->strides, self->n_modes, self->padding, 2 * self->n_modes, self->dilation,
                                      self->n_modes, self->groups, &error);

  g_assert_no_error (error);
  return result;
}

static void
check_convolution (const Convolution *self,
                   const guint *order,
                   const guint *weight_order)
{
  gint64 input_extents[5] = { self->n_images, self->n_channels * self->groups };
  gint64 weight_extents[5] = { self->n_outputs * self->groups, self->n_channels };
  SwCpuLevel highest = sw_cpu_level_get_highest ();

  for (guint i = 0; i < self->n_modes; i++)
    {
      input_extents[i + 2] = self->extents[i];
      weight_extents[i + 2] = self->window[i];
    }
  {
    g_auto (Pair) input = make_pair (self->dtype, input_extents, self->n_modes + 2, order, g_test_rand_int_range (0, 2));
    g_auto (Pair) weight = make_pair (self->dtype, weight_extents, self->n_modes + 2, weight_order, 0);
    g_autoptr (SwTensor) expected = convolve (self, input.generic, weight.generic);

    for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
      {
        sw_cpu_level = level;
        for (guint i = 0; i < G_N_ELEMENTS (thread_counts); i++)
          {
            g_autofree char *what = g_strdup_printf ("%s, %u threads", sw_cpu_level_get_name (level), thread_counts[i]);
            g_autoptr (SwTensor) result = NULL;

            g_assert_true (sw_cpu_set_n_threads (thread_counts[i], NULL));
            result = convolve (self, input.cpu, weight.cpu);
            assert_same (result, expected, what);
          }
      }
    sw_cpu_level = highest;
  }
}

/* For each number of modes: as usual, channels fastest, the modes of the windows the other way round. */
static const guint orders[3][3][5] = {
  { { 2, 1, 0 }, { 1, 2, 0 }, { 0, 1, 2 } },
  { { 3, 2, 1, 0 }, { 1, 3, 2, 0 }, { 2, 3, 1, 0 } },
  { { 4, 3, 2, 1, 0 }, { 1, 4, 3, 2, 0 }, { 2, 3, 4, 1, 0 } },
};

static void
test_random_convolutions (void)
{
  for (int round = 0; round < 120; round++)
    {
      Convolution self = {
        .dtype = round % 2 == 0 ? SW_DTYPE_FLOAT32 : SW_DTYPE_FLOAT64,
        .n_modes = (guint) g_test_rand_int_range (1, 4),
        .n_images = g_test_rand_int_range (1, 3),
        .n_channels = g_test_rand_int_range (1, 4),
        .n_outputs = (gint64[]){ 1, 2, 3, 7, 9, 16 }[g_test_rand_int_range (0, 6)],
        .groups = g_test_rand_int_range (1, 4),
      };
      gboolean is_plain = g_test_rand_int_range (0, 3) == 0;

      for (guint i = 0; i < self.n_modes; i++)
        {
          gboolean is_last = i + 1 == self.n_modes;

          self.window[i] = g_test_rand_int_range (1, 4);
          self.strides[i] = is_plain ? 1 : g_test_rand_int_range (1, 4);
          self.dilation[i] = is_plain ? 1 : g_test_rand_int_range (1, 3);
          self.padding[2 * i] = is_plain ? 0 : g_test_rand_int_range (0, 5);
          self.padding[2 * i + 1] = is_plain ? 0 : g_test_rand_int_range (0, 5);
          self.extents[i] = (self.window[i] - 1) * self.dilation[i] + 1 + g_test_rand_int_range (0, is_last ? 40 : 5);
        }
      check_convolution (&self, orders[self.n_modes - 1][g_test_rand_int_range (0, 3)], orders[self.n_modes - 1][round % 3]);
    }
}

/* So many positions that they are divided into pieces, and so many terms that pieces are as small as they get. */
static void
test_pieces (void)
{
  static const Convolution cases[] = {
    { SW_DTYPE_FLOAT32, 2, 2, 3, 9, 1, { 70, 61 }, { 3, 3 }, { 1, 1 }, { 1, 1, 1, 1 }, { 1, 1 } },
    { SW_DTYPE_FLOAT32, 2, 1, 500, 5, 1, { 9, 17 }, { 3, 3 }, { 1, 1 }, { 1, 0, 0, 2 }, { 1, 1 } },
    { SW_DTYPE_FLOAT64, 2, 2, 40, 17, 2, { 31, 33 }, { 1, 1 }, { 1, 1 }, { 0, 0, 0, 0 }, { 1, 1 } },
    { SW_DTYPE_FLOAT32, 2, 1, 1, 1, 24, { 90, 77 }, { 3, 3 }, { 1, 1 }, { 1, 1, 1, 1 }, { 1, 1 } },
    { SW_DTYPE_FLOAT32, 2, 1, 1, 1, 2, { 420, 400 }, { 3, 3 }, { 1, 1 }, { 1, 1, 1, 1 }, { 1, 1 } },
    { SW_DTYPE_FLOAT32, 1, 3, 20, 33, 1, { 4000 }, { 5 }, { 2 }, { 2, 2 }, { 1 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_convolution (&cases[i], orders[cases[i].n_modes - 1][0], orders[cases[i].n_modes - 1][0]);
}

/* Windows that lie in the padding altogether. */
static void
test_nothing_but_padding (void)
{
  static const Convolution cases[] = {
    { SW_DTYPE_FLOAT32, 2, 1, 2, 1, 1, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 9, 7, 20, 3 }, { 1, 1 } },
    { SW_DTYPE_FLOAT64, 2, 1, 2, 4, 1, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 9, 7, 20, 70 }, { 1, 2 } },
    { SW_DTYPE_FLOAT32, 2, 1, 2, 1, 1, { 3, 3 }, { 2, 2 }, { 1, 3 }, { 9, 7, 20, 70 }, { 4, 1 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_convolution (&cases[i], orders[1][i % 3], orders[1][0]);
}

/* Runs a product at each level and on each number of threads; @out: where the result goes, or NULL for a fresh one. */
static void
check_product (const Pair *lhs,
               const Pair *rhs,
               SwTensor *out)
{
  SwCpuLevel highest = sw_cpu_level_get_highest ();
  GError *error = NULL;
  g_autoptr (SwTensor) expected = sw_matmul (lhs->generic, rhs->generic, NULL, &error);

  g_assert_no_error (error);
  for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
    {
      sw_cpu_level = level;
      for (guint i = 0; i < G_N_ELEMENTS (thread_counts); i++)
        {
          g_autofree char *what = g_strdup_printf ("%s, %u threads", sw_cpu_level_get_name (level), thread_counts[i]);
          g_autoptr (SwTensor) result = NULL;

          g_assert_true (sw_cpu_set_n_threads (thread_counts[i], NULL));
          if (out == NULL)
            result = sw_matmul (lhs->cpu, rhs->cpu, NULL, &error);
          else if (sw_binary_into (out, "matmul", lhs->cpu, rhs->cpu, &error))
            result = sw_tensor_ref (out);
          g_assert_no_error (error);
          assert_same (result, expected, what);
        }
    }
  sw_cpu_level = highest;
}

/* By the number of modes that count matrices: last mode fastest, first mode of a matrix fastest, the matrices fastest. */
static const guint matrix_orders[3][3][4] = {
  { { 1, 0 }, { 0, 1 }, { 1, 0 } },
  { { 2, 1, 0 }, { 1, 2, 0 }, { 0, 2, 1 } },
  { { 3, 2, 1, 0 }, { 2, 3, 0, 1 }, { 1, 0, 3, 2 } },
};

static gint64
make_random_extent (void)
{
  return g_test_rand_int_range (0, 4) == 0 ? g_test_rand_int_range (40, 90) : g_test_rand_int_range (1, 20);
}

static void
test_random_products (void)
{
  for (int round = 0; round < 150; round++)
    {
      SwDType dtype = round % 2 == 0 ? SW_DTYPE_FLOAT32 : SW_DTYPE_FLOAT64;
      guint n = (guint) g_test_rand_int_range (0, 3);
      gint64 m = make_random_extent (), k = make_random_extent ();
      gint64 lhs_extents[4] = { 3, 2 }, rhs_extents[4] = { 3, 2 };
      gint64 gap = g_test_rand_int_range (0, 3);

      lhs_extents[n] = m;
      lhs_extents[n + 1] = rhs_extents[n] = k;
      rhs_extents[n + 1] = make_random_extent ();
      {
        g_auto (Pair) lhs = make_pair (dtype, lhs_extents, n + 2, matrix_orders[n][g_test_rand_int_range (0, 3)], gap);
        g_auto (Pair) rhs = make_pair (dtype, rhs_extents, n + 2, matrix_orders[n][g_test_rand_int_range (0, 3)], gap);
        gint64 extents[4] = { 3, 2 };

        extents[n] = m;
        extents[n + 1] = rhs_extents[n + 1];
        {
          g_auto (Pair) out = make_pair (dtype, extents, n + 2, matrix_orders[n][round % 3], g_test_rand_int_range (0, 2));

          check_product (&lhs, &rhs, NULL);
          check_product (&lhs, &rhs, out.cpu);
        }
      }
    }
}

/* Products that are divided: by columns, by rows, by matrices, and what OpenBLAS computes of many on the pool. */
static void
test_divided_products (void)
{
  static const gint64 sizes[][4] = { { 1, 100, 130, 210 }, { 1, 500, 80, 60 }, { 1, 3, 40000, 20 }, { 300, 17, 19, 23 }, { 3, 110, 120, 200 }, { 130, 30, 30, 30 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      for (guint order = 0; order < 4; order++)
        {
          const gint64 *size = sizes[i];
          g_auto (Pair) lhs = make_pair (SW_DTYPE_FLOAT32, (gint64[]){ size[0], size[1], size[2] }, 3, matrix_orders[1][order % 2], 0);
          g_auto (Pair) rhs = make_pair (SW_DTYPE_FLOAT32, (gint64[]){ size[0], size[2], size[3] }, 3, matrix_orders[1][order / 2], 0);

          check_product (&lhs, &rhs, NULL);
        }
    }
}

static void
assert_strides (SwTensor *tensor,
                const char *expected)
{
  g_autofree char *text = sw_stride_to_string (sw_layout_get_stride (sw_tensor_get_layout (tensor)));

  g_assert_cmpstr (text, ==, expected);
  sw_tensor_unref (tensor);
}

/* Where both operands have their last mode fastest, so has the result. */
static void
test_order_of_results (void)
{
  g_auto (Pair) lhs = make_pair (SW_DTYPE_FLOAT32, (gint64[]){ 3, 4 }, 2, matrix_orders[0][0], 0);
  g_auto (Pair) rhs = make_pair (SW_DTYPE_FLOAT32, (gint64[]){ 4, 5 }, 2, matrix_orders[0][0], 0);
  g_auto (Pair) turned = make_pair (SW_DTYPE_FLOAT32, (gint64[]){ 4, 5 }, 2, matrix_orders[0][1], 0);
  g_auto (Pair) many = make_pair (SW_DTYPE_INT32, (gint64[]){ 3, 2, 4, 4 }, 4, matrix_orders[2][0], 0);
  g_auto (Pair) row = make_pair (SW_DTYPE_FLOAT64, (gint64[]){ 1, 4 }, 2, matrix_orders[0][0], 0);

  assert_strides (sw_matmul (lhs.cpu, rhs.cpu, NULL, NULL), "(5, 1)");
  assert_strides (sw_matmul (lhs.generic, rhs.generic, NULL, NULL), "(5, 1)");
  assert_strides (sw_matmul (lhs.cpu, turned.cpu, NULL, NULL), "(1, 3)");
  assert_strides (sw_matmul (many.cpu, many.cpu, NULL, NULL), "(32, 16, 4, 1)");
  assert_strides (sw_matmul (row.cpu, rhs.cpu, NULL, NULL), "(5, 1)");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/products/random-convolutions", test_random_convolutions);
  g_test_add_func ("/products/pieces", test_pieces);
  g_test_add_func ("/products/nothing-but-padding", test_nothing_but_padding);
  g_test_add_func ("/products/random-products", test_random_products);
  g_test_add_func ("/products/divided-products", test_divided_products);
  g_test_add_func ("/products/order-of-results", test_order_of_results);

  return g_test_run ();
}
