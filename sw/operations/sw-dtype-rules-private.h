/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-implementation-private.h"

G_BEGIN_DECLS

/* The result's dtype; SW_DTYPE_INVALID with an UNSUPPORTED error when the operation does not take @input. */
SwDType
sw_dtype_rules_resolve (const SwOperationInfo *info,
                        SwCarrier *carrier,
                        SwDType input,
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
