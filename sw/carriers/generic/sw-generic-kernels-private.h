/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/generic/sw-generic-scalar-private.h"

G_BEGIN_DECLS

/* FALSE: the result is out of the range of 64 bits. */
typedef gboolean (*SwScalarUnary) (SwScalar x,
                                   SwScalar *result);
typedef gboolean (*SwScalarBinary) (SwScalar a,
                                    SwScalar b,
                                    SwScalar *result);

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

/* By the names of the operation table's FAMILY column. */
#define SW_GENERIC_UNARY SwGenericUnaryKernel
#define SW_GENERIC_BINARY SwGenericBinaryKernel
#define SW_GENERIC_REDUCE SwReduceKernel
#define SW_GENERIC_ARG_REDUCE SwReduceKernel
#define SW_GENERIC_MATMUL SwMatmulKernel
#define SW_GENERIC_VIEW SwViewKernel

/* The one entry that each operation has on this carrier: sw_generic_STEM_kernel, defined in one of the files
 * sw-generic-kernels-*.c. */
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) extern const SW_GENERIC_##FAMILY sw_generic_##stem##_kernel;
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION

G_END_DECLS
