/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-pool-private.h"

#include <pthread.h>
#include <stdio.h>

#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-quiet-thread-private.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/operations/sw-kernel-choice-private.h"

/* What a call leaves for the pool's threads; it lies on the stack of the call. */
typedef struct
{
  SwCpuTask task;
  gpointer data;
  gint64 n_pieces;
  gint64 next;         /* atomic: the first piece that nobody has taken */
  guint32 is_any_bad;  /* atomic */
  guint n_lanes_taken; /* the rest is under the pool's lock */
  guint n_lanes;
  gboolean is_long;
  guint32 n_inside; /* atomic: threads of the pool that may touch this; changed with the lock */
} Job;

/* A forked child begins with this again, since it has none of the threads. */
static struct
{
  pthread_mutex_t turn; /* held while a call uses the pool */
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t has_work;
  pthread_cond_t is_done;
  Job *job;
  guint n_threads;
  guint32 n_jobs;  /* atomic: how many there have been */
  gint64 last_end; /* when the last call has ended; of who has the turn, as is what follows */
  gint64 call_ns;  /* how long it took of late to call threads that slept: some microseconds, and tens on virtual machines */
} pool = {
  PTHREAD_MUTEX_INITIALIZER,
  PTHREAD_MUTEX_INITIALIZER,
  PTHREAD_COND_INITIALIZER,
  PTHREAD_COND_INITIALIZER,
  .call_ns = 10000,
};

static _Thread_local gboolean is_inside;

/* Operations often follow one another at once, and to put a thread to sleep and to wake it up takes longer than many of them. So who
 * waits looks for so long by itself. */
#define WATCH_NS (30 * G_GINT64_CONSTANT (1000))
/* Between two readings of the clock. */
#define WATCH_TURNS 32
/* Where threads sleep, what is left to do must take so many times as long as to call them. That is not believed to take longer than
 * MAX_CALL_NS, for which the caller must have lost its processor meanwhile. */
#define MIN_WORK_FACTOR 4
#define MAX_CALL_NS (50 * G_GINT64_CONSTANT (1000))

static inline void
relax (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#endif
}

/* Until @number is @value, or no longer is, but not for long. */
static void
watch (const guint32 *number,
       guint32 value,
       gboolean is_wanted)
{
  gint64 end = sw_clock_monotonic_ns () + WATCH_NS;

  do
    {
      for (guint i = 0; i < WATCH_TURNS; i++)
        {
          /* Relaxed: a hint; what it is about is read with the lock. */
          if ((__atomic_load_n (number, __ATOMIC_RELAXED) == value) == is_wanted)
            return;
          relax ();
        }
    }
  while (sw_clock_monotonic_ns () < end);
}

static void
take_pieces (Job *job,
             guint lane,
             gint64 n_most)
{
  gboolean is_bad = FALSE;
  gint64 piece;

  /* Relaxed: only who takes a piece matters; the lock orders what pieces read and write. */
  for (gint64 i = 0; i < n_most && (piece = __atomic_fetch_add (&job->next, 1, __ATOMIC_RELAXED)) < job->n_pieces; i++)
    is_bad |= job->task (job->data, piece, lane);
  /* Relaxed: read after the lock was taken once more. */
  if (is_bad)
    __atomic_store_n (&job->is_any_bad, TRUE, __ATOMIC_RELAXED);
}

static gboolean
has_free_lane (void)
{
  return pool.job != NULL && pool.job->n_lanes_taken < pool.job->n_lanes;
}

/* With the lock, which is given back meanwhile. */
static void
wait_for_lane (void)
{
  guint32 n_jobs;

  if (has_free_lane ())
    return;

  /* Relaxed: a hint. */
  n_jobs = __atomic_load_n (&pool.n_jobs, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&pool.lock);
  watch (&pool.n_jobs, n_jobs, FALSE);
  pthread_mutex_lock (&pool.lock);
  while (!has_free_lane ())
    pthread_cond_wait (&pool.has_work, &pool.lock);
}

static void *
run_thread (void *number)
{
  char name[16];

  snprintf (name, sizeof name, "sw-cpu-%u", (guint) (gsize) number);
  pthread_setname_np (pthread_self (), name);
  is_inside = TRUE;

  pthread_mutex_lock (&pool.lock);
  for (;;)
    {
      Job *job;
      guint lane;

      wait_for_lane ();
      job = pool.job;
      lane = job->n_lanes_taken++;
      /* Relaxed, as below: the lock orders what this is about. */
      __atomic_fetch_add (&job->n_inside, 1, __ATOMIC_RELAXED);
      pthread_mutex_unlock (&pool.lock);

      take_pieces (job, lane, job->n_pieces);

      pthread_mutex_lock (&pool.lock);
      /* Relaxed: as above. */
      if (__atomic_sub_fetch (&job->n_inside, 1, __ATOMIC_RELAXED) == 0)
        pthread_cond_signal (&pool.is_done);
    }
  return NULL;
}

static void
forget_threads (void)
{
  pthread_mutex_init (&pool.turn, NULL);
  pthread_mutex_init (&pool.lock, NULL);
  pthread_cond_init (&pool.has_work, NULL);
  pthread_cond_init (&pool.is_done, NULL);
  pool.job = NULL;
  pool.n_threads = 0;
}

static void
watch_forks (void)
{
  pthread_atfork (NULL, NULL, forget_threads);
}

/* With the lock. As many as the system gives. They sleep when there is nothing to do, take no signals and need no end: the
 * process does not wait for them. */
static void
start_threads (guint n_wanted)
{
  static pthread_once_t forks_are_watched = PTHREAD_ONCE_INIT;

  if (G_LIKELY (pool.n_threads >= n_wanted))
    return;

  pthread_once (&forks_are_watched, watch_forks);
  while (pool.n_threads < n_wanted &&
         sw_quiet_thread_start (NULL, 0, run_thread, (gpointer) (gsize) (pool.n_threads + 1)))
    pool.n_threads++;
}

/* The pool's threads look for work while calls follow one another. Else the first piece tells how long the others will take. */
static gboolean
is_worth_calling (Job *job,
                  gboolean are_awake)
{
  gint64 start;

  if (are_awake || job->is_long)
    return TRUE;
  start = sw_clock_monotonic_ns ();
  take_pieces (job, 0, 1);
  return (sw_clock_monotonic_ns () - start) * (job->n_pieces - 1) >= MIN_WORK_FACTOR * pool.call_ns;
}

static void
call_threads (Job *job)
{
  pthread_mutex_lock (&pool.lock);
  start_threads (job->n_lanes - 1);
  pool.job = job;
  pthread_mutex_unlock (&pool.lock);
  /* Relaxed: a hint for those that watch, who then take the lock, and so only now. */
  __atomic_fetch_add (&pool.n_jobs, 1, __ATOMIC_RELAXED);
  for (guint i = 1; i < job->n_lanes; i++)
    pthread_cond_signal (&pool.has_work);
}

/* Who has not woken up by now is not waited for. */
static void
wait_for_threads (Job *job)
{
  pthread_mutex_lock (&pool.lock);
  pool.job = NULL;
  pthread_mutex_unlock (&pool.lock);
  watch (&job->n_inside, 0, TRUE);
  pthread_mutex_lock (&pool.lock);
  /* Relaxed: changed with the lock. */
  while (__atomic_load_n (&job->n_inside, __ATOMIC_RELAXED) > 0)
    pthread_cond_wait (&pool.is_done, &pool.lock);
  pthread_mutex_unlock (&pool.lock);
}

static void
run_with_threads (Job *job)
{
  gint64 start = sw_clock_monotonic_ns ();
  gboolean are_awake = start - pool.last_end < WATCH_NS;

  is_inside = TRUE;
  if (is_worth_calling (job, are_awake))
    {
      start = sw_clock_monotonic_ns ();
      call_threads (job);
      if (!are_awake)
        pool.call_ns += (MIN (sw_clock_monotonic_ns () - start, MAX_CALL_NS) - pool.call_ns) / 4;
      take_pieces (job, 0, job->n_pieces);
      wait_for_threads (job);
    }
  else
    {
      take_pieces (job, 0, job->n_pieces);
    }
  is_inside = FALSE;
  pool.last_end = sw_clock_monotonic_ns ();
}

static void
tell (const Job *job,
      gboolean has_pool)
{
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (G_LIKELY (choice == NULL || job->n_pieces == 1))
    return;
  choice->n_pieces = job->n_pieces;
  choice->n_threads = has_pool ? job->n_lanes : 1;
  if (job->n_lanes == 1)
    sw_kernel_choice_reject (choice, "threads", "no more than one is allowed", -1);
  else if (!has_pool)
    sw_kernel_choice_reject (choice, "threads", "another operation has them", -1);
}

static gboolean
run (Job *job)
{
  if (job->n_lanes > 1 && !is_inside && pthread_mutex_trylock (&pool.turn) == 0)
    {
      tell (job, TRUE);
      run_with_threads (job);
      pthread_mutex_unlock (&pool.turn);
    }
  else
    {
      if (!is_inside)
        tell (job, FALSE);
      take_pieces (job, 0, job->n_pieces);
    }

  /* Relaxed: the lock was taken since others wrote it. */
  return __atomic_load_n (&job->is_any_bad, __ATOMIC_RELAXED);
}

gboolean
sw_cpu_pool_run (gint64 n_pieces,
                 guint n_lanes,
                 SwCpuTask task,
                 gpointer data)
{
  Job job = { task, data, n_pieces, .n_lanes_taken = 1, .n_lanes = (guint) MIN (n_lanes, n_pieces) };

  return run (&job);
}

gboolean
sw_cpu_pool_run_long (gint64 n_pieces,
                      guint n_lanes,
                      SwCpuTask task,
                      gpointer data)
{
  Job job = { task, data, n_pieces, .n_lanes_taken = 1, .n_lanes = (guint) MIN (n_lanes, n_pieces), .is_long = TRUE };

  return run (&job);
}

guint
sw_cpu_pool_get_n_lanes (void)
{
  return is_inside ? 1 : sw_cpu_get_n_threads ();
}
