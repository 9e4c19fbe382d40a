/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SW_ZONE_MAX_DEPTH 64
#define SW_ZONE_NO_SLOT 0xff

/* What one zone leaves behind when it ends. Its thread publishes these in the order of their ends. */
typedef struct
{
  guint64 start; /* ticks */
  guint64 end;
  guint32 site;
  guint8 slot;   /* where the zone was kept while it was open: its children named it as their parent */
  guint8 parent; /* the slot of the innermost enclosing zone that was still open; SW_ZONE_NO_SLOT: none */
  guint8 flags;  /* of SwZoneEventFlags */
  guint8 depth;  /* how many zones of the profiler were open around it, and spans of a trace: see the producer's */
  guint64 correlation; /* of the zone's GPU measurement; 0: none was asked for */
} SwZoneEvent;

G_STATIC_ASSERT (sizeof (SwZoneEvent) == 32);

typedef enum {
  SW_ZONE_EVENT_FORCED = 1 << 0,        /* nobody ended it: its thread did, or its enclosing zone */
  SW_ZONE_EVENT_GPU = 1 << 1,           /* GPU times will come, under the correlation number */
  SW_ZONE_EVENT_GPU_EXHAUSTED = 1 << 2, /* GPU times were asked for, and no queries were left */
  SW_ZONE_EVENT_ENCODER = 1 << 3,       /* the zone was begun with an encoder, which is kept until it ends */
  SW_ZONE_EVENT_AUTO = 1 << 4,          /* a dispatched operation, that is a zone by itself */
} SwZoneEventFlags;

/* A queue of events between one thread, which writes, and whoever holds the consumer's lock. Its memory comes from the
 * system directly, is not touched before it is used, and goes back there. */
typedef struct
{
  SwZoneEvent *events;
  guint64 mask;
  guint64 capacity;
} SwZoneRing;

gboolean sw_zone_ring_init (SwZoneRing *self,
                            guint64 capacity);
void sw_zone_ring_clear (SwZoneRing *self);

G_END_DECLS
