/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-producer-private.h"

#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw-profiler/zone/sw-zone-producer-inline-private.h"

static guint64 last_id;

SwZoneProducer *
sw_zone_producer_new (SwZoneCore *core,
                      SwLane *lane)
{
  SwZoneProducer *self = g_aligned_alloc0 (1, sizeof *self, 64);
  guint64 capacity = (guint64) sw_zone_core_get_desc (core)->thread_event_capacity;

  if (!sw_zone_ring_init (&self->ring, capacity))
    {
      g_aligned_free (self);
      return NULL;
    }

  for (guint i = 0; i < SW_ZONE_MAX_DEPTH; i++)
    {
      self->zones[i].slot = (guint8) i;
      self->consumed.live_waiting[i] = SW_ZONE_NO_ROW;
      self->consumed.capture_waiting[i] = SW_ZONE_NO_ROW;
      self->consumed.frame_waiting[i] = -1;
    }
  self->innermost = SW_ZONE_NO_SLOT;
  self->begin_limit = capacity;
  self->wake_limit = sw_zone_get_wake_mark (capacity);
  self->owner = sw_zone_get_owner ();
  self->core = sw_zone_core_ref (core);
  self->lane = sw_lane_ref (lane);
  /* Relaxed: the numbers only have to differ. */
  self->id = __atomic_add_fetch (&last_id, 1, __ATOMIC_RELAXED) & SW_ZONE_PRODUCER_ID_MASK;
  return self;
}

void
sw_zone_producer_free (SwZoneProducer *self)
{
  sw_zone_ring_clear (&self->ring);
  g_free (self->gpu);
  sw_lane_unref (self->lane);
  sw_zone_core_unref (self->core);
  g_aligned_free (self);
}

void
sw_zone_producer_disinherit (SwZoneProducer *self)
{
  SwZoneCore *core = self->core;

  if (self->owner != sw_zone_get_owner () || self->open == 0)
    {
      sw_zone_producer_free (self);
      return;
    }
  sw_zone_ring_clear (&self->ring);
  self->owner = 0;
  self->core = NULL;
  sw_zone_core_unref (core);
}

static void
count_drop (SwZoneProducer *self,
            guint64 *counter)
{
  /* Relaxed: only this thread writes its counters, and readers need no more than whole numbers. */
  if (__atomic_load_n (&self->drops.first_drop, __ATOMIC_RELAXED) == 0)
    __atomic_store_n (&self->drops.first_drop, sw_clock_ticks () | 1, __ATOMIC_RELAXED);
  __atomic_store_n (counter, *counter + 1, __ATOMIC_RELAXED);
}

gboolean
sw_zone_producer_make_room (SwZoneProducer *self)
{
  guint64 tail;

  /* Relaxed: only this thread changes it. */
  if (__atomic_load_n (&self->open, __ATOMIC_RELAXED) == G_MAXUINT64)
    {
      count_drop (self, &self->drops.stack_full);
      return FALSE;
    }

  /* Acquire: the consumer has read what the places held before it gave them back. */
  tail = __atomic_load_n (&self->tail, __ATOMIC_ACQUIRE);
  self->begin_limit = tail + self->ring.capacity;
  if (self->begun < self->begin_limit)
    return TRUE;

  count_drop (self, &self->drops.queue_full);
  /* The next drop tries again, and all threads that drop would otherwise write to the same place. */
  if (!sw_worker_is_awake (&self->core->worker))
    sw_zone_core_wake (self->core);
  return FALSE;
}

void
sw_zone_producer_reach_mark (SwZoneProducer *self)
{
  /* Acquire: see sw_zone_producer_make_room (). */
  guint64 tail = __atomic_load_n (&self->tail, __ATOMIC_ACQUIRE);
  guint64 mark = sw_zone_get_wake_mark (self->ring.capacity);
  guint64 unread = self->head - tail;

  self->begin_limit = tail + self->ring.capacity;
  if (unread < mark)
    {
      self->wake_limit = tail + mark;
      return;
    }
  /* Again when half of what is left is used up, should the worker sleep on. */
  self->wake_limit = self->head + MAX ((self->ring.capacity - unread) / 2, 1);
  sw_zone_core_wake (self->core);
}

SwOpenZone *
sw_zone_producer_begin (SwZoneProducer *self,
                        guint32 site)
{
  return sw_zone_producer_begin_inline (self, site, 0);
}

gboolean
sw_zone_producer_copy_open (SwZoneProducer *self,
                            guint slot,
                            SwZoneEvent *event)
{
  const SwOpenZone *zone = &self->zones[slot];
  /* Acquire: what belongs to it was written before. */
  guint64 start = __atomic_load_n (&zone->start, __ATOMIC_ACQUIRE);

  *event = (SwZoneEvent){ .start = start, .slot = (guint8) slot, .parent = SW_ZONE_NO_SLOT };
  /* Acquire: whoever sees what belongs to the slot's next zone sees below that this one is gone. */
  event->site = __atomic_load_n (&zone->site, __ATOMIC_ACQUIRE);
  event->flags = __atomic_load_n (&zone->flags, __ATOMIC_ACQUIRE);
  event->depth = __atomic_load_n (&zone->depth, __ATOMIC_ACQUIRE);
  /* Relaxed: in the order of the loads above. */
  return start != 0 && __atomic_load_n (&zone->start, __ATOMIC_RELAXED) == start;
}

static gboolean
is_enclosed (SwZoneProducer *self,
             const SwOpenZone *zone)
{
  for (guint8 slot = self->innermost; slot != SW_ZONE_NO_SLOT; slot = self->zones[slot].parent)
    if (slot == zone->slot)
      return TRUE;
  return FALSE;
}

/* Zones that are open inside @zone outlast it. They leave the nesting of the thread, and end whenever they do; who would
 * have been their children belongs to those around @zone. */
static void
leave_behind (SwZoneProducer *self,
              const SwOpenZone *zone,
              guint64 end)
{
  guint64 detached = self->detached;

  if (is_enclosed (self, zone))
    {
      for (guint8 slot = self->innermost; slot != zone->slot; slot = self->zones[slot].parent)
        {
          detached |= (guint64) 1 << slot;
          self->left_behind[slot] = end;
        }
      self->innermost = zone->parent;
    }
  for (guint64 open = self->open; open != 0; open &= open - 1)
    {
      SwOpenZone *other = &self->zones[__builtin_ctzll (open)];

      if (other->parent == zone->slot)
        other->parent = zone->parent;
    }
  /* Relaxed: whoever scans meanwhile may still wait for them. */
  __atomic_store_n (&self->detached, detached, __ATOMIC_RELAXED);
}

gboolean
sw_zone_producer_end (SwZoneProducer *self,
                      SwOpenZone *zone,
                      guint64 end)
{
  gboolean was_innermost = self->innermost == zone->slot;

  if (was_innermost)
    self->innermost = zone->parent;
  else
    leave_behind (self, zone, end);
  sw_zone_producer_publish (self, zone, end);
  return was_innermost;
}

void
sw_zone_producer_end_among_detached (SwZoneProducer *self,
                                     const SwOpenZone *zone,
                                     guint64 end)
{
  guint64 detached = self->detached & ~((guint64) 1 << zone->slot);

  if (zone->parent != SW_ZONE_NO_SLOT && (detached & (guint64) 1 << zone->parent) != 0)
    self->left_behind[zone->parent] = MAX (self->left_behind[zone->parent], end);
  /* Relaxed: see leave_behind (). */
  __atomic_store_n (&self->detached, detached, __ATOMIC_RELAXED);
}

/* The parent of a detached zone ended before it, so it can be any in age: those without children that are open go first. */
static SwOpenZone *
find_leaf (SwZoneProducer *self)
{
  guint64 leaves = self->open;

  for (guint64 open = self->open; open != 0; open &= open - 1)
    {
      guint8 parent = self->zones[__builtin_ctzll (open)].parent;

      if (parent != SW_ZONE_NO_SLOT)
        leaves &= ~((guint64) 1 << parent);
    }
  return &self->zones[__builtin_ctzll (leaves)];
}

guint
sw_zone_producer_end_all (SwZoneProducer *self)
{
  guint64 end = sw_clock_ticks ();
  guint n = 0;

  for (; self->open != 0; n++)
    {
      SwOpenZone *zone = find_leaf (self);
      gboolean is_detached = (self->detached & (guint64) 1 << zone->slot) != 0;

      sw_open_zone_add_flags (zone, SW_ZONE_EVENT_FORCED);
      zone->serial = 0;
      if ((zone->flags & SW_ZONE_EVENT_ENCODER) != 0)
        sw_zone_gpu_end (self, zone);
      sw_zone_producer_publish (self, zone, is_detached ? self->left_behind[zone->slot] : end);
    }
  self->innermost = SW_ZONE_NO_SLOT;
  return n;
}

SwZoneScan
sw_zone_producer_scan (SwZoneProducer *self,
                       guint64 begin,
                       guint64 end)
{
  SwZoneScan result = SW_ZONE_SCAN_NONE;
  /* Acquire: a zone that is not among them any more has its event published before the caller reads the head. */
  guint64 open = __atomic_load_n (&self->open, __ATOMIC_ACQUIRE);

  /* Relaxed: a zone that is detached late is only waited for a little longer. */
  open &= ~__atomic_load_n (&self->detached, __ATOMIC_RELAXED);
  for (; open != 0; open &= open - 1)
    {
      /* Relaxed: 0 stands for whatever the thread has not written yet. */
      guint64 start = __atomic_load_n (&self->zones[__builtin_ctzll (open)].start, __ATOMIC_RELAXED);

      if (start == 0)
        result = SW_ZONE_SCAN_UNKNOWN;
      else if (start >= begin && start < end)
        return SW_ZONE_SCAN_SOME;
    }
  return result;
}
