/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-slow-frames-private.h"

typedef struct
{
  guint32 index;
  char *name;
  guint64 begin_ns;
  guint64 end_ns;
  guint n_zones;
  SwFrameZone *zones;
  GArray *rows;
} SlowFrame;

struct _SwSlowFrames
{
  gsize max_rows;
  gsize max_frames;
  gsize n_rows;
  gint64 threshold_ns;
  GPtrArray *frames; /* of SlowFrame, by their indices */
};

static void
clear_row (gpointer row)
{
  sw_lane_unref (((SwSlowRow *) row)->lane);
}

GArray *
sw_slow_rows_new (void)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (SwSlowRow));

  g_array_set_clear_func (rows, clear_row);
  return rows;
}

void
sw_slow_rows_append (GArray *rows,
                     const SwZoneRow *row,
                     SwLane *lane)
{
  SwSlowRow slow = { row->start_ns, row->duration_ns, row->correlation_id, sw_lane_ref (lane) };

  g_array_append_val (rows, slow);
}

static void
slow_frame_free (gpointer data)
{
  SlowFrame *self = data;

  g_free (self->name);
  g_free (self->zones);
  g_array_unref (self->rows);
  g_free (self);
}

SwSlowFrames *
sw_slow_frames_new (gsize max_rows,
                    gsize max_frames)
{
  SwSlowFrames *self = g_new0 (SwSlowFrames, 1);

  self->max_rows = max_rows;
  self->max_frames = max_frames;
  self->threshold_ns = -1;
  self->frames = g_ptr_array_new_with_free_func (slow_frame_free);
  return self;
}

void
sw_slow_frames_free (SwSlowFrames *self)
{
  g_ptr_array_unref (self->frames);
  g_free (self);
}

void
sw_slow_frames_set_threshold (SwSlowFrames *self,
                              gint64 threshold_ns)
{
  self->threshold_ns = threshold_ns;
  if (threshold_ns >= 0)
    return;
  g_ptr_array_set_size (self->frames, 0);
  self->n_rows = 0;
}

gboolean
sw_slow_frames_is_on (const SwSlowFrames *self)
{
  return self->threshold_ns >= 0;
}

static guint64
get_duration (const SlowFrame *frame)
{
  return frame->end_ns - frame->begin_ns;
}

/* Of equally slow ones the oldest goes. */
static void
drop_fastest (SwSlowFrames *self)
{
  guint fastest = 0;

  for (guint i = 1; i < self->frames->len; i++)
    if (get_duration (g_ptr_array_index (self->frames, i)) < get_duration (g_ptr_array_index (self->frames, fastest)))
      fastest = i;
  self->n_rows -= ((SlowFrame *) g_ptr_array_index (self->frames, fastest))->n_zones;
  g_ptr_array_remove_index (self->frames, fastest);
}

void
sw_slow_frames_add (SwSlowFrames *self,
                    const SwSealedFrame *frame,
                    const GArray *zones,
                    const GArray *rows)
{
  SlowFrame *slow;

  if (self->threshold_ns < 0 || frame->end_ns - frame->begin_ns < (guint64) self->threshold_ns)
    return;
  /* A frame is kept as a whole or not at all. */
  if (zones->len > self->max_rows || zones->len != rows->len)
    return;

  slow = g_new0 (SlowFrame, 1);
  slow->index = frame->index;
  slow->name = g_strdup (frame->name);
  slow->begin_ns = frame->begin_ns;
  slow->end_ns = frame->end_ns;
  slow->n_zones = zones->len;
  slow->zones = g_memdup2 (zones->data, zones->len * sizeof (SwFrameZone));
  slow->rows = sw_slow_rows_new ();
  g_array_append_vals (slow->rows, rows->data, rows->len);
  for (guint i = 0; i < rows->len; i++)
    sw_lane_ref (g_array_index (rows, SwSlowRow, i).lane);
  g_ptr_array_add (self->frames, slow);
  self->n_rows += slow->n_zones;
  while (self->n_rows > self->max_rows || self->frames->len > self->max_frames)
    drop_fastest (self);
}

static guint32
find_timeline (SwZoneTraceBuilder *builder,
               SwLane *lane)
{
  guint64 key = sw_lane_get_id (lane) << 1;
  guint32 id = sw_zone_trace_builder_find_timeline (builder, key);

  if (id == SW_ZONE_NO_TIMELINE)
    {
      g_autofree char *name = sw_lane_dup_name (lane);
      g_autoptr (SwTimeline) timeline = sw_timeline_new (SW_TIMELINE_TYPE_CPU, name, sw_lane_get_thread_id (lane), 0, 0);

      id = sw_zone_trace_builder_add_timeline (builder, key, timeline);
    }
  return id;
}

static void
add_to_builder (SwZoneTraceBuilder *builder,
                const SlowFrame *frame)
{
  gint64 first = sw_zone_trace_builder_end_row (builder);

  for (guint i = 0; i < frame->n_zones; i++)
    {
      const SwSlowRow *slow = &g_array_index (frame->rows, SwSlowRow, i);
      SwZoneRow row = { .start_ns = slow->start_ns, .duration_ns = slow->duration_ns, .correlation_id = slow->correlation_id };

      row.parent = SW_ZONE_NO_ROW;
      row.timeline_id = find_timeline (builder, slow->lane);
      row.site_id = frame->zones[i].site_id;
      row.frame_index = frame->index;
      sw_zone_trace_builder_append (builder, &row);
    }
  for (guint i = 0; i < frame->n_zones; i++)
    if (frame->zones[i].parent >= 0)
      sw_zone_trace_builder_set_parent (builder, first + i, first + frame->zones[i].parent);
  sw_zone_trace_builder_add_frame (builder, frame->index, frame->name, frame->begin_ns, frame->end_ns);
}

gsize
sw_slow_frames_count_zones (const SwSlowFrames *self)
{
  return self->n_rows;
}

SwZoneTrace *
sw_slow_frames_snapshot (SwSlowFrames *self,
                         const SwZoneTraceInfo *info)
{
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (G_MAXSIZE);

  for (guint i = 0; i < self->frames->len; i++)
    add_to_builder (builder, g_ptr_array_index (self->frames, i));
  return sw_zone_trace_builder_finish (builder, info);
}
