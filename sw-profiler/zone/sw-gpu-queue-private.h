/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-profiler-encoder.h"
#include "sw-profiler/zone/sw-zone-time-private.h"

G_BEGIN_DECLS

/* What a library for a kind of device implements, so that zones can have times of the device's own clock. */

typedef struct _SwGpuQueue SwGpuQueue;

typedef enum {
  SW_GPU_RESULT_PENDING,
  SW_GPU_RESULT_READY,
  SW_GPU_RESULT_LOST, /* will never come: the commands were discarded, or the device was */
} SwGpuResult;

/* None of these is called with a lock held. */
typedef struct
{
  /* Room for so many timestamps; NULL when there is none. */
  gpointer (*create_pool) (gpointer device,
                           guint n_queries);
  /* Nothing will be written to it or read from it; the device may still be about to, and it is up to the library to wait. */
  void (*free_pool) (gpointer device,
                     gpointer pool);
  /* Both timestamps of a pair, or neither. Never waits. */
  SwGpuResult (*read) (gpointer device,
                       gpointer pool,
                       guint first_query,
                       guint64 ticks[2]);
  /* Both clocks at the same moment: the device's, and CLOCK_MONOTONIC. FALSE: not now. */
  gboolean (*calibrate) (gpointer device,
                         guint64 *ticks,
                         gint64 *ns);
} SwGpuBackend;

typedef struct
{
  const char *name;
  guint64 device_id;
  guint32 queue;
  guint timestamp_bits;        /* how many of a timestamp's bits count; 0: this queue has no timestamps */
  guint64 period_numerator;    /* nanoseconds... */
  guint64 period_denominator;  /* ...a tick */
} SwGpuQueueInfo;

struct _SwProfilerEncoderInterface
{
  GTypeInterface parent_interface;

  /* What the commands that are being encoded will be submitted to. */
  SwGpuQueue *(*get_queue) (SwProfilerEncoder *self);
  void (*write_timestamp) (SwProfilerEncoder *self,
                           gpointer pool,
                           guint query);
  /* Or NULL. */
  void (*push_group) (SwProfilerEncoder *self,
                      const char *name);
  void (*pop_group) (SwProfilerEncoder *self);
};

/* A queue of a device. @backend is of static storage; @device is freed with the last reference. */
SwGpuQueue *sw_gpu_queue_new (const SwGpuBackend *backend,
                              gpointer device,
                              GDestroyNotify free_device,
                              const SwGpuQueueInfo *info) G_GNUC_WARN_UNUSED_RESULT;
SwGpuQueue *sw_gpu_queue_ref (SwGpuQueue *self);
void sw_gpu_queue_unref (SwGpuQueue *self);

/* From 1; never given twice. */
guint64 sw_gpu_queue_get_number (const SwGpuQueue *self);
const SwGpuQueueInfo *sw_gpu_queue_get_info (const SwGpuQueue *self);
/* FALSE also in the child of a fork, where the device of the parent is of no use. */
gboolean sw_gpu_queue_has_timestamps (const SwGpuQueue *self);
void sw_gpu_queue_forget_devices (void);

gpointer sw_gpu_queue_create_pool (SwGpuQueue *self,
                                   guint n_queries);
void sw_gpu_queue_free_pool (SwGpuQueue *self,
                             gpointer pool);
SwGpuResult sw_gpu_queue_read (SwGpuQueue *self,
                               gpointer pool,
                               guint first_query,
                               guint64 ticks[2]);

/* At most every two seconds it asks the device. To be called before conversions, when there are any. */
void sw_gpu_queue_calibrate (SwGpuQueue *self);
/* FALSE: no times can be made of these. */
gboolean sw_gpu_queue_convert (SwGpuQueue *self,
                               const guint64 ticks[2],
                               guint64 *start_ns,
                               guint64 *duration_ns);

G_END_DECLS
