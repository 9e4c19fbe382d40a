/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-product-private.h"
#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* Convolutions of few outputs whose windows follow one another value by value: each row of a result is the sum of as many rows
 * of the input as a window has places, each times a weight, and is kept in registers meanwhile. */
typedef struct
{
  const SwConvolution *convolution;
  gint64 n_terms; /* channels of a group times places of a window */
  /* What the rows are read from: the input, or a copy with its padding. */
  gboolean has_copy;
  gint64 extents[SW_MAX_WINDOW_MODES];
  gint64 steps[SW_MAX_WINDOW_MODES];
  gint64 channel_step;
  gint64 *offsets;    /* of each term from the first value of a row */
  gsize n_copy_bytes; /* 0: there is no copy */
  SwCpuSumFunc sum;
} SwCpuSummedRows;

/* FALSE where it is no such convolution, or a copy would be too large. */
gboolean sw_cpu_summed_rows_init (SwCpuSummedRows *self,
                                  const SwConvolution *convolution);
void sw_cpu_summed_rows_clear (SwCpuSummedRows *self);

/* One output of one image. @weights: those of the output, term by term; @copy: memory for the copy. */
void sw_cpu_summed_rows_run (const SwCpuSummedRows *self,
                             gint64 image,
                             gint64 output,
                             gconstpointer weights,
                             gpointer copy);

G_END_DECLS
