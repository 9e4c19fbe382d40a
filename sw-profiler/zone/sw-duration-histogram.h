/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_DURATION_HISTOGRAM (sw_duration_histogram_get_type ())

typedef struct _SwDurationHistogram SwDurationHistogram;

SW_AVAILABLE_IN_0_1
GType sw_duration_histogram_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwDurationHistogram *sw_duration_histogram_ref (SwDurationHistogram *self);
SW_AVAILABLE_IN_0_1
void sw_duration_histogram_unref (SwDurationHistogram *self);

SW_AVAILABLE_IN_0_1
guint32 sw_duration_histogram_get_bin_count (SwDurationHistogram *self);
SW_AVAILABLE_IN_0_1
guint64 sw_duration_histogram_get_below (SwDurationHistogram *self);
SW_AVAILABLE_IN_0_1
guint64 sw_duration_histogram_get_above (SwDurationHistogram *self);
SW_AVAILABLE_IN_0_1
GBytes *sw_duration_histogram_dup_edges_ms (SwDurationHistogram *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_duration_histogram_dup_counts (SwDurationHistogram *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwDurationHistogram, sw_duration_histogram_unref)

G_END_DECLS
