/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-profiler-encoder.h"

#include "sw-profiler/zone/sw-gpu-queue-private.h"

/**
 * SwProfilerEncoder:
 *
 * What commands for a device are encoded with, so that zones of a [class@Strideweave.ZoneProfiler] can have times of the
 * device: see [func@Strideweave.profile_zone_begin_with_encoder].
 *
 * A library for a kind of device implements it; there is nothing in it for others to call.
 */

G_DEFINE_INTERFACE (SwProfilerEncoder, sw_profiler_encoder, G_TYPE_OBJECT)

static void
sw_profiler_encoder_default_init (SwProfilerEncoderInterface *iface)
{
}

/**
 * sw_profiler_encoder_has_timestamps:
 * @self: an encoder
 *
 * Tells whether zones can have times of the device: whether the queue that the commands are for has timestamps. In a child
 * of a fork no queue of the parent has.
 *
 * Returns: whether there are timestamps
 */
gboolean
sw_profiler_encoder_has_timestamps (SwProfilerEncoder *self)
{
  SwGpuQueue *queue;

  g_return_val_if_fail (SW_IS_PROFILER_ENCODER (self), FALSE);

  queue = SW_PROFILER_ENCODER_GET_IFACE (self)->get_queue (self);
  return queue != NULL && sw_gpu_queue_has_timestamps (queue);
}
