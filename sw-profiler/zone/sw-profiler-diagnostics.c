/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-profiler-diagnostics.h"

#include <string.h>

#include "sw-profiler/zone/sw-profiler-diagnostics-private.h"
#include "sw/base/sw-ref-count-private.h"

/**
 * SwProfilerDiagnostics:
 *
 * What a result of the zone profiler does not hold, by reason, and how near to losing something the recording came.
 *
 * The emitted zones are the recorded ones and those dropped or left out: `emitted_count` is the sum of `recorded_count`,
 * `queue_full_count`, `stack_full_count`, `memory_limit_count`, `unresolved_count` and `discarded_count`.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwProfilerDiagnostics
{
  SwRefCount ref_count;
  SwDiagnosticCounters counters;
};

G_DEFINE_BOXED_TYPE (SwProfilerDiagnostics, sw_profiler_diagnostics, sw_profiler_diagnostics_ref, sw_profiler_diagnostics_unref)

static const struct
{
  const char *name;
  guint64 (*get) (SwProfilerDiagnostics *self);
} fields[] = {
  { "emitted_count", sw_profiler_diagnostics_get_emitted_count },
  { "recorded_count", sw_profiler_diagnostics_get_recorded_count },
  { "producer_drop_count", sw_profiler_diagnostics_get_producer_drop_count },
  { "queue_full_count", sw_profiler_diagnostics_get_queue_full_count },
  { "stack_full_count", sw_profiler_diagnostics_get_stack_full_count },
  { "memory_limit_count", sw_profiler_diagnostics_get_memory_limit_count },
  { "unresolved_count", sw_profiler_diagnostics_get_unresolved_count },
  { "discarded_count", sw_profiler_diagnostics_get_discarded_count },
  { "first_drop_ns", sw_profiler_diagnostics_get_first_drop_ns },
  { "thread_event_queue_high_water_mark", sw_profiler_diagnostics_get_thread_event_queue_high_water_mark },
  { "hierarchy_loss_count", sw_profiler_diagnostics_get_hierarchy_loss_count },
  { "gpu_query_exhaustion_count", sw_profiler_diagnostics_get_gpu_query_exhaustion_count },
  { "pending_gpu_zone_count", sw_profiler_diagnostics_get_pending_gpu_zone_count },
  { "forced_end_count", sw_profiler_diagnostics_get_forced_end_count },
  { "misplaced_end_count", sw_profiler_diagnostics_get_misplaced_end_count },
  { "backward_clock_count", sw_profiler_diagnostics_get_backward_clock_count },
};

SwProfilerDiagnostics *
sw_profiler_diagnostics_new (const SwDiagnosticCounters *counters)
{
  SwProfilerDiagnostics *self = g_new (SwProfilerDiagnostics, 1);

  sw_ref_count_init (&self->ref_count);
  self->counters = *counters;
  return self;
}

const SwDiagnosticCounters *
sw_profiler_diagnostics_peek (SwProfilerDiagnostics *self)
{
  return &self->counters;
}

/**
 * sw_profiler_diagnostics_ref:
 * @self: the diagnostics
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwProfilerDiagnostics *
sw_profiler_diagnostics_ref (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_profiler_diagnostics_unref:
 * @self: (transfer full): the diagnostics
 *
 * Gives a reference back. May be called on any thread; the last one frees the diagnostics.
 */
void
sw_profiler_diagnostics_unref (SwProfilerDiagnostics *self)
{
  g_return_if_fail (self != NULL);

  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * sw_profiler_diagnostics_get_emitted_count:
 * @self: the diagnostics
 *
 * Returns how many zones ended, or would have had there been room for them.
 *
 * Each is either recorded or counted under one of the reasons.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_emitted_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.emitted;
}

/**
 * sw_profiler_diagnostics_get_recorded_count:
 * @self: the diagnostics
 *
 * Returns how many zones are in the result.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_recorded_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.recorded;
}

/**
 * sw_profiler_diagnostics_get_producer_drop_count:
 * @self: the diagnostics
 *
 * Returns how many zones were dropped where they happened, because a queue or a stack of zones was full.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_producer_drop_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.queue_full + self->counters.stack_full;
}

/**
 * sw_profiler_diagnostics_get_queue_full_count:
 * @self: the diagnostics
 *
 * Returns how many zones were dropped because the queue of their thread was full.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_queue_full_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.queue_full;
}

/**
 * sw_profiler_diagnostics_get_stack_full_count:
 * @self: the diagnostics
 *
 * Returns how many zones were dropped because they were nested too deep.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_stack_full_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.stack_full;
}

/**
 * sw_profiler_diagnostics_get_memory_limit_count:
 * @self: the diagnostics
 *
 * Returns how many zones came after the memory limit of a capture was reached.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_memory_limit_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.memory_limit;
}

/**
 * sw_profiler_diagnostics_get_unresolved_count:
 * @self: the diagnostics
 *
 * Returns how many zones are left out because their GPU times never came.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_unresolved_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.unresolved;
}

/**
 * sw_profiler_diagnostics_get_discarded_count:
 * @self: the diagnostics
 *
 * Returns how many zones are left out for another reason, such as being older than what a history keeps.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_discarded_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.discarded;
}

/**
 * sw_profiler_diagnostics_get_first_drop_ns:
 * @self: the diagnostics
 *
 * Returns when the first zone was dropped.
 *
 * Returns: nanoseconds of the monotonic clock; 0 when none was
 */
guint64
sw_profiler_diagnostics_get_first_drop_ns (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.first_drop_ns;
}

/**
 * sw_profiler_diagnostics_get_thread_event_queue_high_water_mark:
 * @self: the diagnostics
 *
 * Returns the most unread events that the queue of any thread ever held.
 *
 * Returns: the number of events
 */
guint64
sw_profiler_diagnostics_get_thread_event_queue_high_water_mark (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.high_water_mark;
}

/**
 * sw_profiler_diagnostics_get_hierarchy_loss_count:
 * @self: the diagnostics
 *
 * Returns how many nodes of statistics had to become roots, because their parent was not available.
 *
 * Returns: the number of nodes
 */
guint64
sw_profiler_diagnostics_get_hierarchy_loss_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.hierarchy_loss;
}

/**
 * sw_profiler_diagnostics_get_gpu_query_exhaustion_count:
 * @self: the diagnostics
 *
 * Returns how many GPU zones kept only their CPU time, because no pair of timestamp queries was free.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_gpu_query_exhaustion_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.query_exhaustion;
}

/**
 * sw_profiler_diagnostics_get_pending_gpu_zone_count:
 * @self: the diagnostics
 *
 * Returns how many GPU zones were waiting for their times when the result was made.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_pending_gpu_zone_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.pending_gpu_zones;
}

/**
 * sw_profiler_diagnostics_get_forced_end_count:
 * @self: the diagnostics
 *
 * Returns how many zones ended because a zone around them did.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_forced_end_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.forced_ends;
}

/**
 * sw_profiler_diagnostics_get_misplaced_end_count:
 * @self: the diagnostics
 *
 * Returns how many ends came out of order, on a wrong thread or for a zone that was not open.
 *
 * Returns: the number of ends
 */
guint64
sw_profiler_diagnostics_get_misplaced_end_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.misplaced_ends;
}

/**
 * sw_profiler_diagnostics_get_backward_clock_count:
 * @self: the diagnostics
 *
 * Returns how many zones seemed to end before they began; they are recorded as 0 ns long.
 *
 * Returns: the number of zones
 */
guint64
sw_profiler_diagnostics_get_backward_clock_count (SwProfilerDiagnostics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->counters.backward_clock;
}

/**
 * sw_profiler_diagnostics_equal:
 * @self: diagnostics
 * @other: other diagnostics
 *
 * Compares two diagnostics by value.
 *
 * Returns: whether all of their counters are equal
 */
gboolean
sw_profiler_diagnostics_equal (SwProfilerDiagnostics *self,
                               SwProfilerDiagnostics *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i].get (self) != fields[i].get (other))
      return FALSE;
  return TRUE;
}

/**
 * sw_profiler_diagnostics_hash:
 * @self: the diagnostics
 *
 * Returns a hash of the value: the same for equal diagnostics.
 *
 * Returns: the hash
 */
guint
sw_profiler_diagnostics_hash (SwProfilerDiagnostics *self)
{
  guint hash = 0;

  g_return_val_if_fail (self != NULL, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    hash = hash * 31 + (guint) fields[i].get (self);
  return hash;
}

/**
 * sw_profiler_diagnostics_to_string:
 * @self: the diagnostics
 *
 * Returns all counters on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_diagnostics_to_string (SwProfilerDiagnostics *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new ("ProfilerDiagnostics(");
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    g_string_append_printf (text, "%s%s=%" G_GUINT64_FORMAT, i > 0 ? ", " : "", fields[i].name, fields[i].get (self));
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}
