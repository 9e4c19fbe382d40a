/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames, captures, what is kept of the past, and what is current. */
#include "config.h"

#include <string.h>

#include "sw/base/sw-clock-testing.h"
#include "zone-profiler-fixture.h"

static guint
site_named (const char *name)
{
  return sw_profile_site_register ("test.c", 1, "test", name);
}

static void
record_zone (const char *name)
{
  sw_profile_zone_end (sw_profile_zone_begin (site_named (name)), NULL);
}

static void
test_frames (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (TestTrace) trace = NULL;

  record_zone ("before");
  for (guint i = 0; i < 3; i++)
    {
      SW_PROFILE_FRAME ("frame");
      record_zone ("inside");
    }
  record_zone ("after");

  stats = sw_zone_profiler_frame_stats_snapshot (profiler);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 3);
  g_assert_cmpuint (sw_frame_stats_get_entry_count (stats), ==, 1);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 5);
  g_assert_cmpuint (trace->frames->len, ==, 3);
  g_assert_cmpuint (test_trace_find (trace, "before")->frame, ==, SW_ZONE_NO_FRAME);
  g_assert_cmpuint (test_trace_find (trace, "after")->frame, ==, SW_ZONE_NO_FRAME);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (trace->zones[1 + i].frame, ==, i);
}

static void
test_one_at_a_time (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (64);
  g_autoptr (GError) error = NULL;
  guint64 frame = sw_profile_frame_begin ("first", &error);
  guint64 zone;

  g_assert_no_error (error);
  g_assert_cmpuint (sw_profile_frame_begin ("second", &error), ==, 0);
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "already active"));
  g_assert_nonnull (strstr (error->message, "first"));
  g_clear_error (&error);
  {
    SW_PROFILE_FRAME ("refused");
  }

  zone = sw_profile_zone_begin (site_named ("outlasts its frame"));
  g_assert_true (sw_profile_frame_end (frame, NULL));
  g_assert_false (sw_profile_frame_end (frame, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_cmpuint (sw_profile_frame_begin ("third", &error), ==, 0);
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "already active"));
  g_clear_error (&error);

  g_assert_true (sw_profile_zone_end (zone, NULL));
  frame = sw_profile_frame_begin ("fourth", &error);
  g_assert_no_error (error);
  g_assert_true (sw_profile_frame_end (frame, NULL));
  g_assert_false (sw_profile_frame_end (77, NULL));
  g_assert_false (sw_profile_frame_end (G_MAXUINT64, NULL));
}

static gpointer
record_in_frame (gpointer profiler)
{
  g_assert_true (sw_zone_profiler_enter (profiler, NULL));
  record_zone ("of another thread");
  g_assert_true (sw_zone_profiler_exit (profiler, NULL));
  return NULL;
}

/* Zones that enclose frames are in none; those inside are roots of their frame's hierarchy. */
static void
test_enclosing_zone (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (TestTrace) trace = NULL;
  {
    SW_PROFILE_ZONE ("program");
    for (guint i = 0; i < 5; i++)
      {
        SW_PROFILE_FRAME ("frame");
        SW_PROFILE_ZONE ("outer");
        record_zone ("inner");
        record_zone ("inner");
        g_thread_join (g_thread_new ("other", record_in_frame, profiler));
      }
  }
  stats = sw_zone_profiler_frame_stats_snapshot (profiler);
  entries = sw_frame_stats_dup_entries (stats);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 5);
  g_assert_cmpuint (entries->len, ==, 3);
  g_assert_cmpuint (
      sw_profiler_diagnostics_get_hierarchy_loss_count (sw_frame_stats_get_diagnostics (stats)), ==, 0);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 1 + 5 * 4);
  g_assert_cmpuint (test_trace_find (trace, "program")->frame, ==, SW_ZONE_NO_FRAME);
  for (guint i = 0; i < trace->n; i++)
    if (strcmp (trace->zones[i].name, "outer") == 0)
      g_assert_cmpstr (test_trace_parent_name (trace, &trace->zones[i]), ==, "program");
}

static void
test_clear_frame_stats (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (64);
  g_autoptr (SwFrameStats) before = NULL;
  g_autoptr (SwFrameStats) after = NULL;

  for (guint i = 0; i < 3; i++)
    {
      SW_PROFILE_FRAME ("frame");
      record_zone ("zone");
    }
  before = sw_zone_profiler_frame_stats_snapshot (profiler);
  sw_zone_profiler_clear_frame_stats (profiler);
  after = sw_zone_profiler_frame_stats_snapshot (profiler);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (before), ==, 3);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (after), ==, 0);
}

static void
test_many_frames (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (8192);
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (TestTrace) live = NULL;

  for (guint i = 0; i < 5000; i++)
    {
      SW_PROFILE_FRAME ("frame");
      record_zone ("zone");
    }
  stats = sw_zone_profiler_frame_stats_snapshot (profiler);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 120);
  live = test_trace_new (sw_zone_profiler_live_snapshot (profiler));
  g_assert_cmpuint (live->frames->len, ==, 120);
  g_assert_cmpuint (live->zones[live->n - 1].frame, ==, 4999);
}

static void
test_capture_states (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (64);
  g_autoptr (SwCaptureDesc) desc = sw_capture_desc_new ();
  g_autoptr (TestTrace) trace = NULL;
  g_autoptr (GError) error = NULL;
  guint64 early;

  g_assert_null (sw_zone_profiler_stop_capture (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "No active"));
  g_clear_error (&error);
  g_assert_false (sw_zone_profiler_discard_capture (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);

  desc->max_memory_bytes = 0;
  g_assert_false (sw_zone_profiler_start_capture (profiler, desc, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "max_memory_bytes is 0"));
  g_clear_error (&error);

  record_zone ("before the capture");
  early = sw_profile_zone_begin (site_named ("begun before the capture"));
  g_assert_true (sw_zone_profiler_start_capture (profiler, NULL, NULL));
  g_assert_true (sw_zone_profiler_get_capture_active (profiler));
  g_assert_false (sw_zone_profiler_start_capture (profiler, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  record_zone ("captured");
  sw_profile_zone_end (early, NULL);

  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 1);
  g_assert_cmpint (test_trace_find (trace, "captured")->parent, ==, -1);
  g_assert_false (sw_zone_profiler_get_capture_active (profiler));
  g_assert_true (sw_zone_profiler_start_capture (profiler, NULL, NULL));
  g_assert_true (sw_zone_profiler_discard_capture (profiler, NULL));
}

static void
test_memory_limit (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (8192);
  g_autoptr (SwCaptureDesc) desc = sw_capture_desc_new ();
  g_autoptr (SwZoneTrace) trace = NULL;
  SwProfilerDiagnostics *counts;

  desc->max_memory_bytes = 1 << 20;
  g_assert_true (sw_zone_profiler_start_capture (profiler, desc, NULL));
  for (guint i = 0; i < 20; i++)
    {
      for (guint j = 0; j < 3000; j++)
        record_zone ("zone");
      sw_zone_profiler_flush (profiler);
    }
  g_assert_false (sw_zone_profiler_get_capture_active (profiler));
  g_assert_false (sw_zone_profiler_start_capture (profiler, desc, NULL));
  trace = test_zone_profiler_stop (profiler);
  counts = sw_zone_trace_get_diagnostics (trace);
  g_assert_true (sw_zone_trace_get_truncated (trace));
  g_assert_cmpint (sw_zone_trace_get_stop_reason (trace), ==, SW_STOP_REASON_MEMORY_LIMIT);
  g_assert_cmpuint (sw_zone_trace_get_memory_bytes (trace), <=, 1 << 20);
  g_assert_cmpuint (sw_profiler_diagnostics_get_emitted_count (counts), ==, 60000);
  g_assert_cmpuint (sw_profiler_diagnostics_get_memory_limit_count (counts), ==, 60000 - sw_zone_trace_get_zone_count (trace));
  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), >, 10000);
  g_assert_cmpuint (sw_profiler_diagnostics_get_first_drop_ns (counts), ==, sw_zone_trace_get_stop_ns (trace));
}

static void
test_live_bound (void)
{
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_desc_new ();
  g_autoptr (SwZoneProfiler) profiler = NULL;
  g_autoptr (TestTrace) live = NULL;

  desc->live_event_capacity = 10000;
  profiler = sw_zone_profiler_new (desc, NULL);
  for (guint i = 0; i < 20; i++)
    {
      for (guint j = 0; j < 3000; j++)
        record_zone ("zone");
      sw_zone_profiler_flush (profiler);
    }
  record_zone ("last");
  live = test_trace_new (sw_zone_profiler_live_snapshot (profiler));
  g_assert_cmpuint (live->n, <=, 10000);
  g_assert_cmpuint (live->n, >, 5000);
  g_assert_cmpstr (live->zones[live->n - 1].name, ==, "last");
}

/* With a clock that is set by hand: frame i takes about (i % 10) times 1,000 ns. */
static void
test_slow_frames (void)
{
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_desc_new ();
  g_autoptr (SwZoneProfiler) profiler = NULL;
  g_autoptr (TestTrace) slow = NULL;

  sw_testing_set_fake_clock (1000000, 1);
  desc->live_frame_count = 4;
  profiler = sw_zone_profiler_new (desc, NULL);
  sw_zone_profiler_set_slow_frame_threshold_ns (profiler, 5000);
  for (guint i = 0; i < 40; i++)
    {
      SW_PROFILE_FRAME ("frame");
      {
        SW_PROFILE_ZONE ("outer");
        record_zone ("inner");
      }
      sw_testing_set_fake_clock (2000000 + i * 100000 + (i % 10) * 1000, 1);
    }
  g_clear_pointer (&slow, test_trace_free);
  slow = test_trace_new (sw_zone_profiler_slow_frames_snapshot (profiler));
  g_assert_cmpuint (slow->frames->len, <=, 4);
  g_assert_cmpuint (slow->frames->len, >, 0);
  g_assert_cmpuint (slow->n, ==, 2 * slow->frames->len);
  for (guint i = 0; i < slow->frames->len; i++)
    g_assert_cmpuint (sw_zone_frame_get_duration_ns (g_ptr_array_index (slow->frames, i)), >=, 5000);
  for (guint i = 0; i < slow->n; i++)
    if (strcmp (slow->zones[i].name, "inner") == 0)
      g_assert_cmpstr (test_trace_parent_name (slow, &slow->zones[i]), ==, "outer");
  sw_zone_profiler_set_slow_frame_threshold_ns (profiler, -1);
  g_clear_pointer (&slow, test_trace_free);
  slow = test_trace_new (sw_zone_profiler_slow_frames_snapshot (profiler));
  g_assert_cmpuint (slow->n, ==, 0);
  g_clear_object (&profiler);
  sw_testing_unset_fake_clock ();
}

static void
assert_current (SwZoneProfiler *expected)
{
  g_autoptr (SwZoneProfiler) current = sw_zone_profiler_dup_current ();

  g_assert_true (current == expected);
}

static void
test_current (void)
{
  SwZoneProfiler *first = test_zone_profiler_new (64);
  g_autoptr (SwZoneProfiler) second = test_zone_profiler_new (64);
  g_autoptr (SwZoneProfiler) third = NULL;
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (GError) error = NULL;
  guint64 zone;

  assert_current (first);
  g_assert_false (sw_zone_profiler_exit (first, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_true (sw_zone_profiler_enter (second, NULL));
  g_assert_true (sw_zone_profiler_enter (first, NULL));
  g_assert_true (sw_zone_profiler_enter (second, NULL));
  assert_current (second);
  zone = sw_profile_zone_begin (site_named ("of the second"));
  g_assert_false (sw_zone_profiler_exit (first, NULL));
  g_assert_true (sw_zone_profiler_exit (second, NULL));
  assert_current (first);
  g_assert_true (sw_profile_zone_end (zone, NULL));
  counts = sw_zone_profiler_dup_diagnostics (second);
  g_assert_cmpuint (sw_profiler_diagnostics_get_recorded_count (counts), ==, 1);
  g_assert_true (sw_zone_profiler_exit (first, NULL));
  g_assert_true (sw_zone_profiler_exit (second, NULL));

  assert_current (first);
  g_assert_finalize_object (first);
  assert_current (NULL);
  third = test_zone_profiler_new (64);
  assert_current (third);
}

static void
check_refused (SwZoneProfilerDesc *desc,
               const char *message)
{
  g_autoptr (SwZoneProfilerDesc) owned = desc;
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_zone_profiler_new (desc, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, message));
}

#define refuse(field, value, message)                       \
  G_STMT_START                                              \
  {                                                         \
    SwZoneProfilerDesc *odd = sw_zone_profiler_desc_new (); \
    odd->field = value;                                     \
    check_refused (odd, message);                           \
  }                                                         \
  G_STMT_END

static void
test_descriptions (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (16);
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_dup_desc (profiler);

  g_assert_cmpint (desc->thread_event_capacity, ==, 16);
  g_assert_cmpint (desc->live_event_capacity, ==, 100000);
  refuse (thread_event_capacity, 0, "thread_event_capacity is 0");
  refuse (thread_event_capacity, -8, "thread_event_capacity is -8");
  refuse (thread_event_capacity, 3, "thread_event_capacity is 3, which is no power of two");
  refuse (live_frame_count, 0, "live_frame_count is 0");
  refuse (live_event_capacity, -1, "live_event_capacity is -1");
  refuse (frame_stats_window_size, G_MAXINT64, "frame_stats_window_size is");
  refuse (gpu_query_pool_size, 7, "gpu_query_pool_size is 7, which is not even");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-frames/frames", test_frames);
  g_test_add_func ("/zone-frames/one-at-a-time", test_one_at_a_time);
  g_test_add_func ("/zone-frames/enclosing-zone", test_enclosing_zone);
  g_test_add_func ("/zone-frames/clear-frame-stats", test_clear_frame_stats);
  g_test_add_func ("/zone-frames/many-frames", test_many_frames);
  g_test_add_func ("/zone-frames/capture-states", test_capture_states);
  g_test_add_func ("/zone-frames/memory-limit", test_memory_limit);
  g_test_add_func ("/zone-frames/live-bound", test_live_bound);
  g_test_add_func ("/zone-frames/slow-frames", test_slow_frames);
  g_test_add_func ("/zone-frames/current", test_current);
  g_test_add_func ("/zone-frames/descriptions", test_descriptions);
  return g_test_run ();
}
