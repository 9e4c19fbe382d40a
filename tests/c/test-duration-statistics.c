/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>

#include "sw-profiler/zone/sw-rank-select-private.h"

#define EPSILON 1e-12

static int
compare (gconstpointer a,
         gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

static void
assert_close (double actual,
              double expected)
{
  g_assert_cmpfloat_with_epsilon (actual, expected, EPSILON * MAX (1, fabs (expected)));
}

static double
plain_percentile (const guint64 *sorted,
                  gsize n,
                  double fraction)
{
  double place = fraction * (double) (n - 1);
  gsize low = (gsize) place;
  gsize high = MIN (low + 1, n - 1);
  double a = (double) sorted[low] / 1e6, b = (double) sorted[high] / 1e6;

  return a + (b - a) * (place - (double) low);
}

/* The plain way: sorted, in extended precision. */
static void
check (const guint64 *durations,
       gsize n)
{
  g_autofree guint64 *sorted = g_memdup2 (durations, n * sizeof *durations);
  g_autoptr (SwDurationStatistics) statistics = sw_duration_statistics_new (durations, n);
  g_autoptr (SwCallStatistics) calls = sw_call_statistics_new (durations, n);
  long double total = 0, squares = 0, mean;

  qsort (sorted, n, sizeof *sorted, compare);
  for (gsize i = 0; i < n; i++)
    total += sorted[i];
  mean = total / n;
  for (gsize i = 0; i < n; i++)
    squares += (sorted[i] - mean) * (sorted[i] - mean);
  g_assert_cmpuint (sw_duration_statistics_get_count (statistics), ==, n);
  assert_close (sw_duration_statistics_get_total_ms (statistics), (double) (total / 1e6L));
  assert_close (sw_duration_statistics_get_mean_ms (statistics), (double) (mean / 1e6L));
  assert_close (sw_duration_statistics_get_stddev_ms (statistics), (double) (sqrtl (squares / n) / 1e6L));
  g_assert_cmpfloat (sw_duration_statistics_get_min_ms (statistics), ==, (double) sorted[0] / 1e6);
  g_assert_cmpfloat (sw_duration_statistics_get_max_ms (statistics), ==, (double) sorted[n - 1] / 1e6);
  assert_close (sw_duration_statistics_get_p50_ms (statistics), plain_percentile (sorted, n, 0.5));
  assert_close (sw_duration_statistics_get_p90_ms (statistics), plain_percentile (sorted, n, 0.9));
  assert_close (sw_duration_statistics_get_p95_ms (statistics), plain_percentile (sorted, n, 0.95));
  assert_close (sw_duration_statistics_get_p99_ms (statistics), plain_percentile (sorted, n, 0.99));
  assert_close (sw_call_statistics_get_total_ms (calls), (double) (total / 1e6L));
  assert_close (sw_call_statistics_get_mean_ms (calls), (double) (mean / 1e6L));
  assert_close (sw_call_statistics_get_stddev_ms (calls), (double) (sqrtl (squares / n) / 1e6L));
}

static void
test_empty (void)
{
  g_autoptr (SwDurationStatistics) statistics = sw_duration_statistics_new (NULL, 0);
  g_autoptr (SwCallStatistics) calls = sw_call_statistics_new (NULL, 0);

  g_assert_cmpuint (sw_duration_statistics_get_count (statistics), ==, 0);
  g_assert_cmpfloat (sw_duration_statistics_get_mean_ms (statistics), ==, 0);
  g_assert_cmpfloat (sw_duration_statistics_get_p99_ms (statistics), ==, 0);
  g_assert_cmpfloat (sw_call_statistics_get_min_ms (calls), ==, 0);
  g_assert_cmpfloat (sw_call_statistics_get_stddev_ms (calls), ==, 0);
}

/* Every number of durations around where the ways of selecting change. */
static void
test_sizes (void)
{
  static const gsize sizes[] = { 255, 256, 257, 258, 300, 1000, 4097 };
  guint64 durations[5000];

  for (gsize i = 0; i < G_N_ELEMENTS (durations); i++)
    durations[i] = (guint64) g_test_rand_int_range (0, 1000000);
  for (gsize n = 1; n < 60; n++)
    check (durations, n);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    check (durations + i, sizes[i]);
}

/* Distributions that make selection or summing hard. */
static void
test_shapes (void)
{
  gsize n = 20000;
  g_autofree guint64 *durations = g_new (guint64, n);

  for (int shape = 0; shape < 9; shape++)
    {
      for (gsize i = 0; i < n; i++)
        switch (shape)
          {
          case 0: /* all the same */
            durations[i] = 77;
            break;
          case 1: /* two values */
            durations[i] = i % 2 == 0 ? 1 : G_GUINT64_CONSTANT (1) << 40;
            break;
          case 2: /* ascending */
            durations[i] = i;
            break;
          case 3: /* descending */
            durations[i] = n - i;
            break;
          case 4: /* one far away */
            durations[i] = i == 5 ? G_GUINT64_CONSTANT (1) << 50 : i % 100;
            break;
          case 5: /* many decades */
            durations[i] = (guint64) 1 << (g_test_rand_int_range (0, 40));
            break;
          case 6: /* a small spread on a large base, where the squares nearly cancel */
            durations[i] = G_GUINT64_CONSTANT (3600000000000) + (guint64) g_test_rand_int_range (0, 1000);
            break;
          case 7: /* all nothing */
            durations[i] = 0;
            break;
          default: /* all but a few the same */
            durations[i] = i % 1000 == 0 ? i : 500;
          }
      check (durations, n);
    }
}

/* Numbers that no clock gives: figures, not crashes. */
static void
test_extremes (void)
{
  const guint64 durations[] = { G_MAXUINT64, 0, G_MAXUINT64, G_MAXINT64, G_MAXUINT64 };
  g_autoptr (SwDurationStatistics) statistics = sw_duration_statistics_new (durations, G_N_ELEMENTS (durations));
  g_autoptr (SwCallStatistics) calls = sw_call_statistics_new (durations, G_N_ELEMENTS (durations));

  g_assert_cmpfloat (sw_duration_statistics_get_max_ms (statistics), ==, (double) G_MAXUINT64 / 1e6);
  g_assert_cmpfloat_with_epsilon (sw_duration_statistics_get_total_ms (statistics) / (3.5 * (double) G_MAXUINT64 / 1e6), 1, EPSILON);
  g_assert_true (isfinite (sw_duration_statistics_get_stddev_ms (statistics)));
  g_assert_true (isfinite (sw_call_statistics_get_stddev_ms (calls)));
  g_assert_cmpfloat (sw_call_statistics_get_max_ms (calls), ==, (double) G_MAXUINT64 / 1e6);
}

/* Merged in any order, the parts are the whole, to the last bit. */
static void
test_merge (void)
{
  guint64 durations[3000];
  g_autoptr (SwCallStatistics) merged = sw_call_statistics_new (NULL, 0);
  g_autoptr (SwCallStatistics) whole = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (durations); i++)
    durations[i] = (guint64) g_test_rand_int_range (1, 100000000);
  whole = sw_call_statistics_new (durations, G_N_ELEMENTS (durations));
  for (gsize at = G_N_ELEMENTS (durations); at > 0;)
    {
      gsize wanted = (gsize) g_test_rand_int_range (0, 500), n = MIN (at, wanted);
      g_autoptr (SwCallStatistics) part = sw_call_statistics_new (durations + at - n, n);
      SwCallStatistics *both = sw_call_statistics_merge (part, merged);

      sw_call_statistics_unref (merged);
      merged = both;
      at -= n;
    }
  g_assert_true (sw_call_statistics_equal (merged, whole));
  g_assert_cmpuint (sw_call_statistics_hash (merged), ==, sw_call_statistics_hash (whole));
}

static void
test_select_any_rank (void)
{
  guint64 values[2000], sorted[2000];

  for (int round = 0; round < 50; round++)
    {
      gsize n = (gsize) g_test_rand_int_range (1, G_N_ELEMENTS (values));
      gsize ranks[SW_MAX_RANKS];
      guint64 selected[SW_MAX_RANKS];

      for (gsize i = 0; i < n; i++)
        sorted[i] = values[i] = (guint64) g_test_rand_int_range (0, round * round + 1) << (round % 30);
      qsort (sorted, n, sizeof *sorted, compare);
      for (guint i = 0; i < SW_MAX_RANKS; i++)
        ranks[i] = (n - 1) * i / (SW_MAX_RANKS - 1);
      sw_select_ranks (values, n, ranks, SW_MAX_RANKS, selected);
      for (guint i = 0; i < SW_MAX_RANKS; i++)
        g_assert_cmpuint (selected[i], ==, sorted[ranks[i]]);
    }
}

static void
test_value (void)
{
  const guint64 durations[] = { 1000000, 3000000 };
  g_autoptr (SwDurationStatistics) a = sw_duration_statistics_new (durations, 2);
  g_autoptr (SwDurationStatistics) same = sw_duration_statistics_new (durations, 2);
  g_autoptr (SwDurationStatistics) other = sw_duration_statistics_new (durations, 1);
  g_autoptr (SwCallStatistics) calls = sw_call_statistics_new (durations, 2);
  g_autofree char *text = sw_duration_statistics_to_string (a);
  g_autofree char *call_text = sw_call_statistics_to_string (calls);

  g_assert_true (sw_duration_statistics_equal (a, same));
  g_assert_cmpuint (sw_duration_statistics_hash (a), ==, sw_duration_statistics_hash (same));
  g_assert_false (sw_duration_statistics_equal (a, other));
  g_assert_cmpstr (text, ==,
                   "DurationStatistics(count=2, total_ms=4.0, min_ms=1.0, max_ms=3.0, mean_ms=2.0, stddev_ms=1.0, p50_ms=2.0, "
                   "p90_ms=2.8, p95_ms=2.9, p99_ms=2.98)");
  g_assert_cmpstr (call_text, ==, "CallStatistics(count=2, total_ms=4.0, min_ms=1.0, max_ms=3.0, mean_ms=2.0, stddev_ms=1.0)");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/duration-statistics/empty", test_empty);
  g_test_add_func ("/duration-statistics/sizes", test_sizes);
  g_test_add_func ("/duration-statistics/shapes", test_shapes);
  g_test_add_func ("/duration-statistics/extremes", test_extremes);
  g_test_add_func ("/duration-statistics/merge", test_merge);
  g_test_add_func ("/duration-statistics/select-any-rank", test_select_any_rank);
  g_test_add_func ("/duration-statistics/value", test_value);
  return g_test_run ();
}
