/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <math.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/generic/sw-generic-sum-private.h"

/* The value that is @place-th of the line that is @line-th. */
static gboolean
load (SwScalar *value,
      const SwLines *lines,
      gint64 line,
      gint64 place,
      GError **error)
{
  gint64 index = sw_view_get_index (&lines->input, line) + sw_axis_get_index (&lines->input_line, place);

  return sw_scalar_load (value, &lines->input, index, error);
}

static gboolean
load_real (double *value,
           const SwLines *lines,
           gint64 line,
           gint64 place,
           GError **error)
{
  SwScalar scalar;

  if (!load (&scalar, lines, line, place, error))
    return FALSE;
  *value = sw_scalar_to_real (scalar);
  return TRUE;
}

/* One value of the result as a view of its own, in which it has ordinal 0. */
static SwView
get_place (const SwLines *lines,
           gint64 line,
           gint64 place)
{
  SwView view = lines->result;

  view.offset = sw_view_get_index (&lines->result, line) + sw_axis_get_index (&lines->result_line, place);
  view.axis = (SwAxis){ 1, 0, NULL };
  return view;
}

static gboolean
store_real (double value,
            const SwLines *lines,
            gint64 line,
            gint64 place,
            GError **error)
{
  SwView view = get_place (lines, line, place);

  return sw_scalar_store (sw_scalar_real (value), &view, 0, lines->name, error);
}

static gboolean
sum_up_line (const SwLines *lines,
             gint64 line,
             GError **error)
{
  SwGenericSum sum = { 0 };

  for (gint64 k = 0; k < lines->input_line.size; k++)
    {
      SwView view = get_place (lines, line, k);
      SwScalar value;

      if (!load (&value, lines, line, k, error))
        return FALSE;
      sw_generic_sum_add (&sum, value);
      if (sw_generic_sum_store (&sum, &view, 0, lines->name, NULL))
        continue;
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "%s overflows %s at place %" G_GINT64_FORMAT " of line %" G_GINT64_FORMAT, lines->name,
                   sw_dtype_to_string (view.dtype == SW_DTYPE_ANY ? SW_DTYPE_INT64 : view.dtype), k, line);
      return FALSE;
    }

  return TRUE;
}

/* Only differences to the largest value are raised, so nothing overflows. */
static gboolean
normalize_exponentials (const SwLines *lines,
                        gint64 line,
                        GError **error)
{
  double largest = -INFINITY, sum = 0, value;

  for (gint64 k = 0; k < lines->input_line.size; k++)
    {
      if (!load_real (&value, lines, line, k, error))
        return FALSE;
      largest = value > largest || isnan (value) ? value : largest;
    }
  for (gint64 k = 0; k < lines->input_line.size; k++)
    {
      if (!load_real (&value, lines, line, k, error))
        return FALSE;
      sum += exp (value - largest);
    }
  for (gint64 k = 0; k < lines->input_line.size; k++)
    {
      if (!load_real (&value, lines, line, k, error) || !store_real (exp (value - largest) / sum, lines, line, k, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
get_factor (const SwView *view,
            gint64 place,
            double otherwise,
            double *factor,
            GError **error)
{
  SwScalar scalar = sw_scalar_real (otherwise);

  if (view->data != NULL && !sw_scalar_load (&scalar, view, sw_view_get_index (view, place), error))
    return FALSE;
  *factor = sw_scalar_to_real (scalar);
  return TRUE;
}

static gboolean
get_moments (const SwLines *lines,
             gint64 line,
             double *mean,
             double *variance,
             GError **error)
{
  double n = lines->input_line.size, value;

  *mean = 0;
  for (gint64 k = 0; k < lines->input_line.size; k++)
    {
      if (!load_real (&value, lines, line, k, error))
        return FALSE;
      *mean += value;
    }
  *mean /= n;

  *variance = 0;
  for (gint64 k = 0; k < lines->input_line.size; k++)
    {
      if (!load_real (&value, lines, line, k, error))
        return FALSE;
      *variance += (value - *mean) * (value - *mean);
    }
  *variance /= n;
  return TRUE;
}

static gboolean
normalize_moments (const SwLines *lines,
                   gint64 line,
                   GError **error)
{
  double mean, variance, scale;

  if (!get_moments (lines, line, &mean, &variance, error))
    return FALSE;

  scale = 1 / sqrt (variance + lines->epsilon);
  for (gint64 k = 0; k < lines->input_line.size; k++)
    {
      double value, weight, bias;

      if (!load_real (&value, lines, line, k, error) || !get_factor (&lines->weight, k, 1, &weight, error) ||
          !get_factor (&lines->bias, k, 0, &bias, error) ||
          !store_real ((value - mean) * scale * weight + bias, lines, line, k, error))
        return FALSE;
    }

  return TRUE;
}

#define DEFINE_KERNEL(name, run_line)                                              \
  static gboolean                                                                  \
      run_##name (const SwLinesKernel *self, const SwLines *lines, GError **error) \
  {                                                                                \
    for (gint64 line = 0; line < lines->input.axis.size; line++)                   \
      {                                                                            \
        if (!run_line (lines, line, error))                                        \
          return FALSE;                                                            \
      }                                                                            \
    return TRUE;                                                                   \
  }                                                                                \
                                                                                   \
  const SwLinesKernel sw_generic_##name##_kernel = { run_##name };

DEFINE_KERNEL (cumsum, sum_up_line)
DEFINE_KERNEL (softmax, normalize_exponentials)
DEFINE_KERNEL (layer_norm, normalize_moments)
