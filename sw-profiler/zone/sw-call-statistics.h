/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_CALL_STATISTICS (sw_call_statistics_get_type ())

typedef struct _SwCallStatistics SwCallStatistics;

SW_AVAILABLE_IN_0_1
GType sw_call_statistics_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwCallStatistics *sw_call_statistics_new (const guint64 *durations_ns,
                                          gsize n_durations) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCallStatistics *sw_call_statistics_merge (SwCallStatistics *self,
                                            SwCallStatistics *other) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCallStatistics *sw_call_statistics_ref (SwCallStatistics *self);
SW_AVAILABLE_IN_0_1
void sw_call_statistics_unref (SwCallStatistics *self);

SW_AVAILABLE_IN_0_1
guint64 sw_call_statistics_get_count (SwCallStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_call_statistics_get_total_ms (SwCallStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_call_statistics_get_min_ms (SwCallStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_call_statistics_get_max_ms (SwCallStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_call_statistics_get_mean_ms (SwCallStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_call_statistics_get_stddev_ms (SwCallStatistics *self);

SW_AVAILABLE_IN_0_1
gboolean sw_call_statistics_equal (SwCallStatistics *self,
                                   SwCallStatistics *other);
SW_AVAILABLE_IN_0_1
guint sw_call_statistics_hash (SwCallStatistics *self);
SW_AVAILABLE_IN_0_1
char *sw_call_statistics_to_string (SwCallStatistics *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwCallStatistics, sw_call_statistics_unref)

G_END_DECLS
