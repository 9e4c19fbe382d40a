/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-core-private.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* The thread that consumes what others record: when a queue is half full, when a frame or a thread has ended, and now and
 * then otherwise. Whoever wants results consumes by itself. */

#define STACK_SIZE (512 * 1024)
#define LONGEST_SLEEP_SECONDS 1

void
sw_zone_core_wake (SwZoneCore *self)
{
  /* Acquire and release: what is to be consumed comes before, and the worker resets it before it looks. */
  if (__atomic_exchange_n (&self->is_awake, 1, __ATOMIC_ACQ_REL) == 0)
    sem_post (&self->wake);
}

static void
sleep_until_woken (SwZoneCore *self)
{
  struct timespec until;

  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += LONGEST_SLEEP_SECONDS;
  while (sem_timedwait (&self->wake, &until) != 0 && errno == EINTR)
    ;
  /* Acquire and release: see sw_zone_core_wake (). */
  __atomic_exchange_n (&self->is_awake, 0, __ATOMIC_ACQ_REL);
}

static gboolean
is_stopping (SwZoneCore *self)
{
  gboolean stopping;

  pthread_mutex_lock (&self->lock);
  stopping = self->stopping;
  pthread_mutex_unlock (&self->lock);
  return stopping;
}

/* Once, and without a lock: whoever listens to messages may do anything. */
static void
tell_of_drops (SwZoneCore *self)
{
  if (self->told)
    return;
  self->told = TRUE;
  g_message ("A ZoneProfiler drops zones: more are recorded than its queues of %" G_GINT64_FORMAT
             " events hold, or zones nest deeper than %d; its diagnostics count them",
             self->desc.thread_event_capacity, SW_ZONE_MAX_DEPTH);
}

static void *
run (void *data)
{
  SwZoneCore *self = data;
  gboolean dropped;

  pthread_setname_np (pthread_self (), "sw-zones");
  while (!is_stopping (self))
    {
      sleep_until_woken (self);
      if (is_stopping (self))
        break;
      sw_zone_core_lock_consumer (self);
      sw_zone_core_drain (self);
      dropped = self->dropped;
      sw_zone_core_unlock_consumer (self);
      if (dropped)
        tell_of_drops (self);
    }
  return NULL;
}

void
sw_zone_core_start_worker (SwZoneCore *self)
{
  pthread_attr_t attributes;
  sigset_t all;
  sigset_t before;

  /* Signals are the program's own affair. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, STACK_SIZE);
  /* Where no thread can be had, queues fill up between the calls that consume; that is counted. */
  self->has_worker = pthread_create (&self->worker, &attributes, run, self) == 0;
  pthread_attr_destroy (&attributes);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

void
sw_zone_core_stop_worker (SwZoneCore *self)
{
  gboolean has_worker;

  pthread_mutex_lock (&self->lock);
  self->stopping = TRUE;
  has_worker = self->has_worker;
  self->has_worker = FALSE;
  pthread_mutex_unlock (&self->lock);
  if (!has_worker)
    return;
  sem_post (&self->wake);
  pthread_join (self->worker, NULL);
}
