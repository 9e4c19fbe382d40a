/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-duration-histogram.h>
#include <sw-profiler/zone/sw-duration-statistics.h>
#include <sw-profiler/zone/sw-zone-chunk.h>

G_BEGIN_DECLS

#define SW_TYPE_ZONE_SELECTION (sw_zone_selection_get_type ())

typedef struct _SwZoneTrace SwZoneTrace;
typedef struct _SwZoneSelection SwZoneSelection;

SW_AVAILABLE_IN_0_1
GType sw_zone_selection_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwZoneSelection *sw_zone_selection_ref (SwZoneSelection *self);
SW_AVAILABLE_IN_0_1
void sw_zone_selection_unref (SwZoneSelection *self);

SW_AVAILABLE_IN_0_1
SwZoneTrace *sw_zone_selection_get_trace (SwZoneSelection *self);
SW_AVAILABLE_IN_0_1
guint32 sw_zone_selection_get_count (SwZoneSelection *self);
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_selection_dup_indices (SwZoneSelection *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
GBytes *sw_zone_selection_dup_column (SwZoneSelection *self,
                                      SwZoneColumn column,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_zone_selection_dup_statistics (SwZoneSelection *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwDurationHistogram *sw_zone_selection_dup_histogram (SwZoneSelection *self,
                                                      guint32 n_bins,
                                                      double min_ms,
                                                      double max_ms,
                                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwZoneSelection *sw_zone_selection_slowest (SwZoneSelection *self,
                                            guint32 n_zones) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_zone_selection_write_to_csv (SwZoneSelection *self,
                                         const char *path,
                                         GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwZoneSelection, sw_zone_selection_unref)

G_END_DECLS
