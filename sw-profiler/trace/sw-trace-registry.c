/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-registry-private.h"

#include <stdlib.h>

#include "sw-profiler/trace/sw-delivery-private.h"
#include "sw/base/sw-thread-private.h"

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static SwTraceCore *cores;

static void
lock_all (void)
{
  pthread_mutex_lock (&registry_lock);
  for (SwTraceCore *core = cores; core != NULL; core = core->next)
    sw_trace_core_lock (core);
}

static void
unlock_all (void)
{
  for (SwTraceCore *core = cores; core != NULL; core = core->next)
    sw_trace_core_unlock (core);
  pthread_mutex_unlock (&registry_lock);
}

/* Nobody waits for a turn here: whoever has it may be in foreign code, which may need what the forking thread holds. What
 * the child inherits of it is left alone for good. */
static void
start_child (void)
{
  sw_trace_thread_forget ();
  sw_delivery_forget_in_child ();
  for (SwTraceCore *core = cores; core != NULL; core = core->next)
    sw_trace_core_reset_in_child (core);
  unlock_all ();
}

static void
drain_at_exit (void)
{
  g_autoptr (GPtrArray) all = sw_trace_registry_dup_all ();

  for (guint i = 0; i < all->len; i++)
    {
      g_autoptr (SwCollector) collector = sw_trace_core_dup_collector (g_ptr_array_index (all, i));
      g_autoptr (GError) error = NULL;

      if (collector != NULL && !sw_collector_close (collector, &error))
        g_warning ("The trace is not complete: %s", error->message);
    }
  sw_delivery_give_up_all ();
}

static void
watch_process (void)
{
  /* The gate's own handlers have to run inside ours, which use it. */
  sw_gate_watch_fork ();
  pthread_atfork (lock_all, unlock_all, start_child);
  atexit (drain_at_exit);
}

void
sw_trace_registry_watch_process (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, watch_process);
}

void
sw_trace_registry_add (SwTraceCore *core)
{
  sw_trace_registry_watch_process ();
  pthread_mutex_lock (&registry_lock);
  core->next = cores;
  cores = core;
  pthread_mutex_unlock (&registry_lock);
}

void
sw_trace_registry_remove (SwTraceCore *core)
{
  pthread_mutex_lock (&registry_lock);
  for (SwTraceCore **link = &cores; *link != NULL; link = &(*link)->next)
    if (*link == core)
      {
        *link = core->next;
        break;
      }
  pthread_mutex_unlock (&registry_lock);
}

void
sw_trace_registry_wake_all (void)
{
  pthread_mutex_lock (&registry_lock);
  for (SwTraceCore *core = cores; core != NULL; core = core->next)
    sw_trace_core_wake (core);
  pthread_mutex_unlock (&registry_lock);
}

GPtrArray *
sw_trace_registry_dup_all (void)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_trace_core_unref);

  pthread_mutex_lock (&registry_lock);
  for (SwTraceCore *core = cores; core != NULL; core = core->next)
    g_ptr_array_add (all, sw_trace_core_ref (core));
  pthread_mutex_unlock (&registry_lock);
  return all;
}
