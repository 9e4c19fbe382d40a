/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/read/sw-trace-reader-private.h"

/* What a reader says of a trace, as lines of text, sorted:
 *
 *   slice PROCESS/TRACK NAME [CATEGORY] START+DURATION {key=value, ...} <flow step, ...> !
 *   instant PROCESS/TRACK NAME [CATEGORY] TIME {...} <...>
 *   counter PROCESS/TRACK TIME VALUE
 *   track PROCESS/TRACK kind id rank unit
 *   session ID base wall pid process
 *   drops REASON N, diagnostic NAME N
 *
 * "!" marks what is unfinished. Times are relative to the base, where the trace names one. */
typedef struct
{
  char *text;    /* NULL: reading failed */
  GError *error; /* then */
  SwTraceReadReport report;
  char *ignored;
  guint n_sessions;
} TraceLines;

TraceLines *trace_lines_of_bytes (const void *bytes,
                                  gsize n_bytes);
TraceLines *trace_lines_of_text (const char *text);
TraceLines *trace_lines_of_path (const char *path);
void trace_lines_free (TraceLines *self);
/* Whether all of @expected, lines with line breaks in between, are there and no other ones that begin with the same word. */
void trace_lines_assert (const TraceLines *self,
                         const char *expected);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TraceLines, trace_lines_free)
