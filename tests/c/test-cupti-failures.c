/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cupti-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sw-profiler/trace/sw-cupti-buffers-private.h"

#define US 1000
#define N_KERNELS 10

static SwCuptiCollector *
make (SwMemoryCollector **memory)
{
  *memory = fixture_memory ();
  return fixture_cupti (SW_COLLECTOR (*memory));
}

static void
assert_unmakeable (SwError code,
                   const char *expected)
{
  g_autoptr (SwMemoryCollector) memory = fixture_memory ();
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_cupti_collector_new (SW_COLLECTOR (memory), &error));
  g_assert_error (error, SW_ERROR, (int) code);
  if (strstr (error->message, expected) == NULL)
    g_error ("'%s' does not say '%s'", error->message, expected);
}

/* A process loads one library for good, so that these run in processes of their own. */

static void
test_no_library (void)
{
  g_autofree char *directory = NULL;
  g_autofree char *path = NULL;
  g_autofree char *old = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  directory = g_dir_make_tmp ("cupti-XXXXXX", NULL);
  path = g_build_filename (directory, "text.so", NULL);
  g_setenv ("STRIDEWEAVE_CUPTI", "/nowhere/libcupti.so", TRUE);
  g_assert_false (sw_cupti_collector_is_available ());
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "STRIDEWEAVE_CUPTI names '/nowhere/libcupti.so'");
  g_assert_true (g_file_set_contents (path, "no library", -1, NULL));
  g_setenv ("STRIDEWEAVE_CUPTI", path, TRUE);
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "cannot be loaded");
  g_unlink (path);
  g_rmdir (directory);

  old = fake_cupti_dup_path ("-old");
  g_setenv ("STRIDEWEAVE_CUPTI", old, TRUE);
  g_assert_false (sw_cupti_collector_is_available ());
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "lacks cuptiActivityPopExternalCorrelationId");
  /* The next one may be better. */
  fake_cupti_use ();
  g_assert_true (sw_cupti_collector_is_available ());
}

/* Whatever this machine has: either both work, or there is an error that says why not. */
static void
test_real_library (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_available;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  g_unsetenv ("STRIDEWEAVE_CUPTI");
  memory = fixture_memory ();
  is_available = sw_cupti_collector_is_available ();
  collector = sw_cupti_collector_new (SW_COLLECTOR (memory), &error);
  if (collector != NULL)
    {
      g_assert_true (is_available);
      fixture_close (SW_COLLECTOR (collector));
      return;
    }
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  if (sw_cupti_library_get () != NULL)
    g_assert_nonnull (strstr (error->message, "CUPTI_ERROR_"));
  else
    g_assert_nonnull (strstr (error->message, "libcupti.so.13"));
}

static void
test_no_driver (void)
{
  fake.reset ();
  fake.set_result ("cuptiActivityPushExternalCorrelationId", 999);
  g_assert_false (sw_cupti_collector_is_available ());
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "cuptiActivityPushExternalCorrelationId");
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "CUPTI_ERROR_UNKNOWN (999)");
  fake.set_result ("cuptiActivityPushExternalCorrelationId", 4711);
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "no name for (4711)");
}

static void
test_failing_start (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;

  fake.reset ();
  fake.set_result ("cuptiActivityRegisterCallbacks", 7);
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "cuptiActivityRegisterCallbacks");
  fake.reset ();
  fake.set_result ("cuptiActivityEnable(10)", 35);
  assert_unmakeable (SW_ERROR_UNSUPPORTED, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)");
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_EXTERNAL_CORRELATION), ==, 0);
  fake.reset ();
  fake.set_result ("cuptiGetTimestamp", 999);
  assert_unmakeable (SW_ERROR_FAILED, "cuptiGetTimestamp");
  /* Nothing is left of all that. */
  fake.reset ();
  fake.set_result ("cuptiActivityEnable(17)", 35);
  collector = make (&memory);
  fixture_close (SW_COLLECTOR (collector));
}

static void
assert_flush_fails (SwCollector *collector,
                    const char *expected)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_collector_flush (collector, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, expected));
}

/* The context's own worker may just have met the same. */
static void
recover (SwCollector *collector)
{
  fake.reset ();
  sw_collector_flush (collector, NULL);
  fixture_flush (collector);
}

/* It is said, and what follows is recorded. */
static void
test_failing_calls (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  guint64 now;

  fake.reset ();
  now = fake.now ();
  collector = make (&memory);
  context = fixture_context (SW_COLLECTOR (collector), SW_TRACE_VERBOSITY_OPERATIONS);
  put_kernel ("kernel", 7, now, now + US, 0);
  fake.set_result ("cuptiActivityFlushAll", 999);
  assert_flush_fails (SW_COLLECTOR (collector), "cuptiActivityFlushAll");
  recover (SW_COLLECTOR (collector));
  fake.set_result ("cuptiGetTimestamp", 999);
  assert_flush_fails (SW_COLLECTOR (collector), "cuptiGetTimestamp");
  recover (SW_COLLECTOR (collector));
  /* Nothing was recorded so far, or nobody knows what was lost. */
  fake.set_result ("cuptiActivityFlushAll", 15);
  fixture_flush (SW_COLLECTOR (collector));
  fake.set_result ("cuptiActivityGetNumDroppedRecords", 999);
  fixture_flush (SW_COLLECTOR (collector));
  fake.reset ();
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, 1);
  put_kernel ("kernel", 7, now + 2 * US, now + 3 * US, 0);
  fixture_flush (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, 2);
  fixture_close (SW_COLLECTOR (collector));
}

static void
test_failing_switch (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  g_autoptr (GError) error = NULL;

  fake.reset ();
  collector = make (&memory);
  fake.set_result ("cuptiActivityEnable(1)", 999);
  context = fixture_context (SW_COLLECTOR (collector), SW_TRACE_VERBOSITY_OPERATIONS);
  g_assert_cmpint (fake.is_enabled (SW_CUPTI_KIND_CONCURRENT_KERNEL), ==, 1);
  g_assert_false (sw_collector_flush (SW_COLLECTOR (collector), &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "cuptiActivityEnable(1)"));
  fixture_flush (SW_COLLECTOR (collector));
  fixture_close (SW_COLLECTOR (collector));
}

/* A span of which CUPTI could not be told is an ordinary one. */
static void
test_failing_push (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  fake.reset ();
  collector = make (&memory);
  context = fixture_context (SW_COLLECTOR (collector), SW_TRACE_VERBOSITY_OPERATIONS);
  {
    SW_TRACE_SPAN_IN (context, "outer", "", SW_TRACE_VERBOSITY_OPERATIONS);

    fake.set_result ("cuptiActivityPushExternalCorrelationId", 999);
    {
      SW_TRACE_SPAN_IN (context, "inner", "", SW_TRACE_VERBOSITY_OPERATIONS);

      g_assert_cmpuint (fake.get_depth (), ==, 1);
    }
    g_assert_cmpuint (fake.get_depth (), ==, 1);
  }
  g_assert_cmpuint (fake.get_depth (), ==, 0);
  fixture_flush (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (memory)), ==, 2);
  fixture_close (SW_COLLECTOR (collector));
}

/* One at a time, with a target that takes events. */
static void
test_misuse (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (SwCuptiCollector) unmade = g_object_new (SW_TYPE_CUPTI_COLLECTOR, NULL);
  g_autoptr (SwCollector) target = NULL;
  g_autoptr (SwCompositeCollector) composite = NULL;
  g_autoptr (GError) error = NULL;

  fake.reset ();
  collector = make (&memory);
  target = sw_cupti_collector_dup_target (collector);
  g_assert_true (target == SW_COLLECTOR (memory));
  assert_unmakeable (SW_ERROR_STATE, "one at a time");
  {
    SwCollector *both[] = { SW_COLLECTOR (collector), SW_COLLECTOR (memory) };

    g_assert_null (sw_composite_collector_new (both, 2, &error));
    g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
    g_clear_error (&error);
    composite = sw_composite_collector_new (both, 1, NULL);
  }
  fixture_close (SW_COLLECTOR (composite));
  g_assert_true (sw_collector_get_is_closed (SW_COLLECTOR (memory)));
  g_assert_null (sw_cupti_collector_new (SW_COLLECTOR (memory), &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "closed"));

  /* What a script can make all the same does nothing. */
  g_assert_null (sw_cupti_collector_dup_target (unmade));
  {
    g_autoptr (SwTraceContext) context = fixture_context (SW_COLLECTOR (unmade), SW_TRACE_VERBOSITY_FULL);

    {
      SW_TRACE_SPAN_IN (context, "span", "", SW_TRACE_VERBOSITY_OPERATIONS);
    }
    fixture_close (SW_COLLECTOR (unmade));
  }
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (unmade)), ==, 1);
}

static void
put_kernels (void)
{
  guint64 now = fake.now () - 100 * US;

  for (guint64 i = 0; i < N_KERNELS; i++)
    put_kernel ("kernel", 7, now + 2 * i * US, now + (2 * i + 1) * US, 0);
}

typedef struct
{
  FakeNext next;
  const char *function; /* that fails; NULL: none */
  gsize valid_size;
  guint n_events;
  guint n_malformed;
} BadBuffer;

/* Whatever is in a buffer, only what is really there is looked at, and there is an end to it. */
static void
test_bad_buffers (void)
{
  static const BadBuffer bad_buffers[] = {
    { FAKE_NEXT_RIGHT, NULL, SIZE_MAX, N_KERNELS, 0 },
    { FAKE_NEXT_RIGHT, NULL, 0, 0, 0 },
    { FAKE_NEXT_RIGHT, NULL, 1, 0, 1 },
    { FAKE_NEXT_RIGHT, NULL, 7, 0, 1 },
    { FAKE_NEXT_RIGHT, NULL, sizeof (SwCuptiKernel) - 1, 0, 1 },
    { FAKE_NEXT_RIGHT, NULL, 216 + 3, 1, 1 },
    { FAKE_NEXT_RIGHT, NULL, 216 + sizeof (SwCuptiKernel) - 8, 1, 1 },
    { FAKE_NEXT_RIGHT, NULL, SIZE_MAX - 1, N_KERNELS, 0 }, /* more than the buffer has: cut to its size */
    { FAKE_NEXT_OUTSIDE, NULL, SIZE_MAX, 0, 1 },
    { FAKE_NEXT_SAME, NULL, SIZE_MAX, 1, 1 },
    { FAKE_NEXT_MISALIGNED, NULL, SIZE_MAX, 0, 1 },
    { FAKE_NEXT_RIGHT, "cuptiActivityGetNextRecord", SIZE_MAX, 0, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad_buffers); i++)
    {
      const BadBuffer *bad = &bad_buffers[i];
      g_autoptr (SwMemoryCollector) memory = NULL;
      g_autoptr (SwCuptiCollector) collector = NULL;

      fake.reset ();
      collector = make (&memory);
      put_kernels ();
      fake.set_next (bad->next);
      if (bad->function != NULL)
        fake.set_result (bad->function, 21);
      fake.complete (bad->valid_size);
      fixture_flush (SW_COLLECTOR (collector));
      g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, bad->n_events);
      g_assert_cmpuint (sw_cupti_collector_get_malformed_count (collector), ==, bad->n_malformed);
      g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (collector)), ==, bad->n_malformed);
      g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (memory)), ==, bad->n_malformed);
      fixture_close (SW_COLLECTOR (collector));
    }
}

/* Every byte of a buffer made up, many times. */
static void
test_garbage (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);

  fake.reset ();
  collector = make (&memory);
  for (guint i = 0; i < 2000; i++)
    {
      static const guint32 kinds[] = { 1, 2, 17, 22, 39 };
      guint32 record[32];

      for (guint j = 0; j < G_N_ELEMENTS (record); j++)
        record[j] = g_rand_int (rand);
      /* A kernel's name is an address that CUPTI vouches for. */
      if (record[0] == SW_CUPTI_KIND_KERNEL || record[0] == SW_CUPTI_KIND_CONCURRENT_KERNEL || i % 2 == 0)
        record[0] = kinds[i / 2 % G_N_ELEMENTS (kinds)];
      fake.put (record, 8 + (gsize) g_rand_int_range (rand, 0, 120));
    }
  fixture_flush (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_untimed_count (collector), >, 100);
  g_assert_cmpuint (sw_cupti_collector_get_unknown_count (collector), >, 100);
  fixture_close (SW_COLLECTOR (collector));
}

static void
test_unknown_kinds (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  const guint32 runtime_call[10] = { 5 };
  const guint32 newer[2] = { 12345 };

  fake.reset ();
  collector = make (&memory);
  put_kernels ();
  fake.put (runtime_call, sizeof runtime_call);
  fake.put (newer, sizeof newer);
  put_kernels ();
  fixture_flush (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, 2 * N_KERNELS);
  g_assert_cmpuint (sw_cupti_collector_get_unknown_count (collector), ==, 2);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (collector)), ==, 0);
  fixture_close (SW_COLLECTOR (collector));
}

static void
test_untimed (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  guint64 now;

  fake.reset ();
  now = fake.now ();
  collector = make (&memory);
  put_kernel ("not done", 7, 0, 0, 0);
  put_kernel ("running", 7, now, 0, 0);
  put_kernel ("backward", 7, now, now - 1, 0);
  put_kernel ("never", 7, now, G_MAXUINT64, 0);
  put_kernel ("to come", 7, now + 3600 * G_GUINT64_CONSTANT (1000000000), now + 3601 * G_GUINT64_CONSTANT (1000000000), 0);
  put_kernel ("long ago", 7, 1, now, 0);
  put_kernel ("point", 7, now, now, 0);
  fixture_flush (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, 1);
  g_assert_cmpuint (sw_cupti_collector_get_untimed_count (collector), ==, 6);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (memory)), ==, 6);
  fixture_close (SW_COLLECTOR (collector));
}

/* The wall clock is set back by an hour in between. */
static void
test_clock_set (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (GPtrArray) events = NULL;
  const gint64 hour = 3600 * G_GINT64_CONSTANT (1000000000);
  gint64 before;
  gint64 after;
  guint64 now;

  fake.reset ();
  collector = make (&memory);
  now = fake.now ();
  put_kernel ("before", 7, now, now + US, 0);
  fake.set_offset (G_GINT64_CONSTANT (1700000000000000000) - hour);
  now = fake.now ();
  put_kernel ("after", 7, now, now + US, 0);
  fixture_flush (SW_COLLECTOR (collector));
  events = sw_memory_collector_dup_events (memory);
  before = sw_trace_event_get_start_ns (fixture_find (events, "before"));
  after = sw_trace_event_get_start_ns (fixture_find (events, "after"));
  g_assert_cmpint (ABS (after - before), <, 5 * G_GINT64_CONSTANT (1000000000));
  fixture_close (SW_COLLECTOR (collector));
}

static void
test_drops (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;

  fake.reset ();
  collector = make (&memory);
  put_kernels ();
  fake.set_dropped (5);
  fixture_flush (SW_COLLECTOR (collector));
  fixture_flush (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_dropped_count (collector), ==, 5);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (collector)), ==, 5);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (memory)), ==, 5);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (memory)), ==, N_KERNELS);
  fixture_close (SW_COLLECTOR (collector));
}

/* Nobody reads: there are so many buffers, and then CUPTI is told that there is none. */
static void
test_bounded (void)
{
  guint8 *lent[SW_CUPTI_N_BUFFERS + 1];
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  gsize max_records;
  gsize size;

  fake.reset ();
  collector = make (&memory);
  for (guint i = 0; i <= SW_CUPTI_N_BUFFERS; i++)
    {
      max_records = 1;
      sw_cupti_buffers_request (&lent[i], &size, &max_records);
      g_assert_cmpuint (max_records, ==, 0);
      if (i < SW_CUPTI_N_BUFFERS)
        g_assert_true (lent[i] != NULL && (gsize) lent[i] % SW_CUPTI_ALIGNMENT == 0 && size == SW_CUPTI_BUFFER_BYTES);
    }
  g_assert_null (lent[SW_CUPTI_N_BUFFERS]);
  g_assert_cmpuint (size, ==, 0);
  /* Not even the fake gets one. */
  put_kernels ();
  for (guint i = 0; i < SW_CUPTI_N_BUFFERS; i++)
    sw_cupti_buffers_complete (NULL, 0, lent[i], size, 0);
  fixture_flush (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_dropped_count (collector), ==, N_KERNELS);
  put_kernels ();
  fixture_close (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, N_KERNELS);
}

static gpointer
complete (gpointer data)
{
  fake.complete (SIZE_MAX);
  return NULL;
}

/* CUPTI goes on calling for as long as it likes. */
static void
test_late (void)
{
  guint8 foreign[64] = { 0 };
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (SwCuptiCollector) next = NULL;
  g_autoptr (SwMemoryCollector) next_memory = NULL;

  fake.reset ();
  collector = make (&memory);
  put_kernels ();
  fixture_close (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, N_KERNELS);
  g_assert_cmpuint (sw_cupti_collector_get_late_count (collector), ==, 0);
  put_kernels ();
  g_thread_join (g_thread_new ("late", complete, NULL));
  fake.complete_foreign (foreign, sizeof foreign);
  fake.complete_foreign (NULL, 0);
  g_assert_cmpuint (sw_cupti_collector_get_late_count (collector), ==, N_KERNELS);
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, N_KERNELS);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (memory)), ==, N_KERNELS);

  /* What is still on its way when there is another collector gets there. */
  put_kernels ();
  next = make (&next_memory);
  g_thread_join (g_thread_new ("late", complete, NULL));
  fixture_close (SW_COLLECTOR (next));
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (next_memory)), ==, N_KERNELS);
}

/* In the child there is no CUPTI, whatever it still does. */
static void
test_fork (void)
{
  g_autoptr (SwMemoryCollector) memory = NULL;
  g_autoptr (SwCuptiCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  int status = -1;
  pid_t child;

  fake.reset ();
  collector = make (&memory);
  context = fixture_context (SW_COLLECTOR (collector), SW_TRACE_VERBOSITY_OPERATIONS);
  put_kernels ();
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_fine = !sw_cupti_collector_is_available () && sw_collector_flush (SW_COLLECTOR (collector), NULL) &&
                         sw_collector_close (SW_COLLECTOR (collector), NULL) &&
                         sw_cupti_collector_get_gpu_event_count (collector) == 0;
      g_autoptr (SwMemoryCollector) other = fixture_memory ();
      g_autoptr (SwCuptiCollector) inherited = sw_cupti_collector_new (SW_COLLECTOR (other), &error);

      is_fine = is_fine && inherited == NULL && strstr (error->message, "child") != NULL;
      _exit (is_fine ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  fixture_close (SW_COLLECTOR (collector));
  g_assert_cmpuint (sw_cupti_collector_get_gpu_event_count (collector), ==, N_KERNELS);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cupti-failures/no-library", test_no_library);
  g_test_add_func ("/cupti-failures/real-library", test_real_library);
  if (!g_test_subprocess ())
    fake_cupti_use ();
  g_test_add_func ("/cupti-failures/no-driver", test_no_driver);
  g_test_add_func ("/cupti-failures/failing-start", test_failing_start);
  g_test_add_func ("/cupti-failures/failing-calls", test_failing_calls);
  g_test_add_func ("/cupti-failures/failing-switch", test_failing_switch);
  g_test_add_func ("/cupti-failures/failing-push", test_failing_push);
  g_test_add_func ("/cupti-failures/misuse", test_misuse);
  g_test_add_func ("/cupti-failures/bad-buffers", test_bad_buffers);
  g_test_add_func ("/cupti-failures/garbage", test_garbage);
  g_test_add_func ("/cupti-failures/unknown-kinds", test_unknown_kinds);
  g_test_add_func ("/cupti-failures/untimed", test_untimed);
  g_test_add_func ("/cupti-failures/clock-set", test_clock_set);
  g_test_add_func ("/cupti-failures/drops", test_drops);
  g_test_add_func ("/cupti-failures/bounded", test_bounded);
  g_test_add_func ("/cupti-failures/late", test_late);
  g_test_add_func ("/cupti-failures/fork", test_fork);
  return g_test_run ();
}
