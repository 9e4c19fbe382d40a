/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-tensor-private.h"

#include "sw/base/sw-error.h"
#include "sw/shape/sw-layout-private.h"
#include "sw/tensor/sw-storage-private.h"

/**
 * SwTensor:
 *
 * Values of a carrier, seen through a layout: coordinate `c` is value `offset + layout (c)` of the carrier.
 *
 * A tensor is immutable and reference counted; any thread may use it. The values belong to the carrier, and several
 * tensors may share them.
 */
G_DEFINE_BOXED_TYPE (SwTensor, sw_tensor, sw_tensor_ref, sw_tensor_unref)

static inline SwTensor *
init (SwTensor *self,
      SwCarrier *carrier,
      gint64 offset,
      SwLayout *layout)
{
  sw_ref_count_init (&self->ref_count);
  self->carrier = carrier;
  self->layout = layout;
  self->offset = offset;
  return self;
}

SwTensor *
sw_tensor_new_take (SwCarrier *carrier,
                    gint64 offset,
                    SwLayout *layout)
{
  return init (g_new (SwTensor, 1), carrier, offset, layout);
}

SwTensor *
sw_tensor_new_for_result (SwCarrier *carrier,
                          SwLayout *layout)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (carrier);
  SwTensor *spare = g_steal_pointer (&priv->spare_tensor);

  /* Relaxed: nobody else knows the carrier yet. */
  __atomic_store_n (&priv->is_unseen, TRUE, __ATOMIC_RELAXED);
  return init (spare != NULL ? spare : g_new (SwTensor, 1), carrier, 0, layout);
}

static gboolean
check_range (SwCarrier *carrier,
             gint64 offset,
             SwLayout *layout,
             GError **error)
{
  gint64 cosize = sw_layout_get_cosize (layout);
  gint64 size;

  if (offset < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "offset is %" G_GINT64_FORMAT ", and must not be negative", offset);
      return FALSE;
    }

  size = sw_carrier_call_size (carrier, error);
  if (size < 0)
    return FALSE;
  if (offset > size - cosize)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "offset %" G_GINT64_FORMAT " + cosize %" G_GINT64_FORMAT " exceeds the carrier's %" G_GINT64_FORMAT " values",
                   offset, cosize, size);
      return FALSE;
    }

  return TRUE;
}

/**
 * sw_tensor_new:
 * @carrier: where the values are
 * @offset: the index of the first value, from 0
 * @layout: how coordinates become indices
 * @error: return location for an error
 *
 * Makes a tensor over values that @carrier already holds.
 *
 * Fails with %SW_ERROR_STATE when @carrier is released, with %SW_ERROR_VALUE when @offset is negative or the layout
 * reaches past the carrier's values.
 *
 * Returns: (transfer full): the tensor
 */
SwTensor *
sw_tensor_new (SwCarrier *carrier,
               gint64 offset,
               SwLayout *layout,
               GError **error)
{
  gboolean fits;

  g_return_val_if_fail (SW_IS_CARRIER (carrier), NULL);
  g_return_val_if_fail (layout != NULL, NULL);

  if (!sw_carrier_enter (carrier, "carrier", error))
    return NULL;
  fits = check_range (carrier, offset, layout, error);
  sw_carrier_drop (carrier);

  return fits ? sw_tensor_new_take (g_object_ref (carrier), offset, sw_layout_ref (layout)) : NULL;
}

/**
 * sw_tensor_ref:
 * @self: a tensor
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 */
SwTensor *
sw_tensor_ref (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_tensor_unref:
 * @self: (transfer full): a tensor
 *
 * Gives a reference back.
 */
void
sw_tensor_unref (SwTensor *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;

  sw_layout_unref (self->layout);
  if (sw_carrier_recycle (self->carrier, self))
    return;
  g_object_unref (self->carrier);
  g_free (self);
}

/**
 * sw_tensor_get_carrier:
 * @self: a tensor
 *
 * Gives the carrier that holds the values.
 *
 * Returns: (transfer none): the carrier
 */
SwCarrier *
sw_tensor_get_carrier (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_carrier_mark_seen (self->carrier);
  return self->carrier;
}

/**
 * sw_tensor_get_carrier_type:
 * @self: a tensor
 *
 * Tells the exact class of the carrier that holds the values.
 *
 * Returns: the type
 */
GType
sw_tensor_get_carrier_type (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, G_TYPE_INVALID);

  return G_OBJECT_TYPE (self->carrier);
}

/**
 * sw_tensor_get_offset:
 * @self: a tensor
 *
 * Gives the index of the first value within the carrier.
 *
 * Returns: the offset, counted in values
 */
gint64
sw_tensor_get_offset (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->offset;
}

/**
 * sw_tensor_get_layout:
 * @self: a tensor
 *
 * Gives the layout.
 *
 * Returns: (transfer none): the layout
 */
SwLayout *
sw_tensor_get_layout (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->layout;
}

/**
 * sw_tensor_get_shape:
 * @self: a tensor
 *
 * Gives the shape of the layout.
 *
 * Returns: (transfer none): the shape
 */
SwShape *
sw_tensor_get_shape (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->layout->shape;
}

/**
 * sw_tensor_get_size:
 * @self: a tensor
 *
 * Counts the coordinates.
 *
 * Returns: how many there are
 */
gint64
sw_tensor_get_size (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->layout->size;
}

/**
 * sw_tensor_get_dtype:
 * @self: a tensor
 *
 * Tells what each value is.
 *
 * Returns: the dtype of the carrier; %SW_DTYPE_INVALID when a carrier of one's own fails to tell
 */
SwDType
sw_tensor_get_dtype (SwTensor *self)
{
  g_return_val_if_fail (self != NULL, SW_DTYPE_INVALID);

  if (sw_carrier_is_in_memory (self->carrier))
    return sw_carrier_get_private (self->carrier)->dtype;
  return sw_carrier_call_dtype (self->carrier, NULL);
}

/* The index within the carrier, or -1 with an error. */
static gint64
get_index (SwTensor *self,
           const gint64 *tokens,
           gsize n_tokens,
           GError **error)
{
  GError *failure = NULL;
  gint64 index = sw_layout_get_index (self->layout, tokens, n_tokens, &failure);

  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return -1;
    }

  return self->offset + index;
}

/**
 * sw_tensor_get_value:
 * @self: a tensor
 * @tokens: (array length=n_tokens) (nullable): the coordinate in preorder: a leaf is its index, a tuple of n items is
 *   `-2 - n` followed by its items; one integer alone is an ordinal, first mode fastest
 * @n_tokens: how many tokens there are
 * @error: return location for an error
 *
 * Reads one value. Fails with %SW_ERROR_VALUE when the coordinate is not in the shape's domain, with %SW_ERROR_STATE
 * when the carrier is released.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_tensor_get_value (SwTensor *self,
                     const gint64 *tokens,
                     gsize n_tokens,
                     GError **error)
{
  gint64 index;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (tokens != NULL || n_tokens == 0, NULL);

  index = get_index (self, tokens, n_tokens, error);
  return index >= 0 ? sw_carrier_get_value (self->carrier, index, error) : NULL;
}

/**
 * sw_tensor_set_value:
 * @self: a tensor on a mutable carrier
 * @tokens: (array length=n_tokens) (nullable): the coordinate, as for [method@Strideweave.Tensor.get_value]
 * @n_tokens: how many tokens there are
 * @value: what to write
 * @error: return location for an error
 *
 * Writes one value, which every tensor over the same storage then sees. Fails with %SW_ERROR_VALUE when the coordinate
 * is not in the shape's domain, and as [method@Strideweave.Carrier.set_value] does.
 *
 * Returns: %TRUE when the value was written
 */
gboolean
sw_tensor_set_value (SwTensor *self,
                     const gint64 *tokens,
                     gsize n_tokens,
                     SwValue *value,
                     GError **error)
{
  gint64 index;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (tokens != NULL || n_tokens == 0, FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  index = get_index (self, tokens, n_tokens, error);
  return index >= 0 && sw_carrier_set_value (self->carrier, index, value, error);
}

/**
 * sw_tensor_dup_bytes:
 * @self: a tensor
 * @error: return location for an error
 *
 * Copies all values, in the order of their ordinals (first mode fastest), each in the format of the dtype: IEEE 754
 * for reals (Floating as binary64), two's complement for integers, one byte for Bool, all in the machine's byte order.
 *
 * Fails with %SW_ERROR_UNSUPPORTED for %SW_DTYPE_ANY, with %SW_ERROR_STATE when the carrier is released, with
 * %SW_ERROR_VALUE when there is no memory for so many values.
 *
 * Returns: (transfer full): the values
 */
GBytes *
sw_tensor_dup_bytes (SwTensor *self,
                     GError **error)
{
  SwStorage storage;
  SwDType dtype;

  g_return_val_if_fail (self != NULL, NULL);

  dtype = sw_carrier_dtype (self->carrier, error);
  if (dtype == SW_DTYPE_INVALID)
    return NULL;
  if (dtype == SW_DTYPE_ANY)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "the tensor holds Any, which has no form in bytes");
      return NULL;
    }

  if (!sw_storage_alloc (&storage, self->layout->size, dtype, TRUE, error))
    return NULL;
  if (!sw_storage_gather (&storage, self, error))
    {
      sw_storage_clear (&storage);
      return NULL;
    }

  return g_bytes_new_take (storage.data, storage.size * sw_dtype_get_item_size (dtype));
}
