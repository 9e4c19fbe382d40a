/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <strideweave.h>

#include "sw-profiler/zone/sw-zone-barrier-private.h"

#define N_THREADS 8
#define N_BUSY 2
#define N_SWITCHED 3
#define N_SPANS 2000
#define N_SWITCHES 60

typedef struct
{
  SwTraceContext *context;
  guint number;
  guint32 *stop; /* atomic; NULL: a fixed number of spans */
} Job;

static void
emit_pair (SwTraceContext *context)
{
  SW_TRACE_SPAN_IN (context, "outer", "thread", SW_TRACE_VERBOSITY_FULL);
  SW_TRACE_SPAN_IN (context, "inner", "thread", SW_TRACE_VERBOSITY_FULL, SW_TRACE_STRING ("text", "some text"));
}

static void *
run (void *data)
{
  Job *job = data;
  char name[32];

  snprintf (name, sizeof name, "worker %u", job->number);
  sw_trace_context_set_thread_name (name);
  for (guint i = 0; job->stop != NULL || i < N_SPANS; i++)
    {
      /* Relaxed: only to end. */
      if (job->stop != NULL && __atomic_load_n (job->stop, __ATOMIC_RELAXED) != 0)
        break;
      emit_pair (job->context);
    }
  return NULL;
}

static void
start (pthread_t *threads,
       guint n_threads,
       Job *jobs,
       SwTraceContext *context,
       guint32 *stop)
{
  for (guint i = 0; i < n_threads; i++)
    {
      jobs[i] = (Job){ context, i, stop };
      g_assert_cmpint (pthread_create (&threads[i], NULL, run, &jobs[i]), ==, 0);
    }
}

static void
join (pthread_t *threads,
      guint n_threads)
{
  for (guint i = 0; i < n_threads; i++)
    pthread_join (threads[i], NULL);
}

/* Each event is on its own thread's lane, and none is lost. */
static void
test_lanes (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (1 << 20, NULL);
  g_autoptr (GHashTable) names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GPtrArray) events = NULL;
  pthread_t threads[N_THREADS];
  Job jobs[N_THREADS];

  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  start (threads, N_THREADS, jobs, context, NULL);
  join (threads, N_THREADS);
  events = sw_memory_collector_dup_events (collector);
  g_assert_cmpuint (events->len, ==, N_THREADS * N_SPANS * 2);
  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);
      gpointer lane = GUINT_TO_POINTER ((guint) sw_trace_event_get_lane_id (event));

      g_assert_cmpuint (sw_trace_event_get_thread_id (event), !=, 0);
      g_assert_false (sw_trace_event_get_interrupted (event));
      if (!g_hash_table_contains (names, lane))
        g_hash_table_insert (names, lane, sw_trace_event_dup_thread_name (event));
    }
  g_assert_cmpuint (g_hash_table_size (names), ==, N_THREADS);
  sw_trace_context_set_collector (context, NULL);
}

/* However it is switched, each emitted event arrives once, and nothing is half. */
static void
test_switching (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (1 << 16, NULL);
  g_autoptr (GPtrArray) events = NULL;
  pthread_t threads[N_SWITCHED];
  Job jobs[N_SWITCHED];
  guint32 stop = 0;
  gint64 last_end = 0;

  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  start (threads, N_SWITCHED, jobs, context, &stop);
  for (guint i = 0; i < N_SWITCHES; i++)
    {
      sw_trace_context_set_enabled (context, i % 2);
      if (i % 8 == 0)
        sw_memory_collector_clear (collector);
      sched_yield ();
    }
  sw_trace_context_set_enabled (context, FALSE);
  events = sw_memory_collector_dup_events (collector);
  /* Relaxed: only to end. */
  __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
  join (threads, N_SWITCHED);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (collector)) +
                        sw_collector_get_dropped_count (SW_COLLECTOR (collector)),
                    ==, sw_trace_context_get_emitted_count (context));
  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);

      g_assert_cmpint (sw_trace_event_get_duration_ns (event), >=, 0);
      g_assert_cmpint (sw_trace_event_get_depth (event), <=, 1);
      last_end = MAX (last_end, sw_trace_event_get_start_ns (event));
    }
  sw_trace_context_set_collector (context, NULL);
}

/* As where the system has no barrier that one thread puts into all. */
static void
test_switching_without_barrier (void)
{
  guint32 before;

  sw_zone_barrier_prepare ();
  /* Relaxed: no thread records now. */
  before = __atomic_exchange_n (&sw_zone_barrier_is_missing, 1, __ATOMIC_RELAXED);
  test_switching ();
  /* Relaxed: all are joined. */
  __atomic_store_n (&sw_zone_barrier_is_missing, before, __ATOMIC_RELAXED);
}

/* A context may go while others still know it by its core. */
static void
test_contexts_come_and_go (void)
{
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (SwTraceContext) context = sw_trace_context_new ();
      g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (1 << 20, NULL);
      pthread_t thread;
      Job job = { context, i, NULL };

      sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
      g_assert_cmpint (pthread_create (&thread, NULL, run, &job), ==, 0);
      emit_pair (context);
      pthread_join (thread, NULL);
      g_assert_true (sw_collector_close (SW_COLLECTOR (collector), NULL));
      g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (collector)), ==, 2 * N_SPANS + 2);
    }
}

static void
test_file_under_load (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autofree char *folder = g_dir_make_tmp ("sw-trace-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace.pftrace", NULL);
  g_autoptr (SwFileCollector) collector = sw_file_collector_new (path, SW_TRACE_FORMAT_PERFETTO, NULL);
  pthread_t threads[N_BUSY];
  Job jobs[N_BUSY];
  guint32 stop = 0;

  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  start (threads, N_BUSY, jobs, context, &stop);
  for (guint i = 0; i < 2; i++)
    g_assert_true (sw_collector_flush (SW_COLLECTOR (collector), NULL));
  g_assert_true (sw_collector_close (SW_COLLECTOR (collector), NULL));
  /* Relaxed: only to end. */
  __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
  join (threads, N_BUSY);
  g_assert_cmpint (remove (path), ==, 0);
  g_assert_cmpint (remove (folder), ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/trace-threads/lanes", test_lanes);
  g_test_add_func ("/trace-threads/switching", test_switching);
  g_test_add_func ("/trace-threads/switching-without-barrier", test_switching_without_barrier);
  g_test_add_func ("/trace-threads/contexts-come-and-go", test_contexts_come_and_go);
  g_test_add_func ("/trace-threads/file-under-load", test_file_under_load);

  return g_test_run ();
}
