/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-tree-private.h"

#include <string.h>

typedef struct
{
  const SwTreeKind *kind;
  SwTree *tree;
  gsize n_tokens;
  SwTreePath path;
  gint64 count[SW_TREE_MAX_DEPTH];
} Scan;

static gboolean
scan_leaf (Scan *scan,
           gint64 value,
           GError **error)
{
  scan->tree->n_leaves++;
  scan->tree->depth = MAX (scan->tree->depth, scan->path.level);
  if (G_LIKELY (value >= scan->kind->minimum))
    return TRUE;

  g_autofree char *place = sw_tree_path_to_string (scan->kind->name, &scan->path);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
               "%s is %" G_GINT64_FORMAT ", but %s is at least %" G_GINT64_FORMAT,
               place, value, scan->kind->leaf_name, scan->kind->minimum);
  return FALSE;
}

static gboolean
scan_tuple (Scan *scan,
            gint64 count,
            gsize n_left,
            GError **error)
{
  if (G_UNLIKELY (count < 0 || (guint64) count > n_left))
    {
      g_autofree char *place = sw_tree_path_to_string (scan->kind->name, &scan->path);

      if (count < 0)
        g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is none, but %s is at least %" G_GINT64_FORMAT,
                     place, scan->kind->leaf_name, scan->kind->minimum);
      else
        g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                     "%s announces %" G_GINT64_FORMAT " items, but %" G_GSIZE_FORMAT " tokens follow",
                     place, count, n_left);
      return FALSE;
    }

  scan->tree->depth = MAX (scan->tree->depth, scan->path.level);
  if (count == 0)
    return TRUE;
  if (scan->path.level == SW_TREE_MAX_DEPTH)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is nested more than %d levels deep",
                   scan->kind->name, SW_TREE_MAX_DEPTH);
      return FALSE;
    }

  scan->count[scan->path.level] = count;
  scan->path.index[scan->path.level++] = -1;
  return TRUE;
}

/* Leaves the tuples that have all their items. Returns whether one is still open. */
static gboolean
scan_close (Scan *scan)
{
  SwTreePath *path = &scan->path;

  while (path->level > 0 && path->index[path->level - 1] + 1 == scan->count[path->level - 1])
    path->level--;
  return path->level > 0;
}

static guint64
mix (guint64 hash,
     gint64 token)
{
  hash = (hash ^ (guint64) token) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

/* Reads one subtree; returns where it ends, or 0 after an error. */
static gsize
scan_tokens (Scan *scan,
             const gint64 *tokens,
             GError **error)
{
  guint64 hash = 0;
  gsize position = 0;

  do
    {
      gint64 token;
      gboolean fine;

      if (position == scan->n_tokens)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s ends after %" G_GSIZE_FORMAT " tokens, inside a tuple",
                       scan->kind->name, position);
          return 0;
        }

      token = tokens[position++];
      hash = mix (hash, token);
      if (scan->path.level > 0)
        scan->path.index[scan->path.level - 1]++;
      if (token >= 0)
        fine = scan_leaf (scan, token, error);
      else
        fine = scan_tuple (scan, SW_TREE_N_ITEMS (token), scan->n_tokens - position, error);
      if (!fine)
        return 0;
    }
  while (scan_close (scan));

  scan->tree->hash = (guint) hash;
  return position;
}

gboolean
sw_tree_scan (SwTree *tree,
              const SwTreeKind *kind,
              const gint64 *tokens,
              gsize n_tokens,
              GError **error)
{
  Scan scan;
  gsize end;

  scan.kind = kind;
  scan.tree = tree;
  scan.n_tokens = n_tokens;
  scan.path.level = 0;
  memset (tree, 0, sizeof *tree);
  if (n_tokens == 0 || n_tokens > SW_TREE_MAX_TOKENS)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has %" G_GSIZE_FORMAT " tokens, but 1 to %d are possible",
                   kind->name, n_tokens, SW_TREE_MAX_TOKENS);
      return FALSE;
    }

  end = scan_tokens (&scan, tokens, error);
  if (end == 0)
    return FALSE;
  if (end < n_tokens)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has %" G_GSIZE_FORMAT " tokens, but its tree ends after %" G_GSIZE_FORMAT,
                   kind->name, n_tokens, end);
      return FALSE;
    }

  tree->tokens = tokens;
  tree->n_tokens = (guint) n_tokens;
  tree->n_items = tokens[0] < 0 ? (guint) SW_TREE_N_ITEMS (tokens[0]) : 0;
  tree->flat = tree->n_leaves == tree->n_items && tree->n_tokens == tree->n_items + 1;
  return TRUE;
}

gint64 *
sw_tree_dup_flat_tokens (const SwTreeKind *kind,
                         const gint64 *values,
                         gsize n_values,
                         GError **error)
{
  gint64 *tokens;

  if (n_values >= SW_TREE_MAX_TOKENS)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s has %" G_GSIZE_FORMAT " modes, but at most %d are possible",
                   kind->name, n_values, SW_TREE_MAX_TOKENS - 1);
      return NULL;
    }

  /* A negative value would read as a tuple. */
  for (gsize i = 0; i < n_values; i++)
    if (values[i] < kind->minimum)
      {
        g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                     "%s[%" G_GSIZE_FORMAT "] is %" G_GINT64_FORMAT ", but %s is at least %" G_GINT64_FORMAT,
                     kind->name, i, values[i], kind->leaf_name, kind->minimum);
        return NULL;
      }

  tokens = g_new (gint64, n_values + 1);
  tokens[0] = SW_TREE_TUPLE (n_values);
  if (n_values > 0)
    memcpy (tokens + 1, values, n_values * sizeof *values);
  return tokens;
}

void
sw_tree_copy (SwTree *tree,
              const SwTree *scanned,
              gint64 *storage)
{
  *tree = *scanned;
  memcpy (storage, scanned->tokens, scanned->n_tokens * sizeof *storage);
  tree->tokens = storage;
}

guint
sw_tree_skip (const gint64 *tokens,
              guint position)
{
  gint64 n_open = 1;

  while (n_open > 0)
    {
      gint64 token = tokens[position++];

      n_open += token < 0 ? SW_TREE_N_ITEMS (token) - 1 : -1;
    }
  return position;
}

guint
sw_tree_find_mode (const SwTree *tree,
                   guint mode)
{
  guint position = 1;

  if (mode >= tree->n_items)
    return 0;
  if (tree->flat)
    return mode + 1;
  while (mode-- > 0)
    position = sw_tree_skip (tree->tokens, position);
  return position;
}

gint64 *
sw_tree_dup_tokens (const SwTree *tree,
                    gsize *n_tokens)
{
  *n_tokens = tree->n_tokens;
  return g_memdup2 (tree->tokens, tree->n_tokens * sizeof *tree->tokens);
}

gint64 *
sw_tree_dup_leaves (const SwTree *tree,
                    gsize *n_leaves)
{
  gint64 *leaves = g_new (gint64, tree->n_leaves);
  guint n = 0;

  for (guint i = 0; i < tree->n_tokens; i++)
    if (tree->tokens[i] >= 0)
      leaves[n++] = tree->tokens[i];
  *n_leaves = n;
  return leaves;
}

gboolean
sw_tree_congruent (const SwTree *a,
                   const SwTree *b)
{
  if (a == b)
    return TRUE;
  if (a->n_tokens != b->n_tokens || a->n_leaves != b->n_leaves || a->flat != b->flat)
    return FALSE;
  if (a->flat)
    return TRUE;

  for (guint i = 0; i < a->n_tokens; i++)
    if (a->tokens[i] != b->tokens[i] && (a->tokens[i] < 0 || b->tokens[i] < 0))
      return FALSE;
  return TRUE;
}

gboolean
sw_tree_equal (const SwTree *a,
               const SwTree *b)
{
  if (a == b)
    return TRUE;
  if (a->hash != b->hash || a->n_tokens != b->n_tokens)
    return FALSE;
  return memcmp (a->tokens, b->tokens, a->n_tokens * sizeof *a->tokens) == 0;
}

/* While everything so far was equal, both trees are at the same position. */
static int
compare_at (const gint64 *a,
            const gint64 *b,
            guint *position)
{
  gint64 x = a[*position];
  gint64 y = b[*position];
  gint64 n_x, n_y;

  (*position)++;
  if (x >= 0 || y >= 0)
    return x >= 0 && y >= 0 ? (x > y) - (x < y) : (x < 0) - (y < 0);

  n_x = SW_TREE_N_ITEMS (x);
  n_y = SW_TREE_N_ITEMS (y);
  for (gint64 i = 0; i < MIN (n_x, n_y); i++)
    {
      int order = compare_at (a, b, position);

      if (order != 0)
        return order;
    }
  return (n_x > n_y) - (n_x < n_y);
}

int
sw_tree_compare (const SwTree *a,
                 const SwTree *b)
{
  guint position = 0;

  return sw_tree_equal (a, b) ? 0 : compare_at (a->tokens, b->tokens, &position);
}
