/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-names-private.h"
#include "sw-profiler/export/sw-trace-writer-private.h"

G_BEGIN_DECLS

/* What the writer and the formats share. The writer decides which slice goes where and when; a format only encodes. */

typedef struct _SwTraceTrack SwTraceTrack;

/* A slice that is inside another one, as far as is known, or that nothing is known to be around. */
typedef struct
{
  gint64 start;
  gint64 end;
  gint64 last_start; /* of the last of several of one depth */
  gint32 depth;
  struct _SwTraceHeld *held; /* waits for what may begin at the same time and be around it */
} SwTraceSpan;

/* Where slices nest: one row of a viewer. */
typedef struct
{
  SwTraceTrack *track;
  guint32 index;      /* in the writer, from 0 */
  guint32 place;      /* in the track, from 0 */
  gint32 tid;         /* unique in the process */
  guint32 name;
  gint64 last_start;
  GArray *spans;      /* of SwTraceSpan */
  struct _SwTraceHeld *points; /* slices of no length and instants of one time: what is longer comes first */
  gint32 points_depth;         /* the least of them */
  guint n_held;
  gpointer state;     /* of the format */
} SwTraceLane;

struct _SwTraceTrack
{
  SwTraceTrackKind kind;
  SwTraceOrder order;
  guint32 id;
  gint32 rank;
  gint32 pid;
  guint32 name;
  guint32 unit;
  SwTraceTrack *process; /* NULL: this is a process */
  GPtrArray *lanes;
  GArray *free_from; /* of gint64, of an asynchronous one; see sw-trace-free-lane.c */
};

/* The beginning and the end of a slice may be written apart. */
typedef enum {
  SW_TRACE_PART_BEGIN = 1 << 0,
  SW_TRACE_PART_END = 1 << 1,
} SwTracePart;

typedef struct
{
  guint64 n_events;
  guint64 n_relaned;
  guint64 n_overlapping; /* found no lane */
  guint64 n_clipped;
  guint64 n_negative;
} SwTraceCounts;

typedef struct
{
  void (*begin) (SwTraceWriter *self);
  /* First, and again after a change of its name. */
  void (*lane) (SwTraceWriter *self,
                SwTraceLane *lane);
  void (*slice) (SwTraceWriter *self,
                 SwTraceLane *lane,
                 const SwTraceSlice *slice,
                 SwTracePart parts);
  /* The end of a slice whose beginning was written, in order of time. NULL: not needed. */
  void (*end) (SwTraceWriter *self,
               SwTraceLane *lane,
               gint64 time_ns);
  void (*async_slice) (SwTraceWriter *self,
                       SwTraceLane *lane,
                       const SwTraceSlice *slice);
  void (*instant) (SwTraceWriter *self,
                   SwTraceLane *lane,
                   const SwTraceSlice *instant);
  void (*counter) (SwTraceWriter *self,
                   SwTraceLane *lane,
                   gint64 time_ns,
                   gboolean is_integer,
                   gint64 integer,
                   double real);
  /* Writes what the format itself held back on the lane. NULL: it writes all at once. */
  void (*settle) (SwTraceWriter *self,
                  SwTraceLane *lane);
  void (*finish) (SwTraceWriter *self);
  void (*free_lane) (gpointer state);
} SwTraceBackend;

extern const SwTraceBackend sw_trace_chrome_backend;
extern const SwTraceBackend sw_trace_jsonl_backend;
extern const SwTraceBackend sw_trace_perfetto_backend;

/* A number with a name, for the end of the trace. */
typedef struct
{
  guint32 name;
  guint64 n;
} SwTraceTally;

struct _SwTraceWriter
{
  const SwTraceBackend *backend;
  SwTraceSink *sink;
  SwTraceNames names;
  SwTraceSession session; /* its name is in process->name */
  SwTraceTrack *process;
  GPtrArray *tracks;   /* of SwTraceTrack, by id - 1 */
  GPtrArray *lanes;    /* of SwTraceLane, by index */
  GHashTable *tids;    /* pid << 32 | tid: taken */
  gint32 next_tid;
  guint64 n_records;   /* that the format wrote */
  guint64 n_async;
  GArray *drops;       /* of SwTraceTally */
  GArray *diagnostics; /* of SwTraceTally */
  GHashTable *drop_places; /* by name */
  GHashTable *diagnostic_places;
  SwTraceCounts counts;
};

static inline const SwTraceName *
sw_trace_writer_name (SwTraceWriter *self,
                      guint32 id)
{
  return sw_trace_names_get (&self->names, id);
}

/* Another lane of a track: its first, or one for slices that overlap those on the others. */
SwTraceLane *sw_trace_writer_add_lane (SwTraceWriter *self,
                                       SwTraceTrack *track);

/* Puts a slice onto a lane where it nests, in an order in which what is outer comes first. */
void sw_trace_order_slice (SwTraceWriter *self,
                           SwTraceTrack *track,
                           const SwTraceSlice *slice);
void sw_trace_order_instant (SwTraceWriter *self,
                             SwTraceTrack *track,
                             const SwTraceSlice *instant);
/* Writes what waits. @is_final: also the ends that later slices could still come before. */
void sw_trace_order_release (SwTraceWriter *self,
                             SwTraceLane *lane,
                             gboolean is_final);
void sw_trace_order_clear (SwTraceLane *lane);

/* Whether a flow came to a slice that had begun before. */
static inline gboolean
sw_trace_flow_is_late (const SwTraceSlice *slice,
                       const SwTraceFlow *flow)
{
  return flow->time_ns > slice->start_ns && slice->duration_ns > 0 && flow->step != SW_TRACE_FLOW_START;
}

/* The first lane of an asynchronous track that is free at that time; NULL: none is. */
SwTraceLane *sw_trace_track_find_free_lane (SwTraceTrack *track,
                                            gint64 start_ns);
void sw_trace_track_occupy_lane (SwTraceTrack *track,
                                 SwTraceLane *lane,
                                 gint64 end_ns);

/* The places of the last arguments with their keys, plus 1; NULL where they are so few that looking is cheaper. */
static inline GHashTable *
sw_trace_slice_index_args (const SwTraceSlice *slice)
{
  GHashTable *last = NULL;

  if (G_LIKELY (slice->n_args <= 32))
    return NULL;
  last = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < slice->n_args; i++)
    g_hash_table_insert (last, GUINT_TO_POINTER (slice->args[i].key), GUINT_TO_POINTER (i + 1));
  return last;
}

/* Whether a later argument has the same key. */
static inline gboolean
sw_trace_arg_is_superseded (const SwTraceSlice *slice,
                            GHashTable *last,
                            guint i)
{
  if (last != NULL)
    return GPOINTER_TO_UINT (g_hash_table_lookup (last, GUINT_TO_POINTER (slice->args[i].key))) != i + 1;
  for (guint j = i + 1; j < slice->n_args; j++)
    if (slice->args[j].key == slice->args[i].key)
      return TRUE;
  return FALSE;
}

G_END_DECLS
