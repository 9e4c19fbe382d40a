/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-trace-types.h>

G_BEGIN_DECLS

#define SW_TYPE_TRACE_EVENT (sw_trace_event_get_type ())

typedef struct _SwTraceEvent SwTraceEvent;

SW_AVAILABLE_IN_0_1
GType sw_trace_event_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwTraceEvent *sw_trace_event_ref (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
void sw_trace_event_unref (SwTraceEvent *self);

SW_AVAILABLE_IN_0_1
SwTraceEventKind sw_trace_event_get_kind (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
SwTraceVerbosity sw_trace_event_get_level (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
const char *sw_trace_event_get_name (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
const char *sw_trace_event_get_category (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
gint64 sw_trace_event_get_start_ns (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
gint64 sw_trace_event_get_duration_ns (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
int sw_trace_event_get_depth (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_event_get_interrupted (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
double sw_trace_event_get_value (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_event_get_thread_id (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_event_get_lane_id (SwTraceEvent *self);
SW_AVAILABLE_IN_0_1
char *sw_trace_event_dup_thread_name (SwTraceEvent *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GVariant *sw_trace_event_dup_arguments (SwTraceEvent *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GVariant *sw_trace_event_dup_flows (SwTraceEvent *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTraceEvent, sw_trace_event_unref)

G_END_DECLS
