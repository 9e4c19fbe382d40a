/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-private.h"

#include "sw/carriers/sw-memory-notes-private.h"
#include "sw/carriers/sw-memory-private.h"
#include "sw/tensor/sw-storage-private.h"

/**
 * SwGeneric:
 *
 * The carrier that takes everything: numbers of any dtype, and values that are no numbers.
 *
 * %SW_DTYPE_FLOATING, the usual dtype, keeps real numbers as binary64; %SW_DTYPE_ANY keeps whatever it is given. Its
 * operations are plain loops, the reference that others are compared with; compute on [class@Strideweave.CPU] where
 * speed matters.
 */
struct _SwGeneric
{
  SwCarrier parent_instance;
};

G_DEFINE_FINAL_TYPE (SwGeneric, sw_generic, SW_TYPE_CARRIER)

static gboolean
sw_generic_supports_dtype (SwCarrier *self,
                           SwDType dtype)
{
  return dtype != SW_DTYPE_INVALID && (guint) dtype < SW_DTYPE_N;
}

static gsize
get_n_bytes (const SwStorage *storage)
{
  return (gsize) storage->size * sw_dtype_get_item_size (storage->dtype);
}

static void
sw_generic_release (SwCarrier *self)
{
  SwStorage storage = sw_memory_carrier_peek_storage (self);

  if (storage.data != NULL)
    sw_memory_note_released (SW_TYPE_GENERIC, storage.dtype, get_n_bytes (&storage));
  sw_storage_clear (&storage);
}

static SwCarrier *
sw_generic_allocate (SwCarrier *like,
                     gint64 size,
                     SwDType dtype,
                     GError **error);

static const SwBuiltinCarrier builtin = {
  .name = "Generic",
  .allocate = sw_generic_allocate,
  .supports_dtype = sw_generic_supports_dtype,
  .read_all = sw_memory_carrier_read_all,
  .write_all = sw_memory_carrier_write_all,
  .release = sw_generic_release,
};

static SwCarrier *
sw_generic_allocate (SwCarrier *like,
                     gint64 size,
                     SwDType dtype,
                     GError **error)
{
  GError *failure = NULL;
  SwStorage storage;
  gsize n_bytes;
  SwCarrier *self;

  if (!sw_memory_carrier_check_dtype (&builtin, dtype, error) ||
      !sw_storage_get_n_bytes (size, dtype, &n_bytes, error))
    return NULL;
  if (!sw_storage_alloc (&storage, size, dtype, TRUE, &failure))
    {
      sw_memory_note_refused (SW_TYPE_GENERIC, dtype, n_bytes, failure);
      g_propagate_error (error, failure);
      return NULL;
    }

  sw_memory_note_allocated (SW_TYPE_GENERIC, dtype, n_bytes);
  self = g_object_new (SW_TYPE_GENERIC, NULL);
  sw_memory_carrier_set_storage (self, storage.data, size, dtype);
  return self;
}

static void
sw_generic_class_init (SwGenericClass *klass)
{
  sw_memory_carrier_class_init (SW_CARRIER_CLASS (klass), &builtin);
  sw_generic_class_add_kernels (SW_CARRIER_CLASS (klass));
}

static void
sw_generic_init (SwGeneric *self)
{
}

/**
 * sw_generic_new:
 * @values: the values
 * @is_mutable: whether values may be written later
 * @dtype: the dtype; usually %SW_DTYPE_FLOATING
 * @error: return location for an error
 *
 * Makes a carrier that holds @values.
 *
 * Fails with %SW_ERROR_VALUE when @dtype is no dtype or a value is out of its range, with %SW_ERROR_TYPE when the dtype
 * does not allow one of the values.
 *
 * Returns: (transfer full) (type SwGeneric): the carrier
 */
SwCarrier *
sw_generic_new (SwValueList *values,
                gboolean is_mutable,
                SwDType dtype,
                GError **error)
{
  g_autoptr (SwCarrier) self = NULL;
  SwStorage storage;

  g_return_val_if_fail (values != NULL, NULL);

  self = sw_generic_allocate (NULL, sw_value_list_get_length (values), dtype, error);
  if (self == NULL)
    return NULL;

  storage = sw_memory_carrier_peek_storage (self);
  if (!sw_storage_fill (&storage, values, FALSE, "values", error))
    return NULL;
  sw_memory_carrier_set_mutable (self, is_mutable);
  return g_steal_pointer (&self);
}

/**
 * sw_generic_new_doubles:
 * @values: (array length=n_values) (nullable): real numbers
 * @n_values: how many
 * @dtype: a dtype that holds real numbers, usually %SW_DTYPE_FLOATING
 * @error: return location for an error
 *
 * Makes a mutable carrier that holds real numbers. Fails with %SW_ERROR_VALUE when @dtype is no dtype, with
 * %SW_ERROR_TYPE when it holds no real numbers.
 *
 * Returns: (transfer full) (type SwGeneric): the carrier
 */
SwCarrier *
sw_generic_new_doubles (const double *values,
                        gsize n_values,
                        SwDType dtype,
                        GError **error)
{
  g_autoptr (SwValueList) list = NULL;

  g_return_val_if_fail (values != NULL || n_values == 0, NULL);

  list = sw_value_list_new_doubles (values, n_values);
  return sw_generic_new (list, TRUE, dtype, error);
}
