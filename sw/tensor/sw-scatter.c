/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-carrier-private.h"

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-layout-walk-private.h"
#include "sw/tensor/sw-storage-private.h"
#include "sw/tensor/sw-tensor-private.h"

/* The values of @carrier that @layout reaches from @offset, as values of Any, by ordinal. */
static gboolean
read_values (const SwStorage *values,
             SwCarrier *carrier,
             gint64 offset,
             SwLayout *layout,
             GError **error)
{
  SwValue **slots = values->data;
  g_auto (SwLayoutWalk) walk;

  sw_layout_walk_init (&walk, layout, offset);
  for (gint64 i = 0; i < values->size; i++, sw_layout_walk_next (&walk))
    {
      slots[i] = sw_carrier_get_value (carrier, walk.index, error);
      if (slots[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

/* Returns how many were written before the first failure. */
static gint64
write_values (const SwStorage *values,
              SwCarrier *carrier,
              gint64 offset,
              SwLayout *layout,
              GError **error)
{
  SwValue **slots = values->data;
  g_auto (SwLayoutWalk) walk;
  gint64 i;

  sw_layout_walk_init (&walk, layout, offset);
  for (i = 0; i < values->size; i++, sw_layout_walk_next (&walk))
    {
      if (!sw_carrier_call_set_value (carrier, walk.index, slots[i], error))
        break;
    }

  return i;
}

gboolean
sw_carrier_scatter_by_values (SwCarrier *self,
                              SwTensor *source,
                              SwTensor *onto,
                              SwLayout *mapping,
                              gint64 mapping_offset,
                              GError **error)
{
  g_auto (SwStorage) values = { 0 };
  g_auto (SwStorage) before = { 0 };
  gint64 n_values = sw_layout_get_size (mapping);
  gint64 n_written;

  /* All is read before anything is written: source and destination may be the same storage, and what was there is
   * needed again when a write fails. */
  if (!sw_storage_alloc (&values, n_values, SW_DTYPE_ANY, TRUE, error) ||
      !sw_storage_alloc (&before, n_values, SW_DTYPE_ANY, TRUE, error) ||
      !read_values (&values, source->carrier, source->offset, source->layout, error) ||
      !read_values (&before, self, mapping_offset, mapping, error))
    return FALSE;

  n_written = write_values (&values, self, mapping_offset, mapping, error);
  if (n_written == n_values)
    return TRUE;

  before.size = n_written;
  (void) write_values (&before, self, mapping_offset, mapping, NULL);
  before.size = n_values;
  return FALSE;
}

static gboolean
check_mapping (SwCarrier *self,
               SwTensor *source,
               SwLayout *mapping,
               gint64 mapping_offset,
               GError **error)
{
  gint64 size;

  if (sw_layout_get_size (mapping) != sw_tensor_get_size (source))
    {
      g_autofree char *theirs = sw_shape_to_string (sw_tensor_get_shape (source));
      g_autofree char *ours = sw_shape_to_string (sw_layout_get_shape (mapping));

      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mapping shape must match the source's shape %s in size, and is %s", theirs, ours);
      return FALSE;
    }

  if (mapping_offset < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mapping_offset is %" G_GINT64_FORMAT ", and must not be negative", mapping_offset);
      return FALSE;
    }

  size = sw_carrier_call_size (self, error);
  if (size < 0)
    return FALSE;
  if (mapping_offset > size - sw_layout_get_cosize (mapping))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "mapping_offset %" G_GINT64_FORMAT " + cosize %" G_GINT64_FORMAT " exceeds the carrier's %" G_GINT64_FORMAT " values",
                   mapping_offset, sw_layout_get_cosize (mapping), size);
      return FALSE;
    }

  return TRUE;
}

static gboolean
check_scatter (SwCarrier *self,
               SwTensor *source,
               SwTensor *onto,
               SwLayout *mapping,
               gint64 mapping_offset,
               GError **error)
{
  if (!sw_carrier_check_writable (self, error))
    return FALSE;

  if (onto->carrier != self)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "onto lies on another carrier, a %s, than the one to write to",
                   sw_carrier_get_class_name (onto->carrier));
      return FALSE;
    }

  return check_mapping (self, source, mapping, mapping_offset, error);
}

/**
 * sw_carrier_scatter:
 * @self: a mutable carrier
 * @source: the values to write, on any carrier
 * @onto: a tensor on @self, whose storage is written to
 * @mapping: where each coordinate of @source goes; as many values as @source
 * @mapping_offset: what is added to every index that @mapping gives
 * @error: return location for an error
 *
 * Writes each value of @source to the index `mapping_offset + mapping (coordinate)` of the storage under @onto. Where
 * several values go to one index the last one stays, by ordinal, first mode fastest. Source and destination may
 * overlap: all is read before anything is written.
 *
 * Fails before anything is written: with %SW_ERROR_STATE when @self is immutable, owned or released, or the source is
 * released; with %SW_ERROR_VALUE when sizes do not match, an index is outside the storage or a value is out of the
 * dtype's range; with %SW_ERROR_TYPE when a value has the wrong type for the dtype.
 *
 * Returns: %TRUE when all values were written
 */
gboolean
sw_carrier_scatter (SwCarrier *self,
                    SwTensor *source,
                    SwTensor *onto,
                    SwLayout *mapping,
                    gint64 mapping_offset,
                    GError **error)
{
  gboolean done;

  g_return_val_if_fail (SW_IS_CARRIER (self), FALSE);
  g_return_val_if_fail (source != NULL, FALSE);
  g_return_val_if_fail (onto != NULL, FALSE);
  g_return_val_if_fail (mapping != NULL, FALSE);

  if (!sw_carrier_enter (self, "carrier", error))
    return FALSE;
  if (!sw_carrier_enter (source->carrier, "source", error))
    {
      sw_carrier_drop (self);
      return FALSE;
    }

  done = check_scatter (self, source, onto, mapping, mapping_offset, error) &&
         sw_carrier_call_scatter (self, source, onto, mapping, mapping_offset, error);
  if (done)
    sw_carrier_changed (self);

  sw_carrier_drop (source->carrier);
  sw_carrier_drop (self);
  return done;
}
