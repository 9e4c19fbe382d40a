/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/shape/sw-layout-private.h"

#include <string.h>

G_BEGIN_DECLS

#define SW_LAYOUT_WALK_N_ON_STACK 16

/* Goes through the indices of a layout by ordinal, first mode fastest, without dividing. */
typedef struct
{
  gint64 index;
  const SwLayoutLeaf *leaves;
  guint n_leaves;
  gint64 *position;
  gint64 on_stack[SW_LAYOUT_WALK_N_ON_STACK];
} SwLayoutWalk;

static inline void
sw_layout_walk_init (SwLayoutWalk *walk,
                     SwLayout *layout,
                     gint64 offset)
{
  walk->index = offset;
  walk->leaves = sw_layout_get_leaves (layout);
  walk->n_leaves = sw_layout_get_n_leaves (layout);
  walk->position = walk->on_stack;
  if (walk->n_leaves > SW_LAYOUT_WALK_N_ON_STACK)
    walk->position = g_new (gint64, walk->n_leaves);
  memset (walk->position, 0, walk->n_leaves * sizeof *walk->position);
}

static inline void
sw_layout_walk_clear (SwLayoutWalk *walk)
{
  if (walk->position != walk->on_stack)
    g_free (walk->position);
}

/* After the last ordinal comes the first. */
static inline void
sw_layout_walk_next (SwLayoutWalk *walk)
{
  for (guint i = 0; i < walk->n_leaves; i++)
    {
      const SwLayoutLeaf *leaf = &walk->leaves[i];

      if (++walk->position[i] < leaf->extent)
        {
          walk->index += leaf->step;
          return;
        }
      walk->index -= (leaf->extent - 1) * leaf->step;
      walk->position[i] = 0;
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SwLayoutWalk, sw_layout_walk_clear)

G_END_DECLS
