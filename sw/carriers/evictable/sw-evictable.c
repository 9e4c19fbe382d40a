/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/evictable/sw-evictable-private.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/evictable/sw-evictable-operation-private.h"
#include "sw/carriers/sw-move-private.h"
#include "sw/shape/sw-layout.h"
#include "sw/tensor/sw-tensor-private.h"

/**
 * SwEvictable:
 *
 * A carrier over two others, its tiers: values are used on the primary, and kept on the secondary while they are not
 * needed.
 *
 * It owns both tiers: others can read them, and not write, move or release them. Evicting moves all values to the
 * secondary, promoting moves them back to a fresh primary; the tier without values is an empty carrier. Values can be
 * reached, and operations run, while the hierarchy is promoted; an operation runs on the primary, and what comes out
 * lies on an Evictable, too.
 *
 * Any thread may use it. The tiers change all at once or, where that fails, not at all. A write and a change of tiers
 * that meet do not wait for each other: the later one fails with %SW_ERROR_STATE. What is reading or computing goes on
 * with the primary that it has begun with.
 */
G_DEFINE_FINAL_TYPE (SwEvictable, sw_evictable, SW_TYPE_CARRIER)

gboolean
sw_evictable_owns (SwEvictable *self,
                   SwCarrier *tier)
{
  return sw_carrier_get_private (tier)->owner == (SwCarrier *) self;
}

void
sw_evictable_let_go (SwEvictable *self,
                     SwCarrier *tier,
                     gboolean releases)
{
  if (!sw_evictable_owns (self, tier))
    return;
  if (releases)
    sw_carrier_release_owned (tier);
  sw_carrier_relinquish (tier, SW_CARRIER (self));
}

static gboolean
claim_both (SwEvictable *self,
            SwCarrier *primary,
            SwCarrier *secondary,
            GError **error)
{
  if (!sw_carrier_claim (primary, SW_CARRIER (self), "primary", error))
    return FALSE;
  if (sw_carrier_claim (secondary, SW_CARRIER (self), "secondary", error))
    return TRUE;

  sw_carrier_relinquish (primary, SW_CARRIER (self));
  return FALSE;
}

SwCarrier *
sw_evictable_new_over (SwCarrier *primary,
                       SwCarrier *secondary,
                       GError **error)
{
  GError *failure = NULL;
  gint64 size = sw_carrier_call_size (primary, &failure);
  SwDType dtype = failure == NULL ? sw_carrier_call_dtype (primary, &failure) : SW_DTYPE_INVALID;
  gboolean is_mutable;
  g_autoptr (SwEvictable) self = NULL;
  SwCarrierPrivate *priv;

  if (failure != NULL || !sw_carrier_call_is_mutable (primary, &is_mutable, &failure))
    {
      g_propagate_error (error, failure);
      return NULL;
    }

  self = g_object_new (SW_TYPE_EVICTABLE, NULL);
  if (!claim_both (self, primary, secondary, error))
    return NULL;

  priv = sw_carrier_get_private (SW_CARRIER (self));
  priv->size = size;
  priv->dtype = dtype;
  priv->is_mutable = is_mutable;
  self->primary = g_object_ref (primary);
  self->secondary = g_object_ref (secondary);
  return SW_CARRIER (g_steal_pointer (&self));
}

SwCarrier *
sw_evictable_new_around (SwEvictable *self,
                         SwCarrier *primary,
                         GError **error)
{
  SwDType dtype = sw_carrier_call_dtype (primary, error);
  g_auto (SwTiers) tiers = { 0 };
  g_autoptr (SwCarrier) secondary = NULL;

  if (dtype == SW_DTYPE_INVALID)
    return NULL;

  sw_tiers_init (&tiers, self);
  secondary = sw_carrier_allocate_like (tiers.secondary, 0, TRUE, dtype, TRUE, error);
  if (secondary == NULL || !sw_move_check_both_ways (primary, secondary, error))
    return NULL;

  return sw_evictable_new_over (primary, secondary, error);
}

static gboolean
check_tier (SwCarrier *tier,
            const char *argument,
            GError **error)
{
  g_autoptr (SwCarrier) innermost = NULL;

  if (!sw_carrier_check_live (tier, argument, error))
    return FALSE;
  if (sw_carrier_is_owned (tier))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "%s is a %s that a composite carrier owns", argument,
                   sw_carrier_get_class_name (tier));
      return FALSE;
    }

  innermost = sw_evictable_ref_innermost (tier, error);
  if (innermost == NULL)
    g_prefix_error (error, "%s: ", argument);
  return innermost != NULL;
}

static gboolean
check_same_dtype (SwCarrier *primary,
                  SwCarrier *secondary,
                  GError **error)
{
  SwDType dtype = sw_carrier_dtype (primary, error);
  SwDType other = dtype != SW_DTYPE_INVALID ? sw_carrier_dtype (secondary, error) : SW_DTYPE_INVALID;

  if (other == SW_DTYPE_INVALID)
    return FALSE;
  if (other == dtype)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "secondary holds %s, but primary %s", sw_dtype_to_string (other),
               sw_dtype_to_string (dtype));
  return FALSE;
}

static gboolean
check_mutable (SwCarrier *secondary,
               GError **error)
{
  gboolean is_mutable;

  if (!sw_carrier_call_is_mutable (secondary, &is_mutable, error))
    return FALSE;
  if (!is_mutable)
    g_set_error (error, SW_ERROR, SW_ERROR_STATE, "secondary is an immutable %s", sw_carrier_get_class_name (secondary));
  return is_mutable;
}

/**
 * sw_evictable_new:
 * @primary: where values are used
 * @secondary: where they are kept meanwhile; mutable, and of any size, because a bigger one replaces it where needed
 * @error: return location for an error
 *
 * Makes a hierarchy of two carriers, promoted, with the values, the dtype and the mutability of @primary. It owns both
 * carriers until it is released, which releases them, too, or until it goes, which leaves them as they are.
 *
 * Fails with %SW_ERROR_VALUE when both are the same carrier, with %SW_ERROR_STATE when one of
 * them is released, owned or evicted or @secondary is not mutable, with %SW_ERROR_TYPE when their dtypes differ, and with
 * %SW_ERROR_NOT_IMPLEMENTED when no move between their classes is registered, in each direction.
 *
 * Returns: (transfer full) (type Strideweave.Evictable): the carrier
 */
SwCarrier *
sw_evictable_new (SwCarrier *primary,
                  SwCarrier *secondary,
                  GError **error)
{
  g_return_val_if_fail (SW_IS_CARRIER (primary), NULL);
  g_return_val_if_fail (SW_IS_CARRIER (secondary), NULL);

  if (primary == secondary)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "primary and secondary are the same %s", sw_carrier_get_class_name (primary));
      return NULL;
    }
  if (!check_tier (primary, "primary", error) ||
      !check_tier (secondary, "secondary", error) ||
      !check_same_dtype (primary, secondary, error) ||
      !check_mutable (secondary, error) ||
      !sw_move_check_both_ways (primary, secondary, error))
    return NULL;

  return sw_evictable_new_over (primary, secondary, error);
}

/**
 * sw_evictable_get_primary:
 * @self: the carrier
 *
 * Gives the tier that values are used on; without values while the hierarchy is evicted. Another change of the tiers
 * may replace it at any time.
 *
 * Returns: (transfer full): the primary
 */
SwCarrier *
sw_evictable_get_primary (SwEvictable *self)
{
  g_auto (SwTiers) tiers = { 0 };

  g_return_val_if_fail (SW_IS_EVICTABLE (self), NULL);

  sw_tiers_init (&tiers, self);
  return g_steal_pointer (&tiers.primary);
}

/**
 * sw_evictable_get_secondary:
 * @self: the carrier
 *
 * Gives the tier that values are kept on while the hierarchy is evicted. Another change of the tiers may replace it at
 * any time.
 *
 * Returns: (transfer full): the secondary
 */
SwCarrier *
sw_evictable_get_secondary (SwEvictable *self)
{
  g_auto (SwTiers) tiers = { 0 };

  g_return_val_if_fail (SW_IS_EVICTABLE (self), NULL);

  sw_tiers_init (&tiers, self);
  return g_steal_pointer (&tiers.secondary);
}

/**
 * sw_evictable_is_evicted:
 * @self: the carrier
 *
 * Tells on which tier the values are.
 *
 * Returns: %TRUE when they are on the secondary
 */
gboolean
sw_evictable_is_evicted (SwEvictable *self)
{
  gboolean is_evicted;

  g_return_val_if_fail (SW_IS_EVICTABLE (self), FALSE);

  pthread_mutex_lock (&self->lock);
  is_evicted = self->is_evicted;
  pthread_mutex_unlock (&self->lock);
  return is_evicted;
}

static gint64
sw_evictable_size (SwCarrier *carrier,
                   GError **error)
{
  return sw_carrier_get_private (carrier)->size;
}

static SwDType
sw_evictable_dtype (SwCarrier *carrier,
                    GError **error)
{
  return sw_carrier_get_private (carrier)->dtype;
}

static gboolean
sw_evictable_is_mutable (SwCarrier *carrier,
                         GError **error)
{
  return sw_carrier_get_private (carrier)->is_mutable;
}

static SwValue *
sw_evictable_get_value (SwCarrier *carrier,
                        gint64 index,
                        GError **error)
{
  for (;;)
    {
      g_autoptr (SwCarrier) primary = sw_evictable_ref_promoted (SW_EVICTABLE (carrier), error);
      GError *failure = NULL;
      SwValue *value;

      if (primary == NULL)
        return NULL;
      value = sw_carrier_get_value (primary, index, &failure);
      if (value != NULL)
        return value;
      if (!sw_evictable_was_replaced (SW_EVICTABLE (carrier), primary))
        {
          g_propagate_error (error, failure);
          return NULL;
        }
      /* That a primary is released says nothing of the values where another thread has moved them. */
      g_clear_error (&failure);
    }
}

static gboolean
sw_evictable_set_value (SwCarrier *carrier,
                        gint64 index,
                        SwValue *value,
                        GError **error)
{
  SwCarrier *primary = sw_evictable_begin_write (SW_EVICTABLE (carrier), error);
  gboolean done;

  if (primary == NULL)
    return FALSE;

  done = sw_carrier_call_set_value (primary, index, value, error);
  if (done)
    sw_carrier_changed (primary);
  sw_evictable_end_write (SW_EVICTABLE (carrier), primary);
  return done;
}

static gboolean
sw_evictable_scatter (SwCarrier *carrier,
                      SwTensor *source,
                      SwTensor *onto,
                      SwLayout *mapping,
                      gint64 mapping_offset,
                      GError **error)
{
  SwCarrier *primary = sw_evictable_begin_write (SW_EVICTABLE (carrier), error);
  g_autoptr (SwTensor) onto_primary = NULL;
  gboolean done;

  if (primary == NULL)
    return FALSE;

  onto_primary = sw_tensor_new_take (g_object_ref (primary), onto->offset, sw_layout_ref (onto->layout));
  done = sw_carrier_call_scatter (primary, source, onto_primary, mapping, mapping_offset, error);
  if (done)
    sw_carrier_changed (primary);
  sw_evictable_end_write (SW_EVICTABLE (carrier), primary);
  return done;
}

static SwDType
get_dtype_like (SwCarrier *carrier,
                SwDType dtype)
{
  return dtype != SW_DTYPE_INVALID ? dtype : sw_carrier_get_private (carrier)->dtype;
}

static SwCarrier *
sw_evictable_new_like (SwCarrier *carrier,
                       SwValueList *values,
                       gboolean is_mutable,
                       SwDType dtype,
                       GError **error)
{
  g_auto (SwTiers) tiers = { 0 };
  g_autoptr (SwCarrier) primary = NULL;

  sw_tiers_init (&tiers, SW_EVICTABLE (carrier));
  primary = sw_carrier_new_like (tiers.primary, values, is_mutable, get_dtype_like (carrier, dtype), error);
  return primary != NULL ? sw_evictable_new_around (SW_EVICTABLE (carrier), primary, error) : NULL;
}

static SwCarrier *
sw_evictable_allocate_like (SwCarrier *carrier,
                            gint64 size,
                            gboolean is_mutable,
                            SwDType dtype,
                            gboolean is_empty,
                            GError **error)
{
  g_auto (SwTiers) tiers = { 0 };
  g_autoptr (SwCarrier) primary = NULL;

  sw_tiers_init (&tiers, SW_EVICTABLE (carrier));
  primary = sw_carrier_allocate_like (tiers.primary, size, is_mutable, get_dtype_like (carrier, dtype), is_empty, error);
  return primary != NULL ? sw_evictable_new_around (SW_EVICTABLE (carrier), primary, error) : NULL;
}

static SwOperation *
sw_evictable_dispatch_op (SwCarrier *carrier,
                          const char *name,
                          GError **error)
{
  return sw_evictable_operation_new (SW_EVICTABLE (carrier), name, error);
}

static SwCarrier *
allocate (SwCarrier *like,
          gint64 size,
          SwDType dtype,
          GError **error)
{
  return sw_evictable_allocate_like (like, size, TRUE, dtype, TRUE, error);
}

static gboolean
supports_dtype (SwCarrier *carrier,
                SwDType dtype)
{
  g_auto (SwTiers) tiers = { 0 };

  sw_tiers_init (&tiers, SW_EVICTABLE (carrier));
  return sw_carrier_supports_storage_dtype (tiers.primary, dtype) &&
         sw_carrier_supports_storage_dtype (tiers.secondary, dtype);
}

static gboolean
check_access (SwCarrier *carrier,
              GError **error)
{
  g_autoptr (SwCarrier) innermost = sw_evictable_ref_innermost (carrier, error);

  return innermost != NULL;
}

/* The tiers stay in place, so that others who look at them see what became of them. */
static void
release (SwCarrier *carrier)
{
  SwEvictable *self = SW_EVICTABLE (carrier);

  if (self->primary != NULL)
    sw_evictable_let_go (self, self->primary, TRUE);
  if (self->secondary != NULL)
    sw_evictable_let_go (self, self->secondary, TRUE);
}

static void
sw_evictable_finalize (GObject *object)
{
  SwEvictable *self = SW_EVICTABLE (object);

  if (self->primary != NULL)
    sw_evictable_let_go (self, self->primary, FALSE);
  if (self->secondary != NULL)
    sw_evictable_let_go (self, self->secondary, FALSE);
  g_clear_object (&self->primary);
  g_clear_object (&self->secondary);

  G_OBJECT_CLASS (sw_evictable_parent_class)->finalize (object);
  pthread_mutex_destroy (&self->lock);
}

static const SwBuiltinCarrier builtin = {
  .name = "Evictable",
  .allocate = allocate,
  .supports_dtype = supports_dtype,
  .read_all = sw_evictable_read_all,
  .write_all = sw_evictable_write_all,
  .release = release,
  .check_access = check_access,
};

static void
sw_evictable_class_init (SwEvictableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  SwCarrierClass *carrier_class = SW_CARRIER_CLASS (klass);

  object_class->finalize = sw_evictable_finalize;

  carrier_class->size = sw_evictable_size;
  carrier_class->dtype = sw_evictable_dtype;
  carrier_class->is_mutable = sw_evictable_is_mutable;
  carrier_class->get_value = sw_evictable_get_value;
  carrier_class->set_value = sw_evictable_set_value;
  carrier_class->scatter = sw_evictable_scatter;
  carrier_class->new_like = sw_evictable_new_like;
  carrier_class->allocate_like = sw_evictable_allocate_like;
  carrier_class->dispatch_op = sw_evictable_dispatch_op;
  carrier_class->builtin = (gpointer) &builtin;
}

static void
sw_evictable_init (SwEvictable *self)
{
  pthread_mutex_init (&self->lock, NULL);
}
