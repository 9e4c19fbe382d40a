/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-event.h"
#include "sw-profiler/trace/sw-trace-record-private.h"

G_BEGIN_DECLS

SwTraceEvent *sw_trace_event_new (const SwTraceRecord *record) G_GNUC_WARN_UNUSED_RESULT;
const SwTraceRecord *sw_trace_event_peek_record (SwTraceEvent *self);

G_END_DECLS
