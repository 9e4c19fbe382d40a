/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-consumer-private.h"

/* What leaves the profiler as a trace: captures, and copies of the live history. */

static guint64
get_timeline_key (const SwZoneProducer *producer)
{
  return sw_lane_get_id (producer->lane) << 1;
}

static guint32
put_timeline (SwZoneTraceBuilder *builder,
              SwZoneProducer *producer)
{
  g_autofree char *name = sw_lane_dup_name (producer->lane);
  g_autoptr (SwTimeline) timeline =
      sw_timeline_new (SW_TIMELINE_TYPE_CPU, name, sw_lane_get_thread_id (producer->lane), 0, 0);

  return sw_zone_trace_builder_add_timeline (builder, get_timeline_key (producer), timeline);
}

static guint32
find_timeline (SwZoneTraceBuilder *builder,
               SwZoneProducer *producer)
{
  guint32 id = sw_zone_trace_builder_find_timeline (builder, get_timeline_key (producer));

  return id != SW_ZONE_NO_TIMELINE ? id : put_timeline (builder, producer);
}

static void
set_active (SwZoneCore *self,
            gboolean active)
{
  /* Relaxed: who asks on another thread learns it soon. */
  __atomic_store_n (&self->is_active, active ? 1 : 0, __ATOMIC_RELAXED);
}

void
sw_zone_capture_fill_up (SwZoneCore *self)
{
  self->capture.is_full = TRUE;
  self->capture.full_ns = sw_zone_time_to_ns (&self->time, sw_clock_ticks ());
  set_active (self, FALSE);
}

void
sw_zone_consumer_find_timelines (SwZoneCore *self,
                                 SwZoneProducer *producer)
{
  producer->consumed.lane = producer->lane;
  producer->consumed.live_timeline = find_timeline (self->live, producer);
  if (!self->capture.active || self->capture.is_full)
    return;
  producer->consumed.capture_timeline = find_timeline (self->capture.builder, producer);
  if (producer->consumed.capture_timeline == SW_ZONE_NO_TIMELINE)
    sw_zone_capture_fill_up (self);
}

static void
rename_in (SwZoneTraceBuilder *builder,
           SwZoneProducer *producer)
{
  if (sw_zone_trace_builder_find_timeline (builder, get_timeline_key (producer)) != SW_ZONE_NO_TIMELINE)
    put_timeline (builder, producer);
}

void
sw_zone_consumer_rename (SwZoneCore *self,
                         SwZoneProducer *producer)
{
  rename_in (self->live, producer);
  if (self->capture.active)
    rename_in (self->capture.builder, producer);
}

static void
rename_all (SwZoneCore *self)
{
  GPtrArray *producers = g_ptr_array_new ();

  pthread_mutex_lock (&self->lock);
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    g_ptr_array_add (producers, producer);
  pthread_mutex_unlock (&self->lock);
  /* Only the consumer takes producers away, and that is us. */
  for (guint i = 0; i < producers->len; i++)
    sw_zone_consumer_rename (self, g_ptr_array_index (producers, i));
  g_ptr_array_unref (producers);
}

gint64
sw_zone_capture_append (SwZoneCore *self,
                        const SwZoneRow *row)
{
  gint64 number = sw_zone_trace_builder_append (self->capture.builder, row);

  if (number != SW_ZONE_NO_ROW)
    {
      self->capture.recorded++;
      return number;
    }
  self->capture.memory_limit++;
  sw_zone_capture_fill_up (self);
  return SW_ZONE_NO_ROW;
}

void
sw_zone_capture_add_frame (SwZoneCore *self,
                           const SwSealedFrame *frame)
{
  if (!sw_zone_trace_builder_add_frame (self->capture.builder, frame->index, frame->name, frame->begin_ns, frame->end_ns))
    sw_zone_capture_fill_up (self);
}

static void
forget_waiting (SwZoneCore *self)
{
  pthread_mutex_lock (&self->lock);
  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    for (guint slot = 0; slot < SW_ZONE_MAX_DEPTH; slot++)
      producer->consumed.capture_waiting[slot] = SW_ZONE_NO_ROW;
  pthread_mutex_unlock (&self->lock);
}

void
sw_zone_core_start_capture (SwZoneCore *self,
                            const SwCaptureDesc *desc)
{
  SwZoneCapture *capture = &self->capture;

  sw_zone_core_drain (self);
  forget_waiting (self);
  *capture = (SwZoneCapture){ .active = TRUE };
  sw_zone_core_get_counters (self, &capture->before);
  capture->builder = sw_zone_trace_builder_new ((gsize) desc->max_memory_bytes);
  capture->start = sw_clock_ticks ();
  capture->start_ns = sw_zone_time_to_ns (&self->time, capture->start);
  set_active (self, TRUE);
}

void
sw_zone_core_discard_capture (SwZoneCore *self)
{
  g_clear_pointer (&self->capture.builder, sw_zone_trace_builder_free);
  self->capture = (SwZoneCapture){ .active = FALSE };
  set_active (self, FALSE);
}

/* What happened to the zones of the capture: those that ended during it, or would have. */
static void
count_capture (SwZoneCore *self,
               SwDiagnosticCounters *counters)
{
  const SwZoneCapture *capture = &self->capture;
  const SwDiagnosticCounters *before = &capture->before;

  sw_zone_core_get_counters (self, counters);
  counters->queue_full -= before->queue_full;
  counters->stack_full -= before->stack_full;
  counters->forced_ends -= before->forced_ends;
  counters->misplaced_ends -= before->misplaced_ends;
  counters->backward_clock -= before->backward_clock;
  counters->hierarchy_loss -= before->hierarchy_loss;
  counters->query_exhaustion -= before->query_exhaustion;
  if (counters->first_drop_ns < capture->start_ns)
    counters->first_drop_ns = counters->queue_full + counters->stack_full > 0 ? capture->start_ns : 0;
  if (capture->is_full && counters->first_drop_ns == 0)
    counters->first_drop_ns = capture->full_ns;
  counters->recorded = capture->recorded;
  counters->discarded = capture->discarded;
  counters->memory_limit = capture->memory_limit;
  counters->unresolved = capture->unresolved;
  counters->emitted = counters->recorded + counters->queue_full + counters->stack_full + counters->memory_limit +
                      counters->unresolved + counters->discarded;
}

SwZoneTrace *
sw_zone_core_stop_capture (SwZoneCore *self)
{
  SwZoneCapture *capture = &self->capture;
  SwZoneTraceInfo info = { .start_ns = capture->start_ns };
  SwZoneTrace *trace;

  sw_zone_core_drain (self);
  rename_all (self);
  info.truncated = capture->is_full;
  info.stop_reason = capture->is_full ? SW_STOP_REASON_MEMORY_LIMIT : SW_STOP_REASON_REQUESTED;
  info.stop_ns = capture->is_full ? capture->full_ns : sw_zone_time_to_ns (&self->time, sw_clock_ticks ());
  count_capture (self, &info.diagnostics);
  trace = sw_zone_trace_builder_finish (g_steal_pointer (&capture->builder), &info);
  sw_zone_core_discard_capture (self);
  return trace;
}

SwZoneTrace *
sw_zone_core_snapshot (SwZoneCore *self)
{
  SwZoneTraceInfo info = { .stop_reason = SW_STOP_REASON_SNAPSHOT };
  gint64 now = sw_clock_monotonic_ns ();
  guint64 n_rows;

  if (now >= self->next_rename_ns)
    {
      rename_all (self);
      self->next_rename_ns = now + G_GINT64_CONSTANT (1000000000);
    }
  info.start_ns = self->start_ns;
  info.stop_ns = sw_zone_time_to_ns (&self->time, sw_clock_ticks ());
  sw_zone_core_get_counters (self, &info.diagnostics);
  n_rows = (guint64) (sw_zone_trace_builder_end_row (self->live) - sw_zone_trace_builder_first_row (self->live));
  info.diagnostics.recorded = n_rows;
  info.diagnostics.discarded = info.diagnostics.emitted - n_rows - info.diagnostics.queue_full -
                               info.diagnostics.stack_full - info.diagnostics.unresolved;
  return sw_zone_trace_builder_snapshot (self->live, &info);
}

/* What the kept frames are made of was recorded, and what they are not made of is not missing from them. */
SwZoneTrace *
sw_zone_core_snapshot_slow_frames (SwZoneCore *self)
{
  SwZoneTraceInfo info = { .start_ns = self->start_ns, .stop_reason = SW_STOP_REASON_SNAPSHOT };

  info.stop_ns = sw_zone_time_to_ns (&self->time, sw_clock_ticks ());
  sw_zone_core_get_counters (self, &info.diagnostics);
  info.diagnostics.recorded = sw_slow_frames_count_zones (self->slow_frames);
  info.diagnostics.discarded = info.diagnostics.emitted - info.diagnostics.recorded - info.diagnostics.queue_full -
                               info.diagnostics.stack_full - info.diagnostics.unresolved;
  return sw_slow_frames_snapshot (self->slow_frames, &info);
}
