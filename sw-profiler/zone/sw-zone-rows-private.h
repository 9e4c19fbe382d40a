/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-block-private.h"
#include "sw-profiler/zone/sw-zone-chunk.h"
#include "sw-profiler/zone/sw-zone-trace-builder-private.h"

G_BEGIN_DECLS

/* A link has room for no longer distance. */
#define SW_ZONE_MAX_ROWS ((gint64) 1 << 30)

/* One block being filled, with what its owner alone knows: how its rows hang together.
 *
 * A link is 0, or twice the distance to the row's parent, or twice the distance to the row that waits for the same parent,
 * plus 1. Distances stay right when older rows go. */
typedef struct
{
  SwZoneBlock *block;
  gint32 *links;
  guint32 n_rows;
  gint64 first_row;
  SwZoneSummary summary; /* once it has SW_ZONE_CHUNK_SIZE rows */
} SwZonePart;

/* Rows, oldest first. All parts but the last one are full. */
typedef struct
{
  SwZonePart *parts;
  gsize n_parts;
  gsize capacity;
  gint64 first_row; /* rows of the first part before it are dropped */
  gint64 end_row;
  gsize memory_bytes;
  SwZonePart spare; /* memory of a dropped part, for the next one */
} SwZoneRows;

void sw_zone_rows_init (SwZoneRows *self);
void sw_zone_rows_clear (SwZoneRows *self);

/* NULL: sw_zone_rows_add_part () has to make one first. */
static inline SwZonePart *
sw_zone_rows_open_part (SwZoneRows *self)
{
  SwZonePart *part = self->n_parts > 0 ? &self->parts[self->n_parts - 1] : NULL;

  return part != NULL && part->n_rows < part->block->capacity ? part : NULL;
}

/* The memory that the next part takes while it is made, if it can be had from @room; 0 if none fits. */
gsize sw_zone_rows_bytes_for_next (const SwZoneRows *self,
                                   gsize room);
/* NULL when @room is too small, or the machine's memory. */
SwZonePart *sw_zone_rows_add_part (SwZoneRows *self,
                                   gsize room);
void sw_zone_rows_seal (SwZonePart *part);

static inline gint32
sw_zone_rows_make_link (gint64 row,
                        gint64 other)
{
  gint64 distance = other - row;

  if (other == SW_ZONE_NO_ROW || distance <= -SW_ZONE_MAX_ROWS || distance >= SW_ZONE_MAX_ROWS)
    return 0;
  return (gint32) (distance * 2);
}

static inline gint64
sw_zone_rows_put (SwZoneRows *self,
                  SwZonePart *part,
                  const SwZoneRow *row)
{
  SwZoneBlock *block = part->block;
  guint32 i = part->n_rows++;

  block->start_ns[i] = row->start_ns;
  block->duration_ns[i] = row->duration_ns;
  block->correlation_id[i] = row->correlation_id;
  block->timeline_id[i] = row->timeline_id;
  block->site_id[i] = row->site_id;
  block->frame_index[i] = row->frame_index;
  part->links[i] = sw_zone_rows_make_link (self->end_row, row->parent);
  if (part->n_rows == SW_ZONE_CHUNK_SIZE)
    sw_zone_rows_seal (part);
  return self->end_row++;
}

void sw_zone_rows_set_parent (SwZoneRows *self,
                              gint64 row,
                              gint64 parent);
void sw_zone_rows_wait (SwZoneRows *self,
                        gint64 row,
                        gint64 *waiting);
void sw_zone_rows_adopt (SwZoneRows *self,
                         gint64 *waiting,
                         gint64 parent);

/* Drops all rows before this one. */
void sw_zone_rows_drop_before (SwZoneRows *self,
                               gint64 row);
/* The part of a row that is there. */
SwZonePart *sw_zone_rows_find (SwZoneRows *self,
                               gint64 row);

/* Chunks of all rows, in order: their number is returned in @n_chunks. With @take, the parts' memory becomes theirs, and
 * nothing is left. */
SwZoneChunk **sw_zone_rows_make_chunks (SwZoneRows *self,
                                        gboolean take,
                                        guint32 *n_chunks);

G_END_DECLS
