/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-block-private.h"
#include "sw-profiler/zone/sw-zone-chunk.h"

G_BEGIN_DECLS

struct _SwZoneChunk
{
  SwRefCount ref_count;
  guint32 offset; /* of the first row in the block */
  guint32 n_zones;
  guint32 first_index; /* of the first row in the trace */
  SwZoneBlock *block;
  gint32 *parent_index; /* by row, from 0 */
  SwZoneSummary summary;
};

/* Takes the block's reference and the parents. */
SwZoneChunk *sw_zone_chunk_new (SwZoneBlock *block,
                                guint32 offset,
                                guint32 n_zones,
                                guint32 first_index,
                                gint32 *parent_index) G_GNUC_WARN_UNUSED_RESULT;

/* A column from the chunk's first row on. */
#define sw_zone_chunk_column(chunk, name) ((chunk)->block->name + (chunk)->offset)

G_END_DECLS
