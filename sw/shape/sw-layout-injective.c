/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/shape/sw-layout-private.h"

/* Two coordinates collide when their differences d, below the extents and not all 0, satisfy sum (d * step) = 0.
 * The search fixes one difference after the other, the largest step first. What the smaller steps can still
 * reach bounds each difference, and what they can divide leaves one residue class of it. */

#define MAX_SEARCH_STEPS (1 << 22)
#define MAX_MAPPED_INDICES (1 << 26)

typedef struct
{
  gint64 step;
  gint64 most;    /* the largest difference */
  gint64 reach;   /* what all smaller steps can add up to */
  gint64 divisor; /* of this and all smaller steps */
  gint64 modulus; /* differences that leave the smaller steps a chance are this far apart */
  gint64 inverse; /* of step / divisor, by the modulus */
} Level;

typedef struct
{
  Level levels[SW_LAYOUT_MAX_WIDE_LEAVES];
  guint n_levels;
  guint n_steps_left;
} Search;

static gint64
greatest_divisor (gint64 a,
                  gint64 b)
{
  while (b != 0)
    {
      gint64 rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/* Of a number that has no divisor in common with the modulus. */
static gint64
invert (gint64 value,
        gint64 modulus)
{
  gint64 r0 = modulus, r1 = value % modulus;
  gint64 t0 = 0, t1 = 1;

  while (r1 > 1)
    {
      gint64 quotient = r0 / r1;
      gint64 r2 = r0 - quotient * r1;
      gint64 t2 = t0 - quotient * t1;

      r0 = r1;
      r1 = r2;
      t0 = t1;
      t1 = t2;
    }
  return t1 < 0 ? t1 + modulus : t1;
}

static __int128
divide_down (__int128 value,
             gint64 divisor)
{
  return value / divisor - (value % divisor < 0);
}

static __int128
divide_up (__int128 value,
           gint64 divisor)
{
  return value / divisor + (value % divisor > 0);
}

/* The smallest difference from @low on that makes @total divisible by what the smaller steps divide by. */
static __int128
first_difference (const Level *level,
                  __int128 low,
                  gint64 total)
{
  __int128 distance;

  if (level->modulus == 1)
    return low;
  distance = (-(__int128) (total / level->divisor % level->modulus) * level->inverse - low) % level->modulus;
  return low + (distance < 0 ? distance + level->modulus : distance);
}

/* Whether the levels from @depth on can bring @total back to 0. */
static gboolean
search_collision (Search *search,
                  guint depth,
                  gint64 total,
                  gboolean differs)
{
  const Level *level = &search->levels[depth];
  __int128 low, high;

  if (depth == search->n_levels)
    return differs;
  if (search->n_steps_left == 0)
    return FALSE;
  search->n_steps_left--;

  low = MAX (divide_up (-(__int128) total - level->reach, level->step), -level->most);
  high = MIN (divide_down (-(__int128) total + level->reach, level->step), level->most);
  /* A solution with all signs turned is a solution, so the first difference may be taken as positive. */
  if (!differs)
    low = MAX (low, 0);

  for (__int128 d = first_difference (level, low, total); d <= high && search->n_steps_left > 0; d += level->modulus)
    if (search_collision (search, depth + 1, (gint64) (total + d * level->step), differs || d != 0))
      return TRUE;
  return FALSE;
}

/* From the smallest step, the last level, up. */
static void
measure_levels (Level *levels,
                guint n_levels)
{
  gint64 reach = 0;
  gint64 divisor = 0;

  for (guint i = n_levels; i-- > 0;)
    {
      Level *level = &levels[i];

      level->reach = reach;
      level->divisor = greatest_divisor (level->step, divisor);
      level->modulus = divisor == 0 ? 1 : divisor / level->divisor;
      level->inverse = level->modulus == 1 ? 0 : invert (level->step / level->divisor, level->modulus);
      reach += level->most * level->step;
      divisor = level->divisor;
    }
}

/* The wide leaves by falling step; returns FALSE when one has step 0. */
static gboolean
sort_levels (Search *search,
             const SwLayout *layout)
{
  search->n_levels = 0;
  for (guint i = 0; i < layout->n_leaves; i++)
    {
      const SwLayoutLeaf *leaf = &layout->leaves[i];
      guint at = search->n_levels;

      if (leaf->extent == 1)
        continue;
      if (leaf->step == 0)
        return FALSE;
      for (; at > 0 && search->levels[at - 1].step < leaf->step; at--)
        search->levels[at] = search->levels[at - 1];
      search->levels[at].step = leaf->step;
      search->levels[at].most = leaf->extent - 1;
      search->n_levels++;
    }
  return TRUE;
}

/* Visits every index and marks it; all indices are multiples of the divisor of all steps. */
static gboolean
map_collides (const Search *search,
              gint64 n_multiples)
{
  const gint64 divisor = search->levels[0].divisor;
  g_autofree guint8 *seen = g_malloc0 (n_multiples / 8 + 1);
  gint64 coordinate[SW_LAYOUT_MAX_WIDE_LEAVES] = { 0 };
  gint64 index = 0;
  guint i = 0;

  while (i < search->n_levels)
    {
      gint64 at = index / divisor;

      if (seen[at / 8] & 1 << at % 8)
        return TRUE;
      seen[at / 8] |= 1 << at % 8;

      for (i = 0; i < search->n_levels && coordinate[i] == search->levels[i].most; i++)
        {
          index -= coordinate[i] * search->levels[i].step;
          coordinate[i] = 0;
        }
      if (i < search->n_levels)
        {
          coordinate[i]++;
          index += search->levels[i].step;
        }
    }
  return FALSE;
}

/**
 * sw_layout_is_injective:
 * @self: a layout
 *
 * Gets whether different coordinates always have different indices, so that each element can be written on its own.
 *
 * The answer takes time that grows with the number of modes, not with the number of elements. Only for many modes
 * whose steps overlap without any order is there no such shortcut; where more than 2^22 steps of a search have not
 * found an answer and the storage is too large to try every element, such a layout counts as not injective.
 *
 * Returns: %TRUE when no two coordinates share an index
 */
gboolean
sw_layout_is_injective (SwLayout *self)
{
  Search search;
  gint64 n_multiples;

  g_return_val_if_fail (self != NULL, FALSE);

  if (self->compact)
    return TRUE;
  if (!sort_levels (&search, self))
    return FALSE;

  measure_levels (search.levels, search.n_levels);
  n_multiples = (self->cosize - 1) / search.levels[0].divisor + 1;
  if (self->size > n_multiples)
    return FALSE;
  search.n_steps_left = MAX_SEARCH_STEPS;
  if (search_collision (&search, 0, 0, FALSE))
    return FALSE;
  if (search.n_steps_left > 0)
    return TRUE;
  return n_multiples <= MAX_MAPPED_INDICES && !map_collides (&search, n_multiples);
}
