/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-private.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-quiet-thread-private.h"

/* A signal ends the process in its own way, but only after a thread that waits for it has completed what is recorded: the
 * handler itself wakes that thread and does nothing else. The thread that got the signal waits meanwhile, so that the
 * program does not go on; but not for long, as it may be amid writing an event, or hold a lock, that completing waits for. */

#define WAIT_MS 250
#define LATE_MS 2000 /* who sends the signal again after this time wants the process to end at once */
#define STACK_SIZE (512 * 1024)

static const int watched[] = { SIGTERM, SIGINT, SIGHUP };

static sem_t wake;
static pid_t owner;          /* 0: nothing is watched */
static int received;         /* atomic; 0: none so far */
static gint64 received_at;   /* atomic, ns */
static pid_t holding_thread; /* atomic: completes already */

/* The signal does what it does to a program that knows nothing of it. Safe in a handler. */
static void
end_by (int number)
{
  const struct sigaction usual = { .sa_handler = SIG_DFL };
  sigset_t one;

  sigaction (number, &usual, NULL);
  sigemptyset (&one);
  sigaddset (&one, number);
  raise (number);
  pthread_sigmask (SIG_UNBLOCK, &one, NULL);
}

static gboolean
is_late (void)
{
  /* Relaxed: only the number counts. */
  gint64 since = __atomic_load_n (&received_at, __ATOMIC_RELAXED);
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return since != 0 && (gint64) now.tv_sec * 1000000000 + now.tv_nsec - since >= (gint64) LATE_MS * 1000000;
}

static void
keep_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  /* Relaxed: see is_late (). */
  __atomic_store_n (&received_at, (gint64) now.tv_sec * 1000000000 + now.tv_nsec, __ATOMIC_RELAXED);
}

static void
handle (int number)
{
  int saved_errno = errno;
  int none = 0;

  if (getpid () != owner)
    {
      /* Between fork and exec, and in a child that shares this one's memory. */
      end_by (number);
    }
  /* Acquire and release: one is the first. */
  else if (__atomic_compare_exchange_n (&received, &none, number, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    {
      keep_time ();
      sem_post (&wake);
    }
  else if (is_late ())
    {
      end_by (number);
    }
  /* Relaxed: this thread itself stored it, or it is another one's. */
  if (__atomic_load_n (&holding_thread, __ATOMIC_RELAXED) != gettid ())
    poll (NULL, 0, WAIT_MS);
  errno = saved_errno;
}

static void *
wait_for_signal (void *unused)
{
  pthread_setname_np (pthread_self (), "sw-finish");
  while (sem_wait (&wake) != 0)
    ;
  sw_activation_complete ();
  /* Acquire: see handle (). */
  end_by (__atomic_load_n (&received, __ATOMIC_ACQUIRE));
  return NULL;
}

static gboolean
is_usual (int number)
{
  struct sigaction action;

  return sigaction (number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

void
sw_activation_watch_signals (void)
{
  struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };

  if (owner == getpid ())
    return;
  sem_init (&wake, 0, 0);
  if (!sw_quiet_thread_start (NULL, STACK_SIZE, wait_for_signal, NULL))
    return;
  owner = getpid ();
  sigfillset (&action.sa_mask);
  for (gsize i = 0; i < G_N_ELEMENTS (watched); i++)
    if (is_usual (watched[i]))
      sigaction (watched[i], &action, NULL);
}

void
sw_activation_forget_signals (void)
{
  const struct sigaction usual = { .sa_handler = SIG_DFL };

  if (owner == 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (watched); i++)
    {
      struct sigaction action;

      if (sigaction (watched[i], NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == handle)
        sigaction (watched[i], &usual, NULL);
    }
  owner = 0;
  received = 0;
  received_at = 0;
  holding_thread = 0;
}

gboolean
sw_activation_is_ending (void)
{
  /* Acquire: see handle (). */
  return __atomic_load_n (&received, __ATOMIC_ACQUIRE) != 0;
}

void
sw_activation_hold_signals (gboolean hold)
{
  /* Relaxed: see handle (). */
  __atomic_store_n (&holding_thread, hold ? gettid () : 0, __ATOMIC_RELAXED);
}
