/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler-cycle.h>

G_BEGIN_DECLS

/**
 * SwProfilerCycleFunc:
 * @cycle: what was recorded
 * @user_data: what was given to [method@Strideweave.ProfilerSchedule.set_cycle_func]
 * @error: return location for an error
 *
 * Takes what a schedule recorded in a cycle. Runs on the thread of the schedule, between two steps: what it computes is
 * recorded in neither.
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
typedef gboolean (*SwProfilerCycleFunc) (SwProfilerCycle *cycle,
                                         gpointer user_data,
                                         GError **error);

#define SW_TYPE_PROFILER_SCHEDULE (sw_profiler_schedule_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwProfilerSchedule, sw_profiler_schedule, SW, PROFILER_SCHEDULE, GObject)

SW_AVAILABLE_IN_0_1
SwProfilerSchedule *sw_profiler_schedule_new (SwProfiler *options,
                                              gint64 skip_first,
                                              gint64 wait,
                                              gint64 warmup,
                                              gint64 active,
                                              gint64 repeat,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
void sw_profiler_schedule_set_cycle_func (SwProfilerSchedule *self,
                                          SwProfilerCycleFunc func,
                                          gpointer user_data,
                                          GDestroyNotify destroy);

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_schedule_enter (SwProfilerSchedule *self,
                                     GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_schedule_step (SwProfilerSchedule *self,
                                    GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_schedule_exit (SwProfilerSchedule *self,
                                    GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_schedule_is_active (SwProfilerSchedule *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_schedule_get_step (SwProfilerSchedule *self);

G_END_DECLS
