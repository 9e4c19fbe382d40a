/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-sink-private.h"
#include "sw-profiler/tool/sw-tool-trace-private.h"

G_BEGIN_DECLS

/* Forms that hold only stacks: what they leave out goes to @notes. The sink is closed, or canceled. Both fail with IO. */

/* A line for each path: its names with semicolons in between, and its self time in nanoseconds. */
gboolean sw_tool_write_folded (SwToolTrace *trace,
                               SwTraceSink *sink,
                               GPtrArray *notes,
                               GError **error);
/* A profile for each thread and GPU queue, of what opens and closes in it. */
gboolean sw_tool_write_speedscope (SwToolTrace *trace,
                                   SwTraceSink *sink,
                                   GPtrArray *notes,
                                   GError **error);

G_END_DECLS
