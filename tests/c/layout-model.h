/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/c/shape-model.h"

static inline SwLayout *
model_layout (const char *shape_text,
              const char *stride_text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwShape) shape = sw_shape_new_from_string (shape_text, &error);
  g_autoptr (SwStride) stride = sw_stride_new_from_string (stride_text, &error);
  SwLayout *layout;

  g_assert_no_error (error);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  return layout;
}

/* Steps of a layout without gaps, in a random order of the leaves. */
static inline void
model_fill_dense_steps (gint64 *steps,
                        const gint64 *extents,
                        gsize n,
                        gint64 first_step)
{
  gboolean done[MODEL_MAX_LEAVES * 4] = { FALSE };
  gint64 step = first_step;

  for (gsize k = 0; k < n; k++)
    {
      gsize i;

      do
        i = g_test_rand_int_range (0, n);
      while (done[i]);
      done[i] = TRUE;
      steps[i] = step;
      step *= extents[i];
    }
}

static inline void
model_random_steps (gint64 *steps,
                    const gint64 *extents,
                    gsize n)
{
  guint kind = g_test_rand_int_range (0, 8);
  gint64 step = 1;

  switch (kind)
    {
    case 0:
    case 1:
      model_fill_dense_steps (steps, extents, n, kind == 0 ? 1 : g_test_rand_int_range (2, 5));
      break;
    case 2:
    case 3:
      /* First mode fastest, with a repeated mode or a gap now and then. */
      for (gsize i = 0; i < n; i++)
        {
          steps[i] = g_test_rand_int_range (0, 5) == 0 ? 0 : step;
          step *= extents[i] + (g_test_rand_int_range (0, 4) == 0);
        }
      break;
    default:
      for (gsize i = 0; i < n; i++)
        steps[i] = g_test_rand_int_range (0, kind == 4 ? 6 : kind == 5 ? 30
                                                                       : 300);
      break;
    }
}

static inline SwLayout *
model_random_layout_of (SwShape *shape)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwStride) stride = NULL;
  g_autofree gint64 *extents = NULL;
  g_autofree gint64 *tokens = NULL;
  gint64 steps[MODEL_MAX_LEAVES * 4];
  gsize n_leaves, n_tokens;
  SwLayout *layout;
  guint leaf = 0;

  extents = sw_shape_dup_leaves (shape, &n_leaves);
  model_random_steps (steps, extents, n_leaves);
  tokens = sw_shape_dup_tokens (shape, &n_tokens);
  for (gsize i = 0; i < n_tokens; i++)
    if (tokens[i] >= 0)
      tokens[i] = steps[leaf++];
  stride = sw_stride_new_from_tokens (tokens, n_tokens, &error);
  g_assert_no_error (error);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  return layout;
}

static inline SwLayout *
model_random_layout (guint depth,
                     gint64 max_size)
{
  g_autoptr (SwShape) shape = model_random_shape (depth, max_size);

  return model_random_layout_of (shape);
}

static inline gint64
model_index (SwLayout *layout,
             const gint64 *coordinate)
{
  g_autofree gint64 *steps = NULL;
  gint64 index = 0;
  gsize n;

  steps = sw_stride_dup_leaves (sw_layout_get_stride (layout), &n);
  for (gsize i = 0; i < n; i++)
    index += coordinate[i] * steps[i];
  return index;
}

/* The index at every ordinal. */
static inline gint64 *
model_table (SwLayout *layout)
{
  gint64 coordinate[MODEL_MAX_LEAVES * 4] = { 0 };
  gint64 *table = g_new (gint64, sw_layout_get_size (layout));
  g_autofree gint64 *extents = NULL;
  g_autofree gint64 *steps = NULL;
  gint64 ordinal = 0;
  gsize n;

  extents = sw_shape_dup_leaves (sw_layout_get_shape (layout), &n);
  steps = sw_stride_dup_leaves (sw_layout_get_stride (layout), &n);
  do
    {
      gint64 index = 0;

      for (gsize i = 0; i < n; i++)
        index += coordinate[i] * steps[i];
      table[ordinal++] = index;
    }
  while (model_count (extents, n, coordinate));
  return table;
}

static inline gboolean
model_is_injective (SwLayout *layout)
{
  g_autofree gint64 *table = model_table (layout);
  g_autofree guint8 *seen = g_malloc0 (sw_layout_get_cosize (layout));

  for (gint64 i = 0; i < sw_layout_get_size (layout); i++)
    if (seen[table[i]]++ > 0)
      return FALSE;
  return TRUE;
}
