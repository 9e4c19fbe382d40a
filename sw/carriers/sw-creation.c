/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-creation-private.h"
#include "sw/carriers/sw-creation.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/sw-memory-private.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/tensor/sw-value-private.h"

#include <string.h>

SwDType
sw_creation_resolve_dtype (SwDType dtype,
                           SwCarrier *like,
                           SwDType own,
                           GError **error)
{
  if ((guint) dtype >= SW_DTYPE_N)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "dtype is %d, which is no dtype", (int) dtype);
      return SW_DTYPE_INVALID;
    }
  if (dtype != SW_DTYPE_INVALID)
    return dtype;
  return like != NULL ? sw_carrier_dtype (like, error) : own;
}

static SwCarrier *
allocate (gint64 size,
          SwDType dtype,
          SwCarrier *like,
          gboolean is_empty,
          GError **error)
{
  if (like == NULL)
    return sw_cpu_new (size, TRUE, dtype, is_empty, error);
  return sw_carrier_allocate_like (like, size, TRUE, dtype, is_empty, error);
}

static SwTensor *
new_row_major (SwCarrier *carrier,
               SwShape *shape,
               GError **error)
{
  g_autoptr (SwLayout) layout = sw_layout_new_row_major (shape);

  return sw_tensor_new (carrier, 0, layout, error);
}

/* A carrier that somebody else wrote is given all its values at once. */
static SwCarrier *
new_foreign (SwCarrier *like,
             const SwStorage *items,
             GError **error)
{
  g_autofree SwValue **values = g_new (SwValue *, items->size);
  g_autoptr (SwValueList) list = NULL;

  for (gint64 i = 0; i < items->size; i++)
    values[i] = sw_storage_get_value (items, i);
  list = sw_value_list_new (values, items->size);
  for (gint64 i = 0; i < items->size; i++)
    sw_value_unref (values[i]);
  return sw_carrier_new_like (like, list, TRUE, items->dtype, error);
}

/* Where values do not lie in memory, they are written there first. */
static SwCarrier *
new_elsewhere (gint64 size,
               SwDType dtype,
               SwCarrier *like,
               SwCreationWrite write,
               gconstpointer data,
               GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (like)->builtin;
  g_auto (SwStorage) items = { 0 };
  g_autoptr (SwCarrier) carrier = NULL;

  if (!sw_storage_alloc (&items, size, dtype, TRUE, error) || !write (&items, data, error))
    return NULL;
  if (builtin == NULL)
    return new_foreign (like, &items, error);

  carrier = allocate (size, dtype, like, TRUE, error);
  if (carrier == NULL || !builtin->write_all (carrier, items.data, size, error))
    return NULL;
  return g_steal_pointer (&carrier);
}

static SwCarrier *
new_carrier (gint64 size,
             SwDType dtype,
             SwCarrier *like,
             SwCreationWrite write,
             gconstpointer data,
             GError **error)
{
  g_autoptr (SwCarrier) carrier = NULL;
  SwStorage storage;

  if (like != NULL && !sw_carrier_is_in_memory (like))
    return new_elsewhere (size, dtype, like, write, data, error);

  carrier = allocate (size, dtype, like, TRUE, error);
  if (carrier == NULL)
    return NULL;
  storage = sw_memory_carrier_peek_storage (carrier);
  return write (&storage, data, error) ? g_steal_pointer (&carrier) : NULL;
}

SwTensor *
sw_creation_new (SwShape *shape,
                 SwDType dtype,
                 SwCarrier *like,
                 SwCreationWrite write,
                 gconstpointer data,
                 GError **error)
{
  g_autoptr (SwCarrier) carrier = NULL;

  if (like != NULL && !sw_carrier_supports_storage_dtype (like, dtype))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "dtype is %s, which %s does not hold", sw_dtype_to_string (dtype),
                   sw_carrier_get_class_name (like));
      return NULL;
    }
  carrier = new_carrier (sw_shape_get_size (shape), dtype, like, write, data, error);
  return carrier != NULL ? new_row_major (carrier, shape, error) : NULL;
}

/**
 * sw_zeros:
 * @shape: the shape of the result
 * @dtype: what the values are; %SW_DTYPE_INVALID for that of @like, or Float32 without one
 * @like: (nullable): a carrier whose kind the new one is of, or %NULL for [class@Strideweave.CPU]
 * @error: return location for an error
 *
 * Makes a tensor of zeros on a new mutable carrier, the last mode fastest as in arrays of C and of NumPy; on a carrier of Any, of
 * no values.
 *
 * Fails with %SW_ERROR_VALUE when the kind of carrier does not hold @dtype, or there is no memory for so many values, and with
 * %SW_ERROR_NOT_IMPLEMENTED when @like cannot make carriers of its kind.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_zeros (SwShape *shape,
          SwDType dtype,
          SwCarrier *like,
          GError **error)
{
  g_autoptr (SwCarrier) carrier = NULL;

  g_return_val_if_fail (shape != NULL, NULL);
  g_return_val_if_fail (like == NULL || SW_IS_CARRIER (like), NULL);

  dtype = sw_creation_resolve_dtype (dtype, like, SW_DTYPE_FLOAT32, error);
  if (dtype == SW_DTYPE_INVALID)
    return NULL;
  carrier = allocate (sw_shape_get_size (shape), dtype, like, FALSE, error);
  return carrier != NULL ? new_row_major (carrier, shape, error) : NULL;
}

/**
 * sw_ones:
 * @shape: the shape of the result
 * @dtype: what the values are; %SW_DTYPE_INVALID for that of @like, or Float32 without one
 * @like: (nullable): a carrier whose kind the new one is of, or %NULL for [class@Strideweave.CPU]
 * @error: return location for an error
 *
 * Makes a tensor of ones, or of true, as [func@Strideweave.full] does.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_ones (SwShape *shape,
         SwDType dtype,
         SwCarrier *like,
         GError **error)
{
  g_autoptr (SwValue) one = sw_value_new_int64 (1);

  g_return_val_if_fail (shape != NULL, NULL);
  g_return_val_if_fail (like == NULL || SW_IS_CARRIER (like), NULL);

  dtype = sw_creation_resolve_dtype (dtype, like, SW_DTYPE_FLOAT32, error);
  return dtype != SW_DTYPE_INVALID ? sw_full (shape, one, dtype, like, error) : NULL;
}

/* Truth values are 1 and 0 among numbers, and numbers other than 0 are true. */
static SwValue *
dup_as (SwValue *value,
        SwDType dtype)
{
  if (dtype == SW_DTYPE_BOOL && value->kind == SW_VALUE_INT64)
    return sw_value_new_bool (value->integer != 0);
  if (dtype == SW_DTYPE_BOOL && value->kind == SW_VALUE_DOUBLE)
    return sw_value_new_bool (value->real != 0);
  if (dtype != SW_DTYPE_BOOL && dtype != SW_DTYPE_ANY && value->kind == SW_VALUE_BOOL)
    return sw_value_new_int64 (value->boolean ? 1 : 0);
  return sw_value_ref (value);
}

/* Whether the dtype allows a value that is written nowhere. */
static gboolean
check_value (SwValue *value,
             SwDType dtype,
             GError **error)
{
  guint64 item = 0;
  const SwStorage one = { &item, 1, dtype };

  return dtype == SW_DTYPE_ANY || sw_storage_set_value (&one, 0, value, error);
}

static gboolean
write_same (const SwStorage *storage,
            gconstpointer data,
            GError **error)
{
  g_autoptr (SwValue) value = dup_as ((SwValue *) data, storage->dtype);
  gsize item_size = sw_dtype_get_item_size (storage->dtype);
  gsize n_bytes = storage->size * item_size;

  if (storage->size == 0)
    return check_value (value, storage->dtype, error);
  if (!sw_storage_set_value (storage, 0, value, error))
    return FALSE;
  if (storage->dtype == SW_DTYPE_ANY)
    {
      for (gint64 i = 1; i < storage->size; i++)
        sw_storage_copy_item (storage, i, storage, 0);
      return TRUE;
    }

  /* What is there once makes it there twice as often. */
  for (gsize n_done = item_size; n_done < n_bytes; n_done *= 2)
    memcpy ((char *) storage->data + n_done, storage->data, MIN (n_done, n_bytes - n_done));
  return TRUE;
}

static SwDType
get_own_dtype (SwValue *value)
{
  switch (value->kind)
    {
    case SW_VALUE_BOOL:
      return SW_DTYPE_BOOL;
    case SW_VALUE_INT64:
      return SW_DTYPE_INT64;
    case SW_VALUE_DOUBLE:
      return SW_DTYPE_FLOAT64;
    case SW_VALUE_NONE:
    case SW_VALUE_TENSOR:
    case SW_VALUE_SHAPE:
    case SW_VALUE_INDICES:
    case SW_VALUE_OBJECT:
    default:
      return SW_DTYPE_ANY;
    }
}

/**
 * sw_full:
 * @shape: the shape of the result
 * @value: what each value is to be
 * @dtype: what the values are; %SW_DTYPE_INVALID for that of @like, or without one for that of @value: Bool, Int64 or Float64
 * @like: (nullable): a carrier whose kind the new one is of, or %NULL for [class@Strideweave.CPU]
 * @error: return location for an error
 *
 * Makes a tensor of values that are all the same on a new mutable carrier, the last mode fastest as in arrays of C and of NumPy.
 *
 * Real dtypes take any number, integer dtypes integers. Truth values count as 1 and 0, and a number other than 0 is true.
 *
 * Fails with %SW_ERROR_TYPE when @dtype does not allow @value, with %SW_ERROR_VALUE when @value is outside the range of
 * @dtype, when the kind of carrier does not hold @dtype, or there is no memory for so many values, and with
 * %SW_ERROR_NOT_IMPLEMENTED when @like cannot make carriers of its kind.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_full (SwShape *shape,
         SwValue *value,
         SwDType dtype,
         SwCarrier *like,
         GError **error)
{
  g_return_val_if_fail (shape != NULL, NULL);
  g_return_val_if_fail (value != NULL, NULL);
  g_return_val_if_fail (like == NULL || SW_IS_CARRIER (like), NULL);

  dtype = sw_creation_resolve_dtype (dtype, like, get_own_dtype (value), error);
  return dtype != SW_DTYPE_INVALID ? sw_creation_new (shape, dtype, like, write_same, value, error) : NULL;
}

/* Bool, Int64 or Float64, whichever holds all values; SW_DTYPE_INVALID with an error where there are truth values and
 * numbers, Any for what are neither. Of no values at all, Float64, as in NumPy. */
static SwDType
find_own_dtype (SwValueList *values,
                GError **error)
{
  gsize length = sw_value_list_get_length (values);
  SwDType found = SW_DTYPE_INVALID;

  if (length == 0 || sw_value_list_peek_doubles (values) != NULL)
    return SW_DTYPE_FLOAT64;
  if (sw_value_list_peek_int64s (values) != NULL)
    return SW_DTYPE_INT64;

  for (gsize i = 0; i < length; i++)
    {
      SwDType own = get_own_dtype (sw_value_list_peek (values, i));

      if (found != SW_DTYPE_INVALID && (found == SW_DTYPE_BOOL) != (own == SW_DTYPE_BOOL))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_TYPE,
                       "values has both truth values and others, such as values[%" G_GSIZE_FORMAT "]; say which dtype they are to have", i);
          return SW_DTYPE_INVALID;
        }
      if (own == SW_DTYPE_ANY || found == SW_DTYPE_INVALID || own == SW_DTYPE_FLOAT64)
        found = found == SW_DTYPE_ANY ? found : own;
    }
  return found;
}

static gboolean
write_values (const SwStorage *storage,
              gconstpointer data,
              GError **error)
{
  return sw_storage_fill (storage, (SwValueList *) data, FALSE, "values", error);
}

/**
 * sw_from_values:
 * @values: the values, the last mode fastest
 * @shape: (nullable): the shape of the result, or %NULL for a single mode of all values
 * @dtype: what the values are; %SW_DTYPE_INVALID for that of @like, or without one for the first of Bool, Int64 and Float64 that
 *   holds them all, Float64 where there are none
 * @like: (nullable): a carrier whose kind the new one is of, or %NULL for [class@Strideweave.CPU]
 * @error: return location for an error
 *
 * Makes a tensor of given values on a new mutable carrier, in the order of arrays of C and of NumPy.
 *
 * Real dtypes take reals and integers, integer dtypes integers only, Bool truth values only, Any everything.
 *
 * Fails with %SW_ERROR_TYPE when @dtype does not allow one of the values, or they are both truth values and numbers and no
 * dtype is given, with %SW_ERROR_VALUE when one is outside the range of @dtype, there are not as many as @shape has, the kind of
 * carrier does not hold @dtype, or there is no memory for so many, and with %SW_ERROR_NOT_IMPLEMENTED when @like cannot make
 * carriers of its kind.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_from_values (SwValueList *values,
                SwShape *shape,
                SwDType dtype,
                SwCarrier *like,
                GError **error)
{
  g_autoptr (SwShape) own_shape = NULL;
  gint64 length;

  g_return_val_if_fail (values != NULL, NULL);
  g_return_val_if_fail (like == NULL || SW_IS_CARRIER (like), NULL);

  length = sw_value_list_get_length (values);
  if (shape == NULL)
    shape = own_shape = sw_shape_new (&length, 1, error);
  if (shape == NULL)
    return NULL;
  if (length != sw_shape_get_size (shape))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "values has %" G_GINT64_FORMAT " values, but shape has %" G_GINT64_FORMAT,
                   length, sw_shape_get_size (shape));
      return NULL;
    }

  if (dtype == SW_DTYPE_INVALID && like == NULL)
    dtype = find_own_dtype (values, error);
  else
    dtype = sw_creation_resolve_dtype (dtype, like, SW_DTYPE_INVALID, error);
  return dtype != SW_DTYPE_INVALID ? sw_creation_new (shape, dtype, like, write_values, values, error) : NULL;
}

/**
 * sw_from_bytes:
 * @bytes: the values in the item format of @dtype, in the machine's byte order, the last mode fastest
 * @shape: the shape of the result
 * @dtype: what the values are
 * @error: return location for an error
 *
 * Makes a tensor over an immutable [class@Strideweave.CPU] that uses @bytes, which stay alive as long as their contents are
 * in use. Nothing is copied, unless the bytes begin at an address that the machine cannot read such values from.
 *
 * The layout is [ctor@Strideweave.Layout.new_row_major]'s, as in arrays of C and of NumPy. For another one, make a tensor over
 * [ctor@Strideweave.CPU.new_from_bytes].
 *
 * Fails with %SW_ERROR_VALUE when CPU does not hold @dtype, or when @bytes are not just as many values as @shape has.
 *
 * May be called on any thread.
 *
 * Returns: (transfer full): a new tensor
 */
SwTensor *
sw_from_bytes (GBytes *bytes,
               SwShape *shape,
               SwDType dtype,
               GError **error)
{
  g_autoptr (SwCarrier) carrier = NULL;
  gint64 n_values;

  g_return_val_if_fail (bytes != NULL, NULL);
  g_return_val_if_fail (shape != NULL, NULL);

  carrier = sw_cpu_new_from_bytes (bytes, dtype, error);
  if (carrier == NULL)
    return NULL;
  n_values = g_bytes_get_size (bytes) / sw_dtype_get_item_size (dtype);
  if (n_values != sw_shape_get_size (shape))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "bytes holds %" G_GINT64_FORMAT " values of %s, but shape has %" G_GINT64_FORMAT,
                   n_values, sw_dtype_to_string (dtype), sw_shape_get_size (shape));
      return NULL;
    }
  return new_row_major (carrier, shape, error);
}
