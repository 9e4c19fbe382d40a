/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"

/* On ordinals a layout is a line with bends: it rises by the step of its first leaf, and more or less than that
 * wherever the ordinal passes a multiple of the product of the first k extents. Written out,
 *
 *   outer (v) = step[0] * v + sum over k (bend[k] * (v / period[k]))
 *
 * where the division rounds down. Leaves that continue the one before have bend 0 and do not appear.
 *
 * So outer (inner (q)) is linear in the coordinates of inner, which is to be a layout, as long as no sum of
 * remainders (step % period[k]) reaches a period. Where the leaf of an inner layout does reach one on its own, a
 * split of the leaf at that place may help, and the place is the only one that can. */

/* Bends that cancel out again and again are followed for so long. */
#define MAX_EVENTS 4096
#define MAX_TRIED_COORDINATES 65536

typedef struct
{
  gint64 period;
  __int128 weight;
} Bend;

typedef struct
{
  Bend bends[SW_LAYOUT_MAX_WIDE_LEAVES];
  guint n;
} Bends;

typedef struct
{
  gint64 extent;
  gint64 inner_step;
  gint64 outer_step;
} Part;

typedef struct
{
  SwLayout *outer;
  SwLayout *inner;
  Bends bends;
  Part parts[SW_LAYOUT_MAX_WIDE_LEAVES];
  guint n_parts;
} Composition;

/* @ordinal is in the domain. */
static gint64
apply (SwLayout *layout,
       gint64 ordinal)
{
  return sw_layout_get_index_at (layout, ordinal, NULL);
}

static void
find_bends (Bends *bends,
            SwLayout *layout)
{
  const SwLayoutLeaf *before = NULL;
  gint64 period = 1;

  bends->n = 0;
  for (guint i = 0; i < layout->n_leaves; i++)
    {
      const SwLayoutLeaf *leaf = &layout->leaves[i];

      if (leaf->extent == 1)
        continue;
      if (before != NULL && leaf->step != (__int128) before->extent * before->step)
        {
          bends->bends[bends->n].period = period;
          bends->bends[bends->n].weight = leaf->step - (__int128) before->extent * before->step;
          bends->n++;
        }
      period *= leaf->extent;
      before = leaf;
    }
}

/* Whether the parts reach both periods always at once. */
static gboolean
bends_coincide (const Bend *a,
                const Bend *b,
                const Part *parts,
                guint n_parts)
{
  for (guint i = 0; i < n_parts; i++)
    {
      gint64 step = parts[i].inner_step;

      if ((__int128) (step % a->period) * b->period != (__int128) (step % b->period) * a->period)
        return FALSE;
    }
  return TRUE;
}

/* The bends that these parts meet: some are never reached, some cancel each other out. */
static void
select_bends (Bends *selected,
              const Bends *bends,
              const Part *parts,
              guint n_parts)
{
  guint n = 0;

  selected->n = 0;
  for (guint k = 0; k < bends->n; k++)
    {
      guint i = 0;

      while (i < selected->n && !bends_coincide (&selected->bends[i], &bends->bends[k], parts, n_parts))
        i++;
      if (i < selected->n)
        selected->bends[i].weight += bends->bends[k].weight;
      else
        selected->bends[selected->n++] = bends->bends[k];
    }

  for (guint k = 0; k < selected->n; k++)
    if (selected->bends[k].weight != 0)
      selected->bends[n++] = selected->bends[k];
  selected->n = n;
}

/* The next coordinate of @part, after @coordinate, at which it passes a period; its extent when there is none. */
static gint64
next_event (const Bends *bends,
            const Part *part,
            gint64 coordinate)
{
  gint64 next = part->extent;

  for (guint k = 0; k < bends->n; k++)
    {
      gint64 period = bends->bends[k].period;
      gint64 rest = part->inner_step % period;
      __int128 passed, at;

      if (rest == 0)
        continue;
      passed = (__int128) coordinate * rest / period;
      at = ((passed + 1) * period + rest - 1) / rest;
      if (at < next)
        next = (gint64) at;
    }
  return next;
}

/* How far the part goes on a straight line; 0 when that took too long to find out. */
static gint64
measure_straight (Composition *self,
                  const Part *part)
{
  gint64 coordinate = 0;
  Bends bends;

  select_bends (&bends, &self->bends, part, 1);
  for (guint i = 0; i < MAX_EVENTS; i++)
    {
      coordinate = next_event (&bends, part, coordinate);
      if (coordinate == part->extent)
        return coordinate;
      if (apply (self->outer, coordinate * part->inner_step) != (__int128) coordinate * part->outer_step)
        return coordinate;
    }
  return 0;
}

/* Splits a wide leaf of the inner layout into parts that are straight, each. */
static gboolean
split_leaf (Composition *self,
            const SwLayoutLeaf *leaf)
{
  Part part = { leaf->extent, leaf->step, 0 };

  while (part.extent > 1)
    {
      gint64 extent = part.extent;
      gint64 straight;

      part.outer_step = apply (self->outer, part.inner_step);
      straight = measure_straight (self, &part);
      if (straight == 0 || extent % straight != 0)
        return FALSE;
      part.extent = straight;
      self->parts[self->n_parts++] = part;
      part.extent = extent / straight;
      /* No further than the inner layout reaches, as long as there is a next part. */
      if (part.extent > 1)
        part.inner_step *= straight;
    }
  return TRUE;
}

/* Compares at every coordinate: for bends that meet by chance. */
static gboolean
try_all (Composition *self)
{
  if (self->inner->size > MAX_TRIED_COORDINATES)
    return FALSE;

  for (gint64 q = 0; q < self->inner->size; q++)
    {
      gint64 rest = q;
      gint64 v = 0;
      __int128 sum = 0;

      for (guint i = 0; i < self->n_parts; i++)
        {
          v += rest % self->parts[i].extent * self->parts[i].inner_step;
          sum += (__int128) (rest % self->parts[i].extent) * self->parts[i].outer_step;
          rest /= self->parts[i].extent;
        }
      if (apply (self->outer, v) != sum)
        return FALSE;
    }
  return TRUE;
}

/* Whether all parts together are as straight as each is alone. */
static gboolean
parts_add_up (Composition *self)
{
  Bends bends;

  select_bends (&bends, &self->bends, self->parts, self->n_parts);
  for (guint k = 0; k < bends.n; k++)
    {
      gint64 period = bends.bends[k].period;
      __int128 sum = 0;

      for (guint i = 0; i < self->n_parts; i++)
        sum += (__int128) (self->parts[i].extent - 1) * (self->parts[i].inner_step % period);
      if (sum >= period)
        return try_all (self);
    }
  return TRUE;
}

/* Finds the parts, and in @n_parts how many each leaf of the inner layout has. */
static gboolean
compose_leaves (Composition *self,
                SwLayout *outer,
                SwLayout *inner,
                guint *n_parts)
{
  self->outer = outer;
  self->inner = inner;
  self->n_parts = 0;
  find_bends (&self->bends, outer);
  for (guint i = 0; i < inner->n_leaves; i++)
    {
      guint n_before = self->n_parts;

      if (inner->leaves[i].extent > 1 && !split_leaf (self, &inner->leaves[i]))
        return FALSE;
      n_parts[i] = self->n_parts - n_before;
    }
  return parts_add_up (self);
}

/* The inner layout's trees with its leaves replaced by their parts. */
static SwLayout *
build_composition (const Composition *self,
                   const guint *n_parts,
                   GError **error)
{
  const SwTree *tree = &self->inner->shape->tree;
  const gsize n_most = tree->n_tokens + 2 * SW_LAYOUT_MAX_WIDE_LEAVES;
  g_autofree gint64 *extents = g_new (gint64, n_most);
  g_autofree gint64 *steps = g_new (gint64, n_most);
  const Part *part = self->parts;
  guint n = 0;
  guint leaf = 0;

  for (guint i = 0; i < tree->n_tokens; i++)
    {
      guint count = tree->tokens[i] < 0 ? 0 : n_parts[leaf++];

      if (count != 1)
        {
          /* A tuple of the inner layout, a leaf of extent 1, or the tuple that a split leaf becomes. */
          extents[n] = count == 0 ? tree->tokens[i] : SW_TREE_TUPLE (count);
          steps[n] = extents[n] < 0 ? extents[n] : 0;
          n++;
        }
      for (; count > 0; count--, part++, n++)
        {
          extents[n] = part->extent;
          steps[n] = part->outer_step;
        }
    }
  return sw_layout_new_from_tokens (extents, steps, n, error);
}

/**
 * sw_layout_compose:
 * @self: the layout that is applied last
 * @inner: the layout that is applied first
 * @error: return location for an error
 *
 * Makes the layout that has at every coordinate q of @inner the index self(inner(q)).
 *
 * The result is nested like @inner. One without elements is compact. Where one mode of @inner walks across several modes of @self, it becomes a
 * tuple of as many modes; an integer coordinate for that tuple means the same as before.
 *
 * Fails with %SW_ERROR_VALUE when @inner has an index that is not an ordinal of @self, and when no layout has these
 * indices, because the modes of one layout do not divide those of the other.
 *
 * Returns: (transfer full): the composition
 */
SwLayout *
sw_layout_compose (SwLayout *self,
                   SwLayout *inner,
                   GError **error)
{
  g_autofree guint *n_parts = NULL;
  g_autofree char *outer_text = NULL;
  g_autofree char *inner_text = NULL;
  Composition composition;

  g_return_val_if_fail (self != NULL && inner != NULL, NULL);

  /* No coordinates, no indices: any steps will do. */
  if (inner->size == 0)
    return sw_layout_new_compact (inner->shape);
  if (inner->cosize <= self->size)
    {
      n_parts = g_new (guint, inner->n_leaves);
      if (compose_leaves (&composition, self, inner, n_parts))
        return build_composition (&composition, n_parts, error);
    }

  outer_text = sw_layout_describe (self);
  inner_text = sw_layout_describe (inner);
  if (inner->cosize > self->size)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                 "inner %s has the index %" G_GINT64_FORMAT ", but the layout %s has %" G_GINT64_FORMAT " elements",
                 inner_text, inner->cosize - 1, outer_text, self->size);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "no layout is the composition of %s with inner %s: their modes do not divide each other",
                 outer_text, inner_text);
  return NULL;
}

/* Whether index and ordinal are the same number. */
static gboolean
is_identity (SwLayout *layout)
{
  gint64 n_before = 1;

  if (!layout->compact)
    return FALSE;
  for (guint i = 0; i < layout->n_leaves; i++)
    {
      if (layout->leaves[i].extent > 1 && layout->leaves[i].step != n_before)
        return FALSE;
      n_before *= layout->leaves[i].extent;
    }
  return TRUE;
}

static guint
count_wide_leaves (SwLayout *layout)
{
  guint n = 0;

  for (guint i = 0; i < layout->n_leaves; i++)
    n += layout->leaves[i].extent > 1;
  return n;
}

/**
 * sw_layout_reshape:
 * @self: a layout
 * @shape: a shape with as many elements
 * @error: return location for an error
 *
 * Makes the layout of another shape that has the same index at every ordinal, so that it is a view of the same
 * elements in the same order, first mode fastest.
 *
 * Fails with %SW_ERROR_VALUE when @shape has another number of elements, and with %SW_ERROR_UNSUPPORTED when no
 * steps can express the view, so that the elements have to be copied.
 *
 * Returns: (transfer full): the layout with the shape @shape
 */
SwLayout *
sw_layout_reshape (SwLayout *self,
                   SwShape *shape,
                   GError **error)
{
  g_autofree char *from = NULL;
  g_autofree char *to = NULL;
  g_autofree guint *n_parts = NULL;
  g_autoptr (SwLayout) inner = NULL;
  Composition composition;

  g_return_val_if_fail (self != NULL && shape != NULL, NULL);

  if (sw_tree_equal (&self->shape->tree, &shape->tree))
    return sw_layout_ref (self);
  if (self->size == 0 && shape->size == 0)
    return sw_layout_new_compact (shape);
  if (self->size == shape->size)
    {
      inner = sw_layout_new_compact (shape);
      if (is_identity (self))
        return g_steal_pointer (&inner);
      n_parts = g_new (guint, inner->n_leaves);
      /* Unsplit, the parts fit the shape. */
      if (compose_leaves (&composition, self, inner, n_parts) && composition.n_parts == count_wide_leaves (inner))
        return build_composition (&composition, n_parts, error);
    }

  from = sw_layout_describe (self);
  to = sw_tree_describe (shape->tokens);
  if (self->size != shape->size)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                 "shape %s has %" G_GINT64_FORMAT " elements, but the layout %s has %" G_GINT64_FORMAT,
                 to, shape->size, from, self->size);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "layout %s has no view with the shape %s", from, to);
  return NULL;
}
