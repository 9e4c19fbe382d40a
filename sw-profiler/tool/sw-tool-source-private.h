/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-trace-sorter-private.h"
#include "sw-profiler/tool/sw-tool-trace-private.h"

G_BEGIN_DECLS

/* A trace that is written again, in another form or with others: everything that its reader says. */

typedef struct
{
  SwTraceSession session; /* process_name: its own */
  gboolean has_base;
} SwSourceSession;

/* What a track stands for in the trace that is written. */
typedef struct
{
  gboolean is_known; /* ids need not follow each other */
  guint32 session;   /* which */
  SwTraceTrackInfo info; /* name and unit: its own */
  guint32 written;
  guint32 companions[2]; /* tracks for what it cannot hold there: slices and instants; values. 0: not needed so far */
  guint64 n_events;
} SwSourceTrack;

typedef struct
{
  char *name;
  guint64 n;
} SwSourceCount;

typedef struct
{
  const char *path; /* the caller's */
  SwTraceReader *reader;
  gsize budget; /* of memory, for events */
  SwTraceReadReport report;
  SwTraceSorter *sorter;
  GArray *sessions;    /* of SwSourceSession */
  GArray *tracks;      /* of SwSourceTrack, by the reader's id */
  GArray *drops;       /* of SwSourceCount */
  GArray *diagnostics; /* of SwSourceCount */
  gint64 shift_ns;     /* of its times, to those that are written */
  GArray *names;       /* of guint32, by the reader's id: the writer's, G_MAXUINT32 for not yet */
  SwToolProgress progress;
} SwToolSource;

/* @budget: bytes of memory for its events. Fails with what the reader fails with, and with IO. */
SwToolSource *sw_tool_source_read (const char *path,
                                   gsize budget,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_tool_source_free (SwToolSource *self);

/* NULL for no track. */
static inline SwSourceTrack *
sw_tool_source_get_track (const SwToolSource *self,
                          guint32 track)
{
  SwSourceTrack *found = track < self->tracks->len ? &g_array_index (self->tracks, SwSourceTrack, track) : NULL;

  return found != NULL && found->is_known ? found : NULL;
}

static inline SwSourceSession *
sw_tool_source_get_session (const SwToolSource *self)
{
  return &g_array_index (self->sessions, SwSourceSession, 0);
}

/* Whether its times are those of this machine, in this or another boot. */
static inline gboolean
sw_tool_source_has_clock (const SwToolSource *self)
{
  return sw_tool_source_get_session (self)->has_base && !sw_tool_source_get_session (self)->session.has_no_clock;
}

/* One trace of several, or of one: their times shifted, their processes apart. What is said of the result goes to @notes. The writer is
 * closed, or canceled. Fails with VALUE, where a time does not fit, and with IO. */
gboolean sw_tool_sources_write (GPtrArray *sources,
                                SwTraceFormat format,
                                SwTraceSink *sink,
                                GPtrArray *notes,
                                GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwToolSource, sw_tool_source_free)

G_END_DECLS
