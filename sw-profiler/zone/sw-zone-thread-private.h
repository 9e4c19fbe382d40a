/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw/base/sw-thread-private.h"

G_BEGIN_DECLS

/* What a thread knows of zones: which profiler is current, and where it records for each one that it has met. */

/* The interned sites of operations that ran here. */
typedef struct
{
  GType carrier_type;
  const char *name;
  guint32 site;
} SwZoneOperationSite;

#define SW_ZONE_N_OPERATION_SITES 64

struct _SwZoneThread
{
  SwZoneProducer *current;   /* where zones go now; NULL: nowhere */
  SwZoneProducer *producers; /* all of this thread */
  GArray *entered;           /* of SwZoneEntered, the last one is current */
  SwZoneCore *default_core;  /* of the profiler that was first made here, without a reference to that */
  guint n_spans;             /* of traces, which are open */
  gboolean is_inherited;     /* from the other side of a fork: its producers have to be made again */
  SwZoneOperationSite operation_sites[SW_ZONE_N_OPERATION_SITES];
};

typedef struct
{
  GObject *profiler; /* a reference */
  SwZoneCore *core;
} SwZoneEntered;

static inline SwZoneThread *
sw_zone_thread_peek (void)
{
  return sw_thread.recorders[SW_RECORDER_ZONES];
}

SwZoneThread *sw_zone_thread_get (void);

/* NULL: none, or one that is gone. */
static inline SwZoneProducer *
sw_zone_thread_get_current (void)
{
  SwZoneThread *self = sw_zone_thread_peek ();

  return self != NULL ? self->current : NULL;
}

/* Where the calling thread may record now; NULL: nowhere. */
static inline SwZoneProducer *
sw_zone_thread_get_recording (void)
{
  SwZoneProducer *producer = sw_zone_thread_get_current ();

  return producer != NULL && sw_zone_core_is_enabled (producer->core) ? producer : NULL;
}

/* FALSE: no memory for the thread's queue. */
gboolean sw_zone_thread_enter (SwZoneCore *core,
                               GObject *profiler);
/* Returns the reference that was taken on entering; NULL: it is not the current one. */
GObject *sw_zone_thread_leave (SwZoneCore *core);
/* The same for the last time it was entered, whatever was entered since. */
GObject *sw_zone_thread_withdraw (SwZoneCore *core);
/* Makes it the default, if there is none. */
void sw_zone_thread_offer_default (SwZoneCore *core);
/* Makes sure that what is current is not gone, nor from before a fork; frees what this thread has for profilers that are
 * gone. For all that is rare. */
SwZoneProducer *sw_zone_thread_refresh (void);
/* So many spans of traces are open on the thread; returns how many zones are. */
guint sw_zone_thread_exchange_depth (guint n_spans);
/* In the child of a fork. */
void sw_zone_thread_forget (void);
/* The producer whose zone a token may name; NULL: this thread has none of this number. */
SwZoneProducer *sw_zone_thread_find_producer (guint64 id);

G_END_DECLS
