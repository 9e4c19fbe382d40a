/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-json-private.h"

/* Chrome's trace-event JSON, the array form. Each record but the first begins with a comma, so that a file that was cut
 * short ends in a whole record or in the middle of one, never in a comma. */

/* ,"pid":1,"tid":2 : the same for each record of a lane. */
typedef struct
{
  gsize length;
  char ids[48];
} ChromeLane;

static char *
put_start (char *at,
           SwTraceWriter *writer)
{
  at = writer->n_records++ > 0 ? sw_trace_put_literal (at, ",\n") : sw_trace_put_literal (at, "\n");
  return sw_trace_put_literal (at, "{\"ph\":\"");
}

static char *
put_ids (char *at,
         gint32 pid,
         gint32 tid)
{
  at = sw_trace_put_literal (at, ",\"pid\":");
  at = sw_trace_put_int64 (at, pid);
  at = sw_trace_put_literal (at, ",\"tid\":");
  return sw_trace_put_int64 (at, tid);
}

static void
chrome_begin (SwTraceWriter *writer)
{
  sw_trace_sink_put (writer->sink, "[", 1);
}

/* A record of metadata, up to its arguments. Its ids are those of a thread that exists: the main one. */
static char *
put_metadata (char *at,
              SwTraceWriter *writer,
              const char *name,
              gint32 pid,
              gint32 tid)
{
  at = put_start (at, writer);
  at = sw_trace_put_literal (at, "M\",\"name\":\"");
  at = sw_trace_put_bytes (at, name, strlen (name));
  *at++ = '"';
  at = put_ids (at, pid, tid);
  return sw_trace_put_literal (at, ",\"args\":{");
}

static void
put_session (SwTraceWriter *writer)
{
  const SwTraceSession *session = &writer->session;
  char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE);

  at = put_metadata (at, writer, "strideweave_session", writer->process->pid, writer->process->pid);
  at = sw_trace_put_literal (at, "\"session\":\"");
  at = sw_trace_put_session_id (at, session);
  *at++ = '"';
  if (!session->has_no_clock)
    at = sw_trace_put_literal (at, ",\"clock\":\"CLOCK_MONOTONIC\"");
  at = sw_trace_put_literal (at, ",\"base_ns\":");
  at = sw_trace_put_int64 (at, session->base_ns);
  if (session->wall_ns != 0)
    {
      at = sw_trace_put_literal (at, ",\"wall_ns\":");
      at = sw_trace_put_int64 (at, session->wall_ns);
    }
  at = sw_trace_put_literal (at, "}}");
  sw_trace_sink_advance (writer->sink, at);
}

static void
put_name_record (SwTraceWriter *writer,
                 const char *what,
                 gint32 pid,
                 gint32 tid,
                 guint32 name_id)
{
  const SwTraceName *name = sw_trace_writer_name (writer, name_id);
  char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE + name->json_length);

  at = put_metadata (at, writer, what, pid, tid);
  at = sw_trace_put_literal (at, "\"name\":");
  at = sw_trace_put_name (at, name);
  at = sw_trace_put_literal (at, "}}");
  sw_trace_sink_advance (writer->sink, at);
}

static void
put_rank (SwTraceWriter *writer,
          const char *what,
          gint32 pid,
          gint32 tid,
          gint32 rank)
{
  char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE);

  at = put_metadata (at, writer, what, pid, tid);
  at = sw_trace_put_literal (at, "\"sort_index\":");
  at = sw_trace_put_int64 (at, rank);
  at = sw_trace_put_literal (at, "}}");
  sw_trace_sink_advance (writer->sink, at);
}

static char *
put_text (char *at,
          const char *key,
          const SwTraceName *text)
{
  *at++ = ',';
  *at++ = '"';
  at = sw_trace_put_bytes (at, key, strlen (key));
  at = sw_trace_put_literal (at, "\":");
  return sw_trace_put_name (at, text);
}

/* What the form itself cannot say of a track; viewers do not look at it. */
static void
put_track (SwTraceWriter *writer,
           const SwTraceLane *lane)
{
  const SwTraceTrack *track = lane->track;
  gboolean is_queue = track->kind == SW_TRACE_TRACK_GPU_QUEUE;
  const SwTraceName *name = sw_trace_writer_name (writer, track->name);
  const SwTraceName *unit = sw_trace_writer_name (writer, track->unit);
  char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE + name->json_length + unit->json_length);

  at = put_metadata (at, writer, "strideweave_track", track->pid, is_queue ? lane->tid : track->pid);
  if (is_queue)
    {
      at = sw_trace_put_literal (at, "\"kind\":\"gpu_queue\"}}");
      sw_trace_sink_advance (writer->sink, at);
      return;
    }
  at = track->kind == SW_TRACE_TRACK_ASYNC ? sw_trace_put_literal (at, "\"kind\":\"async\"")
                                           : sw_trace_put_literal (at, "\"kind\":\"counter\"");
  at = put_text (at, "name", name);
  if (track->unit != 0)
    at = put_text (at, "unit", unit);
  if (track->rank != SW_TRACE_NO_RANK)
    {
      at = sw_trace_put_literal (at, ",\"rank\":");
      at = sw_trace_put_int64 (at, track->rank);
    }
  at = sw_trace_put_literal (at, "}}");
  sw_trace_sink_advance (writer->sink, at);
}

static void
chrome_lane (SwTraceWriter *writer,
             SwTraceLane *lane)
{
  SwTraceTrack *track = lane->track;
  gboolean is_process = track->kind == SW_TRACE_TRACK_PROCESS;
  gint32 tid = is_process ? track->pid : lane->tid;
  gboolean is_new = lane->state == NULL;

  if (is_new)
    {
      ChromeLane *state = lane->state = g_new0 (ChromeLane, 1);

      state->length = (gsize) (put_ids (state->ids, track->pid, tid) - state->ids);
      if (track == writer->process)
        put_session (writer);
    }
  if (is_new && (track->kind == SW_TRACE_TRACK_GPU_QUEUE || (track->kind > SW_TRACE_TRACK_GPU_QUEUE && track->lanes->len == 1)))
    put_track (writer, lane);
  /* Neither has a row of its own here: their events carry the name. */
  if (track->kind == SW_TRACE_TRACK_ASYNC || track->kind == SW_TRACE_TRACK_COUNTER)
    return;
  if (lane->name != 0)
    put_name_record (writer, is_process ? "process_name" : "thread_name", track->pid, tid, lane->name);
  if (is_new && track->rank != SW_TRACE_NO_RANK)
    put_rank (writer, is_process ? "process_sort_index" : "thread_sort_index", track->pid, tid, track->rank);
}

/* ph","name":"…","cat":"…","ts":1.000 */
static char *
put_head (char *at,
          SwTraceWriter *writer,
          const SwTraceSlice *slice,
          gint64 time_ns)
{
  at = sw_trace_put_literal (at, "\",\"name\":");
  at = sw_trace_put_slice_name (at, writer, slice);
  if (slice->category != 0)
    {
      at = sw_trace_put_literal (at, ",\"cat\":");
      at = sw_trace_put_name (at, sw_trace_writer_name (writer, slice->category));
    }
  at = sw_trace_put_literal (at, ",\"ts\":");
  return sw_trace_put_microseconds (at, (guint64) time_ns - (guint64) writer->session.base_ns);
}

static inline char *
put_lane_ids (char *at,
              const SwTraceLane *lane)
{
  const ChromeLane *state = lane->state;

  return sw_trace_put_bytes (at, state->ids, state->length);
}

static void
put_flow (SwTraceWriter *writer,
          SwTraceLane *lane,
          const SwTraceFlow *flow,
          gint64 time_ns)
{
  static const char phases[] = { 's', 't', 'f' };
  char *at = put_start (sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE), writer);

  *at++ = phases[flow->step];
  /* All records of one flow must agree in name and category. */
  at = sw_trace_put_literal (at, "\",\"name\":\"flow\",\"cat\":\"flow\",\"bp\":\"e\",\"id\":");
  at = sw_trace_put_uint64 (at, flow->id);
  at = sw_trace_put_literal (at, ",\"ts\":");
  at = sw_trace_put_microseconds (at, (guint64) time_ns - (guint64) writer->session.base_ns);
  at = put_lane_ids (at, lane);
  *at++ = '}';
  sw_trace_sink_advance (writer->sink, at);
}

/* Inside of the slice, as a viewer sees it. */
static gint64
get_flow_time (const SwTraceSlice *slice,
               const SwTraceFlow *flow)
{
  gint64 last_ns = slice->start_ns + MAX (slice->duration_ns - 1, 0);

  return CLAMP (flow->time_ns, slice->start_ns, last_ns);
}

/* The arguments, the end of the record, and the flows that pass through it. */
static void
put_tail (SwTraceWriter *writer,
          SwTraceLane *lane,
          const SwTraceSlice *slice)
{
  sw_trace_put_args (writer, slice);
  sw_trace_sink_put (writer->sink, "}", 1);
  for (guint i = 0; i < slice->n_flows; i++)
    put_flow (writer, lane, &slice->flows[i], get_flow_time (slice, &slice->flows[i]));
}

static void
chrome_slice (SwTraceWriter *writer,
              SwTraceLane *lane,
              const SwTraceSlice *slice,
              SwTracePart parts)
{
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_slice_size (writer, slice));

  at = put_start (at, writer);
  *at++ = 'X';
  at = put_head (at, writer, slice, slice->start_ns);
  at = sw_trace_put_literal (at, ",\"dur\":");
  at = sw_trace_put_microseconds (at, (guint64) slice->duration_ns);
  at = put_lane_ids (at, lane);
  if (slice->n_args == 0 && slice->n_flows == 0)
    *at++ = '}';
  sw_trace_sink_advance (writer->sink, at);
  if (slice->n_args > 0 || slice->n_flows > 0)
    put_tail (writer, lane, slice);
}

/* Each has an id of its own, so that no viewer can confuse two that run at the same time. */
static char *
put_async (char *at,
           SwTraceWriter *writer,
           SwTraceLane *lane,
           const SwTraceSlice *slice,
           char phase,
           gint64 time_ns)
{
  at = put_start (at, writer);
  *at++ = phase;
  at = put_head (at, writer, slice, time_ns);
  if (slice->category == 0)
    at = sw_trace_put_literal (at, ",\"cat\":\"\"");
  at = sw_trace_put_literal (at, ",\"id2\":{\"local\":\"");
  at = sw_trace_put_uint64 (at, writer->n_async);
  at = sw_trace_put_literal (at, "\"}");
  /* A track is found by the name of its slices, or else by this. */
  if (slice->name != lane->track->name)
    at = put_text (at, "scope", sw_trace_writer_name (writer, lane->track->name));
  return put_ids (at, lane->track->pid, lane->track->pid);
}

static void
chrome_async_slice (SwTraceWriter *writer,
                    SwTraceLane *lane,
                    const SwTraceSlice *slice)
{
  gsize size = sw_trace_slice_size (writer, slice) + sw_trace_writer_name (writer, lane->track->name)->json_length;
  char *at = sw_trace_sink_reserve (writer->sink, size);

  writer->n_async++;
  at = put_async (at, writer, lane, slice, 'b', slice->start_ns);
  sw_trace_sink_advance (writer->sink, at);
  put_tail (writer, lane, slice);
  at = sw_trace_sink_reserve (writer->sink, size);
  at = put_async (at, writer, lane, slice, 'e', slice->start_ns + slice->duration_ns);
  *at++ = '}';
  sw_trace_sink_advance (writer->sink, at);
}

static void
chrome_instant (SwTraceWriter *writer,
                SwTraceLane *lane,
                const SwTraceSlice *instant)
{
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_slice_size (writer, instant));

  at = put_start (at, writer);
  *at++ = 'i';
  at = put_head (at, writer, instant, instant->start_ns);
  at = lane->track->kind == SW_TRACE_TRACK_PROCESS ? sw_trace_put_literal (at, ",\"s\":\"p\"")
                                                   : sw_trace_put_literal (at, ",\"s\":\"t\"");
  at = put_lane_ids (at, lane);
  sw_trace_sink_advance (writer->sink, at);
  put_tail (writer, lane, instant);
}

static void
chrome_counter (SwTraceWriter *writer,
                SwTraceLane *lane,
                gint64 time_ns,
                gboolean is_integer,
                gint64 integer,
                double real)
{
  SwTraceSlice counter = { .name = lane->name };
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_slice_size (writer, &counter));

  at = put_start (at, writer);
  *at++ = 'C';
  at = put_head (at, writer, &counter, time_ns);
  at = put_ids (at, lane->track->pid, lane->track->pid);
  at = sw_trace_put_literal (at, ",\"args\":{\"value\":");
  at = is_integer ? sw_trace_put_int64 (at, integer) : sw_trace_put_json_double (at, real);
  at = sw_trace_put_literal (at, "}}");
  sw_trace_sink_advance (writer->sink, at);
}

static void
chrome_finish (SwTraceWriter *writer)
{
  gint32 pid = writer->process->pid;
  char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_RECORD_SIZE);

  at = put_metadata (at, writer, "strideweave_summary", pid, pid);
  at = sw_trace_put_literal (at, "\"events\":");
  at = sw_trace_put_uint64 (at, writer->counts.n_events - writer->counts.n_overlapping);
  sw_trace_sink_advance (writer->sink, at);
  sw_trace_put_tallies (writer);
  sw_trace_sink_put (writer->sink, "}}\n]\n", 5);
}

const SwTraceBackend sw_trace_chrome_backend = {
  .begin = chrome_begin,
  .lane = chrome_lane,
  .slice = chrome_slice,
  .async_slice = chrome_async_slice,
  .instant = chrome_instant,
  .counter = chrome_counter,
  .finish = chrome_finish,
  .free_lane = g_free,
};
