/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-execution-options-private.h"

#include "sw/base/sw-error.h"
#include "sw/base/sw-ref-count-private.h"
#include "sw/operations/sw-implementation-private.h"
#include "sw/tensor/sw-tensor.h"

/**
 * SwExecutionOptions:
 *
 * Typed options of one operation, validated when they are made.
 *
 * Options are not inputs: they have no position, and recorders do not count them as such. Immutable, usable from any
 * thread.
 */

struct _SwExecutionOptions
{
  SwRefCount ref_count;
  const SwOperationInfo *info;
  SwDType accumulator_dtype;
  SwTensor *out; /* NULL: none */
  gboolean owns_out;
};

G_DEFINE_BOXED_TYPE (SwExecutionOptions, sw_execution_options, sw_execution_options_ref, sw_execution_options_unref)

static gboolean
check_accumulator (const SwOperationInfo *info,
                   SwDType accumulator_dtype,
                   GError **error)
{
  if (accumulator_dtype == SW_DTYPE_INVALID)
    return TRUE;

  if ((info->flags & SW_OPERATION_TAKES_ACCUMULATOR) == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "accumulator_dtype is %s, but %s does not accumulate",
                   sw_dtype_to_string (accumulator_dtype), info->name);
      return FALSE;
    }

  if (accumulator_dtype != SW_DTYPE_FLOAT32 && accumulator_dtype != SW_DTYPE_FLOAT64 &&
      accumulator_dtype != SW_DTYPE_INT32 && accumulator_dtype != SW_DTYPE_INT64)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "accumulator_dtype is %s, but must be Float32, Float64, Int32 or Int64",
                   sw_dtype_to_string (accumulator_dtype));
      return FALSE;
    }

  return TRUE;
}

static SwExecutionOptions *
new_unchecked (const SwOperationInfo *info,
               SwDType accumulator_dtype,
               SwTensor *out,
               gboolean owns_out)
{
  SwExecutionOptions *self = g_new (SwExecutionOptions, 1);

  sw_ref_count_init (&self->ref_count);
  self->info = info;
  self->accumulator_dtype = accumulator_dtype;
  self->out = out != NULL ? sw_tensor_ref (out) : NULL;
  self->owns_out = owns_out;
  return self;
}

/**
 * sw_execution_options_new:
 * @operation_name: the dispatch name of the operation that the options are for
 * @accumulator_dtype: what sums are kept in, or %SW_DTYPE_INVALID for the operation's own choice
 * @error: return location for an error
 *
 * Makes the options of one operation.
 *
 * Fails with %SW_ERROR_VALUE when no operation has that name, or when it does not accumulate.
 *
 * Returns: (transfer full): the options
 */
SwExecutionOptions *
sw_execution_options_new (const char *operation_name,
                          SwDType accumulator_dtype,
                          GError **error)
{
  const SwOperationInfo *info;

  g_return_val_if_fail (operation_name != NULL, NULL);

  info = sw_operation_info_find (operation_name);
  if (info == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "operation name '%s' is not known", operation_name);
      return NULL;
    }
  if (!check_accumulator (info, accumulator_dtype, error))
    return NULL;

  return new_unchecked (info, accumulator_dtype, NULL, FALSE);
}

/**
 * sw_execution_options_new_into: (constructor)
 * @operation_name: the dispatch name of the operation that the options are for
 * @accumulator_dtype: what sums are kept in, or %SW_DTYPE_INVALID for the operation's own choice
 * @out: the tensor that the result is written to
 * @error: return location for an error
 *
 * Makes the options of one operation, which puts its result into a tensor instead of a fresh one, and returns that. See
 * [func@Strideweave.compute_into] for what @out must be.
 *
 * Fails with %SW_ERROR_VALUE when no operation has that name, or when it does not accumulate, and with
 * %SW_ERROR_UNSUPPORTED for an operation that makes its result by itself: only those element by element, and matmul,
 * write elsewhere.
 *
 * Returns: (transfer full): the options
 */
SwExecutionOptions *
sw_execution_options_new_into (const char *operation_name,
                               SwDType accumulator_dtype,
                               SwTensor *out,
                               GError **error)
{
  SwExecutionOptions *self;

  g_return_val_if_fail (out != NULL, NULL);

  self = sw_execution_options_new (operation_name, accumulator_dtype, error);
  if (self == NULL)
    return NULL;
  if (!sw_out_check_operation (operation_name, error))
    {
      sw_execution_options_unref (self);
      return NULL;
    }

  self->out = sw_tensor_ref (out);
  return self;
}

SwExecutionOptions *
sw_execution_options_new_lowered (SwExecutionOptions *self,
                                  SwTensor *out)
{
  return new_unchecked (self->info, self->accumulator_dtype, out, TRUE);
}

SwTensor *
sw_execution_options_peek_out (SwExecutionOptions *self,
                               gboolean *owns_out)
{
  *owns_out = self != NULL && self->owns_out;
  return self != NULL ? self->out : NULL;
}

/**
 * sw_execution_options_ref: (skip)
 * @self: the options
 *
 * Takes a reference. May be called from any thread.
 *
 * Returns: (transfer full): @self
 */
SwExecutionOptions *
sw_execution_options_ref (SwExecutionOptions *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_execution_options_unref: (skip)
 * @self: (transfer full): the options
 *
 * Drops a reference. May be called from any thread.
 */
void
sw_execution_options_unref (SwExecutionOptions *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->out, sw_tensor_unref);
  g_free (self);
}

/**
 * sw_execution_options_get_operation_name:
 * @self: the options
 *
 * Tells which operation the options are for.
 *
 * Returns: the dispatch name
 */
const char *
sw_execution_options_get_operation_name (SwExecutionOptions *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->info->name;
}

/**
 * sw_execution_options_get_accumulator_dtype:
 * @self: the options
 *
 * Tells what sums are kept in.
 *
 * Returns: the dtype, or %SW_DTYPE_INVALID for the operation's own choice
 */
SwDType
sw_execution_options_get_accumulator_dtype (SwExecutionOptions *self)
{
  g_return_val_if_fail (self != NULL, SW_DTYPE_INVALID);

  return self->accumulator_dtype;
}

/**
 * sw_execution_options_get_out:
 * @self: the options
 *
 * Gives the tensor that the result is written to.
 *
 * Returns: (transfer none) (nullable): the tensor, or %NULL when the result is a fresh one
 */
SwTensor *
sw_execution_options_get_out (SwExecutionOptions *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->out;
}

gboolean
sw_execution_options_check (SwExecutionOptions *self,
                            const char *operation_name,
                            GError **error)
{
  if (self == NULL || operation_name == NULL || g_str_equal (self->info->name, operation_name))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "options are for the operation '%s', not for '%s'",
               self->info->name, operation_name);
  return FALSE;
}
