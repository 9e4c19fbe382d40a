/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-thread-private.h"

#include <pthread.h>

guint sw_gate = 0;
_Thread_local SwThread sw_thread;

static guint n_active[SW_N_RECORDERS];
static void (*leave_functions[SW_N_RECORDERS]) (gpointer recorder);
/* Not GMutex: ThreadSanitizer cannot see into GLib. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;

static guint64 last_number;
static pthread_once_t fork_watch = PTHREAD_ONCE_INIT;
static guint n_forks;

guint64
sw_thread_get_number (void)
{
  static _Thread_local guint64 number;

  if (number == 0)
    /* Relaxed: only has to be unique. */
    number = __atomic_add_fetch (&last_number, 1, __ATOMIC_RELAXED);
  return number;
}

static void
lock_gate (void)
{
  pthread_mutex_lock (&gate_lock);
}

static void
unlock_gate (void)
{
  pthread_mutex_unlock (&gate_lock);
}

/* The child has one thread, which nobody races. */
static void
begin_child (void)
{
  n_forks++;
  unlock_gate ();
}

static void
watch_fork (void)
{
  pthread_atfork (lock_gate, unlock_gate, begin_child);
}

guint
sw_fork_get_count (void)
{
  return n_forks;
}

void
sw_gate_watch_fork (void)
{
  pthread_once (&fork_watch, watch_fork);
}

static void
leave_all (gpointer data)
{
  SwThread *thread = data;

  for (guint kind = 0; kind < SW_N_RECORDERS; kind++)
    {
      gpointer recorder = g_steal_pointer (&thread->recorders[kind]);

      if (recorder != NULL)
        {
          /* Relaxed: this thread itself stored the function before it set its recorder, and all store the same. */
          void (*leave) (gpointer recorder) = __atomic_load_n (&leave_functions[kind], __ATOMIC_RELAXED);

          leave (recorder);
        }
    }
}

static GPrivate exit_watch = G_PRIVATE_INIT (leave_all);

void
sw_gate_open (SwRecorderKind kind)
{
  sw_gate_watch_fork ();
  pthread_mutex_lock (&gate_lock);
  if (n_active[kind]++ == 0)
    /* Relaxed: the lock orders the writers, and readers need only their own thread's order. */
    __atomic_fetch_or (&sw_gate, 1u << kind, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&gate_lock);
}

void
sw_gate_close (SwRecorderKind kind)
{
  pthread_mutex_lock (&gate_lock);
  if (--n_active[kind] == 0)
    /* Relaxed: see sw_gate_open (). */
    __atomic_fetch_and (&sw_gate, ~(1u << kind), __ATOMIC_RELAXED);
  pthread_mutex_unlock (&gate_lock);
}

void
sw_gate_set_notes (guint level)
{
  guint wanted = 0;

  for (guint i = 1; i <= level; i++)
    wanted |= SW_GATE_NOTES (i);
  sw_gate_watch_fork ();
  pthread_mutex_lock (&gate_lock);
  /* Relaxed, both: see sw_gate_open (). */
  __atomic_fetch_and (&sw_gate, ~(SW_GATE_ALL_NOTES & ~wanted), __ATOMIC_RELAXED);
  __atomic_fetch_or (&sw_gate, wanted, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&gate_lock);
}

void
sw_gate_set_kernels (gboolean wanted)
{
  sw_gate_watch_fork ();
  pthread_mutex_lock (&gate_lock);
  /* Relaxed, both: see sw_gate_open (). */
  if (wanted)
    __atomic_fetch_or (&sw_gate, SW_GATE_KERNELS, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and (&sw_gate, ~SW_GATE_KERNELS, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&gate_lock);
}

void
sw_thread_watch_exit (SwRecorderKind kind,
                      void (*leave) (gpointer recorder))
{
  /* Relaxed: every caller of a kind stores the same function. */
  __atomic_store_n (&leave_functions[kind], leave, __ATOMIC_RELAXED);
  if (g_private_get (&exit_watch) == NULL)
    g_private_set (&exit_watch, &sw_thread);
}
