/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-producer-private.h"

#include <sched.h>
#include <sys/mman.h>

#include "sw-profiler/trace/sw-trace-section-private.h"

/* What others than the producer's own thread do with it. */

static guint64 last_number;

SwTraceProducer *
sw_trace_producer_new (SwTraceCore *core)
{
  void *memory = mmap (NULL, SW_TRACE_RING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SwTraceProducer *self;

  if (memory == MAP_FAILED)
    return NULL;
  self = g_new0 (SwTraceProducer, 1);
  self->core = sw_trace_core_ref (core);
  self->lane = sw_lane_ref (sw_lane_get ());
  self->ring = memory;
  self->mask = SW_TRACE_RING_BYTES - 1;
  self->limit = SW_TRACE_RING_BYTES;
  self->wake_at = SW_TRACE_RING_BYTES / 2;
  self->next_serial = 1;
  self->first_valid_serial = 1;
  self->epoch = sw_trace_core_get_epoch (core);
  /* Relaxed: the numbers only have to differ. */
  self->number = __atomic_add_fetch (&last_number, 1, __ATOMIC_RELAXED);
  return self;
}

void
sw_trace_open_clear (SwTraceOpen *open)
{
  if (open->extra != NULL)
    sw_trace_items_release (open->extra + open->text_size, open->items_size);
  g_clear_pointer (&open->extra, g_free);
}

void
sw_trace_producer_free (SwTraceProducer *self)
{
  guint64 head = sw_trace_producer_get_head (self);
  const SwTraceRing *record;

  while ((record = sw_trace_producer_peek (self, head)) != NULL)
    {
      sw_trace_items_release (sw_trace_ring_get_items (record), sw_trace_ring_get_items_size (record));
      sw_trace_producer_take (self, record);
    }
  for (guint i = 0; i < self->n_open; i++)
    sw_trace_open_clear (&self->open[i]);
  munmap (self->ring, SW_TRACE_RING_BYTES);
  sw_lane_unref (self->lane);
  sw_trace_core_unref (self->core);
  g_free (self->open);
  g_free (self);
}

void
sw_trace_producer_hold_out (SwTraceProducer *self)
{
  /* Sequentially consistent: after the epoch was raised; and see sw_trace_section_set_busy (). */
  while (__atomic_load_n (&self->busy, __ATOMIC_SEQ_CST) != 0)
    sched_yield ();
}

const SwTraceRing *
sw_trace_producer_peek_at (SwTraceProducer *self,
                           guint64 *at,
                           guint64 head)
{
  while (*at != head)
    {
      const SwTraceRing *record = (const SwTraceRing *) (const void *) (self->ring + (*at & self->mask));

      if (record->kind != SW_TRACE_PADDING)
        return record;
      *at += record->size;
    }
  return NULL;
}

const SwTraceRing *
sw_trace_producer_peek (SwTraceProducer *self,
                        guint64 head)
{
  guint64 at = self->tail;
  const SwTraceRing *record = sw_trace_producer_peek_at (self, &at, head);

  if (at != self->tail)
    /* Release: as below. */
    __atomic_store_n (&self->tail, at, __ATOMIC_RELEASE);
  return record;
}

void
sw_trace_producer_take (SwTraceProducer *self,
                        const SwTraceRing *record)
{
  /* Release: the thread may write there once it sees this. */
  __atomic_store_n (&self->tail, self->tail + record->size, __ATOMIC_RELEASE);
}

void
sw_trace_section_wait (SwTraceProducer *self)
{
  do
    {
      sw_trace_section_set_busy (self, 0);
      sw_trace_core_lock (self->core);
      self->epoch = sw_trace_core_get_epoch (self->core);
      sw_trace_core_unlock (self->core);
      sw_trace_section_set_busy (self, 1);
    }
  while (self->epoch != sw_trace_core_get_epoch (self->core));
}
