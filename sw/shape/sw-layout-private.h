/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/shape/sw-stride.h"

G_BEGIN_DECLS

/* One leaf mode of a layout: how far it goes and how far one step of it moves. */
typedef struct
{
  gint64 extent;
  gint64 step;
} SwLayoutLeaf;

/* A tree of integers in preorder: a leaf is its value, a tuple of n items is -2 - n.
 * The root tuple is not written; n_items tells how many items it has. */
typedef struct
{
  guint n_tokens;
  guint n_items;
  guint n_leaves;
  guint depth;
  guint hash;
  gboolean flat;
  const gint64 *tokens;
} SwTree;

struct _SwShape
{
  gatomicrefcount ref_count;
  gint64 size;
  SwTree tree;
  gint64 tokens[];
};

struct _SwStride
{
  gatomicrefcount ref_count;
  SwTree tree;
  gint64 tokens[];
};

struct _SwLayout
{
  gatomicrefcount ref_count;
  SwShape *shape;
  SwStride *stride;
  gint64 size;
  gint64 cosize;
  /* The leaves visit 0, 1, 2 ... size - 1, each once, in some order of the modes. */
  gboolean compact;
  guint n_leaves;
  SwLayoutLeaf leaves[];
};

static inline guint
sw_layout_get_n_leaves (const SwLayout *self)
{
  return self->n_leaves;
}

static inline const SwLayoutLeaf *
sw_layout_get_leaves (const SwLayout *self)
{
  return self->leaves;
}

/* Same nesting and same number of leaves, whatever the values. */
gboolean sw_tree_congruent (const SwTree *a,
                            const SwTree *b);

/* The same shape over fresh storage: keeps the order of the modes of a compact layout, else first mode fastest. */
SwLayout *sw_layout_new_for_result (SwLayout *like) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
