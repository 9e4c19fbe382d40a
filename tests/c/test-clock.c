/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-clock-testing.h"

static void
test_agrees_with_monotonic (void)
{
  SwClockAnchor anchors[2];
  gint64 before, ns, after;
  guint64 ticks;

  sw_clock_init ();
  anchors[0] = sw_clock_anchor ();
  before = sw_clock_monotonic_ns ();
  ticks = sw_clock_ticks ();
  after = sw_clock_monotonic_ns ();
  anchors[1] = sw_clock_anchor ();
  ns = sw_clock_to_ns (anchors, 2, ticks);

  /* An anchor reads two clocks, one after the other, so it may be off by as much as a reading takes. */
  g_assert_cmpint (ns, >=, before - 20000);
  g_assert_cmpint (ns, <=, after + 20000);
}

static void
test_never_decreases (void)
{
  SwClockAnchor anchors[3] = { { 1000, 500 }, { 3001, 1501 }, { 9001, 4400 } };
  gint64 last = G_MININT64;

  for (guint64 ticks = 900; ticks < 9200; ticks++)
    {
      gint64 ns = sw_clock_to_ns (anchors, G_N_ELEMENTS (anchors), ticks);

      g_assert_cmpint (ns, >=, last);
      last = ns;
    }
}

static void
test_fake (void)
{
  sw_testing_set_fake_clock (5000, 10);
  g_assert_cmpuint (sw_clock_ticks (), ==, 5000);
  g_assert_cmpuint (sw_clock_ticks (), ==, 5010);
  sw_testing_set_fake_clock (5000, -10);
  g_assert_cmpuint (sw_clock_ticks (), ==, 5000);
  g_assert_cmpuint (sw_clock_ticks (), ==, 4990);
  sw_testing_unset_fake_clock ();
  g_assert_cmpuint (sw_clock_ticks (), >, 5000);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clock/agrees-with-monotonic", test_agrees_with_monotonic);
  g_test_add_func ("/clock/never-decreases", test_never_decreases);
  g_test_add_func ("/clock/fake", test_fake);
  return g_test_run ();
}
