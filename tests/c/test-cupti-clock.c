/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>

#include "sw-profiler/trace/sw-cupti-clock-private.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define WALL (G_GINT64_CONSTANT (1700000000) * SECOND)

static gint64
to_ns (const SwCuptiClock *clock,
       gint64 theirs)
{
  gint64 ns = -1;

  g_assert_true (sw_cupti_clock_to_ns (clock, (guint64) theirs, &ns));
  return ns;
}

static void
test_offset (void)
{
  SwCuptiClock clock = { 0 };
  gint64 ns;

  g_assert_false (sw_cupti_clock_to_ns (&clock, (guint64) WALL, &ns));
  sw_cupti_clock_add (&clock, WALL, 5 * SECOND);
  g_assert_cmpint (to_ns (&clock, WALL), ==, 5 * SECOND);
  g_assert_cmpint (to_ns (&clock, WALL - 123456789), ==, 5 * SECOND - 123456789);
  g_assert_cmpint (to_ns (&clock, WALL + 1), ==, 5 * SECOND + 1);
}

/* 50 parts in a million, over ten minutes, paired once a second. */
static void
test_drift (void)
{
  SwCuptiClock clock = { 0 };
  gint64 last = 0;

  for (gint64 second = 0; second <= 600; second++)
    {
      gint64 ns = 1000 * SECOND + second * SECOND;
      gint64 theirs = WALL + second * (SECOND + 50000);

      sw_cupti_clock_add (&clock, theirs, ns);
      /* What ended since the last time, and something that began long ago. */
      for (gint64 part = 0; part < 10 && second > 0; part++)
        {
          gint64 real = ns - SECOND + part * (SECOND / 10);
          gint64 found = to_ns (&clock, theirs - (SECOND + 50000) + part * ((SECOND + 50000) / 10));

          g_assert_cmpint (ABS (found - real), <=, 10);
          g_assert_cmpint (found, >=, last);
          last = found;
        }
      g_assert_cmpint (ABS (to_ns (&clock, WALL) - 1000 * SECOND), <=, 100000);
    }
  g_assert_cmpuint (clock.n_eras, ==, 1);
  g_assert_cmpuint (clock.n_pairs, <=, SW_CUPTI_MAX_PAIRS);
}

/* An hour back, and an hour and a half on. */
static void
test_set (void)
{
  const gint64 hour = 3600 * SECOND;
  SwCuptiClock clock = { 0 };

  sw_cupti_clock_add (&clock, WALL, 100 * SECOND);
  sw_cupti_clock_add (&clock, WALL + SECOND, 101 * SECOND);
  sw_cupti_clock_add (&clock, WALL + 2 * SECOND - hour, 102 * SECOND);
  g_assert_cmpuint (clock.n_eras, ==, 2);
  g_assert_cmpint (to_ns (&clock, WALL + SECOND / 2), ==, 100 * SECOND + SECOND / 2);
  g_assert_cmpint (to_ns (&clock, WALL + SECOND + SECOND / 4), ==, 101 * SECOND + SECOND / 4);
  g_assert_cmpint (to_ns (&clock, WALL + 2 * SECOND - hour - SECOND / 4), ==, 102 * SECOND - SECOND / 4);
  sw_cupti_clock_add (&clock, WALL + 3 * SECOND - hour, 103 * SECOND);
  g_assert_cmpint (to_ns (&clock, WALL + 3 * SECOND - hour - 1), ==, 103 * SECOND - 1);

  sw_cupti_clock_add (&clock, WALL + 4 * SECOND + hour / 2, 104 * SECOND);
  g_assert_cmpuint (clock.n_eras, ==, 3);
  g_assert_cmpint (to_ns (&clock, WALL + 3 * SECOND - hour - 1), ==, 103 * SECOND - 1);
  g_assert_cmpint (to_ns (&clock, WALL + 4 * SECOND + hour / 2 + 5), ==, 104 * SECOND + 5);
  g_assert_cmpint (to_ns (&clock, WALL + SECOND / 2), ==, 100 * SECOND + SECOND / 2);
}

static void
test_impossible (void)
{
  SwCuptiClock clock = { 0 };
  gint64 ns;

  sw_cupti_clock_add (&clock, WALL, 100 * SECOND);
  g_assert_false (sw_cupti_clock_to_ns (&clock, G_MAXUINT64, &ns));
  g_assert_false (sw_cupti_clock_to_ns (&clock, G_MAXINT64, &ns));
  g_assert_false (sw_cupti_clock_to_ns (&clock, 5, &ns));
  g_assert_false (sw_cupti_clock_to_ns (&clock, WALL + 3 * SECOND, &ns));
  g_assert_false (sw_cupti_clock_to_ns (&clock, WALL - 101 * SECOND, &ns));
}

/* The same pair again, and one that is older, change nothing. */
static void
test_pairs_out_of_order (void)
{
  SwCuptiClock clock = { 0 };

  sw_cupti_clock_add (&clock, WALL, 100 * SECOND);
  sw_cupti_clock_add (&clock, WALL, 100 * SECOND);
  sw_cupti_clock_add (&clock, WALL - 9, 99 * SECOND);
  g_assert_cmpuint (clock.n_pairs, ==, 1);
}

/* A clock that is set every second keeps what it can. */
static void
test_many_eras (void)
{
  SwCuptiClock clock = { 0 };

  for (gint64 second = 1; second < 1000; second++)
    {
      gint64 theirs = WALL + second * SECOND + (second % 2) * 3600 * SECOND;

      sw_cupti_clock_add (&clock, theirs, second * SECOND);
      g_assert_cmpuint (clock.n_pairs, <=, SW_CUPTI_MAX_PAIRS);
      g_assert_cmpint (to_ns (&clock, theirs), ==, second * SECOND);
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cupti-clock/offset", test_offset);
  g_test_add_func ("/cupti-clock/drift", test_drift);
  g_test_add_func ("/cupti-clock/set", test_set);
  g_test_add_func ("/cupti-clock/impossible", test_impossible);
  g_test_add_func ("/cupti-clock/pairs-out-of-order", test_pairs_out_of_order);
  g_test_add_func ("/cupti-clock/many-eras", test_many_eras);
  return g_test_run ();
}
