/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a thread does for each zone. Everything rare is out of line. */

#include "sw-profiler/zone/sw-zone-producer-private.h"
#include "sw/base/sw-clock-private.h"

G_BEGIN_DECLS

/* Counts what is missing. FALSE: there is no place, and the drop is counted. */
gboolean sw_zone_producer_make_room (SwZoneProducer *self) G_GNUC_NO_INLINE;
void sw_zone_producer_reach_mark (SwZoneProducer *self) G_GNUC_NO_INLINE;
void sw_zone_producer_end_among_detached (SwZoneProducer *self,
                                          const SwOpenZone *zone,
                                          guint64 end) G_GNUC_NO_INLINE;

/* How many unread events wake the worker: half of what there is room for. */
static inline guint64
sw_zone_get_wake_mark (guint64 capacity)
{
  return MAX (capacity / 2, 1);
}

/* From any thread: a zone that is open, as if it ended at once. FALSE: the slot is free, or was for a moment. */
gboolean sw_zone_producer_copy_open (SwZoneProducer *self,
                                     guint slot,
                                     SwZoneEvent *event);

static inline SwOpenZone *
sw_zone_producer_begin_inline (SwZoneProducer *self,
                               guint32 site,
                               guint8 flags)
{
  guint64 open = self->open;
  SwOpenZone *zone;
  guint slot;

  if (G_UNLIKELY (open == G_MAXUINT64 || self->begun >= self->begin_limit) && !sw_zone_producer_make_room (self))
    return NULL;

  slot = (guint) __builtin_ctzll (~open);
  zone = &self->zones[slot];
  /* Relaxed, and before the clock is read: who scans for open zones has made this visible by a barrier in all threads, so
   * a zone whose start it does not see yet is at least known to be there. The fence keeps the compiler from mixing them. */
  __atomic_store_n (&self->open, open | (guint64) 1 << slot, __ATOMIC_RELAXED);
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  /* Release, of all that sw_zone_producer_copy_open () reads: after the start of the slot's last zone was cleared. */
  __atomic_store_n (&zone->site, site, __ATOMIC_RELEASE);
  zone->parent = self->innermost;
  __atomic_store_n (&zone->flags, flags, __ATOMIC_RELEASE);
  __atomic_store_n (&zone->depth, (guint8) (self->begun - self->head + self->n_outer), __ATOMIC_RELEASE);
  zone->correlation = 0;
  self->innermost = (guint8) slot;
  self->begun++;
  /* Release: what is copied of an open zone was written before. */
  __atomic_store_n (&zone->start, sw_clock_ticks (), __ATOMIC_RELEASE);
  return zone;
}

static inline void
sw_open_zone_add_flags (SwOpenZone *zone,
                        guint flags)
{
  /* Relaxed: who copies the zone asks for none of these. */
  __atomic_store_n (&zone->flags, (guint8) (zone->flags | flags), __ATOMIC_RELAXED);
}

/* The zone is out of the nesting already. */
static inline void
sw_zone_producer_publish (SwZoneProducer *self,
                          SwOpenZone *zone,
                          guint64 end)
{
  guint64 head = self->head;
  SwZoneEvent *event = &self->ring.events[head & self->ring.mask];
  guint64 bit = (guint64) 1 << zone->slot;

  event->start = zone->start;
  event->end = end;
  event->site = zone->site;
  event->slot = zone->slot;
  event->parent = zone->parent;
  event->flags = zone->flags;
  event->depth = zone->depth;
  event->correlation = zone->correlation;
  /* Release: whoever sees the new head sees the event. */
  __atomic_store_n (&self->head, head + 1, __ATOMIC_RELEASE);
  /* Release: whoever misses the zone among those that are open finds its event. */
  __atomic_store_n (&self->open, self->open & ~bit, __ATOMIC_RELEASE);
  /* Release: after the bit, so that a scan takes 0 for a zone that is not open or is just beginning. */
  __atomic_store_n (&zone->start, 0, __ATOMIC_RELEASE);
  if (G_UNLIKELY (self->detached != 0))
    sw_zone_producer_end_among_detached (self, zone, end);
  if (G_UNLIKELY (head + 1 >= self->wake_limit))
    sw_zone_producer_reach_mark (self);
}

G_END_DECLS
