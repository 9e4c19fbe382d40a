/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <cblas.h>
#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-pool-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* A product is rounded before it is added, so that all levels agree. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif

/* A convolution is a product of matrices: one has, for each position, the values in its window, the other the weights. The
 * first is made piece by piece, each small enough to stay in the cache. */

#define PIECE_SIZE (1 << 19)
#define MIN_PIECE 64
/* So many copied values are worth another thread. */
#define FILL_GRAIN ((gint64) 1 << 15)

typedef struct
{
  const SwConvolution *convolution;
  gsize size;            /* of a value */
  gint64 n_terms;        /* of each sum: channels of a group times places of a window */
  gint64 n_outputs;      /* of a group */
  gint64 piece;          /* positions */
  gboolean is_pointwise; /* windows of one value each, in a row: the images are that matrix already */
  gboolean is_shifted;   /* so few outputs that rows are shifted and added */
  char *windows;         /* piece x n_terms, positions side by side; NULL where is_pointwise */
  char *packed;          /* the weights, where they lie otherwise; nullable */
  const char *weights;   /* n_terms x all outputs, terms side by side */
} Run;

/* The positions of a piece that are filled in, for one image and group. */
typedef struct
{
  const Run *run;
  gint64 image;
  gint64 group;
  gint64 first;
  gint64 n;
  gint64 n_pieces;
} Fill;

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
  return convolution->input.axis.leaves[1].step >= windows->n_positions && convolution->input.axis.leaves[1].step <= G_MAXINT;
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

/* Most rows are so short that a call takes as long as the copy: chunks, of which the last lies across the one before. */
#define DEFINE_COPY(bits)                                                           \
  SW_CPU_INLINE void                                                                \
      copy_##bits (guint##bits *to, const guint##bits *from, gint64 step, gint64 n) \
  {                                                                                 \
    const gint64 chunk = 64 / (gint64) sizeof *to;                                  \
                                                                                    \
    if (step != 1 || n < chunk)                                                     \
      {                                                                             \
        for (gint64 i = 0; i < n; i++)                                              \
          to[i] = from[i * step];                                                   \
        return;                                                                     \
      }                                                                             \
    for (gint64 i = 0; i < n - chunk; i += chunk)                                   \
      memcpy (to + i, from + i, 64);                                                \
    memcpy (to + n - chunk, from + n - chunk, 64);                                  \
  }

DEFINE_COPY (32)
DEFINE_COPY (64)

/* A walk over rows of positions for one place in the windows. */
typedef struct
{
  gint64 row[SW_MAX_WINDOW_MODES];    /* the coordinates of the row, but for the last mode */
  gint64 shifts[SW_MAX_WINDOW_MODES]; /* of the place against the position */
  gint64 first;                       /* position in a row whose value is not padding */
  gint64 end;
} Term;

static void
term_init (Term *self,
           const SwWindows *windows,
           gint64 row,
           gint64 k)
{
  guint last = windows->n_modes - 1;
  for (guint m = windows->n_modes; m > 0; m--)
    {
      guint i = m - 1;

      self->shifts[i] = k % windows->extents[i] * windows->dilations[i] - windows->paddings[i];
      k /= windows->extents[i];
      if (i == last)
        continue;
      self->row[i] = row % windows->counts[i];
      row /= windows->counts[i];
    }

  self->first = self->shifts[last] < 0 ? (-self->shifts[last] + windows->strides[last] - 1) / windows->strides[last] : 0;
  self->end = 0;
  if (self->shifts[last] < windows->input_extents[last])
    self->end = MIN (windows->counts[last],
                     (windows->input_extents[last] - 1 - self->shifts[last]) / windows->strides[last] + 1);
  self->end = MAX (self->end, self->first);
}

/* Where the row's first position has its value, however far in the padding; FALSE: the whole row is padding. */
static gboolean
term_locate (const Term *self,
             const SwWindows *windows,
             gint64 *index)
{
  guint last = windows->n_modes - 1;

  *index = self->shifts[last] * windows->input_steps[last];
  for (guint m = 0; m < last; m++)
    {
      gint64 at = self->row[m] * windows->strides[m] + self->shifts[m];

      if (at < 0 || at >= windows->input_extents[m])
        return FALSE;
      *index += at * windows->input_steps[m];
    }
  return TRUE;
}

static void
term_next (Term *self,
           const SwWindows *windows)
{
  for (guint m = windows->n_modes - 1; m > 0; m--)
    {
      if (++self->row[m - 1] < windows->counts[m - 1])
        return;
      self->row[m - 1] = 0;
    }
}

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
  gint64 step = windows->strides[windows->n_modes - 1] * windows->input_steps[windows->n_modes - 1];
  gint64 x = first % length;
  Term term;

  for (term_init (&term, windows, first / length, k); n > 0; term_next (&term, windows))
    {
      gint64 count = MIN (length - x, n), index;
      gboolean has_values = term_locate (&term, windows, &index);
      gint64 start = has_values ? CLAMP (term.first - x, 0, count) : count;
      gint64 end = has_values ? CLAMP (term.end - x, start, count) : count;
      gconstpointer from = (const char *) convolution->input.data +
                           (has_values ? channel_start + index + (x + start) * step : 0) * (gssize) self->size;

      if (start > 0)
        memset (to, 0, start * self->size);
      if (self->size == 4)
        copy_32 ((gpointer) (to + start * self->size), from, step, end - start);
      else
        copy_64 ((gpointer) (to + start * self->size), from, step, end - start);
      if (end < count)
        memset (to + end * self->size, 0, (count - end) * self->size);
      to += count * self->size;
      n -= count;
      x = 0;
    }
}

static gboolean
fill_some (gpointer data,
           gint64 piece,
           guint lane)
{
  const Fill *self = data;
  const Run *run = self->run;
  const SwConvolution *convolution = run->convolution;
  const SwLayoutLeaf *leaves = convolution->input.axis.leaves;
  gint64 n_channels = convolution->n_inputs / convolution->groups;
  gint64 end = n_channels * (piece + 1) / self->n_pieces;

  for (gint64 channel = n_channels * piece / self->n_pieces; channel < end; channel++)
    {
      gint64 start = convolution->input.offset + self->image * leaves[0].step + (self->group * n_channels + channel) * leaves[1].step;
      char *to = run->windows + channel * convolution->windows.size * self->n * (gssize) run->size;

      for (gint64 k = 0; k < convolution->windows.size; k++, to += self->n * run->size)
        fill_term (run, start, k, self->first, self->n, to);
    }
  return FALSE;
}

static void
fill_windows (const Run *self,
              gint64 image,
              gint64 group,
              gint64 first,
              gint64 n)
{
  Fill fill = { self, image, group, first, n };

  fill.n_pieces = MIN (sw_cpu_pool_get_n_pieces (self->n_terms * n, FILL_GRAIN), self->convolution->n_inputs / self->convolution->groups);
  sw_cpu_pool_run (fill.n_pieces, sw_cpu_pool_get_n_lanes (), fill_some, &fill);
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

/* Adds what the place @k of all windows contributes to an output; padding contributes nothing. */
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
  char *end = to + windows->n_positions * (gssize) self->size;
  Term term;

  for (term_init (&term, windows, 0, k); to < end; term_next (&term, windows), to += length * self->size)
    {
      gint64 first = MIN (term.first, length), n = MIN (term.end, length) - first, index;
      gconstpointer from;

      if (n <= 0 || !term_locate (&term, windows, &index))
        continue;
      from = sw_cpu_view_at (&convolution->input, channel_start + index + first * step);
      if (self->size == sizeof (float))
        accumulate_float32 ((gpointer) (to + first * self->size), from, step, n, *(const float *) weight);
      else
        accumulate_float64 ((gpointer) (to + first * self->size), from, step, n, *(const double *) weight);
    }
}

typedef struct
{
  const Run *run;
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
    add_shifted_rows (self->run, i / n_outputs, i % n_outputs);
  return FALSE;
}

static void
run_shifted (const Run *self)
{
  gint64 size = self->convolution->n_images * self->convolution->n_outputs;
  gint64 work;
  Shifts shifts = { self, 1 };

  if (__builtin_mul_overflow (self->convolution->result.axis.size, self->n_terms, &work))
    work = G_MAXINT64;
  shifts.n_pieces = sw_cpu_pool_get_n_pieces (work, SW_CPU_GRAIN);
  shifts.n_pieces = MIN (shifts.n_pieces, size);
  sw_cpu_pool_run (shifts.n_pieces, sw_cpu_pool_get_n_lanes (), shift_some, &shifts);
}

/* Where OpenBLAS cannot run. */
static void
multiply_plainly (const Run *self,
                  gconstpointer windows,
                  gint64 windows_step,
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
              gint64 a = p + k * windows_step, b = k + output * self->n_terms;

              sum += is_narrow ? (double) ((const float *) windows)[a] * ((const float *) weights)[b]
                               : ((const double *) windows)[a] * ((const double *) weights)[b];
            }
          if (is_narrow)
            ((float *) result)[p + output * result_step] = (float) sum;
          else
            ((double *) result)[p + output * result_step] = sum;
        }
    }
}

static gboolean
fits_blas (const Run *self)
{
  return self->convolution->windows.n_positions <= G_MAXINT && self->n_terms <= G_MAXINT && self->n_outputs <= G_MAXINT;
}

static void
multiply (const Run *self,
          gconstpointer windows,
          gint64 windows_step,
          gint64 n,
          gconstpointer weights,
          gpointer result)
{
  gint64 n_positions = self->convolution->windows.n_positions;
  int m = (int) n, o = (int) self->n_outputs, k = (int) self->n_terms, from = (int) windows_step, to = (int) n_positions;

  if (!fits_blas (self) || !sw_cpu_can_run_blas ())
    multiply_plainly (self, windows, windows_step, n, weights, result, n_positions);
  else if (self->size == sizeof (float))
    cblas_sgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, m, o, k, 1.0f, windows, from, weights, k, 0.0f, result, to);
  else
    cblas_dgemm (CblasColMajor, CblasNoTrans, CblasNoTrans, m, o, k, 1.0, windows, from, weights, k, 0.0, result, to);
}

static void
run_group (const Run *self,
           gint64 image,
           gint64 group)
{
  const SwConvolution *convolution = self->convolution;
  const SwLayoutLeaf *leaves = convolution->input.axis.leaves;
  gint64 n_positions = convolution->windows.n_positions, output = group * self->n_outputs;
  const char *weights = self->weights + output * self->n_terms * (gssize) self->size;
  char *result = (char *) convolution->result.data + (image * convolution->n_outputs + output) * n_positions * (gssize) self->size;

  if (self->is_pointwise)
    {
      gint64 start = convolution->input.offset + image * leaves[0].step + group * self->n_terms * leaves[1].step;

      multiply (self, sw_cpu_view_at (&convolution->input, start), leaves[1].step, n_positions, weights, result);
      return;
    }

  for (gint64 first = 0; first < n_positions; first += self->piece)
    {
      gint64 n = MIN (self->piece, n_positions - first);

      fill_windows (self, image, group, first, n);
      multiply (self, self->windows, n, n, weights, result + first * self->size);
    }
}

static gboolean
run_init (Run *self)
{
  const SwConvolution *convolution = self->convolution;
  gint64 wanted;

  self->n_terms = convolution->n_inputs / convolution->groups * convolution->windows.size;
  self->n_outputs = convolution->n_outputs / convolution->groups;
  wanted = MAX (MIN_PIECE, PIECE_SIZE / MAX (1, self->n_terms * (gint64) self->size));
  self->piece = MIN (wanted, convolution->windows.n_positions);
  self->is_pointwise = is_pointwise (self);
  self->is_shifted = !self->is_pointwise && self->n_outputs <= FEW_OUTPUTS;
  if (!self->is_pointwise && !self->is_shifted)
    {
      self->windows = g_try_malloc_n (self->n_terms, self->piece * self->size);
      if (self->windows == NULL)
        return FALSE;
    }

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
  gboolean is_narrow = self->size == sizeof (float), has_blas = fits_blas (self) && sw_cpu_can_run_blas ();
  const char *product = has_blas ? is_narrow ? "sgemm" : "dgemm" : "sums of products";

  if (self->is_shifted)
    {
      sw_cpu_choice_set_code (choice, SW_CPU_CODE_VECTOR, self->convolution->input.dtype, "shifted rows");
      sw_kernel_choice_reject (choice, "im2col", "few outputs in a group:", self->n_outputs);
      return;
    }
  sw_kernel_choice_set (choice, self->is_pointwise ? "pointwise" : "im2col +", product);
  choice->detail = self->packed != NULL ? "weights copied" : NULL;
  choice->n_threads = has_blas ? sw_cpu_get_n_blas_threads () : 1;
  if (!self->is_pointwise)
    sw_kernel_choice_reject (choice, "pointwise", get_windows_reason (self), windows->size > 1 ? windows->size : windows->n_modes);
  if (self->packed != NULL)
    sw_kernel_choice_reject (choice, "weights as they lie", "they are not contiguous by outputs, channels and windows", -1);
  if (!has_blas)
    sw_kernel_choice_reject (choice, "blas", fits_blas (self) ? "no memory for its buffer" : "an extent is above 2147483647", -1);
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
  if (is_ready && run.is_shifted && convolution->windows.n_positions > 0 && convolution->n_images > 0)
    run_shifted (&run);
  for (gint64 image = 0; is_ready && !run.is_shifted && image < convolution->n_images; image++)
    {
      for (gint64 group = 0; group < convolution->groups; group++)
        run_group (&run, image, group);
    }
  if (!is_ready)
    g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory for windows of %" G_GINT64_FORMAT " values", convolution->name,
                 run.n_terms);

  g_free (run.windows);
  g_free (run.packed);
  return is_ready;
}

const SwConvolutionKernel sw_cpu_conv_general_kernel = { run_convolution };
