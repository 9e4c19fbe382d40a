/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <math.h>

#include "sw/base/sw-error.h"

/* Not a number comes after all numbers, and a negative zero before the other one, so that only the same values are
 * equal. */
static int
compare_scalars (gconstpointer a,
                 gconstpointer b,
                 gpointer unused)
{
  SwScalar x = *(const SwScalar *) a, y = *(const SwScalar *) b;
  int order;

  if (sw_scalar_is_nan (x) || sw_scalar_is_nan (y))
    return sw_scalar_is_nan (x) - sw_scalar_is_nan (y);
  order = sw_scalar_compare (x, y);
  if (order == 0 && !x.is_integer && !y.is_integer)
    order = (signbit (y.real) != 0) - (signbit (x.real) != 0);
  return order;
}

static gboolean
sort_line (const SwLines *lines,
           gboolean is_descending,
           gint64 line,
           SwScalar *values,
           GError **error)
{
  gint64 n = lines->input_line.size;
  SwView place = lines->result;

  for (gint64 k = 0; k < n; k++)
    {
      gint64 index = sw_view_get_index (&lines->input, line) + sw_axis_get_index (&lines->input_line, k);

      if (!sw_scalar_load (&values[k], &lines->input, index, error))
        return FALSE;
    }
  g_qsort_with_data (values, (gint) n, sizeof *values, compare_scalars, NULL);

  place.axis = (SwAxis){ 1, 0, NULL };
  for (gint64 k = 0; k < lines->result_line.size; k++)
    {
      place.offset = sw_view_get_index (&lines->result, line) + sw_axis_get_index (&lines->result_line, k);
      if (!sw_scalar_store (values[is_descending ? n - 1 - k : k], &place, 0, lines->name, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_sort (const SwSortKernel *self,
          const SwLines *lines,
          gboolean is_descending,
          GError **error)
{
  g_autofree SwScalar *values = NULL;

  values = g_try_new (SwScalar, lines->input_line.size);
  if (values == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory to sort %" G_GINT64_FORMAT " values", lines->name,
                   lines->input_line.size);
      return FALSE;
    }

  for (gint64 line = 0; line < lines->input.axis.size; line++)
    {
      if (!sort_line (lines, is_descending, line, values, error))
        return FALSE;
    }
  return TRUE;
}

const SwSortKernel sw_generic_sort_kernel = { run_sort };
const SwSortKernel sw_generic_topk_kernel = { run_sort };
