/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/read/sw-trace-args-private.h"
#include "sw-profiler/read/sw-trace-visitor-private.h"

G_BEGIN_DECLS

/* Pairs beginnings with ends, and binds flows to the slices that they pass through. Files are not in order of time: parents may be
 * written after their children, and whoever shuffled a file expects the same of it. So events wait, up to a number of them, and
 * are taken in order of time; those of one time, in that of the file. */

/* What nests: the slices of a track, or the asynchronous ones of one id. */
typedef struct
{
  guint32 track;
  gboolean is_async;
  gint64 last_ns;   /* of what waits, or waited last */
  guint n_waiting;
  GArray *open;     /* of SwTraceOpen, innermost last */
  guint n_known;    /* of them whose end is known */
  GArray *next;     /* flows that the next slice gets: of SwTraceWaiting */
  guint64 key[3];   /* of asynchronous ones, for whoever finds them by it */
  guint64 number;   /* of asynchronous ones, in the order in which they began */
} SwTraceStack;

typedef enum {
  SW_TRACE_WAITING_BEGIN,
  SW_TRACE_WAITING_END,
  SW_TRACE_WAITING_SLICE, /* both at once */
  SW_TRACE_WAITING_FLOW,
} SwTraceWaitingKind;

typedef struct
{
  gint64 time_ns;
  gint64 duration_ns;
  SwTraceStack *stack;
  SwTraceExtra *extra; /* owned */
  guint32 track;       /* 0: that of the stack */
  guint32 name;
  guint32 category;
  guint8 kind;
  gboolean has_name;   /* an end says which slice it is of */
  gboolean binds_next; /* a flow goes to the next slice that begins, not to the one around it */
} SwTraceWaiting;

typedef struct
{
  gint64 start_ns;
  gint64 end_ns;
  SwTraceExtra *extra;
  guint32 track;
  guint32 name;
  guint32 category;
  gboolean has_end; /* known from the start */
} SwTraceOpen;

typedef struct
{
  GArray *waiting; /* of SwTraceWaiting */
  gboolean is_unordered;
  GHashTable *asyncs; /* of SwTraceStack, by their keys */
  guint64 n_asyncs;   /* that there ever were */
  gsize n_extra;   /* waiting events with something of their own */
} SwTracePairs;

void sw_trace_pairs_init (SwTracePairs *self);
void sw_trace_pairs_clear (SwTracePairs *self);

SwTraceStack *sw_trace_stack_new (guint32 track);
void sw_trace_stack_free (SwTraceStack *self);
/* That of an id, of whatever three numbers it is made. */
SwTraceStack *sw_trace_pairs_async (SwTraceReader *reader,
                                    const guint64 key[3],
                                    guint32 track);

/* Takes @item->extra. */
void sw_trace_pairs_add (SwTraceReader *reader,
                         const SwTraceWaiting *item);
/* Takes all that waits. */
void sw_trace_pairs_settle (SwTraceReader *reader);
/* And ends what is open: with the last event of its process. */
void sw_trace_pairs_finish (SwTraceReader *reader);

G_END_DECLS
