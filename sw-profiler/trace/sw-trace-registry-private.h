/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-core-private.h"

G_BEGIN_DECLS

/* What is registered for forks and the exit after this: the one runs after the registry's part in the child, the other
 * before that at the exit. */
void sw_trace_registry_watch_process (void);
void sw_trace_registry_add (SwTraceCore *core);
void sw_trace_registry_remove (SwTraceCore *core);
/* Of every context, its worker; from any thread, never blocks for long. */
void sw_trace_registry_wake_all (void);
/* References, for g_ptr_array_unref (). */
GPtrArray *sw_trace_registry_dup_all (void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
