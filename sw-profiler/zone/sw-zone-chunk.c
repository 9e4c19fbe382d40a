/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-chunk-private.h"

#include "sw/base/sw-error.h"

/**
 * SwZoneChunk:
 *
 * Up to 4,096 consecutive zones of a [struct@Strideweave.ZoneTrace], in columns.
 *
 * A column's bytes are the memory that the zones are in, not a copy of it. They keep the chunk alive, and the chunk needs
 * neither the trace nor the profiler. Nobody may write to them.
 *
 * The value never changes and may be used from any thread.
 */

G_DEFINE_BOXED_TYPE (SwZoneChunk, sw_zone_chunk, sw_zone_chunk_ref, sw_zone_chunk_unref)

SwZoneChunk *
sw_zone_chunk_new (SwZoneBlock *block,
                   guint32 offset,
                   guint32 n_zones,
                   guint32 first_index,
                   gint32 *parent_index)
{
  SwZoneChunk *self = g_new0 (SwZoneChunk, 1);

  sw_ref_count_init (&self->ref_count);
  self->block = block;
  self->offset = offset;
  self->n_zones = n_zones;
  self->first_index = first_index;
  self->parent_index = parent_index;
  return self;
}

/**
 * sw_zone_chunk_ref:
 * @self: the chunk
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwZoneChunk *
sw_zone_chunk_ref (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_zone_chunk_unref:
 * @self: (transfer full): the chunk
 *
 * Gives a reference back. May be called on any thread; the last one frees the chunk.
 */
void
sw_zone_chunk_unref (SwZoneChunk *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  sw_zone_block_unref (self->block);
  g_free (self->parent_index);
  g_free (self);
}

/**
 * sw_zone_chunk_get_zone_count:
 * @self: the chunk
 *
 * Returns how many zones are in the chunk.
 *
 * Returns: the number of zones, at most 4,096
 */
guint32
sw_zone_chunk_get_zone_count (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_zones;
}

/**
 * sw_zone_chunk_get_first_index:
 * @self: the chunk
 *
 * Returns the place of the chunk's first zone among all zones of the trace.
 *
 * Returns: the index, from 0
 */
guint32
sw_zone_chunk_get_first_index (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->first_index;
}

static GBytes *
make_bytes (SwZoneChunk *self,
            gconstpointer column,
            gsize size)
{
  return g_bytes_new_with_free_func (column, self->n_zones * size, (GDestroyNotify) sw_zone_chunk_unref,
                                     sw_zone_chunk_ref (self));
}

/**
 * sw_zone_chunk_dup_column:
 * @self: the chunk
 * @column: which column
 * @error: return location for an error
 *
 * Returns one column, without copying it.
 *
 * Fails with %SW_ERROR_VALUE when there is no such column.
 *
 * Returns: (transfer full): the numbers of the column, of the type that [enum@Strideweave.ZoneColumn] tells
 */
GBytes *
sw_zone_chunk_dup_column (SwZoneChunk *self,
                          SwZoneColumn column,
                          GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  switch (column)
    {
    case SW_ZONE_COLUMN_START_NS:
      return sw_zone_chunk_dup_start_ns (self);
    case SW_ZONE_COLUMN_DURATION_NS:
      return sw_zone_chunk_dup_duration_ns (self);
    case SW_ZONE_COLUMN_CORRELATION_ID:
      return sw_zone_chunk_dup_correlation_id (self);
    case SW_ZONE_COLUMN_TIMELINE_ID:
      return sw_zone_chunk_dup_timeline_id (self);
    case SW_ZONE_COLUMN_SITE_ID:
      return sw_zone_chunk_dup_site_id (self);
    case SW_ZONE_COLUMN_PARENT_INDEX:
      return sw_zone_chunk_dup_parent_index (self);
    case SW_ZONE_COLUMN_FRAME_INDEX:
      return sw_zone_chunk_dup_frame_index (self);
    default:
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "column is %d, which is no column", (int) column);
      return NULL;
    }
}

/**
 * sw_zone_chunk_dup_start_ns:
 * @self: the chunk
 *
 * Returns when the zones began, in nanoseconds of the monotonic clock. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 64-bit integers, one for each zone
 */
GBytes *
sw_zone_chunk_dup_start_ns (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_bytes (self, sw_zone_chunk_column (self, start_ns), sizeof (guint64));
}

/**
 * sw_zone_chunk_dup_duration_ns:
 * @self: the chunk
 *
 * Returns how long the zones took, in nanoseconds. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 64-bit integers, one for each zone
 */
GBytes *
sw_zone_chunk_dup_duration_ns (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_bytes (self, sw_zone_chunk_column (self, duration_ns), sizeof (guint64));
}

/**
 * sw_zone_chunk_dup_correlation_id:
 * @self: the chunk
 *
 * Returns what the zones have in common with counterparts on other timelines; 0 for nothing. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 64-bit integers, one for each zone
 */
GBytes *
sw_zone_chunk_dup_correlation_id (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_bytes (self, sw_zone_chunk_column (self, correlation_id), sizeof (guint64));
}

/**
 * sw_zone_chunk_dup_timeline_id:
 * @self: the chunk
 *
 * Returns the places of their timelines among those of the trace, from 0. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 32-bit integers, one for each zone
 */
GBytes *
sw_zone_chunk_dup_timeline_id (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_bytes (self, sw_zone_chunk_column (self, timeline_id), sizeof (guint32));
}

/**
 * sw_zone_chunk_dup_site_id:
 * @self: the chunk
 *
 * Returns the numbers of their sites, from 1. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 32-bit integers, one for each zone
 */
GBytes *
sw_zone_chunk_dup_site_id (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_bytes (self, sw_zone_chunk_column (self, site_id), sizeof (guint32));
}

/**
 * sw_zone_chunk_dup_parent_index:
 * @self: the chunk
 *
 * Returns the places of the zones around them, counted through the whole trace from 0; -1 for a root. Nothing is copied.
 *
 * Returns: (transfer full): signed 32-bit integers, one for each zone
 */
GBytes *
sw_zone_chunk_dup_parent_index (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_bytes (self, self->parent_index, sizeof (gint32));
}

/**
 * sw_zone_chunk_dup_frame_index:
 * @self: the chunk
 *
 * Returns the numbers of the frames that were open when they began, or [const@Strideweave.ZONE_NO_FRAME]. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 32-bit integers, one for each zone
 */
GBytes *
sw_zone_chunk_dup_frame_index (SwZoneChunk *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_bytes (self, sw_zone_chunk_column (self, frame_index), sizeof (guint32));
}
