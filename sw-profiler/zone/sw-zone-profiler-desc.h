/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <glib-object.h>

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

#define SW_TYPE_ZONE_PROFILER_DESC (sw_zone_profiler_desc_get_type ())

typedef struct _SwZoneProfilerDesc SwZoneProfilerDesc;

/**
 * SwZoneProfilerDesc:
 * @thread_event_capacity: how many zones of one thread may wait to be consumed, those that are open included; a
 *   positive power of two, 8192 by default
 * @live_frame_count: how many frames the live history keeps; positive, 120 by default
 * @live_event_capacity: how many zones the live history keeps; positive, 100,000 by default
 * @frame_stats_window_size: how many completed frames the statistics cover; positive, 120 by default
 * @gpu_query_pool_size: how many timestamp queries each queue of a device has, two for each zone; positive and even,
 *   16384 by default
 * @enable_auto_zones: whether each dispatched operation is a zone of its own; %TRUE by default
 * @enable_debug_groups: whether zones with GPU times are named in the command stream, too; %FALSE by default
 *
 * How a [class@Strideweave.ZoneProfiler] is made. What is impossible is refused there.
 */
struct _SwZoneProfilerDesc
{
  gint64 thread_event_capacity;
  gint64 live_frame_count;
  gint64 live_event_capacity;
  gint64 frame_stats_window_size;
  gint64 gpu_query_pool_size;
  gboolean enable_auto_zones;
  gboolean enable_debug_groups;

  /*< private >*/
  gint64 padding[8];
};

SW_AVAILABLE_IN_0_1
GType sw_zone_profiler_desc_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwZoneProfilerDesc *sw_zone_profiler_desc_new (void) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwZoneProfilerDesc *sw_zone_profiler_desc_copy (const SwZoneProfilerDesc *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_desc_free (SwZoneProfilerDesc *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwZoneProfilerDesc, sw_zone_profiler_desc_free)

#define SW_TYPE_CAPTURE_DESC (sw_capture_desc_get_type ())

typedef struct _SwCaptureDesc SwCaptureDesc;

/**
 * SwCaptureDesc:
 * @max_memory_bytes: how much memory the capture takes at most, in bytes; positive, 256 MiB by default
 *
 * How a capture is made, by [method@Strideweave.ZoneProfiler.start_capture].
 */
struct _SwCaptureDesc
{
  gint64 max_memory_bytes;

  /*< private >*/
  gint64 padding[3];
};

SW_AVAILABLE_IN_0_1
GType sw_capture_desc_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwCaptureDesc *sw_capture_desc_new (void) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCaptureDesc *sw_capture_desc_copy (const SwCaptureDesc *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
void sw_capture_desc_free (SwCaptureDesc *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwCaptureDesc, sw_capture_desc_free)

G_END_DECLS
