/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/generic/sw-generic-scalar-private.h"

G_BEGIN_DECLS

/* FALSE: there is no result. That means overflow of 64 bits, unless the function says something else of its own in
 * *failure. */
typedef gboolean (*SwScalarUnary) (SwScalar x,
                                   SwScalar *result);
typedef gboolean (*SwScalarBinary) (SwScalar a,
                                    SwScalar b,
                                    SwScalar *result,
                                    const char **failure);
typedef SwScalar (*SwScalarParametric) (SwScalar x,
                                        const SwScalar *parameters);

typedef struct
{
  SwUnaryKernel parent;
  SwScalarUnary apply;
} SwGenericUnaryKernel;

typedef struct
{
  SwBinaryKernel parent;
  SwScalarBinary apply;
} SwGenericBinaryKernel;

typedef struct
{
  SwParametricKernel parent;
  SwScalarParametric apply;
  guint n_parameters;
} SwGenericParametricKernel;

/* The run () functions, for the kernels. */
gboolean
sw_generic_run_unary (const SwUnaryKernel *kernel,
                      const char *name,
                      const SwView *input,
                      const SwView *result,
                      GError **error);
gboolean
sw_generic_run_parametric (const SwParametricKernel *kernel,
                           const char *name,
                           const SwView *input,
                           const SwNumberCell *parameters,
                           const SwView *result,
                           GError **error);
gboolean
sw_generic_run_binary (const SwBinaryKernel *kernel,
                       const char *name,
                       const SwView *lhs,
                       const SwView *rhs,
                       const SwView *result,
                       GError **error);

/* By the names of the operation table's FAMILY column. */
#define SW_GENERIC_UNARY SwGenericUnaryKernel
#define SW_GENERIC_PARAMETRIC SwGenericParametricKernel
#define SW_GENERIC_CAST SwUnaryKernel
#define SW_GENERIC_BINARY SwGenericBinaryKernel
#define SW_GENERIC_SELECT SwSelectKernel
#define SW_GENERIC_REDUCE SwReduceKernel
#define SW_GENERIC_ARG_REDUCE SwReduceKernel
#define SW_GENERIC_LINES SwLinesKernel
#define SW_GENERIC_LAYER_NORM SwLinesKernel
#define SW_GENERIC_MATMUL SwMatmulKernel
#define SW_GENERIC_CONVOLUTION SwConvolutionKernel
#define SW_GENERIC_POOLING SwPoolingKernel
#define SW_GENERIC_INDEXED SwIndexedKernel
#define SW_GENERIC_SORT SwSortKernel
#define SW_GENERIC_VIEW SwViewKernel

/* The one entry that each operation has on this carrier: sw_generic_STEM_kernel, defined in one of the files
 * sw-generic-kernels-*.c. */
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) extern const SW_GENERIC_##FAMILY sw_generic_##stem##_kernel;
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION

G_END_DECLS
