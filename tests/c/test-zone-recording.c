/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Zones of one thread: what is recorded, nested, dropped and refused. */
#include "config.h"

#include <string.h>

#include "sw/base/sw-clock-testing.h"
#include "zone-profiler-fixture.h"

static guint
site_named (const char *name)
{
  return sw_profile_site_register ("test.c", 1, "test", name);
}

static int
return_early (int way)
{
  SW_PROFILE_FUNCTION ();
  {
    SW_PROFILE_ZONE ("first");
    if (way == 0)
      return 1;
  }
  for (;;)
    {
      SW_PROFILE_ZONE ("second");
      if (way == 1)
        break;
      goto out;
    }
out:
  return 2;
}

static void
test_scopes (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;

  for (int way = 0; way < 3; way++)
    return_early (way);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 3 + 3 + 2);
  g_assert_cmpuint (test_trace_count (trace, "return_early"), ==, 3);
  for (guint i = 0; i < trace->n; i++)
    g_assert_cmpstr (test_trace_parent_name (trace, &trace->zones[i]), ==,
                     strcmp (trace->zones[i].name, "return_early") == 0 ? NULL : "return_early");
}

static void
test_nothing_without_profiler (void)
{
  guint64 token = sw_profile_zone_begin (site_named ("nowhere"));
  g_autoptr (SwZoneProfiler) current = sw_zone_profiler_dup_current ();

  g_assert_null (current);
  g_assert_false (sw_profile_is_recording ());
  g_assert_cmpuint (token, ==, 0);
  g_assert_true (sw_profile_zone_end (token, NULL));
  g_assert_cmpuint (sw_profile_frame_begin ("frame", NULL), ==, 0);
  g_assert_cmpint (return_early (0), ==, 1);
}

static void
test_disabled (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  guint64 before = sw_profile_zone_begin (site_named ("before"));
  guint64 during;

  sw_zone_profiler_set_enabled (profiler, FALSE);
  g_assert_false (sw_profile_is_recording ());
  during = sw_profile_zone_begin (site_named ("during"));
  g_assert_cmpuint (during, ==, 0);
  return_early (0);
  g_assert_true (sw_profile_zone_end (before, NULL));
  sw_zone_profiler_set_enabled (profiler, TRUE);
  return_early (0);

  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 3);
  test_trace_find (trace, "before");
}

static void
test_names_are_copied (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  char name[16];

  for (guint i = 0; i < 100; i++)
    {
      g_snprintf (name, sizeof name, "zone %u", i);
      sw_profile_zone_end (sw_profile_zone_begin (site_named (name)), NULL);
      memset (name, 'x', sizeof name - 1);
    }
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 100);
  for (guint i = 0; i < 100; i++)
    {
      g_snprintf (name, sizeof name, "zone %u", i);
      g_assert_cmpstr (trace->zones[i].name, ==, name);
    }
}

static void
test_out_of_order (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;
  guint64 root = sw_profile_zone_begin (site_named ("root"));
  guint64 outer = sw_profile_zone_begin (site_named ("outer"));
  guint64 inner = sw_profile_zone_begin (site_named ("inner"));
  guint64 sibling;

  g_assert_true (sw_profile_zone_end (outer, NULL));
  sibling = sw_profile_zone_begin (site_named ("sibling"));
  g_assert_true (sw_profile_zone_end (sibling, NULL));
  g_assert_true (sw_profile_zone_end (inner, NULL));
  g_assert_true (sw_profile_zone_end (root, NULL));

  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_misplaced_end_count (counts), ==, 2);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 4);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpstr (test_trace_parent_name (trace, &trace->zones[i]), ==, "root");
  g_assert_cmpuint (test_trace_find (trace, "inner")->start + test_trace_find (trace, "inner")->duration, >,
                    test_trace_find (trace, "outer")->start + test_trace_find (trace, "outer")->duration);
}

static gpointer
forget_one (gpointer profiler)
{
  guint64 root;
  guint64 outer;

  g_assert_true (sw_zone_profiler_enter (profiler, NULL));
  root = sw_profile_zone_begin (site_named ("root"));
  outer = sw_profile_zone_begin (site_named ("outer"));
  sw_testing_advance_fake_clock (10);
  sw_profile_zone_begin (site_named ("forgotten"));
  sw_testing_advance_fake_clock (100);
  g_assert_true (sw_profile_zone_end (outer, NULL));
  sw_testing_advance_fake_clock (1000);
  g_assert_true (sw_profile_zone_end (root, NULL));
  sw_testing_advance_fake_clock (10000);
  return NULL;
}

/* What is never ended takes no longer than what was around it, and is counted. */
static void
test_never_ended (void)
{
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;
  SwZoneProfiler *profiler;

  sw_testing_set_fake_clock (1000, 0);
  profiler = test_zone_profiler_capturing ();
  g_thread_join (g_thread_new ("forgetful", forget_one, profiler));
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (test_trace_find (trace, "forgotten")->duration, ==, 100);
  g_assert_cmpuint (test_trace_find (trace, "outer")->duration, ==, 110);
  g_assert_cmpuint (test_trace_find (trace, "root")->duration, ==, 1110);
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_forced_end_count (counts), ==, 1);
  g_clear_object (&profiler);
  sw_testing_unset_fake_clock ();
}

static void
test_bad_tokens (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;
  guint64 token = sw_profile_zone_begin (site_named ("once"));
  guint64 bad[] = { 1, 63, token + 1, token ^ (guint64) 1 << 8, token ^ (guint64) 1 << 50, G_MAXUINT64 };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_false (sw_profile_zone_end (bad[i], &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_clear_error (&error);
    }
  g_assert_true (sw_profile_zone_end (token, NULL));
  g_assert_false (sw_profile_zone_end (token, &error));
  g_assert_nonnull (strstr (error->message, "has ended"));
  {
    SW_PROFILE_ZONE ("in the same slot");
    g_assert_false (sw_profile_zone_end (token, NULL));
  }
  g_assert_cmpuint (sw_profile_zone_begin (0), ==, 0);
  g_assert_cmpuint (sw_profile_zone_begin (G_MAXUINT), ==, 0);

  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 2);
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_misplaced_end_count (counts), >=, 2);
}

static void
nest (guint depth)
{
  SW_PROFILE_ZONE ("nested");

  if (depth > 1)
    nest (depth - 1);
}

static void
test_depth (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;
  guint deepest = 0;

  nest (70);
  nest (1);
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_stack_full_count (counts), ==, 6);
  g_assert_cmpuint (sw_profiler_diagnostics_get_queue_full_count (counts), ==, 0);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 65);
  for (guint i = 0; i < trace->n; i++)
    {
      guint depth = 1;

      for (gint32 at = trace->zones[i].parent; at >= 0; at = trace->zones[at].parent)
        depth++;
      deepest = MAX (deepest, depth);
    }
  g_assert_cmpuint (deepest, ==, 64);
}

static void
test_queue_full (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (4);
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;
  guint64 n_recorded = 0;

  sw_zone_profiler_flush (profiler);
  sw_zone_profiler_start_capture (profiler, NULL, NULL);
  for (guint i = 0; i < 100000; i++)
    {
      SW_PROFILE_ZONE ("outer");
      SW_PROFILE_ZONE ("inner");
    }
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  test_assert_counts (counts);
  n_recorded = sw_profiler_diagnostics_get_recorded_count (counts);
  g_assert_cmpuint (sw_profiler_diagnostics_get_emitted_count (counts), ==, 200000);
  g_assert_cmpuint (sw_profiler_diagnostics_get_queue_full_count (counts), ==, 200000 - n_recorded);
  g_assert_cmpuint (sw_profiler_diagnostics_get_queue_full_count (counts), >, 0);
  g_assert_cmpuint (sw_profiler_diagnostics_get_first_drop_ns (counts), >, 0);
  g_assert_cmpuint (sw_profiler_diagnostics_get_thread_event_queue_high_water_mark (counts), <=, 4);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, n_recorded);
}

static void
test_backward_clock (void)
{
  g_autoptr (SwZoneProfiler) profiler = NULL;
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;

  sw_testing_set_fake_clock (1000000, -10);
  profiler = test_zone_profiler_new (64);
  sw_zone_profiler_start_capture (profiler, NULL, NULL);
  sw_testing_set_fake_clock (2000000, -10);
  {
    SW_PROFILE_ZONE ("backwards");
  }
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (test_trace_find (trace, "backwards")->duration, ==, 0);
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_backward_clock_count (counts), ==, 1);
  g_clear_object (&profiler);
  sw_testing_unset_fake_clock ();
}

static void
test_known_times (void)
{
  g_autoptr (SwZoneProfiler) profiler = NULL;
  g_autoptr (TestTrace) trace = NULL;
  const TestZone *outer;
  const TestZone *inner;

  sw_testing_set_fake_clock (1000, 10);
  profiler = test_zone_profiler_capturing ();
  sw_testing_set_fake_clock (5000, 10);
  {
    SW_PROFILE_ZONE ("outer");
    {
      SW_PROFILE_ZONE ("inner");
    }
  }
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  outer = test_trace_find (trace, "outer");
  inner = test_trace_find (trace, "inner");
  g_assert_cmpuint (outer->start, ==, 5000);
  g_assert_cmpuint (outer->duration, ==, 30);
  g_assert_cmpuint (inner->start, ==, 5010);
  g_assert_cmpuint (inner->duration, ==, 10);
  g_clear_object (&profiler);
  sw_testing_unset_fake_clock ();
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-recording/nothing-without-profiler", test_nothing_without_profiler);
  g_test_add_func ("/zone-recording/scopes", test_scopes);
  g_test_add_func ("/zone-recording/disabled", test_disabled);
  g_test_add_func ("/zone-recording/names-are-copied", test_names_are_copied);
  g_test_add_func ("/zone-recording/out-of-order", test_out_of_order);
  g_test_add_func ("/zone-recording/never-ended", test_never_ended);
  g_test_add_func ("/zone-recording/bad-tokens", test_bad_tokens);
  g_test_add_func ("/zone-recording/depth", test_depth);
  g_test_add_func ("/zone-recording/queue-full", test_queue_full);
  g_test_add_func ("/zone-recording/backward-clock", test_backward_clock);
  g_test_add_func ("/zone-recording/known-times", test_known_times);
  return g_test_run ();
}
