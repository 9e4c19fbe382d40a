/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler-schedule.h>

G_BEGIN_DECLS

/* As SwProfileScope is for one profiler: for C, and for Vala. */
#ifndef __GI_SCANNER__

typedef struct _SwProfilerScheduleScope SwProfilerScheduleScope;

SW_AVAILABLE_IN_0_1
SwProfilerScheduleScope *
sw_profiler_schedule_scope_new (SwProfilerSchedule *schedule,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerSchedule *
sw_profiler_schedule_scope_get_schedule (SwProfilerScheduleScope *self);
SW_AVAILABLE_IN_0_1
gboolean
sw_profiler_schedule_scope_step (SwProfilerScheduleScope *self,
                                 GError **error);
SW_AVAILABLE_IN_0_1
gboolean
sw_profiler_schedule_scope_leave (SwProfilerScheduleScope *self,
                                  GError **error);
SW_AVAILABLE_IN_0_1
void
sw_profiler_schedule_scope_free (SwProfilerScheduleScope *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerScheduleScope, sw_profiler_schedule_scope_free)

#endif

G_END_DECLS
