/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-reading-private.h"

guint32
sw_trace_reading_intern_json (SwTraceReader *self,
                              const SwJsonText *text)
{
  g_autofree char *plain = NULL;

  if (G_LIKELY (!text->is_escaped))
    return sw_trace_intern (&self->names, text->start, sw_json_length (text), !text->may_be_other);
  plain = g_malloc (sw_json_length (text) + 1);
  return sw_trace_reading_intern (self, plain, sw_json_unescape (text, plain));
}

static void
tell_session (SwTraceReader *self)
{
  self->is_session_told = TRUE;
  self->session.has_no_clock = self->session.has_no_clock || !self->has_base;
  self->session.process_name = self->process_name != 0 ? sw_trace_intern_get (&self->names, self->process_name)->text : NULL;
  if (self->visitor->session != NULL)
    self->visitor->session (self->data, &self->session, self->has_base);
}

static void
tell_track (SwTraceReader *self,
            guint32 id)
{
  SwTraceReadTrack *track = sw_trace_reading_track (self, id);
  SwTraceTrackInfo info = track->info;

  if (!self->is_session_told)
    tell_session (self);
  track->is_told = TRUE;
  info.process = info.kind == SW_TRACE_TRACK_PROCESS ? 0 : info.process;
  info.name = track->name != 0 ? sw_trace_intern_get (&self->names, track->name)->text : NULL;
  info.unit = track->unit != 0 ? sw_trace_intern_get (&self->names, track->unit)->text : NULL;
  if (info.process != 0 && !sw_trace_reading_track (self, info.process)->is_told)
    tell_track (self, info.process);
  if (self->visitor->track != NULL)
    self->visitor->track (self->data, id, &info);
}

static inline void
touch (SwTraceReader *self,
       guint32 id,
       gint64 time_ns)
{
  if (G_UNLIKELY (!sw_trace_reading_track (self, id)->is_told))
    tell_track (self, id);
  sw_trace_reading_note (self, id, time_ns);
}

guint32
sw_trace_reading_add_track (SwTraceReader *self,
                            SwTraceTrackKind kind,
                            guint32 process,
                            gint64 id,
                            guint32 name)
{
  SwTraceReadTrack track = { .name = name, .last_ns = G_MININT64 };

  track.info.kind = kind;
  track.info.order = SW_TRACE_ORDER_END;
  track.info.process = process != 0 ? process : self->tracks->len + 1;
  track.info.rank = SW_TRACE_NO_RANK;
  track.info.id = id;
  g_array_append_val (self->tracks, track);
  return self->tracks->len;
}

void
sw_trace_reading_name_track (SwTraceReader *self,
                             guint32 id,
                             guint32 name)
{
  SwTraceReadTrack *track = sw_trace_reading_track (self, id);

  track->is_told = track->is_told && track->name == name;
  track->name = name;
}

void
sw_trace_reading_rank_track (SwTraceReader *self,
                             guint32 id,
                             gint32 rank)
{
  SwTraceReadTrack *track = sw_trace_reading_track (self, id);

  track->is_told = track->is_told && track->info.rank == rank;
  track->info.rank = rank;
}

SwTraceStack *
sw_trace_reading_stack (SwTraceReader *self,
                        guint32 id)
{
  SwTraceReadTrack *track = sw_trace_reading_track (self, id);

  if (track->stack == NULL)
    track->stack = sw_trace_stack_new (id);
  return track->stack;
}

void
sw_trace_reading_slice (SwTraceReader *self,
                        SwTraceReadSlice *slice)
{
  gint64 end;

  if (__builtin_add_overflow (slice->slice.start_ns, slice->slice.duration_ns, &end))
    {
      self->report.n_bad_times++;
      return;
    }
  touch (self, slice->slice.track, end);
  self->report.n_slices++;
  self->report.n_unfinished += (slice->flags & SW_TRACE_READ_UNFINISHED) != 0;
  if (self->visitor->slice != NULL)
    self->visitor->slice (self->data, slice);
}

void
sw_trace_reading_instant (SwTraceReader *self,
                          SwTraceSlice *instant)
{
  touch (self, instant->track, instant->start_ns);
  self->report.n_instants++;
  if (self->visitor->instant != NULL)
    self->visitor->instant (self->data, instant);
}

void
sw_trace_reading_counter (SwTraceReader *self,
                          const SwTraceReadCounter *counter)
{
  touch (self, counter->track, counter->time_ns);
  self->report.n_counters++;
  if (self->visitor->counter != NULL)
    self->visitor->counter (self->data, counter);
}

void
sw_trace_reading_drops (SwTraceReader *self,
                        const char *reason,
                        guint64 n)
{
  if (!self->is_session_told)
    tell_session (self);
  if (self->visitor->drops != NULL)
    self->visitor->drops (self->data, reason, n);
}

void
sw_trace_reading_diagnostic (SwTraceReader *self,
                             const char *name,
                             guint64 n)
{
  if (!self->is_session_told)
    tell_session (self);
  if (self->visitor->diagnostic != NULL)
    self->visitor->diagnostic (self->data, name, n);
}

/* Only so many: a file cannot make the list long. */
#define MOST_KINDS 32
#define LONGEST_KIND 64

void
sw_trace_reading_ignore (SwTraceReader *self,
                         const char *kind,
                         gsize length)
{
  guint32 id;

  self->report.n_ignored++;
  if (g_hash_table_size (self->ignored_kinds) >= MOST_KINDS || length > LONGEST_KIND)
    return;
  id = sw_trace_reading_intern (self, kind, length);
  if (!g_hash_table_add (self->ignored_kinds, GUINT_TO_POINTER (id)))
    return;
  if (self->ignored->len > 0)
    g_string_append (self->ignored, ", ");
  g_string_append (self->ignored, sw_trace_intern_get (&self->names, id)->text);
}

void
sw_trace_reading_malformed (SwTraceReader *self,
                            const char *at)
{
  if (self->report.n_malformed++ > 0 || self->report.is_truncated)
    return;
  self->report.error_offset = sw_trace_bytes_offset (&self->bytes, at);
  self->report.error_record = self->report.n_records;
}

void
sw_trace_reading_stop (SwTraceReader *self,
                       const char *at)
{
  if (self->report.is_truncated)
    return;
  self->report.is_truncated = TRUE;
  self->report.error_offset = sw_trace_bytes_offset (&self->bytes, at);
  self->report.error_record = self->report.n_records + 1;
}

void
sw_trace_reading_begin_session (SwTraceReader *self)
{
  if (self->is_session_told || self->first_track < self->tracks->len)
    sw_trace_reading_finish_session (self);
  memset (&self->session, 0, sizeof self->session);
  self->process_name = 0;
  self->has_base = FALSE;
  self->is_session_told = FALSE;
  self->first_track = self->tracks->len;
}

void
sw_trace_reading_finish_session (SwTraceReader *self)
{
  sw_trace_pairs_finish (self);
  for (guint i = self->first_track; i < self->tracks->len; i++)
    {
      SwTraceReadTrack *track = &g_array_index (self->tracks, SwTraceReadTrack, i);

      if (!track->is_told && !track->is_guess)
        tell_track (self, i + 1);
      g_clear_pointer (&track->stack, sw_trace_stack_free);
    }
  if (!self->is_session_told)
    tell_session (self);
}

gboolean
sw_trace_reading_late_session (SwTraceReader *self)
{
  if (self->visitor->restart == NULL || !sw_trace_bytes_can_rewind (&self->bytes))
    return FALSE;
  self->given = self->session;
  self->given_has_base = self->has_base;
  self->has_given = TRUE;
  self->wants_restart = TRUE;
  return TRUE;
}

gboolean
sw_trace_reading_take_given (SwTraceReader *self)
{
  if (!self->has_given)
    return FALSE;
  self->session = self->given;
  self->has_base = self->given_has_base;
  return TRUE;
}
