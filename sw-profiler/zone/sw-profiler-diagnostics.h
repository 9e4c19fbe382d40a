/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_DIAGNOSTICS (sw_profiler_diagnostics_get_type ())

typedef struct _SwProfilerDiagnostics SwProfilerDiagnostics;

SW_AVAILABLE_IN_0_1
GType sw_profiler_diagnostics_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwProfilerDiagnostics *sw_profiler_diagnostics_ref (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
void sw_profiler_diagnostics_unref (SwProfilerDiagnostics *self);

SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_emitted_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_recorded_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_producer_drop_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_queue_full_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_stack_full_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_memory_limit_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_unresolved_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_discarded_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_first_drop_ns (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_thread_event_queue_high_water_mark (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_hierarchy_loss_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_gpu_query_exhaustion_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_pending_gpu_zone_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_forced_end_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_misplaced_end_count (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_diagnostics_get_backward_clock_count (SwProfilerDiagnostics *self);

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_diagnostics_equal (SwProfilerDiagnostics *self,
                                        SwProfilerDiagnostics *other);
SW_AVAILABLE_IN_0_1
guint sw_profiler_diagnostics_hash (SwProfilerDiagnostics *self);
SW_AVAILABLE_IN_0_1
char *sw_profiler_diagnostics_to_string (SwProfilerDiagnostics *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerDiagnostics, sw_profiler_diagnostics_unref)

G_END_DECLS
