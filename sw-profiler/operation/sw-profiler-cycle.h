/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_CYCLE (sw_profiler_cycle_get_type ())

typedef struct _SwProfilerCycle SwProfilerCycle;

SW_AVAILABLE_IN_0_1
GType sw_profiler_cycle_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwProfilerCycle *sw_profiler_cycle_ref (SwProfilerCycle *self);
SW_AVAILABLE_IN_0_1
void sw_profiler_cycle_unref (SwProfilerCycle *self);

SW_AVAILABLE_IN_0_1
SwProfiler *sw_profiler_cycle_get_profiler (SwProfilerCycle *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_cycle_get_number (SwProfilerCycle *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_cycle_get_first_step (SwProfilerCycle *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_cycle_get_n_steps (SwProfilerCycle *self);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_cycle_is_partial (SwProfilerCycle *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_cycle_get_step_of_event (SwProfilerCycle *self,
                                            gint64 id,
                                            GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_cycle_get_events_of_step (SwProfilerCycle *self,
                                               gint64 step,
                                               gint64 *first_id,
                                               gint64 *n_events,
                                               GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerCycle, sw_profiler_cycle_unref)

G_END_DECLS
