/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-private.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-cache-private.h"
#include "sw/carriers/sw-memory-notes-private.h"
#include "sw/carriers/sw-memory-private.h"
#include "sw/tensor/sw-storage-private.h"

#include <string.h>

/* From here on, zeros that are never written to should take no memory. */
#define MIN_LAZY_BYTES (1 << 20)

/**
 * SwCPU:
 *
 * The carrier that keeps numbers in contiguous memory, its own or somebody else's, and computes on them fast.
 *
 * Its own memory begins at a multiple of 64 bytes, and is kept for other carriers when it is not used any more, see
 * [func@Strideweave.CPU.set_cache_limit]. It holds %SW_DTYPE_FLOAT32, %SW_DTYPE_FLOAT64, %SW_DTYPE_INT32,
 * %SW_DTYPE_INT64 and %SW_DTYPE_BOOL.
 */
struct _SwCPU
{
  SwCarrier parent_instance;

  /* Memory of its own; at most one of the two is not NULL, and both are when the values belong to somebody else. A lazy
   * block begins somewhat before the values. */
  gpointer memory;
  gpointer lazy_block;
  gsize n_bytes; /* of the memory */
  /* Ends the use of somebody else's memory. */
  GDestroyNotify destroy;
  gpointer user_data;
};

G_DEFINE_FINAL_TYPE (SwCPU, sw_cpu, SW_TYPE_CARRIER)

static gboolean
sw_cpu_supports_dtype (SwCarrier *self,
                       SwDType dtype)
{
  switch (dtype)
    {
    case SW_DTYPE_FLOAT32:
    case SW_DTYPE_FLOAT64:
    case SW_DTYPE_INT32:
    case SW_DTYPE_INT64:
    case SW_DTYPE_BOOL:
      return TRUE;
    case SW_DTYPE_INVALID:
    case SW_DTYPE_FLOATING:
    case SW_DTYPE_ANY:
    default:
      return FALSE;
    }
}

static void
give_memory_back (SwCPU *self)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (SW_CARRIER (self));

  if (self->memory != NULL || self->lazy_block != NULL)
    sw_memory_note_released (SW_TYPE_CPU, priv->dtype, self->n_bytes);
  if (self->memory != NULL)
    sw_cpu_cache_put (g_steal_pointer (&self->memory), self->n_bytes);
  g_clear_pointer (&self->lazy_block, g_free);
}

static void
sw_cpu_release (SwCarrier *carrier)
{
  SwCPU *self = SW_CPU (carrier);

  give_memory_back (self);
  if (self->destroy != NULL)
    g_steal_pointer (&self->destroy) (g_steal_pointer (&self->user_data));
}

static gboolean
sw_cpu_recycle (SwCarrier *carrier)
{
  SwCPU *self = SW_CPU (carrier);

  if (self->memory == NULL || !sw_cpu_cache_keep_carrier (carrier))
    return FALSE;
  give_memory_back (self);
  return TRUE;
}

static SwCarrier *
sw_cpu_allocate (SwCarrier *like,
                 gint64 size,
                 SwDType dtype,
                 GError **error);

static const SwBuiltinCarrier builtin = {
  .name = "CPU",
  .allocate = sw_cpu_allocate,
  .supports_dtype = sw_cpu_supports_dtype,
  .read_all = sw_memory_carrier_read_all,
  .write_all = sw_memory_carrier_write_all,
  .release = sw_cpu_release,
  .recycle = sw_cpu_recycle,
};

static void
fail_allocation (gint64 size,
                 SwDType dtype,
                 gsize n_bytes,
                 GError **error)
{
  GError *failure = NULL;

  sw_storage_set_out_of_memory (size, dtype, &failure);
  sw_memory_note_refused (SW_TYPE_CPU, dtype, n_bytes, failure);
  g_propagate_error (error, failure);
}

static gpointer
align (gpointer block)
{
  return (gpointer) (((gsize) block + SW_CPU_ALIGNMENT - 1) & ~(gsize) (SW_CPU_ALIGNMENT - 1));
}

static SwCarrier *
allocate (gint64 size,
          SwDType dtype,
          gboolean is_empty,
          GError **error)
{
  gpointer lazy_block = NULL, memory = NULL;
  gsize n_bytes;
  SwCPU *self;

  if (!sw_memory_carrier_check_dtype (&builtin, dtype, error) ||
      !sw_storage_get_n_bytes (size, dtype, &n_bytes, error))
    return NULL;

  if (is_empty || n_bytes < MIN_LAZY_BYTES)
    memory = sw_cpu_cache_take (n_bytes);
  else
    lazy_block = g_try_malloc0 (n_bytes + SW_CPU_ALIGNMENT);
  if (memory == NULL && lazy_block == NULL)
    {
      fail_allocation (size, dtype, n_bytes, error);
      return NULL;
    }
  if (memory != NULL && !is_empty)
    memset (memory, 0, n_bytes);

  sw_memory_note_allocated (SW_TYPE_CPU, dtype, n_bytes);
  self = (SwCPU *) sw_cpu_cache_get_carrier ();
  if (self == NULL)
    self = g_object_new (SW_TYPE_CPU, NULL);
  self->memory = memory;
  self->lazy_block = lazy_block;
  self->n_bytes = n_bytes;
  sw_memory_carrier_set_storage (SW_CARRIER (self), memory != NULL ? memory : align (lazy_block), size, dtype);
  return SW_CARRIER (self);
}

static SwCarrier *
sw_cpu_allocate (SwCarrier *like,
                 gint64 size,
                 SwDType dtype,
                 GError **error)
{
  return allocate (size, dtype, TRUE, error);
}

static void
sw_cpu_class_init (SwCPUClass *klass)
{
  sw_memory_carrier_class_init (SW_CARRIER_CLASS (klass), &builtin);
  sw_cpu_class_add_kernels (SW_CARRIER_CLASS (klass));
}

static void
sw_cpu_init (SwCPU *self)
{
}

/**
 * sw_cpu_new:
 * @size: how many values
 * @is_mutable: whether values may be written later
 * @dtype: the dtype; usually %SW_DTYPE_FLOAT32
 * @is_empty: whether the values may be left undefined, instead of zero
 * @error: return location for an error
 *
 * Makes a carrier with memory of its own.
 *
 * Fails with %SW_ERROR_VALUE when @size is negative or more than the memory, or CPU does not hold @dtype.
 *
 * Returns: (transfer full) (type SwCPU): the carrier
 */
SwCarrier *
sw_cpu_new (gint64 size,
            gboolean is_mutable,
            SwDType dtype,
            gboolean is_empty,
            GError **error)
{
  SwCarrier *self = allocate (size, dtype, is_empty, error);

  if (self != NULL)
    sw_memory_carrier_set_mutable (self, is_mutable);
  return self;
}

static gboolean
check_memory (gint64 size,
              guint64 address,
              SwDType dtype,
              GError **error)
{
  gsize item_size = sw_dtype_get_item_size (dtype);
  guint64 end;
  gsize n_bytes;

  if (!sw_memory_carrier_check_dtype (&builtin, dtype, error) ||
      !sw_storage_get_n_bytes (size, dtype, &n_bytes, error))
    return FALSE;

  if (address == 0 && size > 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "address is 0, where there is no memory");
      return FALSE;
    }
  if (address % item_size != 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "address is 0x%" G_GINT64_MODIFIER "x, which is not a multiple of the %" G_GSIZE_FORMAT " bytes of %s",
                   address, item_size, sw_dtype_to_string (dtype));
      return FALSE;
    }
  if (__builtin_add_overflow (address, n_bytes, &end) || end > G_MAXSIZE)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "address is 0x%" G_GINT64_MODIFIER "x, and %" G_GINT64_FORMAT " values of %s do not fit behind it",
                   address, size, sw_dtype_to_string (dtype));
      return FALSE;
    }

  return TRUE;
}

/**
 * sw_cpu_new_for_address:
 * @size: how many values
 * @address: where they lie
 * @is_mutable: whether values may be written through the carrier
 * @dtype: the dtype
 * @error: return location for an error
 *
 * Makes a carrier over memory that somebody else owns, and keeps in place for as long as the carrier is in use.
 *
 * Fails with %SW_ERROR_VALUE when @size is negative, CPU does not hold @dtype, or @address is 0, not a multiple of the
 * size of a value, or so high that the values do not fit behind it.
 *
 * Returns: (transfer full) (type SwCPU): the carrier
 */
SwCarrier *
sw_cpu_new_for_address (gint64 size,
                        guint64 address,
                        gboolean is_mutable,
                        SwDType dtype,
                        GError **error)
{
  return sw_cpu_new_for_memory (size, address, is_mutable, dtype, NULL, NULL, error);
}

/**
 * sw_cpu_new_for_memory:
 * @size: how many values
 * @address: where they lie
 * @is_mutable: whether values may be written through the carrier
 * @dtype: the dtype
 * @destroy: (nullable) (scope async) (closure user_data): ends the use of the memory
 * @user_data: what @destroy gets
 * @error: return location for an error
 *
 * Makes a carrier over memory that somebody else keeps in place until @destroy is called.
 *
 * That happens exactly once in every case: when the carrier is released or gone and nobody holds the storage any more,
 * on whichever thread that ends; or before the return when the function fails. So the caller never has to find out
 * whether the memory is still in use.
 *
 * Fails as [func@Strideweave.CPU.new_for_address] does.
 *
 * Returns: (transfer full) (type SwCPU): the carrier
 */
SwCarrier *
sw_cpu_new_for_memory (gint64 size,
                       guint64 address,
                       gboolean is_mutable,
                       SwDType dtype,
                       GDestroyNotify destroy,
                       gpointer user_data,
                       GError **error)
{
  /* Where nothing lies at no address: a carrier in memory has one. */
  static guint64 nothing;
  SwCPU *self;

  if (!check_memory (size, address, dtype, error))
    {
      if (destroy != NULL)
        destroy (user_data);
      return NULL;
    }

  self = g_object_new (SW_TYPE_CPU, NULL);
  self->destroy = destroy;
  self->user_data = user_data;
  sw_memory_carrier_set_storage (SW_CARRIER (self), address != 0 ? (gpointer) (gsize) address : &nothing, size, dtype);
  sw_memory_carrier_set_mutable (SW_CARRIER (self), is_mutable);
  return SW_CARRIER (self);
}

static SwCarrier *
new_copy (gconstpointer data,
          gint64 size,
          SwDType dtype,
          GError **error)
{
  SwCarrier *self = allocate (size, dtype, TRUE, error);
  SwStorage storage;

  if (self == NULL)
    return NULL;
  storage = sw_memory_carrier_peek_storage (self);
  memcpy (storage.data, data, size * sw_dtype_get_item_size (dtype));
  sw_memory_carrier_set_mutable (self, FALSE);
  return self;
}

static void
unref_bytes (gpointer bytes)
{
  g_bytes_unref (bytes);
}

/**
 * sw_cpu_new_from_bytes:
 * @bytes: the values in the item format of @dtype, in the machine's byte order
 * @dtype: the dtype
 * @error: return location for an error
 *
 * Makes an immutable carrier over @bytes, which stay alive as long as their contents are in use. Nothing is copied,
 * unless the bytes begin at an address that the machine cannot read such values from.
 *
 * Fails with %SW_ERROR_VALUE when CPU does not hold @dtype or the number of bytes is not a multiple of the size of a
 * value.
 *
 * Returns: (transfer full) (type SwCPU): the carrier
 */
SwCarrier *
sw_cpu_new_from_bytes (GBytes *bytes,
                       SwDType dtype,
                       GError **error)
{
  gconstpointer data;
  gsize n_bytes, item_size;

  g_return_val_if_fail (bytes != NULL, NULL);

  if (!sw_memory_carrier_check_dtype (&builtin, dtype, error))
    return NULL;

  data = g_bytes_get_data (bytes, &n_bytes);
  item_size = sw_dtype_get_item_size (dtype);
  if (n_bytes % item_size != 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "bytes holds %" G_GSIZE_FORMAT " bytes, which is not a multiple of the %" G_GSIZE_FORMAT " bytes of %s",
                   n_bytes, item_size, sw_dtype_to_string (dtype));
      return NULL;
    }

  if ((gsize) data % item_size != 0)
    return new_copy (data, n_bytes / item_size, dtype, error);
  return sw_cpu_new_for_memory (n_bytes / item_size, (gsize) data, FALSE, dtype, unref_bytes, g_bytes_ref (bytes), error);
}

/**
 * sw_cpu_get_address:
 * @self: a carrier
 * @error: return location for an error
 *
 * Tells where the values lie. Whoever follows the address keeps the memory in place, see
 * [method@Strideweave.Carrier.ref_bytes]. Fails with %SW_ERROR_STATE after a release.
 *
 * Returns: the address; 0 with @error set
 */
guint64
sw_cpu_get_address (SwCPU *self,
                    GError **error)
{
  SwStorage storage;

  g_return_val_if_fail (SW_IS_CPU (self), 0);

  if (!sw_carrier_hold (SW_CARRIER (self), &storage, error))
    return 0;
  sw_carrier_drop (SW_CARRIER (self));
  return (guint64) (gsize) storage.data;
}
