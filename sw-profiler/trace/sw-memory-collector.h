/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/export/sw-trace-format.h>
#include <sw-profiler/trace/sw-collector.h>

G_BEGIN_DECLS

#define SW_TYPE_MEMORY_COLLECTOR (sw_memory_collector_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwMemoryCollector, sw_memory_collector, SW, MEMORY_COLLECTOR, SwCollector)

SW_AVAILABLE_IN_0_1
SwMemoryCollector *sw_memory_collector_new (gint64 capacity,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gint64 sw_memory_collector_get_capacity (SwMemoryCollector *self);
SW_AVAILABLE_IN_0_1
GPtrArray *sw_memory_collector_dup_events (SwMemoryCollector *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
void sw_memory_collector_clear (SwMemoryCollector *self);
SW_AVAILABLE_IN_0_1
gboolean sw_memory_collector_write_trace (SwMemoryCollector *self,
                                          const char *path,
                                          SwTraceFormat format,
                                          GError **error);

G_END_DECLS
