/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* Reduces the first operand over the modes that the second one names, over all of them without a second operand.
 * @input is the first operand, held; @dtype is the result's. */
SwTensor *
sw_reduction_compute (const SwCall *call,
                      const SwView *input,
                      const char *modes_argument,
                      SwDType dtype,
                      SwDType accumulator,
                      GError **error);

G_END_DECLS
