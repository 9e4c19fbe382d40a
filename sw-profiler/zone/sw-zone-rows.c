/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-rows-private.h"

#include <string.h>

#include "sw-profiler/zone/sw-zone-chunk-private.h"

/* A short trace takes little: its one block grows up to the size that all others have from the start. */
#define FIRST_CAPACITY 64
/* Growing by less than that is not worth a copy. */
#define LEAST_GROWTH(capacity) ((capacity) / 8 + 1)
/* A part takes its place in the array, which may be half empty, and becomes a chunk in the end. */
#define PART_OVERHEAD (2 * sizeof (SwZonePart) + sizeof (SwZoneChunk) + 2 * sizeof (gpointer))

void
sw_zone_rows_init (SwZoneRows *self)
{
  *self = (SwZoneRows){ .n_parts = 0 };
}

static void
free_part (SwZonePart *part)
{
  g_clear_pointer (&part->block, sw_zone_block_unref);
  g_clear_pointer (&part->links, g_free);
}

void
sw_zone_rows_clear (SwZoneRows *self)
{
  for (gsize i = 0; i < self->n_parts; i++)
    free_part (&self->parts[i]);
  free_part (&self->spare);
  g_free (self->parts);
}

static gsize
part_size (guint32 capacity)
{
  return PART_OVERHEAD + sw_zone_block_size (capacity) + capacity * sizeof (gint32);
}

static gboolean
has_growing_part (const SwZoneRows *self)
{
  return self->n_parts == 1 && self->parts[0].block->capacity < SW_ZONE_CHUNK_SIZE;
}

/* How large the next part is to be: as much of what is wanted as fits; 0 for nothing. */
static guint32
choose_capacity (const SwZoneRows *self,
                 gsize room)
{
  guint32 old = has_growing_part (self) ? self->parts[0].block->capacity : 0;
  guint32 wanted = self->n_parts == 0 && self->first_row == 0 ? FIRST_CAPACITY : old > 0 ? 4 * old
                                                                                         : SW_ZONE_CHUNK_SIZE;
  gsize fixed = part_size (0);
  gsize most = room > fixed ? (room - fixed) / (part_size (1) - fixed) : 0;

  /* A part that is not full must stay the last one. */
  if (self->n_parts > 0 && old == 0 && self->parts[self->n_parts - 1].block->capacity < SW_ZONE_CHUNK_SIZE)
    return 0;
  wanted = (guint32) MIN (wanted, most);
  return wanted >= old + LEAST_GROWTH (old) ? wanted : 0;
}

gsize
sw_zone_rows_bytes_for_next (const SwZoneRows *self,
                             gsize room)
{
  guint32 capacity;

  if (self->spare.block != NULL)
    return 0;
  capacity = choose_capacity (self, room);
  return capacity > 0 ? part_size (capacity) : 0;
}

static gboolean
make_part (SwZonePart *part,
           guint32 capacity)
{
  *part = (SwZonePart){ .block = sw_zone_block_new (capacity) };
  part->links = g_try_new (gint32, capacity);
  if (part->block != NULL && part->links != NULL)
    return TRUE;
  free_part (part);
  return FALSE;
}

static void
copy_rows (SwZonePart *to,
           const SwZonePart *from)
{
  guint32 n = from->n_rows;

  memcpy (to->block->start_ns, from->block->start_ns, n * sizeof (guint64));
  memcpy (to->block->duration_ns, from->block->duration_ns, n * sizeof (guint64));
  memcpy (to->block->correlation_id, from->block->correlation_id, n * sizeof (guint64));
  memcpy (to->block->timeline_id, from->block->timeline_id, n * sizeof (guint32));
  memcpy (to->block->site_id, from->block->site_id, n * sizeof (guint32));
  memcpy (to->block->frame_index, from->block->frame_index, n * sizeof (guint32));
  memcpy (to->links, from->links, n * sizeof (gint32));
  to->n_rows = n;
  to->first_row = from->first_row;
}

static SwZonePart *
grow_part (SwZoneRows *self,
           SwZonePart *larger)
{
  SwZonePart *part = &self->parts[0];

  copy_rows (larger, part);
  self->memory_bytes -= part_size (part->block->capacity);
  free_part (part);
  *part = *larger;
  return part;
}

static SwZonePart *
push_part (SwZoneRows *self,
           const SwZonePart *part)
{
  if (self->n_parts == self->capacity)
    {
      self->capacity = MAX (1, 2 * self->capacity);
      self->parts = g_renew (SwZonePart, self->parts, self->capacity);
    }
  self->parts[self->n_parts] = *part;
  self->parts[self->n_parts].first_row = self->end_row;
  return &self->parts[self->n_parts++];
}

SwZonePart *
sw_zone_rows_add_part (SwZoneRows *self,
                       gsize room)
{
  SwZonePart part = self->spare;
  guint32 capacity;

  if (self->end_row - self->first_row >= SW_ZONE_MAX_ROWS)
    return NULL;
  self->spare = (SwZonePart){ .block = NULL };
  if (part.block != NULL)
    {
      part.n_rows = 0;
      return push_part (self, &part);
    }
  capacity = choose_capacity (self, room);
  if (capacity == 0 || !make_part (&part, capacity))
    return NULL;
  self->memory_bytes += part_size (capacity);
  return has_growing_part (self) ? grow_part (self, &part) : push_part (self, &part);
}

void
sw_zone_rows_seal (SwZonePart *part)
{
  sw_zone_block_summarize (part->block, 0, part->n_rows, &part->summary);
}

SwZonePart *
sw_zone_rows_find (SwZoneRows *self,
                   gint64 row)
{
  return &self->parts[(row - self->parts[0].first_row) / SW_ZONE_CHUNK_SIZE];
}

/* NULL when the row is not there any more. */
static gint32 *
find_link (SwZoneRows *self,
           gint64 row)
{
  SwZonePart *part;

  if (row < self->first_row || row >= self->end_row)
    return NULL;
  part = sw_zone_rows_find (self, row);
  return &part->links[row - part->first_row];
}

void
sw_zone_rows_set_parent (SwZoneRows *self,
                         gint64 row,
                         gint64 parent)
{
  gint32 *link = find_link (self, row);

  if (link != NULL)
    *link = sw_zone_rows_make_link (row, parent);
}

void
sw_zone_rows_wait (SwZoneRows *self,
                   gint64 row,
                   gint64 *waiting)
{
  gint32 *link = find_link (self, row);

  if (link == NULL)
    return;
  /* The one before may be long gone, and too far for a link: then the list ends here. */
  *link = *waiting >= self->first_row ? sw_zone_rows_make_link (row, *waiting) | 1 : 0;
  *waiting = row;
}

void
sw_zone_rows_adopt (SwZoneRows *self,
                    gint64 *waiting,
                    gint64 parent)
{
  gint64 row = *waiting;
  gint32 *link;

  while ((link = find_link (self, row)) != NULL)
    {
      gint64 next = *link & 1 ? row + (*link >> 1) : SW_ZONE_NO_ROW;

      *link = sw_zone_rows_make_link (row, parent);
      row = next;
    }
  *waiting = SW_ZONE_NO_ROW;
}

/* Its memory is used again, unless a trace still needs it. */
static void
drop_part (SwZoneRows *self,
           SwZonePart *part)
{
  /* Acquire: whoever read the block has given it back before it is written again. */
  gboolean is_ours = __atomic_load_n (&part->block->ref_count, __ATOMIC_ACQUIRE) == 1;

  if (is_ours && part->block->capacity == SW_ZONE_CHUNK_SIZE && self->spare.block == NULL)
    {
      self->spare = *part;
      return;
    }
  self->memory_bytes -= part_size (part->block->capacity);
  free_part (part);
}

void
sw_zone_rows_drop_before (SwZoneRows *self,
                          gint64 row)
{
  gsize n = 0;

  self->first_row = CLAMP (row, self->first_row, self->end_row);
  while (n < self->n_parts && self->parts[n].first_row + self->parts[n].block->capacity <= self->first_row)
    drop_part (self, &self->parts[n++]);
  if (n == 0)
    return;
  self->n_parts -= n;
  memmove (self->parts, self->parts + n, self->n_parts * sizeof (SwZonePart));
}

/* @parents may be where the links are, or before. */
static void
resolve_parents (const gint32 *links,
                 guint32 n,
                 guint32 first_index,
                 guint32 n_rows,
                 gint32 *parents)
{
  for (guint32 i = 0; i < n; i++)
    {
      gint32 link = links[i];
      gint64 index = (gint64) first_index + i + (link >> 1);
      gboolean has_parent = link != 0 && (link & 1) == 0 && index >= 0 && index < n_rows;

      parents[i] = has_parent ? (gint32) index : -1;
    }
}

static SwZoneChunk *
make_chunk (SwZoneRows *self,
            SwZonePart *part,
            gboolean take)
{
  guint32 offset = (guint32) MAX (self->first_row - part->first_row, 0);
  guint32 n = part->n_rows - offset;
  guint32 first_index = (guint32) (part->first_row + offset - self->first_row);
  gint32 *parents = take ? part->links : g_new (gint32, n);
  SwZoneChunk *chunk;

  resolve_parents (part->links + offset, n, first_index, (guint32) (self->end_row - self->first_row), parents);
  chunk = sw_zone_chunk_new (take ? part->block : sw_zone_block_ref (part->block), offset, n, first_index, parents);
  if (part->n_rows == SW_ZONE_CHUNK_SIZE)
    chunk->summary = part->summary;
  else
    sw_zone_block_summarize (part->block, offset, n, &chunk->summary);
  if (take)
    *part = (SwZonePart){ .block = NULL };
  return chunk;
}

SwZoneChunk **
sw_zone_rows_make_chunks (SwZoneRows *self,
                          gboolean take,
                          guint32 *n_chunks)
{
  SwZoneChunk **chunks = g_new (SwZoneChunk *, self->n_parts);
  guint32 n = 0;

  for (gsize i = 0; i < self->n_parts; i++)
    if (self->parts[i].first_row + self->parts[i].n_rows > self->first_row)
      chunks[n++] = make_chunk (self, &self->parts[i], take);
  if (take)
    self->n_parts = 0;
  *n_chunks = n;
  return chunks;
}
