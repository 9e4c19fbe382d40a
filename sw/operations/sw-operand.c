/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-operand-private.h"

#include <math.h>

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-value-private.h"

void
sw_operand_init_from_value (SwOperand *operand,
                            SwValue *value)
{
  operand->kind = value->kind;
  switch (value->kind)
    {
    case SW_VALUE_NONE:
      break;
    case SW_VALUE_BOOL:
      operand->boolean = value->boolean;
      break;
    case SW_VALUE_INT64:
      operand->integer = value->integer;
      break;
    case SW_VALUE_DOUBLE:
      operand->real = value->real;
      break;
    case SW_VALUE_TENSOR:
      operand->tensor = value->tensor;
      break;
    case SW_VALUE_SHAPE:
      operand->shape = value->shape;
      break;
    case SW_VALUE_INDICES:
      operand->indices.values = value->indices.values;
      operand->indices.n_values = value->indices.n_values;
      break;
    case SW_VALUE_OBJECT:
      operand->object = value;
      break;
    }
}

SwValue *
sw_operand_dup_value (const SwOperand *operand)
{
  switch (operand->kind)
    {
    case SW_VALUE_NONE:
      return sw_value_new_none ();
    case SW_VALUE_BOOL:
      return sw_value_new_bool (operand->boolean);
    case SW_VALUE_INT64:
      return sw_value_new_int64 (operand->integer);
    case SW_VALUE_DOUBLE:
      return sw_value_new_double (operand->real);
    case SW_VALUE_TENSOR:
      return sw_value_new_tensor (operand->tensor);
    case SW_VALUE_SHAPE:
      return sw_value_new_shape (operand->shape);
    case SW_VALUE_INDICES:
      return sw_value_new_indices (operand->indices.values, operand->indices.n_values);
    case SW_VALUE_OBJECT:
      return sw_value_ref (operand->object);
    }

  g_return_val_if_reached (NULL);
}

const char *
sw_operand_get_type_name (const SwOperand *operand)
{
  SwValue value = { .kind = operand->kind };

  return sw_value_get_type_name (operand->kind == SW_VALUE_OBJECT ? operand->object : &value);
}

char *
sw_operand_describe (const SwOperand *operand)
{
  switch (operand->kind)
    {
    case SW_VALUE_NONE:
      return g_strdup ("None");
    case SW_VALUE_BOOL:
      return g_strdup (operand->boolean ? "True" : "False");
    case SW_VALUE_INT64:
      return g_strdup_printf ("the number %" G_GINT64_FORMAT, operand->integer);
    case SW_VALUE_DOUBLE:
      return g_strdup_printf ("the number %.17g", operand->real);
    case SW_VALUE_INDICES:
      return g_strdup_printf ("a list of %" G_GSIZE_FORMAT " integers", operand->indices.n_values);
    case SW_VALUE_TENSOR:
    case SW_VALUE_SHAPE:
    case SW_VALUE_OBJECT:
      return g_strdup_printf ("a %s", sw_operand_get_type_name (operand));
    }

  g_return_val_if_reached (NULL);
}

static double
get_real (const SwOperand *operand)
{
  return operand->kind == SW_VALUE_INT64 ? (double) operand->integer : operand->real;
}

static gboolean
get_integer (const SwOperand *operand,
             const char *argument,
             SwDType dtype,
             gint64 *integer,
             GError **error)
{
  gboolean in_range = TRUE;

  *integer = operand->integer;
  if (operand->kind == SW_VALUE_DOUBLE)
    {
      if (!isfinite (operand->real) || operand->real != trunc (operand->real))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s is %.17g, but a tensor of %s takes whole numbers only",
                       argument, operand->real, sw_dtype_to_string (dtype));
          return FALSE;
        }
      /* Both bounds are exact as doubles; the upper one is the first that does not fit. */
      in_range = operand->real >= -0x1p63 && operand->real < 0x1p63;
      *integer = in_range ? (gint64) operand->real : 0;
    }

  if (!in_range || (dtype == SW_DTYPE_INT32 && *integer != (gint32) *integer))
    {
      g_autofree char *given = sw_operand_describe (operand);

      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %s, which is out of the range of %s",
                   argument, given, sw_dtype_to_string (dtype));
      return FALSE;
    }

  return TRUE;
}

gboolean
sw_operand_get_number (const SwOperand *operand,
                       const char *argument,
                       SwDType dtype,
                       SwNumberCell *cell,
                       GError **error)
{
  gint64 integer;

  switch (dtype)
    {
    case SW_DTYPE_FLOAT32:
      cell->float32 = get_real (operand);
      return TRUE;
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      cell->float64 = get_real (operand);
      return TRUE;
    case SW_DTYPE_INT32:
    case SW_DTYPE_INT64:
      if (!get_integer (operand, argument, dtype, &integer, error))
        return FALSE;
      if (dtype == SW_DTYPE_INT32)
        cell->int32 = integer;
      else
        cell->int64 = integer;
      return TRUE;
    case SW_DTYPE_ANY:
      cell->any = sw_operand_dup_value (operand);
      return TRUE;
    case SW_DTYPE_BOOL:
      cell->boolean = operand->boolean != 0;
      return TRUE;
    case SW_DTYPE_INVALID:
      break;
    }

  g_return_val_if_reached (FALSE);
}

void
sw_number_cell_clear (SwNumberCell *cell,
                      SwDType dtype)
{
  if (dtype == SW_DTYPE_ANY)
    sw_value_unref (cell->any);
}
