/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

#include "sw-profiler/zone/sw-gpu-queue-private.h"

G_BEGIN_DECLS

/* A device that is nothing but a clock and a memory for timestamps. Its clock shows what a test makes it show, results
 * come when a test lets them come, and what a test does to it happens to no other. */

typedef struct
{
  guint64 ticks[2];
  gboolean written[2];
  gboolean is_ready;
  gboolean is_lost;
} FakePair;

typedef struct
{
  SwGpuQueue *queue;
  guint64 now;               /* the clock, in ticks; advances by @step with each timestamp */
  guint64 step;
  gint64 (*host_now) (void); /* what the host's clock shows when it is calibrated */
  guint64 (*device_now) (void);
  gboolean is_eager; /* results are ready as soon as both timestamps are written */
  gboolean refuses_pools;
  gboolean calibration_fails;
  FakePair *pairs; /* of the one pool */
  guint n_pairs;
  guint n_pools;
  guint n_calibrations;
  guint n_reads;
  GPtrArray *groups;
} FakeGpu;

FakeGpu *fake_gpu_new (guint timestamp_bits,
                       guint64 period_numerator,
                       guint64 period_denominator);
void fake_gpu_free (FakeGpu *self);
/* Lets the results of everything that is written come, or never come. */
void fake_gpu_finish (FakeGpu *self);
void fake_gpu_lose (FakeGpu *self);

#define FAKE_TYPE_ENCODER (fake_encoder_get_type ())
G_DECLARE_FINAL_TYPE (FakeEncoder, fake_encoder, FAKE, ENCODER, GObject)

FakeEncoder *fake_encoder_new (FakeGpu *gpu);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FakeGpu, fake_gpu_free)

G_END_DECLS
