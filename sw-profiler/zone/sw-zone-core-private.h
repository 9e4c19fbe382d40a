/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib-object.h>
#include <pthread.h>

#include "sw-profiler/zone/sw-frame-accumulator-private.h"
#include "sw-profiler/zone/sw-profiler-diagnostics-private.h"
#include "sw-profiler/zone/sw-zone-frames-private.h"
#include "sw-profiler/zone/sw-zone-gpu-private.h"
#include "sw-profiler/zone/sw-zone-producer-private.h"
#include "sw-profiler/zone/sw-zone-profiler-desc-private.h"
#include "sw-profiler/zone/sw-zone-slow-frames-private.h"
#include "sw-profiler/zone/sw-zone-time-private.h"
#include "sw-profiler/zone/sw-zone-trace-builder-private.h"
#include "sw/base/sw-ref-count-private.h"
#include "sw/base/sw-worker-private.h"

G_BEGIN_DECLS

/* What a ZoneProfiler is made of, for as long as a thread may still come by: the object itself may be gone then.
 *
 * Locks, in the order in which one thread may take them: consumer_lock, lock. Producers take neither while they record. */

/* How many zones of one frame its statistics cover. */
#define SW_ZONE_MAX_ZONES_OF_FRAME (1u << 20)

/* What all producers together came to; a producer's own part is added when it goes. */
typedef struct
{
  guint64 consumed; /* events */
  guint64 queue_full;
  guint64 stack_full;
  guint64 first_drop; /* ticks */
  guint64 high_water;
} SwZoneTotals;

/* Guarded by the consumer lock. */
typedef struct
{
  gboolean active;  /* a capture was started, and not stopped or discarded */
  gboolean is_full; /* it reached its limit, and waits to be stopped */
  SwZoneTraceBuilder *builder;
  guint64 start;    /* ticks */
  guint64 start_ns;
  guint64 full_ns;
  SwDiagnosticCounters before; /* at the start */
  guint64 recorded;
  guint64 discarded;
  guint64 memory_limit;
  guint64 unresolved;
} SwZoneCapture;

/* What is counted beside the producers, and by whom: atomic. */
typedef struct
{
  guint64 forced_ends;
  guint64 misplaced_ends;
} SwZoneMishaps;

struct _SwZoneCore
{
  SwRefCount refs;
  SwZoneProfilerDesc desc; /* as it was made */
  GWeakRef object;         /* the ZoneProfiler */
  guint64 number;          /* of the process; in each frame token */

  /* Atomic, read by every producer, rarely written. */
  guint32 enabled;
  guint32 auto_zones;
  guint32 debug_groups;
  guint32 closed; /* the ZoneProfiler is gone */

  SwZoneMishaps mishaps;

  pthread_mutex_t lock;
  SwZoneProducer *producers;
  SwZoneFrames frames;

  pthread_mutex_t consumer_lock;
  SwZoneTime time;
  SwZoneTotals totals;
  SwZoneTraceBuilder *live;
  guint64 start_ns;  /* when the profiler was made */
  guint64 live_rows; /* that were ever appended */
  SwZoneCapture capture;
  SwFrameAccumulator *accumulator;
  SwSlowFrames *slow_frames;
  SwZoneOpenFrames open_frames;
  guint64 backward_clock;
  guint64 hierarchy_loss;
  guint64 late_zones;
  gboolean has_kept_drops; /* whoever taps has counted them for good */
  SwZoneGpu gpu;
  GPtrArray *drained; /* producers, while they are drained */
  gint64 next_rename_ns;

  SwWorker worker;   /* started under the lock */
  gboolean dropped;  /* guarded by the consumer lock: some zone was */
  gboolean told;     /* of the worker: it was said */
  guint32 is_active; /* atomic: a capture that is not full yet, for whoever only asks */
  gint64 slow_threshold_ns;
  gboolean stopping; /* guarded by the lock */

  SwZoneCore *next;    /* of all cores; guarded by the registry's lock */
  gboolean is_retired; /* likewise: found no more by those who look for profilers */
};

SwZoneCore *sw_zone_core_new (const SwZoneProfilerDesc *desc,
                              GObject *object);
SwZoneCore *sw_zone_core_ref (SwZoneCore *self);
void sw_zone_core_unref (SwZoneCore *self);
/* The ZoneProfiler is going: nothing is begun from here on, and what is open when it goes ends for whoever taps alone. */
void sw_zone_core_close (SwZoneCore *self);

static inline const SwZoneProfilerDesc *
sw_zone_core_get_desc (const SwZoneCore *self)
{
  return &self->desc;
}

static inline gboolean
sw_zone_core_is_enabled (const SwZoneCore *self)
{
  /* Relaxed: a switch is seen soon, and orders nothing. */
  return __atomic_load_n (&self->enabled, __ATOMIC_RELAXED) != 0;
}

static inline gboolean
sw_zone_core_is_closed (const SwZoneCore *self)
{
  /* Relaxed: see sw_zone_core_is_enabled (). */
  return __atomic_load_n (&self->closed, __ATOMIC_RELAXED) != 0;
}

void sw_zone_core_set_enabled (SwZoneCore *self,
                               gboolean enabled);
void sw_zone_core_set_auto_zones (SwZoneCore *self,
                                  gboolean enabled);

/* Never blocks. */
static inline void
sw_zone_core_wake (SwZoneCore *self)
{
  sw_worker_wake (&self->worker);
}

void sw_zone_core_count_mishap (guint64 *counter,
                                guint64 n);

/* Takes the producer's reference to itself; the worker runs from here on. */
void sw_zone_core_add_producer (SwZoneCore *self,
                                SwZoneProducer *producer);
/* The producer's thread will publish nothing more: it belongs to the consumer now, or is freed. */
void sw_zone_core_give_up_producer (SwZoneCore *self,
                                    SwZoneProducer *producer);
/* Of another thread; for messages. NULL: there is none. Under the lock. */
SwZoneProducer *sw_zone_core_find_producer (SwZoneCore *self,
                                            guint64 id);

/* Every core whose profiler is not going, with the registry locked. */
void sw_zone_core_foreach (void (*function) (SwZoneCore *core,
                                             gpointer data),
                           gpointer data);
/* A reference; NULL when it is gone. */
SwZoneCore *sw_zone_core_find (guint64 number);

/* Waits, and lets no other thread consume until sw_zone_core_unlock_consumer (). */
void sw_zone_core_lock_consumer (SwZoneCore *self);
void sw_zone_core_unlock_consumer (SwZoneCore *self);
/* Consumes all that was published before, and seals the frames that are complete. Of a closed one, whoever taps gets what
 * threads still end. With the consumer locked. */
void sw_zone_core_drain (SwZoneCore *self);
/* How many zones found no place. With the consumer locked. */
guint64 sw_zone_core_count_drops (SwZoneCore *self);
void sw_zone_core_get_counters (SwZoneCore *self,
                                SwDiagnosticCounters *counters);

/* With the consumer locked; a capture must (not) be active. */
void sw_zone_core_start_capture (SwZoneCore *self,
                                 const SwCaptureDesc *desc);
SwZoneTrace *sw_zone_core_stop_capture (SwZoneCore *self);
void sw_zone_core_discard_capture (SwZoneCore *self);
SwZoneTrace *sw_zone_core_snapshot (SwZoneCore *self);
SwZoneTrace *sw_zone_core_snapshot_slow_frames (SwZoneCore *self);

void sw_zone_core_init_worker (SwZoneCore *self);
void sw_zone_core_stop_worker (SwZoneCore *self);
/* With the lock. */
void sw_zone_core_start_worker (SwZoneCore *self);

/* What follows is of a closed one. With the consumer locked: whoever taps gets what is left; of the producers of threads
 * that have ended, too, which cannot free themselves and go. */
void sw_zone_core_drain_late (SwZoneCore *self);
void sw_zone_core_drop_producers (SwZoneCore *self);
/* On the producer's thread, which is done with it. The caller has a reference. */
void sw_zone_core_drop_late_producer (SwZoneCore *self,
                                      SwZoneProducer *producer);
/* The registry forgets it when no thread has anything open in it any more. */
void sw_zone_core_forget_if_empty (SwZoneCore *self);

/* In the child of a fork, where the caller is the only thread. With both locks. */
void sw_zone_core_disinherit_producers (SwZoneCore *self);
void sw_zone_core_reset_in_child (SwZoneCore *self);

G_END_DECLS
