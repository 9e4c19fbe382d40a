/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_ZONE_CHUNK (sw_zone_chunk_get_type ())

typedef struct _SwZoneChunk SwZoneChunk;

/**
 * SwZoneColumn:
 * @SW_ZONE_COLUMN_START_NS: when the zone began, in nanoseconds of the monotonic clock; unsigned, 64 bits
 * @SW_ZONE_COLUMN_DURATION_NS: how long it took, in nanoseconds; unsigned, 64 bits
 * @SW_ZONE_COLUMN_CORRELATION_ID: what the zone has in common with its counterpart on another timeline; 0 for nothing;
 *   unsigned, 64 bits
 * @SW_ZONE_COLUMN_TIMELINE_ID: the place of its timeline among those of the trace, from 0; unsigned, 32 bits
 * @SW_ZONE_COLUMN_SITE_ID: the number of its site, from 1; unsigned, 32 bits
 * @SW_ZONE_COLUMN_PARENT_INDEX: the place of the zone around it, counted through the whole trace from 0; -1 for a root;
 *   signed, 32 bits
 * @SW_ZONE_COLUMN_FRAME_INDEX: the number of the frame that was open when it began, or
 *   [const@Strideweave.ZONE_NO_FRAME]; unsigned, 32 bits
 *
 * The columns in which a trace keeps its zones, with the type of their numbers, which are in the machine's byte order.
 */
typedef enum {
  SW_ZONE_COLUMN_START_NS,
  SW_ZONE_COLUMN_DURATION_NS,
  SW_ZONE_COLUMN_CORRELATION_ID,
  SW_ZONE_COLUMN_TIMELINE_ID,
  SW_ZONE_COLUMN_SITE_ID,
  SW_ZONE_COLUMN_PARENT_INDEX,
  SW_ZONE_COLUMN_FRAME_INDEX,
} SwZoneColumn;

SW_AVAILABLE_IN_0_1
GType sw_zone_chunk_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwZoneChunk *sw_zone_chunk_ref (SwZoneChunk *self);
SW_AVAILABLE_IN_0_1
void sw_zone_chunk_unref (SwZoneChunk *self);

SW_AVAILABLE_IN_0_1
guint32 sw_zone_chunk_get_zone_count (SwZoneChunk *self);
SW_AVAILABLE_IN_0_1
guint32 sw_zone_chunk_get_first_index (SwZoneChunk *self);
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_column (SwZoneChunk *self,
                                  SwZoneColumn column,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_start_ns (SwZoneChunk *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_duration_ns (SwZoneChunk *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_correlation_id (SwZoneChunk *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_timeline_id (SwZoneChunk *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_site_id (SwZoneChunk *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_parent_index (SwZoneChunk *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_chunk_dup_frame_index (SwZoneChunk *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwZoneChunk, sw_zone_chunk_unref)

G_END_DECLS
