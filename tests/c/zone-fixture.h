/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

#include "sw-profiler/zone/sw-zone-trace-builder-private.h"
#include "sw/base/sw-site-registry-private.h"

static inline SwZoneTraceBuilder *
make_builder (guint n_timelines)
{
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (G_MAXSIZE);

  for (guint i = 0; i < n_timelines; i++)
    {
      g_autoptr (SwTimeline) timeline = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "thread", 100 + i, 0, 0);

      g_assert_cmpuint (sw_zone_trace_builder_add_timeline (builder, i, timeline), ==, i);
    }
  return builder;
}

static inline gint64
append (SwZoneTraceBuilder *builder,
        guint64 start_ns,
        guint64 duration_ns)
{
  SwZoneRow row = { start_ns, duration_ns, 0, SW_ZONE_NO_ROW, 0, 1, 0 };

  return sw_zone_trace_builder_append (builder, &row);
}

static inline SwZoneTrace *
snapshot (SwZoneTraceBuilder *builder)
{
  SwZoneTraceInfo info = { .stop_reason = SW_STOP_REASON_SNAPSHOT };

  return sw_zone_trace_builder_snapshot (builder, &info);
}

static inline SwZoneTrace *
finish (SwZoneTraceBuilder *builder)
{
  SwZoneTraceInfo info = { .stop_reason = SW_STOP_REASON_REQUESTED };

  return sw_zone_trace_builder_finish (builder, &info);
}

static inline guint64
column_at (SwZoneChunk *chunk,
           SwZoneColumn column,
           guint32 i)
{
  g_autoptr (GBytes) bytes = sw_zone_chunk_dup_column (chunk, column, NULL);
  gconstpointer numbers = g_bytes_get_data (bytes, NULL);

  return column <= SW_ZONE_COLUMN_CORRELATION_ID ? ((const guint64 *) numbers)[i] : ((const guint32 *) numbers)[i];
}

static inline guint64
zone_at (SwZoneTrace *trace,
         SwZoneColumn column,
         guint32 index)
{
  g_autoptr (GPtrArray) chunks = sw_zone_trace_dup_zone_chunks (trace);

  for (guint k = 0; k < chunks->len; k++)
    {
      guint32 first = sw_zone_chunk_get_first_index (chunks->pdata[k]);

      if (index - first < sw_zone_chunk_get_zone_count (chunks->pdata[k]))
        return column_at (chunks->pdata[k], column, index - first);
    }
  g_error ("no zone %u", index);
}

static inline gint32
parent_of (SwZoneTrace *trace,
           guint32 index)
{
  return (gint32) zone_at (trace, SW_ZONE_COLUMN_PARENT_INDEX, index);
}
