/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-carrier-private.h"

#include "sw/base/sw-error.h"

#include <string.h>

/**
 * SwCarrier:
 *
 * Storage for the values of tensors, and the place that decides which operation computes on them.
 *
 * [class@Strideweave.Generic] and [class@Strideweave.CPU] keep values in memory. A carrier of one's own implements
 * [vfunc@Strideweave.Carrier.size], [vfunc@Strideweave.Carrier.dtype], [vfunc@Strideweave.Carrier.get_value] and what
 * else it can do; arguments, state and ownership are checked before its functions are called, and what they return is
 * checked after.
 *
 * Carriers may be used from any thread. A release never takes storage away under a computation or a view that is using
 * it: it goes when the last of them has ended. Two threads that write and read the same value at the same time must
 * agree about the order themselves.
 */
G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SwCarrier, sw_carrier, G_TYPE_OBJECT)

gint sw_carrier_private_offset;

const char *
sw_carrier_get_class_name (SwCarrier *self)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (self)->builtin;
  const char *name = G_OBJECT_TYPE_NAME (self);
  const char *after_module = strrchr (name, '+');

  if (builtin != NULL)
    return builtin->name;
  /* Python's classes have their module before the name. */
  return after_module != NULL ? after_module + 1 : name;
}

static gboolean
fail_not_implemented (SwCarrier *self,
                      const char *function,
                      GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED, "%s does not implement %s", sw_carrier_get_class_name (self), function);
  return FALSE;
}

static gint64
sw_carrier_real_size (SwCarrier *self,
                      GError **error)
{
  fail_not_implemented (self, "size", error);
  return -1;
}

static SwDType
sw_carrier_real_dtype (SwCarrier *self,
                       GError **error)
{
  fail_not_implemented (self, "dtype", error);
  return SW_DTYPE_INVALID;
}

static SwValue *
sw_carrier_real_get_value (SwCarrier *self,
                           gint64 index,
                           GError **error)
{
  fail_not_implemented (self, "get_value", error);
  return NULL;
}

static gboolean
sw_carrier_real_set_value (SwCarrier *self,
                           gint64 index,
                           SwValue *value,
                           GError **error)
{
  return fail_not_implemented (self, "set_value", error);
}

static gboolean
sw_carrier_real_is_mutable (SwCarrier *self,
                            GError **error)
{
  return FALSE;
}

static SwCarrier *
sw_carrier_real_new_like (SwCarrier *self,
                          SwValueList *values,
                          gboolean is_mutable,
                          SwDType dtype,
                          GError **error)
{
  fail_not_implemented (self, "new_like", error);
  return NULL;
}

static SwCarrier *
sw_carrier_real_allocate_like (SwCarrier *self,
                               gint64 size,
                               gboolean is_mutable,
                               SwDType dtype,
                               gboolean is_empty,
                               GError **error)
{
  fail_not_implemented (self, "allocate_like", error);
  return NULL;
}

static SwOperation *
sw_carrier_real_dispatch_op (SwCarrier *self,
                             const char *name,
                             GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED, "%s does not implement an operation named '%s'",
               sw_carrier_get_class_name (self), name);
  return NULL;
}

void
sw_carrier_free_storage (SwCarrier *self)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (self)->builtin;

  if (builtin != NULL && builtin->release != NULL)
    builtin->release (self);
}

gboolean
sw_carrier_recycle (SwCarrier *self,
                    gpointer tensor)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (self)->builtin;
  SwCarrierPrivate *priv = sw_carrier_get_private (self);

  /* Relaxed: see sw_carrier_mark_seen (). */
  if (__atomic_load_n (&priv->is_unseen, __ATOMIC_RELAXED) == FALSE || builtin->recycle == NULL)
    return FALSE;
  /* Acquire: what others did with the carrier comes before the end of their reference. Nobody can get another one. */
  if (__atomic_load_n (&G_OBJECT (self)->ref_count, __ATOMIC_ACQUIRE) != 1 || __atomic_load_n (&priv->life, __ATOMIC_ACQUIRE) != 0)
    return FALSE;

  priv->version = 0;
  /* Relaxed: nobody else knows the carrier. Whoever takes it for something else than a result is not known to be its only user. */
  __atomic_store_n (&priv->is_unseen, FALSE, __ATOMIC_RELAXED);
  priv->spare_tensor = tensor;
  if (builtin->recycle (self))
    return TRUE;
  priv->spare_tensor = NULL;
  return FALSE;
}

static void
sw_carrier_finalize (GObject *object)
{
  SwCarrier *self = SW_CARRIER (object);

  /* Relaxed: whoever held or released it has given its reference back since, and that orders everything. */
  if ((__atomic_load_n (&sw_carrier_get_private (self)->life, __ATOMIC_RELAXED) & SW_CARRIER_RELEASED) == 0)
    sw_carrier_free_storage (self);
  g_free (sw_carrier_get_private (self)->spare_tensor);

  G_OBJECT_CLASS (sw_carrier_parent_class)->finalize (object);
}

static void
sw_carrier_class_init (SwCarrierClass *klass)
{
  sw_carrier_private_offset = SwCarrier_private_offset;

  G_OBJECT_CLASS (klass)->finalize = sw_carrier_finalize;

  klass->size = sw_carrier_real_size;
  klass->dtype = sw_carrier_real_dtype;
  klass->get_value = sw_carrier_real_get_value;
  klass->set_value = sw_carrier_real_set_value;
  klass->is_mutable = sw_carrier_real_is_mutable;
  klass->new_like = sw_carrier_real_new_like;
  klass->allocate_like = sw_carrier_real_allocate_like;
  klass->scatter = sw_carrier_scatter_by_values;
  klass->dispatch_op = sw_carrier_real_dispatch_op;
}

static void
sw_carrier_init (SwCarrier *self)
{
}

static inline guint64
get_life (SwCarrier *self)
{
  /* Acquire: who sees "owned" sees the owner, who sees "released" sees what was done before the release. */
  return __atomic_load_n (&sw_carrier_get_private (self)->life, __ATOMIC_ACQUIRE);
}

/**
 * sw_carrier_is_owned:
 * @self: a carrier
 *
 * Tells whether a composite carrier, such as [class@Strideweave.Evictable], owns this one. Only the owner writes to it
 * and releases it.
 *
 * Returns: %TRUE while it is owned
 */
gboolean
sw_carrier_is_owned (SwCarrier *self)
{
  g_return_val_if_fail (SW_IS_CARRIER (self), FALSE);

  return (get_life (self) & SW_CARRIER_OWNED) != 0;
}

/**
 * sw_carrier_is_released:
 * @self: a carrier
 *
 * Tells whether [method@Strideweave.Carrier.release] was called.
 *
 * Returns: %TRUE when the carrier holds no values any more
 */
gboolean
sw_carrier_is_released (SwCarrier *self)
{
  g_return_val_if_fail (SW_IS_CARRIER (self), FALSE);

  return (get_life (self) & SW_CARRIER_RELEASED) != 0;
}

/**
 * sw_carrier_get_version:
 * @self: a carrier
 *
 * Counts the writes through [method@Strideweave.Carrier.set_value] and [method@Strideweave.Carrier.scatter].
 *
 * Returns: how many succeeded
 */
guint64
sw_carrier_get_version (SwCarrier *self)
{
  g_return_val_if_fail (SW_IS_CARRIER (self), 0);

  /* Acquire: pairs with sw_carrier_changed (), so that who sees a version also sees the values that were written. */
  return __atomic_load_n (&sw_carrier_get_private (self)->version, __ATOMIC_ACQUIRE);
}

void
sw_carrier_changed (SwCarrier *self)
{
  /* Release: the written values come before the version that counts them. */
  __atomic_fetch_add (&sw_carrier_get_private (self)->version, 1, __ATOMIC_RELEASE);
}

static gboolean
fail_released (SwCarrier *self,
               const char *argument,
               GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "%s is a released %s", argument, sw_carrier_get_class_name (self));
  return FALSE;
}

static gboolean
fail_owned (SwCarrier *self,
            const char *argument,
            GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "%s is a %s that a composite carrier owns", argument, sw_carrier_get_class_name (self));
  return FALSE;
}

gboolean
sw_carrier_check_made (SwCarrier *self,
                       GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (self)->builtin;

  if (G_LIKELY (builtin == NULL || sw_carrier_get_private (self)->dtype != SW_DTYPE_INVALID))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "carrier is an unfinished %s: it was not made by its own constructor",
               builtin->name);
  return FALSE;
}

gboolean
sw_carrier_check_live (SwCarrier *self,
                       const char *argument,
                       GError **error)
{
  if (G_LIKELY ((get_life (self) & SW_CARRIER_RELEASED) == 0))
    return TRUE;
  return fail_released (self, argument, error);
}

gboolean
sw_carrier_enter (SwCarrier *self,
                  const char *argument,
                  GError **error)
{
  return G_LIKELY (sw_carrier_try_hold (self)) || fail_released (self, argument, error);
}

void
sw_carrier_fail_hold (SwCarrier *self,
                      GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (self)->builtin;

  if (!sw_carrier_check_live (self, "carrier", error))
    return;
  if (builtin != NULL && builtin->check_access != NULL && !builtin->check_access (self, error))
    return;

  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "carrier is a %s, which does not keep its values in memory",
               sw_carrier_get_class_name (self));
}

gboolean
sw_carrier_check_writable (SwCarrier *self,
                           GError **error)
{
  guint64 life = get_life (self);
  gboolean is_mutable;

  if ((life & SW_CARRIER_RELEASED) != 0)
    return fail_released (self, "carrier", error);
  if ((life & SW_CARRIER_OWNED) != 0)
    return fail_owned (self, "carrier", error);
  if (!sw_carrier_call_is_mutable (self, &is_mutable, error))
    return FALSE;
  if (!is_mutable)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "carrier is an immutable %s", sw_carrier_get_class_name (self));
      return FALSE;
    }

  return TRUE;
}

gboolean
sw_carrier_claim (SwCarrier *self,
                  SwCarrier *owner,
                  const char *argument,
                  GError **error)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (self);
  guint64 seen = get_life (self);

  do
    {
      if ((seen & SW_CARRIER_RELEASED) != 0)
        return fail_released (self, argument, error);
      if ((seen & SW_CARRIER_OWNED) != 0)
        return fail_owned (self, argument, error);
    }
  /* Acquire and release: a claim comes after the end of an earlier ownership, and before all that the owner does. */
  while (!__atomic_compare_exchange_n (&priv->life, &seen, seen | SW_CARRIER_OWNED, TRUE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));

  sw_carrier_mark_seen (self);
  priv->owner = owner;
  return TRUE;
}

void
sw_carrier_relinquish (SwCarrier *self,
                       SwCarrier *owner)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (self);

  g_return_if_fail (priv->owner == owner);

  priv->owner = NULL;
  /* Release: all that the owner did comes before the next claim or public write. */
  __atomic_fetch_and (&priv->life, ~SW_CARRIER_OWNED, __ATOMIC_RELEASE);
}

/* @forbidden: a bit of life that refuses the release. */
static gboolean
try_release (SwCarrier *self,
             guint64 forbidden)
{
  guint64 *life = &sw_carrier_get_private (self)->life;
  guint64 seen = get_life (self);

  do
    {
      if ((seen & forbidden) != 0)
        return FALSE;
      if ((seen & SW_CARRIER_RELEASED) != 0)
        return TRUE;
    }
  /* Release: what this thread did with the storage comes before whoever frees it. Acquire: when that is this thread, it
   * comes after all that others did. */
  while (!__atomic_compare_exchange_n (life, &seen, seen | SW_CARRIER_RELEASED, TRUE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));

  if ((seen & ~SW_CARRIER_OWNED) == 0)
    sw_carrier_free_storage (self);
  return TRUE;
}

/**
 * sw_carrier_release:
 * @self: a carrier
 * @error: return location for an error
 *
 * Gives the storage back before the carrier goes. Afterwards the carrier has no values: its size is 0, its dtype stays,
 * and access fails with %SW_ERROR_STATE. Releasing again does nothing.
 *
 * Computations, and views such as NumPy's, that are using the storage keep it until they end.
 *
 * Fails with %SW_ERROR_STATE when a composite owns the carrier.
 *
 * Returns: %TRUE when the carrier is released
 */
gboolean
sw_carrier_release (SwCarrier *self,
                    GError **error)
{
  g_return_val_if_fail (SW_IS_CARRIER (self), FALSE);

  return try_release (self, SW_CARRIER_OWNED) || fail_owned (self, "carrier", error);
}

void
sw_carrier_release_owned (SwCarrier *self)
{
  try_release (self, 0);
}
