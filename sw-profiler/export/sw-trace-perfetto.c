/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-perfetto-private.h"

#include "sw-profiler/export/sw-trace-text-private.h"

/* Perfetto's protobuf, by hand: a slice is two packets of some fourteen bytes each. Every lane is a packet sequence of
 * its own, whose first packet says the track and the clock of all others; timestamps are differences to the last one. */

/* Room for all of a packet but its texts; of an event in it. */
#define PACKET_SIZE 256
#define EVENT_SIZE 64
/* The sequence of what belongs to no lane. */
#define MAIN_SEQUENCE 1

guint8 *
sw_proto_close_long (guint8 *content,
                     guint8 *end)
{
  gsize length = (gsize) (end - content);
  guint8 prefix[10];
  gsize n = (gsize) (sw_proto_put_varint (prefix, length) - prefix);

  memmove (content - 1 + n, content, length);
  memcpy (content - 1, prefix, n);
  return content - 1 + n + length;
}

static inline guint8 *
reserve (SwTraceWriter *writer,
         gsize n_bytes)
{
  return sw_perfetto_reserve (writer, PACKET_SIZE + n_bytes);
}

/* What belongs together has numbers that differ, also from those of another session in a merged file. */
static guint64
mix (const SwTraceWriter *writer,
     guint64 value)
{
  guint64 x = writer->session.id[0] ^ (value + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  x = (x ^ x >> 32) * G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  x = (x ^ x >> 32) * G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  return x ^ x >> 32;
}

static guint8 *
put_clock (guint8 *at,
           guint32 id,
           gint64 ns,
           gboolean is_incremental)
{
  guint8 *content = at = sw_proto_open (at, SNAPSHOT_CLOCKS);

  at = sw_proto_put_number (at, CLOCK_ID, id);
  at = sw_proto_put_number (at, CLOCK_TIMESTAMP, (guint64) ns);
  if (is_incremental)
    at = sw_proto_put_number (at, CLOCK_IS_INCREMENTAL, TRUE);
  return sw_proto_close (content, at);
}

static guint8 *
put_main_packet (SwTraceWriter *writer,
                 guint8 *at)
{
  at = sw_perfetto_put_absolute_time (at, writer->session.base_ns);
  at = sw_proto_put_number (at, PACKET_SEQUENCE_ID, MAIN_SEQUENCE);
  if (writer->n_records == 0)
    at = sw_proto_put_number (at, PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED);
  return at;
}

/* Readers know the monotonic clock from this packet, or drop whatever is timed by it. */
static void
put_clock_packet (SwTraceWriter *writer)
{
  const SwTraceSession *session = &writer->session;
  guint8 *packet = sw_proto_open (reserve (writer, 0), TRACE_PACKET);
  guint8 *at = put_main_packet (writer, packet);
  guint8 *content = at = sw_proto_open (at, PACKET_CLOCK_SNAPSHOT);

  at = put_clock (at, CLOCK_MONOTONIC_ID, session->base_ns, FALSE);
  if (session->wall_ns > 0)
    at = put_clock (at, CLOCK_OF_WALL, session->wall_ns, FALSE);
  at = sw_proto_put_number (at, SNAPSHOT_PRIMARY_CLOCK, CLOCK_MONOTONIC_ID);
  sw_perfetto_close_packet (writer, packet, sw_proto_close (content, at));
}

static void
put_uuid_packet (SwTraceWriter *writer)
{
  guint8 *packet = sw_proto_open (reserve (writer, 0), TRACE_PACKET);
  guint8 *at = put_main_packet (writer, packet);
  guint8 *content = at = sw_proto_open (at, PACKET_TRACE_UUID);

  at = sw_proto_put_number (at, UUID_MSB, writer->session.id[0]);
  at = sw_proto_put_number (at, UUID_LSB, writer->session.id[1]);
  sw_perfetto_close_packet (writer, packet, sw_proto_close (content, at));
}

static void
put_attribute (SwTraceWriter *writer,
               const char *prefix,
               const char *key,
               guint64 value)
{
  g_autofree char *name = g_strconcat (prefix, key, NULL);
  guint8 *packet = sw_proto_open (reserve (writer, strlen (name)), TRACE_PACKET);
  guint8 *at = put_main_packet (writer, packet);
  guint8 *attributes = at = sw_proto_open (at, PACKET_TRACE_ATTRIBUTES);
  guint8 *attribute = at = sw_proto_open (at, ATTRIBUTES_ATTRIBUTE);

  at = sw_proto_put_bytes (at, ATTRIBUTE_KEY, name, strlen (name));
  at = sw_proto_put_number (at, ATTRIBUTE_INTEGER, value);
  sw_perfetto_close_packet (writer, packet, sw_proto_close (attributes, sw_proto_close (attribute, at)));
}

static void
perfetto_begin (SwTraceWriter *writer)
{
  put_clock_packet (writer);
  put_uuid_packet (writer);
  put_attribute (writer, "strideweave.", "base_ns", (guint64) writer->session.base_ns);
  if (writer->session.has_no_clock)
    put_attribute (writer, "strideweave.", "no_clock", TRUE);
}

static SwPerfettoLane *
lane_state_new (SwTraceWriter *writer,
                SwTraceLane *lane)
{
  SwPerfettoLane *state = g_new0 (SwPerfettoLane, 1);

  state->uuid = mix (writer, lane->index);
  state->sequence_id = MAIN_SEQUENCE + 1 + lane->index;
  state->last_ns = writer->session.base_ns;
  return state;
}

static void
perfetto_free_lane (gpointer data)
{
  SwPerfettoLane *state = data;

  for (guint i = 0; i < N_INTERNED; i++)
    sw_trace_id_set_clear (&state->interned[i]);
  sw_perfetto_batch_clear (&state->batch);
  g_free (state);
}

/* The first packet of a sequence: what all others take for granted. */
static void
put_defaults_packet (SwTraceWriter *writer,
                     const SwPerfettoLane *state)
{
  guint8 *packet = sw_proto_open (reserve (writer, 0), TRACE_PACKET);
  guint8 *at = sw_perfetto_put_absolute_time (packet, state->last_ns);
  guint8 *content;
  guint8 *event;

  at = sw_proto_put_number (at, PACKET_SEQUENCE_ID, state->sequence_id);
  at = sw_proto_put_number (at, PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED);
  content = at = sw_proto_open (at, PACKET_DEFAULTS);
  at = sw_proto_put_number (at, DEFAULTS_CLOCK_ID, CLOCK_OF_LANE);
  event = at = sw_proto_open (at, DEFAULTS_TRACK_EVENT);
  at = sw_proto_put_number (at, DEFAULTS_TRACK_EVENT_TRACK, state->uuid);
  at = sw_proto_close (content, sw_proto_close (event, at));
  content = at = sw_proto_open (at, PACKET_CLOCK_SNAPSHOT);
  at = put_clock (at, CLOCK_MONOTONIC_ID, state->last_ns, FALSE);
  at = put_clock (at, CLOCK_OF_LANE, state->last_ns, TRUE);
  sw_perfetto_close_packet (writer, packet, sw_proto_close (content, at));
}

static guint8 *
put_process (guint8 *at,
             const SwTraceTrack *track,
             const SwTraceName *name)
{
  guint8 *content = at = sw_proto_open (at, TRACK_PROCESS);

  at = sw_proto_put_number (at, PROCESS_PID, (guint64) track->pid);
  if (track->rank != SW_TRACE_NO_RANK)
    at = sw_proto_put_number (at, PROCESS_SORT_INDEX, (guint64) track->rank);
  at = sw_proto_put_bytes (at, PROCESS_NAME, name->text, name->text_length);
  at = sw_proto_close (content, at);
  /* Else the ranks of the tracks in it would count for nothing. */
  return sw_proto_put_number (at, TRACK_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
}

static guint8 *
put_thread (guint8 *at,
            const SwTraceLane *lane,
            const SwTraceName *name)
{
  guint8 *content = at = sw_proto_open (at, TRACK_THREAD);

  at = sw_proto_put_number (at, THREAD_PID, (guint64) lane->track->pid);
  at = sw_proto_put_number (at, THREAD_TID, (guint64) lane->tid);
  if (lane->track->rank != SW_TRACE_NO_RANK)
    at = sw_proto_put_number (at, THREAD_SORT_INDEX, (guint64) (gint64) lane->track->rank);
  at = sw_proto_put_bytes (at, THREAD_NAME, name->text, name->text_length);
  return sw_proto_close (content, at);
}

static guint8 *
put_counter_track (guint8 *at,
                   const SwTraceName *unit)
{
  guint8 *content = at = sw_proto_open (at, TRACK_COUNTER);

  if (unit->text_length > 0)
    at = sw_proto_put_bytes (at, COUNTER_UNIT_NAME, unit->text, unit->text_length);
  return sw_proto_close (content, at);
}

static guint64
get_process_uuid (const SwTraceTrack *track)
{
  const SwTraceLane *lane = g_ptr_array_index (track->process->lanes, 0);
  const SwPerfettoLane *state = lane->state;

  return state->uuid;
}

static guint8 *
put_descriptor (guint8 *at,
                SwTraceWriter *writer,
                SwTraceLane *lane)
{
  const SwPerfettoLane *state = lane->state;
  const SwTraceTrack *track = lane->track;
  const SwTraceName *name = sw_trace_writer_name (writer, lane->name);

  at = sw_proto_put_number (at, TRACK_UUID, state->uuid);
  if (track->process != NULL)
    at = sw_proto_put_number (at, TRACK_PARENT, get_process_uuid (track));
  if (track->rank != SW_TRACE_NO_RANK)
    at = sw_proto_put_number (at, TRACK_RANK, (guint64) (gint64) track->rank);
  if (track->kind == SW_TRACE_TRACK_PROCESS)
    return put_process (at, track, name);
  if (track->kind == SW_TRACE_TRACK_THREAD)
    return put_thread (at, lane, name);
  at = sw_proto_put_bytes (at, TRACK_NAME, name->text, name->text_length);
  if (track->kind == SW_TRACE_TRACK_ASYNC)
    return sw_proto_put_bytes (at, TRACK_DESCRIPTION, SW_PERFETTO_ASYNC_DESCRIPTION, strlen (SW_PERFETTO_ASYNC_DESCRIPTION));
  return track->kind == SW_TRACE_TRACK_COUNTER ? put_counter_track (at, sw_trace_writer_name (writer, track->unit)) : at;
}

static void
perfetto_lane (SwTraceWriter *writer,
               SwTraceLane *lane)
{
  gsize size = sw_trace_writer_name (writer, lane->name)->text_length +
               sw_trace_writer_name (writer, lane->track->unit)->text_length;
  SwPerfettoLane *state = lane->state;
  guint8 *packet;
  guint8 *at;
  guint8 *content;

  if (state == NULL)
    {
      state = lane->state = lane_state_new (writer, lane);
      put_defaults_packet (writer, state);
    }
  packet = sw_proto_open (reserve (writer, size), TRACE_PACKET);
  at = sw_perfetto_put_absolute_time (packet, state->last_ns);
  at = sw_proto_put_number (at, PACKET_SEQUENCE_ID, state->sequence_id);
  content = at = sw_proto_open (at, PACKET_TRACK_DESCRIPTOR);
  at = put_descriptor (at, writer, lane);
  sw_perfetto_close_packet (writer, packet, sw_proto_close (content, at));
}

/* Readers follow a flow in the order of packets. Where it ends is said at the end of the slice, which may have begun before
 * the flow did. */
static gboolean
is_at_end (const SwTraceLane *lane,
           const SwTraceSlice *slice,
           const SwTraceFlow *flow)
{
  if (lane->track->order == SW_TRACE_ORDER_START)
    return sw_trace_flow_is_late (slice, flow);
  return flow->step == SW_TRACE_FLOW_END && flow->time_ns != 0 && slice->duration_ns > 0;
}

static guint8 *
put_flows (guint8 *at,
           SwTraceWriter *writer,
           const SwTraceLane *lane,
           const SwTraceSlice *slice,
           gboolean at_end)
{
  for (guint i = 0; i < slice->n_flows; i++)
    {
      guint64 id = mix (writer, slice->flows[i].id);

      if (is_at_end (lane, slice, &slice->flows[i]) != at_end)
        continue;
      at = sw_proto_put_fixed64 (at, slice->flows[i].step == SW_TRACE_FLOW_END ? EVENT_LAST_FLOW : EVENT_FLOW, &id);
    }
  return at;
}

static guint8 *
put_text_name (guint8 *at,
               const char *text)
{
  guint8 *content = at = sw_proto_open (at, EVENT_NAME);

  at = (guint8 *) sw_trace_put_utf8 ((char *) at, text, strlen (text));
  return sw_proto_close (content, at);
}

/* In order of ends, what comes next may have begun before. Where it passes through a flow it is written now, as readers
 * follow flows through the file. */
static inline void
add_event (SwTraceWriter *writer,
           SwTraceLane *lane,
           gint64 time_ns,
           const guint8 *end,
           gboolean has_flows)
{
  const SwTraceTrack *track = lane->track;
  gboolean may_wait = track->kind == SW_TRACE_TRACK_THREAD || track->kind == SW_TRACE_TRACK_GPU_QUEUE;

  sw_perfetto_batch_add (writer, lane->state, time_ns, end);
  if (!may_wait || track->order == SW_TRACE_ORDER_START || has_flows)
    sw_perfetto_batch_write (writer, lane->state);
}

/* The usual slice: nothing of it but numbers. */
static inline gboolean
is_plain (const SwPerfettoLane *state,
          const SwTraceSlice *slice)
{
  if (slice->n_args > 0 || slice->n_flows > 0 || (slice->name == 0 && slice->name_text != NULL))
    return FALSE;
  return sw_perfetto_is_told (state, INTERNED_NAME, slice->name) &&
         (slice->category == 0 || sw_perfetto_is_told (state, INTERNED_CATEGORY, slice->category));
}

/* What the lane has not named yet, in a packet without a time. */
static void
put_interned (SwTraceWriter *writer,
              SwPerfettoLane *state,
              const SwTraceSlice *slice,
              gsize size)
{
  guint8 *packet = sw_proto_open (reserve (writer, size), TRACE_PACKET);
  guint8 *content = sw_proto_put_number (packet, PACKET_SEQUENCE_ID, state->sequence_id);
  guint8 *end;

  content = sw_proto_put_number (content, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
  end = sw_perfetto_put_interned (content, writer, state, slice);
  if (end != content)
    sw_perfetto_close_packet (writer, packet, end);
}

/* Only that it has a duration tells it from an instant. Others take no notice of it. */
static guint8 *
put_no_duration (guint8 *at)
{
  guint8 *content = at = sw_proto_open (at, EVENT_LEGACY);

  return sw_proto_close (content, sw_proto_put_number (at, LEGACY_DURATION_US, 0));
}

static void
put_named_event (SwTraceWriter *writer,
                 SwTraceLane *lane,
                 const SwTraceSlice *slice,
                 guint type,
                 gboolean is_slice)
{
  SwPerfettoLane *state = lane->state;
  gsize size = 0;
  guint8 *at;
  guint8 *event;

  if (!is_plain (state, slice))
    {
      size = sw_perfetto_slice_size (writer, slice);
      put_interned (writer, state, slice, size);
    }
  event = at = sw_proto_open (sw_perfetto_batch_reserve (&state->batch, EVENT_SIZE + size), PACKET_TRACK_EVENT);
  at = sw_proto_put_number (at, EVENT_TYPE, type);
  if (type == TYPE_INSTANT && is_slice)
    at = put_no_duration (at);
  if (slice->name != 0 || slice->name_text == NULL)
    at = sw_proto_put_number (at, EVENT_NAME_IID, sw_perfetto_iid (slice->name));
  else
    at = put_text_name (at, slice->name_text);
  if (slice->category != 0)
    at = sw_proto_put_number (at, EVENT_CATEGORY_IID, sw_perfetto_iid (slice->category));
  if (slice->n_flows > 0)
    at = put_flows (at, writer, lane, slice, FALSE);
  if (slice->n_args > 0)
    at = sw_perfetto_put_args (at, slice);
  add_event (writer, lane, slice->start_ns, sw_proto_close (event, at), slice->n_flows > 0);
}

static void
put_end (SwTraceWriter *writer,
         SwTraceLane *lane,
         gint64 time_ns,
         const SwTraceSlice *slice)
{
  SwPerfettoLane *state = lane->state;
  gsize size = slice != NULL && slice->n_flows > 0 ? sw_perfetto_slice_size (writer, slice) : 0;
  guint8 *at = sw_proto_open (sw_perfetto_batch_reserve (&state->batch, EVENT_SIZE + size), PACKET_TRACK_EVENT);
  guint8 *event = at;

  at = sw_proto_put_number (at, EVENT_TYPE, TYPE_END);
  if (size > 0)
    at = put_flows (at, writer, lane, slice, TRUE);
  add_event (writer, lane, time_ns, sw_proto_close (event, at), size > 0);
}

static void
perfetto_end (SwTraceWriter *writer,
              SwTraceLane *lane,
              gint64 time_ns)
{
  put_end (writer, lane, time_ns, NULL);
}

static void
perfetto_slice (SwTraceWriter *writer,
                SwTraceLane *lane,
                const SwTraceSlice *slice,
                SwTracePart parts)
{
  /* As readers understand it, that is the same, in one packet; and equal times nest as in the other formats. */
  if (slice->duration_ns == 0)
    {
      put_named_event (writer, lane, slice, TYPE_INSTANT, TRUE);
      return;
    }
  if ((parts & SW_TRACE_PART_BEGIN) != 0)
    put_named_event (writer, lane, slice, TYPE_BEGIN, TRUE);
  if ((parts & SW_TRACE_PART_END) != 0)
    put_end (writer, lane, slice->start_ns + slice->duration_ns, slice);
  /* Nothing is around it, so that all of its past is known. */
  if (slice->depth == 0 && (parts & SW_TRACE_PART_BEGIN) != 0)
    sw_perfetto_batch_write (writer, lane->state);
}

static void
perfetto_async_slice (SwTraceWriter *writer,
                      SwTraceLane *lane,
                      const SwTraceSlice *slice)
{
  perfetto_slice (writer, lane, slice, SW_TRACE_PART_BEGIN | SW_TRACE_PART_END);
}

static void
perfetto_instant (SwTraceWriter *writer,
                  SwTraceLane *lane,
                  const SwTraceSlice *instant)
{
  put_named_event (writer, lane, instant, TYPE_INSTANT, FALSE);
}

static void
perfetto_counter (SwTraceWriter *writer,
                  SwTraceLane *lane,
                  gint64 time_ns,
                  gboolean is_integer,
                  gint64 integer,
                  double real)
{
  SwPerfettoLane *state = lane->state;
  guint8 *at = sw_proto_open (sw_perfetto_batch_reserve (&state->batch, EVENT_SIZE), PACKET_TRACK_EVENT);
  guint8 *event = at;

  at = sw_proto_put_number (at, EVENT_TYPE, TYPE_COUNTER);
  if (is_integer)
    at = sw_proto_put_number (at, EVENT_COUNTER_INTEGER, (guint64) integer);
  else
    at = sw_proto_put_fixed64 (at, EVENT_COUNTER_REAL, &real);
  add_event (writer, lane, time_ns, sw_proto_close (event, at), FALSE);
}

static void
perfetto_settle (SwTraceWriter *writer,
                 SwTraceLane *lane)
{
  sw_perfetto_batch_write (writer, lane->state);
}

static void
put_tallies (SwTraceWriter *writer,
             const char *prefix,
             GArray *tallies)
{
  for (guint i = 0; i < tallies->len; i++)
    {
      SwTraceTally *tally = &g_array_index (tallies, SwTraceTally, i);

      put_attribute (writer, prefix, sw_trace_writer_name (writer, tally->name)->text, tally->n);
    }
}

static void
perfetto_finish (SwTraceWriter *writer)
{
  put_attribute (writer, "strideweave.", "events", writer->counts.n_events - writer->counts.n_overlapping);
  put_tallies (writer, "strideweave.dropped.", writer->drops);
  put_tallies (writer, "strideweave.diagnostics.", writer->diagnostics);
}

const SwTraceBackend sw_trace_perfetto_backend = {
  .begin = perfetto_begin,
  .lane = perfetto_lane,
  .slice = perfetto_slice,
  .end = perfetto_end,
  .async_slice = perfetto_async_slice,
  .instant = perfetto_instant,
  .counter = perfetto_counter,
  .settle = perfetto_settle,
  .finish = perfetto_finish,
  .free_lane = perfetto_free_lane,
};
