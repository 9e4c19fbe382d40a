/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-core-private.h"

#include "sw-profiler/trace/sw-activation-private.h"
#include "sw-profiler/trace/sw-collector-private.h"
#include "sw/base/sw-thread-private.h"

/* What a thread emits into. */
typedef struct
{
  SwTraceProducer *last; /* the one used last: nearly always the right one */
  SwTraceProducer *producers;
} SwTraceThread;

static void
thread_leave (gpointer data)
{
  SwTraceThread *self = data;
  SwTraceProducer *next;

  for (SwTraceProducer *producer = self->producers; producer != NULL; producer = next)
    {
      next = producer->next_of_thread;
      sw_trace_core_give_up_producer (producer->core, producer);
    }
  g_free (self);
}

static SwTraceThread *
get_thread (void)
{
  SwTraceThread *self = sw_thread.recorders[SW_RECORDER_TRACE];

  if (self != NULL)
    return self;
  self = g_new0 (SwTraceThread, 1);
  sw_thread_watch_exit (SW_RECORDER_TRACE, thread_leave);
  sw_thread.recorders[SW_RECORDER_TRACE] = self;
  return self;
}

/* Contexts come and go; a thread that lives on forgets those that are gone. */
static void
collect (SwTraceThread *self)
{
  for (SwTraceProducer **link = &self->producers; *link != NULL;)
    {
      SwTraceProducer *producer = *link;

      /* Relaxed: seen sooner or later. */
      if (__atomic_load_n (&producer->core->is_closed, __ATOMIC_RELAXED) != 0)
        {
          *link = producer->next_of_thread;
          sw_trace_core_give_up_producer (producer->core, producer);
        }
      else
        link = &producer->next_of_thread;
    }
}

static SwTraceProducer *G_GNUC_NO_INLINE
find_producer (SwTraceCore *core)
{
  SwTraceThread *self;
  SwTraceProducer *producer;

  /* In a forked child, which is asked to record again. */
  sw_activation_check ();
  self = get_thread ();
  self->last = NULL;
  collect (self);
  for (producer = self->producers; producer != NULL && producer->core != core;)
    producer = producer->next_of_thread;
  if (producer == NULL)
    {
      producer = sw_trace_producer_new (core);
      if (producer == NULL)
        return NULL;
      producer->next_of_thread = self->producers;
      self->producers = producer;
      sw_trace_core_lock (core);
      producer->epoch = sw_trace_core_get_epoch (core);
      producer->next_of_core = core->producers;
      core->producers = producer;
      sw_trace_core_unlock (core);
    }
  self->last = producer;
  return producer;
}

SwTraceProducer *
sw_trace_core_get_producer (SwTraceCore *self)
{
  /* Found once: each look at what a thread has may cost a call. */
  const SwThread *own = &sw_thread;
  SwTraceThread *thread = own->recorders[SW_RECORDER_TRACE];

  /* As sw_collector_is_inside () says. */
  if (G_UNLIKELY (own->n_muted > 0))
    return NULL;
  if (G_LIKELY (thread != NULL && thread->last != NULL && thread->last->core == self))
    return thread->last;
  return find_producer (self);
}

void
sw_trace_core_settle_own (SwTraceCore *self)
{
  SwTraceThread *thread = sw_thread.recorders[SW_RECORDER_TRACE];

  if (thread == NULL)
    return;
  for (SwTraceProducer *producer = thread->producers; producer != NULL; producer = producer->next_of_thread)
    if (producer->core == self)
      sw_trace_producer_settle (producer);
}

void
sw_trace_thread_forget (void)
{
  SwTraceThread *self = sw_thread.recorders[SW_RECORDER_TRACE];

  if (self == NULL)
    return;
  self->last = NULL;
  self->producers = NULL;
}

static void
unlink_producer (SwTraceCore *self,
                 SwTraceProducer *producer)
{
  for (SwTraceProducer **link = &self->producers; *link != NULL; link = &(*link)->next_of_core)
    if (*link == producer)
      {
        *link = producer->next_of_core;
        self->gone.emitted += sw_trace_producer_read (&producer->n_emitted);
        self->gone.dropped += sw_trace_producer_read (&producer->n_dropped);
        self->gone.too_large += sw_trace_producer_read (&producer->n_too_large);
        self->gone.misplaced += sw_trace_producer_read (&producer->n_misplaced);
        self->gone.stray_flows += sw_trace_producer_read (&producer->n_stray_flows);
        return;
      }
}

/* What is read is freed with the turn: nobody else reads it. */
void
sw_trace_core_drop_producer (SwTraceCore *self,
                             SwTraceProducer *producer)
{
  sw_trace_core_lock (self);
  unlink_producer (self, producer);
  sw_trace_core_unlock (self);
  sw_trace_producer_free (producer);
}

void
sw_trace_core_give_up_producer (SwTraceCore *self,
                                SwTraceProducer *producer)
{
  gboolean is_closed;
  gboolean is_new;

  /* The producer holds one, and may be gone as soon as it is given up. */
  sw_trace_core_ref (self);
  sw_trace_core_lock (self);
  /* The thread is here, so it is in no section: what it left open ends with it. */
  sw_trace_producer_interrupt (producer, sw_clock_ticks ());
  sw_trace_core_unlock (self);
  sw_trace_producer_settle (producer);
  sw_trace_core_lock (self);
  is_closed = self->is_closed;
  if (!is_closed)
    /* Release: the thread is done with it. */
    __atomic_store_n (&producer->ended, 1, __ATOMIC_RELEASE);
  sw_trace_core_unlock (self);
  if (!is_closed)
    {
      sw_trace_core_wake (self);
    }
  else
    {
      /* Nobody else is going to. */
      is_new = sw_turn_enter (&self->turn);
      /* Whoever closes the context may not have come to passing on yet. */
      if (is_new)
        sw_trace_core_pass_on (self);
      sw_trace_core_drop_producer (self, producer);
      if (is_new)
        sw_turn_leave (&self->turn);
    }
  sw_trace_core_unref (self);
}
