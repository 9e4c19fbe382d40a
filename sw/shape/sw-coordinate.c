/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"

/* A coordinate and the shape it belongs to are read side by side. */
typedef struct
{
  const gint64 *shape;
  guint at;
  const gint64 *key;
  gsize key_at;
  gsize n_key;
  const SwLayoutLeaf *leaves;
  guint leaf;
  gint64 n_before; /* the elements of one step, first mode fastest */
  gint64 result;
  SwTreePath path;
} Walk;

/* "the extent 3", "the mode (3, 4)": what the shape has where a coordinate went wrong. */
static char *
describe_mode (Walk *walk,
               guint mode)
{
  g_autofree char *text = sw_tree_describe (walk->shape + mode);
  const char *noun = walk->path.level == 0 ? "shape" : "mode";

  return g_strdup_printf ("the %s %s", walk->shape[mode] >= 0 ? "extent" : noun, text);
}

static gboolean
fail_outside (Walk *walk,
              guint mode,
              gint64 value,
              GError **error)
{
  g_autofree char *place = sw_tree_path_to_string ("coordinate", &walk->path);
  g_autofree char *description = describe_mode (walk, mode);

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %" G_GINT64_FORMAT ", which lies outside of %s",
               place, value, description);
  return FALSE;
}

static gboolean
fail_nesting (Walk *walk,
              guint mode,
              gint64 n_items,
              GError **error)
{
  g_autofree char *place = sw_tree_path_to_string ("coordinate", &walk->path);
  g_autofree char *description = describe_mode (walk, mode);
  g_autofree char *found = NULL;

  if (n_items < 0)
    found = g_strdup ("none");
  else
    found = g_strdup_printf ("a tuple of %" G_GINT64_FORMAT, n_items);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %s, which does not fit %s", place, found, description);
  return FALSE;
}

/* The sum cannot overflow: every part stays below the size or the cosize, and those were checked. */
static inline void
walk_leaf (Walk *walk,
           gint64 extent,
           gint64 coordinate)
{
  if (walk->leaves != NULL)
    walk->result += coordinate * walk->leaves[walk->leaf++].step;
  else
    {
      walk->result += coordinate * walk->n_before;
      walk->n_before *= extent;
    }
}

/* An integer at any level stands for the whole mode, its first leaf fastest. */
static gboolean
walk_integer (Walk *walk,
              gint64 value,
              GError **error)
{
  guint mode = walk->at;
  guint end = sw_tree_skip (walk->shape, mode);
  gint64 left = value;

  for (; walk->at < end; walk->at++)
    {
      gint64 extent = walk->shape[walk->at];

      if (extent < 0)
        continue;
      if (G_UNLIKELY (extent == 0))
        return fail_outside (walk, mode, value, error);
      walk_leaf (walk, extent, left % extent);
      left /= extent;
    }
  return G_LIKELY (left == 0) ? TRUE : fail_outside (walk, mode, value, error);
}

static gboolean
walk_mode (Walk *walk,
           GError **error);

static gboolean
walk_tuple (Walk *walk,
            gint64 n_items,
            GError **error)
{
  guint mode = walk->at++;
  guint level = walk->path.level;

  if (walk->shape[mode] != SW_TREE_TUPLE (n_items))
    return fail_nesting (walk, mode, n_items, error);
  if (n_items == 0)
    return TRUE;

  walk->path.level = level + 1;
  for (gint64 i = 0; i < n_items; i++)
    {
      walk->path.index[level] = i;
      if (!walk_mode (walk, error))
        return FALSE;
    }
  walk->path.level = level;
  return TRUE;
}

/* Recurses as deep as the shape is, whatever the coordinate looks like. */
static gboolean
walk_mode (Walk *walk,
           GError **error)
{
  gint64 token;

  if (walk->key_at == walk->n_key)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "coordinate ends after %" G_GSIZE_FORMAT " tokens, inside a tuple", walk->n_key);
      return FALSE;
    }

  token = walk->key[walk->key_at++];
  return token >= 0 ? walk_integer (walk, token, error) : walk_tuple (walk, SW_TREE_N_ITEMS (token), error);
}

gint64
sw_shape_locate (SwShape *self,
                 const SwLayoutLeaf *leaves,
                 const gint64 *tokens,
                 gsize n_tokens,
                 GError **error)
{
  Walk walk;

  walk.shape = self->tokens;
  walk.at = 0;
  walk.key = tokens;
  walk.key_at = 0;
  walk.n_key = n_tokens;
  walk.leaves = leaves;
  walk.leaf = 0;
  walk.n_before = 1;
  walk.result = 0;
  walk.path.level = 0;
  if (G_UNLIKELY (n_tokens == 0))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, "coordinate has no tokens");
      return -1;
    }
  if (!walk_mode (&walk, error))
    return -1;
  if (walk.key_at != n_tokens)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "coordinate has %" G_GSIZE_FORMAT " tokens, but its tree ends after %" G_GSIZE_FORMAT,
                   n_tokens, walk.key_at);
      return -1;
    }
  return walk.result;
}
