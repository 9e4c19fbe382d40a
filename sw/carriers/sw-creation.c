/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-creation.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"

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
  g_autoptr (SwLayout) layout = NULL;
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
  layout = sw_layout_new_row_major (shape);
  return sw_tensor_new (carrier, 0, layout, error);
}
