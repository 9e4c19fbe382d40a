/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-collector.h>

G_BEGIN_DECLS

#define SW_TYPE_COMPOSITE_COLLECTOR (sw_composite_collector_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwCompositeCollector, sw_composite_collector, SW, COMPOSITE_COLLECTOR, SwCollector)

SW_AVAILABLE_IN_0_1
SwCompositeCollector *sw_composite_collector_new (SwCollector **collectors,
                                                  gsize n_collectors,
                                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GPtrArray *sw_composite_collector_dup_collectors (SwCompositeCollector *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
