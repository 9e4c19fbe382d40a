/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-input-shapes.h"

G_BEGIN_DECLS

struct _SwInputShapes
{
  int ref_count;
  guint hash;
  guint n_shapes;
  SwShape *shapes[]; /* NULL: that input is no tensor */
};

/* Takes @n references at once. */
SwInputShapes *sw_input_shapes_ref_many (SwInputShapes *self,
                                         guint n);

/* Compares by value; NULL equals only NULL. */
static inline gboolean
sw_input_shapes_equal0 (SwInputShapes *a,
                        SwInputShapes *b)
{
  return a == b || (a != NULL && b != NULL && sw_input_shapes_equal (a, b));
}

G_END_DECLS
