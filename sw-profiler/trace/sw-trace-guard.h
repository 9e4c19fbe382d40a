/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-trace-context.h>

G_BEGIN_DECLS

/* C has macros for these, see sw-trace-scope.h; the guards are for Vala, which ends them as C ends its variables. */
#ifndef __GI_SCANNER__

typedef struct _SwTraceGuard SwTraceGuard;
typedef struct _SwTraceAsyncGuard SwTraceAsyncGuard;

/* Fills in what an event is to hold. */
typedef void (*SwTraceArgumentsFunc) (GVariantDict *arguments,
                                      gpointer data);

/* Of the default context. */
#define SW_TRACE_GUARD_HERE(name, category, level, func, data, error) \
  sw_trace_guard_new (NULL, name, category, level, func, data, error)

SW_AVAILABLE_IN_0_1
SwTraceGuard *sw_trace_guard_new (SwTraceContext *context,
                                  const char *name,
                                  const char *category,
                                  SwTraceVerbosity level,
                                  SwTraceArgumentsFunc func,
                                  gpointer data,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_trace_guard_is_recorded (SwTraceGuard *self);
SW_AVAILABLE_IN_0_1
void sw_trace_guard_free (SwTraceGuard *self);

SW_AVAILABLE_IN_0_1
SwTraceAsyncGuard *sw_trace_async_guard_new (SwTraceContext *context,
                                             const char *name,
                                             const char *category,
                                             SwTraceVerbosity level,
                                             SwTraceArgumentsFunc func,
                                             gpointer data,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_trace_async_guard_is_recorded (SwTraceAsyncGuard *self);
SW_AVAILABLE_IN_0_1
void sw_trace_async_guard_free (SwTraceAsyncGuard *self);

SW_AVAILABLE_IN_0_1
gboolean sw_trace_guard_emit_instant (SwTraceContext *context,
                                      const char *name,
                                      const char *category,
                                      SwTraceVerbosity level,
                                      SwTraceArgumentsFunc func,
                                      gpointer data,
                                      GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTraceGuard, sw_trace_guard_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTraceAsyncGuard, sw_trace_async_guard_free)

#endif

G_END_DECLS
