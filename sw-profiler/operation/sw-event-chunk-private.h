/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The first chunk is small, so that a short session costs little; all others are of one size, so that an event's place
 * follows from its number. */
#define SW_FIRST_CHUNK_SIZE 256
#define SW_CHUNK_SHIFT 12
#define SW_CHUNK_SIZE (1 << SW_CHUNK_SHIFT)

/* Columns of up to capacity events. 36 bytes an event, 32 without shapes. */
typedef struct
{
  guint capacity;
  gint64 *start;
  gint64 *duration;
  gint64 *self;
  guint32 *parent;
  guint32 *site;
  guint32 *shapes; /* NULL when no shapes are recorded */
  gint64 storage[];
} SwEventChunk;

/* NULL without memory. */
static inline SwEventChunk *
sw_event_chunk_new (guint capacity,
                    gboolean with_shapes)
{
  gsize size = capacity * (3 * sizeof (gint64) + (with_shapes ? 3 : 2) * sizeof (guint32));
  SwEventChunk *self = g_try_malloc (sizeof (SwEventChunk) + size);

  if (self == NULL)
    return NULL;

  self->capacity = capacity;
  self->start = self->storage;
  self->duration = self->start + capacity;
  self->self = self->duration + capacity;
  self->parent = (guint32 *) (self->self + capacity);
  self->site = self->parent + capacity;
  self->shapes = with_shapes ? self->site + capacity : NULL;
  return self;
}

static inline guint
sw_event_chunk_index (guint32 row)
{
  return row < SW_FIRST_CHUNK_SIZE ? 0 : 1 + ((row - SW_FIRST_CHUNK_SIZE) >> SW_CHUNK_SHIFT);
}

static inline guint
sw_event_chunk_offset (guint32 row)
{
  return row < SW_FIRST_CHUNK_SIZE ? row : (row - SW_FIRST_CHUNK_SIZE) & (SW_CHUNK_SIZE - 1);
}

G_END_DECLS
