/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

/**
 * SwTraceFormat:
 * @SW_TRACE_FORMAT_CHROME_JSON: Chrome's trace-event JSON, the array form: opened by chrome://tracing, Perfetto and others
 * @SW_TRACE_FORMAT_JSONL: a header, then one JSON object a line with times in integer nanoseconds, for scripts
 * @SW_TRACE_FORMAT_PERFETTO: Perfetto's protobuf: the smallest, opened by ui.perfetto.dev
 *
 * In what form a trace is written. All three hold the same names, times, nesting and arguments.
 */
typedef enum {
  SW_TRACE_FORMAT_CHROME_JSON,
  SW_TRACE_FORMAT_JSONL,
  SW_TRACE_FORMAT_PERFETTO,
} SwTraceFormat;

G_END_DECLS
