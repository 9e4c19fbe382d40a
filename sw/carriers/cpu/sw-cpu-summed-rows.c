/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-summed-rows-private.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

/* So much of each thread's cache a copy may take. */
#define MAX_COPY_BYTES (1 << 19)

static void
set_steps (SwCpuSummedRows *self)
{
  const SwWindows *windows = &self->convolution->windows;
  gint64 step = 1;

  for (guint m = windows->n_modes; m > 0; m--)
    {
      guint i = m - 1;

      /* As far as windows reach: no more than the input and its padding have. */
      self->extents[i] = (windows->counts[i] - 1) * windows->strides[i] + (windows->extents[i] - 1) * windows->dilations[i] + 1;
      self->steps[i] = self->has_copy ? step : windows->input_steps[i];
      if (__builtin_mul_overflow (step, self->extents[i], &step))
        step = G_MAXINT64;
    }
  self->channel_step = self->has_copy ? step : self->convolution->input.axis.leaves[1].step;
}

static void
set_offsets (SwCpuSummedRows *self)
{
  const SwWindows *windows = &self->convolution->windows;

  for (gint64 term = 0; term < self->n_terms; term++)
    {
      gint64 offset = term / windows->size * self->channel_step, rest = term % windows->size;

      for (guint m = windows->n_modes; m > 0; m--)
        {
          offset += rest % windows->extents[m - 1] * windows->dilations[m - 1] * self->steps[m - 1];
          rest /= windows->extents[m - 1];
        }
      self->offsets[term] = offset;
    }
}

static gboolean
needs_copy (const SwWindows *windows)
{
  for (guint m = 0; m < windows->n_modes; m++)
    {
      gint64 end = (windows->counts[m] - 1) * windows->strides[m] + (windows->extents[m] - 1) * windows->dilations[m] - windows->paddings[m];

      if (windows->paddings[m] > 0 || end >= windows->input_extents[m])
        return TRUE;
    }
  return windows->input_steps[windows->n_modes - 1] != 1;
}

gboolean
sw_cpu_summed_rows_init (SwCpuSummedRows *self,
                         const SwConvolution *convolution)
{
  const SwWindows *windows = &convolution->windows;
  gint64 n_channels = convolution->n_inputs / convolution->groups, n_bytes;

  self->convolution = convolution;
  self->n_terms = n_channels * windows->size;
  if (windows->strides[windows->n_modes - 1] != 1 || self->n_terms > MAX_COPY_BYTES / (gint64) sizeof (gint64))
    return FALSE;

  self->has_copy = needs_copy (windows);
  set_steps (self);
  if (self->has_copy)
    {
      if (__builtin_mul_overflow (self->channel_step, n_channels * (gint64) sw_dtype_get_item_size (convolution->input.dtype), &n_bytes) ||
          n_bytes > MAX_COPY_BYTES)
        return FALSE;
      self->n_copy_bytes = n_bytes;
    }
  self->offsets = g_new (gint64, self->n_terms);
  set_offsets (self);
  self->sum = sw_cpu_sum_get (convolution->input.dtype);
  return TRUE;
}

void
sw_cpu_summed_rows_clear (SwCpuSummedRows *self)
{
  g_clear_pointer (&self->offsets, g_free);
}

/* Where the values of row @row of a channel's copy lie in the input, and from which to which place there are any. */
static gboolean
locate_row (const SwCpuSummedRows *self,
            gint64 row,
            gint64 *index)
{
  const SwWindows *windows = &self->convolution->windows;

  *index = 0;
  for (guint m = windows->n_modes - 1; m > 0; m--)
    {
      guint i = m - 1;
      gint64 at = row % self->extents[i] - windows->paddings[i];

      if (at < 0 || at >= windows->input_extents[i])
        return FALSE;
      *index += at * windows->input_steps[i];
      row /= self->extents[i];
    }
  return TRUE;
}

static void
copy_channel (const SwCpuSummedRows *self,
              gint64 start,
              char *to)
{
  const SwConvolution *convolution = self->convolution;
  const SwWindows *windows = &convolution->windows;
  guint last = windows->n_modes - 1;
  gsize size = sw_dtype_get_item_size (convolution->input.dtype);
  gint64 length = self->extents[last], step = windows->input_steps[last], before = MIN (windows->paddings[last], length);
  gint64 n = MIN (windows->input_extents[last], length - before);

  memset (to, 0, self->channel_step * size);
  for (gint64 row = 0; row < self->channel_step / length; row++, to += length * size)
    {
      const char *from;
      gint64 index;

      if (n <= 0 || !locate_row (self, row, &index))
        continue;
      from = sw_cpu_view_at (&convolution->input, start + index);
      if (step == 1)
        memcpy (to + before * size, from, n * size);
      else if (size == 4)
        for (gint64 i = 0; i < n; i++)
          ((guint32 *) (gpointer) to)[before + i] = ((const guint32 *) (gconstpointer) from)[i * step];
      else
        for (gint64 i = 0; i < n; i++)
          ((guint64 *) (gpointer) to)[before + i] = ((const guint64 *) (gconstpointer) from)[i * step];
    }
}

/* Where the first window of a row of the result begins. */
static gint64
get_row_start (const SwCpuSummedRows *self,
               gint64 row)
{
  const SwWindows *windows = &self->convolution->windows;
  gint64 start = 0;

  for (guint m = windows->n_modes - 1; m > 0; m--)
    {
      start += row % windows->counts[m - 1] * windows->strides[m - 1] * self->steps[m - 1];
      row /= windows->counts[m - 1];
    }
  return start;
}

void
sw_cpu_summed_rows_run (const SwCpuSummedRows *self,
                        gint64 image,
                        gint64 output,
                        gconstpointer weights,
                        gpointer copy)
{
  const SwConvolution *convolution = self->convolution;
  const SwLayoutLeaf *leaves = convolution->input.axis.leaves;
  gssize size = sw_dtype_get_item_size (convolution->input.dtype);
  gint64 n_channels = convolution->n_inputs / convolution->groups, group = output / (convolution->n_outputs / convolution->groups);
  gint64 start = convolution->input.offset + image * leaves[0].step + group * n_channels * leaves[1].step;
  gint64 length = convolution->windows.counts[convolution->windows.n_modes - 1], n_positions = convolution->windows.n_positions;
  const char *from = self->has_copy ? copy : sw_cpu_view_at (&convolution->input, start);
  char *to = (char *) convolution->result.data + (image * convolution->n_outputs + output) * n_positions * size;

  for (gint64 channel = 0; self->has_copy && channel < n_channels; channel++)
    copy_channel (self, start + channel * leaves[1].step, (char *) copy + channel * self->channel_step * size);
  for (gint64 row = 0; row < n_positions / length; row++, to += length * size)
    self->sum (length, self->n_terms, from + get_row_start (self, row) * size, self->offsets, weights, to);
}
