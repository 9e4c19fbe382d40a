/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-input-shapes.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_AGGREGATE (sw_profiler_aggregate_get_type ())

typedef struct _SwProfilerAggregate SwProfilerAggregate;

SW_AVAILABLE_IN_0_1
GType sw_profiler_aggregate_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwProfilerAggregate *sw_profiler_aggregate_new (const char *name,
                                                GType carrier_type,
                                                SwInputShapes *input_shapes,
                                                gint64 count,
                                                gint64 total_time_ns,
                                                gint64 self_total_time_ns,
                                                double mean_time_ns,
                                                gint64 min_time_ns,
                                                gint64 max_time_ns) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerAggregate *sw_profiler_aggregate_ref (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
void sw_profiler_aggregate_unref (SwProfilerAggregate *self);

SW_AVAILABLE_IN_0_1
const char *sw_profiler_aggregate_get_name (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
GType sw_profiler_aggregate_get_carrier_type (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_aggregate_get_carrier_name (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
SwInputShapes *sw_profiler_aggregate_get_input_shapes (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_aggregate_get_count (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_aggregate_get_total_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_aggregate_get_self_total_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
double sw_profiler_aggregate_get_mean_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_aggregate_get_min_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
gint64 sw_profiler_aggregate_get_max_time_ns (SwProfilerAggregate *self);

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_aggregate_has_statistics (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
double sw_profiler_aggregate_get_p50_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
double sw_profiler_aggregate_get_p90_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
double sw_profiler_aggregate_get_p99_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
double sw_profiler_aggregate_get_stddev_time_ns (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
double sw_profiler_aggregate_get_total_percent (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
double sw_profiler_aggregate_get_self_total_percent (SwProfilerAggregate *self);

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_aggregate_equal (SwProfilerAggregate *self,
                                      SwProfilerAggregate *other);
SW_AVAILABLE_IN_0_1
guint sw_profiler_aggregate_hash (SwProfilerAggregate *self);
SW_AVAILABLE_IN_0_1
char *sw_profiler_aggregate_to_string (SwProfilerAggregate *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerAggregate, sw_profiler_aggregate_unref)

G_END_DECLS
