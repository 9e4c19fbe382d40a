/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-source-private.h"

static void
take_session (gpointer data,
              const SwTraceSession *session,
              gboolean has_base)
{
  SwToolSource *self = data;
  SwSourceSession taken = { *session, has_base };

  taken.session.process_name = g_strdup (session->process_name);
  g_array_append_val (self->sessions, taken);
}

static void
take_track (gpointer data,
            guint32 id,
            const SwTraceTrackInfo *info)
{
  SwToolSource *self = data;
  SwSourceTrack *track;

  if (id >= self->tracks->len)
    g_array_set_size (self->tracks, id + 1);
  track = &g_array_index (self->tracks, SwSourceTrack, id);
  g_free ((char *) track->info.name);
  g_free ((char *) track->info.unit);
  track->is_known = TRUE;
  track->session = MAX (self->sessions->len, 1) - 1;
  track->info = *info;
  track->info.name = g_strdup (info->name);
  track->info.unit = g_strdup (info->unit);
}

static void
count_event (SwToolSource *self,
             guint32 track)
{
  if (track < self->tracks->len)
    g_array_index (self->tracks, SwSourceTrack, track).n_events++;
  sw_tool_progress_step (&self->progress);
}

static void
take_slice (gpointer data,
            const SwTraceReadSlice *slice)
{
  SwToolSource *self = data;

  sw_trace_sorter_add (self->sorter, SW_SORTED_SLICE, &slice->slice, slice->flags, slice->order);
  count_event (self, slice->slice.track);
}

static void
take_instant (gpointer data,
              const SwTraceSlice *instant)
{
  SwToolSource *self = data;

  /* Behind the slices of its time, in the order of the file. */
  sw_trace_sorter_add (self->sorter, SW_SORTED_INSTANT, instant, 0, G_MAXUINT);
  count_event (self, instant->track);
}

static void
take_counter (gpointer data,
              const SwTraceReadCounter *counter)
{
  SwToolSource *self = data;

  sw_trace_sorter_add_counter (self->sorter, counter);
  count_event (self, counter->track);
}

static void
add_count (GArray *counts,
           const char *name,
           guint64 n)
{
  SwSourceCount count = { g_strdup (name), n };

  g_array_append_val (counts, count);
}

static void
take_drops (gpointer data,
            const char *reason,
            guint64 n)
{
  add_count (((SwToolSource *) data)->drops, reason, n);
}

static void
take_diagnostic (gpointer data,
                 const char *name,
                 guint64 n)
{
  add_count (((SwToolSource *) data)->diagnostics, name, n);
}

static void
clear_session (gpointer data)
{
  g_free ((char *) ((SwSourceSession *) data)->session.process_name);
}

static void
clear_track (gpointer data)
{
  SwSourceTrack *track = data;

  g_free ((char *) track->info.name);
  g_free ((char *) track->info.unit);
}

static void
clear_count (gpointer data)
{
  g_free (((SwSourceCount *) data)->name);
}

static GArray *
array_new (guint size,
           GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, size);

  g_array_set_clear_func (array, clear);
  return array;
}

static void
init_contents (SwToolSource *self)
{
  self->sorter = sw_trace_sorter_new (self->budget);
  self->sessions = array_new (sizeof (SwSourceSession), clear_session);
  self->tracks = array_new (sizeof (SwSourceTrack), clear_track);
  self->drops = array_new (sizeof (SwSourceCount), clear_count);
  self->diagnostics = array_new (sizeof (SwSourceCount), clear_count);
}

static void
clear_contents (SwToolSource *self)
{
  sw_trace_sorter_free (self->sorter);
  g_array_unref (self->sessions);
  g_array_unref (self->tracks);
  g_array_unref (self->drops);
  g_array_unref (self->diagnostics);
}

static void
take_restart (gpointer data)
{
  clear_contents (data);
  init_contents (data);
}

static SwToolSource *
source_new (const char *path,
            SwTraceReader *reader,
            gsize budget)
{
  SwToolSource *self = g_new0 (SwToolSource, 1);

  self->path = path;
  self->reader = reader;
  self->budget = budget;
  init_contents (self);
  self->names = g_array_new (FALSE, FALSE, sizeof (guint32));
  sw_tool_progress_init (&self->progress, reader);
  return self;
}

void
sw_tool_source_free (SwToolSource *self)
{
  clear_contents (self);
  sw_trace_reader_free (self->reader);
  g_array_unref (self->names);
  g_free (self);
}

SwToolSource *
sw_tool_source_read (const char *path,
                     gsize budget,
                     GError **error)
{
  static const SwTraceVisitor visitor = {
    .restart = take_restart,
    .session = take_session,
    .track = take_track,
    .slice = take_slice,
    .instant = take_instant,
    .counter = take_counter,
    .drops = take_drops,
    .diagnostic = take_diagnostic,
  };
  SwTraceReader *reader = sw_trace_reader_new_for_path (path, error);
  g_autoptr (SwToolSource) self = reader != NULL ? source_new (path, reader, budget) : NULL;
  gboolean is_done;

  if (self == NULL)
    return NULL;
  is_done = sw_trace_reader_read (reader, &visitor, self, error);
  sw_tool_progress_finish (&self->progress);
  if (!is_done || !sw_trace_sorter_finish (self->sorter, error))
    return NULL;
  self->report = *sw_trace_reader_get_report (reader);
  return g_steal_pointer (&self);
}
