/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-cache-private.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-level-private.h"
#include "sw/carriers/cpu/sw-cpu-pool-private.h"
#include "sw/carriers/cpu/sw-cpu-product-private.h"
#include "sw/carriers/cpu/sw-cpu-summed-rows-private.h"
#include "sw/carriers/cpu/sw-cpu-windows-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* A product is rounded before it is added, so that all levels agree. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif

/* A convolution is a product of matrices: one has, for each position, the values in its window, the other the weights. The
 * first is made piece by piece, each small enough to stay in the cache, and multiplied at once. */

#define PIECE_SIZE (1 << 18)
#define MIN_PIECE 48
/* A multiple of the rows that the product has in registers, whatever its level and type. */
#define PIECE_STEP 48

typedef struct
{
  const SwConvolution *convolution;
  gsize size;            /* of a value */
  gint64 n_terms;        /* of each sum: channels of a group times places of a window */
  gint64 n_outputs;      /* of a group */
  gint64 piece;          /* positions */
  gint64 n_pieces;       /* of a group of an image */
  gboolean is_pointwise; /* windows of one value each, in a row: the images are that matrix already */
  gboolean is_shifted;   /* so few outputs that rows are shifted and added */
  gboolean is_summed;    /* and kept in registers meanwhile */
  SwCpuSummedRows summed;
  SwCpuProductFunc multiply; /* NULL: OpenBLAS */
  guint n_lanes;
  gsize n_scratch_bytes;
  char *windows;       /* piece x n_terms for each lane, positions side by side; NULL where is_pointwise */
  char *packed;        /* the weights, where they lie otherwise; nullable */
  const char *weights; /* n_terms x all outputs, terms side by side */
} Run;

/* Whether the weights lie as the product wants them. */
static gboolean
are_weights_packed (const Run *self)
{
  const SwConvolution *convolution = self->convolution;
  const SwWindows *windows = &convolution->windows;
  const SwLayoutLeaf *leaves = convolution->weight.axis.leaves;
  gint64 step = 1;

  for (guint m = windows->n_modes; m > 0; m--)
    {
      if (windows->extents[m - 1] > 1 && leaves[m + 1].step != step)
        return FALSE;
      step *= windows->extents[m - 1];
    }
  return (leaves[1].extent == 1 || leaves[1].step == step) && (leaves[0].extent == 1 || leaves[0].step == self->n_terms);
}

/* Whether each channel is the row of the positions. */
static gboolean
is_pointwise (const Run *self)
{
  const SwConvolution *convolution = self->convolution;
  const SwWindows *windows = &convolution->windows;
  gint64 step = 1;

  for (guint m = windows->n_modes; m > 0; m--)
    {
      guint i = m - 1;

      if (windows->extents[i] != 1 || windows->paddings[i] != 0 || windows->counts[i] != windows->input_extents[i] ||
          (windows->counts[i] > 1 && (windows->strides[i] != 1 || windows->input_steps[i] != step)))
        return FALSE;
      step *= windows->counts[i];
    }
  return TRUE;
}

static void
pack_weights (Run *self)
{
  const SwConvolution *convolution = self->convolution;
  const SwWindows *windows = &convolution->windows;
  const SwLayoutLeaf *leaves = convolution->weight.axis.leaves;
  gint64 n_channels = convolution->n_inputs / convolution->groups;
  char *to = self->packed;

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

/* Groups with few outputs, which a product of matrices would take longer to prepare than to compute: each result row is a sum
 * of shifted rows of the input. */
#define FEW_OUTPUTS 2

#define DEFINE_ACCUMULATE(type, Type)                                                                        \
  SW_CPU_INLINE void                                                                                         \
      accumulate_##type##_at_level (Type *restrict to, const Type *from, gint64 step, gint64 n, Type weight) \
  {                                                                                                          \
    if (step == 1)                                                                                           \
      {                                                                                                      \
        for (gint64 i = 0; i < n; i++)                                                                       \
          to[i] += from[i] * weight;                                                                         \
        return;                                                                                              \
      }                                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                           \
      to[i] += from[i * step] * weight;                                                                      \
  }                                                                                                          \
                                                                                                             \
  SW_CPU_DEFINE_LEVELS (void, accumulate_##type,                                                             \
                        (Type *restrict to, const Type *from, gint64 step, gint64 n, Type weight),           \
                        (to, from, step, n, weight))

DEFINE_ACCUMULATE (float32, float)
DEFINE_ACCUMULATE (float64, double)

static void
accumulate (const Run *self,
            char *to,
            gconstpointer from,
            gint64 step,
            gint64 n,
            gconstpointer weight)
{
  if (self->size == sizeof (float))
    accumulate_float32 ((gpointer) to, from, step, n, *(const float *) weight);
  else
    accumulate_float64 ((gpointer) to, from, step, n, *(const double *) weight);
}

/* Padding is zeros, which contribute nothing, unless zero times the weight is not a number. */
static void
accumulate_padding (const Run *self,
                    char *to,
                    gint64 n,
                    gconstpointer weight)
{
  static const union
  {
    float single;
    double twice;
  } zero;

  if (n > 0 && !isfinite (self->size == sizeof (float) ? *(const float *) weight : *(const double *) weight))
    accumulate (self, to, &zero, 0, n, weight);
}

/* Adds what the place @k of all windows contributes to an output. */
static void
accumulate_term (const Run *self,
                 gint64 channel_start,
                 gint64 k,
                 gconstpointer weight,
                 char *to)
{
  const SwConvolution *convolution = self->convolution;
  const SwWindows *windows = &convolution->windows;
  gint64 length = windows->counts[windows->n_modes - 1];
  gint64 step = windows->strides[windows->n_modes - 1] * windows->input_steps[windows->n_modes - 1];
  const char *stop = to + windows->n_positions * (gssize) self->size;
  SwCpuTerm term;

  for (sw_cpu_term_init (&term, windows, 0, k); to < stop; sw_cpu_term_next (&term, windows), to += length * self->size)
    {
      gint64 first = MIN (term.first, length), end = MIN (term.end, length), index;

      if (end <= first || !sw_cpu_term_locate (&term, windows, &index))
        {
          accumulate_padding (self, to, length, weight);
          continue;
        }
      accumulate_padding (self, to, first, weight);
      accumulate (self, to + first * self->size, sw_cpu_view_at (&convolution->input, channel_start + index + first * step), step,
                  end - first, weight);
      accumulate_padding (self, to + end * self->size, length - end, weight);
    }
}

typedef struct
{
  const Run *run;
  const SwCpuSummedRows *summed; /* nullable */
  char *copies;                  /* one for each lane; nullable */
  gint64 n_pieces;
} Shifts;

static void
add_shifted_rows (const Run *self,
                  gint64 image,
                  gint64 output)
{
  const SwConvolution *convolution = self->convolution;
  const SwLayoutLeaf *leaves = convolution->input.axis.leaves;
  gint64 n_channels = convolution->n_inputs / convolution->groups, n_bytes = convolution->windows.n_positions * (gint64) self->size;
  const char *weight = self->weights + output * self->n_terms * (gssize) self->size;
  char *to = (char *) convolution->result.data + (image * convolution->n_outputs + output) * n_bytes;
  gint64 start = convolution->input.offset + image * leaves[0].step + output / self->n_outputs * n_channels * leaves[1].step;

  memset (to, 0, n_bytes);
  for (gint64 channel = 0; channel < n_channels; channel++, start += leaves[1].step)
    {
      for (gint64 k = 0; k < convolution->windows.size; k++, weight += self->size)
        accumulate_term (self, start, k, weight, to);
    }
}

static gboolean
shift_some (gpointer data,
            gint64 piece,
            guint lane)
{
  const Shifts *self = data;
  gint64 n_outputs = self->run->convolution->n_outputs, size = self->run->convolution->n_images * n_outputs;
  gint64 end = sw_cpu_pool_get_start (size, self->n_pieces, piece + 1);

  for (gint64 i = sw_cpu_pool_get_start (size, self->n_pieces, piece); i < end; i++)
    {
      gint64 image = i / n_outputs, output = i % n_outputs;

      if (self->summed == NULL)
        add_shifted_rows (self->run, image, output);
      else
        sw_cpu_summed_rows_run (self->summed, image, output, self->run->weights + output * self->run->n_terms * (gssize) self->run->size,
                                self->copies != NULL ? self->copies + lane * self->summed->n_copy_bytes : NULL);
    }
  return FALSE;
}

static gint64
get_work (const Run *self)
{
  gint64 work;

  return __builtin_mul_overflow (self->convolution->result.axis.size, self->n_terms, &work) ? G_MAXINT64 : work;
}

static void
run_shifted (const Run *self)
{
  gint64 size = self->convolution->n_images * self->convolution->n_outputs;
  gint64 n_pieces = MIN (sw_cpu_pool_get_n_pieces (get_work (self), SW_CPU_GRAIN), size);
  guint n_lanes = (guint) MIN (n_pieces, sw_cpu_pool_get_n_lanes ());
  gsize n_bytes = self->is_summed ? self->summed.n_copy_bytes * n_lanes : 0;
  Shifts shifts = { self, self->is_summed ? &self->summed : NULL, .n_pieces = n_pieces };

  if (n_bytes > 0)
    shifts.copies = sw_cpu_cache_take (n_bytes);
  if (n_bytes > 0 && shifts.copies == NULL)
    shifts.summed = NULL;
  sw_cpu_pool_run (n_pieces, n_lanes, shift_some, &shifts);
  if (shifts.copies != NULL)
    sw_cpu_cache_put (shifts.copies, n_bytes);
}

/* Products of Float32 and Float64 for processors that have no vectors but those of SSE2. */
static void
multiply_by_blas (const Run *self,
                  const SwCpuProduct *product)
{
  int m = (int) product->n_rows, n = (int) product->n_columns, k = (int) product->n_terms;
  int lhs = (int) product->lhs_step, rhs = (int) product->rhs_column_step, to = (int) product->result_step;

  if (self->size == sizeof (float))
    cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, product->lhs, lhs, product->rhs, rhs, 0.0f, product->result, to);
  else
    cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, product->lhs, lhs, product->rhs, rhs, 0.0, product->result, to);
}

static gboolean
multiply_some (gpointer data,
               gint64 piece,
               guint lane)
{
  const Run *self = data;
  const SwConvolution *convolution = self->convolution;
  const SwLayoutLeaf *leaves = convolution->input.axis.leaves;
  gint64 n_positions = convolution->windows.n_positions, n_channels = convolution->n_inputs / convolution->groups;
  gint64 first = piece % self->n_pieces * self->piece, n = MIN (self->piece, n_positions - first);
  gint64 group = piece / self->n_pieces % convolution->groups, image = piece / self->n_pieces / convolution->groups;
  gint64 start = convolution->input.offset + image * leaves[0].step + group * n_channels * leaves[1].step;
  gint64 output = group * self->n_outputs, to = (image * convolution->n_outputs + output) * n_positions + first;
  SwCpuProduct product = {
    .n_rows = n,
    .n_columns = self->n_outputs,
    .n_terms = self->n_terms,
    .rhs = self->weights + output * self->n_terms * (gssize) self->size,
    .rhs_term_step = 1,
    .rhs_column_step = self->n_terms,
    .result = (char *) convolution->result.data + to * (gssize) self->size,
    .result_step = n_positions,
  };

  if (self->is_pointwise)
    {
      product.lhs = sw_cpu_view_at (&convolution->input, start + first);
      product.lhs_step = leaves[1].step;
    }
  else
    {
      char *windows = self->windows + lane * self->n_terms * self->piece * (gssize) self->size;

      sw_cpu_windows_fill (&convolution->windows, &convolution->input, start, leaves[1].step, n_channels, first, n, windows);
      product.lhs = windows;
      product.lhs_step = n;
    }
  if (self->multiply != NULL)
    self->multiply (&product);
  else
    multiply_by_blas (self, &product);
  return FALSE;
}

/* OpenBLAS computes on threads of its own. */
static gboolean
is_for_pool (const Run *self)
{
  return self->multiply != NULL && get_work (self) >= 2 * SW_CPU_PRODUCT_GRAIN;
}

static void
run_products (Run *self)
{
  const SwConvolution *convolution = self->convolution;
  gint64 n_pieces = convolution->n_images * convolution->groups * self->n_pieces;

  if (is_for_pool (self) && n_pieces > 1)
    sw_cpu_pool_run (n_pieces, self->n_lanes, multiply_some, self);
  else
    {
      for (gint64 piece = 0; piece < n_pieces; piece++)
        multiply_some (self, piece, 0);
    }
}

/* Whether OpenBLAS is faster, and takes it. */
static gboolean
wants_blas (const Run *self)
{
  const SwConvolution *convolution = self->convolution;
  gint64 step = convolution->input.axis.leaves[1].step;

  if (sw_cpu_level != SW_CPU_LEVEL_BASE || get_work (self) < SW_CPU_PRODUCT_GRAIN)
    return FALSE;
  if (self->is_pointwise && (step < convolution->windows.n_positions || step > G_MAXINT))
    return FALSE;
  return convolution->windows.n_positions <= G_MAXINT && self->n_terms <= G_MAXINT && self->n_outputs <= G_MAXINT &&
         sw_cpu_can_run_blas ();
}

static gboolean
choose_pieces (Run *self)
{
  gint64 n_positions = self->convolution->windows.n_positions;
  gint64 n_bytes = self->n_terms * (gint64) self->size, n;

  self->multiply = wants_blas (self) ? NULL : sw_cpu_product_get (self->convolution->input.dtype);
  self->n_lanes = is_for_pool (self) ? sw_cpu_pool_get_n_lanes () : 1;
  self->piece = MAX (MIN_PIECE, PIECE_SIZE / MAX (1, n_bytes) / PIECE_STEP * PIECE_STEP);
  self->piece = MIN (self->piece, n_positions);
  self->n_pieces = (n_positions + self->piece - 1) / MAX (1, self->piece);
  if (self->is_pointwise)
    return TRUE;
  if (__builtin_mul_overflow (n_bytes * self->n_lanes, self->piece, &n))
    return FALSE;
  self->n_scratch_bytes = n;
  self->windows = sw_cpu_cache_take (n);
  return self->windows != NULL;
}

static gboolean
run_init (Run *self)
{
  const SwConvolution *convolution = self->convolution;

  self->n_terms = convolution->n_inputs / convolution->groups * convolution->windows.size;
  self->n_outputs = convolution->n_outputs / convolution->groups;
  self->is_pointwise = is_pointwise (self);
  self->is_shifted = !self->is_pointwise && self->n_outputs <= FEW_OUTPUTS;
  self->is_summed = self->is_shifted && sw_cpu_summed_rows_init (&self->summed, convolution);
  if (!self->is_shifted && !choose_pieces (self))
    return FALSE;

  self->weights = sw_cpu_view_at (&convolution->weight, convolution->weight.offset);
  if (are_weights_packed (self))
    return TRUE;
  self->weights = self->packed = g_try_malloc_n (self->n_terms, convolution->n_outputs * self->size);
  if (self->packed == NULL)
    return FALSE;
  pack_weights (self);
  return TRUE;
}

static const char *
get_windows_reason (const Run *self)
{
  const SwWindows *windows = &self->convolution->windows;

  if (windows->size > 1)
    return "values of a window:";
  for (guint m = 0; m < windows->n_modes; m++)
    {
      if (windows->strides[m] != 1 || windows->paddings[m] != 0)
        return "windows have strides or padding, modes:";
    }
  return "non-unit stride in the modes of windows, which are";
}

static void
tell (SwKernelChoice *choice,
      const Run *self)
{
  const SwWindows *windows = &self->convolution->windows;
  SwDType dtype = self->convolution->input.dtype;

  sw_cpu_choice_set_code (choice, SW_CPU_CODE_VECTOR, dtype,
                          self->is_summed ? "summed rows" : self->is_shifted ? "shifted rows"
                                                        : self->is_pointwise ? "pointwise"
                                                                             : "im2col");
  if (self->is_shifted)
    {
      sw_kernel_choice_reject (choice, "im2col", "few outputs in a group:", self->n_outputs);
      if (!self->is_summed)
        sw_kernel_choice_reject (choice, "summed rows", "strides in the last mode, or more padded values than stay in the cache", -1);
      return;
    }
  if (self->multiply == NULL)
    {
      choice->prefix = self->is_pointwise ? "pointwise" : "im2col +";
      choice->variant = dtype == SW_DTYPE_FLOAT32 ? "sgemm" : "dgemm";
      choice->n_threads = sw_cpu_get_n_blas_threads ();
    }
  choice->detail = self->packed != NULL ? "weights copied" : NULL;
  if (!self->is_pointwise)
    sw_kernel_choice_reject (choice, "pointwise", get_windows_reason (self), windows->size > 1 ? windows->size : windows->n_modes);
  if (self->packed != NULL)
    sw_kernel_choice_reject (choice, "weights as they lie", "they are not contiguous by outputs, channels and windows", -1);
  if (get_work (self) < 2 * SW_CPU_PRODUCT_GRAIN)
    sw_kernel_choice_reject (choice, "threads", "below the size for threads", -1);
}

static gboolean
run_convolution (const SwConvolutionKernel *kernel,
                 const SwConvolution *convolution,
                 GError **error)
{
  Run run = { convolution, sw_dtype_get_item_size (convolution->input.dtype) };
  gboolean is_ready = run_init (&run);
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (G_UNLIKELY (choice != NULL && is_ready))
    tell (choice, &run);
  if (is_ready && run.is_shifted)
    run_shifted (&run);
  else if (is_ready)
    run_products (&run);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory for windows of %" G_GINT64_FORMAT " values", convolution->name,
                 run.n_terms);

  if (run.windows != NULL)
    sw_cpu_cache_put (run.windows, run.n_scratch_bytes);
  sw_cpu_summed_rows_clear (&run.summed);
  g_free (run.packed);
  return is_ready;
}

const SwConvolutionKernel sw_cpu_conv_general_kernel = { run_convolution };
