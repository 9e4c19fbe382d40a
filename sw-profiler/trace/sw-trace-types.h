/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <glib-object.h>

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

/**
 * SwTraceVerbosity:
 * @SW_TRACE_VERBOSITY_NONE: nothing
 * @SW_TRACE_VERBOSITY_DECISIONS: what was decided, and what is rare: selected kernels, refusals, evictions, phases
 * @SW_TRACE_VERBOSITY_OPERATIONS: that, and each dispatched operation
 * @SW_TRACE_VERBOSITY_FULL: everything, with shapes and other details
 *
 * How much a [class@Strideweave.TraceContext] records. Each event names the level from which on it is recorded.
 */
typedef enum {
  SW_TRACE_VERBOSITY_NONE,
  SW_TRACE_VERBOSITY_DECISIONS,
  SW_TRACE_VERBOSITY_OPERATIONS,
  SW_TRACE_VERBOSITY_FULL,
} SwTraceVerbosity;

/**
 * SwTraceEventKind:
 * @SW_TRACE_EVENT_KIND_SPAN: a stretch of a thread's time; those of a thread nest
 * @SW_TRACE_EVENT_KIND_INSTANT: a moment on a thread
 * @SW_TRACE_EVENT_KIND_COUNTER: a value from this moment on
 * @SW_TRACE_EVENT_KIND_ASYNC_SPAN: a stretch of time that belongs to no thread, and may overlap others
 * @SW_TRACE_EVENT_KIND_GPU_SPAN: a stretch of the time of a queue of a device, such as a stream of a GPU; it does not nest
 *
 * What a [struct@Strideweave.TraceEvent] is.
 */
typedef enum {
  SW_TRACE_EVENT_KIND_SPAN,
  SW_TRACE_EVENT_KIND_INSTANT,
  SW_TRACE_EVENT_KIND_COUNTER,
  SW_TRACE_EVENT_KIND_ASYNC_SPAN,
  SW_TRACE_EVENT_KIND_GPU_SPAN,
} SwTraceEventKind;

G_END_DECLS
