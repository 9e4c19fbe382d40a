/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-functions-private.h"
#include "sw/operations/sw-out-private.h"

static gboolean
find (const char *name,
      SwOperationId *id,
      GError **error)
{
  const SwOperationInfo *info = sw_operation_info_find (name);

  if (info == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "operation name '%s' is not known", name);
      return FALSE;
    }

  *id = info->id;
  return sw_out_check_operation (name, error);
}

static gboolean
call_into (SwTensor *out,
           const char *name,
           const SwOperand *operands,
           guint n_operands,
           GError **error)
{
  SwTensor *result;
  SwOperationId id;

  if (!find (name, &id, error))
    return FALSE;
  result = sw_call_into (id, operands, n_operands, out, error);
  if (result == NULL)
    return FALSE;

  sw_tensor_unref (result);
  return TRUE;
}

/**
 * sw_compute_into:
 * @out: the tensor that the result is written to
 * @name: the dispatch name of an operation that computes element by element, such as "clamp", or "matmul"
 * @inputs: the positional inputs; the first is a tensor
 * @error: return location for an error
 *
 * Computes as [func@Strideweave.call_operation] does, but writes the result to a tensor that is there already.
 *
 * @out has the shape and the dtype of the result, lies on a carrier of the same kind as the first input, which is
 * mutable, and has a value for each coordinate; any strides will do. It may be one of the inputs, and may overlap
 * others in any way: where the result cannot be written while inputs are read, it goes through memory of its own. So it
 * does where integers can overflow: a failure leaves @out as it was, unless it is want of memory in the middle of a
 * computation. A write counts as a new version of the carrier. Recorders see what they see of any other call, and
 * @out is no input.
 *
 * Fails as the operation does, and with %SW_ERROR_VALUE when no operation has that name, when @out has another shape than
 * the result or a layout in which coordinates share a value, with %SW_ERROR_TYPE when it has another dtype, with
 * %SW_ERROR_STATE when its carrier is immutable, owned or released, and with %SW_ERROR_UNSUPPORTED when it is of another
 * kind than that of the first input, or the operation makes its result by itself.
 *
 * Returns: %TRUE when the result was written
 */
gboolean
sw_compute_into (SwTensor *out,
                 const char *name,
                 SwValueList *inputs,
                 GError **error)
{
  g_autoptr (SwExecutionOptions) options = NULL;
  g_autoptr (SwTensor) result = NULL;

  g_return_val_if_fail (out != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (inputs != NULL, FALSE);

  options = sw_execution_options_new_into (name, SW_DTYPE_INVALID, out, error);
  if (options == NULL)
    return FALSE;
  result = sw_call_operation (name, inputs, options, error);
  return result != NULL;
}

/**
 * sw_unary_into:
 * @out: the tensor that the result is written to
 * @name: the dispatch name of an operation on one tensor, such as "relu"
 * @input: its input, which may be @out
 * @error: return location for an error
 *
 * [func@Strideweave.compute_into] for operations on one tensor; for a tensor on a carrier of class CPU, it allocates no
 * memory.
 *
 * Returns: %TRUE when the result was written
 */
gboolean
sw_unary_into (SwTensor *out,
               const char *name,
               SwTensor *input,
               GError **error)
{
  SwOperand operands[1];

  g_return_val_if_fail (out != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (input != NULL, FALSE);

  operands[0] = sw_operand_tensor (input);
  return call_into (out, name, operands, 1, error);
}

/**
 * sw_binary_into:
 * @out: the tensor that the result is written to
 * @name: the dispatch name of an operation on two tensors, such as "add" or "matmul"
 * @lhs: its first input
 * @rhs: its second input
 * @error: return location for an error
 *
 * [func@Strideweave.compute_into] for operations on two tensors; for tensors on carriers of class CPU, those element by
 * element allocate no memory. Either input may be @out.
 *
 * Returns: %TRUE when the result was written
 */
gboolean
sw_binary_into (SwTensor *out,
                const char *name,
                SwTensor *lhs,
                SwTensor *rhs,
                GError **error)
{
  SwOperand operands[2];

  g_return_val_if_fail (out != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (lhs != NULL, FALSE);
  g_return_val_if_fail (rhs != NULL, FALSE);

  operands[0] = sw_operand_tensor (lhs);
  operands[1] = sw_operand_tensor (rhs);
  return call_into (out, name, operands, 2, error);
}

/**
 * sw_binary_scalar_into:
 * @out: the tensor that the result is written to
 * @name: the dispatch name of an operation on a tensor and a number, such as "mul"
 * @lhs: its first input, which may be @out
 * @rhs: the number, which is taken as @lhs holds it
 * @error: return location for an error
 *
 * [func@Strideweave.compute_into] for operations on a tensor and a number.
 *
 * Returns: %TRUE when the result was written
 */
gboolean
sw_binary_scalar_into (SwTensor *out,
                       const char *name,
                       SwTensor *lhs,
                       double rhs,
                       GError **error)
{
  SwOperand operands[2];

  g_return_val_if_fail (out != NULL, FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (lhs != NULL, FALSE);

  operands[0] = sw_operand_tensor (lhs);
  operands[1] = sw_operand_double (rhs);
  return call_into (out, name, operands, 2, error);
}
