/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-delivery-private.h"
#include "sw/base/sw-turn-private.h"

G_BEGIN_DECLS

/* What the files of SwCollector share of one. */
typedef struct
{
  SwTurn turn;
  SwDelivery *delivery; /* atomic, set once; NULL: any thread may call the virtual functions */
  gboolean is_closed;   /* atomic */
  guint64 n_events;     /* atomic */
  guint64 n_lost;       /* atomic */

  pthread_mutex_t lock; /* of what follows */
  GError *error;        /* the first that was not reported yet */
} SwCollectorState;

SwCollectorState *sw_collector_get_state (SwCollector *self);

static inline SwDelivery *
sw_collector_get_delivery (SwCollectorState *state)
{
  /* Acquire: what it is made of. */
  return __atomic_load_n (&state->delivery, __ATOMIC_ACQUIRE);
}

static inline gboolean
sw_collector_has_closed (SwCollectorState *state)
{
  /* Relaxed: who has the turn has it in order anyhow; others are content with any answer. */
  return __atomic_load_n (&state->is_closed, __ATOMIC_RELAXED) != 0;
}

/* Around each call of a virtual function. */
gboolean sw_collector_begin_call (SwCollector *self);
void sw_collector_end_call (SwCollector *self,
                            gboolean is_new);
/* The delivery of a collector that is bound; or NULL, after sw_collector_begin_call (), whose result goes to @is_new. */
SwDelivery *sw_collector_begin_unless_bound (SwCollector *self,
                                             gboolean *is_new);
/* Takes the error; NULL: there is none. */
void sw_collector_keep_error (SwCollector *self,
                              GError *error);

/* What a delivery calls, on the thread that the collector is bound to. */
void sw_collector_deliver (SwCollector *self,
                           GPtrArray *events);
void sw_collector_call_flush (SwCollector *self);
void sw_collector_call_close (SwCollector *self);

G_END_DECLS
