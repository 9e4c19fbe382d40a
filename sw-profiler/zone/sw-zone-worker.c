/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-core-private.h"

/* The thread that consumes what others record: when a queue is half full, when a frame or a thread has ended, and now and
 * then otherwise. Whoever wants results consumes by itself. */

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

static void
work (gpointer data)
{
  SwZoneCore *self = data;
  gboolean dropped;

  sw_zone_core_lock_consumer (self);
  sw_zone_core_drain (self);
  dropped = self->dropped;
  sw_zone_core_unlock_consumer (self);
  if (dropped)
    tell_of_drops (self);
}

void
sw_zone_core_init_worker (SwZoneCore *self)
{
  sw_worker_init (&self->worker, "sw-zones", work, self);
}

void
sw_zone_core_start_worker (SwZoneCore *self)
{
  /* Where no thread can be had, queues fill up between the calls that consume; that is counted. */
  if (!self->stopping)
    sw_worker_start (&self->worker);
}

void
sw_zone_core_stop_worker (SwZoneCore *self)
{
  pthread_mutex_lock (&self->lock);
  self->stopping = TRUE;
  pthread_mutex_unlock (&self->lock);
  /* Without the lock, which its work takes; nobody starts it again. */
  sw_worker_stop (&self->worker);
}
