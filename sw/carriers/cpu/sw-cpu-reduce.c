/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"

#define ACCUMULATORS_SIZE 8192
#define MIN_COLUMNS 16

/* The walk over the results, each with the place where its values begin, and the walk over the values of one result. */
typedef struct
{
  const SwReduction *reduction;
  const SwCpuFold *fold;
  gsize input_size;
  gsize result_size;
  SwCpuNest kept; /* views: the input, the result */
  SwCpuNest reduced;
  _Alignas(32) char accumulators[ACCUMULATORS_SIZE];
} Walk;

static gpointer
get_input (const Walk *self,
           gint64 kept,
           gint64 reduced)
{
  gint64 index = self->kept.at[0] + kept * sw_cpu_nest_get_step (&self->kept, 0) +
                 self->reduced.at[0] + reduced * sw_cpu_nest_get_step (&self->reduced, 0);

  return (char *) self->reduction->kept.data + index * (gssize) self->input_size;
}

static gpointer
get_result (const Walk *self,
            gint64 kept)
{
  gint64 index = self->kept.at[1] + kept * sw_cpu_nest_get_step (&self->kept, 1);

  return (char *) self->reduction->result.data + index * (gssize) self->result_size;
}

/* One result after the other. */
static gboolean
walk_by_rows (Walk *self)
{
  gint64 length = sw_cpu_nest_get_length (&self->reduced);
  gint64 step = sw_cpu_nest_get_step (&self->reduced, 0);
  gboolean overflows = FALSE;

  do
    {
      for (gint64 i = 0; i < sw_cpu_nest_get_length (&self->kept); i++)
        {
          self->fold->start (self->accumulators, 1);
          do
            self->fold->add_row (self->accumulators, length, get_input (self, i, 0), step);
          while (sw_cpu_nest_next (&self->reduced));
          overflows |= self->fold->finish (self->accumulators, 1, get_result (self, i), 0);
        }
    }
  while (sw_cpu_nest_next (&self->kept));

  return overflows;
}

/* Many results at once, where the values of neighbouring results are closer together than those of one result. */
static gboolean
walk_by_columns (Walk *self)
{
  gint64 length = sw_cpu_nest_get_length (&self->kept);
  gint64 width = ACCUMULATORS_SIZE / self->fold->item_size;
  gboolean overflows = FALSE;

  do
    {
      for (gint64 first = 0; first < length; first += width)
        {
          gint64 n = MIN (width, length - first);

          self->fold->start (self->accumulators, n);
          do
            {
              for (gint64 r = 0; r < sw_cpu_nest_get_length (&self->reduced); r++)
                self->fold->add_columns (self->accumulators, n, get_input (self, first, r), sw_cpu_nest_get_step (&self->kept, 0));
            }
          while (sw_cpu_nest_next (&self->reduced));
          overflows |= self->fold->finish (self->accumulators, n, get_result (self, first), sw_cpu_nest_get_step (&self->kept, 1));
        }
    }
  while (sw_cpu_nest_next (&self->kept));

  return overflows;
}

static void
walk_init (Walk *self,
           const SwReduction *reduction,
           SwCpuNestOrder order)
{
  self->reduction = reduction;
  self->input_size = sw_dtype_get_item_size (reduction->kept.dtype);
  self->result_size = sw_dtype_get_item_size (reduction->result.dtype);
  sw_cpu_nest_init (&self->kept, (const SwAxis *[]){ &reduction->kept.axis, &reduction->result.axis },
                    (gint64[]){ reduction->kept.offset, reduction->result.offset }, 2, SW_CPU_NEST_SORTED);
  sw_cpu_nest_init (&self->reduced, (const SwAxis *[]){ &reduction->reduced }, (gint64[]){ 0 }, 1, order);
}

static void
walk_clear (Walk *self)
{
  sw_cpu_nest_clear (&self->reduced);
  sw_cpu_nest_clear (&self->kept);
}

/* Only after an overflow does it matter where: once more, value by value. */
static gint64
find_overflow (const SwReduction *reduction,
               const SwCpuFold *fold)
{
  gint64 unused;

  for (gint64 i = 0; i < reduction->result.axis.size; i++)
    {
      gint64 index = sw_view_get_index (&reduction->kept, i);
      _Alignas(32) char accumulator[32];

      fold->start (accumulator, 1);
      for (gint64 r = 0; r < reduction->reduced.size; r++)
        fold->add_row (accumulator, 1,
                       sw_cpu_view_at (&reduction->kept, index + sw_axis_get_index (&reduction->reduced, r)), 0);
      if (fold->finish (accumulator, 1, &unused, 0))
        return i;
    }

  /* Another thread has written to the input meanwhile. */
  return 0;
}

gboolean
sw_cpu_run_reduce (const SwReduceKernel *kernel,
                   const SwReduction *reduction,
                   GError **error)
{
  const SwCpuReduceKernel *self = (const SwCpuReduceKernel *) kernel;
  gboolean overflows;
  Walk walk;

  walk.fold = self->folds[reduction->kept.dtype];
  if (reduction->accumulator == SW_DTYPE_FLOAT32 && reduction->kept.dtype == SW_DTYPE_FLOAT64)
    walk.fold = self->narrow_fold;

  walk_init (&walk, reduction, SW_CPU_NEST_SORTED);
  if (sw_cpu_nest_get_length (&walk.kept) >= MIN_COLUMNS &&
      sw_cpu_nest_get_step (&walk.kept, 0) < sw_cpu_nest_get_step (&walk.reduced, 0))
    overflows = walk_by_columns (&walk);
  else
    overflows = walk_by_rows (&walk);
  walk_clear (&walk);

  if (G_UNLIKELY (overflows))
    sw_cpu_set_overflow (reduction->name, reduction->result.dtype, find_overflow (reduction, walk.fold), error);
  return !overflows;
}

static gint64
find_place (Walk *self,
            SwCpuArgRow row,
            gint64 kept)
{
  gint64 length = sw_cpu_nest_get_length (&self->reduced);
  gint64 place = 0, start = 0;

  do
    {
      row (self->accumulators, &place, start, length, get_input (self, kept, 0), sw_cpu_nest_get_step (&self->reduced, 0));
      start += length;
    }
  while (sw_cpu_nest_next (&self->reduced));

  return place;
}

gboolean
sw_cpu_run_arg_reduce (const SwReduceKernel *kernel,
                       const SwReduction *reduction,
                       GError **error)
{
  SwCpuArgRow row = ((const SwCpuArgReduceKernel *) kernel)->rows[reduction->kept.dtype];
  Walk walk;

  /* Ordinals must come in order, so that the first of equal values is found first. */
  walk_init (&walk, reduction, SW_CPU_NEST_IN_ORDER);
  do
    {
      for (gint64 i = 0; i < sw_cpu_nest_get_length (&walk.kept); i++)
        *(gint64 *) get_result (&walk, i) = find_place (&walk, row, i);
    }
  while (sw_cpu_nest_next (&walk.kept));
  walk_clear (&walk);

  return TRUE;
}
