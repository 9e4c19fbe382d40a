/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-ring-private.h"
#include "sw-profiler/zone/sw-zone-scope.h"
#include "sw-profiler/zone/sw-zone-trace-builder-private.h"
#include "sw/base/sw-lane-private.h"

G_BEGIN_DECLS

/* So that a token is exact as a double, see sw-zone-token.c. */
#define SW_ZONE_PRODUCER_ID_BITS 21
#define SW_ZONE_PRODUCER_ID_MASK (((guint64) 1 << SW_ZONE_PRODUCER_ID_BITS) - 1)

typedef struct _SwZoneCore SwZoneCore;
typedef struct _SwZoneProducer SwZoneProducer;
typedef struct _SwZoneThread SwZoneThread;

/* A zone that is open. It lies in its producer; a scope holds a pointer to it, and nothing else.
 *
 * Its start is 0 while the slot is free, and for the moment between its announcement and the reading of the clock. */
struct _SwOpenZone
{
  guint64 start;
  guint64 serial; /* what the token of a binding names; 0: a scope of C */
  guint64 correlation;
  guint32 site;
  guint8 slot;
  guint8 parent;
  guint8 flags;
  guint8 depth;
};

/* What a thread counts; only it writes, anyone may read. */
typedef struct
{
  guint64 queue_full;
  guint64 stack_full;
  guint64 first_drop; /* ticks */
} SwZoneDrops;

/* What the consumer knows of a producer. Children arrive before their parents, and wait for them by slot. */
typedef struct
{
  guint64 tail; /* how many events were consumed */
  gint64 live_waiting[SW_ZONE_MAX_DEPTH];
  gint64 capture_waiting[SW_ZONE_MAX_DEPTH];
  gint32 frame_waiting[SW_ZONE_MAX_DEPTH]; /* the last child among the zones of the frame; they are linked by their parents */
  guint32 frame_of_waiting[SW_ZONE_MAX_DEPTH];
  guint32 live_timeline;
  guint32 capture_timeline;
  SwLane *lane;
  guint64 inner[SW_ZONE_MAX_DEPTH]; /* ticks; of whoever taps: the children of a slot so far */
} SwZoneConsumed;

/* Where one thread records zones for one profiler.
 *
 * Whoever begins a zone is sure of a place for its event: zones that are open count against the capacity. So a zone is
 * either recorded or dropped as a whole, when it begins, and children never lose a parent to a full queue. */
struct _SwZoneProducer
{
  SwOpenZone zones[SW_ZONE_MAX_DEPTH]; /* first: a zone finds its producer by its slot */

  /* Written by the thread; others read what is said to be atomic. */
  gsize owner;          /* sw_zone_get_owner () of the thread; 0: it ended or left */
  guint64 open;         /* atomic: one bit for each open zone */
  guint64 detached;     /* atomic: those of them whose enclosing zone ended first */
  guint64 head;         /* atomic: how many events were published */
  guint64 begun;        /* head and how many zones are open */
  guint64 begin_limit;  /* begun stays below it */
  guint64 wake_limit;   /* the head at which to wake the worker */
  guint64 last_serial;
  guint8 innermost; /* the slot of the innermost zone; SW_ZONE_NO_SLOT: none */
  guint8 n_outer;   /* how many spans, while those are recorded, and zones of other profilers the thread has open */
  /* Of detached zones: when the zone around them ended, or a zone inside them that ended later. They end here if nobody
   * ends them. */
  guint64 left_behind[SW_ZONE_MAX_DEPTH];
  SwZoneRing ring;
  SwZoneDrops drops; /* atomic */
  SwZoneCore *core;  /* a reference; NULL: left behind by a fork */
  SwLane *lane;
  struct _SwZoneGpuOpen *gpu; /* NULL before the first zone that has an encoder */
  guint64 id; /* of the process, from 0 again after SW_ZONE_PRODUCER_ID_MASK; in each token */
  SwZoneProducer *next_of_thread;

  __attribute__ ((aligned (64))) guint64 tail; /* atomic: written by the consumer */
  guint32 ended;                    /* atomic: nothing more will be published */

  SwZoneProducer *next_of_core; /* guarded by the core's lock */
  SwZoneConsumed consumed;      /* guarded by the core's consumer lock */
};

/* NULL without memory. */
SwZoneProducer *sw_zone_producer_new (SwZoneCore *core,
                                      SwLane *lane);
void sw_zone_producer_free (SwZoneProducer *self);
/* In the child of a fork: scopes may still end zones of it, without any effect, if it is of the thread that forked. */
void sw_zone_producer_disinherit (SwZoneProducer *self);

/* The zone is recorded; NULL: it was dropped, and counted. */
SwOpenZone *sw_zone_producer_begin (SwZoneProducer *self,
                                    guint32 site);
/* Ends a zone that is open, of the calling thread. FALSE: it was not the innermost. */
gboolean sw_zone_producer_end (SwZoneProducer *self,
                               SwOpenZone *zone,
                               guint64 end);
/* Ends all that are open, marked as forced. Returns how many. */
guint sw_zone_producer_end_all (SwZoneProducer *self);

/* Whether zones that began in [@begin, @end) are open, apart from detached ones. */
typedef enum {
  SW_ZONE_SCAN_NONE,
  SW_ZONE_SCAN_SOME,
  SW_ZONE_SCAN_UNKNOWN, /* a zone is just beginning: ask again */
} SwZoneScan;

SwZoneScan sw_zone_producer_scan (SwZoneProducer *self,
                                  guint64 begin,
                                  guint64 end);

static inline SwZoneProducer *
sw_open_zone_get_producer (SwOpenZone *zone)
{
  return (SwZoneProducer *) (gpointer) (zone - zone->slot);
}

/* Something that differs between threads that live at the same time, and is cheap to get. */
static inline gsize
sw_zone_get_owner (void)
{
#if defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)
  gsize owner;

  /* The thread's control block begins with its own address. */
  __asm__ ("mov %%fs:0, %0" : "=r" (owner));
  return owner;
#elif defined(__aarch64__)
  return (gsize) __builtin_thread_pointer ();
#else
  static _Thread_local char place;

  return (gsize) &place;
#endif
}

G_END_DECLS
