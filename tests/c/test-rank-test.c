/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether samples differ: against all ways to choose, and against values that were computed with other programs. */
#include "config.h"

#include <math.h>
#include <strideweave.h>

#include "sw-profiler/analysis/sw-rank-test-private.h"

/* Twice W, by counting pairs: no ranks. */
static gint64
count_pairs (const gint64 *values,
             guint n,
             guint chosen)
{
  gint64 doubled = 0;

  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n; j++)
      if ((chosen >> i & 1) != 0 && (chosen >> j & 1) == 0)
        doubled += values[i] > values[j] ? 2 : values[i] == values[j];
  return doubled;
}

/* Every way to choose the new ones. */
static double
try_all (const gint64 *values,
         guint n_base,
         guint n_new)
{
  guint n = n_base + n_new, n_all = 0, n_far = 0;
  guint found = ((1u << n_new) - 1) << n_base;
  gint64 distance = ABS (count_pairs (values, n, found) - (gint64) n_base * n_new);

  for (guint chosen = 0; chosen < 1u << n; chosen++)
    {
      if (__builtin_popcount (chosen) != (int) n_new)
        continue;
      n_all++;
      n_far += ABS (count_pairs (values, n, chosen) - (gint64) n_base * n_new) >= distance;
    }
  return (double) n_far / n_all;
}

static void
test_exact (void)
{
  for (guint round = 0; round < 200; round++)
    {
      guint n_base = (guint) g_test_rand_int_range (1, 6), n_new = (guint) g_test_rand_int_range (1, 6);
      gint64 values[10];
      SwRankTest test;
      double p, superiority;

      for (guint i = 0; i < n_base + n_new; i++)
        values[i] = g_test_rand_int_range (0, round % 2 == 0 ? 4 : 1000);
      p = try_all (values, n_base, n_new);
      superiority = (double) count_pairs (values, n_base + n_new, ((1u << n_new) - 1) << n_base) / 2 / n_base / n_new;
      sw_rank_test (values, n_base, values + n_base, n_new, &test);
      g_assert_true (test.is_exact);
      g_assert_cmpfloat_with_epsilon (test.p, p, 1e-12);
      g_assert_cmpfloat_with_epsilon (test.superiority, superiority, 1e-12);
    }
}

/* The normal distribution, computed in another way: with the ranks of each value looked up. */
static double
approximate (const gint64 *base,
             guint n_base,
             const gint64 *new,
             guint n_new)
{
  double u = 0, ties = 0, n = n_base + n_new, variance;

  for (guint i = 0; i < n_new; i++)
    for (guint j = 0; j < n_base; j++)
      u += new[i] > base[j] ? 1 : new[i] == base[j] ? 0.5
                                                    : 0;
  for (guint i = 0; i < n_base + n_new; i++)
    {
      gint64 value = i < n_base ? base[i] : new[i - n_base];
      double t = 0;

      for (guint j = 0; j < n_base + n_new; j++)
        t += (j < n_base ? base[j] : new[j - n_base]) == value;
      /* Each of the t adds its part of t^3 - t. */
      ties += t * t - 1;
    }
  variance = (double) n_base * n_new / 12 * (n + 1 - ties / (n * (n - 1)));
  return MIN (erfc (MAX (fabs (u - (double) n_base * n_new / 2) - 0.5, 0) / sqrt (variance) / sqrt (2)), 1);
}

static void
test_normal (void)
{
  for (guint round = 0; round < 50; round++)
    {
      gint64 base[60], new[70];
      SwRankTest test;
      double p;

      for (guint i = 0; i < G_N_ELEMENTS (base); i++)
        base[i] = g_test_rand_int_range (0, round % 2 == 0 ? 10 : 100000);
      for (guint i = 0; i < G_N_ELEMENTS (new); i++)
        new[i] = g_test_rand_int_range (0, round % 2 == 0 ? 10 : 100000) + (gint64) round / 10;
      p = approximate (base, G_N_ELEMENTS (base), new, G_N_ELEMENTS (new));
      sw_rank_test (base, G_N_ELEMENTS (base), new, G_N_ELEMENTS (new), &test);
      g_assert_false (test.is_exact);
      g_assert_cmpfloat_with_epsilon (test.p, p, 1e-9);
    }
}

/* A published example: 5 and 4 ages, U = 17, p = 1/9. */
static void
test_known (void)
{
  gint64 base[] = { 20, 11, 17, 12 }, new[] = { 19, 22, 16, 29, 24 };
  SwRankTest test;

  sw_rank_test (base, 4, new, 5, &test);
  g_assert_cmpfloat_with_epsilon (test.p, 1.0 / 9, 1e-12);
  g_assert_cmpfloat_with_epsilon (test.superiority, 17.0 / 20, 1e-12);
}

static void
test_nothing_to_tell (void)
{
  gint64 none[1] = { 0 }, equal[100], others[100];
  SwRankTest test;

  sw_rank_test (none, 0, none, 1, &test);
  g_assert_cmpfloat (test.p, ==, 1);
  for (guint i = 0; i < 100; i++)
    equal[i] = others[i] = 7;
  sw_rank_test (equal, 100, others, 100, &test);
  g_assert_cmpfloat (test.p, ==, 1);
  g_assert_cmpfloat (test.superiority, ==, 0.5);
  sw_rank_test (equal, 3, others, 3, &test);
  g_assert_cmpfloat (test.p, ==, 1);
}

static void
test_holm (void)
{
  double p[] = { 0.01, 0.04, 0.03, 0.005, 1 };
  const double expected[] = { 0.04, 0.09, 0.09, 0.025, 1 };

  sw_adjust_p_values (p, G_N_ELEMENTS (p));
  for (guint i = 0; i < G_N_ELEMENTS (p); i++)
    g_assert_cmpfloat_with_epsilon (p[i], expected[i], 1e-12);
  sw_adjust_p_values (p, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rank-test/exact", test_exact);
  g_test_add_func ("/rank-test/normal", test_normal);
  g_test_add_func ("/rank-test/known", test_known);
  g_test_add_func ("/rank-test/nothing-to-tell", test_nothing_to_tell);
  g_test_add_func ("/rank-test/holm", test_holm);
  return g_test_run ();
}
