/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-slice-order-private.h"

G_BEGIN_DECLS

/* What is inside of what on one track, from its slices in the order of sw_slice_record_compare ().
 *
 * A slice is inside the innermost one that is open when it begins. Where it would end after that, it is cut to end with it, and
 * counted: so children never take longer than their parent, every nanosecond of a track belongs to one slice, the innermost, and
 * no self time is negative. What has no length is inside of what begins at its time, and outside of what ends there. */

#define SW_SLICE_UNFINISHED (1u << 0) /* its end was not in the trace */
#define SW_SLICE_CLIPPED (1u << 1)    /* it overlapped what it began in */

typedef struct
{
  guint32 track;
  guint32 label;
  guint flags;
  guint depth;        /* how many slices are around it */
  gint64 start_ns;
  gint64 duration_ns; /* after the cut */
  gint64 clipped_ns;  /* what was cut off */
  gint64 inner_ns;    /* of its children; complete when it closes. Its self time is the rest */
  guint64 own;        /* for the visitor: what it puts there when the slice opens it finds again, also in the parent */
} SwNestedSlice;

static inline gint64
sw_nested_slice_get_self_ns (const SwNestedSlice *self)
{
  return self->duration_ns - self->inner_ns;
}

/* Parents open before their children and close after them; siblings follow each other in time. Either may be NULL. The parent is NULL
 * at the bottom. Whatever is passed lives until the call returns. */
typedef struct
{
  void (*open) (gpointer data,
                SwNestedSlice *slice,
                const SwNestedSlice *parent);
  void (*close) (gpointer data,
                 const SwNestedSlice *slice,
                 const SwNestedSlice *parent);
} SwNestingVisitor;

typedef struct
{
  const SwNestingVisitor *visitor;
  gpointer data;
  guint32 track;
  gboolean may_overlap; /* an asynchronous track: nothing is inside of anything */
  GArray *open;         /* of SwNestedSlice, innermost last */
} SwTraceNesting;

void sw_trace_nesting_init (SwTraceNesting *self,
                            const SwNestingVisitor *visitor,
                            gpointer data);
void sw_trace_nesting_clear (SwTraceNesting *self);
void sw_trace_nesting_begin_track (SwTraceNesting *self,
                                   guint32 track,
                                   gboolean may_overlap);
void sw_trace_nesting_add (SwTraceNesting *self,
                           const SwSliceRecord *record);
void sw_trace_nesting_end_track (SwTraceNesting *self);

G_END_DECLS
