/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-json-private.h"

/* A header, then one object a line, each complete in itself. */

#define FORMAT_VERSION "1"

static const char *const kinds[] = {
  [SW_TRACE_TRACK_PROCESS] = "process",
  [SW_TRACE_TRACK_THREAD] = "thread",
  [SW_TRACE_TRACK_GPU_QUEUE] = "gpu_queue",
  [SW_TRACE_TRACK_ASYNC] = "async",
  [SW_TRACE_TRACK_COUNTER] = "counter",
};

/* ,"key": */
#define put_key(at, key) sw_trace_put_literal (at, ",\"" key "\":")

static void
jsonl_begin (SwTraceWriter *writer)
{
  const SwTraceSession *session = &writer->session;
  char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE);

  at = sw_trace_put_literal (at, "{\"type\":\"header\",\"format\":\"strideweave-trace\",\"version\":" FORMAT_VERSION);
  at = sw_trace_put_literal (at, ",\"session\":\"");
  at = sw_trace_put_session_id (at, session);
  *at++ = '"';
  if (!session->has_no_clock)
    at = sw_trace_put_literal (at, ",\"clock\":\"CLOCK_MONOTONIC\"");
  at = sw_trace_put_literal (at, ",\"base_ns\":");
  at = sw_trace_put_int64 (at, session->base_ns);
  if (session->wall_ns != 0)
    {
      at = put_key (at, "wall_ns");
      at = sw_trace_put_int64 (at, session->wall_ns);
    }
  at = put_key (at, "pid");
  at = sw_trace_put_int64 (at, session->pid);
  at = sw_trace_put_literal (at, "}\n");
  sw_trace_sink_advance (writer->sink, at);
}

static gboolean
has_tid (const SwTraceLane *lane)
{
  return lane->track->kind == SW_TRACE_TRACK_THREAD || lane->track->kind == SW_TRACE_TRACK_GPU_QUEUE;
}

static char *
put_place (char *at,
           const SwTraceLane *lane)
{
  at = put_key (at, "track");
  at = sw_trace_put_uint64 (at, lane->index + 1);
  at = put_key (at, "pid");
  at = sw_trace_put_int64 (at, lane->track->pid);
  if (!has_tid (lane))
    return at;
  at = put_key (at, "tid");
  return sw_trace_put_int64 (at, lane->tid);
}

static void
jsonl_lane (SwTraceWriter *writer,
            SwTraceLane *lane)
{
  const SwTraceTrack *track = lane->track;
  const SwTraceName *name = sw_trace_writer_name (writer, lane->name);
  const SwTraceName *unit = sw_trace_writer_name (writer, track->unit);
  char *at;

  /* Slices that overlap are on one track here. */
  if (track->kind == SW_TRACE_TRACK_ASYNC && lane != g_ptr_array_index (track->lanes, 0))
    return;
  at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE + name->json_length + unit->json_length);
  at = sw_trace_put_literal (at, "{\"type\":\"track\"");
  at = put_place (at, lane);
  at = put_key (at, "kind");
  *at++ = '"';
  at = sw_trace_put_bytes (at, kinds[track->kind], strlen (kinds[track->kind]));
  *at++ = '"';
  at = put_key (at, "name");
  at = sw_trace_put_name (at, name);
  if (track->rank != SW_TRACE_NO_RANK)
    {
      at = put_key (at, "rank");
      at = sw_trace_put_int64 (at, track->rank);
    }
  if (track->unit != 0)
    {
      at = put_key (at, "unit");
      at = sw_trace_put_name (at, unit);
    }
  at = sw_trace_put_literal (at, "}\n");
  sw_trace_sink_advance (writer->sink, at);
}

static char *
put_head (char *at,
          SwTraceWriter *writer,
          const SwTraceSlice *slice)
{
  at = put_key (at, "name");
  at = sw_trace_put_slice_name (at, writer, slice);
  if (slice->category == 0)
    return at;
  at = put_key (at, "category");
  return sw_trace_put_name (at, sw_trace_writer_name (writer, slice->category));
}

static void
put_flows (SwTraceWriter *writer,
           const SwTraceSlice *slice)
{
  static const char *const steps[] = { "start", "step", "end" };
  const char *separator = ",\"flows\":[{\"id\":";

  for (guint i = 0; i < slice->n_flows; i++)
    {
      const char *step = steps[slice->flows[i].step];
      char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE);

      at = sw_trace_put_bytes (at, separator, strlen (separator));
      at = sw_trace_put_uint64 (at, slice->flows[i].id);
      at = sw_trace_put_literal (at, ",\"step\":\"");
      at = sw_trace_put_bytes (at, step, strlen (step));
      *at++ = '"';
      if (sw_trace_flow_is_late (slice, &slice->flows[i]))
        {
          at = put_key (at, "time_ns");
          at = sw_trace_put_int64 (at, slice->flows[i].time_ns);
        }
      *at++ = '}';
      sw_trace_sink_advance (writer->sink, at);
      separator = ",{\"id\":";
    }
  if (slice->n_flows > 0)
    sw_trace_sink_put (writer->sink, "]", 1);
}

static void
put_tail (SwTraceWriter *writer,
          const SwTraceSlice *slice)
{
  sw_trace_put_args (writer, slice);
  put_flows (writer, slice);
  sw_trace_sink_put (writer->sink, "}\n", 2);
}

static char *
put_times (char *at,
           const SwTraceSlice *slice)
{
  at = put_key (at, "start_ns");
  at = sw_trace_put_int64 (at, slice->start_ns);
  at = put_key (at, "duration_ns");
  return sw_trace_put_int64 (at, slice->duration_ns);
}

static void
jsonl_slice (SwTraceWriter *writer,
             SwTraceLane *lane,
             const SwTraceSlice *slice,
             SwTracePart parts)
{
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_slice_size (writer, slice));

  at = sw_trace_put_literal (at, "{\"type\":\"slice\"");
  at = put_head (at, writer, slice);
  at = put_times (at, slice);
  at = put_place (at, lane);
  sw_trace_sink_advance (writer->sink, at);
  put_tail (writer, slice);
}

static void
jsonl_async_slice (SwTraceWriter *writer,
                   SwTraceLane *lane,
                   const SwTraceSlice *slice)
{
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_slice_size (writer, slice));

  at = sw_trace_put_literal (at, "{\"type\":\"async_slice\"");
  at = put_head (at, writer, slice);
  at = put_times (at, slice);
  at = put_key (at, "id");
  at = sw_trace_put_uint64 (at, ++writer->n_async);
  at = put_place (at, g_ptr_array_index (lane->track->lanes, 0));
  sw_trace_sink_advance (writer->sink, at);
  put_tail (writer, slice);
}

static void
jsonl_instant (SwTraceWriter *writer,
               SwTraceLane *lane,
               const SwTraceSlice *instant)
{
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_slice_size (writer, instant));

  at = sw_trace_put_literal (at, "{\"type\":\"instant\"");
  at = put_head (at, writer, instant);
  at = put_key (at, "time_ns");
  at = sw_trace_put_int64 (at, instant->start_ns);
  at = put_place (at, lane);
  sw_trace_sink_advance (writer->sink, at);
  put_tail (writer, instant);
}

static void
jsonl_counter (SwTraceWriter *writer,
               SwTraceLane *lane,
               gint64 time_ns,
               gboolean is_integer,
               gint64 integer,
               double real)
{
  SwTraceSlice counter = { .name = lane->name };
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_slice_size (writer, &counter));

  at = sw_trace_put_literal (at, "{\"type\":\"counter\"");
  at = put_head (at, writer, &counter);
  at = put_key (at, "time_ns");
  at = sw_trace_put_int64 (at, time_ns);
  at = put_key (at, "value");
  at = is_integer ? sw_trace_put_int64 (at, integer) : sw_trace_put_json_double (at, real);
  at = put_place (at, lane);
  at = sw_trace_put_literal (at, "}\n");
  sw_trace_sink_advance (writer->sink, at);
}

static void
jsonl_finish (SwTraceWriter *writer)
{
  char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE);

  at = sw_trace_put_literal (at, "{\"type\":\"summary\",\"events\":");
  at = sw_trace_put_uint64 (at, writer->counts.n_events - writer->counts.n_overlapping);
  sw_trace_sink_advance (writer->sink, at);
  sw_trace_put_tallies (writer);
  sw_trace_sink_put (writer->sink, "}\n", 2);
}

const SwTraceBackend sw_trace_jsonl_backend = {
  .begin = jsonl_begin,
  .lane = jsonl_lane,
  .slice = jsonl_slice,
  .async_slice = jsonl_async_slice,
  .instant = jsonl_instant,
  .counter = jsonl_counter,
  .finish = jsonl_finish,
};
