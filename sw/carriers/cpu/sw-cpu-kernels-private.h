/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-lines-private.h"
#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* A row function computes @n results; steps are counted in values, results do not overlap inputs. It returns whether
 * an integer result was out of range, in which case the results are of no use. */
typedef gboolean (*SwCpuUnaryRow) (gint64 n,
                                   gconstpointer input,
                                   gint64 input_step,
                                   gpointer result,
                                   gint64 result_step);
typedef void (*SwCpuParametricRow) (gint64 n,
                                    gconstpointer input,
                                    gint64 input_step,
                                    const SwNumberCell *parameters,
                                    gpointer result,
                                    gint64 result_step);
typedef gboolean (*SwCpuBinaryRow) (gint64 n,
                                    gconstpointer lhs,
                                    gint64 lhs_step,
                                    gconstpointer rhs,
                                    gint64 rhs_step,
                                    gpointer result,
                                    gint64 result_step);

/* How long it takes to compute a value, beside fetching it from memory. */
typedef enum
{
  SW_CPU_WORK_LITTLE,
  SW_CPU_WORK_MUCH,
} SwCpuWork;

/* What the rows of a dtype are made of. */
typedef enum
{
  SW_CPU_CODE_VECTOR, /* by the level */
  SW_CPU_CODE_SCALAR,
  SW_CPU_CODE_MATH,           /* of the library for the level, value by value where there is none */
  SW_CPU_CODE_MATH_OR_VECTOR, /* of the library, else by the level */
} SwCpuCode;

#define SW_CPU_MATH_CODES { [SW_DTYPE_FLOAT32] = SW_CPU_CODE_MATH, [SW_DTYPE_FLOAT64] = SW_CPU_CODE_MATH }

/* How many values of little work make a piece that another thread takes over, if it looks for work: that many take some times as long
 * as telling it. */
#define SW_CPU_GRAIN ((gint64) 1 << 16)

typedef struct
{
  SwUnaryKernel parent;
  SwCpuUnaryRow rows[SW_DTYPE_N]; /* by the dtype of the input */
  SwCpuWork work;
  SwCpuCode codes[SW_DTYPE_N];
} SwCpuUnaryKernel;

typedef struct
{
  SwBinaryKernel parent;
  SwCpuBinaryRow rows[SW_DTYPE_N]; /* by the dtype of the inputs */
  /* Why there is no result for a value of rhs, where it is not overflow, for which the function returns NULL. */
  const char *(*explain) (SwDType dtype, gconstpointer rhs);
  SwCpuWork work;
  SwCpuCode codes[SW_DTYPE_N];
} SwCpuBinaryKernel;

typedef struct
{
  SwParametricKernel parent;
  SwCpuParametricRow rows[SW_DTYPE_N]; /* by the dtype of the input */
  SwCpuWork work;
} SwCpuParametricKernel;

/* How a reduction folds many values into one: into accumulators, which are opaque to the loops around them. */
typedef struct
{
  gsize item_size; /* of an accumulator */
  void (*start) (gpointer accumulators, gint64 n);
  /* Folds a row into one accumulator. */
  void (*add_row) (gpointer accumulator, gint64 n, gconstpointer input, gint64 input_step);
  /* Folds a row into as many accumulators as it has values, one into each. */
  void (*add_columns) (gpointer accumulators, gint64 n, gconstpointer input, gint64 input_step);
  /* Writes the results and returns whether one was out of range. */
  gboolean (*finish) (gconstpointer accumulators, gint64 n, gpointer result, gint64 result_step);
  /* Folds what came later, in another accumulator, into one. NULL: one result comes from one thread. */
  void (*combine) (gpointer accumulator, gconstpointer later);
  /* As add_columns for @n_rows rows after each other, whose values lie side by side; several are folded while an accumulator is
   * in a register. NULL: they are folded one by one. */
  void (*add_rows_of_columns) (gpointer accumulators, gint64 n, gconstpointer input, gint64 n_rows, gint64 row_step);
  SwCpuCode code;
  SwCpuCode columns_code; /* of add_columns */
} SwCpuFold;

typedef struct
{
  SwReduceKernel parent;
  const SwCpuFold *folds[SW_DTYPE_N]; /* by the dtype of the input */
  /* For a Float32 accumulator and Float64 values; NULL where there are no accumulators. */
  const SwCpuFold *narrow_fold;
} SwCpuReduceKernel;

/* Looks for a larger value than @best in a row of @n values that begins with ordinal @start, and remembers the first of
 * the largest; @best is set by the row that begins with 0. */
typedef void (*SwCpuArgRow) (gpointer best,
                             gint64 *place,
                             gint64 start,
                             gint64 n,
                             gconstpointer input,
                             gint64 input_step);

/* The same for @n columns whose values lie side by side, through @n_rows rows that are @step apart; places are integers as wide as
 * a value. */
typedef void (*SwCpuArgColumns) (gpointer best,
                                 gpointer places,
                                 gint64 start,
                                 gint64 n,
                                 gconstpointer input,
                                 gint64 n_rows,
                                 gint64 step);

/* Rows of so many values that lie side by side are searched in vectors, others value by value. */
#define SW_CPU_ARG_VECTOR_LENGTH 32

typedef struct
{
  SwReduceKernel parent;
  SwCpuArgRow rows[SW_DTYPE_N]; /* by the dtype of the input */
  SwCpuArgColumns columns[SW_DTYPE_N];
} SwCpuArgReduceKernel;

/* Pools one image of one channel; sums and counts, one for each position, only where they are needed. */
typedef void (*SwCpuPoolRow) (const SwWindows *windows,
                              gconstpointer input,
                              gpointer result,
                              double *sums,
                              const gint64 *counts);

typedef struct
{
  SwPoolingKernel parent;
  gboolean needs_sums;
  SwCpuPoolRow rows[SW_DTYPE_N]; /* by the dtype of the input */
} SwCpuPoolingKernel;

/* By the names of the operation table's FAMILY column. */
#define SW_CPU_UNARY SwCpuUnaryKernel
#define SW_CPU_PARAMETRIC SwCpuParametricKernel
#define SW_CPU_CAST SwUnaryKernel
#define SW_CPU_BINARY SwCpuBinaryKernel
#define SW_CPU_SELECT SwSelectKernel
#define SW_CPU_REDUCE SwCpuReduceKernel
#define SW_CPU_ARG_REDUCE SwCpuArgReduceKernel
#define SW_CPU_LINES SwCpuLinesKernel
#define SW_CPU_LAYER_NORM SwCpuLinesKernel
#define SW_CPU_MATMUL SwMatmulKernel
#define SW_CPU_CONVOLUTION SwConvolutionKernel
#define SW_CPU_POOLING SwCpuPoolingKernel
#define SW_CPU_INDEXED SwIndexedKernel
#define SW_CPU_SORT SwSortKernel
#define SW_CPU_VIEW SwViewKernel

/* The one entry that each operation has on this carrier: sw_cpu_STEM_kernel, defined in one of the files
 * sw-cpu-kernels-*.c. */
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) extern const SW_CPU_##FAMILY sw_cpu_##stem##_kernel;
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION

/* The run () functions, for the kernels. */
gboolean
sw_cpu_run_unary (const SwUnaryKernel *self,
                  const char *name,
                  const SwView *input,
                  const SwView *result,
                  GError **error);
gboolean
sw_cpu_run_unary_row (SwCpuUnaryRow row,
                      const char *name,
                      const SwView *input,
                      const SwView *result,
                      gint64 grain,
                      SwCpuCode code,
                      GError **error);
gboolean
sw_cpu_run_parametric (const SwParametricKernel *self,
                       const char *name,
                       const SwView *input,
                       const SwNumberCell *parameters,
                       const SwView *result,
                       GError **error);
gboolean
sw_cpu_run_binary (const SwBinaryKernel *self,
                   const char *name,
                   const SwView *lhs,
                   const SwView *rhs,
                   const SwView *result,
                   GError **error);
gboolean
sw_cpu_run_reduce (const SwReduceKernel *self,
                   const SwReduction *reduction,
                   GError **error);
gboolean
sw_cpu_run_arg_reduce (const SwReduceKernel *self,
                       const SwReduction *reduction,
                       GError **error);

/* Copies values in the order of the ordinals; both dtypes have the same item size. */
void
sw_cpu_copy (const SwView *input,
             const SwView *result);

/* FALSE: there is not enough memory for OpenBLAS, which would ask for it again and again, for ever. */
gboolean
sw_cpu_can_run_blas (void);
/* How many it computes on at most, as far as it tells; it takes fewer for little. */
guint
sw_cpu_get_n_blas_threads (void);

void
sw_cpu_set_overflow (const char *name,
                     SwDType dtype,
                     gint64 ordinal,
                     GError **error);

static inline gconstpointer
sw_cpu_view_at (const SwView *view,
                gint64 index)
{
  return (const char *) view->data + index * (gssize) sw_dtype_get_item_size (view->dtype);
}

G_END_DECLS
