/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-scope.h"

#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-error.h"

/* Arrows between spans of any threads. A flow is nothing but its number: nothing grows with those that are open. */

/* Of as many, when they began and whether they have ended is known. */
#define N_KNOWN (1u << 14)

static guint64 last_flow;
static gint64 starts[N_KNOWN];
static guint64 ended[N_KNOWN];

typedef enum
{
  FLOW_IS_OPEN,
  FLOW_HAS_ENDED,
  FLOW_IS_UNKNOWN,
} FlowState;

static guint64
make_id (void)
{
  /* Relaxed, both: whoever has the number got it in an order of their own, and looks the time up after that. */
  guint64 id = __atomic_add_fetch (&last_flow, 1, __ATOMIC_RELAXED);

  __atomic_store_n (&starts[id % N_KNOWN], sw_clock_monotonic_ns (), __ATOMIC_RELAXED);
  return id;
}

gint64
sw_trace_flow_get_start_ns (guint64 id)
{
  /* Relaxed for the time, see above. Acquire: the number is read after it, so that one that took the place is noticed. */
  gint64 start_ns = __atomic_load_n (&starts[id % N_KNOWN], __ATOMIC_ACQUIRE);

  return __atomic_load_n (&last_flow, __ATOMIC_RELAXED) - id < N_KNOWN ? start_ns : G_MININT64;
}

/* Relaxed: whoever uses a number got it from its beginning, in an order of their own. */
static FlowState
look_up (guint64 id)
{
  if (id > __atomic_load_n (&last_flow, __ATOMIC_RELAXED))
    return FLOW_IS_UNKNOWN;
  return __atomic_load_n (&ended[id % N_KNOWN], __ATOMIC_RELAXED) == id ? FLOW_HAS_ENDED : FLOW_IS_OPEN;
}

static FlowState
look_up_and_end (guint64 id)
{
  FlowState state = look_up (id);

  /* Relaxed: of two threads that end it, one finds that the other has. */
  if (state == FLOW_IS_OPEN && __atomic_exchange_n (&ended[id % N_KNOWN], id, __ATOMIC_RELAXED) == id)
    state = FLOW_HAS_ENDED;
  return state;
}

static void
pass (SwTraceCore *core,
      guint64 id,
      SwTraceFlowStep step,
      FlowState state)
{
  SwTraceProducer *producer = sw_trace_core_get_producer (core);

  if (producer == NULL)
    return;
  if (state == FLOW_IS_OPEN)
    sw_trace_producer_add_flow (producer, id, step);
  else
    sw_trace_producer_count_stray_flow (producer);
}

static guint64
start (SwTraceCore *core)
{
  guint64 id = make_id ();

  pass (core, id, SW_TRACE_FLOW_START, FLOW_IS_OPEN);
  return id;
}

static FlowState
go_on (SwTraceCore *core,
       guint64 id,
       SwTraceFlowStep step)
{
  FlowState state = step == SW_TRACE_FLOW_END ? look_up_and_end (id) : look_up (id);

  /* Where nothing is recorded, there is nothing to miss either. */
  if (sw_trace_core_get_level (core) != SW_TRACE_VERBOSITY_NONE)
    pass (core, id, step, state);
  return state;
}

/* Behind the macros, which report nothing: what is wrong is counted. */

static SwTraceCore *
get_core (SwTraceContext *context)
{
  return context != NULL ? context->core : sw_trace_core_get_default ();
}

guint64
sw_trace_flow_start_recorded (SwTraceContext *context)
{
  return start (get_core (context));
}

void
sw_trace_flow_step_recorded (SwTraceContext *context,
                             guint64 id)
{
  go_on (get_core (context), id, SW_TRACE_FLOW_STEP);
}

void
sw_trace_flow_end_recorded (SwTraceContext *context,
                            guint64 id)
{
  go_on (get_core (context), id, SW_TRACE_FLOW_END);
}

/* What bindings use. */

/**
 * sw_trace_context_flow_start:
 * @self: the context
 * @level: from which verbosity on it is recorded
 * @error: where an error goes
 *
 * Begins a flow in the innermost span that the calling thread has open: an arrow that leads from there through each span in
 * which [method@Strideweave.TraceContext.flow_step] is called with its id, on any thread, to the one in which
 * [method@Strideweave.TraceContext.flow_end] is. That way a viewer shows what became of a request.
 *
 * A flow needs not end. It takes no memory while it is open, and the id may be kept and passed on like any number. Where the
 * thread has no span open, as when the context was switched on in the middle of it, this place is missing in the flow, and
 * is counted by [method@Strideweave.TraceContext.get_stray_flow_count]. Asynchronous spans and instants take no part.
 *
 * Returns: an id that no other flow of the process has; 0 where nothing is recorded, or with %SW_ERROR_VALUE for a level
 *   that is none
 */
guint64
sw_trace_context_flow_start (SwTraceContext *self,
                             SwTraceVerbosity level,
                             GError **error)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);

  if (level < SW_TRACE_VERBOSITY_DECISIONS || level > SW_TRACE_VERBOSITY_FULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "level is %d, which is none of DECISIONS, OPERATIONS and FULL",
                   (int) level);
      return 0;
    }
  return sw_trace_context_is_on (self, level) ? start (self->core) : 0;
}

static gboolean
check (FlowState state,
       guint64 id,
       GError **error)
{
  if (state == FLOW_IS_OPEN)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "id is %" G_GUINT64_FORMAT ", which %s", id,
               state == FLOW_HAS_ENDED ? "is a flow that has ended" : "no flow ever had");
  return FALSE;
}

/**
 * sw_trace_context_flow_step:
 * @self: the context
 * @id: what [method@Strideweave.TraceContext.flow_start] returned; 0 does nothing
 * @error: where an error goes
 *
 * Leads a flow through the innermost span that the calling thread has open.
 *
 * Returns: %FALSE with %SW_ERROR_STATE for an id that no flow ever had, or whose flow has ended; the latter is noticed
 *   as long as not 16384 others began since
 */
gboolean
sw_trace_context_flow_step (SwTraceContext *self,
                            guint64 id,
                            GError **error)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);

  return id == 0 || check (go_on (self->core, id, SW_TRACE_FLOW_STEP), id, error);
}

/**
 * sw_trace_context_flow_end:
 * @self: the context
 * @id: what [method@Strideweave.TraceContext.flow_start] returned; 0 does nothing
 * @error: where an error goes
 *
 * Ends a flow in the innermost span that the calling thread has open.
 *
 * Returns: %FALSE with %SW_ERROR_STATE, as for [method@Strideweave.TraceContext.flow_step]
 */
gboolean
sw_trace_context_flow_end (SwTraceContext *self,
                           guint64 id,
                           GError **error)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);

  return id == 0 || check (go_on (self->core, id, SW_TRACE_FLOW_END), id, error);
}

/**
 * sw_trace_context_get_stray_flow_count:
 * @self: the context
 *
 * Returns how many places that a flow was to pass through are missing in it: because the calling thread had no span open, the
 * flow had ended or never began, or the span had no more room.
 *
 * Returns: the number of places
 */
guint64
sw_trace_context_get_stray_flow_count (SwTraceContext *self)
{
  SwTraceCounts counts;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);

  sw_trace_core_get_counts (self->core, &counts);
  return counts.stray_flows;
}
