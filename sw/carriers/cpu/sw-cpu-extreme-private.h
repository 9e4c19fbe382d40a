/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* Before a loop over lanes: one of as many turns as a vector has values is made a vector only if it has not become single values before. */
#if defined(__GNUC__) && !defined(__clang__)
#define LANES_LOOP _Pragma ("GCC unroll 1")
#else
#define LANES_LOOP
#endif

/* Loops that do two things with a value would be made two loops, which read it twice. */
#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribution")
#endif

/* Reductions to the value that is furthest in one direction, and to its place. Whoever includes this says which by
 * BEYOND, which is > or <, and BEHIND, which is <= or >=. */

/* So many that comparisons hardly wait for those before, and so few that reading does not run ahead of what the processor fetches by
 * itself: with four times as many, what comes from memory takes a quarter longer. Few are for short rows. */
#define N_LANES 16
#define FEW_LANES 8
/* So many values are searched for their place, after the block that has the best one was found. */
#define BLOCK 4096
G_STATIC_ASSERT (SW_CPU_ARG_VECTOR_LENGTH >= 2 * N_LANES);

/* Not a number is beyond all numbers; the comparison with itself vanishes for integers. */
#define IS_BEYOND(a, b) (!((a) BEHIND (b)) & ((b) == (b)))
/* The same where it does not matter which of several values that are not numbers is kept. */
#define FURTHER(a, b) (((a) BEYOND (b)) | ((a) != (a)) ? (a) : (b))
/* For numbers only: one instruction. */
#define FURTHER_NUMBER(a, b) ((a) BEYOND (b) ? (a) : (b))
#define ARE_UNORDERED(a, b) __builtin_isunordered (a, b)
#define ARE_NEVER_UNORDERED(a, b) 0

/* By constant widths, so that the compiler sees that no lane is read and written, and folds many at once. */
#define FOLD_LANES(count)           \
  for (int k = 0; k < (count); k++) \
    lanes[k] = FURTHER_NUMBER (lanes[k + (count)], lanes[k]);

#define DEFINE_EXTREME(type, Type, Odd, FIRST, ARE_ODD)                                                                                                \
  static void                                                                                                                            \
      start_##type (gpointer accumulators, gint64 n)                                                                                     \
  {                                                                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                                                       \
      ((Type *) accumulators)[i] = FIRST;                                                                                                \
  }                                                                                                                                      \
                                                                                                                                         \
  /* @n is at least two times the width, which is constant, so that lanes are in registers. Pairs of neighbouring vectors are asked         \
   * together for what is not a number, which the comparisons pass over. The last pairs may have been there before. */                      \
  SW_CPU_INLINE Type                                                                                                                        \
      extreme_in_lanes_##type (gint64 n, const Type *input, gint64 step, const int width)                                                   \
  {                                                                                                                                         \
    Type lanes[N_LANES];                                                                                                                    \
    Odd odd[N_LANES], is_odd = 0;                                                                                                           \
                                                                                                                                            \
    LANES_LOOP                                                                                                                              \
    for (int k = 0; k < width; k++)                                                                                                         \
      {                                                                                                                                     \
        lanes[k] = input[k * step];                                                                                                         \
        odd[k] = 0;                                                                                                                         \
      }                                                                                                                                     \
    for (gint64 i = 0; i < n; i += 2 * width)                                                                                               \
      {                                                                                                                                     \
        const Type *pairs = input + MIN (i, n - 2 * width) * step;                                                                          \
                                                                                                                                            \
        LANES_LOOP                                                                                                                          \
        for (int k = 0; k < width; k++)                                                                                                     \
          {                                                                                                                                 \
            Type a = pairs[k * step], b = pairs[(k + width) * step], further = FURTHER_NUMBER (b, a);                                       \
                                                                                                                                            \
            lanes[k] = FURTHER_NUMBER (further, lanes[k]);                                                                                  \
            odd[k] |= ARE_ODD (a, b);                                                                                                       \
          }                                                                                                                                 \
      }                                                                                                                                     \
    LANES_LOOP                                                                                                                              \
    for (int k = 0; k < width; k++)                                                                                                         \
      is_odd |= odd[k];                                                                                                                     \
    if (is_odd)                                                                                                                             \
      {                                                                                                                                     \
        while (*input == *input)                                                                                                            \
          input += step;                                                                                                                    \
        return *input;                                                                                                                      \
      }                                                                                                                                     \
    if (width == N_LANES)                                                                                                                   \
      FOLD_LANES (8)                                                                                                                        \
    FOLD_LANES (4)                                                                                                                          \
    FOLD_LANES (2)                                                                                                                          \
    return FURTHER_NUMBER (lanes[1], lanes[0]);                                                                                             \
  }                                                                                                                                         \
                                                                                                                                            \
  SW_CPU_INLINE Type                                                                                                                        \
      extreme_of_all_##type (Type best_so_far, gint64 n, const Type *input, gint64 step)                                                    \
  {                                                                                                                                         \
    Type found;                                                                                                                             \
                                                                                                                                            \
    if (n >= 2 * FEW_LANES)                                                                                                                 \
      {                                                                                                                                     \
        found = n >= 2 * N_LANES ? extreme_in_lanes_##type (n, input, step, N_LANES) : extreme_in_lanes_##type (n, input, step, FEW_LANES); \
        return FURTHER (found, best_so_far);                                                                                                \
      }                                                                                                                                     \
    for (gint64 i = 0; i < n; i++)                                                                                                          \
      best_so_far = FURTHER (input[i * step], best_so_far);                                                                                 \
    return best_so_far;                                                                                                                     \
  }                                                                                                                                         \
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
  SW_CPU_INLINE void                                                                                                    \
      add_rows_of_columns_##type##_at_level (gpointer accumulators, gint64 n, gconstpointer input, gint64 n_rows, gint64 step)\
  {                                                                                                                     \
    Type *restrict best_so_far = accumulators;                                                                          \
    const Type *values = input;                                                                                         \
    gint64 r = 0;                                                                                                       \
                                                                                                                        \
    for (; r + 4 <= n_rows; r += 4, values += 4 * step)                                                                 \
      {                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                                  \
          {                                                                                                             \
            Type best = FURTHER (values[i], best_so_far[i]);                                                            \
                                                                                                                        \
            best = FURTHER (values[i + step], best);                                                                    \
            best = FURTHER (values[i + 2 * step], best);                                                                \
            best_so_far[i] = FURTHER (values[i + 3 * step], best);                                                      \
          }                                                                                                             \
      }                                                                                                                 \
    for (; r + 2 <= n_rows; r += 2, values += 2 * step)                                                                 \
      {                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                                  \
          {                                                                                                             \
            Type best = FURTHER (values[i], best_so_far[i]);                                                            \
                                                                                                                        \
            best_so_far[i] = FURTHER (values[i + step], best);                                                          \
          }                                                                                                             \
      }                                                                                                                 \
    for (; r < n_rows; r++, values += step)                                                                             \
      {                                                                                                                 \
        for (gint64 i = 0; i < n; i++)                                                                                  \
          best_so_far[i] = FURTHER (values[i], best_so_far[i]);                                                         \
      }                                                                                                                 \
  }                                                                                                                     \
                                                                                                                        \
  SW_CPU_DEFINE_LEVELS (void, add_rows_of_columns_##type,                                                               \
                        (gpointer accumulators, gint64 n, gconstpointer input, gint64 n_rows, gint64 step),             \
                        (accumulators, n, input, n_rows, step))                                                         \
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
  static const SwCpuFold fold_##type = { sizeof (Type), start_##type, add_row_##type, add_columns_##type, finish_##type, combine_##type, add_rows_of_columns_##type };

/* Each lane keeps its best value and where the pair of vectors began that had it first; the first place of all is in the first of these pairs. */
#define DEFINE_ARG_EXTREME(type, Type, Place, ARE_ODD)                                                                                      \
  /* Where two vectors have the value first. */                                                                                             \
  SW_CPU_INLINE Place                                                                                                                       \
      get_place_in_pair_##type (const Type *pair, Type value)                                                                               \
  {                                                                                                                                         \
    Place place = 2 * N_LANES;                                                                                                              \
                                                                                                                                            \
    LANES_LOOP                                                                                                                              \
    for (int k = 0; k < 2 * N_LANES; k++)                                                                                                   \
      place = MIN (place, pair[k] == value ? k : 2 * N_LANES);                                                                              \
    return place;                                                                                                                           \
  }                                                                                                                                         \
                                                                                                                                            \
  SW_CPU_INLINE gint64                                                                                                                      \
      find_in_block_##type##_at_level (gint64 n, const Type *input, Type *best)                                                             \
  {                                                                                                                                         \
    Type lanes[N_LANES], furthest;                                                                                                          \
    Place starts[N_LANES], odd[N_LANES], is_odd = 0, first = (Place) n;                                                                     \
                                                                                                                                            \
    LANES_LOOP                                                                                                                              \
    for (int k = 0; k < N_LANES; k++)                                                                                                       \
      {                                                                                                                                     \
        lanes[k] = input[k];                                                                                                                \
        starts[k] = odd[k] = 0;                                                                                                             \
      }                                                                                                                                     \
    for (gint64 i = 0; i < n; i += 2 * N_LANES)                                                                                             \
      {                                                                                                                                     \
        Place start = (Place) MIN (i, n - 2 * N_LANES);                                                                                     \
        const Type *pairs = input + start;                                                                                                  \
                                                                                                                                            \
        LANES_LOOP                                                                                                                          \
        for (int k = 0; k < N_LANES; k++)                                                                                                   \
          {                                                                                                                                 \
            Type a = pairs[k], b = pairs[k + N_LANES], further = FURTHER_NUMBER (b, a);                                                     \
            Place is_new = -(Place) (further BEYOND lanes[k]);                                                                              \
                                                                                                                                            \
            starts[k] ^= (starts[k] ^ start) & is_new;                                                                                      \
            lanes[k] = FURTHER_NUMBER (further, lanes[k]);                                                                                  \
            odd[k] |= ARE_ODD (a, b);                                                                                                       \
          }                                                                                                                                 \
      }                                                                                                                                     \
    LANES_LOOP                                                                                                                              \
    for (int k = 0; k < N_LANES; k++)                                                                                                       \
      is_odd |= odd[k];                                                                                                                     \
    if (is_odd)                                                                                                                             \
      {                                                                                                                                     \
        for (first = 0; input[first] == input[first];)                                                                                      \
          first++;                                                                                                                          \
        *best = input[first];                                                                                                               \
        return first;                                                                                                                       \
      }                                                                                                                                     \
    furthest = lanes[0];                                                                                                                    \
    LANES_LOOP                                                                                                                              \
    for (int k = 0; k < N_LANES; k++)                                                                                                       \
      furthest = FURTHER_NUMBER (lanes[k], furthest);                                                                                       \
    LANES_LOOP                                                                                                                              \
    for (int k = 0; k < N_LANES; k++)                                                                                                       \
      first = MIN (first, lanes[k] == furthest ? starts[k] : first);                                                                        \
    *best = furthest;                                                                                                                       \
    return first + get_place_in_pair_##type (input + first, furthest);                                                                      \
  }                                                                                                                                         \
  SW_CPU_DEFINE_LEVELS (gint64, find_in_block_##type,                                                                                       \
                        (gint64 n, const Type *input, Type *best),                                                                          \
                        (n, input, best))                                                                                                   \
                                                                                                                                            \
  /* Of neighbouring columns, the best value so far and its row, through some rows; two are compared while these are in registers. */ \
  SW_CPU_INLINE void                                                                                                                  \
      find_in_columns_##type##_at_level (gpointer best, gpointer places, gint64 start, gint64 n, gconstpointer input, gint64 n_rows,  \
                                         gint64 step)                                                                                 \
  {                                                                                                                                   \
    Type *restrict best_so_far = best;                                                                                                \
    Place *restrict place = places;                                                                                                   \
    const Type *values = input;                                                                                                       \
    gint64 r = 0;                                                                                                                     \
                                                                                                                                      \
    if (start == 0)                                                                                                                   \
      {                                                                                                                               \
        for (gint64 i = 0; i < n; i++)                                                                                                \
          {                                                                                                                           \
            best_so_far[i] = values[i];                                                                                               \
            place[i] = 0;                                                                                                             \
          }                                                                                                                           \
      }                                                                                                                               \
    for (; r + 2 <= n_rows; r += 2, values += 2 * step)                                                                               \
      {                                                                                                                               \
        Place first = (Place) (start + r);                                                                                            \
                                                                                                                                      \
        for (gint64 i = 0; i < n; i++)                                                                                                \
          {                                                                                                                           \
            Type a = values[i], b = values[i + step];                                                                                 \
            Place at = IS_BEYOND (a, best_so_far[i]) ? first : place[i];                                                              \
            Type further = IS_BEYOND (a, best_so_far[i]) ? a : best_so_far[i];                                                        \
                                                                                                                                      \
            place[i] = IS_BEYOND (b, further) ? first + 1 : at;                                                                       \
            best_so_far[i] = IS_BEYOND (b, further) ? b : further;                                                                    \
          }                                                                                                                           \
      }                                                                                                                               \
    for (gint64 i = 0; i < n && r < n_rows; i++)                                                                                      \
      {                                                                                                                               \
        place[i] = IS_BEYOND (values[i], best_so_far[i]) ? (Place) (start + r) : place[i];                                            \
        best_so_far[i] = IS_BEYOND (values[i], best_so_far[i]) ? values[i] : best_so_far[i];                                          \
      }                                                                                                                               \
  }                                                                                                                                   \
  SW_CPU_DEFINE_LEVELS (void, find_in_columns_##type,                                                                                 \
                        (gpointer best, gpointer places, gint64 start, gint64 n, gconstpointer input, gint64 n_rows, gint64 step),    \
                        (best, places, start, n, input, n_rows, step))                                                                \
                                                                                                                                      \
  static void                                                                                                                               \
      find_in_row_##type (Type *best_so_far, gint64 *place, gint64 start, gint64 n, const Type *values)                                     \
  {                                                                                                                                         \
    Type found;                                                                                                                             \
    gint64 at = find_in_block_##type (n, values, &found);                                                                                   \
                                                                                                                                            \
    if (start != 0 && !IS_BEYOND (found, *best_so_far))                                                                                     \
      return;                                                                                                                               \
    *best_so_far = found;                                                                                                                   \
    *place = start + at;                                                                                                                    \
  }                                                                                                                                         \
                                                                                                                                            \
  /* Only the block that has the best value is searched for its place; none is shorter than two vectors. */                                 \
  static void                                                                                                                               \
      find_in_long_row_##type (Type *best_so_far, gint64 *place, gint64 start, gint64 n, const Type *values)                                \
  {                                                                                                                                         \
    gint64 block = -1, block_length = 0;                                                                                                    \
    Type found;                                                                                                                             \
                                                                                                                                            \
    for (gint64 i = 0, length; i < n; i += length)                                                                                          \
      {                                                                                                                                     \
        length = n - i < 2 * BLOCK ? n - i : BLOCK;                                                                                         \
        found = values[i];                                                                                                                  \
        add_row_##type (&found, length, values + i, 1);                                                                                     \
        if (start + i != 0 && !IS_BEYOND (found, *best_so_far))                                                                             \
          continue;                                                                                                                         \
        *best_so_far = found;                                                                                                               \
        block = i;                                                                                                                          \
        block_length = length;                                                                                                              \
      }                                                                                                                                     \
    if (block >= 0)                                                                                                                         \
      *place = start + block + find_in_block_##type (block_length, values + block, &found);                                                 \
  }                                                                                                                                         \
                                                                                                                                            \
  static void                                                                                                \
      find_##type (gpointer best, gint64 *place, gint64 start, gint64 n, gconstpointer input, gint64 step)   \
  {                                                                                                          \
    const Type *values = input;                                                                              \
    Type *best_so_far = best;                                                                                \
                                                                                                             \
    if (start == 0)                                                                                          \
      *best_so_far = values[0];                                                                              \
    if (n >= SW_CPU_ARG_VECTOR_LENGTH && step == 1)                                                                                         \
      {                                                                                                                                     \
        if (n >= 2 * BLOCK)                                                                                                                 \
          find_in_long_row_##type (best_so_far, place, start, n, values);                                                                   \
        else                                                                                                                                \
          find_in_row_##type (best_so_far, place, start, n, values);                                                                        \
        return;                                                                                                                             \
      }                                                                                                                                     \
    for (gint64 i = 0; i < n; i++)                                                                           \
      {                                                                                                      \
        if (!IS_BEYOND (values[i * step], *best_so_far))                                                     \
          continue;                                                                                          \
        *best_so_far = values[i * step];                                                                     \
        *place = start + i;                                                                                  \
      }                                                                                                      \
  }
