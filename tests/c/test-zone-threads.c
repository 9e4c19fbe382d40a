/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Zones of many threads, profilers that come and go, and switches that are thrown meanwhile. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "zone-profiler-fixture.h"

#define N_THREADS 8
#define N_NAMED 200

typedef struct
{
  SwZoneProfiler *profiler;
  guint number;
  guint64 token;
  gint *stop;
  guint64 n_begun;
} Work;

static gboolean
is_stopped (const gint *stop)
{
  return __atomic_load_n (stop, __ATOMIC_ACQUIRE) != 0;
}

static void
run_threads (guint n,
             Work *work,
             gpointer (*run) (gpointer))
{
  GThread *threads[N_NAMED];

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("zones-%u", i);

      threads[i] = g_thread_new (name, run, &work[i]);
    }
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
}

static gpointer
record_own_name (gpointer data)
{
  Work *work = data;
  g_autofree char *name = g_strdup_printf ("zones-%u", work->number);
  guint site = sw_profile_site_register ("test.c", 1, "test", name);

  g_assert_true (sw_zone_profiler_enter (work->profiler, NULL));
  for (guint i = 0; i < 5; i++)
    sw_profile_zone_end (sw_profile_zone_begin (site), NULL);
  g_assert_true (sw_zone_profiler_exit (work->profiler, NULL));
  return NULL;
}

/* Each thread is a timeline of its own, under its own name, and threads that ended are remembered. */
static void
test_each_its_own (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  Work work[N_NAMED];

  for (guint i = 0; i < N_NAMED; i++)
    work[i] = (Work){ profiler, i, 0, NULL, 0 };
  run_threads (N_NAMED, work, record_own_name);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, N_NAMED * 5);
  g_assert_cmpuint (trace->timelines->len, ==, N_NAMED);
  for (guint i = 0; i < trace->n; i++)
    {
      SwTimeline *timeline = g_ptr_array_index (trace->timelines, trace->zones[i].timeline);

      g_assert_cmpstr (sw_timeline_get_name (timeline), ==, trace->zones[i].name);
      g_assert_cmpuint (sw_timeline_get_thread_id (timeline), !=, 0);
    }
}

static gint n_told;

/* Counts what is said of open zones, and lets everything else through. */
static GLogWriterOutput
count_messages (GLogLevelFlags level,
                const GLogField *fields,
                gsize n_fields,
                gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0 && strstr (fields[i].value, "zones open") != NULL)
      {
        g_assert_nonnull (strstr (fields[i].value, "\"left open\" (test.c:2)"));
        __atomic_add_fetch (&n_told, 1, __ATOMIC_RELAXED);
        return G_LOG_WRITER_HANDLED;
      }
  return g_log_writer_default (level, fields, n_fields, data);
}

static gpointer
leave_open (gpointer data)
{
  Work *work = data;
  guint site = sw_profile_site_register ("test.c", 2, "test", "left open");

  g_assert_true (sw_zone_profiler_enter (work->profiler, NULL));
  for (guint i = 0; i < 3; i++)
    work->token = sw_profile_zone_begin (site);
  /* The thread keeps it entered, too. */
  return NULL;
}

static void
test_thread_ends_with_open_zones (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;
  Work work[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    work[i] = (Work){ profiler, i, 0, NULL, 0 };
  n_told = 0;
  run_threads (N_THREADS, work, leave_open);
  g_assert_cmpint (__atomic_load_n (&n_told, __ATOMIC_RELAXED), ==, N_THREADS);
  g_assert_false (sw_profile_zone_end (work[0].token, NULL));
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 3 * N_THREADS);
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_forced_end_count (counts), ==, 3 * N_THREADS);
}

static gpointer
end_foreign (gpointer data)
{
  Work *work = data;
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_profile_zone_end (work->token, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "thread that began it"));
  return NULL;
}

static void
test_wrong_thread (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  g_autoptr (TestTrace) trace = NULL;
  Work work = { profiler };

  work.token = sw_profile_zone_begin (sw_profile_site_register (NULL, 0, NULL, "mine"));
  run_threads (1, &work, end_foreign);
  g_assert_true (sw_profile_zone_end (work.token, NULL));
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  test_trace_find (trace, "mine");
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_misplaced_end_count (counts), ==, 1);
}

static void
recurse (guint32 *random,
         guint depth,
         guint64 *n)
{
  SW_PROFILE_ZONE ("random");

  (*n)++;
  *random = *random * 1664525 + 1013904223;
  for (guint i = 0; i < (*random >> 30) && depth < 6; i++)
    recurse (random, depth + 1, n);
}

static gpointer
record_randomly (gpointer data)
{
  Work *work = data;
  guint32 random = work->number * 77 + 1;

  g_assert_true (sw_zone_profiler_enter (work->profiler, NULL));
  while (!is_stopped (work->stop))
    {
      recurse (&random, 0, &work->n_begun);
      if ((random & 0x700) == 0)
        sched_yield ();
    }
  g_assert_true (sw_zone_profiler_exit (work->profiler, NULL));
  return NULL;
}

/* Scopes nest, and the profiler is switched, captured and asked all the while: no zone loses its parent, or its count. */
static void
test_switched_at_random (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (256);
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  Work work[N_THREADS];
  GThread *threads[N_THREADS];
  gint stop = 0;

  for (guint i = 0; i < N_THREADS; i++)
    {
      work[i] = (Work){ profiler, i, 0, &stop, 0 };
      threads[i] = g_thread_new ("random", record_randomly, &work[i]);
    }
  for (guint i = 0; i < 60; i++)
    {
      g_autoptr (SwCaptureDesc) desc = sw_capture_desc_new ();
      g_autoptr (TestTrace) trace = NULL;
      g_autoptr (TestTrace) live = NULL;

      desc->max_memory_bytes = i % 3 == 0 ? 200000 : 20000000;
      g_assert_true (sw_zone_profiler_start_capture (profiler, desc, NULL));
      for (guint j = 0; j < 20; j++)
        {
          sw_zone_profiler_set_enabled (profiler, j % 2 == 0);
          sw_zone_profiler_flush (profiler);
        }
      sw_zone_profiler_set_enabled (profiler, TRUE);
      trace = test_trace_new (test_zone_profiler_stop (profiler));
      live = test_trace_new (sw_zone_profiler_live_snapshot (profiler));
    }
  __atomic_store_n (&stop, 1, __ATOMIC_RELEASE);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);

  counts = sw_zone_profiler_dup_diagnostics (profiler);
  test_assert_counts (counts);
  g_assert_cmpuint (sw_profiler_diagnostics_get_misplaced_end_count (counts), ==, 0);
  g_assert_cmpuint (sw_profiler_diagnostics_get_forced_end_count (counts), ==, 0);
  g_assert_cmpuint (sw_profiler_diagnostics_get_hierarchy_loss_count (counts), ==, 0);
}

/* What threads begin is either recorded or counted as dropped. */
static void
test_exact_counts (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (64);
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  Work work[N_THREADS];
  GThread *threads[N_THREADS];
  guint64 n = 0;
  gint stop = 0;

  for (guint i = 0; i < N_THREADS; i++)
    {
      work[i] = (Work){ profiler, i, 0, &stop, 0 };
      threads[i] = g_thread_new ("counted", record_randomly, &work[i]);
    }
  do
    {
      g_clear_pointer (&counts, sw_profiler_diagnostics_unref);
      counts = sw_zone_profiler_dup_diagnostics (profiler);
    }
  while (sw_profiler_diagnostics_get_emitted_count (counts) < 200000 ||
         sw_profiler_diagnostics_get_queue_full_count (counts) == 0);
  __atomic_store_n (&stop, 1, __ATOMIC_RELEASE);
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_thread_join (threads[i]);
      n += work[i].n_begun;
    }
  g_clear_pointer (&counts, sw_profiler_diagnostics_unref);
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  test_assert_counts (counts);
  g_assert_cmpuint (sw_profiler_diagnostics_get_emitted_count (counts), ==, n);
}

static gpointer
borrow_profiler (gpointer data)
{
  Work *work = data;
  guint site = sw_profile_site_register (NULL, 0, NULL, "borrowed");

  /* The first profiler of a thread is its default, which holds no reference. */
  while (!is_stopped (work->stop))
    {
      SwZoneProfiler *profiler = test_zone_profiler_new (16);
      guint64 token = sw_profile_zone_begin (site);

      g_assert_cmpuint (token, !=, 0);
      if (work->n_begun++ % 2 == 0)
        {
          sw_profile_zone_end (token, NULL);
          g_object_unref (profiler);
        }
      else
        {
          g_object_unref (profiler);
          sw_profile_zone_end (token, NULL);
        }
      g_assert_false (sw_profile_is_recording ());
    }
  return NULL;
}

static void
test_profilers_come_and_go (void)
{
  Work work[4];
  GThread *threads[4];
  gint stop = 0;

  for (guint i = 0; i < 4; i++)
    {
      work[i] = (Work){ NULL, i, 0, &stop, 0 };
      threads[i] = g_thread_new ("come-and-go", borrow_profiler, &work[i]);
    }
  for (guint i = 0; i < 200; i++)
    g_object_unref (test_zone_profiler_new (64));
  __atomic_store_n (&stop, 1, __ATOMIC_RELEASE);
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
}

static gpointer
make_default (gpointer data)
{
  Work *work = data;
  SwZoneProfiler *profiler = test_zone_profiler_new (64);

  /* Given away: another thread destroys it, while this one records into it. */
  __atomic_store_n (&work->profiler, profiler, __ATOMIC_RELEASE);
  do
    {
      SW_PROFILE_ZONE ("into what is destroyed");
    }
  while (!is_stopped (work->stop));
  g_assert_false (sw_profile_is_recording ());
  g_object_unref (test_zone_profiler_new (64));
  return NULL;
}

static void
test_destroyed_while_others_produce (void)
{
  for (guint i = 0; i < 30; i++)
    {
      gint stop = 0;
      Work work = { NULL, 0, 0, &stop, 0 };
      GThread *thread = g_thread_new ("producer", make_default, &work);
      SwZoneProfiler *profiler;

      while ((profiler = __atomic_load_n (&work.profiler, __ATOMIC_ACQUIRE)) == NULL)
        sched_yield ();
      sw_zone_profiler_flush (profiler);
      g_object_unref (profiler);
      __atomic_store_n (&stop, 1, __ATOMIC_RELEASE);
      g_thread_join (thread);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_writer_func (count_messages, NULL, NULL);
  g_test_add_func ("/zone-threads/each-its-own", test_each_its_own);
  g_test_add_func ("/zone-threads/thread-ends-with-open-zones", test_thread_ends_with_open_zones);
  g_test_add_func ("/zone-threads/wrong-thread", test_wrong_thread);
  g_test_add_func ("/zone-threads/switched-at-random", test_switched_at_random);
  g_test_add_func ("/zone-threads/exact-counts", test_exact_counts);
  g_test_add_func ("/zone-threads/profilers-come-and-go", test_profilers_come_and_go);
  g_test_add_func ("/zone-threads/destroyed-while-others-produce", test_destroyed_while_others_produce);
  return g_test_run ();
}
