/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-ref-count-private.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/shape/sw-stride.h"
#include "sw/shape/sw-tree-private.h"

G_BEGIN_DECLS

/* The extents above 1 multiply to less than 2^63, empty modes or not, so there are not more of them than this. */
#define SW_LAYOUT_MAX_WIDE_LEAVES 62

/* One leaf mode of a layout: how far it goes and how far one step of it moves. */
typedef struct
{
  gint64 extent;
  gint64 step;
} SwLayoutLeaf;

struct _SwShape
{
  SwRefCount ref_count;
  gint64 size;
  SwTree tree;
  gint64 tokens[];
};

struct _SwStride
{
  SwRefCount ref_count;
  SwTree tree;
  gint64 tokens[];
};

struct _SwLayout
{
  SwRefCount ref_count;
  SwShape *shape;
  SwStride *stride;
  gint64 size;
  gint64 cosize;
  /* The leaves visit 0, 1, 2 ... size - 1, each once, in some order of the modes; whatever the steps, where the size is 0. */
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

/* The trees are nested alike. Checks their values. */
SwLayout *
sw_layout_new_from_tokens (const gint64 *extents,
                           const gint64 *steps,
                           gsize n_tokens,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* For a message: shortened when it is long. */
char *
sw_layout_describe (SwLayout *self) G_GNUC_WARN_UNUSED_RESULT;

/* What a coordinate in token form stands for: its index by the steps of @leaves, or its ordinal when they are NULL. */
gint64
sw_shape_locate (SwShape *self,
                 const SwLayoutLeaf *leaves,
                 const gint64 *tokens,
                 gsize n_tokens,
                 GError **error);

/* The same shape over fresh storage: keeps the order of the modes of a compact layout, else first mode fastest. */
SwLayout *
sw_layout_new_for_result (SwLayout *like) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
