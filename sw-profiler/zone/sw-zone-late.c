/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-consumer-private.h"
#include "sw-profiler/zone/sw-zone-registry-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"

/* A profiler that is gone while threads are in its zones: nobody can ask it for these any more, but whoever taps wants them
 * all. So it stays in the registry until the last of these threads is done with it. */

/* With the consumer locked, so that nobody else frees the producer. */
static void
pass_on_rest (SwZoneCore *self,
              SwZoneProducer *producer)
{
  const SwZoneTap *tap = sw_zone_tap_get ();
  guint64 tail = producer->consumed.tail;
  /* Acquire: the events before the head are complete. */
  guint64 head = __atomic_load_n (&producer->head, __ATOMIC_ACQUIRE);

  if (tap != NULL && tail != head)
    {
      sw_zone_time_adjust (&self->time, sw_clock_anchor ());
      for (; tail < head; tail++)
        tap->zone (producer, &producer->ring.events[tail & producer->ring.mask]);
    }
  producer->consumed.tail = head;
  /* Release: the places are read before they are given back. */
  __atomic_store_n (&producer->tail, head, __ATOMIC_RELEASE);
}

static GPtrArray *
list_producers (SwZoneCore *self)
{
  GPtrArray *producers = g_ptr_array_new ();

  pthread_mutex_lock (&self->lock);
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    g_ptr_array_add (producers, producer);
  pthread_mutex_unlock (&self->lock);
  return producers;
}

void
sw_zone_core_drain_late (SwZoneCore *self)
{
  g_autoptr (GPtrArray) producers = list_producers (self);

  for (guint i = 0; i < producers->len; i++)
    pass_on_rest (self, g_ptr_array_index (producers, i));
}

static void
drop (SwZoneCore *self,
      SwZoneProducer *producer)
{
  pass_on_rest (self, producer);
  pthread_mutex_lock (&self->lock);
  sw_zone_core_unlink_producer (self, producer);
  pthread_mutex_unlock (&self->lock);
  sw_zone_producer_free (producer);
}

void
sw_zone_core_drop_producers (SwZoneCore *self)
{
  g_autoptr (GPtrArray) producers = list_producers (self);

  for (guint i = 0; i < producers->len; i++)
    {
      SwZoneProducer *producer = g_ptr_array_index (producers, i);

      /* Acquire: the thread does not use it any more. */
      if (__atomic_load_n (&producer->ended, __ATOMIC_ACQUIRE) != 0)
        drop (self, producer);
    }
}

void
sw_zone_core_drop_late_producer (SwZoneCore *self,
                                 SwZoneProducer *producer)
{
  sw_zone_core_lock_consumer (self);
  drop (self, producer);
  sw_zone_core_unlock_consumer (self);
  sw_zone_core_forget_if_empty (self);
}

void
sw_zone_core_forget_if_empty (SwZoneCore *self)
{
  gboolean is_empty;

  sw_zone_core_lock_consumer (self);
  pthread_mutex_lock (&self->lock);
  is_empty = self->producers == NULL;
  pthread_mutex_unlock (&self->lock);
  /* Under the consumer's lock, which sw_zone_tap_finish () holds of all of them while it counts: there or here, and once. */
  if (is_empty && !self->has_kept_drops && sw_zone_tap_get () != NULL)
    sw_zone_tap_keep_drops (sw_zone_core_count_drops (self));
  self->has_kept_drops |= is_empty;
  sw_zone_core_unlock_consumer (self);
  if (is_empty)
    sw_zone_registry_remove (self);
}
