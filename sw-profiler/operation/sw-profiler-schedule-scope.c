/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-schedule-scope.h"

/**
 * SwProfilerScheduleScope: (skip)
 *
 * Keeps a [class@Strideweave.ProfilerSchedule] entered for as long as a block lasts, however the block ends.
 *
 * The reference to the schedule is the scope, so the type has no body.
 */

/**
 * sw_profiler_schedule_scope_new: (skip)
 * @schedule: a schedule that was not entered before
 * @error: return location for an error
 *
 * Enters a schedule, on the calling thread, until sw_profiler_schedule_scope_free ().
 *
 * Fails as [method@Strideweave.ProfilerSchedule.enter] does.
 *
 * Returns: (transfer full): the scope, which holds a reference to @schedule
 */
SwProfilerScheduleScope *
sw_profiler_schedule_scope_new (SwProfilerSchedule *schedule,
                                GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (schedule), NULL);

  if (!sw_profiler_schedule_enter (schedule, error))
    return NULL;
  return (SwProfilerScheduleScope *) g_object_ref (schedule);
}

/**
 * sw_profiler_schedule_scope_get_schedule: (skip)
 * @self: a scope
 *
 * Tells which schedule the scope keeps entered.
 *
 * Returns: (transfer none): the schedule
 */
SwProfilerSchedule *
sw_profiler_schedule_scope_get_schedule (SwProfilerScheduleScope *self)
{
  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), NULL);

  return (SwProfilerSchedule *) self;
}

/**
 * sw_profiler_schedule_scope_step: (skip)
 * @self: a scope
 * @error: return location for an error
 *
 * Ends a step and begins the next one, as [method@Strideweave.ProfilerSchedule.step] does.
 *
 * Returns: whether all went well
 */
gboolean
sw_profiler_schedule_scope_step (SwProfilerScheduleScope *self,
                                 GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), FALSE);

  return sw_profiler_schedule_step ((SwProfilerSchedule *) self, error);
}

/**
 * sw_profiler_schedule_scope_leave: (skip)
 * @self: a scope
 * @error: return location for an error
 *
 * Leaves the schedule before the scope ends, as [method@Strideweave.ProfilerSchedule.exit] does, to hear of an error.
 *
 * Returns: whether all went well
 */
gboolean
sw_profiler_schedule_scope_leave (SwProfilerScheduleScope *self,
                                  GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), FALSE);

  return sw_profiler_schedule_exit ((SwProfilerSchedule *) self, error);
}

/**
 * sw_profiler_schedule_scope_free: (skip)
 * @self: (transfer full): a scope
 *
 * Leaves the schedule, unless it was left already, and drops the scope's reference to it. Nobody hears of errors; see
 * sw_profiler_schedule_scope_leave (). To be called on the thread that made the scope.
 */
void
sw_profiler_schedule_scope_free (SwProfilerScheduleScope *self)
{
  SwProfilerSchedule *schedule = (SwProfilerSchedule *) self;

  g_return_if_fail (SW_IS_PROFILER_SCHEDULE (schedule));

  if (sw_profiler_schedule_is_active (schedule))
    sw_profiler_schedule_exit (schedule, NULL);
  g_object_unref (schedule);
}
