/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cupti-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#define US 1000
#define MS (1000 * US)

/* How far CUPTI's clock and ours may be found apart, on a machine that is busy. */
#define CLOCK_ERROR (2 * MS)

typedef struct
{
  SwMemoryCollector *memory;
  SwCollector *cupti;
  SwTraceContext *context;
  guint64 now;
} Fixture;

static void
set_up_at (Fixture *self,
           SwTraceVerbosity verbosity)
{
  fake.reset ();
  self->memory = fixture_memory ();
  self->cupti = SW_COLLECTOR (fixture_cupti (SW_COLLECTOR (self->memory)));
  self->context = fixture_context (self->cupti, verbosity);
  self->now = fake.now ();
}

static void
set_up (Fixture *self)
{
  set_up_at (self, SW_TRACE_VERBOSITY_OPERATIONS);
}

static void
tear_down (Fixture *self)
{
  fixture_close (self->cupti);
  g_clear_object (&self->context);
  g_clear_object (&self->cupti);
  g_clear_object (&self->memory);
}

static GPtrArray *
get_events (Fixture *self)
{
  fixture_flush (self->cupti);
  return sw_memory_collector_dup_events (self->memory);
}

static void
assert_text (SwTraceEvent *event,
             const char *key,
             const char *expected)
{
  g_autoptr (GVariant) arguments = sw_trace_event_dup_arguments (event);
  const char *text = NULL;

  g_assert_true (g_variant_lookup (arguments, key, "&s", &text));
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_number (SwTraceEvent *event,
               const char *key,
               guint64 expected)
{
  g_autoptr (GVariant) arguments = sw_trace_event_dup_arguments (event);
  guint64 number = 0;

  g_assert_true (g_variant_lookup (arguments, key, "t", &number));
  g_assert_cmpuint (number, ==, expected);
}

static void
test_kernel (void)
{
  g_autoptr (GPtrArray) events = NULL;
  g_autofree char *lane = NULL;
  SwTraceEvent *kernel;
  gint64 passed;
  Fixture fixture;

  set_up (&fixture);
  put_kernel ("_Z6kernelPfi", 7, fixture.now - 300 * US, fixture.now - 100 * US, 11);
  passed = g_get_monotonic_time () * 1000 - (gint64) (fake.now () - fixture.now);
  events = get_events (&fixture);
  g_assert_cmpuint (events->len, ==, 1);
  kernel = g_ptr_array_index (events, 0);
  if (!g_str_equal (sw_trace_event_get_name (kernel), "_Z6kernelPfi"))
    g_assert_cmpstr (sw_trace_event_get_name (kernel), ==, "kernel(float*, int)");
  g_assert_cmpstr (sw_trace_event_get_category (kernel), ==, "gpu.kernel");
  g_assert_cmpint (sw_trace_event_get_kind (kernel), ==, SW_TRACE_EVENT_KIND_GPU_SPAN);
  g_assert_cmpint (sw_trace_event_get_level (kernel), ==, SW_TRACE_VERBOSITY_OPERATIONS);
  g_assert_cmpuint (sw_trace_event_get_thread_id (kernel), ==, 0);
  g_assert_cmpuint (sw_trace_event_get_lane_id (kernel), >, 0);
  g_assert_cmpint (sw_trace_event_get_depth (kernel), ==, 0);
  lane = sw_trace_event_dup_thread_name (kernel);
  g_assert_cmpstr (lane, ==, "GPU 0 · stream 7");
  g_assert_cmpint (ABS (sw_trace_event_get_start_ns (kernel) - (passed - 300 * US)), <, CLOCK_ERROR);
  /* Interpolated between pairs whose readings are not exact. */
  g_assert_cmpint (ABS (sw_trace_event_get_duration_ns (kernel) - 200 * US), <, 100 * US);
  assert_text (kernel, "grid", "(64, 1, 1)");
  assert_text (kernel, "block", "(256, 1, 1)");
  assert_number (kernel, "correlation", 11);
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (SW_CUPTI_COLLECTOR (fixture.cupti)), ==, 1);
  g_assert_cmpuint (sw_collector_get_event_count (fixture.cupti), ==, 1);
  g_assert_cmpuint (sw_collector_get_dropped_count (fixture.cupti), ==, 0);
  tear_down (&fixture);
}

static void
test_flows (void)
{
  g_autoptr (GPtrArray) events = NULL;
  guint64 outer;
  guint64 inner;
  Fixture fixture;

  set_up (&fixture);
  launch ("before", 7, fixture.now - 9 * US, fixture.now - 8 * US);
  {
    SW_TRACE_SPAN_IN (fixture.context, "outer", "", SW_TRACE_VERBOSITY_DECISIONS);
    SW_TRACE_SPAN_IN (fixture.context, "too verbose", "", SW_TRACE_VERBOSITY_FULL);

    g_assert_cmpuint (fake.get_depth (), ==, 1);
    launch ("by outer", 7, fake.now () + 100 * MS, fake.now () + 101 * MS);
    {
      SW_TRACE_SPAN_IN (fixture.context, "inner", "", SW_TRACE_VERBOSITY_OPERATIONS);

      g_assert_cmpuint (fake.get_depth (), ==, 2);
      launch ("by inner", 7, fake.now () + 102 * MS, fake.now () + 103 * MS);
      launch ("by inner too", 8, fake.now () + 102 * MS, fake.now () + 103 * MS);
    }
    g_assert_cmpuint (fake.get_depth (), ==, 1);
  }
  g_assert_cmpuint (fake.get_depth (), ==, 0);
  events = get_events (&fixture);
  g_assert_cmpuint (events->len, ==, 6);
  outer = fixture_get_flow (fixture_find (events, "outer"), "start");
  inner = fixture_get_flow (fixture_find (events, "inner"), "start");
  g_assert_cmpuint (outer, >, G_GUINT64_CONSTANT (1) << 52);
  g_assert_cmpuint (inner, >, G_GUINT64_CONSTANT (1) << 52);
  g_assert_cmpuint (inner, !=, outer);
  g_assert_cmpuint (fixture_get_flow (fixture_find (events, "by outer"), "step"), ==, outer);
  g_assert_cmpuint (fixture_get_flow (fixture_find (events, "by inner"), "step"), ==, inner);
  g_assert_cmpuint (fixture_get_flow (fixture_find (events, "by inner too"), "step"), ==, inner);
  g_assert_cmpuint (fixture_get_flow (fixture_find (events, "before"), "step"), ==, 0);
  g_assert_cmpuint (sw_cupti_collector_get_unlinked_count (SW_CUPTI_COLLECTOR (fixture.cupti)), ==, 1);
  tear_down (&fixture);
}

/* The record of a kernel may come long before the one that says by what it was launched, but not twice as long. */
static void
test_late_correlation (void)
{
  g_autoptr (GPtrArray) events = NULL;
  Fixture fixture;

  set_up (&fixture);
  {
    SW_TRACE_SPAN_IN (fixture.context, "span", "", SW_TRACE_VERBOSITY_OPERATIONS);

    put_kernel ("kernel", 7, fake.now () + 100 * MS, fake.now () + 101 * MS, 1000000);
    fake.complete (SIZE_MAX);
    fake.correlate (1000000);
    fake.complete (SIZE_MAX);
  }
  events = get_events (&fixture);
  g_assert_cmpuint (fixture_get_flow (fixture_find (events, "kernel"), "step"), ==,
                    fixture_get_flow (fixture_find (events, "span"), "start"));
  tear_down (&fixture);
}

/* A kernel that would seem to have begun before its span, for the clocks of host and device are not exact: no time is made up. */
static void
test_backward_flow (void)
{
  g_autoptr (GPtrArray) events = NULL;
  Fixture fixture;

  set_up (&fixture);
  {
    SW_TRACE_SPAN_IN (fixture.context, "span", "", SW_TRACE_VERBOSITY_OPERATIONS);

    launch ("kernel", 7, fixture.now - 50 * MS, fixture.now - 20 * MS);
  }
  events = get_events (&fixture);
  g_assert_cmpuint (fixture_get_flow (fixture_find (events, "kernel"), "step"), ==, 0);
  g_assert_cmpint (sw_trace_event_get_start_ns (fixture_find (events, "kernel")), <,
                   sw_trace_event_get_start_ns (fixture_find (events, "span")) - 40 * MS);
  g_assert_cmpuint (sw_cupti_collector_get_unlinked_count (SW_CUPTI_COLLECTOR (fixture.cupti)), ==, 1);
  tear_down (&fixture);
}

/* Other tools tell CUPTI of their own. */
static void
test_ids_of_others (void)
{
  const guint64 others[] = { 0, 1, G_GUINT64_CONSTANT (1) << 52, (G_GUINT64_CONSTANT (1) << 52) + 1000000, G_MAXUINT64 };
  g_autoptr (GPtrArray) events = NULL;
  Fixture fixture;

  set_up (&fixture);
  for (guint32 i = 0; i < G_N_ELEMENTS (others); i++)
    {
      SwCuptiExternalCorrelation record = { SW_CUPTI_KIND_EXTERNAL_CORRELATION, SW_CUPTI_EXTERNAL_CUSTOM0, others[i], 50 + i };

      fake.put (&record, sizeof record);
      put_kernel ("kernel", 7, fixture.now, fixture.now + US, 50 + i);
    }
  events = get_events (&fixture);
  g_assert_cmpuint (events->len, ==, G_N_ELEMENTS (others));
  for (guint i = 0; i < events->len; i++)
    g_assert_cmpuint (fixture_get_flow (g_ptr_array_index (events, i), "step"), ==, 0);
  tear_down (&fixture);
}

static void
test_memory_work (void)
{
  g_autoptr (GPtrArray) events = NULL;
  SwTraceEvent *event;
  Fixture fixture;

  set_up (&fixture);
  put_memcpy (1, 4096, fixture.now, fixture.now + US);
  put_memcpy (10, 8192, fixture.now + 2 * US, fixture.now + 3 * US);
  put_memcpy (200, 1, fixture.now + 4 * US, fixture.now + 5 * US);
  put_memset (16384, fixture.now + 6 * US, fixture.now + 7 * US);
  events = get_events (&fixture);
  g_assert_cmpuint (events->len, ==, 4);
  event = fixture_find (events, "memcpy HtoD");
  g_assert_cmpstr (sw_trace_event_get_category (event), ==, "gpu.memcpy");
  assert_number (event, "bytes", 4096);
  assert_text (event, "from", "pageable");
  assert_text (event, "to", "device");
  event = fixture_find (events, "memcpy PtoP");
  assert_number (event, "bytes", 8192);
  assert_number (event, "from_device", 2);
  assert_number (event, "to_device", 3);
  fixture_find (events, "memcpy");
  event = fixture_find (events, "memset");
  g_assert_cmpstr (sw_trace_event_get_category (event), ==, "gpu.memset");
  assert_number (event, "bytes", 16384);
  assert_number (event, "value", 0xff);
  tear_down (&fixture);
}

static void
test_overheads (void)
{
  g_autoptr (GPtrArray) events = NULL;
  SwTraceEvent *event;
  Fixture fixture;

  set_up_at (&fixture, SW_TRACE_VERBOSITY_FULL);
  put_overhead (1 << 16, fixture.now, fixture.now + 5 * US);
  put_overhead (77, fixture.now, fixture.now + 5 * US);
  events = get_events (&fixture);
  g_assert_cmpuint (events->len, ==, 2);
  fixture_find (events, "overhead");
  event = fixture_find (events, "overhead: buffer flush");
  g_assert_cmpint (sw_trace_event_get_kind (event), ==, SW_TRACE_EVENT_KIND_ASYNC_SPAN);
  g_assert_cmpint (sw_trace_event_get_level (event), ==, SW_TRACE_VERBOSITY_FULL);
  g_assert_cmpstr (sw_trace_event_get_category (event), ==, "gpu.overhead");
  tear_down (&fixture);
}

static void
assert_kinds (gboolean has_work,
              gboolean has_overheads)
{
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_CONCURRENT_KERNEL), ==, has_work);
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_MEMCPY), ==, has_work);
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_MEMCPY2), ==, has_work);
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_MEMSET), ==, has_work);
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_EXTERNAL_CORRELATION), ==, has_work);
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_OVERHEAD), ==, has_overheads);
}

/* CUPTI records while somebody wants it to. */
static void
test_switches (void)
{
  g_autoptr (SwTraceContext) other = NULL;
  Fixture fixture;

  set_up (&fixture);
  assert_kinds (TRUE, FALSE);
  sw_trace_context_set_verbosity (fixture.context, SW_TRACE_VERBOSITY_FULL);
  assert_kinds (TRUE, TRUE);
  sw_trace_context_set_verbosity (fixture.context, SW_TRACE_VERBOSITY_DECISIONS);
  assert_kinds (FALSE, FALSE);
  {
    SW_TRACE_SPAN_IN (fixture.context, "span", "", SW_TRACE_VERBOSITY_DECISIONS);

    g_assert_cmpuint (fake.get_depth (), ==, 0);
  }
  other = fixture_context (fixture.cupti, SW_TRACE_VERBOSITY_OPERATIONS);
  assert_kinds (TRUE, FALSE);
  sw_trace_context_set_enabled (other, FALSE);
  assert_kinds (FALSE, FALSE);
  sw_trace_context_set_enabled (other, TRUE);
  assert_kinds (TRUE, FALSE);
  sw_trace_context_set_collector (other, NULL);
  assert_kinds (FALSE, FALSE);
  sw_trace_context_set_collector (other, fixture.cupti);
  assert_kinds (TRUE, FALSE);
  g_clear_object (&other);
  assert_kinds (FALSE, FALSE);
  sw_trace_context_set_verbosity (fixture.context, SW_TRACE_VERBOSITY_FULL);
  assert_kinds (TRUE, TRUE);
  fixture_close (fixture.cupti);
  assert_kinds (FALSE, FALSE);
  tear_down (&fixture);
}

/* What was pushed is popped, whatever happens to the context meanwhile. */
static void
test_switched_off_inside (void)
{
  Fixture fixture;

  set_up (&fixture);
  {
    SW_TRACE_SPAN_IN (fixture.context, "span", "", SW_TRACE_VERBOSITY_OPERATIONS);

    g_assert_cmpuint (fake.get_depth (), ==, 1);
    sw_trace_context_set_enabled (fixture.context, FALSE);
    g_assert_cmpuint (fake.get_depth (), ==, 0);
  }
  g_assert_cmpuint (fake.get_depth (), ==, 0);
  tear_down (&fixture);
}

static void
test_lanes (void)
{
  static const char *const names[] = { "GPU 0 · stream 7", "GPU 0 · stream 9", "GPU 1 · stream 7",
                                       "GPU 0 · context 2 · stream 7" };
  g_autoptr (GPtrArray) events = NULL;
  Fixture fixture;

  set_up (&fixture);
  put_kernel_on (0, 1, 7, fixture.now, fixture.now + US);
  put_kernel_on (0, 1, 9, fixture.now + 2 * US, fixture.now + 3 * US);
  put_kernel_on (1, 5, 7, fixture.now + 4 * US, fixture.now + 5 * US);
  put_kernel_on (0, 2, 7, fixture.now + 6 * US, fixture.now + 7 * US);
  events = get_events (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);
      g_autofree char *name = sw_trace_event_dup_thread_name (event);

      g_assert_cmpstr (name, ==, names[i]);
      g_assert_cmpstr (sw_trace_event_get_name (event), ==, "(kernel)");
    }
  tear_down (&fixture);
}

/* A program that makes a stream for each request. */
static void
test_many_streams (void)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) events = NULL;
  Fixture fixture;

  set_up (&fixture);
  for (guint32 i = 0; i < 3000; i++)
    put_kernel_on (0, 1, i, fixture.now + i, fixture.now + i + 1);
  events = get_events (&fixture);
  g_assert_cmpuint (events->len, ==, 3000);
  for (guint i = 0; i < events->len; i++)
    g_hash_table_add (names, sw_trace_event_dup_thread_name (g_ptr_array_index (events, i)));
  g_assert_cmpuint (g_hash_table_size (names), ==, 1025);
  g_assert_true (g_hash_table_contains (names, "GPU 0 · other streams"));
  tear_down (&fixture);
}

/* Records in any order, in one buffer and in several, get to one lane of the file, and overlapping ones to two. */
static void
test_order (void)
{
  g_autofree char *directory = g_dir_make_tmp ("cupti-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "trace.jsonl", NULL);
  g_autofree char *text = NULL;
  g_autoptr (SwFileCollector) file = sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL);
  g_autoptr (SwCollector) cupti = SW_COLLECTOR (fixture_cupti (SW_COLLECTOR (file)));
  g_autoptr (SwTraceContext) context = fixture_context (cupti, SW_TRACE_VERBOSITY_OPERATIONS);
  guint64 now = fake.now ();
  guint n_tracks = 0;

  for (guint64 i = 0; i < 100; i++)
    {
      guint64 place = i * 37 % 100;

      put_kernel ("kernel", 7, now + place * US, now + (place + 1) * US, 0);
      if (i % 10 == 9)
        fake.complete (SIZE_MAX);
    }
  put_kernel ("first", 8, now, now + 2 * US, 0);
  put_kernel ("second", 8, now + US, now + 3 * US, 0);
  fixture_close (cupti);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const char *at = text; (at = strstr (at, "\"gpu_queue\"")) != NULL; at++)
    n_tracks++;
  /* Stream 7, and stream 8 twice. */
  g_assert_cmpuint (n_tracks, ==, 3);
  g_unlink (path);
  g_rmdir (directory);
}

/* Nobody flushes: the context does, about once a second. */
static void
test_by_itself (void)
{
  gint64 give_up = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  Fixture fixture;

  set_up (&fixture);
  put_kernel ("kernel", 7, fixture.now, fixture.now + US, 0);
  while (sw_collector_get_event_count (SW_COLLECTOR (fixture.memory)) == 0 && g_get_monotonic_time () < give_up)
    g_usleep (1000);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (fixture.memory)), ==, 1);
  tear_down (&fixture);
}

#define N_LAUNCHES 20000

static gpointer
launch_many (gpointer data)
{
  Fixture *fixture = data;

  for (guint i = 0; i < N_LAUNCHES; i++)
    {
      SW_TRACE_SPAN_IN (fixture->context, "span", "", SW_TRACE_VERBOSITY_OPERATIONS);

      guint64 now = fake.now ();

      /* What the fake does is not for several threads; CUPTI's part is to call back on any of them. */
      launch ("kernel", 7, now, now + US);
    }
  return NULL;
}

static gpointer
emit_many (gpointer data)
{
  Fixture *fixture = data;

  for (guint i = 0; i < N_LAUNCHES; i++)
    {
      SW_TRACE_SPAN_IN (fixture->context, "other span", "", SW_TRACE_VERBOSITY_OPERATIONS);
    }
  return NULL;
}

/* Buffers are completed on threads that the library does not know, while others emit, and nothing is lost: 20,000 records of
 * kernels and as many correlations are more than four buffers. */
static void
test_threads (void)
{
  SwCuptiCollector *cupti;
  GThread *launching;
  GThread *emitting;
  Fixture fixture;

  set_up (&fixture);
  cupti = SW_CUPTI_COLLECTOR (fixture.cupti);
  launching = g_thread_new ("launching", launch_many, &fixture);
  emitting = g_thread_new ("emitting", emit_many, &fixture);
  g_thread_join (launching);
  g_thread_join (emitting);
  fixture_flush (fixture.cupti);
  /* Where the machine is so busy that the clocks cannot be compared, times are not known; that is counted, too. */
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (cupti) + sw_cupti_collector_get_gpu_dropped_count (cupti) +
                        sw_cupti_collector_get_untimed_count (cupti),
                    ==, N_LAUNCHES);
  g_assert_cmpuint (sw_collector_get_event_count (fixture.cupti) + sw_collector_get_dropped_count (fixture.cupti), ==,
                    3 * N_LAUNCHES);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (fixture.memory)), ==,
                    sw_collector_get_event_count (fixture.cupti));
  tear_down (&fixture);
}

/* Nobody closed it: the target has all that there was, and CUPTI is free again. */
static void
test_disposed_of (void)
{
  g_autoptr (SwMemoryCollector) memory = fixture_memory ();
  g_autoptr (SwCollector) again = NULL;
  SwCollector *cupti = SW_COLLECTOR (fixture_cupti (SW_COLLECTOR (memory)));
  SwTraceContext *context = fixture_context (cupti, SW_TRACE_VERBOSITY_OPERATIONS);

  put_kernel ("kernel", 7, fake.now () - MS, fake.now (), 0);
  g_object_unref (context);
  g_object_unref (cupti);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (memory)), ==, 1);
  g_assert_false (sw_collector_get_is_closed (SW_COLLECTOR (memory)));
  assert_kinds (FALSE, FALSE);
  again = SW_COLLECTOR (fixture_cupti (SW_COLLECTOR (memory)));
  fixture_close (again);
  g_assert_true (sw_collector_get_is_closed (SW_COLLECTOR (memory)));
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  fake_cupti_use ();
  g_test_add_func ("/cupti-collector/kernel", test_kernel);
  g_test_add_func ("/cupti-collector/flows", test_flows);
  g_test_add_func ("/cupti-collector/late-correlation", test_late_correlation);
  g_test_add_func ("/cupti-collector/backward-flow", test_backward_flow);
  g_test_add_func ("/cupti-collector/ids-of-others", test_ids_of_others);
  g_test_add_func ("/cupti-collector/memory-work", test_memory_work);
  g_test_add_func ("/cupti-collector/overheads", test_overheads);
  g_test_add_func ("/cupti-collector/switches", test_switches);
  g_test_add_func ("/cupti-collector/switched-off-inside", test_switched_off_inside);
  g_test_add_func ("/cupti-collector/lanes", test_lanes);
  g_test_add_func ("/cupti-collector/many-streams", test_many_streams);
  g_test_add_func ("/cupti-collector/order", test_order);
  g_test_add_func ("/cupti-collector/by-itself", test_by_itself);
  g_test_add_func ("/cupti-collector/threads", test_threads);
  g_test_add_func ("/cupti-collector/disposed-of", test_disposed_of);
  return g_test_run ();
}
