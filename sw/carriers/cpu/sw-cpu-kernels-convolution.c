/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <cblas.h>
#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/sw-window-rows-private.h"

/* A convolution is a product of matrices: one has, for each position, the values in its window, the other the weights. The
 * first is made piece by piece, each small enough to stay in the cache. */

#define PIECE_SIZE (1 << 20)
#define MIN_PIECE 64

typedef struct
{
  const SwConvolution *convolution;
  gsize size;       /* of a value */
  gint64 n_terms;   /* of each sum: channels of a group times places of a window */
  gint64 n_outputs; /* of a group */
  gint64 piece;     /* positions */
  char *windows;    /* piece x n_terms, positions side by side */
  char *weights;    /* n_terms x all outputs, terms side by side */
} Run;

static void
pack_weights (Run *self)
{
  const SwConvolution *convolution = self->convolution;
  const SwWindows *windows = &convolution->windows;
  const SwLayoutLeaf *leaves = convolution->weight.axis.leaves;
  gint64 n_channels = convolution->n_inputs / convolution->groups;
  char *to = self->weights;

  for (gint64 output = 0; output < convolution->n_outputs; output++)
    {
      for (gint64 channel = 0; channel < n_channels; channel++)
        {
          for (gint64 k = 0; k < windows->size; k++, to += self->size)
            {
              gint64 index = convolution->weight.offset + output * leaves[0].step + channel * leaves[1].step, rest = k;

              for (guint m = windows->n_modes; m > 0; m--)
                {
                  index += rest % windows->extents[m - 1] * leaves[m + 1].step;
                  rest /= windows->extents[m - 1];
                }
              memcpy (to, sw_cpu_view_at (&convolution->weight, index), self->size);
            }
        }
    }
}

#define DEFINE_COPY(bits)                                                           \
  static void                                                                       \
      copy_##bits (guint##bits *to, const guint##bits *from, gint64 step, gint64 n) \
  {                                                                                 \
    if (step == 1)                                                                  \
      memcpy (to, from, n * sizeof *to);                                            \
    else                                                                            \
      for (gint64 i = 0; i < n; i++)                                                \
        to[i] = from[i * step];                                                     \
  }

DEFINE_COPY (32)
DEFINE_COPY (64)

/* The values of @n positions from @first on that have the place @k in their windows, zero for padding. */
static void
fill_term (const Run *self,
           gint64 channel_start,
           gint64 k,
           gint64 first,
           gint64 n,
           char *to)
{
  const SwConvolution *convolution = self->convolution;
  const SwWindows *windows = &convolution->windows;
  gint64 length = windows->counts[windows->n_modes - 1];

  while (n > 0)
    {
      gint64 x = first % length, count = MIN (length - x, n);
      SwWindowRow row = sw_windows_get_row (windows, first / length, k);
      gint64 start = CLAMP (row.first - x, 0, count), end = CLAMP (row.end - x, start, count);
      gconstpointer from = sw_cpu_view_at (&convolution->input, channel_start + row.index + (x + start - row.first) * row.step);

      memset (to, 0, start * self->size);
      if (self->size == 4)
        copy_32 ((gpointer) (to + start * self->size), from, row.step, end - start);
      else
        copy_64 ((gpointer) (to + start * self->size), from, row.step, end - start);
      memset (to + end * self->size, 0, (count - end) * self->size);
      to += count * self->size;
      first += count;
      n -= count;
    }
}

static void
fill_windows (const Run *self,
              gint64 image,
              gint64 group,
              gint64 first,
              gint64 n)
{
  const SwConvolution *convolution = self->convolution;
  const SwLayoutLeaf *leaves = convolution->input.axis.leaves;
  gint64 n_channels = convolution->n_inputs / convolution->groups;
  char *to = self->windows;

  for (gint64 channel = 0; channel < n_channels; channel++)
    {
      gint64 start = convolution->input.offset + image * leaves[0].step + (group * n_channels + channel) * leaves[1].step;

      for (gint64 k = 0; k < convolution->windows.size; k++, to += n * self->size)
        fill_term (self, start, k, first, n, to);
    }
}

/* Where OpenBLAS cannot run. */
static void
multiply_plainly (const Run *self,
                  gint64 n,
                  gconstpointer weights,
                  gpointer result,
                  gint64 result_step)
{
  gboolean is_narrow = self->size == sizeof (float);

  for (gint64 output = 0; output < self->n_outputs; output++)
    {
      for (gint64 p = 0; p < n; p++)
        {
          double sum = 0;

          for (gint64 k = 0; k < self->n_terms; k++)
            {
              gint64 a = p + k * n, b = k + output * self->n_terms;

              sum += is_narrow ? (double) ((const float *) self->windows)[a] * ((const float *) weights)[b]
                               : ((const double *) self->windows)[a] * ((const double *) weights)[b];
            }
          if (is_narrow)
            ((float *) result)[p + output * result_step] = (float) sum;
          else
            ((double *) result)[p + output * result_step] = sum;
        }
    }
}

static void
multiply (const Run *self,
          gint64 n,
          gconstpointer weights,
          gpointer result)
{
  gint64 n_positions = self->convolution->windows.n_positions;
  gboolean fits = n_positions <= G_MAXINT && self->n_terms <= G_MAXINT && self->n_outputs <= G_MAXINT;
  int m = (int) n, o = (int) self->n_outputs, k = (int) self->n_terms, step = (int) n_positions;

  if (!fits || !sw_cpu_can_run_blas ())
    multiply_plainly (self, n, weights, result, n_positions);
  else if (self->size == sizeof (float))
    cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, m, o, k, 1.0f, (const float *) self->windows, m, weights, k, 0.0f, result, step);
  else
    cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, m, o, k, 1.0, (const double *) self->windows, m, weights, k, 0.0, result, step);
}

static void
run_all (const Run *self)
{
  const SwConvolution *convolution = self->convolution;
  gint64 n_positions = convolution->windows.n_positions;

  for (gint64 image = 0; image < convolution->n_images; image++)
    {
      for (gint64 group = 0; group < convolution->groups; group++)
        {
          gint64 output = group * self->n_outputs;
          char *result = (char *) convolution->result.data + (image * convolution->n_outputs + output) * n_positions * (gssize) self->size;

          for (gint64 first = 0; first < n_positions; first += self->piece)
            {
              gint64 n = MIN (self->piece, n_positions - first);

              fill_windows (self, image, group, first, n);
              multiply (self, n, self->weights + output * self->n_terms * self->size, result + first * self->size);
            }
        }
    }
}

static gboolean
run_convolution (const SwConvolutionKernel *kernel,
                 const SwConvolution *convolution,
                 GError **error)
{
  Run run = { convolution, sw_dtype_get_item_size (convolution->input.dtype) };
  gint64 wanted;

  run.n_terms = convolution->n_inputs / convolution->groups * convolution->windows.size;
  run.n_outputs = convolution->n_outputs / convolution->groups;
  wanted = MAX (MIN_PIECE, PIECE_SIZE / MAX (1, run.n_terms * (gint64) run.size));
  run.piece = MIN (wanted, convolution->windows.n_positions);
  run.windows = g_try_malloc_n (run.n_terms, run.piece * run.size);
  run.weights = g_try_malloc_n (run.n_terms, convolution->n_outputs * run.size);

  if (run.windows != NULL && run.weights != NULL)
    {
      pack_weights (&run);
      run_all (&run);
    }
  else
    g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory for windows of %" G_GINT64_FORMAT " values", convolution->name,
                 run.n_terms);

  g_free (run.windows);
  g_free (run.weights);
  return run.windows != NULL && run.weights != NULL;
}

const SwConvolutionKernel sw_cpu_conv_general_kernel = { run_convolution };
