/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-implementation-private.h"

G_BEGIN_DECLS

/* What the values of an operation's operands are brought to before its kernel runs, and what the result holds. */
typedef struct
{
  SwDType operands;
  SwDType result;
} SwDTypes;

/* What values of two dtypes are brought to together; SW_DTYPE_INVALID where there is nothing. */
SwDType
sw_dtype_rules_promote (SwDType a,
                        SwDType b);

/* What the operation does with @input; FALSE with an UNSUPPORTED error that says which dtypes it takes. */
gboolean
sw_dtype_rules_resolve (const SwOperationInfo *info,
                        SwCarrier *carrier,
                        SwDType input,
                        SwDTypes *dtypes,
                        GError **error);

/* The same for two operands that are tensors. */
gboolean
sw_dtype_rules_resolve_two (const SwOperationInfo *info,
                            SwCarrier *carrier,
                            SwDType lhs,
                            SwDType rhs,
                            SwDTypes *dtypes,
                            GError **error);

/* The same for a tensor of @lhs and a number, which is weak: it takes the kind of the tensor. */
gboolean
sw_dtype_rules_resolve_number (const SwOperationInfo *info,
                               SwCarrier *carrier,
                               SwDType lhs,
                               const SwOperand *number,
                               SwDTypes *dtypes,
                               GError **error);

/* The dtype that @options (nullable) want sums to be kept in, SW_DTYPE_INVALID for none. FALSE with a VALUE error when
 * values of @input cannot be summed in it. */
gboolean
sw_dtype_rules_get_accumulator (const SwOperationInfo *info,
                                SwExecutionOptions *options,
                                SwDType input,
                                SwDType *accumulator,
                                GError **error);

G_END_DECLS
