/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-product-private.h"

#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-level-private.h"
#include "sw/carriers/cpu/sw-cpu-pool-private.h"

/* Up to so many values of each factor it is faster to multiply them as they lie. The larger ones OpenBLAS copies into the
 * order in which it needs them; with SSE2 it is faster except for what is hardly worth the call. */
static gint64
get_most_values (void)
{
  static const gint64 most[SW_CPU_N_LEVELS] = {
    [SW_CPU_LEVEL_BASE] = 100,
    [SW_CPU_LEVEL_AVX2] = (gint64) 1 << 16,
    [SW_CPU_LEVEL_AVX512] = (gint64) 1 << 19,
  };

  return most[sw_cpu_level];
}

/* One product of many, and pieces of each: columns, where there are enough of them, else rows. */
typedef struct
{
  const SwProduct *product;
  SwCpuProductFunc multiply;
  SwCpuProduct whole; /* of the first matrix */
  gboolean by_columns;
  gint64 n_parts;  /* of a matrix */
  gint64 n_pieces; /* of all parts */
} Run;

/* Parts begin at multiples of these, which are as many as the product has in registers. */
#define COLUMN_STEP 8
#define ROW_STEP 48

/* NULL, or why a product is none for this. */
static const char *
run_init (Run *self,
          const SwProduct *product)
{
  gsize size = sw_dtype_get_item_size (product->lhs.dtype);
  SwCpuProduct *whole = &self->whole;
  gint64 row_step, n_lhs, n_rhs, most;

  if (!sw_axis_get_step (&product->lhs.axis, &row_step) || !sw_axis_get_step (&product->lhs_inner, &whole->lhs_step) ||
      !sw_axis_get_step (&product->rhs.axis, &whole->rhs_column_step) || !sw_axis_get_step (&product->rhs_inner, &whole->rhs_term_step))
    return "a mode needs several steps";
  if (row_step != 1 && product->lhs.axis.size > 1)
    return "non-unit stride where the result has unit stride";

  whole->n_rows = product->lhs.axis.size;
  whole->n_columns = product->rhs.axis.size;
  whole->n_terms = product->lhs_inner.size;
  most = get_most_values ();
  if (__builtin_mul_overflow (whole->n_terms, MAX (whole->lhs_step, whole->n_rows), &n_lhs) || n_lhs > most ||
      __builtin_mul_overflow (whole->n_terms, whole->n_columns, &n_rhs) || n_rhs > most)
    return "a factor has more values than are faster so";

  whole->lhs = (const char *) product->lhs.data + product->lhs.offset * (gssize) size;
  whole->rhs = (const char *) product->rhs.data + product->rhs.offset * (gssize) size;
  whole->result = (char *) product->result.data + product->result.offset * (gssize) size;
  whole->result_step = product->result_step;
  self->product = product;
  self->multiply = sw_cpu_product_get (product->lhs.dtype);
  return NULL;
}

/* All of it by the sizes alone. */
static void
divide (Run *self)
{
  const SwCpuProduct *whole = &self->whole;
  gint64 work = whole->n_rows * whole->n_columns, total, columns = whole->n_columns / COLUMN_STEP, rows = whole->n_rows / ROW_STEP;

  if (__builtin_mul_overflow (work, whole->n_terms, &work))
    work = G_MAXINT64;
  if (__builtin_mul_overflow (work, self->product->lhs_batch.size, &total))
    total = G_MAXINT64;
  self->by_columns = columns >= rows;
  self->n_parts = MIN (sw_cpu_pool_get_n_pieces (work, SW_CPU_PRODUCT_GRAIN), MAX (1, MAX (columns, rows)));
  self->n_pieces = self->product->lhs_batch.size * self->n_parts;
  if (self->n_parts == 1)
    self->n_pieces = MIN (self->n_pieces, sw_cpu_pool_get_n_pieces (total, SW_CPU_PRODUCT_GRAIN));
}

/* Where a part begins. */
static gint64
get_start (gint64 size,
           gint64 step,
           gint64 n_parts,
           gint64 part)
{
  return part == n_parts ? size : size / step * part / n_parts * step;
}

static void
multiply_part (const Run *self,
               gint64 matrix,
               gint64 part)
{
  const SwProduct *product = self->product;
  gssize size = sw_dtype_get_item_size (product->lhs.dtype);
  SwCpuProduct it = self->whole;
  gint64 start;

  it.lhs = (const char *) it.lhs + sw_axis_get_index (&product->lhs_batch, matrix) * size;
  it.rhs = (const char *) it.rhs + sw_axis_get_index (&product->rhs_batch, matrix) * size;
  it.result = (char *) it.result + sw_axis_get_index (&product->result_batch, matrix) * size;
  if (self->n_parts > 1 && self->by_columns)
    {
      start = get_start (it.n_columns, COLUMN_STEP, self->n_parts, part);
      it.rhs = (const char *) it.rhs + start * it.rhs_column_step * size;
      it.result = (char *) it.result + start * it.result_step * size;
      it.n_columns = get_start (it.n_columns, COLUMN_STEP, self->n_parts, part + 1) - start;
    }
  else if (self->n_parts > 1)
    {
      start = get_start (it.n_rows, ROW_STEP, self->n_parts, part);
      it.lhs = (const char *) it.lhs + start * size;
      it.result = (char *) it.result + start * size;
      it.n_rows = get_start (it.n_rows, ROW_STEP, self->n_parts, part + 1) - start;
    }
  self->multiply (&it);
}

static gboolean
multiply_some (gpointer data,
               gint64 piece,
               guint lane)
{
  const Run *self = data;
  gint64 n = self->product->lhs_batch.size * self->n_parts;
  gint64 end = piece + 1 == self->n_pieces ? n : n / self->n_pieces * (piece + 1);

  for (gint64 i = n / self->n_pieces * piece; i < end; i++)
    multiply_part (self, i / self->n_parts, i % self->n_parts);
  return FALSE;
}

const char *
sw_cpu_product_run (const SwProduct *product)
{
  SwKernelChoice *choice = sw_kernel_choice_get ();
  Run run;
  const char *reason = run_init (&run, product);

  if (reason != NULL)
    return reason;
  divide (&run);
  if (G_UNLIKELY (choice != NULL))
    sw_cpu_choice_set_code (choice, SW_CPU_CODE_VECTOR, product->lhs.dtype, "product as it lies");
  if (run.n_pieces == 1)
    multiply_some (&run, 0, 0);
  else
    sw_cpu_pool_run (run.n_pieces, sw_cpu_pool_get_n_lanes (), multiply_some, &run);
  if (G_UNLIKELY (choice != NULL))
    sw_cpu_choice_end (choice);
  return NULL;
}
