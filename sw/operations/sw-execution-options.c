/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-execution-options-private.h"

#include "sw/base/sw-error.h"
#include "sw/base/sw-ref-count-private.h"
#include "sw/operations/sw-implementation-private.h"

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
  SwExecutionOptions *self;

  g_return_val_if_fail (operation_name != NULL, NULL);

  info = sw_operation_info_find (operation_name);
  if (info == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "operation name '%s' is not known", operation_name);
      return NULL;
    }
  if (!check_accumulator (info, accumulator_dtype, error))
    return NULL;

  self = g_new (SwExecutionOptions, 1);
  sw_ref_count_init (&self->ref_count);
  self->info = info;
  self->accumulator_dtype = accumulator_dtype;
  return self;
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

  if (sw_ref_count_dec (&self->ref_count))
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
