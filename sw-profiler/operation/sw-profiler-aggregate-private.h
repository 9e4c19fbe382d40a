/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-aggregate.h"

G_BEGIN_DECLS

/* What an aggregate knows beyond its specified fields, if it was asked for. */
typedef struct
{
  double p50_time_ns;
  double p90_time_ns;
  double p99_time_ns;
  double stddev_time_ns;
  double total_percent;
  double self_total_percent;
} SwAggregateStatistics;

/* Both are for an aggregate that nobody else has yet. @carrier_name NULL: what the process calls the type. */
void sw_profiler_aggregate_set_carrier_name (SwProfilerAggregate *self,
                                             const char *carrier_name);
void sw_profiler_aggregate_set_statistics (SwProfilerAggregate *self,
                                           const SwAggregateStatistics *statistics);

G_END_DECLS
