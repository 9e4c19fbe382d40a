/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/evictable/sw-evictable-private.h"

#include "sw/base/sw-error.h"

/* Which tier the values are on at this moment, for those who read them, and for those who write and hold up changes. */

static gboolean
fail_evicted (GError **error)
{
  g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "the carrier is evicted; call promote() first");
  return FALSE;
}

void
sw_tiers_init (SwTiers *tiers,
               SwEvictable *self)
{
  pthread_mutex_lock (&self->lock);
  /* None in a carrier that no constructor made. */
  g_set_object (&tiers->primary, self->primary);
  g_set_object (&tiers->secondary, self->secondary);
  pthread_mutex_unlock (&self->lock);
}

void
sw_tiers_clear (SwTiers *tiers)
{
  g_clear_object (&tiers->primary);
  g_clear_object (&tiers->secondary);
}

SwCarrier *
sw_evictable_ref_promoted (SwEvictable *self,
                           GError **error)
{
  SwCarrier *primary;

  if (!sw_carrier_check_made (SW_CARRIER (self), error))
    return NULL;

  pthread_mutex_lock (&self->lock);
  primary = self->is_evicted ? NULL : g_object_ref (self->primary);
  pthread_mutex_unlock (&self->lock);

  if (primary == NULL)
    fail_evicted (error);
  return primary;
}

gboolean
sw_evictable_was_replaced (SwEvictable *self,
                           SwCarrier *primary)
{
  gboolean was_replaced;

  pthread_mutex_lock (&self->lock);
  was_replaced = self->primary != primary;
  pthread_mutex_unlock (&self->lock);
  return was_replaced;
}

SwCarrier *
sw_evictable_ref_innermost (SwCarrier *carrier,
                            GError **error)
{
  SwCarrier *innermost = g_object_ref (carrier);

  while (innermost != NULL && SW_IS_EVICTABLE (innermost))
    {
      g_autoptr (SwCarrier) outer = innermost;

      innermost = sw_evictable_ref_promoted (SW_EVICTABLE (outer), error);
    }

  return innermost;
}

SwCarrier *
sw_evictable_begin_write (SwEvictable *self,
                          GError **error)
{
  SwCarrier *primary = NULL;
  gboolean is_moving;

  if (!sw_carrier_check_made (SW_CARRIER (self), error))
    return NULL;

  pthread_mutex_lock (&self->lock);
  is_moving = self->is_moving;
  if (!is_moving && !self->is_evicted)
    {
      primary = g_object_ref (self->primary);
      self->n_writers++;
    }
  pthread_mutex_unlock (&self->lock);

  if (is_moving)
    g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "the carrier's values are moving between its tiers");
  else if (primary == NULL)
    fail_evicted (error);
  return primary;
}

void
sw_evictable_end_write (SwEvictable *self,
                        SwCarrier *primary)
{
  pthread_mutex_lock (&self->lock);
  self->n_writers--;
  pthread_mutex_unlock (&self->lock);

  g_object_unref (primary);
}
