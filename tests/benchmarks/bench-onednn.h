/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Convolutions by oneDNN, for comparison only, of images and weights that lie with their last mode fastest. */
typedef struct
{
  gint64 n_images;
  gint64 n_inputs;
  gint64 extent; /* of a square image */
  gint64 n_outputs;
  gint64 window;
  gint64 stride;
  gint64 groups;
} BenchConvolution;

static inline gint64
bench_convolution_get_count (const BenchConvolution *self)
{
  return (self->extent - self->window) / self->stride + 1;
}

typedef struct _BenchOnednn BenchOnednn;

/* @is_plain: whether oneDNN computes on the values as they lie; else it first brings them in the order that it likes best, and
 * the result back, each time. NULL where oneDNN has no such convolution. */
BenchOnednn *bench_onednn_new (const BenchConvolution *convolution,
                               gboolean is_plain,
                               const float *input,
                               const float *weight,
                               float *result);
void bench_onednn_run (BenchOnednn *self);
/* As above, without bringing anything in order: what it takes where all tensors lie as oneDNN likes best. */
void bench_onednn_run_reordered (BenchOnednn *self);
void bench_onednn_free (BenchOnednn *self);
