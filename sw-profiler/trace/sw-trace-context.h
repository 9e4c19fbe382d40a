/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-collector.h>

G_BEGIN_DECLS

#define SW_TYPE_TRACE_CONTEXT (sw_trace_context_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_trace_context_get_type (void) G_GNUC_CONST;

typedef struct _SwTraceContext SwTraceContext;
typedef struct
{
  GObjectClass parent_class;
} SwTraceContextClass;

struct _SwTraceContext
{
  GObject parent_instance;

  /*< private >*/
  guint level; /* atomic */
  gpointer core;
};

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTraceContext, g_object_unref)

#define SW_TRACE_CONTEXT(object) (G_TYPE_CHECK_INSTANCE_CAST ((object), SW_TYPE_TRACE_CONTEXT, SwTraceContext))
#define SW_IS_TRACE_CONTEXT(object) (G_TYPE_CHECK_INSTANCE_TYPE ((object), SW_TYPE_TRACE_CONTEXT))

SW_AVAILABLE_IN_0_1
SwTraceContext *sw_trace_context_new (void) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTraceContext *sw_trace_context_get_default (void);

SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_get_enabled (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
void sw_trace_context_set_enabled (SwTraceContext *self,
                                   gboolean enabled);
SW_AVAILABLE_IN_0_1
SwTraceVerbosity sw_trace_context_get_verbosity (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
void sw_trace_context_set_verbosity (SwTraceContext *self,
                                     SwTraceVerbosity verbosity);
SW_AVAILABLE_IN_0_1
SwCollector *sw_trace_context_dup_collector (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
void sw_trace_context_set_collector (SwTraceContext *self,
                                     SwCollector *collector);
SW_AVAILABLE_IN_0_1
char *sw_trace_context_dup_session_id (SwTraceContext *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gint64 sw_trace_context_get_process_id (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
char *sw_trace_context_dup_process_name (SwTraceContext *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
void sw_trace_context_set_process_name (SwTraceContext *self,
                                        const char *name);
SW_AVAILABLE_IN_0_1
void sw_trace_context_set_thread_name (const char *name);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_get_emitted_count (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_get_dropped_count (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_get_misplaced_end_count (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_get_backward_clock_count (SwTraceContext *self);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_get_stray_flow_count (SwTraceContext *self);

SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_is_on (SwTraceContext *self,
                                 SwTraceVerbosity level);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_begin_span (SwTraceContext *self,
                                     const char *name,
                                     const char *category,
                                     SwTraceVerbosity level,
                                     GVariant *arguments,
                                     GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_end_span (SwTraceContext *self,
                                    guint64 token,
                                    GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_annotate (SwTraceContext *self,
                                    const char *key,
                                    GVariant *value,
                                    GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_emit_instant (SwTraceContext *self,
                                        const char *name,
                                        const char *category,
                                        SwTraceVerbosity level,
                                        GVariant *arguments,
                                        GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_emit_counter (SwTraceContext *self,
                                        const char *name,
                                        SwTraceVerbosity level,
                                        double value,
                                        GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_emit_counter_int64 (SwTraceContext *self,
                                              const char *name,
                                              SwTraceVerbosity level,
                                              gint64 value,
                                              GError **error);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_begin_async_span (SwTraceContext *self,
                                           const char *name,
                                           const char *category,
                                           SwTraceVerbosity level,
                                           GVariant *arguments,
                                           GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_end_async_span (SwTraceContext *self,
                                          guint64 id,
                                          GError **error);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_context_flow_start (SwTraceContext *self,
                                     SwTraceVerbosity level,
                                     GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_flow_step (SwTraceContext *self,
                                     guint64 id,
                                     GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_flow_end (SwTraceContext *self,
                                    guint64 id,
                                    GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_trace_context_flush (SwTraceContext *self,
                                 GError **error);

G_END_DECLS
