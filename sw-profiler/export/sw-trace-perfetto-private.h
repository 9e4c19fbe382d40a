/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-backend-private.h"
#include "sw-profiler/export/sw-trace-id-set-private.h"
#include "sw-profiler/export/sw-trace-proto-private.h"

G_BEGIN_DECLS

/* Numbers of fields and values in Perfetto's schema, by message. */
enum
{
  TRACE_PACKET = 1,
};

enum
{
  PACKET_CLOCK_SNAPSHOT = 6,
  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE_ID = 10,
  PACKET_TRACK_EVENT = 11,
  PACKET_INTERNED_DATA = 12,
  PACKET_SEQUENCE_FLAGS = 13,
  PACKET_TIMESTAMP_CLOCK_ID = 58,
  PACKET_DEFAULTS = 59,
  PACKET_TRACK_DESCRIPTOR = 60,
  PACKET_TRACE_UUID = 89,
  PACKET_TRACE_ATTRIBUTES = 126,
};

enum
{
  FLAG_STATE_CLEARED = 1,
  FLAG_NEEDS_STATE = 2,
};

enum
{
  DEFAULTS_TRACK_EVENT = 11,
  DEFAULTS_TRACK_EVENT_TRACK = 11,
  DEFAULTS_CLOCK_ID = 58,
};

enum
{
  SNAPSHOT_CLOCKS = 1,
  SNAPSHOT_PRIMARY_CLOCK = 2,
  CLOCK_ID = 1,
  CLOCK_TIMESTAMP = 2,
  CLOCK_IS_INCREMENTAL = 3,
};

enum
{
  CLOCK_OF_WALL = 1,
  CLOCK_MONOTONIC_ID = 3,
  CLOCK_OF_LANE = 64, /* the first that a sequence may define: counts from its last timestamp */
};

enum
{
  UUID_MSB = 1,
  UUID_LSB = 2,
};

enum
{
  ATTRIBUTES_ATTRIBUTE = 1,
  ATTRIBUTE_KEY = 1,
  ATTRIBUTE_INTEGER = 2,
  ATTRIBUTE_STRING = 3,
};

enum
{
  TRACK_UUID = 1,
  TRACK_NAME = 2,
  TRACK_PROCESS = 3,
  TRACK_THREAD = 4,
  TRACK_PARENT = 5,
  TRACK_COUNTER = 8,
  TRACK_CHILD_ORDERING = 11,
  TRACK_RANK = 12,
  TRACK_DESCRIPTION = 14,
  PROCESS_PID = 1,
  PROCESS_SORT_INDEX = 3,
  PROCESS_NAME = 6,
  THREAD_PID = 1,
  THREAD_TID = 2,
  THREAD_SORT_INDEX = 3,
  THREAD_NAME = 5,
  COUNTER_UNIT_NAME = 6,
  CHILD_ORDERING_EXPLICIT = 3,
};

enum
{
  EVENT_CATEGORY_IID = 3,
  EVENT_ARGS = 4,
  EVENT_LEGACY = 6,
  EVENT_TYPE = 9,
  EVENT_NAME_IID = 10,
  EVENT_NAME = 23,
  EVENT_COUNTER_INTEGER = 30,
  EVENT_COUNTER_REAL = 44,
  EVENT_FLOW = 47,
  EVENT_LAST_FLOW = 48,
};

enum
{
  LEGACY_DURATION_US = 3,
};

enum
{
  TYPE_BEGIN = 1,
  TYPE_END = 2,
  TYPE_INSTANT = 3,
  TYPE_COUNTER = 4,
};

enum
{
  ARG_NAME_IID = 1,
  ARG_BOOL = 2,
  ARG_UINT64 = 3,
  ARG_INT64 = 4,
  ARG_DOUBLE = 5,
  ARG_STRING = 6,
  ARG_JSON = 9,
  ARG_STRING_IID = 17,
};

/* The schema has no kinds of rows other than threads, processes and counters. Viewers show this text beside a row; readers know by it
 * that such a row is one lane of an asynchronous track. */
#define SW_PERFETTO_ASYNC_DESCRIPTION "Asynchronous slices, as Strideweave recorded them"

/* What is interned, and where in the interned data of a packet. */
typedef enum {
  INTERNED_CATEGORY,
  INTERNED_NAME,
  INTERNED_ARG_NAME,
  INTERNED_ARG_STRING,
  N_INTERNED,
} SwPerfettoInterned;

enum
{
  INTERNED_IID = 1,
  INTERNED_TEXT = 2,
};

/* An event that is not written yet. */
typedef struct
{
  gint64 time_ns;
  guint32 offset; /* of its bytes */
  guint32 length;
} SwPerfettoEntry;

/* Events of one lane, in order of time. */
typedef struct
{
  SwPerfettoEntry *entries;
  guint n_entries;
  guint max_entries;
  guint8 *bytes;
  gsize n_bytes;
  gsize n_allocated;
} SwPerfettoBatch;

/* Each lane is a sequence of packets of its own: its track and its clock are defaults, said once. */
typedef struct
{
  guint64 uuid;
  guint32 sequence_id;
  gint64 last_ns;                 /* its clock counts from here */
  SwTraceIdSet interned[N_INTERNED]; /* the ids that were written */
  SwPerfettoBatch batch;
} SwPerfettoLane;

void sw_perfetto_batch_clear (SwPerfettoBatch *self);
guint8 *sw_perfetto_batch_grow (SwPerfettoBatch *self,
                                gsize n_bytes) G_GNUC_WARN_UNUSED_RESULT;

/* Where to put an event of up to @n_bytes, which sw_perfetto_batch_add () then takes. */
static inline guint8 *
sw_perfetto_batch_reserve (SwPerfettoBatch *self,
                           gsize n_bytes)
{
  if (G_UNLIKELY (self->n_allocated - self->n_bytes < n_bytes))
    return sw_perfetto_batch_grow (self, n_bytes);
  return self->bytes + self->n_bytes;
}

/* Takes the event that ends at @end. It is written now or later; what it refers to is in the file already. */
void sw_perfetto_batch_add (SwTraceWriter *writer,
                            SwPerfettoLane *lane,
                            gint64 time_ns,
                            const guint8 *end);
/* Writes what waits. */
void sw_perfetto_batch_write (SwTraceWriter *writer,
                              SwPerfettoLane *lane);

static inline guint8 *
sw_perfetto_reserve (SwTraceWriter *writer,
                     gsize n_bytes)
{
  return (guint8 *) sw_trace_sink_reserve (writer->sink, n_bytes);
}

static inline void
sw_perfetto_close_packet (SwTraceWriter *writer,
                          guint8 *packet,
                          guint8 *end)
{
  sw_trace_sink_advance (writer->sink, (char *) sw_proto_close (packet, end));
  writer->n_records++;
}

static inline guint8 *
sw_perfetto_put_absolute_time (guint8 *at,
                               gint64 ns)
{
  at = sw_proto_put_number (at, PACKET_TIMESTAMP, (guint64) ns);
  return sw_proto_put_number (at, PACKET_TIMESTAMP_CLOCK_ID, CLOCK_MONOTONIC_ID);
}

/* The interned data that a slice needs and its lane has not seen yet; nothing when there is none. */
guint8 *sw_perfetto_put_interned (guint8 *at,
                                  SwTraceWriter *writer,
                                  SwPerfettoLane *lane,
                                  const SwTraceSlice *slice);
guint8 *sw_perfetto_put_args (guint8 *at,
                              const SwTraceSlice *slice);
/* Whether the lane was told the text. */
static inline gboolean
sw_perfetto_is_told (const SwPerfettoLane *lane,
                     SwPerfettoInterned kind,
                     guint32 id)
{
  return sw_trace_id_set_has (&lane->interned[kind], id);
}

/* An upper bound of what both write, and of the name of the slice. */
gsize sw_perfetto_slice_size (SwTraceWriter *writer,
                              const SwTraceSlice *slice);

/* Ids of interned texts are never 0. */
static inline guint64
sw_perfetto_iid (guint32 id)
{
  return (guint64) id + 1;
}

G_END_DECLS
