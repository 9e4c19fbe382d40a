/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GPU times, with a device that is not there: late, lost, wrapped around, drifting and too many. */
#include "config.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake-gpu.h"
#include "sw/base/sw-clock-testing.h"
#include "zone-profiler-fixture.h"

static SwZoneProfiler *
make_profiler (gint64 query_pool_size)
{
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_desc_new ();
  SwZoneProfiler *profiler;

  desc->gpu_query_pool_size = query_pool_size;
  profiler = sw_zone_profiler_new (desc, NULL);
  g_assert_true (sw_zone_profiler_start_capture (profiler, NULL, NULL));
  return profiler;
}

static guint64
begin (const char *name,
       FakeEncoder *encoder)
{
  g_autoptr (GError) error = NULL;
  guint64 token = sw_profile_zone_begin_with_encoder (sw_profile_site_register (NULL, 0, NULL, name), G_OBJECT (encoder), &error);

  g_assert_no_error (error);
  g_assert_cmpuint (token, !=, 0);
  return token;
}

static void
record_zone (const char *name,
             FakeEncoder *encoder)
{
  g_assert_true (sw_profile_zone_end (begin (name, encoder), NULL));
}

static const TestZone *
find_on (TestTrace *trace,
         const char *name,
         SwTimelineType type)
{
  const TestZone *found = NULL;

  for (guint i = 0; i < trace->n; i++)
    {
      SwTimeline *timeline = g_ptr_array_index (trace->timelines, trace->zones[i].timeline);

      if (strcmp (trace->zones[i].name, name) != 0 || sw_timeline_get_timeline_type (timeline) != type)
        continue;
      g_assert_null (found);
      found = &trace->zones[i];
    }
  return found;
}

/* One time of the device, where each tick takes 2.5 ns. */
static void
test_nested (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 5, 2);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  g_autoptr (TestTrace) trace = NULL;
  const TestZone *outer;
  const TestZone *inner;
  guint64 token = begin ("outer", encoder);

  record_zone ("inner", encoder);
  g_assert_true (sw_profile_zone_end (token, NULL));
  sw_zone_profiler_tick (profiler);
  g_assert_cmpuint (gpu->n_calibrations, ==, 0);
  fake_gpu_finish (gpu);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (gpu->n_calibrations, ==, 1);
  g_assert_cmpuint (trace->n, ==, 4);

  outer = find_on (trace, "outer", SW_TIMELINE_TYPE_GPU);
  inner = find_on (trace, "inner", SW_TIMELINE_TYPE_GPU);
  g_assert_cmpuint (outer->duration, ==, 75);
  g_assert_cmpuint (inner->duration, ==, 25);
  g_assert_cmpuint (inner->start - outer->start, ==, 25);
  g_assert_cmpstr (test_trace_parent_name (trace, inner), ==, "outer");
  g_assert_cmpuint (inner->timeline, ==, outer->timeline);
  g_assert_cmpuint (outer->correlation, ==, find_on (trace, "outer", SW_TIMELINE_TYPE_CPU)->correlation);
  g_assert_cmpuint (outer->correlation, !=, inner->correlation);
}

static void
assert_counts (SwZoneProfiler *profiler,
               guint64 pending,
               guint64 unresolved,
               guint64 exhausted)
{
  g_autoptr (SwProfilerDiagnostics) counts = sw_zone_profiler_dup_diagnostics (profiler);

  test_assert_counts (counts);
  g_assert_cmpuint (sw_profiler_diagnostics_get_pending_gpu_zone_count (counts), ==, pending);
  g_assert_cmpuint (sw_profiler_diagnostics_get_unresolved_count (counts), ==, unresolved);
  g_assert_cmpuint (sw_profiler_diagnostics_get_gpu_query_exhaustion_count (counts), ==, exhausted);
}

static void
test_pending_and_lost (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  g_autoptr (SwZoneTrace) trace = NULL;
  {
    SW_PROFILE_FRAME ("frame");

    record_zone ("late", encoder);
  }
  assert_counts (profiler, 1, 0, 0);
  trace = test_zone_profiler_stop (profiler);
  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, 1);
  g_assert_cmpuint (sw_profiler_diagnostics_get_pending_gpu_zone_count (sw_zone_trace_get_diagnostics (trace)), ==, 1);
  {
    g_autoptr (SwFrameStats) stats = sw_zone_profiler_frame_stats_snapshot (profiler);

    g_assert_cmpuint (sw_frame_stats_get_pending_frame_count (stats), ==, 1);
    g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 0);
  }
  fake_gpu_lose (gpu);
  sw_zone_profiler_tick (profiler);
  assert_counts (profiler, 0, 1, 0);
  {
    g_autoptr (SwFrameStats) stats = sw_zone_profiler_frame_stats_snapshot (profiler);
    g_autoptr (GBytes) status = sw_frame_stats_dup_sample_gpu_status (stats);

    g_assert_cmpuint (sw_frame_stats_get_pending_frame_count (stats), ==, 0);
    g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 1);
    g_assert_cmpuint (((const guint8 *) g_bytes_get_data (status, NULL))[0], ==, SW_GPU_STATUS_INCOMPLETE);
  }
}

/* Results that come before the frame is complete, and three frames late: all are there, in the right frame. */
static void
test_frames (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (256);
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (GBytes) status = NULL;
  g_autoptr (GBytes) times = NULL;
  g_autoptr (TestTrace) trace = NULL;
  guint n[10] = { 0 };

  for (guint frame = 0; frame < 10; frame++)
    {
      SW_PROFILE_FRAME ("frame");
      for (guint pass = 0; pass < 20; pass++)
        record_zone ("pass", encoder);
      if (frame % 4 == 3)
        {
          fake_gpu_finish (gpu);
          sw_zone_profiler_tick (profiler);
        }
    }
  fake_gpu_finish (gpu);
  sw_zone_profiler_tick (profiler);
  assert_counts (profiler, 0, 0, 0);

  stats = sw_zone_profiler_frame_stats_snapshot (profiler);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 10);
  status = sw_frame_stats_dup_sample_gpu_status (stats);
  times = sw_frame_stats_dup_sample_gpu_time_ms (stats);
  for (guint i = 0; i < 10; i++)
    {
      g_assert_cmpuint (((const guint8 *) g_bytes_get_data (status, NULL))[i], ==, SW_GPU_STATUS_COMPLETE);
      g_assert_cmpfloat_with_epsilon (((const double *) g_bytes_get_data (times, NULL))[i], 200e-6, 1e-12);
    }
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 400);
  for (guint i = 0; i < trace->n; i++)
    n[trace->zones[i].frame]++;
  for (guint i = 0; i < 10; i++)
    g_assert_cmpuint (n[i], ==, 40);
}

static void
test_many_through_few_queries (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);

  gpu->is_eager = TRUE;
  for (guint i = 0; i < 200000; i++)
    {
      record_zone ("zone", encoder);
      if (i % 30 == 0)
        sw_zone_profiler_tick (profiler);
    }
  sw_zone_profiler_tick (profiler);
  assert_counts (profiler, 0, 0, 0);
  sw_zone_profiler_discard_capture (profiler, NULL);
}

static void
test_exhaustion (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (8);
  g_autoptr (TestTrace) trace = NULL;

  for (guint i = 0; i < 100; i++)
    record_zone ("zone", encoder);
  assert_counts (profiler, 4, 0, 96);
  for (guint i = 0; i < 4; i++)
    g_assert_true (gpu->pairs[i].written[0] && gpu->pairs[i].written[1]);
  fake_gpu_finish (gpu);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 104);
}

static void
test_no_timestamps (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (0, 1, 1);
  g_autoptr (FakeGpu) other = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) without = fake_encoder_new (gpu);
  g_autoptr (FakeEncoder) with = fake_encoder_new (other);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (8);
  g_autoptr (TestTrace) trace = NULL;

  g_assert_false (sw_profiler_encoder_has_timestamps (SW_PROFILER_ENCODER (without)));
  g_assert_true (sw_profiler_encoder_has_timestamps (SW_PROFILER_ENCODER (with)));
  record_zone ("without", without);
  record_zone ("with", with);
  fake_gpu_finish (other);
  assert_counts (profiler, 1, 0, 0);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 3);
  g_assert_null (find_on (trace, "without", SW_TIMELINE_TYPE_GPU));
  g_assert_cmpuint (find_on (trace, "without", SW_TIMELINE_TYPE_CPU)->correlation, ==, 0);
}

static void
test_bad_times (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  g_autoptr (TestTrace) trace = NULL;

  for (guint i = 0; i < 3; i++)
    record_zone ("zone", encoder);
  gpu->pairs[0].ticks[0] = gpu->pairs[0].ticks[1] = 0;
  gpu->pairs[1].ticks[1] = gpu->pairs[1].ticks[0] - 5;
  fake_gpu_finish (gpu);
  sw_zone_profiler_tick (profiler);
  assert_counts (profiler, 0, 2, 0);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 4);
}

/* A counter of 20 bits, which starts again from 0 every 1,048,576 ticks. */
static void
test_wraps_around (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (20, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  g_autoptr (TestTrace) trace = NULL;
  guint64 before = 0;

  gpu->step = 100000;
  for (guint i = 0; i < 60; i++)
    {
      record_zone ("zone", encoder);
      for (guint j = 0; j < gpu->n_pairs; j++)
        for (guint k = 0; k < 2; k++)
          gpu->pairs[j].ticks[k] &= (1 << 20) - 1;
      fake_gpu_finish (gpu);
      sw_zone_profiler_tick (profiler);
    }
  assert_counts (profiler, 0, 0, 0);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  for (guint i = 0; i < trace->n; i++)
    if (sw_timeline_get_timeline_type (g_ptr_array_index (trace->timelines, trace->zones[i].timeline)) == SW_TIMELINE_TYPE_GPU)
      {
        g_assert_cmpuint (trace->zones[i].duration, ==, 100000);
        g_assert_true (before == 0 || trace->zones[i].start == before + 200000);
        before = trace->zones[i].start;
      }
}

/* What a queue does at the same time is on different timelines. */
static void
test_overlap (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  g_autoptr (TestTrace) trace = NULL;
  guint64 outer = begin ("outer", encoder);

  record_zone ("first", encoder);
  record_zone ("second", encoder);
  sw_profile_zone_end (outer, NULL);
  record_zone ("third", encoder);
  gpu->pairs[0].ticks[0] = 5000;
  gpu->pairs[0].ticks[1] = 5100;
  gpu->pairs[1].ticks[0] = 5010;
  gpu->pairs[1].ticks[1] = 5050;
  gpu->pairs[2].ticks[0] = 5040;
  gpu->pairs[2].ticks[1] = 5120;
  gpu->pairs[3].ticks[0] = 5090;
  gpu->pairs[3].ticks[1] = 5200;
  fake_gpu_finish (gpu);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 8);
  g_assert_cmpuint (trace->timelines->len, ==, 4);
  g_assert_cmpstr (test_trace_parent_name (trace, find_on (trace, "first", SW_TIMELINE_TYPE_GPU)), ==, "outer");
  g_assert_cmpint (find_on (trace, "second", SW_TIMELINE_TYPE_GPU)->parent, ==, -1);
  for (guint i = 0; i < trace->n; i++)
    for (guint j = 0; j < i; j++)
      {
        const TestZone *a = &trace->zones[i];
        const TestZone *b = &trace->zones[j];

        if (a->timeline == b->timeline && a->parent == b->parent)
          g_assert_true (a->start + a->duration <= b->start || b->start + b->duration <= a->start);
      }
}

static gint64 drifting_host;

static gint64
get_drifting_host (void)
{
  return drifting_host;
}

/* 50 parts in a million slow. */
static guint64
get_drifting_device (void)
{
  return (guint64) (drifting_host - drifting_host / 20000);
}

static void
test_drift (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = NULL;
  g_autoptr (TestTrace) trace = NULL;
  GArray *begun = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 before = 0;
  guint at = 0;

  gpu->host_now = get_drifting_host;
  gpu->device_now = get_drifting_device;
  gpu->is_eager = TRUE;
  drifting_host = G_GINT64_CONSTANT (1000000000000);
  sw_testing_set_fake_clock (drifting_host, 0);
  profiler = make_profiler (64);
  for (guint i = 0; i < 6000; i++)
    {
      drifting_host += 100000000;
      sw_testing_set_fake_clock (drifting_host, 0);
      g_array_append_val (begun, drifting_host);
      record_zone ("zone", encoder);
      sw_zone_profiler_tick (profiler);
    }
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (gpu->n_calibrations, <=, 301);
  g_assert_cmpuint (gpu->n_calibrations, >, 250);
  for (guint i = 0; i < trace->n; i++)
    if (sw_timeline_get_timeline_type (g_ptr_array_index (trace->timelines, trace->zones[i].timeline)) == SW_TIMELINE_TYPE_GPU)
      {
        gint64 start = (gint64) trace->zones[i].start;

        g_assert_cmpint (start, >=, before);
        g_assert_cmpint (ABS (start - g_array_index (begun, gint64, at)), <, 100000);
        before = start;
        at++;
      }
  g_assert_cmpuint (at, ==, 6000);
  g_array_unref (begun);
  g_clear_object (&profiler);
  sw_testing_unset_fake_clock ();
}

static void
test_debug_groups (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);

  record_zone ("unnamed", encoder);
  sw_zone_profiler_set_enable_debug_groups (profiler, TRUE);
  record_zone ("named", encoder);
  g_assert_cmpuint (gpu->groups->len, ==, 2);
  g_assert_cmpstr (g_ptr_array_index (gpu->groups, 0), ==, "named");
  g_assert_null (g_ptr_array_index (gpu->groups, 1));
  sw_zone_profiler_discard_capture (profiler, NULL);
}

static void
test_failing_device (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);

  gpu->refuses_pools = TRUE;
  record_zone ("without a pool", encoder);
  assert_counts (profiler, 0, 0, 1);
  gpu->refuses_pools = FALSE;
  gpu->calibration_fails = TRUE;
  record_zone ("without a clock", encoder);
  fake_gpu_finish (gpu);
  sw_zone_profiler_tick (profiler);
  assert_counts (profiler, 0, 1, 1);
  sw_zone_profiler_discard_capture (profiler, NULL);
}

static void
test_not_an_encoder (void)
{
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  g_autoptr (GObject) object = g_object_new (G_TYPE_OBJECT, NULL);
  g_autoptr (GError) error = NULL;
  guint site = sw_profile_site_register (NULL, 0, NULL, "zone");

  g_assert_cmpuint (sw_profile_zone_begin_with_encoder (site, object, &error), ==, 0);
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_assert_nonnull (strstr (error->message, "GObject"));
  g_assert_true (sw_profile_zone_end (sw_profile_zone_begin_with_encoder (site, NULL, NULL), NULL));
}

/* The profiler goes while zones are open and results are missing; the device outlives that, and so do its zones. */
static void
test_destroyed_with_pending (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  SwZoneProfiler *profiler = make_profiler (64);
  guint64 token;

  record_zone ("pending", encoder);
  token = begin ("open", encoder);
  g_object_unref (profiler);
  g_assert_cmpuint (gpu->n_pools, ==, 1);
  g_assert_true (sw_profile_zone_end (token, NULL));
  g_assert_cmpuint (gpu->n_pools, ==, 0);
  g_assert_finalize_object (g_steal_pointer (&encoder));
}

static gpointer
leave_open (gpointer data)
{
  gpointer *both = data;

  g_assert_true (sw_zone_profiler_enter (both[0], NULL));
  begin ("left open", both[1]);
  g_assert_true (sw_zone_profiler_exit (both[0], NULL));
  return NULL;
}

static void
test_thread_ends (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  gpointer both[] = { profiler, encoder };

  g_thread_join (g_thread_new ("gpu", leave_open, both));
  assert_counts (profiler, 1, 0, 0);
  sw_zone_profiler_tick (profiler);
  assert_counts (profiler, 0, 1, 0);
  sw_zone_profiler_discard_capture (profiler, NULL);
  g_assert_finalize_object (g_steal_pointer (&encoder));
}

static void
test_fork (void)
{
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 1, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfiler) profiler = make_profiler (64);
  guint64 token = begin ("open", encoder);
  int status = 0;
  pid_t pid = fork ();

  if (pid == 0)
    {
      guint n_reads = gpu->n_reads;
      guint64 own;

      sw_profile_zone_end (token, NULL);
      own = begin ("of the child", encoder);
      if (!sw_profile_zone_end (own, NULL))
        _exit (1);
      sw_zone_profiler_tick (profiler);
      _exit (sw_profiler_encoder_has_timestamps (SW_PROFILER_ENCODER (encoder)) || gpu->n_reads != n_reads ? 2 : 0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  g_assert_true (sw_profile_zone_end (token, NULL));
  sw_zone_profiler_discard_capture (profiler, NULL);
}

static void
test_many_profilers (void)
{
  FakeGpu *gpus[300];
  SwZoneProfiler *profilers[300];

  for (guint i = 0; i < 300; i++)
    {
      g_autoptr (FakeEncoder) encoder = NULL;

      gpus[i] = fake_gpu_new (64, 1, 1);
      encoder = fake_encoder_new (gpus[i]);
      profilers[i] = test_zone_profiler_new (64);
      g_assert_true (sw_zone_profiler_enter (profilers[i], NULL));
      record_zone ("one of many", encoder);
      g_assert_true (sw_zone_profiler_exit (profilers[i], NULL));
      fake_gpu_finish (gpus[i]);
      sw_zone_profiler_tick (profilers[i]);
      assert_counts (profilers[i], 0, 0, 0);
    }
  for (guint i = 0; i < 300; i++)
    {
      g_object_unref (profilers[i]);
      fake_gpu_free (gpus[i]);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-gpu/nested", test_nested);
  g_test_add_func ("/zone-gpu/pending-and-lost", test_pending_and_lost);
  g_test_add_func ("/zone-gpu/frames", test_frames);
  g_test_add_func ("/zone-gpu/many-through-few-queries", test_many_through_few_queries);
  g_test_add_func ("/zone-gpu/exhaustion", test_exhaustion);
  g_test_add_func ("/zone-gpu/no-timestamps", test_no_timestamps);
  g_test_add_func ("/zone-gpu/bad-times", test_bad_times);
  g_test_add_func ("/zone-gpu/wraps-around", test_wraps_around);
  g_test_add_func ("/zone-gpu/overlap", test_overlap);
  g_test_add_func ("/zone-gpu/drift", test_drift);
  g_test_add_func ("/zone-gpu/debug-groups", test_debug_groups);
  g_test_add_func ("/zone-gpu/failing-device", test_failing_device);
  g_test_add_func ("/zone-gpu/not-an-encoder", test_not_an_encoder);
  g_test_add_func ("/zone-gpu/destroyed-with-pending", test_destroyed_with_pending);
  g_test_add_func ("/zone-gpu/thread-ends", test_thread_ends);
  g_test_add_func ("/zone-gpu/fork", test_fork);
  g_test_add_func ("/zone-gpu/many-profilers", test_many_profilers);
  return g_test_run ();
}
