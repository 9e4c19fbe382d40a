/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/tensor/sw-carrier.h"
#include "sw/tensor/sw-tensor.h"
#include "sw/tensor/sw-value.h"
#include "sw/tensor/sw-value-list.h"

G_BEGIN_DECLS

/* State that every carrier has. A carrier of one's own uses life, owner and version only; the built-in carriers that
 * keep their values in memory use all of it. */
typedef struct
{
  /* Bit 0: released. Bits 1 and up: how many users hold the storage in place. One word, so that whoever makes it
   * "released and not held" is the only one to free the storage. */
  guint64 life;
  /* The composite that owns this carrier, or NULL. Not a reference: the owner clears it before it goes. */
  SwCarrier *owner;
  guint64 version;
  gboolean is_mutable;
  SwDType dtype;
  gint64 size;
  /* Values in memory, in the item size of dtype (Floating as double, Any as SwValue *); NULL for other carriers. */
  gpointer data;
  /* How data goes away; NULL: it belongs to somebody else. */
  GDestroyNotify free_data;
} SwCarrierPrivate;

/* Storage held in place, between sw_carrier_hold () and sw_carrier_drop (). */
typedef struct
{
  gpointer data;
  gint64 size;
  SwDType dtype;
} SwStorage;

/* What the library's own carriers add to their class. */
typedef struct
{
  const char *name;
  /* Fresh storage with undefined contents; values of Any are NULL. */
  SwCarrier *(*allocate) (SwCarrier *like, gint64 size, SwDType dtype, GError **error);
  gboolean (*supports_dtype) (SwCarrier *self, SwDType dtype);
  /* All values of the carrier, count of them, to and from the item format of its dtype; for movement. */
  gboolean (*read_all) (SwCarrier *self, gpointer items, gint64 n_items, GError **error);
  gboolean (*write_all) (SwCarrier *self, gconstpointer items, gint64 n_items, GError **error);
  /* Gives the storage back; called once, when nobody holds it. */
  void (*release) (SwCarrier *self);
  /* Fails where values cannot be reached now, as in an evicted hierarchy. */
  gboolean (*check_access) (SwCarrier *self, GError **error);
} SwBuiltinCarrier;

SwCarrierPrivate *sw_carrier_get_private (SwCarrier *self);

/* Holds the in-memory storage of a live built-in carrier in place. FALSE with an error: released, or not in memory. */
gboolean sw_carrier_hold (SwCarrier *self,
                          SwStorage *storage,
                          GError **error);
void sw_carrier_drop (SwCarrier *self);

/* STATE error naming @argument when the carrier is released. */
gboolean sw_carrier_check_live (SwCarrier *self,
                                const char *argument,
                                GError **error);
/* STATE error when the public may not write: immutable, owned or released. */
gboolean sw_carrier_check_writable (SwCarrier *self,
                                    GError **error);
void sw_carrier_changed (SwCarrier *self);

/* Claims the carrier for @owner; STATE error when it is owned already, or released. */
gboolean sw_carrier_claim (SwCarrier *self,
                           SwCarrier *owner,
                           const char *argument,
                           GError **error);
void sw_carrier_relinquish (SwCarrier *self,
                            SwCarrier *owner);
/* Releases a carrier that the caller owns. */
void sw_carrier_release_owned (SwCarrier *self);

/* One value of storage in memory, converted; set fails with TYPE or VALUE naming the value. */
SwValue *sw_storage_get_value (const SwStorage *storage,
                               gint64 index) G_GNUC_WARN_UNUSED_RESULT;
gboolean sw_storage_set_value (const SwStorage *storage,
                               gint64 index,
                               SwValue *value,
                               GError **error);

static inline gboolean
sw_carrier_is_in_memory (SwCarrier *self)
{
  return sw_carrier_get_private (self)->data != NULL;
}

G_END_DECLS
