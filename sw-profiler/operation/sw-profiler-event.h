/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-input-shapes.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_EVENT (sw_profiler_event_get_type ())

typedef struct _SwProfilerEvent SwProfilerEvent;

SW_AVAILABLE_IN_0_1
GType sw_profiler_event_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwProfilerEvent *sw_profiler_event_new (gint64 id,
                                        gint64 parent_id,
                                        const char *name,
                                        GType carrier_type,
                                        GType implementation_type,
                                        SwInputShapes *input_shapes,
                                        gint64 start_time_ns,
                                        gint64 duration_ns,
                                        gint64 self_time_ns,
                                        guint64 thread_id,
                                        gboolean succeeded) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerEvent *sw_profiler_event_ref (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
void sw_profiler_event_unref (SwProfilerEvent *self);

SW_AVAILABLE_IN_0_1
gint64 sw_profiler_event_get_id (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_event_get_parent_id (SwProfilerEvent *self,
                                          gint64 *parent_id);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_event_get_name (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
GType sw_profiler_event_get_carrier_type (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
GType sw_profiler_event_get_implementation_type (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_event_get_carrier_name (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_event_get_implementation_name (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
SwInputShapes *sw_profiler_event_get_input_shapes (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_event_get_start_time_ns (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_event_get_duration_ns (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_event_get_self_time_ns (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_event_get_thread_id (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
gboolean sw_profiler_event_get_succeeded (SwProfilerEvent *self);

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_event_equal (SwProfilerEvent *self,
                                  SwProfilerEvent *other);
SW_AVAILABLE_IN_0_1
guint sw_profiler_event_hash (SwProfilerEvent *self);
SW_AVAILABLE_IN_0_1
char *sw_profiler_event_to_string (SwProfilerEvent *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerEvent, sw_profiler_event_unref)

G_END_DECLS
