/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* "Tensor", "int64", "str": what to call the operand's type in a message. */
const char *
sw_operand_get_type_name (const SwOperand *operand);

static inline gboolean
sw_operand_is_number (const SwOperand *operand)
{
  return operand->kind == SW_VALUE_INT64 || operand->kind == SW_VALUE_DOUBLE;
}

/* Writes a number, or a truth value for Bool, as @dtype has it. TYPE error where it would have to be cut to a whole number, VALUE error where it
 * is out of range. */
gboolean
sw_operand_get_number (const SwOperand *operand,
                       const char *argument,
                       SwDType dtype,
                       SwNumberCell *cell,
                       GError **error);
void
sw_number_cell_clear (SwNumberCell *cell,
                      SwDType dtype);

G_END_DECLS
