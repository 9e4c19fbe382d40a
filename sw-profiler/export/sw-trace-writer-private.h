/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-sink-private.h"
#include "sw/shape/sw-shape.h"

G_BEGIN_DECLS

/* Writes a trace in one of the formats, event by event, through one fixed buffer. An event is made on the caller's
 * stack and is written before the call returns: nothing of it is kept, but for the few slices that wait until it is
 * known what they are nested in. Any thread may use a writer, one at a time.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC. What is wrong with an event is put right and counted, never passed on: a
 * negative duration is 0, what began before the base begins there, and slices that overlap without nesting are
 * put on further lanes of their track. After the first failure to write, events are only counted. */
typedef struct _SwTraceWriter SwTraceWriter;

/* What is said once, at the head of the trace. */
typedef struct
{
  guint64 id[2];            /* 128 random bits */
  gint64 base_ns;           /* no event is before it; Chrome's times count from it */
  gint64 wall_ns;           /* CLOCK_REALTIME at base_ns, since 1970; a label only. 0: not known */
  gint64 pid;
  const char *process_name; /* NULL: none */
  gboolean has_rank;        /* of the process, among others in the trace */
  gint32 rank;
  gboolean has_no_clock;    /* times are of no known clock: of a trace that others wrote */
} SwTraceSession;

/* 128 random bits, also in a forked child. */
void sw_trace_session_make_id (guint64 id[2]);
/* NULL where it is not known. */
char *sw_trace_dup_process_name (void) G_GNUC_WARN_UNUSED_RESULT;
/* A new session of this process, whose times count from @base_ns. process_name is for g_free (). */
void sw_trace_session_init (SwTraceSession *self,
                            gint64 base_ns);

typedef enum {
  SW_TRACE_TRACK_PROCESS,   /* another process than the session's; holds other tracks, and instants */
  SW_TRACE_TRACK_THREAD,
  SW_TRACE_TRACK_GPU_QUEUE,
  SW_TRACE_TRACK_ASYNC,     /* slices that may overlap, and never nest */
  SW_TRACE_TRACK_COUNTER,
} SwTraceTrackKind;

/* How the slices of one track follow each other. */
typedef enum {
  SW_TRACE_ORDER_END,   /* as they end, children before parents: while a trace is recorded */
  SW_TRACE_ORDER_START, /* as they start, parents before children: from a finished recording. Costs the least */
} SwTraceOrder;

#define SW_TRACE_NO_RANK G_MININT32

typedef struct
{
  SwTraceTrackKind kind;
  SwTraceOrder order;
  guint32 process;  /* a track of that kind, or 0: the session's process */
  gint32 rank;      /* tracks of a process are shown in ascending order of it; SW_TRACE_NO_RANK: as the viewer likes */
  gint64 id;        /* of a thread or process: what the operating system calls it. Taken, or no positive 32 bit
                     * number: the track gets another, so that no two tracks ever have the same one */
  const char *name; /* any bytes; NULL: none */
  const char *unit; /* of a counter; NULL: none */
} SwTraceTrackInfo;

typedef enum {
  SW_TRACE_ARG_STRING, /* any bytes */
  SW_TRACE_ARG_NAME,   /* an interned string */
  SW_TRACE_ARG_INT64,
  SW_TRACE_ARG_UINT64,
  SW_TRACE_ARG_DOUBLE,
  SW_TRACE_ARG_BOOL,
  SW_TRACE_ARG_SHAPE,
  SW_TRACE_ARG_JSON, /* in string: valid JSON on one line, of any type; written as it is */
} SwTraceArgType;

typedef struct
{
  guint32 key; /* interned; of two equal ones, the later counts */
  SwTraceArgType type;
  union
  {
    const char *string;
    guint32 name;
    gint64 int64;
    guint64 uint64;
    double real;
    gboolean boolean;
    SwShape *shape;
  } value;
} SwTraceArg;

typedef enum {
  SW_TRACE_FLOW_START,
  SW_TRACE_FLOW_STEP,
  SW_TRACE_FLOW_END,
} SwTraceFlowStep;

/* An arrow passes through the slices and instants that name its id, in the order of time; not through asynchronous ones. */
typedef struct
{
  guint64 id; /* unique in the process */
  SwTraceFlowStep step;
  /* When, in a slice that began before the flow did; 0: as it began. */
  gint64 time_ns;
} SwTraceFlow;

#define SW_TRACE_DEPTH_UNKNOWN (-1)

typedef struct
{
  guint32 track;
  guint32 name;     /* interned; 0: name_text */
  const char *name_text; /* for names that do not come again; NULL: the empty name */
  guint32 category; /* interned; 0: none */
  /* How many slices it is inside of on its track, where that is known for sure. It makes equal times and long traces in
   * order of ends exact. */
  gint32 depth;
  gint64 start_ns;
  gint64 duration_ns; /* an instant has none */
  const SwTraceArg *args;
  guint n_args;
  const SwTraceFlow *flows;
  guint n_flows;
} SwTraceSlice;

/* FALSE, with a VALUE error, for what is no format. */
gboolean sw_trace_format_check (SwTraceFormat format,
                                GError **error);

/* Fails with IO. */
SwTraceWriter *sw_trace_writer_new_for_path (SwTraceFormat format,
                                             const char *path,
                                             SwTraceSinkMode mode,
                                             const SwTraceSession *session,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Takes the sink. */
SwTraceWriter *sw_trace_writer_new_for_sink (SwTraceFormat format,
                                             SwTraceSink *sink,
                                             const SwTraceSession *session) G_GNUC_WARN_UNUSED_RESULT;
SwTraceWriter *sw_trace_writer_new (SwTraceFormat format,
                                    SwTraceSinkFunc func,
                                    gpointer data,
                                    const SwTraceSession *session) G_GNUC_WARN_UNUSED_RESULT;

/* The id of a text, never 0 but for the empty one. @length -1: up to the NUL. */
guint32 sw_trace_writer_intern (SwTraceWriter *self,
                                const char *text,
                                gssize length);
/* Never 0. */
guint32 sw_trace_writer_add_track (SwTraceWriter *self,
                                   const SwTraceTrackInfo *info);
/* Whether a thread of @process, or with 0 a process, can have that number. */
gboolean sw_trace_writer_is_number_free (SwTraceWriter *self,
                                         guint32 process,
                                         gint64 number);
void sw_trace_writer_rename_track (SwTraceWriter *self,
                                   guint32 track,
                                   const char *name);

/* On a track for slices. */
void sw_trace_writer_slice (SwTraceWriter *self,
                            const SwTraceSlice *slice);
/* On a thread, a GPU queue or a process; while a slice is open, before that is written. */
void sw_trace_writer_instant (SwTraceWriter *self,
                              const SwTraceSlice *instant);
void sw_trace_writer_counter (SwTraceWriter *self,
                              guint32 track,
                              gint64 time_ns,
                              double value);
void sw_trace_writer_counter_int64 (SwTraceWriter *self,
                                    guint32 track,
                                    gint64 time_ns,
                                    gint64 value);

/* Events that the recorder lost; written at the end, by reason. */
void sw_trace_writer_add_drops (SwTraceWriter *self,
                                const char *reason,
                                guint64 n);

/* What else is worth knowing of the recording, by a name like an identifier; written at the end. */
void sw_trace_writer_add_diagnostic (SwTraceWriter *self,
                                     const char *name,
                                     guint64 n);

/* Hands all events so far to the operating system. FALSE, with @error set, after any failure so far. */
gboolean sw_trace_writer_flush (SwTraceWriter *self,
                                GError **error);
/* So far: slices that overlap others of their track, which are on further lanes; and those that found no lane, which are left out. */
void sw_trace_writer_get_overlaps (const SwTraceWriter *self,
                                   guint64 *n_moved,
                                   guint64 *n_lost);
/* Frees the writer of a trace that is not to be: of a WHOLE one nothing is left. */
void sw_trace_writer_cancel (SwTraceWriter *self);
/* Completes the trace and frees the writer. */
gboolean sw_trace_writer_close (SwTraceWriter *self,
                                GError **error);

G_END_DECLS
