/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-nest-private.h"

/* A view of one value has no leaves, and stays where it is while the others go on. */
static gint64
get_step (const SwAxis *axis,
          guint leaf)
{
  return leaf < axis->n_leaves ? axis->leaves[leaf].step : 0;
}

static void
add_loop (SwCpuNest *self,
          const SwAxis *const *axes,
          guint leaf,
          gint64 extent)
{
  SwCpuLoop *loop = &self->loops[self->n_loops++];

  loop->extent = extent;
  loop->done = 0;
  for (guint v = 0; v < self->n_views; v++)
    loop->steps[v] = get_step (axes[v], leaf);
}

/* Few loops, nearly in order already. */
static void
sort_loops (SwCpuNest *self)
{
  for (guint i = 1; i < self->n_loops; i++)
    {
      SwCpuLoop loop = self->loops[i];
      guint j = i;

      for (; j > 0 && self->loops[j - 1].steps[0] > loop.steps[0]; j--)
        self->loops[j] = self->loops[j - 1];
      self->loops[j] = loop;
    }
}

/* Whether the outer loop goes on where the inner one ends, in every view. */
static gboolean
continues (const SwCpuNest *self,
           const SwCpuLoop *inner,
           const SwCpuLoop *outer)
{
  for (guint v = 0; v < self->n_views; v++)
    {
      if (outer->steps[v] != inner->steps[v] * inner->extent)
        return FALSE;
    }

  return TRUE;
}

static void
join_loops (SwCpuNest *self)
{
  guint n = 1;

  for (guint i = 1; i < self->n_loops; i++)
    {
      if (continues (self, &self->loops[n - 1], &self->loops[i]))
        self->loops[n - 1].extent *= self->loops[i].extent;
      else
        self->loops[n++] = self->loops[i];
    }
  self->n_loops = n;
}

void
sw_cpu_nest_init (SwCpuNest *self,
                  const SwAxis *const *axes,
                  const gint64 *offsets,
                  guint n_views,
                  SwCpuNestOrder order)
{
  static const SwAxis one_value = { 1, 0, NULL };
  const SwAxis *longest = axes[0];

  self->n_views = n_views;
  self->n_loops = 0;
  self->loops = self->on_stack;
  for (guint v = 0; v < n_views; v++)
    {
      self->at[v] = offsets[v];
      if (axes[v]->n_leaves > longest->n_leaves)
        longest = axes[v];
    }
  if (longest->n_leaves > SW_CPU_LOOPS_ON_STACK)
    self->loops = g_new (SwCpuLoop, longest->n_leaves);

  for (guint i = 0; i < longest->n_leaves; i++)
    {
      if (longest->leaves[i].extent > 1)
        add_loop (self, axes, i, longest->leaves[i].extent);
    }
  if (self->n_loops == 0)
    {
      add_loop (self, (const SwAxis *[]){ &one_value, &one_value, &one_value, &one_value }, 0, 1);
      return;
    }

  if (order == SW_CPU_NEST_SORTED)
    sort_loops (self);
  join_loops (self);
}

void
sw_cpu_nest_clear (SwCpuNest *self)
{
  if (self->loops != self->on_stack)
    g_free (self->loops);
}

gboolean
sw_cpu_nest_next (SwCpuNest *self)
{
  for (guint i = 1; i < self->n_loops; i++)
    {
      SwCpuLoop *loop = &self->loops[i];

      if (++loop->done < loop->extent)
        {
          for (guint v = 0; v < self->n_views; v++)
            self->at[v] += loop->steps[v];
          return TRUE;
        }

      loop->done = 0;
      for (guint v = 0; v < self->n_views; v++)
        self->at[v] -= loop->steps[v] * (loop->extent - 1);
    }

  return FALSE;
}
