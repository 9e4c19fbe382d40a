/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-cycle.h"

G_BEGIN_DECLS

/* @first_ids: for each step, how many events there were when it began. Takes @profiler, which is completed. */
SwProfilerCycle *sw_profiler_cycle_new (SwProfiler *profiler,
                                        gint64 number,
                                        gint64 first_step,
                                        const gint64 *first_ids,
                                        gsize n_steps,
                                        gboolean is_partial) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
