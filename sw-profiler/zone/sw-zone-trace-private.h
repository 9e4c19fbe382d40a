/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-chunk-private.h"
#include "sw-profiler/zone/sw-zone-frame-private.h"
#include "sw-profiler/zone/sw-zone-trace.h"

G_BEGIN_DECLS

/* The ids of all sites that a trace has zones of, ascending. */
typedef struct
{
  guint32 n_ids;
  guint32 ids[];
} SwSiteList;

struct _SwZoneTrace
{
  SwRefCount ref_count;
  gboolean truncated;
  SwStopReason stop_reason;
  guint64 start_ns;
  guint64 stop_ns;
  guint64 memory_bytes;
  SwProfilerDiagnostics *diagnostics;
  guint32 n_zones;
  guint32 n_chunks;
  guint32 n_timelines;
  guint32 n_frames;
  SwZoneChunk **chunks; /* all full but the first and the last */
  SwTimeline **timelines;
  SwZoneFrame **frames;
  SwSiteList *sites; /* made when first asked for; atomic */
};

const SwSiteList *sw_zone_trace_peek_sites (SwZoneTrace *self);

/* The chunk of a zone of the trace. */
static inline SwZoneChunk *
sw_zone_trace_find_chunk (const SwZoneTrace *self,
                          guint32 index)
{
  guint32 n_first = self->chunks[0]->n_zones;

  return self->chunks[index < n_first ? 0 : 1 + (index - n_first) / SW_ZONE_CHUNK_SIZE];
}

G_END_DECLS
