/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"
#include "sw/carriers/cpu/sw-cpu-pool-private.h"

/* Rows are walked through in order, as wide as accumulators stay in the cache next to the processor. */
#define ACCUMULATORS_SIZE 32768
#define MIN_COLUMNS 16
/* Rows that are no longer cost more to begin and to end than to fold. */
#define MAX_SHORT_ROW 16
#define MAX_PIECES 256
/* Of an accumulator, at most. */
#define MAX_ITEM_SIZE 32

/* The walk over the results, each with the place where its values begin, and the walk over the values of one result. */
typedef struct
{
  const SwReduction *reduction;
  const SwCpuFold *fold;
  SwCpuArgRow arg_row;
  SwCpuArgColumns arg_columns;
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

/* One result that comes from so many values that several threads fold them, each into accumulators of its own. */
typedef struct
{
  const Walk *walk;
  gint64 kept;
  gint64 n_pieces;
  guint loop;
  _Alignas(32) char accumulators[MAX_PIECES][MAX_ITEM_SIZE];
} Division;

static void
fold_rows (const Walk *walk,
           SwCpuNest *reduced,
           gint64 kept,
           gpointer accumulator)
{
  gint64 index = walk->kept.at[0] + kept * sw_cpu_nest_get_step (&walk->kept, 0);

  do
    walk->fold->add_row (accumulator, sw_cpu_nest_get_length (reduced),
                         (char *) walk->reduction->kept.data + (index + reduced->at[0]) * (gssize) walk->input_size,
                         sw_cpu_nest_get_step (reduced, 0));
  while (sw_cpu_nest_next (reduced));
}

static gboolean
fold_piece (gpointer data,
            gint64 piece,
            guint lane)
{
  Division *self = data;
  const Walk *walk = self->walk;
  gint64 extent = walk->reduced.loops[self->loop].extent;
  SwCpuNest part;

  sw_cpu_nest_init_part (&part, &walk->reduced, self->loop, sw_cpu_pool_get_start (extent, self->n_pieces, piece),
                         sw_cpu_pool_get_start (extent, self->n_pieces, piece + 1));
  walk->fold->start (self->accumulators[piece], 1);
  fold_rows (walk, &part, self->kept, self->accumulators[piece]);
  sw_cpu_nest_clear (&part);
  return FALSE;
}

static void
fold_in_pieces (Walk *self,
                gint64 kept,
                gint64 size)
{
  Division division;

  division.walk = self;
  division.kept = kept;
  division.n_pieces = sw_cpu_pool_get_n_pieces (size, SW_CPU_GRAIN);
  division.loop = sw_cpu_nest_get_divisible (&self->reduced, division.n_pieces);
  division.n_pieces = MIN (division.n_pieces, self->reduced.loops[division.loop].extent);
  sw_cpu_pool_run (division.n_pieces, sw_cpu_pool_get_n_lanes (), fold_piece, &division);
  memcpy (self->accumulators, division.accumulators[0], self->fold->item_size);
  for (gint64 piece = 1; piece < division.n_pieces; piece++)
    self->fold->combine (self->accumulators, division.accumulators[piece]);
}

/* Folds all values of a result into the first accumulator. */
static void
fold_all (Walk *self,
          gint64 kept)
{
  gint64 size = sw_cpu_nest_get_size (&self->reduced);

  if (size >= 2 * SW_CPU_GRAIN && self->fold->combine != NULL)
    {
      fold_in_pieces (self, kept, size);
      return;
    }
  self->fold->start (self->accumulators, 1);
  fold_rows (self, &self->reduced, kept, self->accumulators);
}

/* One result after the other. */
static gboolean
walk_by_rows (Walk *self)
{
  gboolean overflows = FALSE;

  do
    {
      for (gint64 i = 0; i < sw_cpu_nest_get_length (&self->kept); i++)
        {
          fold_all (self, i);
          overflows |= self->fold->finish (self->accumulators, 1, get_result (self, i), 0);
        }
    }
  while (sw_cpu_nest_next (&self->kept));

  return overflows;
}

/* Folds what the current row of values of @n results adds to each. */
static void
fold_columns (Walk *self,
              gint64 first,
              gint64 n)
{
  gint64 length = sw_cpu_nest_get_length (&self->reduced), step = sw_cpu_nest_get_step (&self->kept, 0);

  if (step == 1 && self->fold->add_rows_of_columns != NULL)
    {
      self->fold->add_rows_of_columns (self->accumulators, n, get_input (self, first, 0), length, sw_cpu_nest_get_step (&self->reduced, 0));
      return;
    }
  for (gint64 r = 0; r < length; r++)
    self->fold->add_columns (self->accumulators, n, get_input (self, first, r), step);
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
            fold_columns (self, first, n);
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

/* A walk of a thread's own over some of the results. */
static void
walk_init_part (Walk *self,
                const Walk *whole,
                const SwCpuNest *kept)
{
  self->reduction = whole->reduction;
  self->fold = whole->fold;
  self->arg_row = whole->arg_row;
  self->arg_columns = whole->arg_columns;
  self->input_size = whole->input_size;
  self->result_size = whole->result_size;
  sw_cpu_nest_init_part (&self->kept, kept, 0, 0, sw_cpu_nest_get_length (kept));
  sw_cpu_nest_init_part (&self->reduced, &whole->reduced, 0, 0, sw_cpu_nest_get_length (&whole->reduced));
}

static gboolean
reduce_some_by_rows (gpointer data,
                     SwCpuNest *kept)
{
  gboolean overflows;
  Walk walk;

  walk_init_part (&walk, data, kept);
  overflows = walk_by_rows (&walk);
  walk_clear (&walk);
  return overflows;
}

static gboolean
reduce_some_by_columns (gpointer data,
                        SwCpuNest *kept)
{
  gboolean overflows;
  Walk walk;

  walk_init_part (&walk, data, kept);
  overflows = walk_by_columns (&walk);
  walk_clear (&walk);
  return overflows;
}

/* How many results make a piece. */
static gint64
get_grain (const Walk *self)
{
  return MAX (1, SW_CPU_GRAIN / sw_cpu_nest_get_size (&self->reduced));
}

/* Of arg_row. */
static void
tell_search (SwKernelChoice *choice,
             const Walk *walk,
             const char *variant,
             gboolean is_by_columns,
             gboolean is_strided)
{
  gint64 length = sw_cpu_nest_get_length (&walk->reduced);

  if (is_by_columns || (!is_strided && length >= SW_CPU_ARG_VECTOR_LENGTH))
    {
      sw_cpu_choice_set_code (choice, SW_CPU_CODE_VECTOR, walk->reduction->kept.dtype, variant);
      return;
    }
  sw_kernel_choice_set (choice, "scalar", variant);
  if (is_strided)
    sw_kernel_choice_reject (choice, "vector", "non-unit stride in the reduced modes", -1);
  else
    sw_kernel_choice_reject (choice, "vector", "values of a row:", length);
}

static void
tell (SwKernelChoice *choice,
      const Walk *walk,
      gboolean is_by_columns)
{
  gint64 step = is_by_columns ? sw_cpu_nest_get_step (&walk->kept, 0) : sw_cpu_nest_get_step (&walk->reduced, 0);
  gboolean is_strided = step != 1 && sw_cpu_nest_get_size (&walk->reduced) > 1;
  const char *variant = is_by_columns ? is_strided ? "strided columns" : "contiguous columns"
                        : is_strided  ? "strided rows"
                                      : "contiguous rows";

  if (walk->fold != NULL)
    sw_cpu_choice_set_code (choice, is_by_columns ? walk->fold->columns_code : walk->fold->code, walk->reduction->kept.dtype, variant);
  else
    tell_search (choice, walk, variant, is_by_columns, is_strided);
  if (is_strided)
    sw_kernel_choice_reject (choice, is_by_columns ? "contiguous columns" : "contiguous rows",
                             is_by_columns ? "non-unit stride in the modes that stay" : "non-unit stride in the reduced modes", -1);
}

static gboolean
is_by_columns (const Walk *walk)
{
  return sw_cpu_nest_get_length (&walk->kept) >= MIN_COLUMNS &&
         sw_cpu_nest_get_step (&walk->kept, 0) < sw_cpu_nest_get_step (&walk->reduced, 0);
}

/* Also across short rows, if these are so close together that they stay in the cache from one of their values to the next. */
static gboolean
can_fold_by_columns (const Walk *walk)
{
  return is_by_columns (walk) || (sw_cpu_nest_get_length (&walk->kept) >= MIN_COLUMNS &&
                                  sw_cpu_nest_get_step (&walk->kept, 0) <= 2 * MAX_SHORT_ROW &&
                                  sw_cpu_nest_get_size (&walk->reduced) <= MAX_SHORT_ROW);
}

gboolean
sw_cpu_run_reduce (const SwReduceKernel *kernel,
                   const SwReduction *reduction,
                   GError **error)
{
  const SwCpuReduceKernel *self = (const SwCpuReduceKernel *) kernel;
  SwKernelChoice *choice = sw_kernel_choice_get ();
  gboolean by_columns, overflows;
  Walk walk;

  walk.arg_row = NULL;
  walk.arg_columns = NULL;
  walk.fold = self->folds[reduction->kept.dtype];
  if (reduction->accumulator == SW_DTYPE_FLOAT32 && reduction->kept.dtype == SW_DTYPE_FLOAT64)
    walk.fold = self->narrow_fold;

  walk_init (&walk, reduction, SW_CPU_NEST_SORTED);
  by_columns = can_fold_by_columns (&walk);
  if (G_UNLIKELY (choice != NULL))
    tell (choice, &walk, by_columns);
  if (by_columns)
    overflows = sw_cpu_nest_run_columns (&walk.kept, get_grain (&walk), reduce_some_by_columns, &walk);
  else if (sw_cpu_nest_get_size (&walk.kept) < 4)
    overflows = walk_by_rows (&walk);
  else
    overflows = sw_cpu_nest_run (&walk.kept, get_grain (&walk), reduce_some_by_rows, &walk);
  walk_clear (&walk);
  if (G_UNLIKELY (choice != NULL))
    sw_cpu_choice_end (choice);

  if (G_UNLIKELY (overflows))
    sw_cpu_set_overflow (reduction->name, reduction->result.dtype, find_overflow (reduction, walk.fold), error);
  return !overflows;
}

/* The place of the best value among some of a result's values, which begin with the ordinal @start. */
static gint64
find_place (const Walk *self,
            SwCpuNest *reduced,
            gint64 kept,
            gint64 start,
            gpointer best)
{
  gint64 index = self->kept.at[0] + kept * sw_cpu_nest_get_step (&self->kept, 0);
  gint64 length = sw_cpu_nest_get_length (reduced), place = 0, done = 0;

  do
    {
      self->arg_row (best, &place, done, length,
                     (char *) self->reduction->kept.data + (index + reduced->at[0]) * (gssize) self->input_size,
                     sw_cpu_nest_get_step (reduced, 0));
      done += length;
    }
  while (sw_cpu_nest_next (reduced));

  return start + place;
}

typedef struct
{
  const Walk *walk;
  gint64 kept;
  gint64 n_pieces;
  gint64 best[MAX_PIECES]; /* of any dtype */
  gint64 places[MAX_PIECES];
} Search;

/* The outermost loop is the one whose parts hold ordinals in a row. */
static gboolean
search_piece (gpointer data,
              gint64 piece,
              guint lane)
{
  Search *self = data;
  const SwCpuNest *reduced = &self->walk->reduced;
  guint loop = reduced->n_loops - 1;
  gint64 extent = reduced->loops[loop].extent;
  gint64 first = sw_cpu_pool_get_start (extent, self->n_pieces, piece);
  SwCpuNest part;

  sw_cpu_nest_init_part (&part, reduced, loop, first, sw_cpu_pool_get_start (extent, self->n_pieces, piece + 1));
  self->places[piece] = find_place (self->walk, &part, self->kept, first * (sw_cpu_nest_get_size (reduced) / extent),
                                    &self->best[piece]);
  sw_cpu_nest_clear (&part);
  return FALSE;
}

static gint64
search_in_pieces (Walk *self,
                  gint64 kept,
                  gint64 size)
{
  gint64 place;
  Search search;

  search.walk = self;
  search.kept = kept;
  search.n_pieces = MIN (sw_cpu_pool_get_n_pieces (size, SW_CPU_GRAIN), self->reduced.loops[self->reduced.n_loops - 1].extent);
  sw_cpu_pool_run (search.n_pieces, sw_cpu_pool_get_n_lanes (), search_piece, &search);
  place = search.places[0];
  /* Later ones count only where they are beyond; their ordinals are not 0. */
  for (gint64 piece = 1; piece < search.n_pieces; piece++)
    self->arg_row (&search.best[0], &place, search.places[piece], 1, &search.best[piece], 1);
  return place;
}

static gint64
search_all (Walk *self,
            gint64 kept)
{
  gint64 size = sw_cpu_nest_get_size (&self->reduced);

  return size < 2 * SW_CPU_GRAIN ? find_place (self, &self->reduced, kept, 0, self->accumulators) : search_in_pieces (self, kept, size);
}

static gboolean
search_some (gpointer data,
             SwCpuNest *kept)
{
  Walk walk;

  walk_init_part (&walk, data, kept);
  do
    {
      for (gint64 i = 0; i < sw_cpu_nest_get_length (&walk.kept); i++)
        *(gint64 *) get_result (&walk, i) = search_all (&walk, i);
    }
  while (sw_cpu_nest_next (&walk.kept));
  walk_clear (&walk);

  return FALSE;
}

/* Columns that fit into the accumulators: the best values, and as many places of their size. */
static void
search_columns (Walk *self,
                gint64 first,
                gint64 n)
{
  char *places = self->accumulators + ACCUMULATORS_SIZE / 2;
  gint64 length = sw_cpu_nest_get_length (&self->reduced), done = 0;

  do
    {
      self->arg_columns (self->accumulators, places, done, n, get_input (self, first, 0), length,
                         sw_cpu_nest_get_step (&self->reduced, 0));
      done += length;
    }
  while (sw_cpu_nest_next (&self->reduced));

  for (gint64 i = 0; i < n; i++)
    *(gint64 *) get_result (self, first + i) = self->input_size == sizeof (gint32) ? ((gint32 *) places)[i] : ((gint64 *) places)[i];
}

static gboolean
search_some_by_columns (gpointer data,
                        SwCpuNest *kept)
{
  gint64 length = sw_cpu_nest_get_length (kept), width;
  Walk walk;

  walk_init_part (&walk, data, kept);
  width = ACCUMULATORS_SIZE / 2 / (gint64) walk.input_size;
  do
    {
      for (gint64 first = 0; first < length; first += width)
        search_columns (&walk, first, MIN (width, length - first));
    }
  while (sw_cpu_nest_next (&walk.kept));
  walk_clear (&walk);

  return FALSE;
}

/* Places are as wide as values. */
static gboolean
can_search_by_columns (const Walk *walk)
{
  return is_by_columns (walk) && sw_cpu_nest_get_step (&walk->kept, 0) == 1 &&
         (walk->input_size > sizeof (gint32) || sw_cpu_nest_get_size (&walk->reduced) <= G_MAXINT32);
}

gboolean
sw_cpu_run_arg_reduce (const SwReduceKernel *kernel,
                       const SwReduction *reduction,
                       GError **error)
{
  const SwCpuArgReduceKernel *self = (const SwCpuArgReduceKernel *) kernel;
  SwKernelChoice *choice = sw_kernel_choice_get ();
  gboolean by_columns;
  Walk walk;

  walk.arg_row = self->rows[reduction->kept.dtype];
  walk.arg_columns = self->columns[reduction->kept.dtype];
  walk.fold = NULL;
  /* Ordinals must come in order, so that the first of equal values is found first. */
  walk_init (&walk, reduction, SW_CPU_NEST_IN_ORDER);
  by_columns = can_search_by_columns (&walk);
  if (G_UNLIKELY (choice != NULL))
    tell (choice, &walk, by_columns);
  if (by_columns)
    sw_cpu_nest_run_columns (&walk.kept, get_grain (&walk), search_some_by_columns, &walk);
  else if (sw_cpu_nest_get_size (&walk.kept) < 4)
    search_some (&walk, &walk.kept);
  else
    sw_cpu_nest_run (&walk.kept, get_grain (&walk), search_some, &walk);
  walk_clear (&walk);
  if (G_UNLIKELY (choice != NULL))
    sw_cpu_choice_end (choice);

  return TRUE;
}
