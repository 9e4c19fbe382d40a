/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-consumer-private.h"

#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"

/* One pass over what all threads published: rows for the live history, the capture and the statistics of frames. */

typedef struct
{
  SwZoneProducer *producer;
  guint64 head;
} Drained;

/* An event on its way to its rows. */
typedef struct
{
  SwZoneConsumed *consumed;
  const SwZoneEvent *event;
  SwZoneRow row;
  SwZoneOpenFrame *frame; /* NULL: none, or one that is complete */
} Arrival;

/* Links the zones of a list to their parent; -1: they are roots. */
static void
adopt_in_frame (SwZoneOpenFrame *frame,
                gint32 last,
                gint32 parent)
{
  while (last >= 0)
    {
      SwFrameZone *zone = &g_array_index (frame->zones, SwFrameZone, last);

      last = zone->parent;
      zone->parent = parent;
    }
}

static SwZoneOpenFrame *
find_frame (SwZoneCore *self,
            guint32 index)
{
  for (guint i = 0; i < self->open_frames.frames->len; i++)
    {
      SwZoneOpenFrame *open = &g_array_index (self->open_frames.frames, SwZoneOpenFrame, i);

      if (open->frame.index == index)
        return open;
    }
  return NULL;
}

/* Zones that wait for a parent which turns out to be in another frame, or in none, are roots of their own. */
static void
release_waiting (SwZoneCore *self,
                 SwZoneConsumed *consumed,
                 guint slot)
{
  SwZoneOpenFrame *frame = find_frame (self, consumed->frame_of_waiting[slot]);

  if (frame != NULL)
    adopt_in_frame (frame, consumed->frame_waiting[slot], -1);
  consumed->frame_waiting[slot] = -1;
}

static SwFrameGpu
get_gpu (const SwZoneEvent *event)
{
  if ((event->flags & SW_ZONE_EVENT_GPU) != 0)
    return SW_FRAME_GPU_PENDING;
  return (event->flags & SW_ZONE_EVENT_GPU_EXHAUSTED) != 0 ? SW_FRAME_GPU_INCOMPLETE : SW_FRAME_GPU_NONE;
}

static void
wait_in_frame (SwZoneCore *self,
               const Arrival *arrival,
               SwFrameZone *zone,
               gint32 position)
{
  SwZoneConsumed *consumed = arrival->consumed;
  guint slot = arrival->event->parent;

  if (slot == SW_ZONE_NO_SLOT)
    return;
  if (consumed->frame_waiting[slot] >= 0 && consumed->frame_of_waiting[slot] != arrival->frame->frame.index)
    release_waiting (self, consumed, slot);
  zone->parent = consumed->frame_waiting[slot];
  consumed->frame_waiting[slot] = position;
  consumed->frame_of_waiting[slot] = arrival->frame->frame.index;
}

static void
add_to_frame (SwZoneCore *self,
              const Arrival *arrival)
{
  SwZoneConsumed *consumed = arrival->consumed;
  const SwZoneEvent *event = arrival->event;
  SwZoneOpenFrame *frame = arrival->frame;
  gboolean has_waiting = consumed->frame_waiting[event->slot] >= 0;
  gint32 position = frame != NULL ? (gint32) frame->zones->len : -1;
  SwFrameZone zone = { .parent = -1, .site_id = event->site, .gpu = get_gpu (event) };

  if (frame == NULL || position >= (gint32) SW_ZONE_MAX_ZONES_OF_FRAME)
    {
      if (has_waiting)
        release_waiting (self, consumed, event->slot);
      if (frame != NULL)
        frame->n_left_out++;
      return;
    }

  if (has_waiting && consumed->frame_of_waiting[event->slot] != frame->frame.index)
    release_waiting (self, consumed, event->slot);
  else if (has_waiting)
    adopt_in_frame (frame, consumed->frame_waiting[event->slot], position);
  consumed->frame_waiting[event->slot] = -1;

  zone.cpu_ns = arrival->row.duration_ns;
  zone.gpu_token = event->correlation;
  wait_in_frame (self, arrival, &zone, position);
  g_array_append_val (frame->zones, zone);
  if (frame->rows != NULL)
    sw_slow_rows_append (frame->rows, &arrival->row, consumed->lane);
}

void
sw_zone_consumer_trim_live (SwZoneCore *self)
{
  sw_zone_trace_builder_trim (self->live, (gsize) self->desc.live_event_capacity, (gsize) self->desc.live_frame_count);
}

static void
add_to_live (SwZoneCore *self,
             Arrival *arrival)
{
  SwZoneConsumed *consumed = arrival->consumed;
  gint64 number;

  arrival->row.timeline_id = consumed->live_timeline;
  number = sw_zone_trace_builder_append (self->live, &arrival->row);
  sw_zone_trace_builder_adopt (self->live, &consumed->live_waiting[arrival->event->slot], number);
  if (number == SW_ZONE_NO_ROW)
    return;
  self->live_rows++;
  if (arrival->event->parent != SW_ZONE_NO_SLOT)
    sw_zone_trace_builder_wait (self->live, number, &consumed->live_waiting[arrival->event->parent]);
  sw_zone_consumer_trim_live (self);
}

static void
add_to_capture (SwZoneCore *self,
                Arrival *arrival)
{
  SwZoneConsumed *consumed = arrival->consumed;
  SwZoneCapture *capture = &self->capture;
  gint64 *waiting = &consumed->capture_waiting[arrival->event->slot];
  gint64 number = SW_ZONE_NO_ROW;

  if (capture->is_full)
    {
      capture->memory_limit++;
      return;
    }
  /* A capture has the zones that began in it, as a whole. */
  if (arrival->event->start < capture->start)
    capture->discarded++;
  else
    {
      arrival->row.timeline_id = consumed->capture_timeline;
      number = sw_zone_capture_append (self, &arrival->row);
    }
  if (capture->is_full)
    return;
  sw_zone_trace_builder_adopt (capture->builder, waiting, number);
  if (number != SW_ZONE_NO_ROW && arrival->event->parent != SW_ZONE_NO_SLOT)
    sw_zone_trace_builder_wait (capture->builder, number, &consumed->capture_waiting[arrival->event->parent]);
}

static void
consume (SwZoneCore *self,
         SwZoneConsumed *consumed,
         const SwZoneEvent *event)
{
  Arrival arrival = { .consumed = consumed, .event = event };
  guint64 end_ns = sw_zone_time_to_ns (&self->time, event->end);

  arrival.row.start_ns = sw_zone_time_to_ns (&self->time, event->start);
  arrival.row.correlation_id = event->correlation;
  arrival.row.parent = SW_ZONE_NO_ROW;
  arrival.row.site_id = event->site;
  if (G_LIKELY (event->end >= event->start))
    arrival.row.duration_ns = end_ns - arrival.row.start_ns;
  else
    self->backward_clock++;

  arrival.frame = sw_zone_open_frames_find (&self->open_frames, event->start, &arrival.row.frame_index);
  if (arrival.frame == NULL && arrival.row.frame_index != SW_ZONE_NO_FRAME)
    self->late_zones++;
  add_to_frame (self, &arrival);
  add_to_live (self, &arrival);
  if (self->capture.active)
    add_to_capture (self, &arrival);
}

static void
update_totals (SwZoneCore *self,
               SwZoneProducer *producer,
               guint64 n_unread)
{
  /* Relaxed: whole numbers are all that readers need. */
  if (n_unread > __atomic_load_n (&self->totals.high_water, __ATOMIC_RELAXED))
    __atomic_store_n (&self->totals.high_water, n_unread, __ATOMIC_RELAXED);
  self->totals.consumed += n_unread;
}

static void
drain_producer (SwZoneCore *self,
                SwZoneProducer *producer,
                guint64 head)
{
  SwZoneConsumed *consumed = &producer->consumed;
  const SwZoneTap *tap = sw_zone_tap_get ();
  guint64 tail = consumed->tail;

  update_totals (self, producer, head - tail);
  sw_zone_consumer_find_timelines (self, producer);
  while (tail < head)
    {
      guint64 end = MIN (head, tail + MAX (producer->ring.capacity / 8, 1));

      for (; tail < end; tail++)
        {
          const SwZoneEvent *event = &producer->ring.events[tail & producer->ring.mask];

          consume (self, consumed, event);
          if (G_UNLIKELY (tap != NULL))
            tap->zone (producer, event);
        }
      consumed->tail = tail;
      /* Release: the places are read before they are given back. */
      __atomic_store_n (&producer->tail, tail, __ATOMIC_RELEASE);
    }
}

/* With the lock. Heads come before frames: a zone that is published began after the frames that are known by then, or in
 * them, and never in one that is added later. */
static void
look_around (SwZoneCore *self,
             GArray *drained)
{
  sw_zone_core_settle_frames (self);
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    {
      Drained item;

      item.producer = producer;
      /* Acquire: the events before the head are complete, and so is whatever the thread did before them. */
      item.head = __atomic_load_n (&producer->head, __ATOMIC_ACQUIRE);
      g_array_append_val (drained, item);
      /* Relaxed: whether, and not which. */
      self->dropped |= __atomic_load_n (&producer->drops.first_drop, __ATOMIC_RELAXED) != 0;
    }
  sw_zone_open_frames_update (&self->open_frames, &self->frames, sw_slow_frames_is_on (self->slow_frames));
}

static void
seal_first (SwZoneCore *self)
{
  SwZoneOpenFrame *open = &g_array_index (self->open_frames.frames, SwZoneOpenFrame, 0);
  guint64 begin_ns = sw_zone_time_to_ns (&self->time, open->frame.begin);
  guint64 end_ns = sw_zone_time_to_ns (&self->time, MAX (open->frame.end, open->frame.begin));
  SwSealedFrame sealed = { open->frame.index, open->frame.name, begin_ns, end_ns };
  const SwZoneTap *tap = sw_zone_tap_get ();

  for (guint i = 0; i < self->drained->len; i++)
    {
      SwZoneConsumed *consumed = &((SwZoneProducer *) g_ptr_array_index (self->drained, i))->consumed;

      for (guint slot = 0; slot < SW_ZONE_MAX_DEPTH; slot++)
        if (consumed->frame_waiting[slot] >= 0 && consumed->frame_of_waiting[slot] == open->frame.index)
          release_waiting (self, consumed, slot);
    }

  sw_zone_gpu_settle_frame (&self->gpu, sealed.index, open->zones);
  self->hierarchy_loss += sw_frame_accumulator_add_frame (self->accumulator, &sealed,
                                                          (const SwFrameZone *) (gpointer) open->zones->data, open->zones->len);
  self->late_zones += open->n_left_out;
  if (open->rows != NULL)
    sw_slow_frames_add (self->slow_frames, &sealed, open->zones, open->rows);
  sw_zone_trace_builder_add_frame (self->live, sealed.index, sealed.name, begin_ns, end_ns);
  sw_zone_consumer_trim_live (self);
  if (self->capture.active && !self->capture.is_full && open->frame.end >= self->capture.start)
    sw_zone_capture_add_frame (self, &sealed);
  if (G_UNLIKELY (tap != NULL))
    tap->frame (open->frame.name, open->frame.begin, MAX (open->frame.end, open->frame.begin));
  sw_zone_open_frames_shift (&self->open_frames);
}

/* All that began in them has ended, and was consumed. */
static void
seal_frames (SwZoneCore *self)
{
  guint n = 0;

  while (self->open_frames.frames->len > 0 && g_array_index (self->open_frames.frames, SwZoneOpenFrame, 0).frame.is_quiet)
    {
      seal_first (self);
      n++;
    }
  if (n == 0)
    return;
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < n; i++)
    g_free (g_array_index (self->frames.waiting, SwStreamFrame, i).name);
  g_array_remove_range (self->frames.waiting, 0, n);
  pthread_mutex_unlock (&self->lock);
}

/* Nothing of it is left to consume. */
static void
forget_producer (SwZoneCore *self,
                 SwZoneProducer *producer)
{
  pthread_mutex_lock (&self->lock);
  sw_zone_core_unlink_producer (self, producer);
  pthread_mutex_unlock (&self->lock);
  for (guint slot = 0; slot < SW_ZONE_MAX_DEPTH; slot++)
    if (producer->consumed.frame_waiting[slot] >= 0)
      release_waiting (self, &producer->consumed, slot);
  sw_zone_consumer_rename (self, producer);
  sw_zone_producer_free (producer);
}

void
sw_zone_core_drain (SwZoneCore *self)
{
  GArray *drained;

  if (sw_zone_core_is_closed (self))
    {
      sw_zone_core_drain_late (self);
      return;
    }
  drained = g_array_new (FALSE, FALSE, sizeof (Drained));
  pthread_mutex_lock (&self->lock);
  look_around (self, drained);
  pthread_mutex_unlock (&self->lock);
  sw_zone_time_adjust (&self->time, sw_clock_anchor ());

  g_ptr_array_set_size (self->drained, 0);
  for (guint i = 0; i < drained->len; i++)
    {
      const Drained *item = &g_array_index (drained, Drained, i);

      g_ptr_array_add (self->drained, item->producer);
      if (item->head != item->producer->consumed.tail)
        drain_producer (self, item->producer, item->head);
    }
  seal_frames (self);
  g_ptr_array_set_size (self->drained, 0);

  for (guint i = 0; i < drained->len; i++)
    {
      const Drained *item = &g_array_index (drained, Drained, i);

      /* Acquire: what the thread published last came before. */
      if (__atomic_load_n (&item->producer->ended, __ATOMIC_ACQUIRE) != 0 && item->head == item->producer->head)
        forget_producer (self, item->producer);
    }
  g_array_unref (drained);
}
