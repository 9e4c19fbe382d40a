/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-call-statistics.h>
#include <sw-profiler/zone/sw-duration-statistics.h>

G_BEGIN_DECLS

#define SW_TYPE_FRAME_STATS_ENTRY (sw_frame_stats_entry_get_type ())

typedef struct _SwFrameStatsEntry SwFrameStatsEntry;

SW_AVAILABLE_IN_0_1
GType sw_frame_stats_entry_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwFrameStatsEntry *sw_frame_stats_entry_ref (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
void sw_frame_stats_entry_unref (SwFrameStatsEntry *self);

SW_AVAILABLE_IN_0_1
gint32 sw_frame_stats_entry_get_parent_index (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
guint32 sw_frame_stats_entry_get_depth (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
guint32 sw_frame_stats_entry_get_site_id (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
const char *sw_frame_stats_entry_get_name (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_frame_stats_entry_get_cpu_time_per_frame (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
SwDurationStatistics *sw_frame_stats_entry_get_gpu_time_per_frame (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
SwCallStatistics *sw_frame_stats_entry_get_cpu_time_per_call (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
SwCallStatistics *sw_frame_stats_entry_get_gpu_time_per_call (SwFrameStatsEntry *self);

SW_AVAILABLE_IN_0_1
gboolean sw_frame_stats_entry_equal (SwFrameStatsEntry *self,
                                     SwFrameStatsEntry *other);
SW_AVAILABLE_IN_0_1
guint sw_frame_stats_entry_hash (SwFrameStatsEntry *self);
SW_AVAILABLE_IN_0_1
char *sw_frame_stats_entry_to_string (SwFrameStatsEntry *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwFrameStatsEntry, sw_frame_stats_entry_unref)

G_END_DECLS
