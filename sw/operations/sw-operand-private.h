/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-implementation-private.h"

G_BEGIN_DECLS

/* One number in the item format of a dtype. */
typedef union
{
  float float32;
  double float64;
  gint32 int32;
  gint64 int64;
  SwValue *any;
} SwNumberCell;

/* "Tensor", "int64", "str": what to call the operand's type in a message. */
const char *
sw_operand_get_type_name (const SwOperand *operand);

static inline gboolean
sw_operand_is_number (const SwOperand *operand)
{
  return operand->kind == SW_VALUE_INT64 || operand->kind == SW_VALUE_DOUBLE;
}

/* Writes a number as @dtype has it. TYPE error where it would have to be cut to a whole number, VALUE error where it
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
