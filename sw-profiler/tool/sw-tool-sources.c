/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-intern-private.h"
#include "sw-profiler/tool/sw-tool-rewrite-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-hash-private.h"

/* What stands around the events: the session, and the tracks. */

/* From here on numbers are the writer's own. */
#define FIRST_MADE_UP_ID (1 << 30)

static SwToolSource *
get_source (const SwToolRewrite *self,
            guint i)
{
  return g_ptr_array_index (self->sources, i);
}

/* The process that the session is of, or else the first one; NULL: there is none. */
static SwSourceTrack *
find_main (const SwToolRewrite *self)
{
  gint64 pid = sw_tool_source_get_session (get_source (self, 0))->session.pid;
  SwSourceTrack *first = NULL;

  for (guint i = 0; i < self->sources->len; i++)
    for (guint k = 0; k < get_source (self, i)->tracks->len; k++)
      {
        SwSourceTrack *track = sw_tool_source_get_track (get_source (self, i), k);

        if (track == NULL || track->info.kind != SW_TRACE_TRACK_PROCESS)
          continue;
        if (i == 0 && track->info.id == pid && pid != 0)
          return track;
        if (first == NULL)
          first = track;
      }
  return first;
}

/* Of one trace its own; of several, one that comes of all of theirs. */
static void
set_id (const SwToolRewrite *self,
        SwTraceSession *session)
{
  if (self->sources->len == 1)
    return;
  for (guint i = 0; i < self->sources->len; i++)
    {
      const SwSourceSession *other = sw_tool_source_get_session (get_source (self, i));

      for (guint k = 0; k < 2; k++)
        session->id[k] = sw_trace_hash ((const char *) other->session.id, sizeof other->session.id, session->id[k] + k + 1);
    }
}

/* No event is before it. */
static gint64
find_base (const SwToolRewrite *self,
           gint64 *first_ns)
{
  gint64 base = G_MAXINT64;

  *first_ns = G_MAXINT64;
  for (guint i = 0; i < self->sources->len; i++)
    {
      SwToolSource *source = get_source (self, i);
      const SwSourceSession *session = sw_tool_source_get_session (source);
      gint64 first, last, shifted;

      if (sw_trace_sorter_get_times (source->sorter, &first, &last))
        *first_ns = MIN (*first_ns, first + source->shift_ns);
      if (session->has_base && !__builtin_add_overflow (session->session.base_ns, source->shift_ns, &shifted))
        base = MIN (base, shifted);
    }
  if (base == G_MAXINT64)
    base = 0;
  return MIN (base, *first_ns);
}

/* The label of the first that has one, at the new base. */
static void
set_wall (const SwToolRewrite *self,
          SwTraceSession *session)
{
  session->wall_ns = 0;
  for (guint i = 0; i < self->sources->len && session->wall_ns == 0; i++)
    {
      SwToolSource *source = get_source (self, i);
      const SwSourceSession *other = sw_tool_source_get_session (source);
      gint64 shifted, difference;

      if (!other->has_base || other->session.wall_ns == 0 ||
          __builtin_add_overflow (other->session.base_ns, source->shift_ns, &shifted) ||
          __builtin_sub_overflow (session->base_ns, shifted, &difference) ||
          __builtin_add_overflow (other->session.wall_ns, difference, &session->wall_ns))
        session->wall_ns = 0;
    }
}

static void
make_session (SwToolRewrite *self,
              const SwSourceTrack *process,
              SwTraceSession *session)
{
  gint64 first_ns;

  *session = sw_tool_source_get_session (get_source (self, 0))->session;
  session->base_ns = find_base (self, &first_ns);
  session->has_no_clock = TRUE;
  for (guint i = 0; i < self->sources->len; i++)
    {
      session->has_no_clock = session->has_no_clock && !sw_tool_source_has_clock (get_source (self, i));
      self->losses.n_sessions += get_source (self, i)->sessions->len - 1;
    }
  set_wall (self, session);
  set_id (self, session);
  /* Its times have no sign. */
  if (self->format == SW_TRACE_FORMAT_PERFETTO && session->base_ns < 0)
    {
      self->losses.negative_ns = session->base_ns;
      self->offset_ns = session->base_ns == G_MININT64 ? G_MAXINT64 : -session->base_ns;
      session->base_ns = 0;
      session->wall_ns = 0;
    }
  if (process == NULL)
    return;
  session->pid = process->info.id;
  if (process->info.name != NULL)
    session->process_name = process->info.name;
  session->has_rank = process->info.rank != SW_TRACE_NO_RANK;
  session->rank = process->info.rank;
}

/* What a process or thread is called whose number is another one here. */
static char *
make_name (SwToolRewrite *self,
           const SwToolSource *source,
           const SwSourceTrack *track)
{
  gboolean is_process = track->info.kind == SW_TRACE_TRACK_PROCESS;
  gboolean is_taken = track->info.id > 0 && track->info.id <= G_MAXINT32;
  g_autofree char *file = g_path_get_basename (source->path);
  g_autofree char *shown = g_filename_display_name (file);
  const char *name = track->info.name != NULL ? track->info.name : "";
  const char *separator = *name != '\0' ? " " : "";
  const char *what = is_process ? "pid" : "tid";

  if (track->info.id >= FIRST_MADE_UP_ID && track->info.id <= G_MAXINT32)
    return g_strdup (track->info.name);
  self->losses.n_numbers++;
  if (is_process && is_taken && self->sources->len > 1)
    return g_strdup_printf ("%s%s(%s %" G_GINT64_FORMAT " of %s)", name, separator, what, track->info.id, shown);
  if (is_taken || *name == '\0')
    return track->info.id != 0 ? g_strdup_printf ("%s%s(%s %" G_GINT64_FORMAT ")", name, separator, what, track->info.id) : g_strdup (name);
  return g_strdup (name);
}

static void
add_track (SwToolRewrite *self,
           SwToolSource *source,
           SwSourceTrack *track)
{
  const SwSourceTrack *process = sw_tool_source_get_track (source, track->info.process);
  SwTraceTrackInfo info = track->info;
  g_autofree char *name = NULL;

  info.order = SW_TRACE_ORDER_START;
  info.process = process != NULL ? process->written : 1;
  if (info.kind == SW_TRACE_TRACK_PROCESS)
    info.process = 0;
  if ((info.kind == SW_TRACE_TRACK_PROCESS || info.kind == SW_TRACE_TRACK_THREAD) &&
      !sw_trace_writer_is_number_free (self->writer, info.process, info.id))
    info.name = name = make_name (self, source, track);
  track->written = sw_trace_writer_add_track (self->writer, &info);
}

/* Processes first, as all else belongs to them; then threads, whose numbers others must not take. */
static void
add_tracks (SwToolRewrite *self)
{
  for (guint pass = 0; pass < 3; pass++)
    for (guint i = 0; i < self->sources->len; i++)
      {
        SwToolSource *source = get_source (self, i);

        for (guint k = 0; k < source->tracks->len; k++)
          {
            SwSourceTrack *track = sw_tool_source_get_track (source, k);
            guint wanted = track == NULL                                ? 3
                           : track->info.kind == SW_TRACE_TRACK_PROCESS ? 0
                           : track->info.kind == SW_TRACE_TRACK_THREAD  ? 1
                                                                        : 2;

            if (wanted != pass)
              continue;
            if (track->written == 0)
              add_track (self, source, track);
          }
      }
}

/* Of several processes, whose each count is. */
static void
add_counts (SwToolRewrite *self,
            const SwToolSource *source,
            GArray *counts,
            void (*add) (SwTraceWriter *writer, const char *name, guint64 n))
{
  gint64 pid = sw_tool_source_get_session (source)->session.pid;

  for (guint i = 0; i < counts->len; i++)
    {
      const SwSourceCount *count = &g_array_index (counts, SwSourceCount, i);
      g_autofree char *name = NULL;

      if (self->sources->len > 1 && count->n > 0)
        name = g_strdup_printf ("%s (pid %" G_GINT64_FORMAT ")", count->name, pid);
      add (self->writer, name != NULL ? name : count->name, count->n);
    }
}

static gboolean
put_events (SwToolRewrite *self,
            GError **error)
{
  guint n = self->sources->len;
  g_autofree SwTraceSorter **sorters = g_new (SwTraceSorter *, n);
  g_autofree gint64 *shifts = g_new (gint64, n);
  g_autoptr (SwSortedEvents) events = NULL;
  GError *failure = NULL;
  SwSortedEvent event;

  for (guint i = 0; i < n; i++)
    {
      sorters[i] = get_source (self, i)->sorter;
      shifts[i] = get_source (self, i)->shift_ns;
    }
  events = sw_sorted_events_new (sorters, shifts, n, error);
  if (events == NULL)
    return FALSE;
  while (sw_sorted_events_next (events, &event, &failure))
    sw_tool_rewrite_put (self, &event);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}

static gboolean
check_times (const SwToolRewrite *self,
             GError **error)
{
  for (guint i = 0; i < self->sources->len; i++)
    {
      SwToolSource *source = get_source (self, i);
      gint64 first, last, shifted;

      if (!sw_trace_sorter_get_times (source->sorter, &first, &last))
        continue;
      if (!__builtin_add_overflow (first, source->shift_ns, &shifted) && !__builtin_add_overflow (last, source->shift_ns, &shifted) &&
          !__builtin_add_overflow (shifted, self->offset_ns, &shifted))
        continue;
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s: its times, moved by %" G_GINT64_FORMAT " ns, are no 64 bit numbers", source->path,
                   source->shift_ns);
      return FALSE;
    }
  return TRUE;
}

static void
add_form_notes (const SwToolRewrite *self,
                GPtrArray *notes)
{
  const SwToolLosses *losses = &self->losses;

  if (self->format == SW_TRACE_FORMAT_PERFETTO && losses->negative_ns < 0)
    sw_tool_note (notes, "times count from the first event, which was at %" G_GINT64_FORMAT " ns: in this form they are not negative",
                  losses->negative_ns);
}

static void
add_notes (const SwToolRewrite *self,
           GPtrArray *notes)
{
  const SwToolLosses *losses = &self->losses;

  add_form_notes (self, notes);
  sw_tool_note_count (notes, losses->n_moved, "slices that overlap others without nesting, which are on further rows of their tracks");
  sw_tool_note_count (notes, losses->n_lost, "slices that overlap more than 255 others of their track, left out");
  sw_tool_note_count (notes, losses->n_async_flows, "flows through asynchronous slices, left out");
  sw_tool_note_count (notes, losses->n_not_finite, "arguments that are not finite numbers, which are texts");
  sw_tool_note_count (notes, losses->n_elsewhere, "events on tracks that hold no such events, which are on tracks of their own");
  sw_tool_note_count (notes, losses->n_numbers, "processes and threads whose numbers are others, as theirs were taken or are none");
  sw_tool_note_count (notes, losses->n_sessions, "sessions within one file, whose ids and wall-clock times are left out");
}

static gboolean
write_trace (SwToolRewrite *self,
             SwTraceSink *sink,
             GError **error)
{
  SwSourceTrack *process = find_main (self);
  SwTraceSession session;

  make_session (self, process, &session);
  if (!check_times (self, error))
    {
      sw_trace_sink_cancel (sink);
      return FALSE;
    }
  self->writer = sw_trace_writer_new_for_sink (self->format, sink, &session);
  self->interrupted = sw_trace_writer_intern (self->writer, "interrupted", -1);
  if (process != NULL)
    process->written = 1;
  add_tracks (self);
  if (!put_events (self, error))
    {
      sw_trace_writer_cancel (self->writer);
      return FALSE;
    }
  for (guint i = 0; i < self->sources->len; i++)
    {
      add_counts (self, get_source (self, i), get_source (self, i)->drops, sw_trace_writer_add_drops);
      add_counts (self, get_source (self, i), get_source (self, i)->diagnostics, sw_trace_writer_add_diagnostic);
    }
  sw_trace_writer_get_overlaps (self->writer, &self->losses.n_moved, &self->losses.n_lost);
  return sw_trace_writer_close (self->writer, error);
}

gboolean
sw_tool_sources_write (GPtrArray *sources,
                       SwTraceFormat format,
                       SwTraceSink *sink,
                       GPtrArray *notes,
                       GError **error)
{
  SwToolRewrite self = {
    .sources = sources,
    .format = format,
    .args = g_array_new (FALSE, FALSE, sizeof (SwTraceArg)),
    .flows = g_array_new (FALSE, FALSE, sizeof (SwTraceFlow)),
  };
  gboolean is_done;

  self.begun_flows = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  is_done = write_trace (&self, sink, error);

  if (is_done)
    add_notes (&self, notes);
  g_array_unref (self.args);
  g_array_unref (self.flows);
  g_hash_table_unref (self.begun_flows);
  return is_done;
}
