/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-carrier-private.h"

#include "sw/base/sw-error.h"

static void
end_view (gpointer data)
{
  g_autoptr (SwCarrier) carrier = data;

  sw_carrier_drop (carrier);
}

/**
 * sw_carrier_ref_bytes:
 * @self: a carrier that keeps numbers in memory
 * @address: (out) (optional): where the values lie, in the item format of the dtype
 * @error: return location for an error
 *
 * Views all values without copying, for exchange with libraries that work on memory. While the bytes live, the values
 * stay where they are: a release of the carrier takes effect on the storage when the last view has ended.
 *
 * The view is live: when the carrier is mutable its contents change with the carrier's.
 *
 * Fails with %SW_ERROR_STATE after a release, with %SW_ERROR_UNSUPPORTED when the carrier does not keep its values in
 * memory, or its dtype is %SW_DTYPE_ANY.
 *
 * Returns: (transfer full): the view
 */
GBytes *
sw_carrier_ref_bytes (SwCarrier *self,
                      guint64 *address,
                      GError **error)
{
  SwStorage storage;

  g_return_val_if_fail (SW_IS_CARRIER (self), NULL);

  if (!sw_carrier_hold (self, &storage, error))
    return NULL;
  if (storage.dtype == SW_DTYPE_ANY)
    {
      sw_carrier_drop (self);
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "carrier holds Any, which has no form in memory to share");
      return NULL;
    }

  if (address != NULL)
    *address = (guint64) (gsize) storage.data;
  return g_bytes_new_with_free_func (storage.data, storage.size * sw_dtype_get_item_size (storage.dtype),
                                     end_view, g_object_ref (self));
}
