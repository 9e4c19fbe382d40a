/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include <unistd.h>

#include "sw-profiler/export/sw-trace-writer-private.h"
#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-error.h"

enum
{
  ARG_CARRIER,
  ARG_IMPLEMENTATION,
  ARG_SELF_TIME,
  ARG_SUCCEEDED,
  ARG_INPUT_SHAPES, /* last: not every event has it */
  N_ARGS,
};

/* What the writer calls the texts that many events share. */
typedef struct
{
  const SwEventSource *source;
  SwTraceWriter *writer;
  guint32 *names; /* by site */
  guint32 *carriers;
  guint32 *implementations;
  guint32 *shapes; /* 0: not needed so far */
  SwTraceArg args[N_ARGS];
  SwTraceSlice slice;
} TraceMaker;

void
sw_event_identity_init (SwEventIdentity *self,
                        guint64 thread_id)
{
  sw_trace_session_make_id (self->session_id);
  self->process_id = getpid ();
  self->thread_id = (gint64) thread_id;
  self->wall_offset_ns = g_get_real_time () * 1000 - sw_clock_monotonic_ns ();
  self->thread_name = "";
}

static void
trace_maker_init (TraceMaker *self,
                  const SwEventSource *source,
                  SwTraceWriter *writer)
{
  static const char *const keys[N_ARGS] = { "carrier", "implementation", "self_time_ns", "succeeded", "input_shapes" };
  static const SwTraceArgType types[N_ARGS] = { SW_TRACE_ARG_NAME, SW_TRACE_ARG_NAME, SW_TRACE_ARG_INT64, SW_TRACE_ARG_BOOL,
                                                SW_TRACE_ARG_NAME };

  self->source = source;
  self->writer = writer;
  self->names = g_new (guint32, source->n_sites);
  self->carriers = g_new (guint32, source->n_sites);
  self->implementations = g_new (guint32, source->n_sites);
  self->shapes = g_new0 (guint32, source->n_shapes);
  for (gsize i = 0; i < source->n_sites; i++)
    {
      const SwEventSite *site = &source->sites[i];

      self->names[i] = sw_trace_writer_intern (writer, site->name, -1);
      self->carriers[i] = sw_trace_writer_intern (writer, sw_event_site_get_carrier_name (site), -1);
      self->implementations[i] = sw_trace_writer_intern (writer, sw_event_site_get_implementation_name (site), -1);
    }
  for (guint i = 0; i < N_ARGS; i++)
    self->args[i] = (SwTraceArg){ .key = sw_trace_writer_intern (writer, keys[i], -1), .type = types[i] };
  self->slice.args = self->args;
  self->slice.category = sw_trace_writer_intern (writer, "operation", -1);
  /* A filter may have left out what is between an event and its parent; the times say how they nest. */
  self->slice.depth = SW_TRACE_DEPTH_UNKNOWN;
}

static void
trace_maker_clear (TraceMaker *self)
{
  g_free (self->names);
  g_free (self->carriers);
  g_free (self->implementations);
  g_free (self->shapes);
}

static guint32
get_shapes (TraceMaker *self,
            guint32 id)
{
  if (self->shapes[id] == 0)
    {
      g_autofree char *text = sw_input_shapes_to_string (self->source->shapes[id]);

      self->shapes[id] = sw_trace_writer_intern (self->writer, text, -1);
    }
  return self->shapes[id];
}

static inline void
put_event (TraceMaker *self,
           const SwEventBlock *block,
           gsize i)
{
  guint32 site = block->site[i] & ~SW_EVENT_FAILED;
  gboolean has_shapes = block->shapes != NULL && block->shapes[i] != 0;

  self->slice.name = self->names[site];
  self->slice.start_ns = block->start_ns[i];
  self->slice.duration_ns = block->duration_ns[i];
  self->slice.n_args = has_shapes ? N_ARGS : ARG_INPUT_SHAPES;
  self->args[ARG_CARRIER].value.name = self->carriers[site];
  self->args[ARG_IMPLEMENTATION].value.name = self->implementations[site];
  self->args[ARG_SELF_TIME].value.int64 = block->self_ns[i];
  self->args[ARG_SUCCEEDED].value.boolean = (block->site[i] & SW_EVENT_FAILED) == 0;
  if (has_shapes)
    self->args[ARG_INPUT_SHAPES].value.name = get_shapes (self, block->shapes[i]);
  sw_trace_writer_slice (self->writer, &self->slice);
}

static void
put_events (TraceMaker *self)
{
  const SwEventSource *source = self->source;

  for (gsize k = 0; k < source->n_blocks; k++)
    {
      SwEventBlock block;

      source->get_block (source->data, k, &block);
      for (gsize i = 0; i < block.n; i++)
        put_event (self, &block, i);
    }
}

static gint64
get_first_start (const SwEventSource *source)
{
  SwEventBlock block;

  if (source->n_events == 0)
    return 0;
  source->get_block (source->data, 0, &block);
  return block.start_ns[0];
}

static SwTraceWriter *
open_writer (const SwEventSource *self,
             const char *path,
             SwTraceFormat format,
             GError **error)
{
  const SwEventIdentity *identity = &self->identity;
  g_autofree char *process_name = sw_trace_dup_process_name ();
  SwTraceSession session = {
    .id = { identity->session_id[0], identity->session_id[1] },
    .base_ns = get_first_start (self),
    .pid = identity->process_id,
    .process_name = process_name,
  };

  session.wall_ns = session.base_ns + identity->wall_offset_ns;
  return sw_trace_writer_new_for_path (format, path, SW_TRACE_SINK_WHOLE, &session, error);
}

gboolean
sw_event_source_write_trace (const SwEventSource *self,
                             const char *path,
                             SwTraceFormat format,
                             GError **error)
{
  SwTraceTrackInfo thread = {
    .kind = SW_TRACE_TRACK_THREAD,
    .order = SW_TRACE_ORDER_START,
    .rank = SW_TRACE_NO_RANK,
    .id = self->identity.thread_id,
    .name = self->identity.thread_name,
  };
  SwTraceWriter *writer = open_writer (self, path, format, error);
  TraceMaker maker = { NULL };

  if (writer == NULL)
    return FALSE;
  trace_maker_init (&maker, self, writer);
  maker.slice.track = sw_trace_writer_add_track (writer, &thread);
  put_events (&maker);
  trace_maker_clear (&maker);
  sw_trace_writer_add_drops (writer, "no_memory", self->n_dropped);
  sw_trace_writer_add_diagnostic (writer, "clock_faults", self->n_clock_faults);
  return sw_trace_writer_close (writer, error);
}
