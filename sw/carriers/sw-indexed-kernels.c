/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-indexed-kernels-private.h"

#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-value-private.h"

/* Where the places of a line are: a step apart, or in a table, where the mode is nested. */
typedef struct
{
  char *data;
  gsize size; /* of a value */
  SwDType dtype;
  gint64 n;
  gint64 step;
  gint64 *table; /* nullable */
} Line;

typedef struct
{
  const SwIndexed *indexed;
  Line input;
  Line index;
  Line result;
  Line source;
} Lines;

static void
line_init (Line *self,
           const SwIndexedPart *part)
{
  self->data = part->view.data;
  self->size = sw_dtype_get_item_size (part->view.dtype);
  self->dtype = part->view.dtype;
  self->n = part->line.size;
  self->step = part->line.n_leaves == 1 ? part->line.leaves[0].step : 0;
  if (part->line.n_leaves < 2)
    return;
  self->table = g_new (gint64, part->line.size);
  for (gint64 k = 0; k < part->line.size; k++)
    self->table[k] = sw_axis_get_index (&part->line, k);
}

static inline char *
line_at (const Line *self,
         gint64 start,
         gint64 place)
{
  gint64 index = start + (self->table != NULL ? self->table[place] : place * self->step);

  return self->data + index * (gssize) self->size;
}

static void
lines_init (Lines *self,
            const SwIndexed *indexed)
{
  memset (self, 0, sizeof *self);
  self->indexed = indexed;
  line_init (&self->input, &indexed->input);
  line_init (&self->index, &indexed->index);
  line_init (&self->result, &indexed->result);
  if (indexed->source.view.data != NULL)
    line_init (&self->source, &indexed->source);
}

static void
lines_clear (Lines *self)
{
  g_free (self->input.table);
  g_free (self->index.table);
  g_free (self->result.table);
  g_free (self->source.table);
}

/* The place that the index says; INDEX error where the input has none such. */
static inline gboolean
get_place (const Lines *self,
           const char *at,
           gint64 *place,
           GError **error)
{
  if (self->index.dtype == SW_DTYPE_INT32)
    *place = *(const gint32 *) at;
  else
    *place = *(const gint64 *) at;
  if (G_LIKELY (*place >= 0 && *place < self->input.n))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_INDEX, "index has the value %" G_GINT64_FORMAT ", but the mode has %" G_GINT64_FORMAT " places",
               *place, self->input.n);
  return FALSE;
}

/* A value takes the place of another one; an Any is counted, and gives the other one back. */
static inline void
copy_item (char *to,
           const char *from,
           SwDType dtype,
           gsize size)
{
  SwValue *before;

  if (G_LIKELY (dtype != SW_DTYPE_ANY))
    {
      if (size == 4)
        memcpy (to, from, 4);
      else if (size == 8)
        memcpy (to, from, 8);
      else
        *to = *from;
      return;
    }

  before = *(SwValue **) to;
  *(SwValue **) to = *(SwValue *const *) from;
  if (*(SwValue **) to != NULL)
    sw_value_ref (*(SwValue **) to);
  if (before != NULL)
    sw_value_unref (before);
}

gboolean
sw_indexed_gather (const SwIndexedKernel *kernel,
                   const SwIndexed *indexed,
                   GError **error)
{
  gboolean is_done = TRUE;
  Lines lines;

  lines_init (&lines, indexed);
  for (gint64 i = 0; is_done && i < indexed->result.view.axis.size; i++)
    {
      gint64 from = sw_view_get_index (&indexed->input.view, i), to = sw_view_get_index (&indexed->result.view, i);
      gint64 at = sw_view_get_index (&indexed->index.view, i), place;

      for (gint64 k = 0; is_done && k < lines.result.n; k++)
        {
          is_done = get_place (&lines, line_at (&lines.index, at, k), &place, error);
          if (is_done)
            copy_item (line_at (&lines.result, to, k), line_at (&lines.input, from, place), lines.result.dtype, lines.result.size);
        }
    }
  lines_clear (&lines);
  return is_done;
}

static gboolean
add_any (SwValue **to,
         SwValue *value,
         gboolean *fits,
         GError **error)
{
  SwValue *before = *to;
  gint64 sum;

  *fits = TRUE;
  for (guint i = 0; i < 2; i++)
    {
      SwValue *operand = i == 0 ? before : value;

      if (operand != NULL && (operand->kind == SW_VALUE_INT64 || operand->kind == SW_VALUE_DOUBLE))
        continue;
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must hold numbers, but has a %s", i == 0 ? "input" : "source",
                   operand != NULL ? sw_value_get_type_name (operand) : "None");
      return FALSE;
    }

  if (before->kind == SW_VALUE_INT64 && value->kind == SW_VALUE_INT64)
    {
      *fits = !__builtin_add_overflow (before->integer, value->integer, &sum);
      *to = sw_value_new_int64 (sum);
    }
  else
    *to = sw_value_new_double (sw_value_get_double (before) + sw_value_get_double (value));
  sw_value_unref (before);
  return TRUE;
}

/* *fits is FALSE where an integer sum is out of range. */
static gboolean
add_item (char *to,
          const char *from,
          SwDType dtype,
          gboolean *fits,
          GError **error)
{
  *fits = TRUE;
  switch (dtype)
    {
    case SW_DTYPE_FLOAT32:
      *(float *) to += *(const float *) from;
      return TRUE;
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      *(double *) to += *(const double *) from;
      return TRUE;
    case SW_DTYPE_INT32:
      *fits = !__builtin_add_overflow (*(gint32 *) to, *(const gint32 *) from, (gint32 *) to);
      return TRUE;
    case SW_DTYPE_INT64:
      *fits = !__builtin_add_overflow (*(gint64 *) to, *(const gint64 *) from, (gint64 *) to);
      return TRUE;
    case SW_DTYPE_ANY:
      return add_any ((SwValue **) to, *(SwValue *const *) from, fits, error);
    case SW_DTYPE_BOOL:
    case SW_DTYPE_INVALID:
      break;
    }

  g_return_val_if_reached (FALSE);
}

static void
copy_input (const Lines *self)
{
  const SwIndexed *indexed = self->indexed;

  for (gint64 i = 0; i < indexed->result.view.axis.size; i++)
    {
      gint64 from = sw_view_get_index (&indexed->input.view, i), to = sw_view_get_index (&indexed->result.view, i);

      for (gint64 k = 0; k < self->result.n; k++)
        copy_item (line_at (&self->result, to, k), line_at (&self->input, from, k), self->result.dtype, self->result.size);
    }
}

static gboolean
fail_by_overflow (const Lines *self,
                  gint64 place,
                  gint64 line,
                  GError **error)
{
  SwDType dtype = self->result.dtype == SW_DTYPE_ANY ? SW_DTYPE_INT64 : self->result.dtype;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s overflows %s at place %" G_GINT64_FORMAT " of line %" G_GINT64_FORMAT,
               self->indexed->name, sw_dtype_to_string (dtype), place, line);
  return FALSE;
}

static gboolean
put_item (const Lines *self,
          char *to,
          const char *from,
          gboolean adds,
          gboolean *fits,
          GError **error)
{
  if (adds)
    return add_item (to, from, self->result.dtype, fits, error);

  copy_item (to, from, self->result.dtype, self->result.size);
  *fits = TRUE;
  return TRUE;
}

/* In the order of the ordinals, so that of several values for one place the last one stays. */
static gboolean
scatter (const SwIndexed *indexed,
         gboolean adds,
         GError **error)
{
  gboolean is_done = TRUE;
  Lines lines;

  lines_init (&lines, indexed);
  copy_input (&lines);
  for (gint64 i = 0; is_done && i < indexed->index.view.axis.size; i++)
    {
      gint64 from = sw_view_get_index (&indexed->source.view, i), to = sw_view_get_index (&indexed->result.view, i);
      gint64 at = sw_view_get_index (&indexed->index.view, i), place;
      gboolean fits;

      for (gint64 k = 0; is_done && k < lines.index.n; k++)
        {
          is_done = get_place (&lines, line_at (&lines.index, at, k), &place, error) &&
                    put_item (&lines, line_at (&lines.result, to, place), line_at (&lines.source, from, k), adds, &fits, error) &&
                    (fits || fail_by_overflow (&lines, place, i, error));
        }
    }
  lines_clear (&lines);
  return is_done;
}

gboolean
sw_indexed_scatter (const SwIndexedKernel *kernel,
                    const SwIndexed *indexed,
                    GError **error)
{
  return scatter (indexed, FALSE, error);
}

gboolean
sw_indexed_scatter_add (const SwIndexedKernel *kernel,
                        const SwIndexed *indexed,
                        GError **error)
{
  return scatter (indexed, TRUE, error);
}
