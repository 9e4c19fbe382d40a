/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "zone-profiler-fixture.h"

#include <string.h>

SwZoneProfiler *
test_zone_profiler_new (gint64 thread_event_capacity)
{
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_desc_new ();
  g_autoptr (GError) error = NULL;
  SwZoneProfiler *profiler;

  desc->thread_event_capacity = thread_event_capacity;
  profiler = sw_zone_profiler_new (desc, &error);
  g_assert_no_error (error);
  return profiler;
}

SwZoneProfiler *
test_zone_profiler_capturing (void)
{
  g_autoptr (GError) error = NULL;
  SwZoneProfiler *profiler = sw_zone_profiler_new (NULL, &error);

  g_assert_no_error (error);
  sw_zone_profiler_start_capture (profiler, NULL, &error);
  g_assert_no_error (error);
  return profiler;
}

SwZoneTrace *
test_zone_profiler_stop (SwZoneProfiler *profiler)
{
  g_autoptr (GError) error = NULL;
  SwZoneTrace *trace = sw_zone_profiler_stop_capture (profiler, &error);

  g_assert_no_error (error);
  g_assert_nonnull (trace);
  return trace;
}

#define copy_column(chunk, type, field, destination)                         \
  G_STMT_START                                                               \
  {                                                                          \
    g_autoptr (GBytes) bytes = sw_zone_chunk_dup_##field (chunk);            \
    const type *column = g_bytes_get_data (bytes, NULL);                     \
    for (guint32 row = 0; row < sw_zone_chunk_get_zone_count (chunk); row++) \
      zones[row].destination = column[row];                                  \
  }                                                                          \
  G_STMT_END

static void
copy_chunk (TestZone *zones,
            SwZoneChunk *chunk)
{
  copy_column (chunk, guint64, start_ns, start);
  copy_column (chunk, guint64, duration_ns, duration);
  copy_column (chunk, guint64, correlation_id, correlation);
  copy_column (chunk, guint32, timeline_id, timeline);
  copy_column (chunk, guint32, site_id, site);
  copy_column (chunk, gint32, parent_index, parent);
  copy_column (chunk, guint32, frame_index, frame);
}

static void
check_zone (const TestTrace *self,
            const TestZone *zone)
{
  const TestZone *parent;

  g_assert_cmpuint (zone->timeline, <, self->timelines->len);
  g_assert_nonnull (zone->name);
  if (zone->parent < 0)
    {
      g_assert_cmpint (zone->parent, ==, -1);
      return;
    }
  g_assert_cmpint (zone->parent, <, (int) self->n);
  parent = &self->zones[zone->parent];
  g_assert_cmpuint (parent->timeline, ==, zone->timeline);
  g_assert_cmpuint (parent->start, <=, zone->start);
  g_assert_cmpuint (parent->start + parent->duration, >=, zone->start + zone->duration);
}

/* What a device does for a frame, it does whenever it can. */
static gboolean
is_of_cpu (const TestTrace *self,
           const TestZone *zone)
{
  return sw_timeline_get_timeline_type (g_ptr_array_index (self->timelines, zone->timeline)) == SW_TIMELINE_TYPE_CPU;
}

static void
check_frames (const TestTrace *self)
{
  guint64 end = 0;

  for (guint i = 0; i < self->frames->len; i++)
    {
      SwZoneFrame *frame = g_ptr_array_index (self->frames, i);
      guint64 start = sw_zone_frame_get_start_ns (frame);

      g_assert_cmpuint (start, >=, end);
      end = start + sw_zone_frame_get_duration_ns (frame);
      for (guint j = 0; j < self->n && self->n < 10000; j++)
        if (self->zones[j].frame == sw_zone_frame_get_index (frame) && is_of_cpu (self, &self->zones[j]))
          {
            g_assert_cmpuint (self->zones[j].start, >=, start);
            g_assert_cmpuint (self->zones[j].start, <=, end);
          }
    }
}

TestTrace *
test_trace_new (SwZoneTrace *trace)
{
  g_autoptr (SwZoneTrace) owned = trace;
  g_autoptr (GPtrArray) chunks = sw_zone_trace_dup_zone_chunks (trace);
  TestTrace *self = g_new0 (TestTrace, 1);

  self->n = sw_zone_trace_get_zone_count (trace);
  self->zones = g_new0 (TestZone, self->n + 1);
  self->timelines = sw_zone_trace_dup_timelines (trace);
  self->frames = sw_zone_trace_dup_frames (trace);
  for (guint i = 0, at = 0; i < chunks->len; i++)
    {
      SwZoneChunk *chunk = g_ptr_array_index (chunks, i);

      copy_chunk (self->zones + at, chunk);
      at += sw_zone_chunk_get_zone_count (chunk);
      g_assert_cmpuint (at, <=, self->n);
    }
  for (guint i = 0; i < self->n; i++)
    {
      g_autoptr (SwProfilerSite) site = sw_profiler_site_lookup (self->zones[i].site);

      self->zones[i].name = sw_profiler_site_get_name (site);
    }
  for (guint i = 0; i < self->n; i++)
    check_zone (self, &self->zones[i]);
  check_frames (self);
  test_assert_counts (sw_zone_trace_get_diagnostics (trace));
  g_assert_cmpuint (sw_profiler_diagnostics_get_recorded_count (sw_zone_trace_get_diagnostics (trace)), ==, self->n);
  return self;
}

void
test_trace_free (TestTrace *self)
{
  g_free (self->zones);
  g_ptr_array_unref (self->timelines);
  g_ptr_array_unref (self->frames);
  g_free (self);
}

guint
test_trace_count (TestTrace *self,
                  const char *name)
{
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    if (strcmp (self->zones[i].name, name) == 0)
      n++;
  return n;
}

const TestZone *
test_trace_find (TestTrace *self,
                 const char *name)
{
  const TestZone *found = NULL;

  for (guint i = 0; i < self->n; i++)
    if (strcmp (self->zones[i].name, name) == 0)
      {
        g_assert_null (found);
        found = &self->zones[i];
      }
  g_assert_nonnull (found);
  return found;
}

const char *
test_trace_parent_name (TestTrace *self,
                        const TestZone *zone)
{
  return zone->parent < 0 ? NULL : self->zones[zone->parent].name;
}
