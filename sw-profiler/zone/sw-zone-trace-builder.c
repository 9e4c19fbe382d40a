/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-trace-builder-private.h"

#include <string.h>

#include "sw-profiler/zone/sw-zone-rows-private.h"
#include "sw-profiler/zone/sw-zone-trace-private.h"

/* Besides its name: the value, its slot, and its entry in a hash table. */
#define TIMELINE_SIZE 256
/* A frame's places in the queue and in the trace. */
#define FRAME_OVERHEAD (sizeof (GList) + sizeof (gpointer))

typedef struct
{
  guint32 id;
  guint64 key;
  SwTimeline *timeline;
  gint64 last_row; /* no row from this one on is of the timeline */
  gsize size;
} TimelineSlot;

struct _SwZoneTraceBuilder
{
  gsize max_memory_bytes;
  gsize memory_bytes;
  SwZoneRows rows;
  GPtrArray *slots;         /* of TimelineSlot; by timeline id */
  GHashTable *slots_by_key; /* its keys are in the slots */
  GQueue frames;            /* of SwZoneFrame */
};

static void
timeline_slot_free (TimelineSlot *self)
{
  sw_timeline_unref (self->timeline);
  g_free (self);
}

SwZoneTraceBuilder *
sw_zone_trace_builder_new (gsize max_memory_bytes)
{
  SwZoneTraceBuilder *self = g_new0 (SwZoneTraceBuilder, 1);

  self->max_memory_bytes = max_memory_bytes;
  sw_zone_rows_init (&self->rows);
  self->slots = g_ptr_array_new_with_free_func ((GDestroyNotify) timeline_slot_free);
  self->slots_by_key = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_queue_init (&self->frames);
  return self;
}

void
sw_zone_trace_builder_free (SwZoneTraceBuilder *self)
{
  sw_zone_rows_clear (&self->rows);
  g_hash_table_unref (self->slots_by_key);
  g_ptr_array_unref (self->slots);
  g_queue_clear_full (&self->frames, (GDestroyNotify) sw_zone_frame_unref);
  g_free (self);
}

static gsize
get_memory_bytes (const SwZoneTraceBuilder *self)
{
  return self->memory_bytes + self->rows.memory_bytes;
}

static gsize
get_room (const SwZoneTraceBuilder *self)
{
  gsize memory_bytes = get_memory_bytes (self);

  return self->max_memory_bytes > memory_bytes ? self->max_memory_bytes - memory_bytes : 0;
}

/* Takes the bytes; FALSE when the limit has no room for them. */
static gboolean
take_bytes (SwZoneTraceBuilder *self,
            gsize n_bytes)
{
  if (n_bytes > get_room (self))
    return FALSE;
  self->memory_bytes += n_bytes;
  return TRUE;
}

gint64
sw_zone_trace_builder_append (SwZoneTraceBuilder *self,
                              const SwZoneRow *row)
{
  TimelineSlot *slot;
  SwZonePart *part;

  g_return_val_if_fail (row->timeline_id < self->slots->len, SW_ZONE_NO_ROW);

  part = sw_zone_rows_open_part (&self->rows);
  if (part == NULL)
    part = sw_zone_rows_add_part (&self->rows, get_room (self));
  if (part == NULL)
    return SW_ZONE_NO_ROW;
  slot = g_ptr_array_index (self->slots, row->timeline_id);
  slot->last_row = sw_zone_rows_put (&self->rows, part, row);
  return slot->last_row;
}

void
sw_zone_trace_builder_set_parent (SwZoneTraceBuilder *self,
                                  gint64 row,
                                  gint64 parent)
{
  sw_zone_rows_set_parent (&self->rows, row, parent);
}

void
sw_zone_trace_builder_wait (SwZoneTraceBuilder *self,
                            gint64 row,
                            gint64 *waiting)
{
  sw_zone_rows_wait (&self->rows, row, waiting);
}

void
sw_zone_trace_builder_adopt (SwZoneTraceBuilder *self,
                             gint64 *waiting,
                             gint64 parent)
{
  sw_zone_rows_adopt (&self->rows, waiting, parent);
}

static TimelineSlot *
find_slot (SwZoneTraceBuilder *self,
           guint64 key)
{
  return g_hash_table_lookup (self->slots_by_key, &key);
}

guint32
sw_zone_trace_builder_find_timeline (SwZoneTraceBuilder *self,
                                     guint64 key)
{
  TimelineSlot *slot = find_slot (self, key);

  return slot != NULL ? slot->id : SW_ZONE_NO_TIMELINE;
}

/* One that no row is left of; NULL for none. */
static TimelineSlot *
find_forgotten (SwZoneTraceBuilder *self)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      TimelineSlot *slot = g_ptr_array_index (self->slots, i);

      if (slot->last_row < self->rows.first_row)
        return slot;
    }
  return NULL;
}

static TimelineSlot *
add_slot (SwZoneTraceBuilder *self)
{
  TimelineSlot *slot = g_new0 (TimelineSlot, 1);

  slot->id = self->slots->len;
  g_ptr_array_add (self->slots, slot);
  return slot;
}

/* The slot changes hands; the caller made sure of the memory. */
static void
fill_slot (SwZoneTraceBuilder *self,
           TimelineSlot *slot,
           guint64 key,
           SwTimeline *timeline)
{
  if (slot->timeline != NULL)
    {
      g_hash_table_remove (self->slots_by_key, &slot->key);
      sw_timeline_unref (slot->timeline);
    }
  slot->key = key;
  slot->timeline = sw_timeline_ref (timeline);
  /* As if the next row were of it: else it would be forgotten before it has one. */
  slot->last_row = MAX (slot->last_row, self->rows.end_row);
  g_hash_table_insert (self->slots_by_key, &slot->key, slot);
}

guint32
sw_zone_trace_builder_add_timeline (SwZoneTraceBuilder *self,
                                    guint64 key,
                                    SwTimeline *timeline)
{
  gsize size = TIMELINE_SIZE + strlen (sw_timeline_get_name (timeline));
  TimelineSlot *slot = find_slot (self, key);
  gsize old_size;

  if (slot == NULL)
    slot = find_forgotten (self);
  old_size = slot != NULL ? slot->size : 0;
  if (size > old_size && !take_bytes (self, size - old_size))
    return SW_ZONE_NO_TIMELINE;
  if (size < old_size)
    self->memory_bytes -= old_size - size;
  if (slot == NULL)
    slot = add_slot (self);
  slot->size = size;
  fill_slot (self, slot, key, timeline);
  return slot->id;
}

gboolean
sw_zone_trace_builder_add_frame (SwZoneTraceBuilder *self,
                                 guint32 index,
                                 const char *name,
                                 guint64 begin_ns,
                                 guint64 end_ns)
{
  if (!take_bytes (self, sw_zone_frame_size (name) + FRAME_OVERHEAD))
    return FALSE;
  g_queue_push_tail (&self->frames, sw_zone_frame_new (index, name, begin_ns, end_ns));
  return TRUE;
}

gint64
sw_zone_trace_builder_first_row (const SwZoneTraceBuilder *self)
{
  return self->rows.first_row;
}

gint64
sw_zone_trace_builder_end_row (const SwZoneTraceBuilder *self)
{
  return self->rows.end_row;
}

gsize
sw_zone_trace_builder_memory_bytes (const SwZoneTraceBuilder *self)
{
  return get_memory_bytes (self);
}

gsize
sw_zone_trace_builder_bytes_for_next (SwZoneTraceBuilder *self)
{
  return sw_zone_rows_open_part (&self->rows) != NULL ? 0 : sw_zone_rows_bytes_for_next (&self->rows, G_MAXSIZE);
}

static void
drop_frame (SwZoneTraceBuilder *self)
{
  SwZoneFrame *frame = g_queue_pop_head (&self->frames);

  self->memory_bytes -= sw_zone_frame_size (sw_zone_frame_get_name (frame)) + FRAME_OVERHEAD;
  sw_zone_frame_unref (frame);
}

/* Whether the oldest row is of a frame before this one, or of the time before it. */
static gboolean
is_before (SwZoneTraceBuilder *self,
           SwZoneFrame *frame)
{
  gint64 row = self->rows.first_row;
  const SwZonePart *part = sw_zone_rows_find (&self->rows, row);
  gsize i = (gsize) (row - part->first_row);

  if (part->block->frame_index[i] != SW_ZONE_NO_FRAME)
    return part->block->frame_index[i] < sw_zone_frame_get_index (frame);
  return sw_zone_end_ns (part->block->start_ns[i], part->block->duration_ns[i]) <= sw_zone_frame_get_start_ns (frame);
}

static void
drop_rows_before (SwZoneTraceBuilder *self,
                  SwZoneFrame *frame)
{
  while (self->rows.first_row < self->rows.end_row && is_before (self, frame))
    sw_zone_rows_drop_before (&self->rows, self->rows.first_row + 1);
}

void
sw_zone_trace_builder_trim (SwZoneTraceBuilder *self,
                            gsize max_rows,
                            gsize max_frames)
{
  gboolean has_dropped_frame = self->frames.length > max_frames;

  if ((guint64) (self->rows.end_row - self->rows.first_row) > max_rows)
    sw_zone_rows_drop_before (&self->rows, self->rows.end_row - (gint64) max_rows);
  while (self->frames.length > max_frames)
    drop_frame (self);
  if (has_dropped_frame && self->frames.length > 0)
    drop_rows_before (self, g_queue_peek_head (&self->frames));
}

static SwTimeline **
copy_timelines (SwZoneTraceBuilder *self)
{
  SwTimeline **timelines = g_new (SwTimeline *, self->slots->len);

  for (guint i = 0; i < self->slots->len; i++)
    timelines[i] = sw_timeline_ref (((TimelineSlot *) g_ptr_array_index (self->slots, i))->timeline);
  return timelines;
}

static SwZoneFrame **
copy_frames (SwZoneTraceBuilder *self)
{
  SwZoneFrame **frames = g_new (SwZoneFrame *, self->frames.length);
  guint n = 0;

  for (GList *l = self->frames.head; l != NULL; l = l->next)
    frames[n++] = sw_zone_frame_ref (l->data);
  return frames;
}

static SwZoneTrace *
make_trace (SwZoneTraceBuilder *self,
            const SwZoneTraceInfo *info,
            gboolean take)
{
  SwZoneTrace *trace = g_new0 (SwZoneTrace, 1);

  sw_ref_count_init (&trace->ref_count);
  trace->truncated = info->truncated != FALSE;
  trace->stop_reason = info->stop_reason;
  trace->start_ns = info->start_ns;
  trace->stop_ns = info->stop_ns;
  trace->memory_bytes = get_memory_bytes (self);
  trace->diagnostics = sw_profiler_diagnostics_new (&info->diagnostics);
  trace->n_zones = (guint32) (self->rows.end_row - self->rows.first_row);
  trace->n_timelines = self->slots->len;
  trace->timelines = copy_timelines (self);
  trace->n_frames = self->frames.length;
  trace->frames = copy_frames (self);
  trace->chunks = sw_zone_rows_make_chunks (&self->rows, take, &trace->n_chunks);
  return trace;
}

SwZoneTrace *
sw_zone_trace_builder_snapshot (SwZoneTraceBuilder *self,
                                const SwZoneTraceInfo *info)
{
  return make_trace (self, info, FALSE);
}

SwZoneTrace *
sw_zone_trace_builder_finish (SwZoneTraceBuilder *self,
                              const SwZoneTraceInfo *info)
{
  SwZoneTrace *trace = make_trace (self, info, TRUE);

  sw_zone_trace_builder_free (self);
  return trace;
}
