/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-shape-table-private.h"

#include "sw/shape/sw-layout-private.h"
#include "sw/tensor/sw-tensor-private.h"

static void
unref_shapes (gpointer shapes)
{
  /* Place 0 is empty. */
  if (shapes != NULL)
    sw_input_shapes_unref (shapes);
}

void
sw_shape_table_init (SwShapeTable *self)
{
  memset (self->cache, 0, sizeof self->cache);
  self->by_id = g_ptr_array_new_with_free_func (unref_shapes);
  g_ptr_array_add (self->by_id, NULL);
  self->ids = g_hash_table_new ((GHashFunc) sw_input_shapes_hash, (GEqualFunc) sw_input_shapes_equal);
}

void
sw_shape_table_clear (SwShapeTable *self)
{
  g_clear_pointer (&self->ids, g_hash_table_unref);
  g_clear_pointer (&self->by_id, g_ptr_array_unref);
}

static inline SwShape *
get_shape (const SwOperand *operand)
{
  return operand->kind == SW_VALUE_TENSOR ? operand->tensor->layout->shape : NULL;
}

static guint
hash_operands (const SwOperand *operands,
               guint n_operands)
{
  guint hash = n_operands;

  for (guint i = 0; i < n_operands; i++)
    {
      SwShape *shape = get_shape (&operands[i]);

      hash = hash * 31 + (shape != NULL ? shape->tree.hash : 1);
    }
  return hash ^ (hash >> 15);
}

static gboolean
matches (SwInputShapes *shapes,
         const SwOperand *operands,
         guint n_operands)
{
  if (sw_input_shapes_get_length (shapes) != n_operands)
    return FALSE;

  for (guint i = 0; i < n_operands; i++)
    {
      SwShape *known = sw_input_shapes_get_shape (shapes, i);
      SwShape *shape = get_shape (&operands[i]);

      if (known != shape && (known == NULL || shape == NULL || !sw_shape_equal (known, shape)))
        return FALSE;
    }
  return TRUE;
}

static guint32
find_or_add (SwShapeTable *self,
             const SwOperand *operands,
             guint n_operands)
{
  g_autofree SwShape **list = g_new (SwShape *, n_operands + 1);
  SwInputShapes *shapes;
  guint32 id;

  for (guint i = 0; i < n_operands; i++)
    list[i] = get_shape (&operands[i]);
  shapes = sw_input_shapes_new (list, n_operands);

  id = GPOINTER_TO_UINT (g_hash_table_lookup (self->ids, shapes));
  if (id != 0)
    {
      sw_input_shapes_unref (shapes);
      return id;
    }

  id = self->by_id->len;
  g_ptr_array_add (self->by_id, shapes);
  g_hash_table_insert (self->ids, shapes, GUINT_TO_POINTER (id));
  return id;
}

guint32
sw_shape_table_intern (SwShapeTable *self,
                       const SwOperand *operands,
                       guint n_operands)
{
  guint32 *cached = &self->cache[hash_operands (operands, n_operands) % SW_SHAPE_CACHE_SIZE];

  if (*cached == 0 || !matches (g_ptr_array_index (self->by_id, *cached), operands, n_operands))
    *cached = find_or_add (self, operands, n_operands);
  return *cached;
}
