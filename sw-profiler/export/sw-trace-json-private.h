/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-backend-private.h"
#include "sw-profiler/export/sw-trace-text-private.h"

G_BEGIN_DECLS

/* What both JSON forms put alike. Each writes at @at and returns the end; room is reserved by the caller. */

/* Room for all of a record but its texts. */
#define SW_TRACE_RECORD_SIZE 512

static inline char *
sw_trace_put_name (char *at,
                   const SwTraceName *name)
{
  return sw_trace_put_bytes (at, name->json, name->json_length);
}

/* As JSON allows it: a number, or "NaN", "Infinity", "-Infinity" between quotes. */
char *sw_trace_put_json_double (char *at,
                                double value);
/* The name of a slice, between quotes. */
char *sw_trace_put_slice_name (char *at,
                               SwTraceWriter *writer,
                               const SwTraceSlice *slice);
/* Room for the name and the category of a slice, and all that has a fixed size. */
gsize sw_trace_slice_size (SwTraceWriter *writer,
                           const SwTraceSlice *slice);
/* ,"args":{...} straight into the sink; nothing when there are none. */
void sw_trace_put_args (SwTraceWriter *writer,
                        const SwTraceSlice *slice);
/* The 32 hexadecimal digits of the session. */
char *sw_trace_put_session_id (char *at,
                               const SwTraceSession *session);
/* ,"dropped":{...},"diagnostics":{...} straight into the sink; the writer sees to it that neither is empty. */
void sw_trace_put_tallies (SwTraceWriter *writer);

G_END_DECLS
