/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Both ways to sort keys against the C library, and the operation at every level. */

#include "operation-fixture.h"

#include <stdlib.h>
#include <string.h>

#include "sw/carriers/cpu/sw-cpu-level-private.h"
#include "sw/carriers/cpu/sw-cpu-sort-private.h"

typedef enum
{
  RANDOM,
  FEW_KINDS,
  ALIKE,
  ALL_LARGEST,
  RISING,
  FALLING,
  UP_AND_DOWN,
  MOSTLY_LARGEST,
  N_PATTERNS
} Pattern;

static guint32
make_key (Pattern pattern,
          gint64 i,
          gint64 n)
{
  switch (pattern)
    {
    case RANDOM:
      return (guint32) g_test_rand_int ();
    case FEW_KINDS:
      return (guint32) g_test_rand_int_range (0, 3) * 0x40000000u;
    case ALIKE:
      return 7;
    case ALL_LARGEST:
      return G_MAXUINT32;
    case RISING:
      return (guint32) i;
    case FALLING:
      return (guint32) (n - i);
    case UP_AND_DOWN:
      return (guint32) MIN (i, n - i);
    default:
      return g_test_rand_int_range (0, 10) == 0 ? (guint32) g_test_rand_int () : G_MAXUINT32;
    }
}

static int
compare (gconstpointer a,
         gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return (x > y) - (x < y);
}

/* @max_depth: of quicksort; negative for radix sort. What lies around the memory stays as it is. */
static void
check_keys (const guint32 *keys,
            const guint32 *sorted,
            gint64 n,
            int max_depth)
{
  enum
  {
    AROUND = 16
  };
  g_autofree guint32 *memory = g_new (guint32, n + 2 * AROUND);
  g_autofree guint32 *other = g_new (guint32, n + 2 * AROUND);
  guint32 *result = other + AROUND;

  for (gint64 i = 0; i < n + 2 * AROUND; i++)
    memory[i] = other[i] = 0xabababab;
  memcpy (memory + AROUND, keys, n * sizeof *keys);
  if (max_depth < 0)
    result = sw_cpu_radix_sort_32 (memory + AROUND, other + AROUND, n);
#ifdef SW_CPU_HAVE_LEVELS
  else
    sw_cpu_quicksort_avx512 (memory + AROUND, other + AROUND, n, (guint) max_depth);
#endif
  g_assert_cmpmem (result, n * sizeof *keys, sorted, n * sizeof *keys);
  for (gint64 i = 0; i < AROUND; i++)
    {
      g_assert_cmphex (memory[i], ==, 0xabababab);
      g_assert_cmphex (other[i], ==, 0xabababab);
      g_assert_cmphex (memory[AROUND + n + i], ==, 0xabababab);
      g_assert_cmphex (other[AROUND + n + i], ==, 0xabababab);
    }
}

static void
check_pattern (Pattern pattern,
               gint64 n)
{
  g_autofree guint32 *keys = g_new (guint32, n);
  g_autofree guint32 *sorted = NULL;

  for (gint64 i = 0; i < n; i++)
    keys[i] = make_key (pattern, i, n);
  sorted = g_memdup2 (keys, n * sizeof *keys);
  qsort (sorted, n, sizeof *sorted, compare);

  check_keys (keys, sorted, n, -1);
  if (sw_cpu_level_get_highest () < SW_CPU_LEVEL_AVX512)
    return;
  check_keys (keys, sorted, n, 100);
  /* Given up at once, and with some parts done. */
  for (int depth = 0; depth < 4; depth++)
    check_keys (keys, sorted, n, depth);
}

static void
test_keys (void)
{
  static const gint64 large[] = { 1000, 4096, 30011 };

  for (Pattern pattern = 0; pattern < N_PATTERNS; pattern++)
    {
      for (gint64 n = 1; n <= 300; n++)
        check_pattern (pattern, n);
      for (guint i = 0; i < G_N_ELEMENTS (large); i++)
        check_pattern (pattern, large[i]);
    }
}

/* Of zeros the negative one first, and what is not a number after all; the other way round when descending. */
static void
test_specials (void)
{
  static const double values[] = { NAN, 1, -INFINITY, 0.0, -1e-40, -0.0, INFINITY, -NAN, 1e-40, 3e38, -1 };
  static const double expected[] = { -INFINITY, -1, -1e-40, -0.0, 0.0, 1e-40, 1, 3e38, INFINITY, NAN, NAN };
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64 };
  const guint n = G_N_ELEMENTS (values);
  SwCpuLevel highest = sw_cpu_level_get_highest ();
  GError *error = NULL;

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    {
      g_autoptr (SwTensor) tensor = make_tensor (ON_CPU, dtypes[d], "11", values);

      for (sw_cpu_level = SW_CPU_LEVEL_BASE; sw_cpu_level <= highest; sw_cpu_level++)
        {
          g_autoptr (SwTensor) rising = sw_sort (tensor, 0, FALSE, &error);
          g_autoptr (SwTensor) falling = sw_sort (tensor, 0, TRUE, &error);

          g_assert_no_error (error);
          for (guint i = 0; i < n; i++)
            {
              double wanted = dtypes[d] == SW_DTYPE_FLOAT32 ? (float) expected[i] : expected[i];
              double first = get_number (rising, i), last = get_number (falling, n - 1 - i);

              g_assert_true (is_close (first, wanted, 0) && is_close (last, wanted, 0));
              g_assert_true (isnan (wanted) || (signbit (first) == signbit (wanted) && signbit (last) == signbit (wanted)));
            }
        }
      sw_cpu_level = highest;
    }
}

static const double specials[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 1e-40, -1e-40 };

static SwTensor *
make_input (SwDType dtype,
            const char *shape,
            const char *stride)
{
  SwTensor *tensor = make_view (ON_CPU, dtype, shape, stride, 0);

  for (gint64 i = 0; i < sw_carrier_get_private (tensor->carrier)->size; i++)
    {
      double value = g_test_rand_int_range (-2000, 2000);

      if (dtype == SW_DTYPE_FLOAT32 && g_test_rand_int_range (0, 10) == 0)
        value = specials[g_test_rand_int_range (0, G_N_ELEMENTS (specials))];
      put_number (tensor->carrier, i, value);
    }
  return tensor;
}

/* Lines of lengths on either side of what a network takes, side by side, end to end and with steps: every level has the same bits. */
static void
test_levels (void)
{
  static const char *const layouts[][2] = {
    { "(127, 3)", "(1, 127)" },
    { "(129, 3)", "(3, 1)" },
    { "(700, 2)", "(1, 700)" },
    { "(40, 5)", "(2, 81)" },
    { "1", "1" },
  };
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_INT32 };
  SwCpuLevel highest = sw_cpu_level_get_highest ();
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (layouts) * G_N_ELEMENTS (dtypes) * 2; i++)
    {
      const char *const *layout = layouts[i / 4];
      g_autoptr (SwTensor) tensor = make_input (dtypes[i / 2 % 2], layout[0], layout[1]);
      g_autoptr (SwTensor) first = NULL;

      for (sw_cpu_level = SW_CPU_LEVEL_BASE; sw_cpu_level <= highest; sw_cpu_level++)
        {
          g_autoptr (SwTensor) sorted = sw_sort (tensor, 0, i % 2, &error);

          g_assert_no_error (error);
          if (first == NULL)
            first = sw_tensor_ref (sorted);
          g_assert_cmpmem (sw_carrier_get_private (sorted->carrier)->data, sw_tensor_get_size (sorted) * 4,
                           sw_carrier_get_private (first->carrier)->data, sw_tensor_get_size (first) * 4);
        }
      sw_cpu_level = highest;
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-sort/keys", test_keys);
  g_test_add_func ("/cpu-sort/specials", test_specials);
  g_test_add_func ("/cpu-sort/levels", test_levels);
  return g_test_run ();
}
