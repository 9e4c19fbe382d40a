/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/export/sw-trace-format.h>
#include <sw-profiler/trace/sw-collector.h>

G_BEGIN_DECLS

#define SW_TYPE_FILE_COLLECTOR (sw_file_collector_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwFileCollector, sw_file_collector, SW, FILE_COLLECTOR, SwCollector)

SW_AVAILABLE_IN_0_1
SwFileCollector *sw_file_collector_new (const char *path,
                                        SwTraceFormat format,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
char *sw_file_collector_dup_path (SwFileCollector *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTraceFormat sw_file_collector_get_format (SwFileCollector *self);

G_END_DECLS
