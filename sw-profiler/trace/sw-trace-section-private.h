/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw-profiler/trace/sw-trace-live-private.h"
#include "sw-profiler/zone/sw-zone-barrier-private.h"

G_BEGIN_DECLS

/* What the files of the producer share: the sections that a thread changes it in, and tokens. */

/* Of a token, which is a number that JavaScript can have: 53 bits in all. */
#define SW_TRACE_INDEX_BITS 16
#define SW_TRACE_SERIAL_BITS 24
#define SW_TRACE_NUMBER_BITS 13

#define SW_TRACE_LARGEST_RECORD (SW_TRACE_RING_BYTES / 4)

/* Waits for the lock of who switches the context, and goes on inside of a section. */
void sw_trace_section_wait (SwTraceProducer *self);
/* Leaves the section, and ends what is owed to live collectors. */
void sw_trace_section_leave_and_settle (SwTraceProducer *self);
/* In a section, or while the thread is held out: a span has ended that live collectors know of. */
void sw_trace_section_owe (SwTraceProducer *self,
                           guint live);

/* In a section, where live collectors follow the span that just began. Returns the flow that begins in it; 0: none. */
guint64 sw_trace_open_make_link (SwTraceOpen *self);

/* Outside of a section. */
void sw_trace_section_begin_live (SwTraceProducer *self,
                                  const SwTraceSpec *spec,
                                  guint64 token,
                                  guint live,
                                  guint64 link);
void sw_trace_section_pass_instant (const SwTraceSpec *spec,
                                    guint live);
void sw_trace_section_pass_counter (const SwTraceSpec *spec,
                                    guint live,
                                    guint64 value,
                                    gboolean is_integer);

static inline void
sw_trace_section_count (guint64 *counter)
{
  /* Relaxed: one writer at a time, and only the number counts. */
  __atomic_store_n (counter, *counter + 1, __ATOMIC_RELAXED);
}

static inline void
sw_trace_section_set_busy (SwTraceProducer *self,
                           guint32 busy)
{
  if (sw_zone_barrier_get_is_missing ())
    {
      /* Sequentially consistent: before the thread looks at the epoch. */
      __atomic_store_n (&self->busy, busy, __ATOMIC_SEQ_CST);
      return;
    }
  /* Release: whoever finds the thread outside of a section sees all that it did inside. The other direction is ordered by
   * the barrier that the switch puts into all threads; the fence keeps the compiler from undoing that. */
  __atomic_store_n (&self->busy, busy, __ATOMIC_RELEASE);
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
}

static inline void
sw_trace_section_enter (SwTraceProducer *self)
{
  sw_trace_section_set_busy (self, 1);
  if (G_UNLIKELY (self->epoch != sw_trace_core_get_epoch (self->core)))
    sw_trace_section_wait (self);
}

static inline void
sw_trace_section_leave (SwTraceProducer *self)
{
  sw_trace_section_set_busy (self, 0);
}

/* Nothing of a collector's runs inside of a section. */
static inline void
sw_trace_section_leave_settled (SwTraceProducer *self)
{
  if (G_UNLIKELY (self->is_owing))
    sw_trace_section_leave_and_settle (self);
  else
    sw_trace_section_leave (self);
}

static inline guint
sw_trace_section_get_live (const SwTraceProducer *self,
                           guint level)
{
  guint live = sw_trace_core_get_live (self->core, level);

  return G_UNLIKELY (live != 0) ? sw_trace_live_filter (live) : 0;
}

static inline guint
sw_trace_token_get_index (guint64 token)
{
  return (guint) (token & ((1u << SW_TRACE_INDEX_BITS) - 1));
}

static inline guint32
sw_trace_token_get_serial (guint64 token)
{
  return (guint32) (token >> SW_TRACE_INDEX_BITS) & ((1u << SW_TRACE_SERIAL_BITS) - 1);
}

static inline gboolean
sw_trace_producer_owns (const SwTraceProducer *self,
        guint64 token)
{
  return token >> (SW_TRACE_INDEX_BITS + SW_TRACE_SERIAL_BITS) == (self->number & ((1u << SW_TRACE_NUMBER_BITS) - 1));
}

static inline SwTraceOpen *
sw_trace_producer_find_open (SwTraceProducer *self,
           guint64 token)
{
  guint index = sw_trace_token_get_index (token);

  if (G_UNLIKELY (!sw_trace_producer_owns (self, token) || index >= self->n_open || self->open[index].serial != sw_trace_token_get_serial (token)))
    return NULL;
  return &self->open[index];
}

G_END_DECLS
