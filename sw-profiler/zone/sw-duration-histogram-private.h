/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-duration-histogram.h"

G_BEGIN_DECLS

/* NULL, with VALUE, for impossible bins; see sw_zone_selection_dup_histogram (). */
SwDurationHistogram *sw_duration_histogram_new (const guint64 *durations_ns,
                                                gsize n_durations,
                                                guint32 n_bins,
                                                double min_ms,
                                                double max_ms,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
