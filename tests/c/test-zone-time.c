/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ticks of clocks that run as they like, as nanoseconds that never go back on what they said. */
#include "config.h"

#include "sw-profiler/zone/sw-zone-time-private.h"

static SwZoneTime
make_time (guint64 ticks,
           gint64 ns,
           guint64 numerator,
           guint64 denominator)
{
  SwClockAnchor now = { ticks, ns };
  SwZoneTime time;

  sw_zone_time_init_foreign (&time, now, numerator, denominator);
  return time;
}

static void
test_nominal (void)
{
  SwZoneTime time = make_time (1000, 5000, 5, 2);

  g_assert_cmpuint (sw_zone_time_to_ns (&time, 1000), ==, 5000);
  g_assert_cmpuint (sw_zone_time_to_ns (&time, 1400), ==, 6000);
  g_assert_cmpuint (sw_zone_time_to_ns (&time, 600), ==, 4000);
  g_assert_cmpuint (sw_zone_time_to_ns (&time, 1000 + G_GUINT64_CONSTANT (400000000000000)), ==,
                    5000 + G_GUINT64_CONSTANT (1000000000000000));
  sw_zone_time_clear (&time);
}

/* Nominally 3 GHz, really a bit off; looked at now and then, for hours. */
static void
check_drift (gint64 millionths)
{
  const gint64 second = 1000000000;
  SwZoneTime time = make_time (0, 0, 1, 3);
  guint64 before = 0;
  GArray *said = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (gint64 ns = 0; ns < 3000 * second; ns += second / 4)
    {
      guint64 ticks = (guint64) (3 * (ns + ns / 1000000 * millionths));
      SwClockAnchor now = { ticks, ns };
      guint64 converted;

      if (ns > 0 && ns % second == 0)
        sw_zone_time_correct (&time, now, ticks, 3 * (guint64) second);
      converted = sw_zone_time_to_ns (&time, ticks);
      g_assert_cmpuint (converted, >=, before);
      before = converted;
      g_array_append_val (said, converted);
      if (ns > 3 * second)
        g_assert_cmpint (ABS ((gint64) converted - ns), <, 100000);
      if (ns > 60 * second)
        g_assert_cmpint (ABS ((gint64) converted - ns), <, 1000);
    }
  /* The past is as it was said to be. */
  for (guint i = 0; i < said->len; i++)
    {
      gint64 ns = i * (second / 4);

      g_assert_cmpuint (sw_zone_time_to_ns (&time, (guint64) (3 * (ns + ns / 1000000 * millionths))), ==,
                        g_array_index (said, guint64, i));
    }
  g_array_unref (said);
  sw_zone_time_clear (&time);
}

static void
test_drift (void)
{
  check_drift (0);
  check_drift (30);
  check_drift (-30);
}

/* More pieces than are kept: the old ones get fewer, and time still only goes forward. */
static void
test_days (void)
{
  SwZoneTime time = make_time (0, 0, 1, 3);
  guint64 before = 0;

  for (guint64 second = 1; second < 4 * SW_ZONE_MAX_TIME_PIECES; second++)
    {
      /* The clock is corrected by a network, back and forth. */
      SwClockAnchor now = { second * 3000000000, (gint64) (second * 1000000000 + second % 7 * 10000) };

      sw_zone_time_correct (&time, now, now.ticks, 3000000000);
      g_assert_cmpuint (time.n_pieces, <=, SW_ZONE_MAX_TIME_PIECES);
    }
  for (guint64 second = 1; second < 4 * SW_ZONE_MAX_TIME_PIECES; second++)
    {
      guint64 ns = sw_zone_time_to_ns (&time, second * 3000000000);

      g_assert_cmpuint (ns, >, before);
      g_assert_cmpint (ABS ((gint64) (ns - second * 1000000000)), <, 1000000);
      before = ns;
    }
  sw_zone_time_clear (&time);
}

/* Clocks that jump: an hour forward is gone after, and back is waited for; it never stands still. */
static void
test_jumps (void)
{
  const gint64 hour = G_GINT64_CONSTANT (3600000000000);
  const gint64 seen[] = { 1000, 2000 + hour, 3000, 4000, 4000, 5000 };
  SwZoneTime time = make_time (0, 0, 1, 1);
  guint64 before = 0;

  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    {
      SwClockAnchor now = { 1000 * (i + 1), seen[i] };

      sw_zone_time_correct (&time, now, now.ticks, 1000);
      for (guint64 ticks = now.ticks; ticks < now.ticks + 1000; ticks += 100)
        {
          guint64 ns = sw_zone_time_to_ns (&time, ticks);

          g_assert_cmpuint (ns, >, before);
          before = ns;
        }
    }
  sw_zone_time_clear (&time);
}

static void
test_machine (void)
{
  SwZoneTime time;
  guint64 ticks;
  gint64 before;
  gint64 converted;

  sw_zone_time_init (&time);
  sw_zone_time_adjust (&time, sw_clock_anchor ());
  before = sw_clock_monotonic_ns ();
  ticks = sw_clock_ticks ();
  converted = (gint64) sw_zone_time_to_ns (&time, ticks);
  g_assert_cmpint (converted, >, before - 1000000);
  g_assert_cmpint (converted, <, sw_clock_monotonic_ns () + 1000000);
  sw_zone_time_clear (&time);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-time/nominal", test_nominal);
  g_test_add_func ("/zone-time/drift", test_drift);
  g_test_add_func ("/zone-time/days", test_days);
  g_test_add_func ("/zone-time/jumps", test_jumps);
  g_test_add_func ("/zone-time/machine", test_machine);
  return g_test_run ();
}
