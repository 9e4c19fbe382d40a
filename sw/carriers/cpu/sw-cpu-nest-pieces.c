/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-nest-private.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-pool-private.h"

#define MIN_PIECE_COLUMNS 128
/* From so many times the least piece on, one takes long. */
#define LONG_FACTOR 4

typedef struct
{
  const SwCpuNest *nest;
  guint loop; /* the one that is divided */
  gint64 n_pieces;
  SwCpuNestTask task;
  gpointer data;
} Division;

void
sw_cpu_nest_init_part (SwCpuNest *self,
                       const SwCpuNest *whole,
                       guint loop,
                       gint64 start,
                       gint64 end)
{
  self->n_views = whole->n_views;
  self->n_loops = whole->n_loops;
  self->loops = whole->n_loops > SW_CPU_LOOPS_ON_STACK ? g_new (SwCpuLoop, whole->n_loops) : self->on_stack;
  memcpy (self->loops, whole->loops, whole->n_loops * sizeof *self->loops);
  for (guint v = 0; v < whole->n_views; v++)
    self->at[v] = whole->at[v] + start * whole->loops[loop].steps[v];
  self->loops[loop].extent = end - start;
}

gint64
sw_cpu_nest_get_size (const SwCpuNest *self)
{
  gint64 size = 1;

  for (guint i = 0; i < self->n_loops; i++)
    size *= self->loops[i].extent;
  return size;
}

guint
sw_cpu_nest_get_divisible (const SwCpuNest *self,
                           gint64 n_pieces)
{
  guint longest = self->n_loops - 1;

  for (guint i = self->n_loops; i > 0; i--)
    {
      if (self->loops[i - 1].extent >= n_pieces)
        return i - 1;
      if (self->loops[i - 1].extent > self->loops[longest].extent)
        longest = i - 1;
    }
  return longest;
}

static gboolean
run_piece (gpointer data,
           gint64 piece,
           guint lane)
{
  const Division *self = data;
  gint64 extent = self->nest->loops[self->loop].extent;
  gboolean is_bad;
  SwCpuNest part;

  sw_cpu_nest_init_part (&part, self->nest, self->loop, sw_cpu_pool_get_start (extent, self->n_pieces, piece),
                         sw_cpu_pool_get_start (extent, self->n_pieces, piece + 1));
  is_bad = self->task (self->data, &part);
  sw_cpu_nest_clear (&part);
  return is_bad;
}

static gboolean
run (SwCpuNest *self,
     gint64 grain,
     gboolean is_long,
     SwCpuNestTask task,
     gpointer data)
{
  Division division = { self, 0, 1, task, data };
  gint64 size = sw_cpu_nest_get_size (self);

  if (size < 2 * grain)
    return task (data, self);

  division.n_pieces = sw_cpu_pool_get_n_pieces (size, grain);
  division.loop = sw_cpu_nest_get_divisible (self, division.n_pieces);
  division.n_pieces = MIN (division.n_pieces, self->loops[division.loop].extent);
  return (is_long ? sw_cpu_pool_run_long : sw_cpu_pool_run) (division.n_pieces, sw_cpu_pool_get_n_lanes (), run_piece, &division);
}

gboolean
sw_cpu_nest_run (SwCpuNest *self,
                 gint64 grain,
                 SwCpuNestTask task,
                 gpointer data)
{
  return run (self, grain, FALSE, task, data);
}

gboolean
sw_cpu_nest_run_columns (SwCpuNest *self,
                         gint64 least,
                         SwCpuNestTask task,
                         gpointer data)
{
  gint64 for_each_lane = sw_cpu_nest_get_size (self) / sw_cpu_pool_get_n_lanes ();

  least = MAX (MIN_PIECE_COLUMNS, least);
  return run (self, MAX (for_each_lane, least), for_each_lane >= LONG_FACTOR * least, task, data);
}
