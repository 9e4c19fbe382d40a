/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-collector.h"
#include "sw-profiler/trace/sw-trace-feed-private.h"
#include "sw-profiler/trace/sw-trace-producer-private.h"
#include "sw-profiler/trace/sw-trace-record-private.h"
#include "sw-profiler/zone/sw-zone-time-private.h"
#include "sw/base/sw-ref-count-private.h"
#include "sw/base/sw-turn-private.h"
#include "sw/base/sw-worker-private.h"

G_BEGIN_DECLS

/* What a TraceContext is made of, for as long as a thread may still come by: the object itself may be gone then.
 *
 * Whoever passes records to the collector has the turn; no lock is held meanwhile. The lock is for moments only, and may be
 * taken by who has the turn. */

typedef struct
{
  guint64 emitted;
  guint64 dropped;
  guint64 too_large;
  guint64 misplaced;
  guint64 stray_flows;
  guint64 backward;
} SwTraceCounts;

/* A queue on its way to the collectors, as it was found. */
typedef struct
{
  SwTraceProducer *producer;
  guint64 head;
  gboolean has_ended;
} SwTraceDraining;

/* A span of no thread, while it is open. */
typedef struct
{
  guint64 id;
  guint64 start;
  guint level;
  char *name;
  char *category;
  GByteArray *items;
} SwTraceAsync;

struct _SwTraceCore
{
  SwRefCount refs;

  /* Atomic, read by each thread that emits. */
  guint level;
  guint32 epoch;
  guint live;      /* the bits of live collectors; as is the next, of the extra one */
  guint extra_live;
  guint own_level; /* what the collector gets; only live ones are asked about it here */

  guint64 n_backward; /* atomic: how often the clock went back in what was passed on */

  pthread_mutex_t lock; /* of what follows */
  gboolean enabled;
  gboolean is_closed;
  gboolean is_default;
  SwTraceVerbosity verbosity;
  guint *object_level; /* the context's own copy of the level; NULL once it is gone */
  SwCollector *collector;
  SwCollector *next_collector; /* what it is to be changed for; NULL, too */
  gboolean has_next_collector;
  char *next_process_name; /* NULL: stays as it is */
  SwCollector *extra; /* another one, that the context says nothing of; NULL: none */
  SwTraceVerbosity extra_verbosity; /* atomic, for whoever only looks */
  guint64 extra_limit; /* ticks, of who has the turn: where its recording ends */
  SwTraceProducer *producers;
  SwTraceCounts gone; /* of producers that are gone */
  GHashTable *asyncs;
  SwTraceSession session;
  char *process_name;

  SwTurn turn;
  SwZoneTime time;     /* of who has the turn, as are the rest */
  GArray *draining;    /* of SwTraceDraining */
  GArray *own_batch;   /* of SwTraceRecord: what the collector is to get next */
  GArray *extra_batch; /* the same of the extra one */
  SwTraceFeed *feed;   /* of zones, for the extra collector; NULL: none */

  SwWorker worker;
  SwTraceCore *next; /* of all; guarded by the registry's lock */
};

SwTraceCore *sw_trace_core_new (void);
SwTraceCore *sw_trace_core_ref (SwTraceCore *self);
void sw_trace_core_unref (SwTraceCore *self);
/* The context is going: all that was emitted is passed on. Takes the reference of the context. */
void sw_trace_core_close (SwTraceCore *self);

static inline guint
sw_trace_core_get_level (const SwTraceCore *self)
{
  /* Relaxed: a switch is seen soon, and orders nothing. */
  return __atomic_load_n (&self->level, __ATOMIC_RELAXED);
}

static inline guint32
sw_trace_core_get_epoch (const SwTraceCore *self)
{
  /* Sequentially consistent: after a thread said that it is busy, where no barrier in all threads sees to that. */
  return __atomic_load_n (&self->epoch, __ATOMIC_SEQ_CST);
}

/* For an event of that level, of which either collector may get more than the other. */
static inline guint
sw_trace_core_get_live (const SwTraceCore *self,
                        guint level)
{
  /* Relaxed, all: what a bit stands for is complete before it is set, and looked up in an order of its own. */
  guint live = __atomic_load_n (&self->live, __ATOMIC_RELAXED);
  guint extra = __atomic_load_n (&self->extra_live, __ATOMIC_RELAXED);

  if (G_LIKELY ((live | extra) == 0))
    return 0;
  return (__atomic_load_n (&self->own_level, __ATOMIC_RELAXED) < level ? 0 : live) |
         ((guint) __atomic_load_n (&self->extra_verbosity, __ATOMIC_RELAXED) < level ? 0 : extra);
}

void sw_trace_core_lock (SwTraceCore *self);
void sw_trace_core_unlock (SwTraceCore *self);
void sw_trace_core_wake (SwTraceCore *self);

/* What looks at the level of the default context, whose lock is held, finds @level. NULL: there is none yet. */
void sw_trace_core_set_default_level (SwTraceCore *self,
                                      guint level);
void sw_trace_core_set_enabled (SwTraceCore *self,
                                gboolean enabled);
void sw_trace_core_set_verbosity (SwTraceCore *self,
                                  SwTraceVerbosity verbosity);
/* What was emitted before goes to the old one. Inside of a collector, where nobody can wait for the turn, this and the name
 * of the process are for whoever has the turn next. */
void sw_trace_core_set_collector (SwTraceCore *self,
                                  SwCollector *collector);
/* Beside the other one, and whatever that is: @collector gets what is at most of @verbosity, and the zones that come by
 * @feed, which may be NULL. NULL: no extra one from here on; it has all that was emitted before. */
void sw_trace_core_set_extra (SwTraceCore *self,
                              SwCollector *collector,
                              SwTraceVerbosity verbosity,
                              SwTraceFeed *feed);
SwCollector *sw_trace_core_dup_collector (SwTraceCore *self);
void sw_trace_core_set_process_name (SwTraceCore *self,
                                     const char *name);
void sw_trace_core_get_counts (SwTraceCore *self,
                               SwTraceCounts *counts);

/* Of the calling thread; NULL: no memory, or inside of a collector, where nothing is recorded. */
SwTraceProducer *sw_trace_core_get_producer (SwTraceCore *self);
void sw_trace_core_give_up_producer (SwTraceCore *self,
                                     SwTraceProducer *producer);
/* With the turn: its thread has given it up, and all is read. */
void sw_trace_core_drop_producer (SwTraceCore *self,
                                  SwTraceProducer *producer);

guint64 sw_trace_core_begin_async (SwTraceCore *self,
                                   const SwTraceSpec *spec);
/* FALSE: there is none. */
gboolean sw_trace_core_end_async (SwTraceCore *self,
                                  guint64 id);

/* Not inside of a collector, and without the turn. */
void sw_trace_core_exchange_collector (SwTraceCore *self,
                                       SwCollector *collector);
/* Inside of a collector. NULL is a collector, too. */
void sw_trace_core_postpone_collector (SwTraceCore *self,
                                       SwCollector *collector);
void sw_trace_core_postpone_process_name (SwTraceCore *self,
                                          const char *name);
/* What was postponed until now is out of date. */
void sw_trace_core_forget_postponed (SwTraceCore *self);
/* Without the turn. */
void sw_trace_core_do_postponed (SwTraceCore *self);

/* Passes on all that was emitted before. Nothing inside of a collector. */
void sw_trace_core_drain (SwTraceCore *self);
/* Of all contexts of the process. */
void sw_trace_drain_all (void);
/* Contexts stop to record into a collector that is closed. */
void sw_trace_forget_collector (SwCollector *collector);
/* Contexts find out to which live collectors theirs still pass on. */
void sw_trace_refresh_live (void);

/* The default context's, made when first asked for; never freed. */
SwTraceCore *sw_trace_core_get_default (void);

/* With the lock: sets the level, and ends what is open when it comes to nothing. */
void sw_trace_core_switch (SwTraceCore *self);
/* With the turn. */
void sw_trace_core_pass_on (SwTraceCore *self);
/* In the child of a fork. */
void sw_trace_core_reset_in_child (SwTraceCore *self);
void sw_trace_thread_forget (void);
/* Of the calling thread, where it has one: see sw_trace_producer_settle (). */
void sw_trace_core_settle_own (SwTraceCore *self);

G_END_DECLS
