/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-storage-private.h"

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-layout-walk-private.h"
#include "sw/tensor/sw-tensor-private.h"
#include "sw/tensor/sw-value-private.h"

#include <pthread.h>
#include <string.h>

/* Keeps a value of Any from going away between being read and being referenced. One lock for all: values of Any are for
 * convenience, not for speed. No value is unreferenced under it. */
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

static SwValue *
dup_slot (SwValue *const *slot)
{
  SwValue *value;

  pthread_mutex_lock (&slots_lock);
  value = *slot != NULL ? sw_value_ref (*slot) : NULL;
  pthread_mutex_unlock (&slots_lock);

  return value != NULL ? value : sw_value_new_none ();
}

static void
take_into_slot (SwValue **slot,
                SwValue *value)
{
  SwValue *old;

  pthread_mutex_lock (&slots_lock);
  old = *slot;
  *slot = value;
  pthread_mutex_unlock (&slots_lock);

  g_clear_pointer (&old, sw_value_unref);
}

SwValue *
sw_storage_get_value (const SwStorage *storage,
                      gint64 index)
{
  gconstpointer data = storage->data;

  switch (storage->dtype)
    {
    case SW_DTYPE_FLOAT32:
      return sw_value_new_double (((const float *) data)[index]);
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      return sw_value_new_double (((const double *) data)[index]);
    case SW_DTYPE_INT32:
      return sw_value_new_int64 (((const gint32 *) data)[index]);
    case SW_DTYPE_INT64:
      return sw_value_new_int64 (((const gint64 *) data)[index]);
    case SW_DTYPE_BOOL:
      return sw_value_new_bool (((const guint8 *) data)[index] != 0);
    case SW_DTYPE_ANY:
      return dup_slot (&((SwValue *const *) data)[index]);
    case SW_DTYPE_INVALID:
    default:
      g_assert_not_reached ();
    }
}

static gboolean
fail_type (SwValue *value,
           SwDType dtype,
           GError **error)
{
  gboolean is_int = dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64;
  g_autofree char *text = sw_value_to_string (value);

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "value %s is not %s %s", text, is_int ? "an" : "a", sw_dtype_to_string (dtype));
  return FALSE;
}

static gboolean
set_real (const SwStorage *storage,
          gint64 index,
          SwValue *value,
          GError **error)
{
  double real = value->kind == SW_VALUE_INT64 ? (double) value->integer : value->real;

  if (value->kind != SW_VALUE_INT64 && value->kind != SW_VALUE_DOUBLE)
    return fail_type (value, storage->dtype, error);

  /* Beyond the range of a Float32 lies infinity, as in all arithmetic on it. */
  if (storage->dtype == SW_DTYPE_FLOAT32)
    ((float *) storage->data)[index] = (float) real;
  else
    ((double *) storage->data)[index] = real;
  return TRUE;
}

static gboolean
set_integer (const SwStorage *storage,
             gint64 index,
             SwValue *value,
             GError **error)
{
  if (value->kind != SW_VALUE_INT64)
    return fail_type (value, storage->dtype, error);

  if (storage->dtype == SW_DTYPE_INT64)
    {
      ((gint64 *) storage->data)[index] = value->integer;
      return TRUE;
    }

  if (value->integer < G_MININT32 || value->integer > G_MAXINT32)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "value %" G_GINT64_FORMAT " is outside the range of an Int32", value->integer);
      return FALSE;
    }
  ((gint32 *) storage->data)[index] = (gint32) value->integer;
  return TRUE;
}

gboolean
sw_storage_set_value (const SwStorage *storage,
                      gint64 index,
                      SwValue *value,
                      GError **error)
{
  switch (storage->dtype)
    {
    case SW_DTYPE_FLOAT32:
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_FLOATING:
      return set_real (storage, index, value, error);
    case SW_DTYPE_INT32:
    case SW_DTYPE_INT64:
      return set_integer (storage, index, value, error);
    case SW_DTYPE_BOOL:
      if (value->kind != SW_VALUE_BOOL)
        return fail_type (value, storage->dtype, error);
      ((guint8 *) storage->data)[index] = value->boolean ? 1 : 0;
      return TRUE;
    case SW_DTYPE_ANY:
      take_into_slot (&((SwValue **) storage->data)[index], sw_value_ref (value));
      return TRUE;
    case SW_DTYPE_INVALID:
    default:
      g_assert_not_reached ();
    }
}

void
sw_storage_set_out_of_memory (gint64 size,
                              SwDType dtype,
                              GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "size is %" G_GINT64_FORMAT ", and there is no memory for so many values of %s",
               size, sw_dtype_to_string (dtype));
}

gboolean
sw_storage_get_n_bytes (gint64 size,
                        SwDType dtype,
                        gsize *n_bytes,
                        GError **error)
{
  if (size < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "size is %" G_GINT64_FORMAT ", and must not be negative", size);
      return FALSE;
    }

  /* Half the address space: more is never there, and sums of a few such sizes and paddings cannot overflow. */
  if (__builtin_mul_overflow (size, sw_dtype_get_item_size (dtype), n_bytes) || *n_bytes > (gsize) G_MAXSSIZE / 2)
    {
      sw_storage_set_out_of_memory (size, dtype, error);
      return FALSE;
    }

  return TRUE;
}

gboolean
sw_storage_alloc (SwStorage *storage,
                  gint64 size,
                  SwDType dtype,
                  gboolean is_empty,
                  GError **error)
{
  gsize n_bytes;

  if (!sw_storage_get_n_bytes (size, dtype, &n_bytes, error))
    return FALSE;

  /* At least one byte: no pointer means that a carrier does not keep its values in memory. */
  n_bytes = MAX (n_bytes, 1);
  storage->data = is_empty && dtype != SW_DTYPE_ANY ? g_try_malloc (n_bytes) : g_try_malloc0 (n_bytes);
  storage->size = size;
  storage->dtype = dtype;
  if (storage->data == NULL)
    {
      sw_storage_set_out_of_memory (size, dtype, error);
      return FALSE;
    }

  return TRUE;
}

void
sw_storage_clear_values (const SwStorage *storage)
{
  SwValue **slots = storage->data;

  if (storage->dtype != SW_DTYPE_ANY)
    return;
  for (gint64 i = 0; i < storage->size; i++)
    g_clear_pointer (&slots[i], sw_value_unref);
}

void
sw_storage_clear (SwStorage *storage)
{
  if (storage->data == NULL)
    return;
  sw_storage_clear_values (storage);
  g_clear_pointer (&storage->data, g_free);
}

static void
set_zero (const SwStorage *storage,
          gint64 index)
{
  gsize item_size = sw_dtype_get_item_size (storage->dtype);

  if (storage->dtype == SW_DTYPE_ANY)
    take_into_slot (&((SwValue **) storage->data)[index], NULL);
  else
    memset ((char *) storage->data + index * item_size, 0, item_size);
}

static gboolean
fill_with_doubles (const SwStorage *storage,
                   const double *values)
{
  if (storage->dtype == SW_DTYPE_FLOAT64 || storage->dtype == SW_DTYPE_FLOATING)
    {
      memcpy (storage->data, values, storage->size * sizeof *values);
      return TRUE;
    }
  if (storage->dtype != SW_DTYPE_FLOAT32)
    return FALSE;

  for (gint64 i = 0; i < storage->size; i++)
    ((float *) storage->data)[i] = (float) values[i];
  return TRUE;
}

static gboolean
fill_with_int64s (const SwStorage *storage,
                  const gint64 *values)
{
  if (storage->dtype == SW_DTYPE_INT64)
    {
      memcpy (storage->data, values, storage->size * sizeof *values);
      return TRUE;
    }
  if (storage->dtype == SW_DTYPE_FLOAT32)
    {
      /* By way of binary64, as one value alone is written. */
      for (gint64 i = 0; i < storage->size; i++)
        ((float *) storage->data)[i] = (float) (double) values[i];
      return TRUE;
    }
  if (storage->dtype != SW_DTYPE_FLOAT64 && storage->dtype != SW_DTYPE_FLOATING)
    return FALSE;

  for (gint64 i = 0; i < storage->size; i++)
    ((double *) storage->data)[i] = (double) values[i];
  return TRUE;
}

/* Lists of bare numbers, all of which the storage can hold, need no look at each of them. */
static gboolean
fill_at_once (const SwStorage *storage,
              SwValueList *values)
{
  const double *doubles = sw_value_list_peek_doubles (values);
  const gint64 *int64s = sw_value_list_peek_int64s (values);

  if (doubles != NULL)
    return fill_with_doubles (storage, doubles);
  return int64s != NULL && fill_with_int64s (storage, int64s);
}

gboolean
sw_storage_fill (const SwStorage *storage,
                 SwValueList *values,
                 gboolean allow_holes,
                 const char *argument,
                 GError **error)
{
  if (fill_at_once (storage, values))
    return TRUE;

  for (gint64 i = 0; i < storage->size; i++)
    {
      g_autoptr (SwValue) value = sw_value_list_dup_value (values, i, NULL);

      if (allow_holes && value->kind == SW_VALUE_NONE)
        {
          set_zero (storage, i);
        }
      else if (!sw_storage_set_value (storage, i, value, error))
        {
          g_prefix_error (error, "%s[%" G_GINT64_FORMAT "]: ", argument, i);
          return FALSE;
        }
    }

  return TRUE;
}

void
sw_storage_copy_item (const SwStorage *to,
                      gint64 to_index,
                      const SwStorage *from,
                      gint64 from_index)
{
  switch (sw_dtype_get_item_size (to->dtype))
    {
    case 1:
      ((guint8 *) to->data)[to_index] = ((const guint8 *) from->data)[from_index];
      break;
    case 4:
      ((guint32 *) to->data)[to_index] = ((const guint32 *) from->data)[from_index];
      break;
    default:
      if (to->dtype == SW_DTYPE_ANY)
        take_into_slot (&((SwValue **) to->data)[to_index], dup_slot (&((SwValue *const *) from->data)[from_index]));
      else
        ((guint64 *) to->data)[to_index] = ((const guint64 *) from->data)[from_index];
    }
}

static gboolean
is_same_format (SwDType a,
                SwDType b)
{
  return a == b || (sw_dtype_get_item_size (a) == sizeof (double) && sw_dtype_get_item_size (b) == sizeof (double) &&
                    (a == SW_DTYPE_FLOATING || b == SW_DTYPE_FLOATING) && (a == SW_DTYPE_FLOAT64 || b == SW_DTYPE_FLOAT64));
}

static gboolean
gather_from_memory (const SwStorage *storage,
                    const SwStorage *from,
                    SwTensor *tensor,
                    GError **error)
{
  g_auto (SwLayoutWalk) walk;
  gboolean same_format = is_same_format (storage->dtype, from->dtype);

  sw_layout_walk_init (&walk, tensor->layout, tensor->offset);
  for (gint64 i = 0; i < storage->size; i++, sw_layout_walk_next (&walk))
    {
      if (same_format)
        {
          sw_storage_copy_item (storage, i, from, walk.index);
        }
      else
        {
          g_autoptr (SwValue) value = sw_storage_get_value (from, walk.index);

          if (!sw_storage_set_value (storage, i, value, error))
            return FALSE;
        }
    }

  return TRUE;
}

static gboolean
gather_by_values (const SwStorage *storage,
                  SwTensor *tensor,
                  GError **error)
{
  g_auto (SwLayoutWalk) walk;

  sw_layout_walk_init (&walk, tensor->layout, tensor->offset);
  for (gint64 i = 0; i < storage->size; i++, sw_layout_walk_next (&walk))
    {
      g_autoptr (SwValue) value = sw_carrier_get_value (tensor->carrier, walk.index, error);

      if (value == NULL || !sw_storage_set_value (storage, i, value, error))
        return FALSE;
    }

  return TRUE;
}

/* What lies elsewhere can have become shorter since the tensor was made. */
static gboolean
check_reach (SwTensor *tensor,
             gint64 size,
             GError **error)
{
  if (tensor->offset <= size - tensor->layout->cosize)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_INDEX, "the tensor reaches to index %" G_GINT64_FORMAT ", but the carrier holds %" G_GINT64_FORMAT " values",
               tensor->offset + tensor->layout->cosize - 1, size);
  return FALSE;
}

/* Built-in carriers that keep their values elsewhere give them all at once. */
static gboolean
gather_from_elsewhere (const SwStorage *storage,
                       const SwBuiltinCarrier *builtin,
                       SwTensor *tensor,
                       GError **error)
{
  g_auto (SwStorage) all = { 0 };
  gint64 size = sw_carrier_call_size (tensor->carrier, error);
  SwDType dtype;

  if (size < 0 || !check_reach (tensor, size, error))
    return FALSE;
  dtype = sw_carrier_call_dtype (tensor->carrier, error);

  return dtype != SW_DTYPE_INVALID &&
         sw_storage_alloc (&all, size, dtype, TRUE, error) &&
         builtin->read_all (tensor->carrier, all.data, size, error) &&
         gather_from_memory (storage, &all, tensor, error);
}

static gboolean
gather_held (const SwStorage *storage,
             SwTensor *tensor,
             GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (tensor->carrier)->builtin;
  SwStorage from;
  gboolean done;

  if (sw_carrier_is_in_memory (tensor->carrier))
    {
      if (!sw_carrier_hold (tensor->carrier, &from, error))
        return FALSE;
      done = gather_from_memory (storage, &from, tensor, error);
      sw_carrier_drop (tensor->carrier);
      return done;
    }

  if (builtin != NULL && builtin->read_all != NULL)
    return gather_from_elsewhere (storage, builtin, tensor, error);
  return gather_by_values (storage, tensor, error);
}

gboolean
sw_storage_gather (const SwStorage *storage,
                   SwTensor *tensor,
                   GError **error)
{
  gboolean done;

  if (!sw_carrier_enter (tensor->carrier, "the tensor's carrier", error))
    return FALSE;
  done = gather_held (storage, tensor, error);
  sw_carrier_drop (tensor->carrier);
  return done;
}

void
sw_storage_scatter (const SwStorage *storage,
                    const SwStorage *items,
                    SwLayout *mapping,
                    gint64 offset)
{
  g_auto (SwLayoutWalk) walk;

  sw_layout_walk_init (&walk, mapping, offset);
  for (gint64 i = 0; i < items->size; i++, sw_layout_walk_next (&walk))
    sw_storage_copy_item (storage, walk.index, items, i);
}
