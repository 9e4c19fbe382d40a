/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Deeper nesting is refused, so that walks over a tree may recurse and may keep a path in a plain array. */
#define SW_TREE_MAX_DEPTH 256
#define SW_TREE_MAX_TOKENS (1 << 20)

#define SW_TREE_TUPLE(n_items) (-2 - (gint64) (n_items))
#define SW_TREE_N_ITEMS(token) (-2 - (token))

/* A tree of integers in preorder: a leaf is its value, a tuple of n items is -2 - n.
 * The root is always a tuple and is written as the first token. */
typedef struct
{
  guint n_tokens;
  guint n_items; /* of the root */
  guint n_leaves;
  guint depth;
  guint hash;
  gboolean flat; /* every item of the root is a leaf */
  const gint64 *tokens;
} SwTree;

/* What a tree stands for: how messages call it, and what its leaves may be. */
typedef struct
{
  const char *name;
  const char *leaf_name;
  gint64 minimum;
} SwTreeKind;

/* Where a walk is: the index of the current item in every open tuple, outermost first. */
typedef struct
{
  guint level;
  gint64 index[SW_TREE_MAX_DEPTH];
} SwTreePath;

/* Checks tokens that anyone may have made up. On success @tree describes @tokens, which it borrows. */
gboolean
sw_tree_scan (SwTree *tree,
              const SwTreeKind *kind,
              const gint64 *tokens,
              gsize n_tokens,
              GError **error);
/* The tokens of a flat tree, checked; free with g_free(). */
gint64 *
sw_tree_dup_flat_tokens (const SwTreeKind *kind,
                         const gint64 *values,
                         gsize n_values,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Takes the contents of @scanned over into @tree, with its tokens in @storage. */
void
sw_tree_copy (SwTree *tree,
              const SwTree *scanned,
              gint64 *storage);

/* Where the subtree that begins at @position ends. */
guint
sw_tree_skip (const gint64 *tokens,
              guint position);
/* Where the top-level mode @mode begins, or 0 when there is no such mode. */
guint
sw_tree_find_mode (const SwTree *tree,
                   guint mode);
gint64 *
sw_tree_dup_tokens (const SwTree *tree,
                    gsize *n_tokens) G_GNUC_WARN_UNUSED_RESULT;
gint64 *
sw_tree_dup_leaves (const SwTree *tree,
                    gsize *n_leaves) G_GNUC_WARN_UNUSED_RESULT;

/* Same nesting and same number of leaves, whatever the values. */
gboolean
sw_tree_congruent (const SwTree *a,
                   const SwTree *b);
gboolean
sw_tree_equal (const SwTree *a,
               const SwTree *b);
int
sw_tree_compare (const SwTree *a,
                 const SwTree *b);

/* The tokens of a text such as "(2, (3, 4))"; their values are not checked yet. */
GArray *
sw_tree_parse (const SwTreeKind *kind,
               const char *text,
               GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *
sw_tree_to_string (const SwTree *tree) G_GNUC_WARN_UNUSED_RESULT;
/* The subtree that begins with the first token, shortened for a message when it is long. */
char *
sw_tree_describe (const gint64 *tokens) G_GNUC_WARN_UNUSED_RESULT;
/* "shape[1][0]" */
char *
sw_tree_path_to_string (const char *name,
                        const SwTreePath *path) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
