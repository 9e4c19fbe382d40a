/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-backend-private.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-hash-private.h"

/* No thread of Linux has a number this high. */
#define FIRST_MADE_UP_ID (1 << 30)

static const SwTraceBackend *const backends[] = {
  [SW_TRACE_FORMAT_CHROME_JSON] = &sw_trace_chrome_backend,
  [SW_TRACE_FORMAT_JSONL] = &sw_trace_jsonl_backend,
  [SW_TRACE_FORMAT_PERFETTO] = &sw_trace_perfetto_backend,
};

char *
sw_trace_dup_process_name (void)
{
  const char *name = g_get_prgname ();
  g_autofree char *path = name == NULL ? g_file_read_link ("/proc/self/exe", NULL) : NULL;

  if (name != NULL)
    return g_strdup (name);
  return path != NULL ? g_path_get_basename (path) : NULL;
}

/* Not GLib's generator: a forked child would go on with that of its parent. */
void
sw_trace_session_make_id (guint64 id[2])
{
  if (getrandom (id, 2 * sizeof *id, GRND_NONBLOCK) == 2 * sizeof *id)
    return;
  id[0] = (guint64) sw_clock_monotonic_ns ();
  id[1] = (guint64) getpid () << 32 | g_random_int ();
}

void
sw_trace_session_init (SwTraceSession *self,
                       gint64 base_ns)
{
  memset (self, 0, sizeof *self);
  sw_trace_session_make_id (self->id);
  self->base_ns = base_ns;
  self->wall_ns = g_get_real_time () * 1000 - (sw_clock_monotonic_ns () - base_ns);
  self->pid = getpid ();
  self->process_name = sw_trace_dup_process_name ();
}

gboolean
sw_trace_format_check (SwTraceFormat format,
                       GError **error)
{
  if ((guint) format < G_N_ELEMENTS (backends))
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "format is %d, which is no TraceFormat", (int) format);
  return FALSE;
}

static void
lane_free (gpointer data)
{
  SwTraceLane *self = data;

  sw_trace_order_clear (self);
  g_array_unref (self->spans);
  g_free (self);
}

static void
track_free (gpointer data)
{
  SwTraceTrack *self = data;

  g_ptr_array_unref (self->lanes);
  g_clear_pointer (&self->free_from, g_array_unref);
  g_free (self);
}

static gboolean
take_tid (SwTraceWriter *self,
          gint32 pid,
          gint64 tid)
{
  guint64 *key;

  if (tid <= 0 || tid > G_MAXINT32)
    return FALSE;
  key = g_new (guint64, 1);
  *key = (guint64) pid << 32 | (guint64) tid;
  return g_hash_table_add (self->tids, key);
}

static gint32
choose_tid (SwTraceWriter *self,
            gint32 pid,
            gint64 wanted)
{
  if (take_tid (self, pid, wanted))
    return (gint32) wanted;
  while (!take_tid (self, pid, self->next_tid))
    self->next_tid++;
  return self->next_tid++;
}

/* "NAME (2)" is the second lane of a track. */
static guint32
name_lane (SwTraceWriter *self,
           SwTraceTrack *track,
           guint place)
{
  g_autofree char *name = NULL;

  if (place == 0 || track->kind == SW_TRACE_TRACK_ASYNC)
    return track->name;
  name = g_strdup_printf ("%s (%u)", sw_trace_writer_name (self, track->name)->text, place + 1);
  return sw_trace_writer_intern (self, name, -1);
}

static SwTraceLane *
add_lane (SwTraceWriter *self,
          SwTraceTrack *track,
          gint64 wanted_tid)
{
  SwTraceLane *lane = g_new0 (SwTraceLane, 1);

  lane->track = track;
  lane->index = self->lanes->len;
  lane->place = track->lanes->len;
  lane->tid = choose_tid (self, track->pid, wanted_tid);
  lane->name = name_lane (self, track, track->lanes->len);
  lane->last_start = G_MININT64;
  lane->spans = g_array_new (FALSE, FALSE, sizeof (SwTraceSpan));
  g_ptr_array_add (track->lanes, lane);
  g_ptr_array_add (self->lanes, lane);
  self->backend->lane (self, lane);
  sw_trace_sink_end_record (self->sink);
  return lane;
}

SwTraceLane *
sw_trace_writer_add_lane (SwTraceWriter *self,
                          SwTraceTrack *track)
{
  return add_lane (self, track, 0);
}

static SwTraceTrack *
add_track (SwTraceWriter *self,
           const SwTraceTrackInfo *info,
           SwTraceTrack *process)
{
  SwTraceTrack *track = g_new0 (SwTraceTrack, 1);

  track->kind = info->kind;
  track->order = info->order;
  track->rank = info->rank;
  track->process = process;
  track->name = sw_trace_writer_intern (self, info->name != NULL ? info->name : "", -1);
  track->unit = sw_trace_writer_intern (self, info->unit != NULL ? info->unit : "", -1);
  track->lanes = g_ptr_array_new_with_free_func (lane_free);
  g_ptr_array_add (self->tracks, track);
  track->id = self->tracks->len;
  /* A process is a thread of process 0, as far as its number must be unique. */
  track->pid = process != NULL ? process->pid : choose_tid (self, 0, info->id);
  if (self->process == NULL)
    self->process = track;
  /* The main thread has the number of the process; its track may come later. */
  add_lane (self, track, info->kind == SW_TRACE_TRACK_THREAD ? info->id : 0);
  return track;
}

static SwTraceTrack *
get_track (SwTraceWriter *self,
           guint32 id)
{
  g_return_val_if_fail (id > 0 && id <= self->tracks->len, self->process);

  return g_ptr_array_index (self->tracks, id - 1);
}

guint32
sw_trace_writer_add_track (SwTraceWriter *self,
                           const SwTraceTrackInfo *info)
{
  SwTraceTrack *process = info->process != 0 ? get_track (self, info->process) : self->process;

  return add_track (self, info, info->kind != SW_TRACE_TRACK_PROCESS ? process : NULL)->id;
}

gboolean
sw_trace_writer_is_number_free (SwTraceWriter *self,
                                guint32 process,
                                gint64 number)
{
  gint32 pid = process != 0 ? get_track (self, process)->pid : 0;
  guint64 key = (guint64) pid << 32 | (guint64) number;

  return number > 0 && number <= G_MAXINT32 && !g_hash_table_contains (self->tids, &key);
}

void
sw_trace_writer_rename_track (SwTraceWriter *self,
                              guint32 id,
                              const char *name)
{
  SwTraceTrack *track = get_track (self, id);

  track->name = sw_trace_writer_intern (self, name, -1);
  for (guint i = 0; i < track->lanes->len; i++)
    {
      SwTraceLane *lane = g_ptr_array_index (track->lanes, i);

      lane->name = name_lane (self, track, i);
      self->backend->lane (self, lane);
      sw_trace_sink_end_record (self->sink);
    }
}

guint32
sw_trace_writer_intern (SwTraceWriter *self,
                        const char *text,
                        gssize length)
{
  return sw_trace_names_intern (&self->names, text, length < 0 ? strlen (text) : (gsize) length);
}

SwTraceWriter *
sw_trace_writer_new_for_sink (SwTraceFormat format,
                              SwTraceSink *sink,
                              const SwTraceSession *session)
{
  SwTraceWriter *self = g_new0 (SwTraceWriter, 1);
  SwTraceTrackInfo process = { .kind = SW_TRACE_TRACK_PROCESS, .rank = SW_TRACE_NO_RANK };

  self->backend = backends[format];
  self->sink = sink;
  self->session = *session;
  self->session.process_name = NULL;
  self->tracks = g_ptr_array_new_with_free_func (track_free);
  self->lanes = g_ptr_array_new ();
  self->tids = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->next_tid = FIRST_MADE_UP_ID;
  self->drops = g_array_new (FALSE, FALSE, sizeof (SwTraceTally));
  self->diagnostics = g_array_new (FALSE, FALSE, sizeof (SwTraceTally));
  self->drop_places = g_hash_table_new (NULL, NULL);
  self->diagnostic_places = g_hash_table_new (NULL, NULL);
  sw_trace_names_init (&self->names);

  self->backend->begin (self);
  sw_trace_sink_end_record (sink);
  process.id = session->pid;
  process.name = session->process_name;
  if (session->has_rank)
    process.rank = session->rank;
  add_track (self, &process, NULL);
  return self;
}

SwTraceWriter *
sw_trace_writer_new (SwTraceFormat format,
                     SwTraceSinkFunc func,
                     gpointer data,
                     const SwTraceSession *session)
{
  return sw_trace_writer_new_for_sink (format, sw_trace_sink_new (func, data), session);
}

SwTraceWriter *
sw_trace_writer_new_for_path (SwTraceFormat format,
                              const char *path,
                              SwTraceSinkMode mode,
                              const SwTraceSession *session,
                              GError **error)
{
  SwTraceSink *sink = sw_trace_sink_new_for_path (path, mode, error);

  return sink != NULL ? sw_trace_writer_new_for_sink (format, sink, session) : NULL;
}

static void
release_all (SwTraceWriter *self,
             gboolean is_final)
{
  for (guint i = 0; i < self->lanes->len; i++)
    {
      SwTraceLane *lane = g_ptr_array_index (self->lanes, i);

      if (is_final || lane->n_held > 0)
        sw_trace_order_release (self, lane, is_final);
      if (self->backend->settle != NULL)
        self->backend->settle (self, lane);
      sw_trace_sink_end_record (self->sink);
    }
}

/* Where the two are written apart and others may read the file already, beginnings that wait go along, so that after a
 * crash there is no end without its beginning. */
static inline void
event_done (SwTraceWriter *self)
{
  self->counts.n_events++;
  sw_trace_sink_end_record (self->sink);
  if (G_UNLIKELY (self->sink->n_used >= SW_TRACE_SINK_FLUSH_AT))
    {
      if (self->backend->end != NULL && self->sink->is_streamed)
        release_all (self, FALSE);
      sw_trace_sink_flush (self->sink, NULL);
    }
}

/* FALSE where nothing is to be put right. */
static inline gboolean
is_odd (const SwTraceWriter *self,
        const SwTraceSlice *slice)
{
  return slice->start_ns < self->session.base_ns || slice->duration_ns < 0 ||
         slice->duration_ns > G_MAXINT64 - MAX (slice->start_ns, 0);
}

static void
put_right (SwTraceWriter *self,
           SwTraceSlice *slice)
{
  if (slice->duration_ns < 0)
    {
      slice->duration_ns = 0;
      self->counts.n_negative++;
    }
  if (slice->start_ns < self->session.base_ns)
    {
      gint64 end;

      if (__builtin_add_overflow (slice->start_ns, slice->duration_ns, &end))
        end = G_MAXINT64;
      slice->duration_ns = MAX (end - self->session.base_ns, 0);
      slice->start_ns = self->session.base_ns;
      self->counts.n_clipped++;
    }
  slice->duration_ns = MIN (slice->duration_ns, G_MAXINT64 - MAX (slice->start_ns, 0));
}

void
sw_trace_writer_slice (SwTraceWriter *self,
                       const SwTraceSlice *slice)
{
  SwTraceTrack *track = get_track (self, slice->track);
  SwTraceSlice right;

  if (G_UNLIKELY (is_odd (self, slice)))
    {
      right = *slice;
      put_right (self, &right);
      slice = &right;
    }
  sw_trace_order_slice (self, track, slice);
  event_done (self);
}

void
sw_trace_writer_instant (SwTraceWriter *self,
                         const SwTraceSlice *instant)
{
  SwTraceTrack *track = get_track (self, instant->track);
  SwTraceSlice right = *instant;

  right.duration_ns = 0;
  if (is_odd (self, &right))
    put_right (self, &right);
  sw_trace_order_instant (self, track, &right);
  event_done (self);
}

static void
write_counter (SwTraceWriter *self,
               guint32 track_id,
               gint64 time_ns,
               gboolean is_integer,
               gint64 integer,
               double real)
{
  SwTraceTrack *track = get_track (self, track_id);

  if (time_ns < self->session.base_ns)
    {
      time_ns = self->session.base_ns;
      self->counts.n_clipped++;
    }
  self->backend->counter (self, g_ptr_array_index (track->lanes, 0), time_ns, is_integer, integer, real);
  event_done (self);
}

void
sw_trace_writer_counter (SwTraceWriter *self,
                         guint32 track,
                         gint64 time_ns,
                         double value)
{
  write_counter (self, track, time_ns, FALSE, 0, value);
}

void
sw_trace_writer_counter_int64 (SwTraceWriter *self,
                               guint32 track,
                               gint64 time_ns,
                               gint64 value)
{
  write_counter (self, track, time_ns, TRUE, value, 0);
}

/* @places: of what is in the list, plus 1. */
static void
add_to_tally (SwTraceWriter *self,
              GArray *tallies,
              GHashTable *places,
              const char *name,
              guint64 n)
{
  SwTraceTally tally = { sw_trace_writer_intern (self, name, -1), n };
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, GUINT_TO_POINTER (tally.name)));

  if (place > 0)
    {
      g_array_index (tallies, SwTraceTally, place - 1).n += n;
      return;
    }
  g_array_append_val (tallies, tally);
  g_hash_table_insert (places, GUINT_TO_POINTER (tally.name), GUINT_TO_POINTER (tallies->len));
}

void
sw_trace_writer_add_drops (SwTraceWriter *self,
                           const char *reason,
                           guint64 n)
{
  add_to_tally (self, self->drops, self->drop_places, reason, n);
}

void
sw_trace_writer_add_diagnostic (SwTraceWriter *self,
                                const char *name,
                                guint64 n)
{
  add_to_tally (self, self->diagnostics, self->diagnostic_places, name, n);
}

/* What the writer itself left out and put right. */
static void
add_own_tallies (SwTraceWriter *self)
{
  const SwTraceCounts *counts = &self->counts;

  sw_trace_writer_add_drops (self, "overlapping", counts->n_overlapping);
  sw_trace_writer_add_diagnostic (self, "other_lane", counts->n_relaned);
  sw_trace_writer_add_diagnostic (self, "before_base", counts->n_clipped);
  sw_trace_writer_add_diagnostic (self, "negative_duration", counts->n_negative);
}

gboolean
sw_trace_writer_flush (SwTraceWriter *self,
                       GError **error)
{
  release_all (self, FALSE);
  return sw_trace_sink_flush (self->sink, error);
}

static void
writer_free (SwTraceWriter *self)
{
  for (guint i = 0; i < self->lanes->len; i++)
    {
      SwTraceLane *lane = g_ptr_array_index (self->lanes, i);

      if (lane->state != NULL)
        self->backend->free_lane (lane->state);
    }
  g_ptr_array_unref (self->lanes);
  g_ptr_array_unref (self->tracks);
  g_hash_table_unref (self->tids);
  g_array_unref (self->drops);
  g_hash_table_unref (self->drop_places);
  g_hash_table_unref (self->diagnostic_places);
  g_array_unref (self->diagnostics);
  sw_trace_names_clear (&self->names);
  g_free (self);
}

void
sw_trace_writer_get_overlaps (const SwTraceWriter *self,
                              guint64 *n_moved,
                              guint64 *n_lost)
{
  *n_moved = self->counts.n_relaned;
  *n_lost = self->counts.n_overlapping;
}

void
sw_trace_writer_cancel (SwTraceWriter *self)
{
  sw_trace_sink_cancel (self->sink);
  writer_free (self);
}

gboolean
sw_trace_writer_close (SwTraceWriter *self,
                       GError **error)
{
  gboolean is_whole;

  release_all (self, TRUE);
  add_own_tallies (self);
  self->backend->finish (self);
  sw_trace_sink_end_record (self->sink);
  is_whole = sw_trace_sink_close (self->sink, error);
  writer_free (self);
  return is_whole;
}
