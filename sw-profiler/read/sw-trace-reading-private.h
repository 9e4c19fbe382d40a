/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/read/sw-trace-args-private.h"
#include "sw-profiler/read/sw-trace-bytes-private.h"
#include "sw-profiler/read/sw-trace-intern-private.h"
#include "sw-profiler/read/sw-trace-pairs-private.h"
#include "sw-profiler/read/sw-trace-reader-private.h"

G_BEGIN_DECLS

/* What the readers of the formats share: tracks, sessions, and the way to the visitor. */

typedef struct
{
  SwTraceTrackInfo info;
  guint32 name;
  guint32 unit;
  gboolean is_guess;  /* nothing in the file said that there is one */
  gboolean is_told;   /* the visitor knows it as it is */
  gint64 last_ns;     /* of a process: the end of its last event */
  SwTraceStack *stack; /* what is open on it; NULL: nothing ever was */
} SwTraceReadTrack;

struct _SwTraceReader
{
  SwTraceBytes bytes;
  const SwTraceVisitor *visitor;
  gpointer data;
  SwTraceReadReport report;
  SwTraceIntern names;
  GArray *tracks; /* of SwTraceReadTrack, by id - 1 */
  guint32 first_track; /* of the session */

  SwTraceSession session;
  guint32 process_name;
  gboolean has_base;
  gboolean is_session_told;
  /* What was found behind the events of the first session, for reading them once more. */
  SwTraceSession given;
  gboolean given_has_base;
  gboolean has_given;
  gboolean wants_restart;

  SwTraceScratch scratch;
  SwTracePairs pairs;
  GString *ignored;
  GHashTable *ignored_kinds; /* of ids of names */
  gboolean was_read;
};

/* One format each. Returns FALSE only with an error of the input; where the file goes wrong, they say so with
 * sw_trace_reading_stop () and return. */
gboolean sw_trace_read_chrome (SwTraceReader *self,
                               GError **error);
gboolean sw_trace_read_jsonl (SwTraceReader *self,
                              GError **error);
gboolean sw_trace_read_perfetto (SwTraceReader *self,
                                 GError **error);

guint32 sw_trace_reading_intern_json (SwTraceReader *self,
                                      const SwJsonText *text);
static inline guint32
sw_trace_reading_intern (SwTraceReader *self,
                         const char *text,
                         gsize length)
{
  return sw_trace_intern (&self->names, text, length, FALSE);
}

/* What comes from here on belongs to another session, with tracks of its own. What the one before left open ends. */
void sw_trace_reading_begin_session (SwTraceReader *self);
/* The session of what was told already, which has just been read. TRUE: all is read again, and the format's reader has to return at once. */
gboolean sw_trace_reading_late_session (SwTraceReader *self);
/* At the beginning: whether that is known from then. */
gboolean sw_trace_reading_take_given (SwTraceReader *self);
/* Also at the end of the file: all that is open ends, and tracks without events are told. */
void sw_trace_reading_finish_session (SwTraceReader *self);

static inline SwTraceReadTrack *
sw_trace_reading_track (SwTraceReader *self,
                        guint32 id)
{
  return &g_array_index (self->tracks, SwTraceReadTrack, id - 1);
}

/* @process 0 is for processes. */
guint32 sw_trace_reading_add_track (SwTraceReader *self,
                                    SwTraceTrackKind kind,
                                    guint32 process,
                                    gint64 id,
                                    guint32 name);
void sw_trace_reading_name_track (SwTraceReader *self,
                                  guint32 track,
                                  guint32 name);
void sw_trace_reading_rank_track (SwTraceReader *self,
                                  guint32 track,
                                  gint32 rank);
SwTraceStack *sw_trace_reading_stack (SwTraceReader *self,
                                      guint32 track);

/* That there is an event on it, up to @time_ns. Every track has a process, which is a track as well. */
static inline void
sw_trace_reading_note (SwTraceReader *self,
                       guint32 track,
                       gint64 time_ns)
{
  SwTraceReadTrack *process = sw_trace_reading_track (self, sw_trace_reading_track (self, track)->info.process);

  process->last_ns = MAX (process->last_ns, time_ns);
}

/* To the visitor. */
void sw_trace_reading_slice (SwTraceReader *self,
                             SwTraceReadSlice *slice);
void sw_trace_reading_instant (SwTraceReader *self,
                               SwTraceSlice *instant);
void sw_trace_reading_counter (SwTraceReader *self,
                               const SwTraceReadCounter *counter);
void sw_trace_reading_drops (SwTraceReader *self,
                             const char *reason,
                             guint64 n);
void sw_trace_reading_diagnostic (SwTraceReader *self,
                                  const char *name,
                                  guint64 n);
/* A record of a kind that has no place. */
void sw_trace_reading_ignore (SwTraceReader *self,
                              const char *kind,
                              gsize length);
/* A record that is none; @at in the window. */
void sw_trace_reading_malformed (SwTraceReader *self,
                                 const char *at);
/* The file cannot be read on, or ends too early, at @at in the window. */
void sw_trace_reading_stop (SwTraceReader *self,
                            const char *at);

static inline gboolean
sw_trace_reading_wants_args (const SwTraceReader *self)
{
  return !self->visitor->no_args;
}

G_END_DECLS
