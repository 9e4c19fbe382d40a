/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-collector.h>

G_BEGIN_DECLS

#define SW_TYPE_SYSPROF_COLLECTOR (sw_sysprof_collector_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwSysprofCollector, sw_sysprof_collector, SW, SYSPROF_COLLECTOR, SwCollector)

SW_AVAILABLE_IN_0_1
gboolean sw_sysprof_collector_is_available (void);
SW_AVAILABLE_IN_0_1
SwSysprofCollector *sw_sysprof_collector_new (const char *path,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwSysprofCollector *sw_sysprof_collector_new_for_session (GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
