/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <glib-object.h>

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

/**
 * SW_ZONE_NO_FRAME:
 *
 * The frame index of a zone that began outside any frame.
 */
#define SW_ZONE_NO_FRAME 0xffffffffu

/**
 * SwTimelineType:
 * @SW_TIMELINE_TYPE_CPU: a thread
 * @SW_TIMELINE_TYPE_GPU: a queue of a device
 *
 * What a [struct@Strideweave.Timeline] shows the work of.
 */
typedef enum {
  SW_TIMELINE_TYPE_CPU,
  SW_TIMELINE_TYPE_GPU,
} SwTimelineType;

/**
 * SwStopReason:
 * @SW_STOP_REASON_REQUESTED: the capture was stopped
 * @SW_STOP_REASON_MEMORY_LIMIT: the next zone would have exceeded the capture's memory limit
 * @SW_STOP_REASON_SNAPSHOT: nothing stopped: the trace is a copy of the live history
 *
 * Why a [struct@Strideweave.ZoneTrace] ends where it ends.
 */
typedef enum {
  SW_STOP_REASON_REQUESTED,
  SW_STOP_REASON_MEMORY_LIMIT,
  SW_STOP_REASON_SNAPSHOT,
} SwStopReason;

/**
 * SwGpuStatus:
 * @SW_GPU_STATUS_ABSENT: the path did not run in the frame
 * @SW_GPU_STATUS_UNAVAILABLE: it ran, and no GPU timing was asked for
 * @SW_GPU_STATUS_COMPLETE: every GPU timing that was asked for is there
 * @SW_GPU_STATUS_INCOMPLETE: a GPU timing that was asked for is missing
 *
 * What is known of the GPU time of one path in one frame.
 */
typedef enum {
  SW_GPU_STATUS_ABSENT,
  SW_GPU_STATUS_UNAVAILABLE,
  SW_GPU_STATUS_COMPLETE,
  SW_GPU_STATUS_INCOMPLETE,
} SwGpuStatus;

G_END_DECLS
