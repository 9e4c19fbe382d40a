/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <math.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-pool-private.h"
#include "sw/carriers/sw-window-rows-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* One image of one channel at a time: each place of the windows in turn, for whole rows of positions. */

/* Not a number is larger than all numbers; the comparison with itself vanishes for integers. */
#define LARGER(a, b) (((a) > (b)) | ((a) != (a)) ? (a) : (b))

#define DEFINE_MAX_POOL(type, Type, LEAST)                                                                                    \
  SW_CPU_INLINE void                                                                                                          \
      fold_row_##type##_at_level (Type *restrict to, const Type *from, gint64 step, gint64 n)                                 \
  {                                                                                                                           \
    if (step == 1)                                                                                                            \
      {                                                                                                                       \
        for (gint64 i = 0; i < n; i++)                                                                                        \
          to[i] = LARGER (from[i], to[i]);                                                                                    \
        return;                                                                                                               \
      }                                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                                            \
      to[i] = LARGER (from[i * step], to[i]);                                                                                 \
  }                                                                                                                           \
                                                                                                                              \
  SW_CPU_DEFINE_LEVELS (void, fold_row_##type,                                                                                \
                        (Type *restrict to, const Type *from, gint64 step, gint64 n),                                         \
                        (to, from, step, n))                                                                                  \
                                                                                                                              \
  static void                                                                                                                 \
      max_pool_##type (const SwWindows *windows, gconstpointer input, gpointer result, double *sums, const gint64 *counts)    \
  {                                                                                                                           \
    gint64 length = windows->counts[windows->n_modes - 1];                                                                    \
    Type *largest = result;                                                                                                   \
                                                                                                                              \
    for (gint64 p = 0; p < windows->n_positions; p++)                                                                         \
      largest[p] = LEAST;                                                                                                     \
    for (gint64 k = 0; k < windows->size; k++)                                                                                \
      {                                                                                                                       \
        for (gint64 row = 0; row < windows->n_positions / length; row++)                                                      \
          {                                                                                                                   \
            SwWindowRow at = sw_windows_get_row (windows, row, k);                                                            \
                                                                                                                              \
            fold_row_##type (largest + row * length + at.first, (const Type *) input + at.index, at.step, at.end - at.first); \
          }                                                                                                                   \
      }                                                                                                                       \
  }

#define DEFINE_AVG_POOL(type, Type)                                                                                        \
  SW_CPU_INLINE void                                                                                                       \
      add_row_##type##_at_level (double *restrict to, const Type *from, gint64 step, gint64 n)                             \
  {                                                                                                                        \
    if (step == 1)                                                                                                         \
      {                                                                                                                    \
        for (gint64 i = 0; i < n; i++)                                                                                     \
          to[i] += from[i];                                                                                                \
        return;                                                                                                            \
      }                                                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                                         \
      to[i] += from[i * step];                                                                                             \
  }                                                                                                                        \
                                                                                                                           \
  SW_CPU_DEFINE_LEVELS (void, add_row_##type,                                                                              \
                        (double *restrict to, const Type *from, gint64 step, gint64 n),                                    \
                        (to, from, step, n))                                                                               \
                                                                                                                           \
  static void                                                                                                              \
      avg_pool_##type (const SwWindows *windows, gconstpointer input, gpointer result, double *sums, const gint64 *counts) \
  {                                                                                                                        \
    gint64 length = windows->counts[windows->n_modes - 1];                                                                 \
                                                                                                                           \
    for (gint64 p = 0; p < windows->n_positions; p++)                                                                      \
      sums[p] = 0;                                                                                                         \
    for (gint64 k = 0; k < windows->size; k++)                                                                             \
      {                                                                                                                    \
        for (gint64 row = 0; row < windows->n_positions / length; row++)                                                   \
          {                                                                                                                \
            SwWindowRow at = sw_windows_get_row (windows, row, k);                                                         \
                                                                                                                           \
            add_row_##type (sums + row * length + at.first, (const Type *) input + at.index, at.step, at.end - at.first);  \
          }                                                                                                                \
      }                                                                                                                    \
    for (gint64 p = 0; p < windows->n_positions; p++)                                                                      \
      ((Type *) result)[p] = (Type) (sums[p] / counts[p]);                                                                 \
  }

DEFINE_MAX_POOL (float32, float, -INFINITY)
DEFINE_MAX_POOL (float64, double, -INFINITY)
DEFINE_MAX_POOL (int32, gint32, G_MININT32)
DEFINE_MAX_POOL (int64, gint64, G_MININT64)
DEFINE_AVG_POOL (float32, float)
DEFINE_AVG_POOL (float64, double)

/* How many values each window has that are not padding. */
static void
count_values (const SwWindows *windows,
              gint64 *counts)
{
  gint64 length = windows->counts[windows->n_modes - 1];

  for (gint64 p = 0; p < windows->n_positions; p++)
    counts[p] = 0;
  for (gint64 k = 0; k < windows->size; k++)
    {
      for (gint64 row = 0; row < windows->n_positions / length; row++)
        {
          SwWindowRow at = sw_windows_get_row (windows, row, k);

          for (gint64 x = at.first; x < at.end; x++)
            counts[row * length + x]++;
        }
    }
}

typedef struct
{
  const SwPooling *pooling;
  SwCpuPoolRow row;
  gint64 n_pieces;
  gint64 n_planes;
  double *sums; /* for each lane; nullable, as counts are */
  const gint64 *counts;
} Run;

static gboolean
pool_some (gpointer data,
           gint64 piece,
           guint lane)
{
  const Run *self = data;
  const SwPooling *pooling = self->pooling;
  const SwLayoutLeaf *leaves = pooling->input.axis.leaves;
  gint64 n_positions = pooling->windows.n_positions;
  gssize size = (gssize) sw_dtype_get_item_size (pooling->result.dtype);
  gint64 end = sw_cpu_pool_get_start (self->n_planes, self->n_pieces, piece + 1);

  for (gint64 plane = sw_cpu_pool_get_start (self->n_planes, self->n_pieces, piece); plane < end; plane++)
    {
      gint64 image = plane / leaves[1].extent, channel = plane % leaves[1].extent;
      gint64 start = pooling->input.offset + image * leaves[0].step + channel * leaves[1].step;

      self->row (&pooling->windows, sw_cpu_view_at (&pooling->input, start),
                 (char *) pooling->result.data + plane * n_positions * size,
                 self->sums != NULL ? self->sums + lane * n_positions : NULL, self->counts);
    }
  return FALSE;
}

static void
tell (SwKernelChoice *choice,
      const SwPooling *pooling)
{
  const SwWindows *windows = &pooling->windows;
  guint last = windows->n_modes - 1;
  gint64 step = windows->strides[last] * windows->input_steps[last];

  sw_cpu_choice_set_code (choice, SW_CPU_CODE_VECTOR, pooling->input.dtype, step == 1 ? "contiguous rows" : "strided rows");
  if (step != 1)
    sw_kernel_choice_reject (choice, "contiguous rows", "neighbouring windows are apart by", step);
}

static gboolean
run_pooling (const SwPoolingKernel *kernel,
             const SwPooling *pooling,
             GError **error)
{
  const SwCpuPoolingKernel *self = (const SwCpuPoolingKernel *) kernel;
  const SwLayoutLeaf *leaves = pooling->input.axis.leaves;
  gint64 n_positions = pooling->windows.n_positions, n_planes = leaves[0].extent * leaves[1].extent;
  gint64 n_pieces = MIN (n_planes, sw_cpu_pool_get_n_pieces (n_planes * n_positions * pooling->windows.size, SW_CPU_GRAIN));
  guint n_lanes = (guint) MIN (n_pieces, sw_cpu_pool_get_n_lanes ());
  g_autofree double *sums = self->needs_sums ? g_try_malloc_n (n_positions, n_lanes * sizeof (double)) : NULL;
  g_autofree gint64 *counts = self->needs_sums ? g_try_new (gint64, n_positions) : NULL;
  Run run = { pooling, self->rows[pooling->input.dtype], n_pieces, n_planes, sums, counts };
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (self->needs_sums && (sums == NULL || counts == NULL))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory for %" G_GINT64_FORMAT " sums", pooling->name, n_positions);
      return FALSE;
    }

  if (G_UNLIKELY (choice != NULL))
    tell (choice, pooling);
  if (counts != NULL)
    count_values (&pooling->windows, counts);
  sw_cpu_pool_run (n_pieces, n_lanes, pool_some, &run);
  if (G_UNLIKELY (choice != NULL))
    sw_cpu_choice_end (choice);
  return TRUE;
}

const SwCpuPoolingKernel sw_cpu_max_pool_kernel = {
  { run_pooling },
  FALSE,
  {
      [SW_DTYPE_FLOAT32] = max_pool_float32,
      [SW_DTYPE_FLOAT64] = max_pool_float64,
      [SW_DTYPE_INT32] = max_pool_int32,
      [SW_DTYPE_INT64] = max_pool_int64,
  },
};

const SwCpuPoolingKernel sw_cpu_avg_pool_kernel = {
  { run_pooling },
  TRUE,
  {
      [SW_DTYPE_FLOAT32] = avg_pool_float32,
      [SW_DTYPE_FLOAT64] = avg_pool_float64,
  },
};
