/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* A value of a row; what comes first where all are one, which is then read only once, whatever the compiler makes of the results
 * that are written meanwhile. */
#define SW_CPU_AT(row, i, step, first) (__builtin_constant_p (step) && (step) == 0 ? (first) : (row)[(i) * (step)])

/* What is read or written across the end of a line of the cache takes two accesses; in shorter rows, less than a call for the values
 * before the first whole line. */
#define SW_CPU_LINE_BYTES 64
#define SW_CPU_MIN_SPLIT_LENGTH 1024

/* How many values at the beginning of a row to compute by themselves, so that those after them lie in whole lines where @first and
 * @second point; 0: none, or no number is right for both. For two inputs it does not matter where the result begins: there are
 * more loads than stores, and they are waited for. */
static inline gint64
sw_cpu_get_head (gint64 n,
                 gconstpointer first,
                 gconstpointer second,
                 gsize size)
{
  gsize before = -(guintptr) first % SW_CPU_LINE_BYTES;

  if (n < SW_CPU_MIN_SPLIT_LENGTH || before != -(guintptr) second % SW_CPU_LINE_BYTES)
    return 0;
  return before / size;
}

/* Goes through the two parts of a row, from @start to @end, with one copy of the code for both. */
#define SW_CPU_FOR_PARTS(n, head, start, end) \
  for (gint64 start = 0, end = (head) > 0 ? (head) : (n); start < (n); start = end, end = (n))

/* Reals that do not fit into the nearest caches are asked for a little before their turn, line by line, and so are the lines of results:
 * vectors as wide as a line otherwise use a tenth to a seventh less of the memory's bandwidth than narrow ones. Where the result begins
 * does not matter there. With one input, vectors of half a line gain another twentieth: if the result lies across lines, only every
 * second of them does. */
#define SW_CPU_MIN_STREAMED_LENGTH (1 << 15)
#define SW_CPU_LINE_LENGTH(Type) ((gint64) (SW_CPU_LINE_BYTES / sizeof (Type)))
#define SW_CPU_IS_STREAMED(Type, n) ((Type) 0.5 > 0 && (n) >= SW_CPU_MIN_STREAMED_LENGTH)
#define SW_CPU_ASK_FOR(row, i, Type, is_written) __builtin_prefetch ((row) + (i) + 4 * SW_CPU_LINE_LENGTH (Type), is_written)

/* Definitions of row functions. Each comes from an inline function of the same name with "one_" before it, which computes
 * one value and may set the sign bit of *bad to report that there is no result. Loops over neighbouring values are
 * separate, so that the compiler makes vector code of them. */

#define SW_CPU_DEFINE_UNARY_ROW(operation, type, Type, Result, Bad)                                              \
  SW_CPU_INLINE gboolean                                                                                         \
      all_##operation##_##type (gint64 n,                                                                        \
                                const Type *input,                                                               \
                                gint64 input_step,                                                               \
                                Result *result,                                                         \
                                gint64 result_step)                                                              \
  {                                                                                                              \
    Bad bad = 0;                                                                                                 \
                                                                                                                 \
    SW_CPU_INDEPENDENT                                                                                           \
    for (gint64 i = 0; i < n; i++)                                                                               \
      result[i * result_step] = one_##operation##_##type (input[i * input_step], &bad);                          \
    return bad < 0;                                                                                              \
  }                                                                                                              \
                                                                                                                 \
  SW_CPU_INLINE gboolean                                                                                         \
      operation##_##type##_at_level (gint64 n,                                                                   \
                          gconstpointer input,                                                                   \
                          gint64 input_step,                                                                     \
                          gpointer result,                                                                       \
                          gint64 result_step)                                                                    \
  {                                                                                                              \
    const Type *values = input;                                                                                  \
    Result *results = result;                                                                                    \
    gboolean is_bad = FALSE;                                                                                     \
                                                                                                                 \
    if (result_step != 1 || input_step != 1)                                                                     \
      return all_##operation##_##type (n, input, input_step, result, result_step);                               \
                                                                                                                 \
    if (SW_CPU_IS_STREAMED (Type, n))                                                                            \
      {                                                                                                          \
        gint64 i = sw_cpu_get_head (n, input, input, sizeof (Type));                                             \
                                                                                                                 \
        is_bad = all_##operation##_##type (i, values, 1, results, 1);                                            \
        for (; i + SW_CPU_LINE_LENGTH (Type) <= n; i += SW_CPU_LINE_LENGTH (Type))                               \
          {                                                                                                      \
            SW_CPU_ASK_FOR (values, i, Type, 0);                                                                 \
            SW_CPU_ASK_FOR (results, i, Type, 1);                                                                \
            for (gint64 part = i; part < i + SW_CPU_LINE_LENGTH (Type); part += SW_CPU_LINE_LENGTH (Type) / 2)   \
              is_bad |= all_##operation##_##type (SW_CPU_LINE_LENGTH (Type) / 2, values + part, 1,               \
                                                  results + part, 1);                                            \
          }                                                                                                      \
        return is_bad | all_##operation##_##type (n - i, values + i, 1, results + i, 1);                         \
      }                                                                                                          \
    SW_CPU_FOR_PARTS (n, sw_cpu_get_head (n, input, result, sizeof (Type)), start, end)                          \
      is_bad |= all_##operation##_##type (end - start, values + start, 1, results + start, 1);                   \
    return is_bad;                                                                                               \
  }                                                                                                              \
                                                                                                                 \
  SW_CPU_DEFINE_LEVELS (gboolean, operation##_##type,                                                            \
                        (gint64 n, gconstpointer input, gint64 input_step, gpointer result, gint64 result_step), \
                        (n, input, input_step, result, result_step))

/* There is always a result. */
#define SW_CPU_DEFINE_UNARY(operation, type, Type, Result, expression) \
  SW_CPU_INLINE Result                                                 \
      one_##operation##_##type (Type x, gint32 *bad)                   \
  {                                                                    \
    return expression;                                                 \
  }                                                                    \
  SW_CPU_DEFINE_UNARY_ROW (operation, type, Type, Result, gint32)

#define SW_CPU_DEFINE_PARAMETRIC(operation, type, Type, expression)                                                                              \
  SW_CPU_INLINE Type                                                                                                                             \
      one_##operation##_##type (Type x, Type a, Type b)                                                                                          \
  {                                                                                                                                              \
    return expression;                                                                                                                           \
  }                                                                                                                                              \
                                                                                                                                                 \
  SW_CPU_INLINE void                                                                                                                             \
      all_##operation##_##type (gint64 n,                                                                                                        \
                                const Type *input,                                                                                               \
                                gint64 input_step,                                                                                               \
                                Type a,                                                                                                          \
                                Type b,                                                                                                          \
                                Type *result,                                                                                           \
                                gint64 result_step)                                                                                              \
  {                                                                                                                                              \
    SW_CPU_INDEPENDENT                                                                                                                           \
    for (gint64 i = 0; i < n; i++)                                                                                                               \
      result[i * result_step] = one_##operation##_##type (input[i * input_step], a, b);                                                          \
  }                                                                                                                                              \
                                                                                                                                                 \
  SW_CPU_INLINE void                                                                                                                             \
      operation##_##type##_at_level (gint64 n,                                                                                                   \
                          gconstpointer input,                                                                                                   \
                          gint64 input_step,                                                                                                     \
                          const SwNumberCell *parameters,                                                                                        \
                          gpointer result,                                                                                                       \
                          gint64 result_step)                                                                                                    \
  {                                                                                                                                              \
    Type a = parameters[0].type, b = parameters[1].type;                                                                                         \
                                                                                                                                                 \
    if (result_step == 1 && input_step == 1)                                                                                                     \
      all_##operation##_##type (n, input, 1, a, b, result, 1);                                                                                   \
    else                                                                                                                                         \
      all_##operation##_##type (n, input, input_step, a, b, result, result_step);                                                                \
  }                                                                                                                                              \
                                                                                                                                                 \
  SW_CPU_DEFINE_LEVELS (void, operation##_##type,                                                                                                \
                        (gint64 n, gconstpointer input, gint64 input_step, const SwNumberCell *parameters, gpointer result, gint64 result_step), \
                        (n, input, input_step, parameters, result, result_step))

#define SW_CPU_DEFINE_BINARY_ROW(operation, type, Type, Result, Bad)                                                                             \
  SW_CPU_INLINE gboolean                                                                                                                         \
      all_##operation##_##type (gint64 n,                                                                                                        \
                                const Type *lhs,                                                                                                 \
                                gint64 lhs_step,                                                                                                 \
                                const Type *rhs,                                                                                                 \
                                gint64 rhs_step,                                                                                                 \
                                Result *result,                                                                                         \
                                gint64 result_step)                                                                                              \
  {                                                                                                                                              \
    Type first_lhs = lhs[0], first_rhs = rhs[0];                                                                                                 \
    Bad bad = 0;                                                                                                                                 \
                                                                                                                                                 \
    SW_CPU_INDEPENDENT                                                                                                                           \
    for (gint64 i = 0; i < n; i++)                                                                                                               \
      result[i * result_step] = one_##operation##_##type (SW_CPU_AT (lhs, i, lhs_step, first_lhs), SW_CPU_AT (rhs, i, rhs_step, first_rhs), &bad);\
    return bad < 0;                                                                                                                              \
  }                                                                                                                                              \
                                                                                                                                                 \
  SW_CPU_INLINE gboolean                                                                                                                         \
      operation##_##type##_at_level (gint64 n,                                                                                                   \
                          gconstpointer lhs,                                                                                                     \
                          gint64 lhs_step,                                                                                                       \
                          gconstpointer rhs,                                                                                                     \
                          gint64 rhs_step,                                                                                                       \
                          gpointer result,                                                                                                       \
                          gint64 result_step)                                                                                                    \
  {                                                                                                                                              \
    if (result_step == 1 && lhs_step == 1 && rhs_step == 1)                                                                                      \
      {                                                                                                                                          \
        const Type *a = lhs, *b = rhs;                                                                                                           \
        Result *results = result;                                                                                                                \
        gboolean is_bad = FALSE;                                                                                                                 \
                                                                                                                                                 \
        if (SW_CPU_IS_STREAMED (Type, n))                                                                                                        \
          {                                                                                                                                      \
            gint64 i = sw_cpu_get_head (n, lhs, rhs, sizeof (Type));                                                                             \
                                                                                                                                                 \
            if (i > 0)                                                                                                                           \
              is_bad = all_##operation##_##type (i, a, 1, b, 1, results, 1);                                                                     \
            for (; i + SW_CPU_LINE_LENGTH (Type) <= n; i += SW_CPU_LINE_LENGTH (Type))                                                           \
              {                                                                                                                                  \
                SW_CPU_ASK_FOR (a, i, Type, 0);                                                                                                  \
                SW_CPU_ASK_FOR (b, i, Type, 0);                                                                                                  \
                SW_CPU_ASK_FOR (results, i, Type, 1);                                                                                            \
                is_bad |= all_##operation##_##type (SW_CPU_LINE_LENGTH (Type), a + i, 1, b + i, 1, results + i, 1);                              \
              }                                                                                                                                  \
            return i < n ? is_bad | all_##operation##_##type (n - i, a + i, 1, b + i, 1, results + i, 1) : is_bad;                               \
          }                                                                                                                                      \
        SW_CPU_FOR_PARTS (n, sw_cpu_get_head (n, lhs, rhs, sizeof (Type)), start, end)                                                           \
          is_bad |= all_##operation##_##type (end - start, a + start, 1, b + start, 1, results + start, 1);                                      \
        return is_bad;                                                                                                                           \
      }                                                                                                                                          \
    if (result_step == 1 && lhs_step == 1 && rhs_step == 0)                                                                                      \
      return all_##operation##_##type (n, lhs, 1, rhs, 0, result, 1);                                                                            \
    if (result_step == 1 && lhs_step == 0 && rhs_step == 1)                                                                                      \
      return all_##operation##_##type (n, lhs, 0, rhs, 1, result, 1);                                                                            \
    return all_##operation##_##type (n, lhs, lhs_step, rhs, rhs_step, result, result_step);                                                      \
  }                                                                                                                                              \
                                                                                                                                                 \
  SW_CPU_DEFINE_LEVELS (gboolean, operation##_##type,                                                                                            \
                        (gint64 n, gconstpointer lhs, gint64 lhs_step, gconstpointer rhs, gint64 rhs_step, gpointer result, gint64 result_step), \
                        (n, lhs, lhs_step, rhs, rhs_step, result, result_step))

/* There is always a result. */
#define SW_CPU_DEFINE_BINARY(operation, type, Type, Result, expression) \
  SW_CPU_INLINE Result                                                  \
      one_##operation##_##type (Type a, Type b, gint32 *bad)            \
  {                                                                     \
    return expression;                                                  \
  }                                                                     \
  SW_CPU_DEFINE_BINARY_ROW (operation, type, Type, Result, gint32)

#define SW_CPU_REAL_ROWS(operation)           \
  {                                           \
    [SW_DTYPE_FLOAT32] = operation##_float32, \
    [SW_DTYPE_FLOAT64] = operation##_float64, \
  }

#define SW_CPU_NUMBER_ROWS(operation)         \
  {                                           \
    [SW_DTYPE_FLOAT32] = operation##_float32, \
    [SW_DTYPE_FLOAT64] = operation##_float64, \
    [SW_DTYPE_INT32] = operation##_int32,     \
    [SW_DTYPE_INT64] = operation##_int64,     \
  }

#define SW_CPU_ALL_ROWS(operation)            \
  {                                           \
    [SW_DTYPE_FLOAT32] = operation##_float32, \
    [SW_DTYPE_FLOAT64] = operation##_float64, \
    [SW_DTYPE_INT32] = operation##_int32,     \
    [SW_DTYPE_INT64] = operation##_int64,     \
    [SW_DTYPE_BOOL] = operation##_bool,       \
  }
