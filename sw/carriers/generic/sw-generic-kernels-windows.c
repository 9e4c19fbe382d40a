/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <math.h>

#include "sw/carriers/sw-window-rows-private.h"

/* Where a value of the result goes: the last mode is the fastest. */
static gboolean
store (SwScalar value,
       const char *name,
       const SwView *result,
       gint64 index,
       GError **error)
{
  SwView place = *result;

  place.offset = index;
  place.axis = (SwAxis){ 1, 0, NULL };
  return sw_scalar_store (value, &place, 0, name, error);
}

static gboolean
convolve_at (const SwConvolution *self,
             gint64 image,
             gint64 output,
             gint64 position,
             double *sum,
             GError **error)
{
  const SwLayoutLeaf *input = self->input.axis.leaves, *weight = self->weight.axis.leaves;
  gint64 n_channels = self->n_inputs / self->groups, first = output / (self->n_outputs / self->groups) * n_channels;

  *sum = 0;
  for (gint64 channel = 0; channel < n_channels; channel++)
    {
      for (gint64 k = 0; k < self->windows.size; k++)
        {
          gint64 from = self->input.offset + image * input[0].step + (first + channel) * input[1].step;
          gint64 factor = self->weight.offset + output * weight[0].step + channel * weight[1].step;
          gint64 index, rest = k;
          SwScalar a = sw_scalar_real (0), b; /* padding is zeros */

          for (guint m = self->windows.n_modes; m > 0; m--)
            {
              factor += rest % self->windows.extents[m - 1] * weight[m + 1].step;
              rest /= self->windows.extents[m - 1];
            }
          if (sw_windows_locate (&self->windows, position, k, &index) && !sw_scalar_load (&a, &self->input, from + index, error))
            return FALSE;
          if (!sw_scalar_load (&b, &self->weight, factor, error))
            return FALSE;
          *sum += sw_scalar_to_real (a) * sw_scalar_to_real (b);
        }
    }
  return TRUE;
}

static gboolean
run_convolution (const SwConvolutionKernel *kernel,
                 const SwConvolution *self,
                 GError **error)
{
  gint64 place = 0;

  for (gint64 image = 0; image < self->n_images; image++)
    {
      for (gint64 output = 0; output < self->n_outputs; output++)
        {
          for (gint64 position = 0; position < self->windows.n_positions; position++, place++)
            {
              double sum;

              if (!convolve_at (self, image, output, position, &sum, error) ||
                  !store (sw_scalar_real (sum), self->name, &self->result, place, error))
                return FALSE;
            }
        }
    }
  return TRUE;
}

/* Not a number is larger than all numbers. */
static gboolean
take_largest (const SwPooling *self,
              gint64 start,
              gint64 position,
              SwScalar *result,
              GError **error)
{
  gboolean has_one = FALSE;

  for (gint64 k = 0; k < self->windows.size; k++)
    {
      gint64 index;
      SwScalar value;

      if (!sw_windows_locate (&self->windows, position, k, &index))
        continue;
      if (!sw_scalar_load (&value, &self->input, start + index, error))
        return FALSE;
      if (!has_one || sw_scalar_is_larger (value, *result))
        *result = value;
      has_one = TRUE;
    }
  return TRUE;
}

static gboolean
take_mean (const SwPooling *self,
           gint64 start,
           gint64 position,
           SwScalar *result,
           GError **error)
{
  gint64 count = 0;
  double sum = 0;

  for (gint64 k = 0; k < self->windows.size; k++)
    {
      gint64 index;
      SwScalar value;

      if (!sw_windows_locate (&self->windows, position, k, &index))
        continue;
      if (!sw_scalar_load (&value, &self->input, start + index, error))
        return FALSE;
      sum += sw_scalar_to_real (value);
      count++;
    }
  *result = sw_scalar_real (sum / count);
  return TRUE;
}

typedef gboolean (*PoolFunc) (const SwPooling *self,
                              gint64 start,
                              gint64 position,
                              SwScalar *result,
                              GError **error);

static gboolean
pool (const SwPooling *self,
      PoolFunc take,
      GError **error)
{
  const SwLayoutLeaf *leaves = self->input.axis.leaves;
  gint64 place = 0;

  for (gint64 image = 0; image < leaves[0].extent; image++)
    {
      for (gint64 channel = 0; channel < leaves[1].extent; channel++)
        {
          gint64 start = self->input.offset + image * leaves[0].step + channel * leaves[1].step;

          for (gint64 position = 0; position < self->windows.n_positions; position++, place++)
            {
              SwScalar value = sw_scalar_real (0);

              if (!take (self, start, position, &value, error) || !store (value, self->name, &self->result, place, error))
                return FALSE;
            }
        }
    }
  return TRUE;
}

static gboolean
run_max_pool (const SwPoolingKernel *kernel,
              const SwPooling *self,
              GError **error)
{
  return pool (self, take_largest, error);
}

static gboolean
run_avg_pool (const SwPoolingKernel *kernel,
              const SwPooling *self,
              GError **error)
{
  return pool (self, take_mean, error);
}

const SwConvolutionKernel sw_generic_conv_general_kernel = { run_convolution };
const SwPoolingKernel sw_generic_max_pool_kernel = { run_max_pool };
const SwPoolingKernel sw_generic_avg_pool_kernel = { run_avg_pool };
