/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-call-statistics.h"

G_BEGIN_DECLS

__extension__ typedef unsigned __int128 SwUint128;

/* Durations of calls, each forgotten once it is counted. All integers, so that the order in which they are added or
 * merged does not matter. All zeros: no calls. */
typedef struct
{
  guint64 count;
  guint64 total_ns;
  guint64 min_ns;
  guint64 max_ns;
  SwUint128 total_squares; /* the highest number: too many centuries to tell */
} SwCallSums;

static inline void
sw_call_sums_add (SwCallSums *self,
                  guint64 duration_ns)
{
  if (__builtin_add_overflow (self->total_squares, (SwUint128) duration_ns * duration_ns, &self->total_squares))
    self->total_squares = ~(SwUint128) 0;
  if (__builtin_add_overflow (self->total_ns, duration_ns, &self->total_ns))
    self->total_ns = G_MAXUINT64;
  if (self->count == 0 || duration_ns < self->min_ns)
    self->min_ns = duration_ns;
  self->max_ns = MAX (self->max_ns, duration_ns);
  self->count++;
}

void sw_call_sums_merge (SwCallSums *self,
                         const SwCallSums *other);
double sw_call_sums_mean_ms (const SwCallSums *self);
double sw_call_sums_stddev_ms (const SwCallSums *self);

SwCallStatistics *sw_call_statistics_new_from_sums (const SwCallSums *sums) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
