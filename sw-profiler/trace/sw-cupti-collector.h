/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-collector.h>

G_BEGIN_DECLS

#define SW_TYPE_CUPTI_COLLECTOR (sw_cupti_collector_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwCuptiCollector, sw_cupti_collector, SW, CUPTI_COLLECTOR, SwCollector)

SW_AVAILABLE_IN_0_1
gboolean sw_cupti_collector_is_available (void);
SW_AVAILABLE_IN_0_1
SwCuptiCollector *sw_cupti_collector_new (SwCollector *target,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCollector *sw_cupti_collector_dup_target (SwCuptiCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_cupti_collector_get_gpu_event_count (SwCuptiCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_cupti_collector_get_unlinked_count (SwCuptiCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_cupti_collector_get_gpu_dropped_count (SwCuptiCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_cupti_collector_get_malformed_count (SwCuptiCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_cupti_collector_get_untimed_count (SwCuptiCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_cupti_collector_get_unknown_count (SwCuptiCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_cupti_collector_get_late_count (SwCuptiCollector *self);

G_END_DECLS
