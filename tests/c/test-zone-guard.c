/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What holds a zone, a frame or the current profiler, ends it when it goes, in any order. */
#include "config.h"

#include "zone-profiler-fixture.h"

#define GUARD(name) sw_zone_guard_new (name, NULL, __FILE__, __LINE__, __func__)

static void
test_nothing_without_profiler (void)
{
  g_autoptr (GError) error = NULL;
  SwZoneGuard *zone = GUARD ("nowhere");
  SwFrameGuard *frame = sw_frame_guard_new ("nowhere", &error);

  g_assert_no_error (error);
  g_assert_false (sw_zone_guard_is_recorded (zone));
  g_assert_false (sw_frame_guard_is_recorded (frame));
  sw_zone_guard_free (zone);
  sw_frame_guard_free (frame);
}

static void
test_any_order (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  g_autoptr (SwProfilerDiagnostics) diagnostics = NULL;
  SwZoneGuard *zones[3] = { GUARD ("first"), GUARD ("second"), GUARD ("third") };
  g_autoptr (SwZoneGuard) after = NULL;

  sw_zone_guard_free (zones[0]);
  sw_zone_guard_free (zones[2]);
  sw_zone_guard_free (zones[1]);
  after = GUARD ("after");
  sw_zone_guard_free (g_steal_pointer (&after));
  sw_zone_guard_free (zones[1]); /* which has ended, so nothing else does */

  diagnostics = sw_zone_profiler_dup_diagnostics (profiler);
  /* The first, the two that it left behind, and the one that was of nothing. */
  g_assert_cmpuint (sw_profiler_diagnostics_get_misplaced_end_count (diagnostics), ==, 4);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 4);
  g_assert_null (test_trace_parent_name (trace, test_trace_find (trace, "after")));
}

static void
test_function_and_site (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  SwProfilerSite *site;

  sw_zone_guard_free (sw_zone_guard_new_for_function (NULL, "file.vala", 12, "int Space::work(int)"));
  sw_zone_guard_free (sw_zone_guard_new ("negative", NULL, NULL, -5, NULL));
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  site = sw_profiler_site_lookup (test_trace_find (trace, "Space::work")->site);
  g_assert_cmpstr (sw_profiler_site_get_file (site), ==, "file.vala");
  g_assert_cmpuint (sw_profiler_site_get_line (site), ==, 12);
  site = sw_profiler_site_lookup (test_trace_find (trace, "negative")->site);
  g_assert_cmpuint (sw_profiler_site_get_line (site), ==, 0);
}

static void
test_frames (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SwFrameGuard) frame = sw_frame_guard_new ("frame", &error);
  SwFrameGuard *second;

  g_assert_no_error (error);
  g_assert_true (sw_frame_guard_is_recorded (frame));
  second = sw_frame_guard_new ("second", &error);
  g_assert_null (second);
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  sw_frame_guard_free (g_steal_pointer (&frame));
  frame = sw_frame_guard_new ("third", &error);
  g_assert_no_error (error);
  g_assert_nonnull (frame);
}

static void
assert_current (SwZoneProfiler *profiler)
{
  g_autoptr (SwZoneProfiler) current = sw_zone_profiler_dup_current ();

  g_assert_true (current == profiler);
}

static void
test_withdraw (void)
{
  g_autoptr (SwZoneProfiler) standing = test_zone_profiler_new (64);
  g_autoptr (SwZoneProfiler) first = test_zone_profiler_new (64);
  g_autoptr (SwZoneProfiler) second = test_zone_profiler_new (64);

  g_assert_false (sw_zone_profiler_withdraw (standing));
  g_assert_true (sw_zone_profiler_enter (first, NULL));
  g_assert_true (sw_zone_profiler_enter (second, NULL));
  g_assert_true (sw_zone_profiler_enter (first, NULL));
  g_assert_true (sw_zone_profiler_enter (second, NULL));

  g_assert_true (sw_zone_profiler_withdraw (first));
  assert_current (second);
  g_assert_true (sw_zone_profiler_exit (second, NULL));
  assert_current (second);
  g_assert_true (sw_zone_profiler_withdraw (first));
  g_assert_false (sw_zone_profiler_withdraw (first));
  assert_current (second);
  g_assert_true (sw_zone_profiler_exit (second, NULL));
  assert_current (standing);
}

static gpointer
free_guard (gpointer guard)
{
  sw_zone_profiler_guard_free (guard);
  return NULL;
}

static void
test_profiler_guards (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (64);
  g_autoptr (GError) error = NULL;
  SwZoneProfilerGuard *guard;
  GWeakRef weak;
  SwZoneProfiler *kept;

  guard = sw_zone_profiler_guard_new (profiler, &error);
  g_assert_no_error (error);
  g_assert_true (sw_zone_profiler_guard_get_profiler (guard) == profiler);
  assert_current (profiler);
  /* On another thread there is nothing to leave: it is still entered here. */
  g_thread_join (g_thread_new ("other", free_guard, guard));
  g_assert_true (sw_zone_profiler_exit (profiler, NULL));

  g_weak_ref_init (&weak, profiler);
  guard = sw_zone_profiler_guard_new (profiler, &error);
  g_clear_object (&profiler);
  kept = g_weak_ref_get (&weak);
  g_assert_nonnull (kept);
  g_object_unref (kept);
  sw_zone_profiler_guard_free (guard);
  g_assert_null (g_weak_ref_get (&weak));
  g_weak_ref_clear (&weak);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-guard/nothing-without-profiler", test_nothing_without_profiler);
  g_test_add_func ("/zone-guard/any-order", test_any_order);
  g_test_add_func ("/zone-guard/function-and-site", test_function_and_site);
  g_test_add_func ("/zone-guard/frames", test_frames);
  g_test_add_func ("/zone-guard/withdraw", test_withdraw);
  g_test_add_func ("/zone-guard/profiler-guards", test_profiler_guards);
  return g_test_run ();
}
