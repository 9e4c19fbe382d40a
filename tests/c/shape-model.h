/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/shape/sw-layout-private.h"

/* Random shapes and layouts, and what they should do, computed by counting. */

#define MODEL_MAX_LEAVES 64

static inline void
model_random_items (GArray *tokens,
                    guint depth,
                    guint max_items,
                    gint64 *size_left)
{
  static const gint64 extents[] = { 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8 };
  guint n_items = g_test_rand_int_range (0, max_items + 1);
  gint64 token = SW_TREE_TUPLE (n_items);

  g_array_append_val (tokens, token);
  for (guint i = 0; i < n_items; i++)
    {
      if (depth > 1 && g_test_rand_int_range (0, 10) < 3)
        {
          model_random_items (tokens, depth - 1, 3, size_left);
          continue;
        }
      token = extents[g_test_rand_int_range (0, G_N_ELEMENTS (extents))];
      if (token > *size_left)
        token = 1;
      *size_left /= token;
      g_array_append_val (tokens, token);
    }
}

static inline SwShape *
model_random_shape (guint depth,
                    gint64 max_size)
{
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GError) error = NULL;
  SwShape *shape;

  model_random_items (tokens, depth, 4, &max_size);
  shape = sw_shape_new_from_tokens ((const gint64 *) (gpointer) tokens->data, tokens->len, &error);
  g_assert_no_error (error);
  return shape;
}

/* The coordinates of the leaves; returns FALSE after the last one. */
static inline gboolean
model_count (const gint64 *extents,
             gsize n,
             gint64 *coordinate)
{
  for (gsize i = 0; i < n; i++)
    {
      if (++coordinate[i] < extents[i])
        return TRUE;
      coordinate[i] = 0;
    }
  return FALSE;
}

/* A coordinate in token form, from its leaves. Now and then an integer stands for a whole mode. */
static inline gint64
model_write_key (const gint64 **shape,
                 const gint64 **leaves,
                 GArray *key,
                 gboolean collapse,
                 gint64 *size)
{
  gint64 token = *(*shape)++;
  guint first = key->len;
  gint64 ordinal = 0;

  *size = 1;
  if (token >= 0)
    {
      *size = token;
      ordinal = *(*leaves)++;
      g_array_append_val (key, ordinal);
      return ordinal;
    }

  g_array_append_val (key, token);
  for (gint64 i = 0; i < SW_TREE_N_ITEMS (token); i++)
    {
      gint64 item_size;
      gint64 item = model_write_key (shape, leaves, key, collapse, &item_size);

      ordinal += item * *size;
      *size *= item_size;
    }
  if (collapse && g_test_rand_int_range (0, 3) == 0)
    {
      g_array_set_size (key, first);
      g_array_append_val (key, ordinal);
    }
  return ordinal;
}

static inline GArray *
model_key (SwShape *shape,
           const gint64 *leaves,
           gboolean collapse)
{
  GArray *key = g_array_new (FALSE, FALSE, sizeof (gint64));
  const gint64 *tokens = shape->tree.tokens;
  gint64 size;

  model_write_key (&tokens, &leaves, key, collapse, &size);
  g_assert_cmpint (size, ==, sw_shape_get_size (shape));
  return key;
}

#define model_assert_fails(call, code, text)                          \
  G_STMT_START                                                        \
  {                                                                   \
    GError *model_error = NULL;                                       \
    gpointer model_result = (call);                                   \
                                                                      \
    g_assert_error (model_error, SW_ERROR, (code));                   \
    g_assert_null (model_result);                                     \
    if (strstr (model_error->message, (text)) == NULL)                \
      g_error ("\"%s\" is not in: %s", (text), model_error->message); \
    g_error_free (model_error);                                       \
  }                                                                   \
  G_STMT_END
