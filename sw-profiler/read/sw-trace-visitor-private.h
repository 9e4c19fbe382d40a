/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-names-private.h"
#include "sw-profiler/export/sw-trace-writer-private.h"

G_BEGIN_DECLS

/* What a reader of a trace says, record by record, in the words of the writer. Whatever is passed lives until the call
 * returns; ids of texts and tracks are the reader's, and live as long as it does. Slices are whole: a beginning and an
 * end that stand apart in the file have been paired. They come in any order, also of time.
 *
 * Times are nanoseconds. Of a trace that names its base they are those of CLOCK_MONOTONIC. */

typedef struct _SwTraceReader SwTraceReader;

/* A slice whose end was not in the file: it ends with the last event of its process. */
#define SW_TRACE_READ_UNFINISHED (1u << 0)

typedef struct
{
  SwTraceSlice slice; /* depth: SW_TRACE_DEPTH_UNKNOWN, unless the format states it; name and category by the reader's ids,
                       * name_text is not used */
  guint flags;
  guint order; /* of slices of the same track and times, the outer one has the lower; of equal ones, the one that comes first is outer */
} SwTraceReadSlice;

/* Flows that pass through no slice that could be found are on an instant of their name. */

typedef struct
{
  guint32 track;
  gint64 time_ns;
  gboolean is_integer;
  gint64 integer;
  double real;
} SwTraceReadCounter;

/* Each may be NULL: such records are skipped, as cheaply as the reader can. */
typedef struct
{
  gboolean no_args; /* slices and instants may come without their arguments, which is cheaper */
  /* All that was told is void, and comes again: the file says only now what its times count from. NULL: it must not be. */
  void (*restart) (gpointer data);
  /* Of each session in the file, before its events; what is not in the file is 0 or NULL. */
  void (*session) (gpointer data,
                   const SwTraceSession *session,
                   gboolean has_base);
  /* Before the first event on it, and again when its name changes. Its id is no smaller than 1, and small. The process of
   * a track is never 0, and comes before it; one of those of a session has the session's pid, where that is known. */
  void (*track) (gpointer data,
                 guint32 track,
                 const SwTraceTrackInfo *info);
  void (*slice) (gpointer data,
                 const SwTraceReadSlice *slice);
  void (*instant) (gpointer data,
                   const SwTraceSlice *instant);
  void (*counter) (gpointer data,
                   const SwTraceReadCounter *counter);
  /* What the one who wrote the trace lost. */
  void (*drops) (gpointer data,
                 const char *reason,
                 guint64 n);
  void (*diagnostic) (gpointer data,
                      const char *name,
                      guint64 n);
} SwTraceVisitor;

G_END_DECLS
