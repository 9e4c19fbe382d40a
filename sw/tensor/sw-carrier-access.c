/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-carrier-private.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout.h"

/* Every call of a function that somebody else wrote ends here, when it reports nothing: @failure is what it set.
 * Returns whether the call counts as done. */
static gboolean
finish_call (SwCarrier *self,
             const char *function,
             gboolean done,
             const char *returned,
             GError *failure,
             GError **error)
{
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (!done)
    g_set_error (error, SW_ERROR, SW_ERROR_FAILED, "%s.%s returned %s and set no error",
                 sw_carrier_get_class_name (self), function, returned);
  return done;
}

gint64
sw_carrier_call_size (SwCarrier *self,
                      GError **error)
{
  GError *failure = NULL;
  gint64 size = SW_CARRIER_GET_CLASS (self)->size (self, &failure);

  return finish_call (self, "size", size >= 0, "a negative number", failure, error) ? size : -1;
}

SwDType
sw_carrier_call_dtype (SwCarrier *self,
                       GError **error)
{
  GError *failure = NULL;
  SwDType dtype = SW_CARRIER_GET_CLASS (self)->dtype (self, &failure);
  gboolean known = dtype != SW_DTYPE_INVALID && (guint) dtype < SW_DTYPE_N;

  if (!known && failure == NULL && !sw_carrier_check_made (self, error))
    return SW_DTYPE_INVALID;
  return finish_call (self, "dtype", known, "no dtype", failure, error) ? dtype : SW_DTYPE_INVALID;
}

gboolean
sw_carrier_call_is_mutable (SwCarrier *self,
                            gboolean *is_mutable,
                            GError **error)
{
  GError *failure = NULL;

  *is_mutable = SW_CARRIER_GET_CLASS (self)->is_mutable (self, &failure);
  return finish_call (self, "is_mutable", TRUE, NULL, failure, error);
}

SwValue *
sw_carrier_call_get_value (SwCarrier *self,
                           gint64 index,
                           GError **error)
{
  GError *failure = NULL;
  SwValue *value = SW_CARRIER_GET_CLASS (self)->get_value (self, index, &failure);

  if (!finish_call (self, "get_value", value != NULL, "nothing", failure, error))
    g_clear_pointer (&value, sw_value_unref);
  return value;
}

gboolean
sw_carrier_call_set_value (SwCarrier *self,
                           gint64 index,
                           SwValue *value,
                           GError **error)
{
  GError *failure = NULL;
  gboolean done = SW_CARRIER_GET_CLASS (self)->set_value (self, index, value, &failure);

  return finish_call (self, "set_value", done, "false", failure, error);
}

gboolean
sw_carrier_call_scatter (SwCarrier *self,
                         SwTensor *source,
                         SwTensor *onto,
                         SwLayout *mapping,
                         gint64 mapping_offset,
                         GError **error)
{
  GError *failure = NULL;
  gboolean done = SW_CARRIER_GET_CLASS (self)->scatter (self, source, onto, mapping, mapping_offset, &failure);

  return finish_call (self, "scatter", done, "false", failure, error);
}

/* What a class's new_like or allocate_like returned, made into a fresh carrier or an error. */
static SwCarrier *
finish_new (SwCarrier *self,
            const char *function,
            SwCarrier *fresh,
            GError *failure,
            GError **error)
{
  if (!finish_call (self, function, fresh != NULL, "nothing", failure, error))
    {
      g_clear_object (&fresh);
    }
  else if (!SW_IS_CARRIER (fresh) || fresh == self)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s.%s must return a fresh Carrier, and returned %s",
                   sw_carrier_get_class_name (self), function, fresh == self ? "its own carrier" : G_OBJECT_TYPE_NAME (fresh));
      g_clear_object (&fresh);
    }

  return fresh;
}

/**
 * sw_carrier_size:
 * @self: a carrier
 * @error: return location for an error
 *
 * Counts the values. Fails only with what a carrier of one's own reports.
 *
 * Returns: how many values there are, 0 after a release; -1 with @error set
 */
gint64
sw_carrier_size (SwCarrier *self,
                 GError **error)
{
  gint64 size;

  g_return_val_if_fail (SW_IS_CARRIER (self), -1);

  if (!sw_carrier_try_hold (self))
    return 0;
  size = sw_carrier_call_size (self, error);
  sw_carrier_drop (self);
  return size;
}

/**
 * sw_carrier_dtype:
 * @self: a carrier
 * @error: return location for an error
 *
 * Tells what each value is; a released carrier tells, too. Fails only with what a carrier of one's own reports.
 *
 * Returns: the dtype; %SW_DTYPE_INVALID with @error set
 */
SwDType
sw_carrier_dtype (SwCarrier *self,
                  GError **error)
{
  g_return_val_if_fail (SW_IS_CARRIER (self), SW_DTYPE_INVALID);

  return sw_carrier_call_dtype (self, error);
}

/**
 * sw_carrier_is_mutable:
 * @self: a carrier
 * @error: return location for an error
 *
 * Tells whether values may be written through this carrier. Fails only with what a carrier of one's own reports.
 *
 * Returns: %TRUE when they may; %FALSE when they may not, when the carrier is owned or released, or with @error set
 */
gboolean
sw_carrier_is_mutable (SwCarrier *self,
                       GError **error)
{
  gboolean is_mutable;

  g_return_val_if_fail (SW_IS_CARRIER (self), FALSE);

  if (sw_carrier_is_owned (self) || sw_carrier_is_released (self))
    return FALSE;
  return sw_carrier_call_is_mutable (self, &is_mutable, error) && is_mutable;
}

/**
 * sw_carrier_supports_storage_dtype:
 * @self: a carrier
 * @dtype: a dtype
 *
 * Tells whether a carrier of this kind can hold values of a dtype. Carriers of one's own hold their own dtype only.
 *
 * Returns: %TRUE when it can
 */
gboolean
sw_carrier_supports_storage_dtype (SwCarrier *self,
                                   SwDType dtype)
{
  const SwBuiltinCarrier *builtin;

  g_return_val_if_fail (SW_IS_CARRIER (self), FALSE);

  builtin = SW_CARRIER_GET_CLASS (self)->builtin;
  if (builtin != NULL && builtin->supports_dtype != NULL)
    return sw_carrier_check_made (self, NULL) && builtin->supports_dtype (self, dtype);
  return dtype != SW_DTYPE_INVALID && sw_carrier_call_dtype (self, NULL) == dtype;
}

static gboolean
check_index (SwCarrier *self,
             gint64 index,
             GError **error)
{
  gint64 size = sw_carrier_call_size (self, error);

  if (size < 0)
    return FALSE;
  if (index >= 0 && index < size)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_INDEX, "index is %" G_GINT64_FORMAT ", but the carrier holds %" G_GINT64_FORMAT " values",
               index, size);
  return FALSE;
}

/**
 * sw_carrier_get_value:
 * @self: a carrier
 * @index: which value, from 0
 * @error: return location for an error
 *
 * Reads one value. Fails with %SW_ERROR_INDEX outside the carrier, with %SW_ERROR_STATE after a release.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_carrier_get_value (SwCarrier *self,
                      gint64 index,
                      GError **error)
{
  SwValue *value;

  g_return_val_if_fail (SW_IS_CARRIER (self), NULL);

  if (!sw_carrier_enter (self, "carrier", error))
    return NULL;
  value = check_index (self, index, error) ? sw_carrier_call_get_value (self, index, error) : NULL;
  sw_carrier_drop (self);
  return value;
}

/**
 * sw_carrier_set_value:
 * @self: a mutable carrier
 * @index: which value, from 0
 * @value: what to write
 * @error: return location for an error
 *
 * Writes one value. Real dtypes take reals and integers, integer dtypes integers only, Bool truth values only, Any
 * everything.
 *
 * Fails with %SW_ERROR_STATE when the carrier is immutable, owned or released, with %SW_ERROR_INDEX outside the carrier,
 * with %SW_ERROR_TYPE or %SW_ERROR_VALUE when the dtype does not allow the value.
 *
 * Returns: %TRUE when the value was written
 */
gboolean
sw_carrier_set_value (SwCarrier *self,
                      gint64 index,
                      SwValue *value,
                      GError **error)
{
  gboolean done;

  g_return_val_if_fail (SW_IS_CARRIER (self), FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  if (!sw_carrier_enter (self, "carrier", error))
    return FALSE;
  done = sw_carrier_check_writable (self, error) &&
         check_index (self, index, error) &&
         sw_carrier_call_set_value (self, index, value, error);
  if (done)
    sw_carrier_changed (self);
  sw_carrier_drop (self);
  return done;
}

static gboolean
check_dtype_or_own (SwDType dtype,
                    GError **error)
{
  if ((guint) dtype < SW_DTYPE_N)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "dtype is %d, which is no dtype", (int) dtype);
  return FALSE;
}

/**
 * sw_carrier_new_like:
 * @self: a carrier, released or not
 * @values: the values; no value stands for zero
 * @is_mutable: whether values may be written later
 * @dtype: the dtype, or %SW_DTYPE_INVALID for that of @self
 * @error: return location for an error
 *
 * Makes a fresh carrier of the same kind that holds @values.
 *
 * Fails with %SW_ERROR_VALUE when the kind of carrier does not hold @dtype, with %SW_ERROR_TYPE or %SW_ERROR_VALUE when
 * the dtype does not allow one of the values, with %SW_ERROR_NOT_IMPLEMENTED when the kind of carrier cannot do this.
 *
 * Returns: (transfer full): the carrier
 */
SwCarrier *
sw_carrier_new_like (SwCarrier *self,
                     SwValueList *values,
                     gboolean is_mutable,
                     SwDType dtype,
                     GError **error)
{
  GError *failure = NULL;
  SwCarrier *fresh;

  g_return_val_if_fail (SW_IS_CARRIER (self), NULL);
  g_return_val_if_fail (values != NULL, NULL);

  if (!check_dtype_or_own (dtype, error) || !sw_carrier_check_made (self, error))
    return NULL;
  fresh = SW_CARRIER_GET_CLASS (self)->new_like (self, values, is_mutable, dtype, &failure);
  return finish_new (self, "new_like", fresh, failure, error);
}

/**
 * sw_carrier_allocate_like:
 * @self: a carrier, released or not
 * @size: how many values
 * @is_mutable: whether values may be written later
 * @dtype: the dtype, or %SW_DTYPE_INVALID for that of @self
 * @is_empty: whether the values may be left undefined
 * @error: return location for an error
 *
 * Makes a fresh carrier of the same kind that holds @size zeros; a carrier of Any holds no values there.
 *
 * Fails with %SW_ERROR_VALUE when @size is negative or more than the memory, or the kind of carrier does not hold
 * @dtype, with %SW_ERROR_NOT_IMPLEMENTED when the kind of carrier cannot do this.
 *
 * Returns: (transfer full): the carrier
 */
SwCarrier *
sw_carrier_allocate_like (SwCarrier *self,
                          gint64 size,
                          gboolean is_mutable,
                          SwDType dtype,
                          gboolean is_empty,
                          GError **error)
{
  GError *failure = NULL;
  SwCarrier *fresh;

  g_return_val_if_fail (SW_IS_CARRIER (self), NULL);

  if (size < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "size is %" G_GINT64_FORMAT ", and must not be negative", size);
      return NULL;
    }
  if (!check_dtype_or_own (dtype, error) || !sw_carrier_check_made (self, error))
    return NULL;
  fresh = SW_CARRIER_GET_CLASS (self)->allocate_like (self, size, is_mutable, dtype, is_empty, &failure);
  return finish_new (self, "allocate_like", fresh, failure, error);
}
