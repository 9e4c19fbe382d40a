/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-record-private.h"

G_BEGIN_DECLS

/* Writes records with a trace writer: knows which track, name and argument of the writer stands for which of theirs. */
typedef struct _SwTraceScribe SwTraceScribe;

/* Takes the writer. */
SwTraceScribe *sw_trace_scribe_new (SwTraceWriter *writer) G_GNUC_WARN_UNUSED_RESULT;
void sw_trace_scribe_put (SwTraceScribe *self,
                          const SwTraceRecord *record);
void sw_trace_scribe_set_process_name (SwTraceScribe *self,
                                       const char *name);
/* Hands all to the operating system, with the names that threads have now. */
gboolean sw_trace_scribe_flush (SwTraceScribe *self,
                                GError **error);
/* Frees the scribe. */
gboolean sw_trace_scribe_close (SwTraceScribe *self,
                                guint64 n_dropped,
                                GError **error);

G_END_DECLS
