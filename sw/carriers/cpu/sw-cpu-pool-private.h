/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One pool of threads that all kernels share. Work is divided into pieces by its size alone, whatever the number of threads,
 * so that results are the same to the last bit for every number. */

/* Computes one piece. @lane is a number below the @n_lanes of the call, which no other piece has at the same time: for memory
 * that pieces use one after the other. Returns what is told of all pieces together: whether a result was out of range. */
typedef gboolean (*SwCpuTask) (gpointer data,
                               gint64 piece,
                               guint lane);

/* How many threads may compute at once, the calling one included. */
guint sw_cpu_pool_get_n_lanes (void);

/* Runs all pieces on the calling thread and whichever of the pool's are there in time, up to @n_lanes in all, and returns when
 * all have ended, with whether one returned %TRUE. Where another thread has the pool, or in a task, all pieces run on
 * the calling thread: there is never more than one lane for each processor. */
gboolean
sw_cpu_pool_run (gint64 n_pieces,
                 guint n_lanes,
                 SwCpuTask task,
                 gpointer data);

/* The same for few pieces that are known to take long: threads that sleep are called at once. */
gboolean
sw_cpu_pool_run_long (gint64 n_pieces,
                      guint n_lanes,
                      SwCpuTask task,
                      gpointer data);

/* Into how many pieces to divide what is worth @grain of a piece: at most 256, and 1 for less than two. */
static inline gint64
sw_cpu_pool_get_n_pieces (gint64 size,
                          gint64 grain)
{
  return CLAMP (size / grain, 1, 256);
}

/* Where the @piece-th of @n_pieces begins; nearly even, and at multiples of 64 values where there are so many. */
static inline gint64
sw_cpu_pool_get_start (gint64 size,
                       gint64 n_pieces,
                       gint64 piece)
{
  gint64 start = size / n_pieces * piece + size % n_pieces * piece / n_pieces;

  return piece == n_pieces || size / n_pieces < 256 ? start : start & ~(gint64) 63;
}

G_END_DECLS
