/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* Positions are counted with the last mode fastest, and so are the places within a window. */

/* How far from an image's first value the place @in_window of the window at @position is; FALSE: it is in the padding. */
static inline gboolean
sw_windows_locate (const SwWindows *self,
                   gint64 position,
                   gint64 in_window,
                   gint64 *index)
{
  *index = 0;
  for (guint i = self->n_modes; i > 0; i--)
    {
      guint m = i - 1;
      gint64 at = position % self->counts[m] * self->strides[m] + in_window % self->extents[m] * self->dilations[m] - self->paddings[m];

      if (at < 0 || at >= self->input_extents[m])
        return FALSE;
      *index += at * self->input_steps[m];
      position /= self->counts[m];
      in_window /= self->extents[m];
    }
  return TRUE;
}

/* Positions that differ in the last mode only, for one place within the window. */
typedef struct
{
  gint64 first; /* the first position whose value is not padding, counted from the row's first */
  gint64 end;   /* the first one after them */
  gint64 index; /* of the value of the first */
  gint64 step;  /* from one value to the next */
} SwWindowRow;

static inline SwWindowRow
sw_windows_get_row (const SwWindows *self,
                    gint64 row,
                    gint64 in_window)
{
  guint last = self->n_modes - 1;
  gint64 stride = self->strides[last];
  gint64 shift = in_window % self->extents[last] * self->dilations[last] - self->paddings[last];
  SwWindowRow result = { 0, 0, 0, stride * self->input_steps[last] };

  in_window /= self->extents[last];
  for (guint m = last; m > 0; m--)
    {
      guint i = m - 1;
      gint64 at = row % self->counts[i] * self->strides[i] + in_window % self->extents[i] * self->dilations[i] - self->paddings[i];

      if (at < 0 || at >= self->input_extents[i])
        return result;
      result.index += at * self->input_steps[i];
      row /= self->counts[i];
      in_window /= self->extents[i];
    }

  if (shift < 0)
    result.first = (-shift + stride - 1) / stride;
  if (shift < self->input_extents[last])
    result.end = MIN (self->counts[last], (self->input_extents[last] - 1 - shift) / stride + 1);
  result.end = MAX (result.end, result.first);
  result.index += (result.first * stride + shift) * self->input_steps[last];
  return result;
}

G_END_DECLS
