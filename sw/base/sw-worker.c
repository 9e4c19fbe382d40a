/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-worker-private.h"

#include <errno.h>
#include <time.h>

#include "sw/base/sw-quiet-thread-private.h"

#define STACK_SIZE (512 * 1024)
#define LONGEST_SLEEP_SECONDS 1

void
sw_worker_init (SwWorker *self,
                const char *name,
                void (*work) (gpointer data),
                gpointer data)
{
  *self = (SwWorker){ .name = name, .work = work, .data = data };
  sem_init (&self->wake, 0, 0);
}

void
sw_worker_clear (SwWorker *self)
{
  sem_destroy (&self->wake);
}

void
sw_worker_wake (SwWorker *self)
{
  /* Acquire and release: what there is to do comes before, and the worker resets it before it looks. */
  if (__atomic_exchange_n (&self->is_awake, 1, __ATOMIC_ACQ_REL) == 0)
    sem_post (&self->wake);
}

static gboolean
is_stopping (SwWorker *self)
{
  /* Acquire: what was done before it was told to stop. */
  return __atomic_load_n (&self->stopping, __ATOMIC_ACQUIRE) != 0;
}

/* By the clock that nobody sets, where the system can: who sets the wall clock back by an hour would make it sleep for one. */
#if SW_HAVE_SEM_CLOCKWAIT
#define SLEEP_CLOCK CLOCK_MONOTONIC
#define wait_until(wake, until) sem_clockwait ((wake), CLOCK_MONOTONIC, (until))
#else
#define SLEEP_CLOCK CLOCK_REALTIME
#define wait_until(wake, until) sem_timedwait ((wake), (until))
#endif

static void
sleep_until_woken (SwWorker *self)
{
  struct timespec until;

  clock_gettime (SLEEP_CLOCK, &until);
  until.tv_sec += LONGEST_SLEEP_SECONDS;
  while (wait_until (&self->wake, &until) != 0 && errno == EINTR)
    ;
  /* Acquire and release: see sw_worker_wake (). */
  __atomic_exchange_n (&self->is_awake, 0, __ATOMIC_ACQ_REL);
}

static void *
run (void *data)
{
  SwWorker *self = data;

  pthread_setname_np (pthread_self (), self->name);
  while (!is_stopping (self))
    {
      sleep_until_woken (self);
      if (!is_stopping (self))
        self->work (self->data);
    }
  return NULL;
}

gboolean
sw_worker_start (SwWorker *self)
{
  if (self->is_running)
    return TRUE;
  /* Relaxed: there is no thread yet. */
  __atomic_store_n (&self->stopping, 0, __ATOMIC_RELAXED);
  self->is_running = sw_quiet_thread_start (&self->thread, STACK_SIZE, run, self);
  return self->is_running;
}

void
sw_worker_stop (SwWorker *self)
{
  if (!self->is_running)
    return;
  /* Release: see is_stopping (). */
  __atomic_store_n (&self->stopping, 1, __ATOMIC_RELEASE);
  sem_post (&self->wake);
  pthread_join (self->thread, NULL);
  self->is_running = FALSE;
}
