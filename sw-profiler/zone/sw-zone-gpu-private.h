/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <pthread.h>

#include "sw-profiler/zone/sw-frame-accumulator-private.h"
#include "sw-profiler/zone/sw-gpu-queue-private.h"
#include "sw-profiler/zone/sw-zone-producer-private.h"

G_BEGIN_DECLS

/* The GPU times of zones: pairs of queries that are handed out, and their results. */

typedef struct _SwGpuPool SwGpuPool;

typedef enum {
  SW_GPU_PAIR_FREE,
  SW_GPU_PAIR_OPEN,      /* its zone has not ended */
  SW_GPU_PAIR_ENDED,     /* both timestamps are in the commands */
  SW_GPU_PAIR_ABANDONED, /* its zone was ended by its thread's end: there is no second timestamp */
} SwGpuPairState;

/* One zone's two queries. */
typedef struct
{
  guint64 correlation; /* its number; also in the CPU zone's row */
  guint64 parent;      /* that of the nearest enclosing zone on the same queue; 0: none */
  guint64 cpu_start;   /* ticks */
  guint32 site;
  SwGpuPairState state;
} SwGpuPair;

/* Beside an open zone that was begun with an encoder. */
typedef struct
{
  SwProfilerEncoder *encoder; /* a reference */
  SwGpuPool *pool;            /* a reference; NULL: the zone has no GPU times */
  guint pair;
  gboolean is_group;
} SwGpuOpen;

typedef struct _SwZoneGpuOpen SwZoneGpuOpen;
struct _SwZoneGpuOpen
{
  SwGpuOpen zones[SW_ZONE_MAX_DEPTH]; /* by slot */
};

/* A result that came before its frame was complete. */
typedef struct
{
  guint32 frame;
  SwFrameGpu gpu;
  guint64 ns;
} SwGpuEarly;

typedef struct
{
  pthread_mutex_t lock; /* of what follows */
  GPtrArray *pools;
  gboolean is_ticking;
  guint64 n_exhausted;
  guint64 last_correlation;

  /* Of the consumer. */
  GHashTable *early; /* correlation -> SwGpuEarly */
  guint64 n_recorded;
  guint64 n_unresolved;
} SwZoneGpu;

void sw_zone_gpu_init (SwZoneGpu *self);
void sw_zone_gpu_clear (SwZoneGpu *self);
/* In the child of a fork: nothing of a device may be touched. */
void sw_zone_gpu_forget (SwZoneGpu *self);

/* Of a zone that the calling thread has just begun, or is about to end. */
void sw_zone_gpu_begin (SwZoneProducer *producer,
                        SwOpenZone *zone,
                        SwProfilerEncoder *encoder);
void sw_zone_gpu_end (SwZoneProducer *producer,
                      SwOpenZone *zone);

/* Reads what has come. Takes locks itself. */
void sw_zone_core_tick (SwZoneCore *core);
guint64 sw_zone_gpu_count_pending (SwZoneGpu *self);
guint64 sw_zone_gpu_count_exhausted (SwZoneGpu *self);
/* Gives the zones of a frame that is complete what came before. With the consumer locked. */
void sw_zone_gpu_settle_frame (SwZoneGpu *self,
                               guint32 frame,
                               GArray *zones);

/* Between the files of this part. */

/* A result on its way to its row. */
typedef struct
{
  SwGpuPool *pool; /* a reference */
  guint index;
  SwGpuPair pair;
  SwGpuResult result;
  guint64 ticks[2];
  guint64 start_ns;
  guint64 duration_ns;
  gboolean is_valid;
  /* Where it was put. */
  guint lane;
  gint32 depth;
  gint64 live_row;
  gint64 capture_row;
  guint64 busy_until; /* the end of the last zone inside it */
} SwGpuReading;

/* Tracks of one queue on which nothing overlaps. With the consumer locked. */
typedef struct
{
  guint64 busy_until;
  SwLane *lane; /* of whoever taps; NULL: nothing was tapped yet */
} SwGpuLane;

/* How many tracks a queue has at most; what overlaps more than that is on the last one. */
#define SW_GPU_MAX_LANES 64

struct _SwGpuPool
{
  SwRefCount refs;
  SwGpuQueue *queue;
  gpointer handle;
  guint n_pairs;
  SwGpuPair *pairs; /* guarded by the SwZoneGpu's lock, as are those that are free */
  guint *free_pairs;
  guint n_free;

  SwGpuLane lanes[SW_GPU_MAX_LANES];
  guint n_lanes;
};

SwGpuPool *sw_gpu_pool_ref (SwGpuPool *self);
void sw_gpu_pool_unref (SwGpuPool *self);
/* Puts results into rows, statistics and counters. With the consumer locked, and drained. */
void sw_zone_gpu_place (SwZoneCore *core,
                        GArray *readings);

G_END_DECLS
