/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-input-shapes.h"
#include "sw/operations/sw-implementation-private.h"

G_BEGIN_DECLS

#define SW_SHAPE_CACHE_SIZE 256

/* Interns the shapes of inputs, so that an event keeps a number instead. Holds shapes, never tensors. */
typedef struct
{
  guint32 cache[SW_SHAPE_CACHE_SIZE]; /* the id that was last found for a hash; 0: none yet */
  GPtrArray *by_id;                   /* of SwInputShapes; place 0 is NULL */
  GHashTable *ids;                    /* SwInputShapes in by_id -> id */
} SwShapeTable;

void sw_shape_table_init (SwShapeTable *self);
void sw_shape_table_clear (SwShapeTable *self);
guint32 sw_shape_table_intern (SwShapeTable *self,
                               const SwOperand *operands,
                               guint n_operands);

G_END_DECLS
