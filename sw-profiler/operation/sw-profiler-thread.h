/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_THREAD (sw_profiler_thread_get_type ())

typedef struct _SwProfilerThread SwProfilerThread;

SW_AVAILABLE_IN_0_1
GType sw_profiler_thread_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwProfilerThread *sw_profiler_thread_ref (SwProfilerThread *self);
SW_AVAILABLE_IN_0_1
void sw_profiler_thread_unref (SwProfilerThread *self);

SW_AVAILABLE_IN_0_1
SwProfiler *sw_profiler_thread_get_profiler (SwProfilerThread *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_thread_get_name (SwProfilerThread *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_thread_get_os_thread_id (SwProfilerThread *self);
SW_AVAILABLE_IN_0_1
guint64 sw_profiler_thread_get_thread_id (SwProfilerThread *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerThread, sw_profiler_thread_unref)

G_END_DECLS
