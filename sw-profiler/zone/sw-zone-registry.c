/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-registry-private.h"

#include "sw-profiler/zone/sw-zone-thread-private.h"

guint sw_zone_gate = 0;

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static SwZoneCore *cores;
static guint64 last_number;
static guint n_enabled;

static void
lock_all (void)
{
  pthread_mutex_lock (&registry_lock);
  for (SwZoneCore *core = cores; core != NULL; core = core->next)
    {
      sw_zone_core_lock_consumer (core);
      pthread_mutex_lock (&core->lock);
    }
}

static void
unlock_all (void)
{
  for (SwZoneCore *core = cores; core != NULL; core = core->next)
    {
      pthread_mutex_unlock (&core->lock);
      sw_zone_core_unlock_consumer (core);
    }
  pthread_mutex_unlock (&registry_lock);
}

/* Of which there are the producers of some threads left. */
static void
forget_closed (SwZoneCore *core)
{
  /* Theirs may be the last ones. */
  sw_zone_core_ref (core);
  sw_zone_core_disinherit_producers (core);
  pthread_mutex_unlock (&core->lock);
  sw_zone_core_unlock_consumer (core);
  sw_zone_core_unref (core);
}

/* The child has one thread, and starts with nothing recorded. What its parent recorded stays there. */
static void
start_child (void)
{
  sw_zone_thread_forget ();
  sw_gpu_queue_forget_devices ();
  for (SwZoneCore **link = &cores; *link != NULL;)
    {
      SwZoneCore *core = *link;

      if (sw_zone_core_is_closed (core))
        {
          *link = core->next;
          forget_closed (core);
        }
      else
        {
          sw_zone_core_reset_in_child (core);
          link = &core->next;
        }
    }
  unlock_all ();
}

static void
watch_forks (void)
{
  /* The gate's own handlers have to run inside ours, which use it. */
  sw_gate_watch_fork ();
  pthread_atfork (lock_all, unlock_all, start_child);
}

void
sw_zone_registry_watch_process (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, watch_forks);
}

void
sw_zone_registry_add (SwZoneCore *core)
{
  sw_zone_registry_watch_process ();
  pthread_mutex_lock (&registry_lock);
  core->number = ++last_number;
  core->next = cores;
  cores = core;
  pthread_mutex_unlock (&registry_lock);
}

void
sw_zone_registry_retire (SwZoneCore *core)
{
  pthread_mutex_lock (&registry_lock);
  core->is_retired = TRUE;
  pthread_mutex_unlock (&registry_lock);
}

void
sw_zone_registry_remove (SwZoneCore *core)
{
  pthread_mutex_lock (&registry_lock);
  for (SwZoneCore **link = &cores; *link != NULL; link = &(*link)->next)
    if (*link == core)
      {
        *link = core->next;
        break;
      }
  pthread_mutex_unlock (&registry_lock);
}

void
sw_zone_core_foreach (void (*function) (SwZoneCore *core,
                                        gpointer data),
                      gpointer data)
{
  pthread_mutex_lock (&registry_lock);
  for (SwZoneCore *core = cores; core != NULL; core = core->next)
    if (!core->is_retired)
      function (core, data);
  pthread_mutex_unlock (&registry_lock);
}

GPtrArray *
sw_zone_registry_dup_cores (void)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_zone_core_unref);

  pthread_mutex_lock (&registry_lock);
  for (SwZoneCore *core = cores; core != NULL; core = core->next)
    g_ptr_array_add (all, sw_zone_core_ref (core));
  pthread_mutex_unlock (&registry_lock);
  return all;
}

SwZoneCore *
sw_zone_core_find (guint64 number)
{
  SwZoneCore *found = NULL;

  pthread_mutex_lock (&registry_lock);
  for (SwZoneCore *core = cores; core != NULL && found == NULL; core = core->next)
    if (core->number == number && !core->is_retired)
      found = sw_zone_core_ref (core);
  pthread_mutex_unlock (&registry_lock);
  return found;
}

static void
count_enabled (gboolean enabled)
{
  n_enabled += enabled ? 1 : -1;
  /* Relaxed: a thread sees its own switches in program order, and others soon. */
  __atomic_store_n (&sw_zone_gate, n_enabled, __ATOMIC_RELAXED);
}

void
sw_zone_registry_open_gate (void)
{
  pthread_mutex_lock (&registry_lock);
  count_enabled (TRUE);
  pthread_mutex_unlock (&registry_lock);
}

void
sw_zone_registry_close_gate (void)
{
  pthread_mutex_lock (&registry_lock);
  count_enabled (FALSE);
  pthread_mutex_unlock (&registry_lock);
}

void
sw_zone_registry_switch (SwZoneCore *core,
                         guint32 *flag,
                         gboolean value)
{
  gboolean was_enabled;
  gboolean was_automatic;
  gboolean is_automatic;

  pthread_mutex_lock (&registry_lock);
  was_enabled = core->enabled != 0;
  was_automatic = core->enabled != 0 && core->auto_zones != 0;
  /* Relaxed: see sw_zone_core_is_enabled (). */
  __atomic_store_n (flag, value ? 1 : 0, __ATOMIC_RELAXED);
  is_automatic = core->enabled != 0 && core->auto_zones != 0;

  if ((core->enabled != 0) != was_enabled)
    count_enabled (!was_enabled);
  if (is_automatic && !was_automatic)
    sw_gate_open (SW_RECORDER_ZONES);
  else if (was_automatic && !is_automatic)
    sw_gate_close (SW_RECORDER_ZONES);
  pthread_mutex_unlock (&registry_lock);
}
