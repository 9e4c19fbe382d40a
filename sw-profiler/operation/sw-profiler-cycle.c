/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-cycle-private.h"

#include "sw/base/sw-error.h"
#include "sw/base/sw-ref-count-private.h"

/**
 * SwProfilerCycle:
 *
 * What a [class@Strideweave.ProfilerSchedule] recorded in one cycle: a completed profiler, and which steps its events are
 * of.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwProfilerCycle
{
  SwRefCount ref_count;
  gboolean is_partial;
  SwProfiler *profiler;
  gint64 number;
  gint64 first_step;
  gint64 n_events;
  gint64 n_steps;
  gint64 first_ids[];
};

G_DEFINE_BOXED_TYPE (SwProfilerCycle, sw_profiler_cycle, sw_profiler_cycle_ref, sw_profiler_cycle_unref)

SwProfilerCycle *
sw_profiler_cycle_new (SwProfiler *profiler,
                       gint64 number,
                       gint64 first_step,
                       const gint64 *first_ids,
                       gsize n_steps,
                       gboolean is_partial)
{
  SwProfilerCycle *self = g_malloc0 (sizeof (SwProfilerCycle) + n_steps * sizeof (gint64));

  sw_ref_count_init (&self->ref_count);
  self->is_partial = is_partial;
  self->profiler = profiler;
  self->number = number;
  self->first_step = first_step;
  self->n_events = sw_profiler_count_events (profiler, NULL);
  self->n_steps = (gint64) n_steps;
  memcpy (self->first_ids, first_ids, n_steps * sizeof (gint64));
  return self;
}

/**
 * sw_profiler_cycle_ref:
 * @self: the cycle
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwProfilerCycle *
sw_profiler_cycle_ref (SwProfilerCycle *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_profiler_cycle_unref:
 * @self: (transfer full): the cycle
 *
 * Drops a reference. May be called on any thread.
 */
void
sw_profiler_cycle_unref (SwProfilerCycle *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  g_object_unref (self->profiler);
  g_free (self);
}

/**
 * sw_profiler_cycle_get_profiler:
 * @self: the cycle
 *
 * Returns the completed profiler with the events of all steps of the cycle.
 *
 * Returns: (transfer none): the profiler
 */
SwProfiler *
sw_profiler_cycle_get_profiler (SwProfilerCycle *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->profiler;
}

/**
 * sw_profiler_cycle_get_number:
 * @self: the cycle
 *
 * Returns which cycle of the schedule it is, from 0.
 *
 * Returns: the number
 */
gint64
sw_profiler_cycle_get_number (SwProfilerCycle *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->number;
}

/**
 * sw_profiler_cycle_get_first_step:
 * @self: the cycle
 *
 * Returns the number of the first recorded step; steps count from 0 at the schedule's enter.
 *
 * Returns: the number
 */
gint64
sw_profiler_cycle_get_first_step (SwProfilerCycle *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->first_step;
}

/**
 * sw_profiler_cycle_get_n_steps:
 * @self: the cycle
 *
 * Returns how many steps were recorded.
 *
 * Returns: the number; that of the schedule's active steps, or fewer when the cycle is partial
 */
gint64
sw_profiler_cycle_get_n_steps (SwProfilerCycle *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_steps;
}

/**
 * sw_profiler_cycle_is_partial:
 * @self: the cycle
 *
 * Tells whether the schedule was left before the last step of the cycle had ended.
 *
 * Returns: whether it was
 */
gboolean
sw_profiler_cycle_is_partial (SwProfilerCycle *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->is_partial;
}

/**
 * sw_profiler_cycle_get_step_of_event:
 * @self: the cycle
 * @id: the identifier of an event of the cycle's profiler
 * @error: return location for an error
 *
 * Tells in which step an event began.
 *
 * Fails with %SW_ERROR_INDEX when there is no such event.
 *
 * Returns: the number of the step, or -1 with @error set
 */
gint64
sw_profiler_cycle_get_step_of_event (SwProfilerCycle *self,
                                     gint64 id,
                                     GError **error)
{
  gint64 low = 0;
  gint64 high;

  g_return_val_if_fail (self != NULL, -1);

  if (id < 0 || id >= self->n_events)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_INDEX,
                   "id is %" G_GINT64_FORMAT ", but the cycle holds %" G_GINT64_FORMAT " events", id, self->n_events);
      return -1;
    }

  /* The last step that began with no more events than the one asked for. */
  for (high = self->n_steps; high - low > 1;)
    {
      gint64 middle = low + (high - low) / 2;

      if (self->first_ids[middle] <= id)
        low = middle;
      else
        high = middle;
    }
  return self->first_step + low;
}

/**
 * sw_profiler_cycle_get_events_of_step:
 * @self: the cycle
 * @step: the number of one of the recorded steps
 * @first_id: (out) (optional): the identifier of the first event that began in the step, if there is one
 * @n_events: (out) (optional): how many events began in it; their identifiers follow each other
 * @error: return location for an error
 *
 * Tells which events began in a step.
 *
 * Fails with %SW_ERROR_INDEX when the cycle did not record the step.
 *
 * Returns: whether the step was recorded
 */
gboolean
sw_profiler_cycle_get_events_of_step (SwProfilerCycle *self,
                                      gint64 step,
                                      gint64 *first_id,
                                      gint64 *n_events,
                                      GError **error)
{
  gint64 first;
  gint64 next;

  g_return_val_if_fail (self != NULL, FALSE);

  if (step < self->first_step || step - self->first_step >= self->n_steps)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_INDEX,
                   "step is %" G_GINT64_FORMAT ", but the cycle recorded the %" G_GINT64_FORMAT " steps from %" G_GINT64_FORMAT,
                   step, self->n_steps, self->first_step);
      return FALSE;
    }

  first = self->first_ids[step - self->first_step];
  next = step - self->first_step + 1 < self->n_steps ? self->first_ids[step - self->first_step + 1] : self->n_events;
  if (first_id != NULL)
    *first_id = first;
  if (n_events != NULL)
    *n_events = next - first;
  return TRUE;
}
