/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Operations element by element whose views lie across each other, which are walked through in tiles. */

#include "operation-fixture.h"

#include "sw/carriers/cpu/sw-cpu-nest-private.h"

/* With and without rests of either length, and of both; with loops around them; with a view of negligible steps. */
static const char *const layouts[][3] = {
  { "(64, 64)", "(1, 64)", "(64, 1)" },
  { "(70, 33)", "(1, 70)", "(33, 1)" },
  { "(33, 70)", "(70, 1)", "(1, 33)" },
  { "(200, 19)", "(20, 1)", "(1, 201)" },
  { "(50, 3, 40)", "(1, 50, 150)", "(120, 40, 1)" },
  { "((5, 10), (3, 20))", "((1, 5), (50, 150))", "((600, 60), (20, 1))" },
  { "(100, 100)", "(300, 2)", "(0, 1)" },
  { "(2, 60, 2, 60, 2)", "(14400, 1, 60, 120, 7200)", "(1, 480, 240, 4, 2)" },
};

static void
check (const char *shape,
       const char *first,
       const char *second,
       SwDType dtype)
{
  g_autoptr (SwTensor) a = make_view (ON_CPU, dtype, shape, first, 0);
  g_autoptr (SwTensor) b = make_view (ON_CPU, dtype, shape, second, 0);
  GError *error = NULL;
  g_autoptr (SwTensor) sum = sw_add (a, b, &error);
  g_autoptr (SwTensor) same = NULL;
  gint64 size;

  g_assert_no_error (error);
  same = sw_clamp (b, -1, 1e9, &error);
  g_assert_no_error (error);
  size = sw_tensor_get_size (a);
  for (gint64 i = 0; i < size; i++)
    {
      double x = get_number (a, i), y = get_number (b, i);

      if (get_number (sum, i) != x + y || get_number (same, i) != y)
        g_error ("%s:%s and %s: value %d is %g", shape, first, second, (int) i, get_number (sum, i));
    }
}

static void
test_values (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32 };

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
        {
          check (layouts[i][0], layouts[i][1], layouts[i][2], dtypes[d]);
          check (layouts[i][0], layouts[i][2], layouts[i][1], dtypes[d]);
        }
    }
}

/* Which values a walk has come to, and how. */
typedef struct
{
  guint8 *counts;
  gint64 longest;
  gint64 n_rows;
} Walk;

static gboolean
count_rows (gpointer data,
            SwCpuNest *nest)
{
  Walk *self = data;

  do
    {
      for (gint64 i = 0; i < sw_cpu_nest_get_length (nest); i++)
        self->counts[nest->at[0] + i * sw_cpu_nest_get_step (nest, 0)]++;
      self->longest = MAX (self->longest, sw_cpu_nest_get_length (nest));
      self->n_rows++;
    }
  while (sw_cpu_nest_next (nest));
  return self->n_rows > 1;
}

/* Every value once, in short rows where views lie across each other and in one else. */
static void
test_walk (void)
{
  SwLayoutLeaf down[] = { { 70, 1 }, { 45, 70 } }, across[] = { { 70, 45 }, { 45, 1 } };
  SwAxis result = { 70 * 45, 2, down }, same = result, other = { 70 * 45, 2, across };
  const SwAxis *seconds[] = { &other, &same };

  for (guint i = 0; i < 2; i++)
    {
      g_autofree guint8 *counts = g_new0 (guint8, result.size);
      Walk walk = { counts };
      SwCpuNest nest;

      sw_cpu_nest_init (&nest, (const SwAxis *[]){ &result, seconds[i] }, (gint64[]){ 0, 0 }, 2, SW_CPU_NEST_SORTED);
      g_assert_cmpint (sw_cpu_nest_run_in_tiles (&nest, count_rows, &walk), ==, i == 0);
      sw_cpu_nest_clear (&nest);
      for (gint64 k = 0; k < result.size; k++)
        g_assert_cmpuint (counts[k], ==, 1);
      if (i == 0)
        g_assert_cmpint (walk.longest, <, 70);
      else
        g_assert_cmpint (walk.longest, ==, result.size);
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-tiles/values", test_values);
  g_test_add_func ("/cpu-tiles/walk", test_walk);
  return g_test_run ();
}
