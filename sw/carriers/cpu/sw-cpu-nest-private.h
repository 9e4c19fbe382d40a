/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

#define SW_CPU_MAX_VIEWS 4
#define SW_CPU_LOOPS_ON_STACK 8

typedef struct
{
  gint64 extent;
  gint64 done; /* how often the loop has gone on, in this pass */
  gint64 steps[SW_CPU_MAX_VIEWS];
} SwCpuLoop;

/* Walks through up to four congruent views at once, in as few nested loops as their steps allow. The innermost loop,
 * which is called a row, is left to the caller. */
typedef struct
{
  guint n_views;
  guint n_loops;               /* at least one */
  SwCpuLoop *loops;            /* the row first */
  gint64 at[SW_CPU_MAX_VIEWS]; /* index of the current row's first value, in each view's storage */
  SwCpuLoop on_stack[SW_CPU_LOOPS_ON_STACK];
} SwCpuNest;

typedef enum
{
  /* Rows in the order of the ordinals, each as long as neighbouring leaves allow. */
  SW_CPU_NEST_IN_ORDER,
  /* Small steps of the first view innermost, in any order of the ordinals. */
  SW_CPU_NEST_SORTED,
} SwCpuNestOrder;

void
sw_cpu_nest_init (SwCpuNest *self,
                  const SwAxis *const *axes,
                  const gint64 *offsets,
                  guint n_views,
                  SwCpuNestOrder order);
void
sw_cpu_nest_clear (SwCpuNest *self);
/* Moves to the next row; FALSE: that was the last one, and the nest stands at the first row again. */
gboolean
sw_cpu_nest_next (SwCpuNest *self);

/* What a nest with the loop @loop of @whole from @start to @end goes through. */
void
sw_cpu_nest_init_part (SwCpuNest *self,
                       const SwCpuNest *whole,
                       guint loop,
                       gint64 start,
                       gint64 end);
/* How many values all rows have. */
gint64 sw_cpu_nest_get_size (const SwCpuNest *self);
/* The outermost loop that can be divided into so many pieces, else the longest one. */
guint
sw_cpu_nest_get_divisible (const SwCpuNest *self,
                           gint64 n_pieces);

/* Goes through all rows of a nest; returns what is told of all pieces together. */
typedef gboolean (*SwCpuNestTask) (gpointer data,
                                   SwCpuNest *nest);
/* Divides a nest of at least twice @grain values among the threads of the pool; rows of one piece must not depend on those of another. */
gboolean
sw_cpu_nest_run (SwCpuNest *self,
                 gint64 grain,
                 SwCpuNestTask task,
                 gpointer data);

/* The same for neighbouring columns that are computed row by row, so that memory is walked through in order: in pieces as wide as the
 * number of threads allows, and of @least columns. Results must not depend on how columns are divided. */
gboolean
sw_cpu_nest_run_columns (SwCpuNest *self,
                         gint64 least,
                         SwCpuNestTask task,
                         gpointer data);

/* Runs a task whose rows may come in any order and length, tile by tile where rows of one view lie across those of another. */
gboolean
sw_cpu_nest_run_in_tiles (SwCpuNest *self,
                          SwCpuNestTask task,
                          gpointer data);

/* How many values a row has. */
static inline gint64
sw_cpu_nest_get_length (const SwCpuNest *self)
{
  return self->loops[0].extent;
}

static inline gint64
sw_cpu_nest_get_step (const SwCpuNest *self,
                      guint view)
{
  return self->loops[0].steps[view];
}

/* Where the current row begins. */
static inline gpointer
sw_cpu_nest_get_row (const SwCpuNest *self,
                     guint view,
                     gpointer data,
                     gsize item_size)
{
  return (char *) data + self->at[view] * (gssize) item_size;
}

G_END_DECLS
