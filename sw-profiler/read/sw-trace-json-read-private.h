/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/read/sw-trace-reading-private.h"

G_BEGIN_DECLS

/* What both readers of JSON do alike. */

typedef enum {
  SW_JSON_MORE_RETRY, /* the window has changed, or it is known now that the file ends with it */
  SW_JSON_MORE_END,
  SW_JSON_MORE_FAILED,
} SwJsonMore;

/* For a value that the window has not all of. */
SwJsonMore sw_trace_json_more (SwTraceReader *self,
                               GError **error);
/* Members of an object that is whole. */
gboolean sw_trace_json_find (const SwJsonText *object,
                             const char *key,
                             SwJsonText *value);
/* Puts the arguments of an event to the scratch. */
void sw_trace_json_args (SwTraceReader *self,
                         const SwJsonText *args);
/* The id of a text, or of a number as it is written. */
guint32 sw_trace_json_name (SwTraceReader *self,
                            const SwJsonText *text);
/* Counts a record of a kind that has no place here. */
void sw_trace_json_ignore (SwTraceReader *self,
                           const SwJsonText *kind);
/* {"session":"0123…","base_ns":1,"wall_ns":2} */
void sw_trace_json_session (SwTraceReader *self,
                            const SwJsonText *object);
/* {"dropped":{"reason":1},"diagnostics":{"name":2}} */
void sw_trace_json_tallies (SwTraceReader *self,
                            const SwJsonText *object);

G_END_DECLS
