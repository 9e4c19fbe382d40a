/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* Products of matrices as they lie, without copies of their own: what OpenBLAS takes longer to prepare than to compute, and
 * what a kernel has brought in order already.
 *
 *   result[i + j * result_step] = sum over k of lhs[i + k * lhs_step] * rhs[k * rhs_term_step + j * rhs_column_step]
 *
 * Each sum is one chain from the first term to the last, whatever the sizes, so that results are the same however a product
 * is divided; with AVX2 and AVX-512 a term is rounded once, else twice. */
typedef struct
{
  gint64 n_rows;
  gint64 n_columns;
  gint64 n_terms; /* at least 1 */
  gconstpointer lhs;
  gint64 lhs_step;
  gconstpointer rhs;
  gint64 rhs_term_step;
  gint64 rhs_column_step;
  gpointer result;
  gint64 result_step;
} SwCpuProduct;

typedef void (*SwCpuProductFunc) (const SwCpuProduct *product);

/* result[i] = sum over k of values[i + offsets[k]] * factors[k], in the same way. */
typedef void (*SwCpuSumFunc) (gint64 n,
                              gint64 n_terms,
                              gconstpointer values,
                              const gint64 *offsets,
                              gconstpointer factors,
                              gpointer result);

typedef struct
{
  SwCpuProductFunc float32;
  SwCpuProductFunc float64;
  SwCpuSumFunc sum_float32;
  SwCpuSumFunc sum_float64;
} SwCpuProducts;

extern const SwCpuProducts sw_cpu_products_base;
extern const SwCpuProducts sw_cpu_products_avx2;
extern const SwCpuProducts sw_cpu_products_avx512;

/* For Float32 or Float64, on the calling thread, with the instructions of the level. */
SwCpuProductFunc sw_cpu_product_get (SwDType dtype);
SwCpuSumFunc sw_cpu_sum_get (SwDType dtype);

/* So many products of values are worth a piece of their own, and another thread. */
#define SW_CPU_PRODUCT_GRAIN ((gint64) 1 << 20)

/* Multiplies all matrices, of Float32 or Float64, on the pool, and returns NULL; else nothing was done, and it returns why. */
const char *sw_cpu_product_run (const SwProduct *product);

G_END_DECLS
