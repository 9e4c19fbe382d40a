/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-windows-private.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-operand-private.h"

gboolean
sw_windows_count (SwLayout *layout,
                  const char *argument,
                  guint *n_modes,
                  GError **error)
{
  const SwTree *tree = &layout->shape->tree;
  g_autofree char *text = NULL;

  *n_modes = tree->n_items - 2;
  if (tree->flat && tree->n_items > 2 && *n_modes <= SW_MAX_WINDOW_MODES)
    return TRUE;

  text = sw_shape_to_string (layout->shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s must have 3 to %d modes, none of them nested, but its shape is %s", argument,
               SW_MAX_WINDOW_MODES + 2, text);
  return FALSE;
}

/* As many integers as there are modes, or, where @may_be_twice, twice as many; FALSE with an error for anything else. */
static gboolean
get_list (const SwCall *call,
          guint index,
          const char *argument,
          guint n_modes,
          gboolean may_be_twice,
          gint64 minimum,
          const gint64 **values,
          guint *n_values,
          GError **error)
{
  const SwOperand *operand = index > 0 && index < call->n_operands ? &call->operands[index] : NULL;

  *values = NULL;
  if (operand == NULL || operand->kind == SW_VALUE_NONE)
    return TRUE;
  if (operand->kind != SW_VALUE_INDICES)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s must be a list of integers, not %s", argument,
                   sw_operand_get_type_name (operand));
      return FALSE;
    }

  *values = operand->indices.values;
  *n_values = operand->indices.n_values;
  if (*n_values != n_modes && !(may_be_twice && *n_values == 2 * n_modes))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has %u values, but there are %u modes to go over%s", argument, *n_values,
                   n_modes, may_be_twice ? ", each with a value or two" : "");
      return FALSE;
    }
  for (guint i = 0; i < *n_values; i++)
    {
      if ((*values)[i] >= minimum && (*values)[i] <= G_MAXINT32)
        continue;
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s[%u] is %" G_GINT64_FORMAT ", but must be between %" G_GINT64_FORMAT " and %d",
                   argument, i, (*values)[i], minimum, G_MAXINT32);
      return FALSE;
    }
  return TRUE;
}

static gboolean
set_count (SwWindows *self,
           guint i,
           gint64 padding_after,
           GError **error)
{
  gint64 reach, room;

  if (__builtin_mul_overflow (self->dilations[i], self->extents[i] - 1, &reach) || __builtin_add_overflow (reach, 1, &reach))
    reach = G_MAXINT64;
  if (__builtin_add_overflow (self->input_extents[i], self->paddings[i] + padding_after, &room))
    room = G_MAXINT64;
  if (reach > room)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "a window reaches over %" G_GINT64_FORMAT " places of mode %u, but with its padding that has %" G_GINT64_FORMAT, reach,
                   i + 2, room);
      return FALSE;
    }
  self->counts[i] = (room - reach) / self->strides[i] + 1;
  if (__builtin_mul_overflow (self->n_positions, self->counts[i], &self->n_positions))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "padding makes more positions than 64 bits can count");
      return FALSE;
    }
  return TRUE;
}

gboolean
sw_windows_init (SwWindows *self,
                 const SwCall *call,
                 SwLayout *layout,
                 const gint64 *window,
                 const gint64 *default_strides,
                 guint strides,
                 guint padding,
                 guint dilation,
                 GError **error)
{
  const gint64 *given_strides, *paddings, *dilations;
  guint n_paddings = 0, n_values;

  if (!sw_windows_count (layout, "input", &self->n_modes, error) ||
      !get_list (call, strides, "strides", self->n_modes, FALSE, 1, &given_strides, &n_values, error) ||
      !get_list (call, padding, "padding", self->n_modes, TRUE, 0, &paddings, &n_paddings, error) ||
      !get_list (call, dilation, "dilation", self->n_modes, FALSE, 1, &dilations, &n_values, error))
    return FALSE;

  self->n_positions = self->size = 1;
  for (guint i = 0; i < self->n_modes; i++)
    {
      gboolean is_twice = n_paddings > self->n_modes;

      if (layout->leaves[i + 2].extent == 0 || window[i] == 0)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mode %u of %s is empty, but windows go over values", i + 2,
                       window[i] == 0 ? "weight" : "input");
          return FALSE;
        }
      self->input_extents[i] = layout->leaves[i + 2].extent;
      self->input_steps[i] = layout->leaves[i + 2].step;
      self->extents[i] = window[i];
      self->strides[i] = given_strides != NULL ? given_strides[i] : default_strides[i];
      self->dilations[i] = dilations != NULL ? dilations[i] : 1;
      self->paddings[i] = paddings != NULL ? paddings[is_twice ? 2 * i : i] : 0;
      if (__builtin_mul_overflow (self->size, window[i], &self->size))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "a window has more values than 64 bits can count");
          return FALSE;
        }
      if (!set_count (self, i, paddings != NULL ? paddings[is_twice ? 2 * i + 1 : i] : 0, error))
        return FALSE;
    }
  return TRUE;
}

SwLayout *
sw_windows_build_layout (const SwWindows *self,
                         gint64 n_images,
                         gint64 n_channels,
                         GError **error)
{
  gint64 extents[SW_MAX_WINDOW_MODES + 3], steps[SW_MAX_WINDOW_MODES + 3];
  guint rank = self->n_modes + 2;
  gint64 step = 1;

  extents[0] = steps[0] = SW_TREE_TUPLE (rank);
  extents[1] = n_images;
  extents[2] = n_channels;
  for (guint i = 0; i < self->n_modes; i++)
    extents[i + 3] = self->counts[i];
  for (guint i = rank; i > 0; i--)
    {
      steps[i] = step;
      if (__builtin_mul_overflow (step, MAX (extents[i], 1), &step))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the result has more values than 64 bits can count");
          return NULL;
        }
    }
  return sw_layout_new_from_tokens (extents, steps, rank + 1, error);
}
