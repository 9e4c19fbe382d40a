/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <cblas.h>
#include <string.h>
#include <sys/mman.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-pool-private.h"
#include "sw/carriers/cpu/sw-cpu-product-private.h"
#include "sw/carriers/sw-wide-int-private.h"

/* What OpenBLAS takes for itself, at most, at the first product of a thread. */
#define BLAS_BUFFER_SIZE (128 << 20)

/* A matrix in the form that BLAS takes: column after column, or, when transposed, row after row. */
typedef struct
{
  gconstpointer data;
  CBLAS_TRANSPOSE transposed;
  int leading; /* distance of neighbouring columns, or rows */
  gpointer packed;
} Matrix;

/* Whether the first axis goes on value by value, so that the second one tells the leading dimension. */
static gboolean
get_leading (gint64 first_size,
             gint64 first_step,
             gint64 second_size,
             gint64 second_step,
             int *leading)
{
  gint64 distance = second_size == 1 ? first_size : second_step;

  *leading = (int) distance;
  return (first_size == 1 || first_step == 1) && distance >= first_size && distance <= G_MAXINT;
}

/* Copies the values column after column; NULL with an error when there is no memory. */
static gpointer
pack (const SwProduct *product,
      const SwView *view,
      const SwAxis *rows,
      const SwAxis *columns,
      GError **error)
{
  gint64 size = rows->size * columns->size;
  guint n_leaves = rows->n_leaves + columns->n_leaves;
  g_autofree SwLayoutLeaf *from = g_new (SwLayoutLeaf, n_leaves + 1);
  g_autofree SwLayoutLeaf *to = g_new (SwLayoutLeaf, n_leaves + 1);
  SwView input = *view;
  SwView packed = *view;
  gint64 step = 1;

  packed.data = g_try_malloc_n (size, sw_dtype_get_item_size (view->dtype));
  if (packed.data == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s: no memory to copy the %" G_GINT64_FORMAT " values of %s",
                   product->name, size, view->argument);
      return NULL;
    }

  if (rows->n_leaves > 0)
    memcpy (from, rows->leaves, rows->n_leaves * sizeof *from);
  if (columns->n_leaves > 0)
    memcpy (from + rows->n_leaves, columns->leaves, columns->n_leaves * sizeof *from);
  for (guint i = 0; i < n_leaves; i++)
    {
      to[i] = (SwLayoutLeaf){ from[i].extent, step };
      step *= from[i].extent;
    }
  input.axis = (SwAxis){ size, n_leaves, from };
  packed.axis = (SwAxis){ size, n_leaves, to };
  packed.offset = 0;
  sw_cpu_copy (&input, &packed);
  return packed.data;
}

static gboolean
matrix_init (Matrix *self,
             const SwProduct *product,
             const SwView *view,
             const SwAxis *rows,
             const SwAxis *columns,
             GError **error)
{
  gint64 row_step, column_step;
  gboolean is_simple = sw_axis_get_step (rows, &row_step) && sw_axis_get_step (columns, &column_step);

  self->data = sw_cpu_view_at (view, view->offset);
  self->packed = NULL;
  self->transposed = CblasNoTrans;
  if (is_simple && get_leading (rows->size, row_step, columns->size, column_step, &self->leading))
    return TRUE;

  self->transposed = CblasTrans;
  if (is_simple && get_leading (columns->size, column_step, rows->size, row_step, &self->leading))
    return TRUE;

  self->transposed = CblasNoTrans;
  self->leading = (int) rows->size;
  self->data = self->packed = pack (product, view, rows, columns, error);
  return self->packed != NULL;
}

static void
tell_of_blas (SwKernelChoice *choice,
              const SwProduct *product,
              const Matrix *a,
              const Matrix *b)
{
  static const char *const details[] = { NULL, "lhs copied", "rhs copied", "lhs and rhs copied" };

  const Matrix *lhs = product->is_turned ? b : a, *rhs = product->is_turned ? a : b;

  sw_kernel_choice_set (choice, "blas", product->result.dtype == SW_DTYPE_FLOAT32 ? "sgemm" : "dgemm");
  choice->detail = details[(lhs->packed != NULL ? 1 : 0) + (rhs->packed != NULL ? 2 : 0)];
  choice->n_threads = sw_cpu_get_n_blas_threads ();
  if (lhs->packed != NULL)
    sw_kernel_choice_reject (choice, "lhs as it lies", "neither mode has unit stride, or one needs several steps", -1);
  if (rhs->packed != NULL)
    sw_kernel_choice_reject (choice, "rhs as it lies", "neither mode has unit stride, or one needs several steps", -1);
}

static gboolean
run_blas (const SwProduct *product,
          GError **error)
{
  int m = (int) product->lhs.axis.size;
  int n = (int) product->rhs.axis.size;
  int k = (int) product->lhs_inner.size;
  int to = (int) product->result_step;
  gpointer result = (gpointer) sw_cpu_view_at (&product->result, product->result.offset);
  Matrix a = { NULL }, b = { NULL };
  gboolean ready = matrix_init (&a, product, &product->lhs, &product->lhs.axis, &product->lhs_inner, error) &&
                   matrix_init (&b, product, &product->rhs, &product->rhs_inner, &product->rhs.axis, error);
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (G_UNLIKELY (choice != NULL && ready))
    tell_of_blas (choice, product, &a, &b);
  if (ready && product->result.dtype == SW_DTYPE_FLOAT32)
    cblas_sgemm (CblasColMajor, a.transposed, b.transposed, m, n, k, 1.0f, a.data, a.leading, b.data, b.leading, 0.0f, result, to);
  else if (ready)
    cblas_dgemm (CblasColMajor, a.transposed, b.transposed, m, n, k, 1.0, a.data, a.leading, b.data, b.leading, 0.0, result, to);

  g_free (b.packed);
  g_free (a.packed);
  return ready;
}

/* One value of the result, from a row and a column that lie value by value. FALSE: it is out of range. */
typedef gboolean (*DotFunc) (gint64 n,
                             gconstpointer lhs,
                             gconstpointer rhs,
                             gpointer result);

#define DEFINE_REAL_DOT(name, Type, Sum)                                              \
  static gboolean                                                                     \
      dot_##name (gint64 n, gconstpointer lhs, gconstpointer rhs, gpointer result)    \
  {                                                                                   \
    Sum sum = 0;                                                                      \
                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                    \
      sum = (Sum) (sum + (double) ((const Type *) lhs)[i] * ((const Type *) rhs)[i]); \
    *(Type *) result = (Type) sum;                                                    \
    return TRUE;                                                                      \
  }

#define DEFINE_INTEGER_DOT(name, Type)                                                         \
  static gboolean                                                                              \
      dot_##name (gint64 n, gconstpointer lhs, gconstpointer rhs, gpointer result)             \
  {                                                                                            \
    SwWideInt sum = { 0 };                                                                     \
    gint64 total;                                                                              \
                                                                                               \
    for (gint64 i = 0; i < n; i++)                                                             \
      {                                                                                        \
        if (__builtin_mul_overflow (((const Type *) lhs)[i], ((const Type *) rhs)[i], &total)) \
          return FALSE;                                                                        \
        sw_wide_int_add (&sum, total);                                                         \
      }                                                                                        \
    if (!sw_wide_int_get (&sum, &total) || total != (Type) total)                              \
      return FALSE;                                                                            \
    *(Type *) result = (Type) total;                                                           \
    return TRUE;                                                                               \
  }

DEFINE_REAL_DOT (float32, float, double)
DEFINE_REAL_DOT (float64, double, double)
DEFINE_REAL_DOT (narrow, double, float)
DEFINE_INTEGER_DOT (int32, gint32)
DEFINE_INTEGER_DOT (int64, gint64)

static DotFunc
get_dot (const SwProduct *product)
{
  switch (product->lhs.dtype)
    {
    case SW_DTYPE_FLOAT32:
      return dot_float32;
    case SW_DTYPE_INT32:
      return dot_int32;
    case SW_DTYPE_INT64:
      return dot_int64;
    default:
      return product->accumulator == SW_DTYPE_FLOAT32 ? dot_narrow : dot_float64;
    }
}

static gboolean
run_dots (const SwProduct *product,
          GError **error)
{
  gint64 m = product->lhs.axis.size, n = product->rhs.axis.size, k = product->lhs_inner.size;
  gsize size = sw_dtype_get_item_size (product->lhs.dtype);
  g_autofree char *lhs = pack (product, &product->lhs, &product->lhs_inner, &product->lhs.axis, error);
  g_autofree char *rhs = lhs != NULL ? pack (product, &product->rhs, &product->rhs_inner, &product->rhs.axis, error) : NULL;
  char *to = (char *) product->result.data + product->result.offset * (gssize) size;
  DotFunc dot = get_dot (product);

  if (rhs == NULL)
    return FALSE;

  for (gint64 j = 0; j < n; j++)
    {
      for (gint64 i = 0; i < m; i++)
        {
          char *result = to + (i + j * product->result_step) * (gssize) size;

          if (dot (k, lhs + i * k * size, rhs + j * k * size, result))
            continue;
          sw_cpu_set_overflow (product->name, product->result.dtype, sw_product_get_ordinal (product, i, j), error);
          return FALSE;
        }
    }

  return TRUE;
}

/* Where memory is too short for its buffer, OpenBLAS asks for it again and again, for ever. */
gboolean
sw_cpu_can_run_blas (void)
{
  static _Thread_local gboolean has_run;
  gpointer probe;

  if (G_LIKELY (has_run))
    return TRUE;

  probe = mmap (NULL, BLAS_BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED)
    return FALSE;
  munmap (probe, BLAS_BUFFER_SIZE);
  has_run = TRUE;
  return TRUE;
}

static void
tell_of_dots (SwKernelChoice *choice,
              const SwProduct *product,
              gboolean is_real,
              gboolean is_usual,
              gboolean fits)
{
  const char *reason = "no memory for its buffer";

  if (!is_real)
    reason = product->lhs.dtype == SW_DTYPE_INT32 ? "dtype Int32 is none of its own" : "dtype Int64 is none of its own";
  else if (!is_usual)
    reason = "accumulator_dtype is not that of the values";
  else if (!fits)
    reason = "an extent is above 2147483647";
  sw_kernel_choice_set (choice, "scalar", "dot products of copied rows and columns");
  sw_kernel_choice_reject (choice, "blas", reason, -1);
  sw_kernel_choice_reject (choice, "threads", "only those of blas", -1);
}

/* Whether OpenBLAS has such a product. */
static gboolean
fits_blas (const SwProduct *product)
{
  return product->lhs.axis.size <= G_MAXINT && product->rhs.axis.size <= G_MAXINT && product->lhs_inner.size <= G_MAXINT &&
         product->result_step <= G_MAXINT;
}

static gboolean
is_real (const SwProduct *product)
{
  return product->lhs.dtype == SW_DTYPE_FLOAT32 || product->lhs.dtype == SW_DTYPE_FLOAT64;
}

/* Whether sums are kept in what the values are. */
static gboolean
is_usual (const SwProduct *product)
{
  return product->accumulator == SW_DTYPE_INVALID || product->accumulator == product->lhs.dtype;
}

static gboolean
run_one (const SwMatmulKernel *self,
         const SwProduct *product,
         GError **error)
{
  SwKernelChoice *choice;

  if (is_real (product) && is_usual (product) && fits_blas (product) && sw_cpu_can_run_blas ())
    return run_blas (product, error);
  choice = sw_kernel_choice_get ();
  if (G_UNLIKELY (choice != NULL))
    tell_of_dots (choice, product, is_real (product), is_usual (product), fits_blas (product));
  return run_dots (product, error);
}

/* What OpenBLAS computes on one thread; see its GEMM_MULTITHREAD_THRESHOLD. */
#define MOST_BLAS_WORK ((gint64) 1 << 18)

typedef struct
{
  const SwMatmulKernel *kernel;
  const SwProduct *product;
  gint64 n_pieces;
} Batch;

static gboolean
run_some (gpointer data,
          gint64 piece,
          guint lane)
{
  const Batch *self = data;
  gint64 n = self->product->lhs_batch.size, end = piece + 1 == self->n_pieces ? n : n / self->n_pieces * (piece + 1);
  gboolean is_bad = FALSE;

  for (gint64 i = n / self->n_pieces * piece; i < end; i++)
    {
      SwProduct matrix = sw_product_get_matrix (self->product, i);

      is_bad |= !run_one (self->kernel, &matrix, NULL);
    }
  return is_bad;
}

static gboolean
is_for_pool (const SwProduct *product)
{
  gint64 work = product->lhs.axis.size * product->rhs.axis.size;

  return product->lhs_batch.size > 1 && !__builtin_mul_overflow (work, product->lhs_inner.size, &work) && work <= MOST_BLAS_WORK;
}

/* Many small products, which OpenBLAS would compute one after the other on one thread. */
static gboolean
run_batch (const SwMatmulKernel *self,
           const SwProduct *product,
           GError **error)
{
  gint64 work = product->lhs.axis.size * product->rhs.axis.size * product->lhs_inner.size, total;
  SwKernelChoice *choice = sw_kernel_choice_get ();
  Batch batch = { self, product, 1 };

  if (__builtin_mul_overflow (work, product->lhs_batch.size, &total))
    total = G_MAXINT64;
  batch.n_pieces = MIN (sw_cpu_pool_get_n_pieces (total, SW_CPU_PRODUCT_GRAIN), product->lhs_batch.size);
  /* Alone, it says which one failed. */
  if (batch.n_pieces == 1 || sw_cpu_pool_run (batch.n_pieces, sw_cpu_pool_get_n_lanes (), run_some, &batch))
    return sw_product_run_each (self, product, error);
  if (G_UNLIKELY (choice != NULL))
    {
      choice->n_pieces = batch.n_pieces;
      choice->n_threads = MIN (sw_cpu_pool_get_n_lanes (), (guint) batch.n_pieces);
    }
  return TRUE;
}

static gboolean
run_matmul (const SwMatmulKernel *self,
            const SwProduct *product,
            GError **error)
{
  const char *reason = "sums of other kinds";
  SwKernelChoice *choice = sw_kernel_choice_get ();
  gboolean is_simple = is_real (product) && is_usual (product), done;

  if (is_simple)
    reason = sw_cpu_product_run (product);
  if (reason == NULL)
    return TRUE;

  done = is_simple && is_for_pool (product) ? run_batch (self, product, error) : sw_product_run_each (self, product, error);
  if (G_UNLIKELY (choice != NULL) && is_simple && done)
    sw_kernel_choice_reject (choice, "product as it lies", reason, -1);
  return done;
}

const SwMatmulKernel sw_cpu_matmul_kernel = { run_one, run_matmul };
