/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-trace-analysis-private.h"

G_BEGIN_DECLS

/* What lasts no time: instants and values of counters. They are added up as they are read; those of a part of the trace can be told only
 * when it is known when that begins, and are kept for it, where somebody asked for that. */

void sw_analysis_instants_add (SwAnalysisInstants *self,
                               gint64 time_ns);
void sw_analysis_counter_add (SwAnalysisCounter *self,
                              const SwTraceReadCounter *value);

/* One more, for later; nothing where it is not asked for. @instants: the place in the array of them. */
void sw_trace_moments_keep_instant (SwTraceAnalysis *self,
                                    guint32 instants,
                                    gint64 time_ns);
void sw_trace_moments_keep_counter (SwTraceAnalysis *self,
                                    const SwTraceReadCounter *value);

G_END_DECLS
