/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-nest-private.h"

#include <string.h>

/* Rows that are as short as a tile is wide, and so many neighbouring ones after each other: what a row left of a cache line
 * is taken by those that follow before the line goes. */
#define TILE_LENGTH 16
#define TILE_ROWS 16
/* Steps from which on a row needs a line for each value. */
#define LONG_STEP 16

/* The loop that goes on within the cache lines that a row of some view jumps between, where there is such a view and both
 * loops are longer than a tile; 0 where there is none. */
static guint
find_rows (const SwCpuNest *self)
{
  if (self->loops[0].extent <= 2 * TILE_LENGTH)
    return 0;
  for (guint v = 1; v < self->n_views; v++)
    {
      if (ABS (self->loops[0].steps[v]) < LONG_STEP)
        continue;
      for (guint i = 1; i < self->n_loops; i++)
        {
          gint64 step = ABS (self->loops[i].steps[v]);

          if (step > 0 && step < LONG_STEP && self->loops[i].extent >= TILE_ROWS)
            return i;
        }
    }
  return 0;
}

/* One loop of tiles outside one of what is in them. */
static SwCpuLoop
get_outer (const SwCpuNest *self,
           const SwCpuLoop *loop,
           gint64 width)
{
  SwCpuLoop outer = { loop->extent / width };

  for (guint v = 0; v < self->n_views; v++)
    outer.steps[v] = loop->steps[v] * width;
  return outer;
}

/* The two loops are whole numbers of tiles long. */
static gboolean
run_whole_tiles (const SwCpuNest *nest,
                 guint rows,
                 gint64 length,
                 gint64 n_rows,
                 SwCpuNestTask task,
                 gpointer data)
{
  guint n = 0, n_loops = nest->n_loops + 2;
  gboolean is_any_bad;
  SwCpuNest tiled;

  tiled.n_views = nest->n_views;
  memcpy (tiled.at, nest->at, sizeof nest->at);
  tiled.loops = n_loops > SW_CPU_LOOPS_ON_STACK ? g_new (SwCpuLoop, n_loops) : tiled.on_stack;
  tiled.loops[n++] = nest->loops[0];
  tiled.loops[n++] = nest->loops[rows];
  tiled.loops[0].extent = length;
  tiled.loops[1].extent = n_rows;
  tiled.loops[n++] = get_outer (nest, &nest->loops[0], length);
  tiled.loops[n++] = get_outer (nest, &nest->loops[rows], n_rows);
  for (guint i = 1; i < nest->n_loops; i++)
    {
      if (i != rows)
        tiled.loops[n++] = nest->loops[i];
    }
  tiled.n_loops = n;
  is_any_bad = task (data, &tiled);
  sw_cpu_nest_clear (&tiled);
  return is_any_bad;
}

/* Divides one of the two loops in what whole tiles take and the rest, which is a tile of its own. */
static gboolean
run_parts (SwCpuNest *self,
           guint rows,
           gint64 length,
           gint64 n_rows,
           SwCpuNestTask task,
           gpointer data)
{
  guint loop = self->loops[0].extent % length != 0 ? 0 : rows;
  gint64 width = loop == 0 ? length : n_rows, extent = self->loops[loop].extent, whole = extent - extent % width;
  gboolean is_any_bad = FALSE;
  SwCpuNest part;

  if (whole == extent)
    return run_whole_tiles (self, rows, length, n_rows, task, data);

  sw_cpu_nest_init_part (&part, self, loop, 0, whole);
  is_any_bad |= run_parts (&part, rows, length, n_rows, task, data);
  sw_cpu_nest_clear (&part);
  sw_cpu_nest_init_part (&part, self, loop, whole, extent);
  is_any_bad |= run_parts (&part, rows, loop == 0 ? extent - whole : length, loop == 0 ? n_rows : extent - whole, task, data);
  sw_cpu_nest_clear (&part);
  return is_any_bad;
}

gboolean
sw_cpu_nest_run_in_tiles (SwCpuNest *self,
                          SwCpuNestTask task,
                          gpointer data)
{
  guint rows = self->n_loops > 1 ? find_rows (self) : 0;

  return rows == 0 ? task (data, self) : run_parts (self, rows, TILE_LENGTH, TILE_ROWS, task, data);
}
