/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "sw-profiler/read/sw-trace-intern-private.h"
#include "sw-profiler/tool/sw-tool-rewrite-private.h"
#include "sw/base/sw-error.h"

/* The events of several traces as those of one, through the writer. */

static guint32
map_name (SwToolRewrite *self,
          SwToolSource *source,
          guint32 id)
{
  const SwTraceName *name;
  guint old = source->names->len;
  guint32 *place;

  if (id == 0)
    return 0;
  if (id >= old)
    {
      g_array_set_size (source->names, MAX (id + 1, old * 2));
      memset (&g_array_index (source->names, guint32, old), 0xff, (source->names->len - old) * sizeof (guint32));
    }
  place = &g_array_index (source->names, guint32, id);
  if (*place != G_MAXUINT32)
    return *place;
  name = sw_trace_reader_name (source->reader, id);
  return *place = sw_trace_writer_intern (self->writer, name->text, name->text_length);
}

/* Where events of a kind go that the track itself cannot hold. */
static guint32
find_companion (SwToolRewrite *self,
                SwToolSource *source,
                SwSourceTrack *track,
                SwTraceTrackKind kind)
{
  guint32 *companion = &track->companions[kind == SW_TRACE_TRACK_COUNTER];
  SwTraceTrackInfo info = { .kind = kind, .order = SW_TRACE_ORDER_START, .rank = track->info.rank, .name = track->info.name };
  const SwSourceTrack *process = sw_tool_source_get_track (source, track->info.process);

  self->losses.n_elsewhere++;
  if (*companion != 0)
    return *companion;
  if (track->info.kind == SW_TRACE_TRACK_PROCESS)
    process = track;
  info.process = process != NULL ? process->written : 0;
  return *companion = sw_trace_writer_add_track (self->writer, &info);
}

static guint32
map_track (SwToolRewrite *self,
           SwToolSource *source,
           guint32 id,
           SwSortedKind kind)
{
  SwSourceTrack *track = sw_tool_source_get_track (source, id);
  gboolean fits;

  if (track == NULL)
    return 1;
  switch (track->info.kind)
    {
    case SW_TRACE_TRACK_PROCESS:
      fits = kind == SW_SORTED_INSTANT;
      break;
    case SW_TRACE_TRACK_ASYNC:
      fits = kind == SW_SORTED_SLICE;
      break;
    case SW_TRACE_TRACK_COUNTER:
      fits = kind == SW_SORTED_COUNTER;
      break;
    default:
      fits = kind != SW_SORTED_COUNTER;
    }
  if (fits)
    return track->written;
  return find_companion (self, source, track, kind == SW_SORTED_COUNTER ? SW_TRACE_TRACK_COUNTER : SW_TRACE_TRACK_GPU_QUEUE);
}

/* What is open at the end is marked as the recorder marks it. */
static void
add_mark (SwToolRewrite *self)
{
  SwTraceArg mark = { .key = self->interrupted, .type = SW_TRACE_ARG_BOOL };

  mark.value.boolean = TRUE;
  g_array_append_val (self->args, mark);
}

static void
map_args (SwToolRewrite *self,
          SwToolSource *source,
          const SwSortedEvent *event)
{
  g_array_set_size (self->args, 0);
  g_array_append_vals (self->args, event->slice.args, event->slice.n_args);
  for (guint i = 0; i < self->args->len; i++)
    {
      SwTraceArg *arg = &g_array_index (self->args, SwTraceArg, i);

      arg->key = map_name (self, source, arg->key);
      if (arg->type == SW_TRACE_ARG_NAME)
        arg->value.name = map_name (self, source, arg->value.name);
      else if (arg->type == SW_TRACE_ARG_DOUBLE && !isfinite (arg->value.real))
        self->losses.n_not_finite++;
    }
  if ((event->flags & SW_TRACE_READ_UNFINISHED) != 0)
    add_mark (self);
}

/* Perfetto's form does not say where a flow begins: that is the first place in time, which is not the first one in the file. */
static void
set_step (SwToolRewrite *self,
          SwTraceFlow *flow)
{
  guint64 *id;

  if (flow->step == SW_TRACE_FLOW_END)
    return;
  id = g_memdup2 (&flow->id, sizeof flow->id);
  flow->step = g_hash_table_add (self->begun_flows, id) && flow->time_ns == 0 ? SW_TRACE_FLOW_START : SW_TRACE_FLOW_STEP;
}

/* Readers in JavaScript have no more bits, and Perfetto's no more than 63. */
#define MOST_ID ((G_GUINT64_CONSTANT (1) << 53) - 1)

/* Flows of several sessions may have the same numbers. */
static void
map_flows (SwToolRewrite *self,
           const SwToolSource *source,
           const SwSortedEvent *event,
           guint32 session)
{
  guint64 place = (guint64) event->file << 32 | session;
  guint64 salt = place != 0 ? sw_trace_hash ((const char *) &place, sizeof place, 0) : 0;

  g_array_set_size (self->flows, 0);
  g_array_append_vals (self->flows, event->slice.flows, event->slice.n_flows);
  for (guint i = 0; i < self->flows->len; i++)
    {
      SwTraceFlow *flow = &g_array_index (self->flows, SwTraceFlow, i);

      flow->id ^= salt;
      if (self->format == SW_TRACE_FORMAT_CHROME_JSON && flow->id > MOST_ID)
        flow->id = sw_trace_hash ((const char *) &flow->id, sizeof flow->id, 0) & MOST_ID;
      if (source->report.input == SW_TRACE_INPUT_PERFETTO)
        set_step (self, flow);
      if (flow->time_ns != 0)
        flow->time_ns += self->offset_ns;
    }
}

static void
put_counter (SwToolRewrite *self,
             guint32 track,
             const SwTraceSlice *counter)
{
  const SwTraceArg *value = counter->args;

  if (value->type == SW_TRACE_ARG_INT64)
    {
      sw_trace_writer_counter_int64 (self->writer, track, counter->start_ns, value->value.int64);
      return;
    }
  sw_trace_writer_counter (self->writer, track, counter->start_ns, value->value.real);
}

static void
count_losses (SwToolRewrite *self,
              const SwSourceTrack *track,
              const SwSortedEvent *event)
{
  gboolean is_async = track != NULL && track->info.kind == SW_TRACE_TRACK_ASYNC && event->kind == SW_SORTED_SLICE;

  self->losses.n_async_flows += is_async ? event->slice.n_flows : 0;
}

void
sw_tool_rewrite_put (SwToolRewrite *self,
                     SwSortedEvent *event)
{
  SwToolSource *source = g_ptr_array_index (self->sources, event->file);
  const SwSourceTrack *track = sw_tool_source_get_track (source, event->slice.track);
  SwTraceSlice slice = event->slice;

  slice.start_ns += self->offset_ns;
  slice.track = map_track (self, source, slice.track, event->kind);
  if (event->kind == SW_SORTED_COUNTER)
    {
      put_counter (self, slice.track, &slice);
      return;
    }
  slice.name = map_name (self, source, slice.name);
  slice.category = map_name (self, source, slice.category);
  map_args (self, source, event);
  map_flows (self, source, event, track != NULL ? track->session : 0);
  slice.args = (const SwTraceArg *) (gpointer) self->args->data;
  slice.n_args = self->args->len;
  slice.flows = (const SwTraceFlow *) (gpointer) self->flows->data;
  slice.n_flows = self->flows->len;
  count_losses (self, track, event);
  if (event->kind == SW_SORTED_INSTANT)
    sw_trace_writer_instant (self->writer, &slice);
  else
    sw_trace_writer_slice (self->writer, &slice);
}
