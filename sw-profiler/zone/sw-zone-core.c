/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-core-private.h"

#include "sw-profiler/zone/sw-zone-consumer-private.h"
#include "sw-profiler/zone/sw-zone-registry-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"
#include "sw/base/sw-thread-private.h"

/* Frames whose GPU times have not come, at most; then the oldest is completed without. */
#define MAX_PENDING_FRAMES 64

static void
init_locks (SwZoneCore *self)
{
  pthread_mutex_init (&self->lock, NULL);
  pthread_mutex_init (&self->consumer_lock, NULL);
  sw_zone_core_init_worker (self);
}

/* Everything that was recorded so far is as if it had never been. */
static void
init_consumed (SwZoneCore *self)
{
  const SwZoneProfilerDesc *desc = &self->desc;

  sw_zone_time_init (&self->time);
  self->start_ns = sw_zone_time_to_ns (&self->time, sw_clock_ticks ());
  sw_zone_frames_init (&self->frames);
  sw_zone_open_frames_init (&self->open_frames);
  self->live = sw_zone_trace_builder_new (G_MAXSIZE);
  self->accumulator = sw_frame_accumulator_new ((guint) desc->frame_stats_window_size, MAX_PENDING_FRAMES);
  self->slow_frames = sw_slow_frames_new ((gsize) desc->live_event_capacity, (gsize) desc->live_frame_count);
  self->drained = g_ptr_array_new ();
}

static void
clear_consumed (SwZoneCore *self)
{
  sw_zone_core_discard_capture (self);
  sw_zone_frames_clear (&self->frames);
  sw_zone_open_frames_clear (&self->open_frames);
  g_clear_pointer (&self->live, sw_zone_trace_builder_free);
  g_clear_pointer (&self->accumulator, sw_frame_accumulator_free);
  g_clear_pointer (&self->slow_frames, sw_slow_frames_free);
  g_clear_pointer (&self->drained, g_ptr_array_unref);
}

SwZoneCore *
sw_zone_core_new (const SwZoneProfilerDesc *desc,
                  GObject *object)
{
  SwZoneCore *self;

  sw_zone_fallback_check ();
  self = g_new0 (SwZoneCore, 1);
  sw_ref_count_init (&self->refs);
  self->desc = *desc;
  self->slow_threshold_ns = -1;
  g_weak_ref_init (&self->object, object);
  init_locks (self);
  init_consumed (self);
  sw_zone_registry_add (self);
  sw_zone_gpu_init (&self->gpu);
  /* Relaxed: nobody else knows of it yet. */
  __atomic_store_n (&self->debug_groups, desc->enable_debug_groups ? 1 : 0, __ATOMIC_RELAXED);
  sw_zone_core_set_auto_zones (self, desc->enable_auto_zones != FALSE);
  sw_zone_core_set_enabled (self, TRUE);
  return self;
}

SwZoneCore *
sw_zone_core_ref (SwZoneCore *self)
{
  sw_ref_count_inc (&self->refs);
  return self;
}

void
sw_zone_core_unref (SwZoneCore *self)
{
  if (!sw_ref_count_dec (&self->refs))
    return;
  pthread_mutex_destroy (&self->lock);
  pthread_mutex_destroy (&self->consumer_lock);
  sw_worker_clear (&self->worker);
  sw_zone_time_clear (&self->time);
  g_free (self);
}

/* Who taps sees the last zones, too. */
static void
pass_on_last (SwZoneCore *self)
{
  SwDiagnosticCounters counters;

  sw_zone_core_drain (self);
  sw_zone_core_get_counters (self, &counters);
  sw_zone_tap_keep_gpu_drops (&counters);
}

void
sw_zone_core_close (SwZoneCore *self)
{
  sw_zone_core_set_enabled (self, FALSE);
  sw_zone_core_set_auto_zones (self, FALSE);
  sw_zone_core_stop_worker (self);
  sw_zone_registry_retire (self);
  /* Here and not with the last reference, which a thread at its end or the child of a fork may have: GLib locks all weak references
   * there are for this, and a child may find them locked for ever. */
  g_weak_ref_set (&self->object, NULL);

  sw_zone_core_lock_consumer (self);
  if (sw_zone_tap_get () != NULL)
    pass_on_last (self);
  pthread_mutex_lock (&self->lock);
  /* Relaxed: threads that still record here do no harm, and find out when they next look. */
  __atomic_store_n (&self->closed, 1, __ATOMIC_RELAXED);
  clear_consumed (self);
  pthread_mutex_unlock (&self->lock);
  sw_zone_core_drop_producers (self);
  sw_zone_core_unlock_consumer (self);
  sw_zone_gpu_clear (&self->gpu);
  sw_zone_core_forget_if_empty (self);
}

void
sw_zone_core_lock_consumer (SwZoneCore *self)
{
  pthread_mutex_lock (&self->consumer_lock);
}

void
sw_zone_core_unlock_consumer (SwZoneCore *self)
{
  pthread_mutex_unlock (&self->consumer_lock);
}

void
sw_zone_core_count_mishap (guint64 *counter,
                           guint64 n)
{
  /* Relaxed: only the number counts. */
  __atomic_fetch_add (counter, n, __ATOMIC_RELAXED);
}

void
sw_zone_core_add_producer (SwZoneCore *self,
                           SwZoneProducer *producer)
{
  pthread_mutex_lock (&self->lock);
  producer->next_of_core = self->producers;
  self->producers = producer;
  sw_zone_core_start_worker (self);
  pthread_mutex_unlock (&self->lock);
}

static guint64
read_counter (const guint64 *counter)
{
  /* Relaxed: whole numbers are all that is needed. */
  return __atomic_load_n (counter, __ATOMIC_RELAXED);
}

static void
add_drops (SwZoneTotals *totals,
           const SwZoneProducer *producer)
{
  guint64 first = read_counter (&producer->drops.first_drop);

  totals->queue_full += read_counter (&producer->drops.queue_full);
  totals->stack_full += read_counter (&producer->drops.stack_full);
  if (first != 0 && (totals->first_drop == 0 || first < totals->first_drop))
    totals->first_drop = first;
}

void
sw_zone_core_unlink_producer (SwZoneCore *self,
                              SwZoneProducer *producer)
{
  for (SwZoneProducer **link = &self->producers; *link != NULL; link = &(*link)->next_of_core)
    if (*link == producer)
      {
        *link = producer->next_of_core;
        add_drops (&self->totals, producer);
        return;
      }
}

void
sw_zone_core_give_up_producer (SwZoneCore *self,
                               SwZoneProducer *producer)
{
  gboolean is_closed;

  /* The producer's may be the last one, and whoever consumes or closes frees that. */
  sw_zone_core_ref (self);
  pthread_mutex_lock (&self->lock);
  is_closed = sw_zone_core_is_closed (self);
  if (!is_closed)
    /* Release: the thread is done with it. */
    __atomic_store_n (&producer->ended, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock (&self->lock);

  if (is_closed)
    sw_zone_core_drop_late_producer (self, producer);
  else
    sw_zone_core_wake (self);
  sw_zone_core_unref (self);
}

guint64
sw_zone_core_count_drops (SwZoneCore *self)
{
  SwZoneTotals totals = self->totals;

  pthread_mutex_lock (&self->lock);
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    add_drops (&totals, producer);
  pthread_mutex_unlock (&self->lock);
  return totals.queue_full + totals.stack_full;
}

SwZoneProducer *
sw_zone_core_find_producer (SwZoneCore *self,
                            guint64 id)
{
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    if (producer->id == id)
      return producer;
  return NULL;
}

void
sw_zone_core_get_counters (SwZoneCore *self,
                           SwDiagnosticCounters *counters)
{
  SwZoneTotals totals = self->totals;

  pthread_mutex_lock (&self->lock);
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    add_drops (&totals, producer);
  pthread_mutex_unlock (&self->lock);

  *counters = (SwDiagnosticCounters){ .recorded = totals.consumed };
  counters->queue_full = totals.queue_full;
  counters->stack_full = totals.stack_full;
  counters->unresolved = self->gpu.n_unresolved;
  counters->recorded += self->gpu.n_recorded;
  counters->emitted = counters->recorded + totals.queue_full + totals.stack_full + counters->unresolved;
  counters->query_exhaustion = sw_zone_gpu_count_exhausted (&self->gpu);
  counters->pending_gpu_zones = sw_zone_gpu_count_pending (&self->gpu);
  counters->first_drop_ns = totals.first_drop != 0 ? sw_zone_time_to_ns (&self->time, totals.first_drop) : 0;
  counters->high_water_mark = totals.high_water;
  counters->hierarchy_loss = self->hierarchy_loss + self->late_zones;
  counters->backward_clock = self->backward_clock;
  counters->forced_ends = read_counter (&self->mishaps.forced_ends);
  counters->misplaced_ends = read_counter (&self->mishaps.misplaced_ends);
}

/* With the switch, whatever it does; both are only ever thrown under the registry's lock, so the gates count right. */
void
sw_zone_core_set_enabled (SwZoneCore *self,
                          gboolean enabled)
{
  sw_zone_registry_switch (self, &self->enabled, enabled);
}

void
sw_zone_core_set_auto_zones (SwZoneCore *self,
                             gboolean enabled)
{
  sw_zone_registry_switch (self, &self->auto_zones, enabled);
}

void
sw_zone_core_disinherit_producers (SwZoneCore *self)
{
  SwZoneProducer *producer = self->producers;
  SwZoneProducer *next;

  self->producers = NULL;
  for (; producer != NULL; producer = next)
    {
      next = producer->next_of_core;
      sw_zone_producer_disinherit (producer);
    }
}

/* Both locks are held, and the caller is the only thread. */
void
sw_zone_core_reset_in_child (SwZoneCore *self)
{
  sw_zone_core_disinherit_producers (self);
  clear_consumed (self);
  sw_zone_time_clear (&self->time);
  init_consumed (self);
  sw_slow_frames_set_threshold (self->slow_frames, self->slow_threshold_ns);
  sw_zone_gpu_forget (&self->gpu);
  self->totals = (SwZoneTotals){ 0 };
  self->mishaps = (SwZoneMishaps){ 0 };
  self->has_kept_drops = FALSE;
  self->live_rows = 0;
  self->backward_clock = 0;
  self->hierarchy_loss = 0;
  self->late_zones = 0;
  sw_zone_core_init_worker (self);
}
