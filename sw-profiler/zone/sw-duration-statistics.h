/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_DURATION_STATISTICS (sw_duration_statistics_get_type ())

typedef struct _SwDurationStatistics SwDurationStatistics;

SW_AVAILABLE_IN_0_1
GType sw_duration_statistics_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_duration_statistics_new (const guint64 *durations_ns,
                                                  gsize n_durations) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_duration_statistics_ref (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
void sw_duration_statistics_unref (SwDurationStatistics *self);

SW_AVAILABLE_IN_0_1
guint64 sw_duration_statistics_get_count (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_total_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_min_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_max_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_mean_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_stddev_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_p50_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_p90_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_p95_ms (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
double sw_duration_statistics_get_p99_ms (SwDurationStatistics *self);

SW_AVAILABLE_IN_0_1
gboolean sw_duration_statistics_equal (SwDurationStatistics *self,
                                       SwDurationStatistics *other);
SW_AVAILABLE_IN_0_1
guint sw_duration_statistics_hash (SwDurationStatistics *self);
SW_AVAILABLE_IN_0_1
char *sw_duration_statistics_to_string (SwDurationStatistics *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwDurationStatistics, sw_duration_statistics_unref)

G_END_DECLS
