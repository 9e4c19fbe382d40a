/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* Reductions to the value that is furthest in one direction, and to its place. Whoever includes this says which by
 * BEYOND, which is > or <. */

/* Enough that no comparison waits for the one before. */
#define N_LANES 128
/* So many at a time are asked whether the value is among them, once it is known to be near. */
#define FEW_LANES 32
/* So many values are searched for their place, after the block that has the best one was found. */
#define BLOCK 4096

/* Not a number is beyond all numbers; the comparison with itself vanishes for integers. */
#define IS_BEYOND(a, b) (((a) BEYOND (b)) | (((a) != (a)) & ((b) == (b))))
/* The same where it does not matter which of several values that are not numbers is kept. */
#define FURTHER(a, b) (((a) BEYOND (b)) | ((a) != (a)) ? (a) : (b))
#define IS_SAME(a, b) (((a) == (b)) | (((a) != (a)) & ((b) != (b))))

/* By constant widths, so that the compiler sees that no lane is read and written, and folds many at once. */
#define FOLD_LANES(width)           \
  for (int k = 0; k < (width); k++) \
    lanes[k] = FURTHER (lanes[k + (width)], lanes[k]);

#define DEFINE_EXTREME(type, Type, FIRST)                                                                                                \
  static void                                                                                                                            \
      start_##type (gpointer accumulators, gint64 n)                                                                                     \
  {                                                                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                                                       \
      ((Type *) accumulators)[i] = FIRST;                                                                                                \
  }                                                                                                                                      \
                                                                                                                                         \
  SW_CPU_INLINE Type                                                                                                                     \
      extreme_of_all_##type (Type best_so_far, gint64 n, const Type *input, gint64 step)                                                 \
  {                                                                                                                                      \
    Type lanes[N_LANES];                                                                                                                 \
    gint64 i = 0;                                                                                                                        \
                                                                                                                                         \
    if (n >= N_LANES)                                                                                                                    \
      {                                                                                                                                  \
        for (int k = 0; k < N_LANES; k++)                                                                                                \
          lanes[k] = best_so_far;                                                                                                        \
        for (; i + N_LANES <= n; i += N_LANES)                                                                                           \
          {                                                                                                                              \
            for (int k = 0; k < N_LANES; k++)                                                                                            \
              lanes[k] = FURTHER (input[(i + k) * step], lanes[k]);                                                                      \
          }                                                                                                                              \
        FOLD_LANES (64)                                                                                              \
        FOLD_LANES (32)                                                                                              \
        FOLD_LANES (16)                                                                                              \
        FOLD_LANES (8)                                                                                               \
        FOLD_LANES (4)                                                                                               \
        FOLD_LANES (2)                                                                                               \
        FOLD_LANES (1)                                                                                               \
        best_so_far = lanes[0];                                                                                      \
      }                                                                                                                                  \
    for (; i < n; i++)                                                                                                                   \
      best_so_far = FURTHER (input[i * step], best_so_far);                                                                              \
    return best_so_far;                                                                                                                  \
  }                                                                                                                                      \
                                                                                                                                         \
  SW_CPU_INLINE void                                                                                                                     \
      add_row_##type##_at_level (gpointer accumulator, gint64 n, gconstpointer input, gint64 step)                                       \
  {                                                                                                                                      \
    Type *best_so_far = accumulator;                                                                                                     \
                                                                                                                                         \
    *best_so_far = step == 1 ? extreme_of_all_##type (*best_so_far, n, input, 1) : extreme_of_all_##type (*best_so_far, n, input, step); \
  }                                                                                                                                      \
                                                                                                                                         \
  SW_CPU_DEFINE_LEVELS (void, add_row_##type,                                                                                            \
                        (gpointer accumulator, gint64 n, gconstpointer input, gint64 step),                                              \
                        (accumulator, n, input, step))                                                                                   \
                                                                                                                                         \
  SW_CPU_INLINE void                                                                                                                     \
      add_columns_##type##_at_level (gpointer accumulators, gint64 n, gconstpointer input, gint64 step)                                  \
  {                                                                                                                                      \
    Type *restrict best_so_far = accumulators;                                                                                           \
    const Type *values = input;                                                                                                          \
                                                                                                                                         \
    if (step == 1)                                                                                                                       \
      {                                                                                                                                  \
        for (gint64 i = 0; i < n; i++)                                                                                                   \
          best_so_far[i] = FURTHER (values[i], best_so_far[i]);                                                                          \
        return;                                                                                                                          \
      }                                                                                                                                  \
    for (gint64 i = 0; i < n; i++)                                                                                                       \
      best_so_far[i] = FURTHER (values[i * step], best_so_far[i]);                                                                       \
  }                                                                                                                                      \
                                                                                                                                         \
  SW_CPU_DEFINE_LEVELS (void, add_columns_##type,                                                                                        \
                        (gpointer accumulators, gint64 n, gconstpointer input, gint64 step),                                             \
                        (accumulators, n, input, step))                                                                                  \
                                                                                                                                         \
  static gboolean                                                                                                                        \
      finish_##type (gconstpointer accumulators, gint64 n, gpointer result, gint64 step)                                                 \
  {                                                                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                                                       \
      ((Type *) result)[i * step] = ((const Type *) accumulators)[i];                                                                    \
    return FALSE;                                                                                                                        \
  }                                                                                                                                      \
                                                                                                                                         \
  static void                                                                                                        \
      combine_##type (gpointer accumulator, gconstpointer later)                                                     \
  {                                                                                                                  \
    add_row_##type (accumulator, 1, later, 1);                                                                       \
  }                                                                                                                  \
                                                                                                                     \
  static const SwCpuFold fold_##type = { sizeof (Type), start_##type, add_row_##type, add_columns_##type, finish_##type, combine_##type };

/* A long row is first asked, in vector code, for its best value, and only then where that is. */
#define DEFINE_ARG_EXTREME(type, Type)                                                                       \
  SW_CPU_INLINE gboolean                                                                                     \
      has_##type##_at_level (const Type *input, int n, Type value)                                           \
  {                                                                                                          \
    gboolean found = FALSE;                                                                                  \
                                                                                                             \
    for (int k = 0; k < n; k++)                                                                              \
      found |= IS_SAME (input[k], value);                                                                    \
    return found;                                                                                            \
  }                                                                                                          \
                                                                                                             \
  SW_CPU_INLINE gint64                                                                                       \
      get_place_##type##_at_level (const Type *input, gint64 n, Type value)                                  \
  {                                                                                                          \
    gint64 i = 0;                                                                                            \
                                                                                                             \
    while (i + N_LANES <= n && !has_##type##_at_level (input + i, N_LANES, value))                           \
      i += N_LANES;                                                                                          \
    while (i + FEW_LANES <= n && !has_##type##_at_level (input + i, FEW_LANES, value))                       \
      i += FEW_LANES;                                                                                        \
    while (!IS_SAME (input[i], value))                                                                       \
      i++;                                                                                                   \
    return i;                                                                                                \
  }                                                                                                          \
  SW_CPU_DEFINE_LEVELS (gint64, get_place_##type,                                                            \
                        (const Type *input, gint64 n, Type value),                                           \
                        (input, n, value))                                                                   \
                                                                                                             \
  static void                                                                                           \
      find_in_long_row_##type (Type *best_so_far, gint64 *place, gint64 start, gint64 n, const Type *values)\
  {                                                                                                     \
    gint64 block = -1;                                                                                  \
                                                                                                        \
    for (gint64 i = 0; i < n; i += BLOCK)                                                               \
      {                                                                                                 \
        Type found = values[i];                                                                         \
                                                                                                        \
        add_row_##type (&found, MIN (n - i, BLOCK), values + i, 1);                                     \
        if (start + i != 0 && !IS_BEYOND (found, *best_so_far))                                         \
          continue;                                                                                     \
        *best_so_far = found;                                                                           \
        block = i;                                                                                      \
      }                                                                                                 \
    if (block >= 0)                                                                                     \
      *place = start + block + get_place_##type (values + block, MIN (n - block, BLOCK), *best_so_far); \
  }                                                                                                     \
                                                                                                        \
  static void                                                                                                \
      find_##type (gpointer best, gint64 *place, gint64 start, gint64 n, gconstpointer input, gint64 step)   \
  {                                                                                                          \
    const Type *values = input;                                                                              \
    Type *best_so_far = best;                                                                                \
                                                                                                             \
    if (start == 0)                                                                                          \
      *best_so_far = values[0];                                                                              \
    if (n >= SW_CPU_ARG_VECTOR_LENGTH && step == 1)                                                          \
      {                                                                                                      \
        find_in_long_row_##type (best_so_far, place, start, n, values);                                      \
        return;                                                                                              \
      }                                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                           \
      {                                                                                                      \
        if (!IS_BEYOND (values[i * step], *best_so_far))                                                     \
          continue;                                                                                          \
        *best_so_far = values[i * step];                                                                     \
        *place = start + i;                                                                                  \
      }                                                                                                      \
  }
