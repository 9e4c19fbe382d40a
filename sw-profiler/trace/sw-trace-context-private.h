/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-context.h"
#include "sw-profiler/trace/sw-trace-core-private.h"

G_BEGIN_DECLS

static inline SwTraceCore *
sw_trace_context_get_core (SwTraceContext *self)
{
  return self->core;
}

void sw_trace_context_arm_default (guint level);

G_END_DECLS
