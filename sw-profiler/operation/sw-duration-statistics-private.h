/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-aggregate-private.h"

G_BEGIN_DECLS

/* Moves the number that would be at @rank in ascending order there, none that is greater before it, and none that is
 * less behind it. */
void sw_durations_select (gint64 *durations,
                          gsize n,
                          gsize rank);
/* Percentile 100 * @fraction of @n > 0 numbers, as NumPy computes it; moves them. The first *@n_lower are known to be
 * no greater than the rest: 0, or what the call for a lower percentile left there. */
double sw_durations_take_percentile (gint64 *durations,
                                     gsize n,
                                     double fraction,
                                     gsize *n_lower);
/* The deviation from the mean of a population. */
double sw_durations_get_stddev (const gint64 *durations,
                                gsize n,
                                double mean);

G_END_DECLS
