/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-tensor-parts.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"
#include "sw/tensor/sw-tensor-private.h"

/* Some of a tensor's values, or all of them in another order. */

/* What a slice takes of one mode; what is not given is the whole mode. */
typedef struct
{
  gint64 start;
  gint64 stop;
  gint64 step;
} Slice;

static gboolean
check_bound (const char *argument,
             guint mode,
             gint64 given,
             gint64 extent,
             gint64 greatest,
             gint64 *place,
             GError **error)
{
  *place = given < 0 ? given + extent : given;
  if (*place >= 0 && *place <= greatest)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_INDEX,
               "%s[%u] is %" G_GINT64_FORMAT ", but must be from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " for mode %u, whose extent is %" G_GINT64_FORMAT,
               argument, mode, given, -extent, greatest, mode, extent);
  return FALSE;
}

/* Checks @slice, and makes it what it leaves of a flat mode: how many coordinates from which one on. */
static gboolean
resolve (Slice *slice,
         guint mode,
         gint64 extent,
         gint64 *count,
         GError **error)
{
  if (!check_bound ("starts", mode, slice->start, extent, extent, &slice->start, error))
    return FALSE;
  if (slice->stop == G_MAXINT64)
    slice->stop = extent;
  if (!check_bound ("stops", mode, slice->stop, extent, extent, &slice->stop, error))
    return FALSE;
  if (slice->step < 1)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "steps[%u] is %" G_GINT64_FORMAT ", but must be at least 1", mode, slice->step);
      return FALSE;
    }
  *count = slice->stop > slice->start ? (slice->stop - slice->start - 1) / slice->step + 1 : 0;
  return TRUE;
}

static gboolean
is_whole (const Slice *slice)
{
  return slice->start == 0 && slice->stop == G_MAXINT64 && slice->step == 1;
}

static gboolean
check_count (const char *argument,
             gsize count,
             guint rank,
             GError **error)
{
  if (count <= rank)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has %" G_GSIZE_FORMAT " items, but the tensor has %u modes", argument, count, rank);
  return FALSE;
}

/* Goes through the tokens of the layout, and changes those of the flat modes that are sliced. */
static gboolean
slice_tokens (SwLayout *layout,
              const Slice *slices,
              gint64 *extents,
              gint64 *steps,
              gint64 *offset,
              GError **error)
{
  const SwTree *tree = &layout->shape->tree;
  guint token = 1, leaf = 0;

  for (guint mode = 0; mode < tree->n_items; mode++)
    {
      Slice slice = slices[mode];
      gint64 n_pending = 1;

      if (!is_whole (&slice) && tree->tokens[token] < 0)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mode %u is nested, and can only be taken whole", mode);
          return FALSE;
        }
      if (!is_whole (&slice))
        {
          if (!resolve (&slice, mode, layout->leaves[leaf].extent, &extents[token], error))
            return FALSE;
          /* Where nothing is left, here or in another mode, there is no first value to point at. */
          if (layout->size > 0 && extents[token] > 0)
            *offset += slice.start * layout->leaves[leaf].step;
          /* Of one coordinate there is no next one, and the product might not fit. */
          steps[token] = extents[token] > 1 ? layout->leaves[leaf].step * slice.step : 0;
        }
      for (; n_pending > 0; token++)
        {
          n_pending += tree->tokens[token] < 0 ? -2 - tree->tokens[token] - 1 : -1;
          leaf += tree->tokens[token] < 0 ? 0 : 1;
        }
    }
  return TRUE;
}

static SwLayout *
slice_layout (SwLayout *layout,
              const Slice *slices,
              gint64 *offset,
              GError **error)
{
  const SwTree *tree = &layout->shape->tree;
  g_autofree gint64 *extents = g_memdup2 (tree->tokens, tree->n_tokens * sizeof *extents);
  g_autofree gint64 *steps = g_memdup2 (tree->tokens, tree->n_tokens * sizeof *steps);

  for (guint token = 0, leaf = 0; token < tree->n_tokens; token++)
    {
      if (steps[token] >= 0)
        steps[token] = layout->leaves[leaf++].step;
    }
  if (!slice_tokens (layout, slices, extents, steps, offset, error))
    return NULL;
  return sw_layout_new_from_tokens (extents, steps, tree->n_tokens, error);
}

/**
 * sw_tensor_slice:
 * @self: a tensor
 * @starts: (array length=n_starts) (nullable): for each of the first modes, which coordinate is the first one; 0 for modes that
 *   have no item here
 * @n_starts: how many
 * @stops: (array length=n_stops) (nullable): for each of the first modes, where to end, without it; %G_MAXINT64, and no item, for
 *   its end
 * @n_stops: how many
 * @steps: (array length=n_steps) (nullable): for each of the first modes, how far it is from one coordinate to the next; 1 for
 *   modes that have no item here
 * @n_steps: how many
 * @error: return location for an error
 *
 * Takes a part of the coordinates of each mode; negative starts and stops count from the mode's end. A nested mode can only be
 * taken whole.
 *
 * The result shares @self's carrier, and what is written to one is in the other. This is no operation, and no profiler sees it.
 *
 * Where a stop is not behind its start, nothing is left of that mode: its extent is 0, and so is the size of the result.
 *
 * Fails with %SW_ERROR_INDEX when a start or a stop is beyond its mode, and with %SW_ERROR_VALUE when a step is less than 1,
 * when a nested mode is not taken whole, or when there are more items than modes; each error names the item.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor on the same carrier
 */
SwTensor *
sw_tensor_slice (SwTensor *self,
                 const gint64 *starts,
                 gsize n_starts,
                 const gint64 *stops,
                 gsize n_stops,
                 const gint64 *steps,
                 gsize n_steps,
                 GError **error)
{
  g_autofree Slice *slices = NULL;
  g_autoptr (SwLayout) layout = NULL;
  gint64 offset;
  guint rank;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (starts != NULL || n_starts == 0, NULL);
  g_return_val_if_fail (stops != NULL || n_stops == 0, NULL);
  g_return_val_if_fail (steps != NULL || n_steps == 0, NULL);

  rank = self->layout->shape->tree.n_items;
  offset = self->offset;
  if (!check_count ("starts", n_starts, rank, error) || !check_count ("stops", n_stops, rank, error) ||
      !check_count ("steps", n_steps, rank, error))
    return NULL;

  slices = g_new (Slice, rank + 1);
  for (guint mode = 0; mode < rank; mode++)
    {
      slices[mode].start = mode < n_starts ? starts[mode] : 0;
      slices[mode].stop = mode < n_stops ? stops[mode] : G_MAXINT64;
      slices[mode].step = mode < n_steps ? steps[mode] : 1;
    }
  layout = slice_layout (self->layout, slices, &offset, error);
  return layout != NULL ? sw_tensor_new (self->carrier, offset, layout, error) : NULL;
}

/**
 * sw_tensor_dup_row_major_bytes:
 * @self: a tensor
 * @error: return location for an error
 *
 * Copies all values, the last mode fastest, as arrays of C and of NumPy have them, whatever the layout of the tensor; otherwise as
 * [method@Strideweave.Tensor.dup_bytes] does. [func@Strideweave.from_bytes] makes a tensor of them again.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for %SW_DTYPE_ANY, with %SW_ERROR_STATE when the carrier is released, with
 * %SW_ERROR_VALUE when there is no memory for so many values.
 *
 * Returns: (transfer full): the values
 */
GBytes *
sw_tensor_dup_row_major_bytes (SwTensor *self,
                               GError **error)
{
  g_autoptr (SwTensor) reversed = NULL;
  g_autofree gint64 *extents = NULL, *steps = NULL;
  SwLayout *layout;
  guint n_leaves;

  g_return_val_if_fail (self != NULL, NULL);

  /* By ordinals of the same leaves the other way round. */
  n_leaves = self->layout->n_leaves;
  extents = g_new (gint64, n_leaves + 1);
  steps = g_new (gint64, n_leaves + 1);
  extents[0] = steps[0] = SW_TREE_TUPLE (n_leaves);
  for (guint i = 0; i < n_leaves; i++)
    {
      extents[1 + i] = self->layout->leaves[n_leaves - 1 - i].extent;
      steps[1 + i] = self->layout->leaves[n_leaves - 1 - i].step;
    }
  layout = sw_layout_new_from_tokens (extents, steps, n_leaves + 1, error);
  if (layout == NULL)
    return NULL;
  reversed = sw_tensor_new_take (g_object_ref (self->carrier), self->offset, layout);
  return sw_tensor_dup_bytes (reversed, error);
}
