/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that end, profilers that go and captures that stop, all at the same time: whoever taps gets every zone, once. */
#include "config.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "zone-profiler-fixture.h"

#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"

#define N_ROUNDS 200
#define N_THREADS 3
#define N_ZONES 300

static guint64 n_begun;  /* atomic, all: zones that have a place */
static guint64 n_ended;  /* what the tap got */
static guint64 n_forced; /* of those: ended with their threads */
static guint64 n_open;

static void
count (guint64 *counter)
{
  /* So that whoever sees the number sees what was counted. */
  __atomic_add_fetch (counter, 1, __ATOMIC_ACQ_REL);
}

static guint64
get (const guint64 *counter)
{
  return __atomic_load_n (counter, __ATOMIC_ACQUIRE);
}

static void
take_zone (SwZoneProducer *producer,
           const SwZoneEvent *event)
{
  g_assert_cmpuint (event->end, >=, event->start);
  g_assert_cmpuint (sw_zone_time_to_ns (&producer->core->time, event->end), >, 0);
  g_assert_nonnull (producer->lane);
  count (&n_ended);
  if ((event->flags & SW_ZONE_EVENT_FORCED) != 0)
    count (&n_forced);
}

static void
take_frame (const char *name,
            guint64 begin,
            guint64 end)
{
}

static void
take_gpu_zone (SwLane *lane,
               guint32 site,
               gint32 depth,
               guint64 start_ns,
               guint64 duration_ns)
{
}

static void
take_open_zone (SwZoneProducer *producer,
                const SwZoneEvent *event)
{
  g_assert_nonnull (producer->lane);
  count (&n_open);
}

static const SwZoneTap tap = { take_zone, take_frame, take_gpu_zone, take_open_zone };

static void
start_counting (void)
{
  n_begun = n_ended = n_forced = n_open = 0;
  sw_zone_tap_forget_drops ();
  sw_zone_tap_set (&tap);
}

static SwOpenZone *
begin (void)
{
  static SwZoneSite site = { "test.c", "test", "counted", 1, 0 };
  SwOpenZone *zone = sw_zone_scope_begin_recorded (&site);

  if (zone != NULL)
    count (&n_begun);
  return zone;
}

static void
end (SwOpenZone *zone)
{
  if (zone != NULL)
    sw_zone_scope_end_recorded (zone);
}

/* A thread, and what its starter and it tell each other. */
typedef struct
{
  pthread_barrier_t ready;
  SwZoneProfiler *profiler; /* to be entered; NULL: the thread makes one of its own, its default */
  SwZoneProfiler *made;
  guint n_left_open; /* when the thread ends */
  GThread *thread;
} Worker;

static gpointer
work (gpointer data)
{
  Worker *self = data;

  if (self->profiler == NULL)
    self->made = test_zone_profiler_new (1024);
  else
    g_assert_true (sw_zone_profiler_enter (self->profiler, NULL));
  pthread_barrier_wait (&self->ready);
  for (guint i = 0; i < N_ZONES; i++)
    {
      SwOpenZone *zone = begin ();

      end (begin ());
      end (zone);
    }
  for (guint i = 0; i < self->n_left_open; i++)
    begin ();
  if (self->profiler != NULL && self->n_left_open == 0)
    g_assert_true (sw_zone_profiler_exit (self->profiler, NULL));
  return NULL;
}

static void
start (Worker *self,
       SwZoneProfiler *profiler,
       guint n_left_open)
{
  *self = (Worker){ .profiler = profiler, .n_left_open = n_left_open };
  pthread_barrier_init (&self->ready, NULL, 2);
  self->thread = g_thread_new ("ends", work, self);
}

static void
release (Worker *self)
{
  pthread_barrier_wait (&self->ready);
}

static void
join (Worker *self)
{
  g_thread_join (self->thread);
  pthread_barrier_destroy (&self->ready);
}

/* For about as long as a worker works, at most: each round meets it somewhere else. */
static void
spin (guint round)
{
  gint64 until = g_get_monotonic_time () + round * 7 % 50;

  while (g_get_monotonic_time () < until)
    ;
}

/* Each thread's default profiler goes, on another thread, while the thread is at its end. */
static void
run_defaults (guint round)
{
  Worker workers[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    start (&workers[i], NULL, round % 3);
  for (guint i = 0; i < N_THREADS; i++)
    release (&workers[i]);
  spin (round);
  for (guint i = 0; i < N_THREADS; i++)
    g_object_unref (workers[i].made);
  for (guint i = 0; i < N_THREADS; i++)
    join (&workers[i]);
}

/* Several threads are in one profiler, of which each has a reference, and whoever drops the last one closes it. */
static void
run_entered (guint round)
{
  SwZoneProfiler *profiler = test_zone_profiler_new (1024);
  Worker workers[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    start (&workers[i], profiler, (round + i) % 3);
  for (guint i = 0; i < N_THREADS; i++)
    release (&workers[i]);
  spin (round);
  g_object_unref (profiler);
  for (guint i = 0; i < N_THREADS; i++)
    join (&workers[i]);
}

static void
assert_all_are_there (void)
{
  sw_zone_tap_drain_all ();
  g_assert_cmpuint (get (&n_ended), ==, get (&n_begun));
  g_assert_cmpuint (get (&n_open), ==, 0);
}

static void
test_threads_end_while_profilers_go (void)
{
  start_counting ();
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      run_defaults (i);
      run_entered (i);
      assert_all_are_there ();
    }
  g_assert_cmpuint (get (&n_begun), >, 0);
  sw_zone_tap_finish ();
  g_assert_cmpuint (sw_zone_tap_count_drops (), ==, 0);
}

/* The queue is too small: what found no place is counted, also where its profiler and its thread go at the same time. */
static gpointer
work_in_little_room (gpointer data)
{
  Worker *self = data;

  self->made = test_zone_profiler_new (16);
  pthread_barrier_wait (&self->ready);
  for (guint i = 0; i < N_ZONES; i++)
    end (begin ());
  return NULL;
}

static void
test_drops_are_counted_once (void)
{
  guint64 n_dropped = 0;

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      Worker worker = { .profiler = NULL };

      start_counting ();
      pthread_barrier_init (&worker.ready, NULL, 2);
      worker.thread = g_thread_new ("ends", work_in_little_room, &worker);
      release (&worker);
      if (i % 2 == 0)
        join (&worker);
      else
        spin (i);
      g_object_unref (worker.made);
      if (i % 2 == 1)
        join (&worker);
      sw_zone_tap_finish ();
      g_assert_cmpuint (get (&n_ended), ==, get (&n_begun));
      /* What came after its profiler was neither recorded nor dropped. */
      if (i % 2 == 0)
        g_assert_cmpuint (get (&n_begun) + sw_zone_tap_count_drops (), ==, N_ZONES);
      else
        g_assert_cmpuint (get (&n_begun) + sw_zone_tap_count_drops (), <=, N_ZONES);
      n_dropped += sw_zone_tap_count_drops ();
    }
  g_assert_cmpuint (n_dropped, >, 0);
}

/* A capture stops while threads end: what is not in it is in the next one, or began in it and is not in that. */
static void
test_captures_stop_while_threads_end (void)
{
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
      g_autoptr (SwProfilerDiagnostics) counts = NULL;
      g_autoptr (TestTrace) first = NULL;
      g_autoptr (TestTrace) live = NULL;
      Worker workers[N_THREADS];

      n_begun = 0;
      for (guint i = 0; i < N_THREADS; i++)
        start (&workers[i], profiler, round % 3);
      for (guint i = 0; i < N_THREADS; i++)
        release (&workers[i]);
      spin (round);
      first = test_trace_new (test_zone_profiler_stop (profiler));
      for (guint i = 0; i < N_THREADS; i++)
        join (&workers[i]);
      g_assert_cmpuint (first->n, <=, get (&n_begun));
      counts = sw_zone_profiler_dup_diagnostics (profiler);
      test_assert_counts (counts);
      g_assert_cmpuint (sw_profiler_diagnostics_get_emitted_count (counts), ==, get (&n_begun));
      g_assert_cmpuint (sw_profiler_diagnostics_get_recorded_count (counts), ==, get (&n_begun));
      live = test_trace_new (sw_zone_profiler_live_snapshot (profiler));
      g_assert_cmpuint (live->n, ==, get (&n_begun));
    }
}

/* In a child, what its parent's threads were doing is nothing to it, and it has all of its own. */
static int
be_a_child (void)
{
  start_counting ();
  run_defaults (2);
  run_entered (1);
  sw_zone_tap_drain_all ();
  return get (&n_ended) == get (&n_begun) && get (&n_begun) > 0 ? 0 : 1;
}

/* What of GLib's a thread of the parent has locked at the fork stays locked in the child: its small memory before 2.76 (with
 * G_SLICE=always-malloc it has none), its messages, its weak references. No library can prevent that, and so a child may hang here, once in
 * some hundred runs. */
static void
test_forks_in_between (void)
{
  if (!g_test_thorough ())
    {
      g_test_skip ("GLib's own locks do not survive this each time; run it with -m thorough");
      return;
    }
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  /* One starts no threads after a fork; the other leaves a child whatever locks of its allocator other threads held. */
  g_test_skip ("the sanitizer itself does not survive this");
  return;
#endif
  start_counting ();
  for (guint round = 0; round < N_ROUNDS / 10; round++)
    {
      Worker workers[N_THREADS];
      int status;
      pid_t child;

      for (guint i = 0; i < N_THREADS; i++)
        start (&workers[i], NULL, 0);
      for (guint i = 0; i < N_THREADS; i++)
        release (&workers[i]);
      g_object_unref (workers[0].made);
      child = fork ();
      if (child == 0)
        _exit (be_a_child ());
      for (guint i = 1; i < N_THREADS; i++)
        g_object_unref (workers[i].made);
      for (guint i = 0; i < N_THREADS; i++)
        join (&workers[i]);
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
      assert_all_are_there ();
    }
  sw_zone_tap_finish ();
}

/* Its profiler goes while a zone is open, which ends later, or with the thread, or is open at the end. */
static void
test_zones_outlast_their_profiler (void)
{
  SwZoneProfiler *profiler = test_zone_profiler_new (64);
  SwOpenZone *outer;
  SwOpenZone *inner;

  start_counting ();
  outer = begin ();
  inner = begin ();
  g_object_unref (profiler);
  g_assert_cmpuint (get (&n_ended), ==, 0);
  end (inner);
  sw_zone_tap_drain_all ();
  g_assert_cmpuint (get (&n_ended), ==, 1);
  sw_zone_tap_drain_all ();
  g_assert_cmpuint (get (&n_ended), ==, 1);
  sw_zone_tap_finish ();
  g_assert_cmpuint (get (&n_open), ==, 1);
  g_assert_cmpuint (get (&n_ended), ==, 1);
  end (outer);
  g_assert_null (begin ());
  g_assert_cmpuint (get (&n_ended), ==, 1);
}

typedef struct
{
  gint stop;
  pthread_barrier_t ready;
} Busy;

static gpointer
be_busy (gpointer data)
{
  Busy *busy = data;

  pthread_barrier_wait (&busy->ready);
  while (__atomic_load_n (&busy->stop, __ATOMIC_RELAXED) == 0)
    {
      SwZoneProfiler *profiler = test_zone_profiler_new (64);
      SwOpenZone *zone = begin ();

      for (guint i = 0; i < 10; i++)
        end (begin ());
      g_object_unref (profiler);
      end (zone);
    }
  return NULL;
}

/* The end of recording meets threads in zones, and profilers that go: each zone is there once, as ended or as open. */
static void
test_finish_among_busy_threads (void)
{
  for (guint round = 0; round < 50; round++)
    {
      Busy busy = { 0 };
      GThread *threads[N_THREADS];
      guint64 before;
      guint64 after;

      start_counting ();
      pthread_barrier_init (&busy.ready, NULL, N_THREADS + 1);
      for (guint i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new ("busy", be_busy, &busy);
      pthread_barrier_wait (&busy.ready);
      spin (round);
      before = get (&n_begun);
      sw_zone_tap_finish ();
      after = get (&n_begun);
      g_assert_cmpuint (get (&n_ended) + get (&n_open), <=, after + N_THREADS);
      g_assert_cmpuint (get (&n_ended) + get (&n_open) + sw_zone_tap_count_drops (), >=, before);
      before = get (&n_ended) + get (&n_open);
      __atomic_store_n (&busy.stop, 1, __ATOMIC_RELAXED);
      for (guint i = 0; i < N_THREADS; i++)
        g_thread_join (threads[i]);
      sw_zone_tap_drain_all ();
      g_assert_cmpuint (get (&n_ended) + get (&n_open), ==, before);
      pthread_barrier_destroy (&busy.ready);
    }
}

/* Whoever reads messages of open zones at the ends of threads has read thousands. */
static GLogWriterOutput
say_nothing_of_open_zones (GLogLevelFlags level,
                           const GLogField *fields,
                           gsize n_fields,
                           gpointer data)
{
  return level == G_LOG_LEVEL_MESSAGE ? G_LOG_WRITER_HANDLED : g_log_writer_default (level, fields, n_fields, data);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_writer_func (say_nothing_of_open_zones, NULL, NULL);
  g_test_add_func ("/zone-ends/threads-end-while-profilers-go", test_threads_end_while_profilers_go);
  g_test_add_func ("/zone-ends/drops-are-counted-once", test_drops_are_counted_once);
  g_test_add_func ("/zone-ends/captures-stop-while-threads-end", test_captures_stop_while_threads_end);
  g_test_add_func ("/zone-ends/forks-in-between", test_forks_in_between);
  g_test_add_func ("/zone-ends/zones-outlast-their-profiler", test_zones_outlast_their_profiler);
  g_test_add_func ("/zone-ends/finish-among-busy-threads", test_finish_among_busy_threads);
  return g_test_run ();
}
