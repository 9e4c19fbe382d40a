/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-collector.h>

G_BEGIN_DECLS

#define SW_TYPE_ITT_COLLECTOR (sw_itt_collector_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwIttCollector, sw_itt_collector, SW, ITT_COLLECTOR, SwCollector)

SW_AVAILABLE_IN_0_1
gboolean sw_itt_collector_is_available (void);
SW_AVAILABLE_IN_0_1
SwIttCollector *sw_itt_collector_new (GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
