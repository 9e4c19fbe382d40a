/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-memory-private.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout.h"
#include "sw/tensor/sw-storage-private.h"

#include <string.h>

void
sw_memory_carrier_set_storage (SwCarrier *self,
                               gpointer data,
                               gint64 size,
                               SwDType dtype)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (self);

  priv->data = data;
  priv->size = size;
  priv->dtype = dtype;
  priv->is_mutable = TRUE;
}

void
sw_memory_carrier_set_mutable (SwCarrier *self,
                               gboolean is_mutable)
{
  sw_carrier_get_private (self)->is_mutable = is_mutable;
}

SwStorage
sw_memory_carrier_peek_storage (SwCarrier *self)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (self);

  return (SwStorage){ priv->data, priv->size, priv->dtype };
}

gboolean
sw_memory_carrier_check_dtype (const SwBuiltinCarrier *builtin,
                               SwDType dtype,
                               GError **error)
{
  if (builtin->supports_dtype (NULL, dtype))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "dtype is %s, which %s does not hold", sw_dtype_to_string (dtype), builtin->name);
  return FALSE;
}

static gint64
sw_memory_carrier_size (SwCarrier *self,
                        GError **error)
{
  return sw_carrier_get_private (self)->size;
}

static SwDType
sw_memory_carrier_dtype (SwCarrier *self,
                         GError **error)
{
  return sw_carrier_get_private (self)->dtype;
}

static gboolean
sw_memory_carrier_is_mutable (SwCarrier *self,
                              GError **error)
{
  return sw_carrier_get_private (self)->is_mutable;
}

static SwValue *
sw_memory_carrier_get_value (SwCarrier *self,
                             gint64 index,
                             GError **error)
{
  SwStorage storage;
  SwValue *value;

  if (!sw_carrier_hold (self, &storage, error))
    return NULL;
  value = sw_storage_get_value (&storage, index);
  sw_carrier_drop (self);
  return value;
}

static gboolean
sw_memory_carrier_set_value (SwCarrier *self,
                             gint64 index,
                             SwValue *value,
                             GError **error)
{
  SwStorage storage;
  gboolean done;

  if (!sw_carrier_hold (self, &storage, error))
    return FALSE;
  done = sw_storage_set_value (&storage, index, value, error);
  sw_carrier_drop (self);
  return done;
}

static gboolean
scatter_held (const SwStorage *storage,
              SwTensor *source,
              SwLayout *mapping,
              gint64 mapping_offset,
              GError **error)
{
  g_auto (SwStorage) items = { 0 };

  /* Converted as a whole before the first write, which then cannot fail. */
  if (!sw_storage_alloc (&items, sw_layout_get_size (mapping), storage->dtype, TRUE, error) ||
      !sw_storage_gather (&items, source, error))
    return FALSE;

  sw_storage_scatter (storage, &items, mapping, mapping_offset);
  return TRUE;
}

static gboolean
sw_memory_carrier_scatter (SwCarrier *self,
                           SwTensor *source,
                           SwTensor *onto,
                           SwLayout *mapping,
                           gint64 mapping_offset,
                           GError **error)
{
  SwStorage storage;
  gboolean done;

  if (!sw_carrier_hold (self, &storage, error))
    return FALSE;
  done = scatter_held (&storage, source, mapping, mapping_offset, error);
  sw_carrier_drop (self);
  return done;
}

/* Holds the storage, cut down to its first @n_items. */
static gboolean
hold_first (SwCarrier *self,
          gint64 n_items,
          SwStorage *storage,
          GError **error)
{
  if (!sw_carrier_hold (self, storage, error))
    return FALSE;
  if (n_items <= storage->size)
    {
      storage->size = n_items;
      return TRUE;
    }

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "n_items is %" G_GINT64_FORMAT ", but the carrier holds %" G_GINT64_FORMAT " values",
               n_items, storage->size);
  sw_carrier_drop (self);
  return FALSE;
}

static void
copy_all (const SwStorage *to,
          const SwStorage *from)
{
  if (to->dtype != SW_DTYPE_ANY)
    {
      memmove (to->data, from->data, to->size * sw_dtype_get_item_size (to->dtype));
      return;
    }
  for (gint64 i = 0; i < to->size; i++)
    sw_storage_copy_item (to, i, from, i);
}

gboolean
sw_memory_carrier_read_all (SwCarrier *self,
                            gpointer items,
                            gint64 n_items,
                            GError **error)
{
  SwStorage storage, to;

  if (!hold_first (self, n_items, &storage, error))
    return FALSE;

  to = storage;
  to.data = items;
  /* Fresh memory of the caller's holds no values to give back. */
  if (to.dtype == SW_DTYPE_ANY)
    memset (items, 0, n_items * sizeof (SwValue *));
  copy_all (&to, &storage);
  sw_carrier_drop (self);
  return TRUE;
}

gboolean
sw_memory_carrier_write_all (SwCarrier *self,
                             gconstpointer items,
                             gint64 n_items,
                             GError **error)
{
  SwStorage storage, from;

  if (!hold_first (self, n_items, &storage, error))
    return FALSE;

  from = storage;
  from.data = (gpointer) items;
  copy_all (&storage, &from);
  sw_carrier_changed (self);
  sw_carrier_drop (self);
  return TRUE;
}

static const SwBuiltinCarrier *
get_builtin (SwCarrier *self)
{
  return SW_CARRIER_GET_CLASS (self)->builtin;
}

SwCarrier *
sw_memory_carrier_new_like (SwCarrier *self,
                            SwValueList *values,
                            gboolean is_mutable,
                            SwDType dtype,
                            GError **error)
{
  g_autoptr (SwCarrier) fresh = NULL;
  SwStorage storage;

  if (dtype == SW_DTYPE_INVALID)
    dtype = sw_carrier_get_private (self)->dtype;
  fresh = get_builtin (self)->allocate (self, sw_value_list_get_length (values), dtype, error);
  if (fresh == NULL)
    return NULL;

  storage = sw_memory_carrier_peek_storage (fresh);
  if (!sw_storage_fill (&storage, values, TRUE, "values", error))
    return NULL;
  sw_memory_carrier_set_mutable (fresh, is_mutable);
  return g_steal_pointer (&fresh);
}

SwCarrier *
sw_memory_carrier_allocate_like (SwCarrier *self,
                                 gint64 size,
                                 gboolean is_mutable,
                                 SwDType dtype,
                                 gboolean is_empty,
                                 GError **error)
{
  SwCarrier *fresh;
  SwStorage storage;

  if (dtype == SW_DTYPE_INVALID)
    dtype = sw_carrier_get_private (self)->dtype;
  fresh = get_builtin (self)->allocate (self, size, dtype, error);
  if (fresh == NULL)
    return NULL;

  storage = sw_memory_carrier_peek_storage (fresh);
  if (!is_empty && dtype != SW_DTYPE_ANY)
    memset (storage.data, 0, storage.size * sw_dtype_get_item_size (dtype));
  sw_memory_carrier_set_mutable (fresh, is_mutable);
  return fresh;
}

void
sw_memory_carrier_class_init (SwCarrierClass *klass,
                              const SwBuiltinCarrier *builtin)
{
  klass->builtin = (gpointer) builtin;
  klass->size = sw_memory_carrier_size;
  klass->dtype = sw_memory_carrier_dtype;
  klass->is_mutable = sw_memory_carrier_is_mutable;
  klass->get_value = sw_memory_carrier_get_value;
  klass->set_value = sw_memory_carrier_set_value;
  klass->scatter = sw_memory_carrier_scatter;
  klass->new_like = sw_memory_carrier_new_like;
  klass->allocate_like = sw_memory_carrier_allocate_like;
}
