/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-pool-private.h"

#include <pthread.h>
#include <stdio.h>

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
  guint n_inside; /* threads of the pool that may touch this */
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
} pool = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };

static _Thread_local gboolean is_inside;

static void
take_pieces (Job *job,
             guint lane)
{
  gboolean is_bad = FALSE;
  gint64 piece;

  /* Relaxed: only who takes a piece matters; the lock orders what pieces read and write. */
  while ((piece = __atomic_fetch_add (&job->next, 1, __ATOMIC_RELAXED)) < job->n_pieces)
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

      while (!has_free_lane ())
        pthread_cond_wait (&pool.has_work, &pool.lock);
      job = pool.job;
      lane = job->n_lanes_taken++;
      job->n_inside++;
      pthread_mutex_unlock (&pool.lock);

      take_pieces (job, lane);

      pthread_mutex_lock (&pool.lock);
      if (--job->n_inside == 0)
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

static void
run_with_threads (Job *job)
{
  pthread_mutex_lock (&pool.lock);
  start_threads (job->n_lanes - 1);
  pool.job = job;
  for (guint i = 1; i < job->n_lanes; i++)
    pthread_cond_signal (&pool.has_work);
  pthread_mutex_unlock (&pool.lock);

  is_inside = TRUE;
  take_pieces (job, 0);
  is_inside = FALSE;

  /* Who has not woken up by now is not waited for. */
  pthread_mutex_lock (&pool.lock);
  pool.job = NULL;
  while (job->n_inside > 0)
    pthread_cond_wait (&pool.is_done, &pool.lock);
  pthread_mutex_unlock (&pool.lock);
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

gboolean
sw_cpu_pool_run (gint64 n_pieces,
                 guint n_lanes,
                 SwCpuTask task,
                 gpointer data)
{
  Job job = { task, data, n_pieces, .n_lanes_taken = 1, .n_lanes = (guint) MIN (n_lanes, n_pieces) };

  if (job.n_lanes > 1 && !is_inside && pthread_mutex_trylock (&pool.turn) == 0)
    {
      tell (&job, TRUE);
      run_with_threads (&job);
      pthread_mutex_unlock (&pool.turn);
    }
  else
    {
      if (!is_inside)
        tell (&job, FALSE);
      take_pieces (&job, 0);
    }

  /* Relaxed: the lock was taken since others wrote it. */
  return __atomic_load_n (&job.is_any_bad, __ATOMIC_RELAXED);
}

guint
sw_cpu_pool_get_n_lanes (void)
{
  return is_inside ? 1 : sw_cpu_get_n_threads ();
}
