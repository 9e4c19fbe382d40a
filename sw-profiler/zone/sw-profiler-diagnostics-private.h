/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-profiler-diagnostics.h"

G_BEGIN_DECLS

/* What went missing, by reason, and how near to it the recording came. All zeros: nothing did.
 *
 * emitted = recorded + queue_full + stack_full + memory_limit + unresolved + discarded, always: whoever fills this in keeps it so. */
typedef struct
{
  guint64 emitted;           /* zones that ended, or would have had there been room */
  guint64 recorded;          /* of these, in the result */
  guint64 queue_full;        /* dropped: their thread's queue was full */
  guint64 stack_full;        /* dropped: nested too deep */
  guint64 memory_limit;      /* dropped: after a capture reached its limit */
  guint64 unresolved;        /* left out: their GPU times never came */
  guint64 discarded;         /* left out for any other reason, such as a history that forgets its oldest */
  guint64 first_drop_ns;     /* of the monotonic clock; 0: none was dropped */
  guint64 high_water_mark;   /* the most unread events that any thread's queue ever held */
  guint64 hierarchy_loss;    /* nodes promoted to roots since their parent was not available */
  guint64 query_exhaustion;  /* GPU zones that found no pair of queries, and so have only CPU times */
  guint64 pending_gpu_zones; /* whose times have not come yet */
  guint64 forced_ends;       /* zones ended because an enclosing one did */
  guint64 misplaced_ends;    /* ends out of order, on a wrong thread, or of nothing */
  guint64 backward_clock;    /* zones whose end read earlier than their begin: recorded as 0 ns long */
} SwDiagnosticCounters;

SwProfilerDiagnostics *sw_profiler_diagnostics_new (const SwDiagnosticCounters *counters) G_GNUC_WARN_UNUSED_RESULT;
const SwDiagnosticCounters *sw_profiler_diagnostics_peek (SwProfilerDiagnostics *self);

G_END_DECLS
