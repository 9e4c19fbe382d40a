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
  /* Bit 0: released. Bit 63: owned by a composite. Between: how many users hold the storage in place. One word, so that
   * whoever makes it "released and not held" is the only one to free the storage, and so that a carrier is never
   * released under the owner who is just claiming it. */
  guint64 life;
  /* The composite that owns this carrier, or NULL. Not a reference: the owner clears it before it goes. */
  SwCarrier *owner;
  guint64 version;
  gboolean is_mutable;
  SwDType dtype;
  gint64 size;
  /* Values in memory, in the item size of dtype (Floating as double, Any as SwValue *); NULL for other carriers. Set
   * before anybody else sees the carrier and never again: only who holds the storage may follow it. */
  gpointer data;
  /* Atomic: a result that only tensors have a reference to, and that nobody else has met. */
  guint is_unseen;
  /* What was the tensor of a result, while its carrier waits to hold another one. */
  gpointer spare_tensor;
} SwCarrierPrivate;

#define SW_CARRIER_RELEASED (G_GUINT64_CONSTANT (1))
#define SW_CARRIER_HELD_ONCE (G_GUINT64_CONSTANT (2))
#define SW_CARRIER_OWNED (G_GUINT64_CONSTANT (1) << 63)

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
  /* The first @n_items values, to and from the item format of the dtype. Items to read to are fresh: those of Any are not
   * given back. A write counts as one change, and where it fails all values are as they were. */
  gboolean (*read_all) (SwCarrier *self, gpointer items, gint64 n_items, GError **error);
  gboolean (*write_all) (SwCarrier *self, gconstpointer items, gint64 n_items, GError **error);
  /* Gives the storage back; called once, when nobody holds it: at a release, at the last drop after it, or at the end of
   * the carrier. NULL where there is nothing to give back. */
  void (*release) (SwCarrier *self);
  /* Fails where values cannot be reached now, as in an evicted hierarchy. */
  gboolean (*check_access) (SwCarrier *self, GError **error);
  /* Takes the last reference to a carrier that nobody has seen, to use it again; FALSE where it does not. May be NULL. */
  gboolean (*recycle) (SwCarrier *self);
} SwBuiltinCarrier;

/* Where SwCarrierPrivate lies, relative to the instance: the same for every class, known once the first class is made. */
extern gint sw_carrier_private_offset;

static inline SwCarrierPrivate *
sw_carrier_get_private (SwCarrier *self)
{
  return G_STRUCT_MEMBER_P (self, sw_carrier_private_offset);
}

/* "Generic", "MyCarrier": the class as messages name it. */
const char *sw_carrier_get_class_name (SwCarrier *self);

/* To be called where somebody else than a tensor gets to know a carrier, who may hang something on it. */
static inline void
sw_carrier_mark_seen (SwCarrier *self)
{
  /* Relaxed: whoever recycles has the last reference, and so comes after all who marked it. */
  __atomic_store_n (&sw_carrier_get_private (self)->is_unseen, FALSE, __ATOMIC_RELAXED);
}

/* The last reference to @self may go to somebody who makes another carrier of it, with @tensor as the memory of the tensor
 * then. FALSE: the caller still has both. */
gboolean sw_carrier_recycle (SwCarrier *self,
                             gpointer tensor);

/* The slow ends of the inline functions below. */
void sw_carrier_fail_hold (SwCarrier *self,
                           GError **error);
void sw_carrier_free_storage (SwCarrier *self);

/* Holds whatever storage a live carrier has in place, in memory or not; FALSE when it is released. Whoever holds has a
 * reference to the carrier, too. */
static inline gboolean
sw_carrier_try_hold (SwCarrier *self)
{
  guint64 *life = &sw_carrier_get_private (self)->life;
  /* Relaxed: a first guess; the exchange below checks it. */
  guint64 seen = __atomic_load_n (life, __ATOMIC_RELAXED);

  do
    {
      if (G_UNLIKELY ((seen & SW_CARRIER_RELEASED) != 0))
        return FALSE;
    }
  /* Acquire: no access to the storage moves before the hold. No fetch_add: on a released carrier it would have to be
   * taken back, and then two threads could both find themselves last. */
  while (!__atomic_compare_exchange_n (life, &seen, seen + SW_CARRIER_HELD_ONCE, TRUE, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));

  return TRUE;
}

/* Ends a hold; frees the storage where the carrier was released meanwhile. */
static inline void
sw_carrier_drop (SwCarrier *self)
{
  /* Release: all accesses to the storage come before the end of the hold. Acquire: who frees it comes after all of them. */
  guint64 before = __atomic_fetch_sub (&sw_carrier_get_private (self)->life, SW_CARRIER_HELD_ONCE, __ATOMIC_ACQ_REL);

  if (G_UNLIKELY ((before & ~SW_CARRIER_OWNED) == (SW_CARRIER_RELEASED | SW_CARRIER_HELD_ONCE)))
    sw_carrier_free_storage (self);
}

/* Holds the in-memory storage of a live built-in carrier in place. FALSE with an error: released, or not in memory. */
static inline gboolean
sw_carrier_hold (SwCarrier *self,
                 SwStorage *storage,
                 GError **error)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (self);

  if (G_UNLIKELY (priv->data == NULL || !sw_carrier_try_hold (self)))
    {
      sw_carrier_fail_hold (self, error);
      return FALSE;
    }

  storage->data = priv->data;
  storage->size = priv->size;
  storage->dtype = priv->dtype;
  return TRUE;
}

/* Like sw_carrier_try_hold (), with a STATE error that names @argument. A release in another thread, or by the very
 * function that is called meanwhile, then waits with freeing until sw_carrier_drop (). */
gboolean sw_carrier_enter (SwCarrier *self,
                           const char *argument,
                           GError **error);

/* STATE error of a built-in carrier that came to be without its constructor, as g_object_new () and JavaScript's new do
 * it: it has no values, no dtype and no tiers. */
gboolean sw_carrier_check_made (SwCarrier *self,
                                GError **error);
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

/* Call the functions of the class and take no nonsense for an answer: failure comes with an error, success without. They
 * check neither state nor ownership, so owners may use them on what they own. */
gint64 sw_carrier_call_size (SwCarrier *self,
                             GError **error);
SwDType sw_carrier_call_dtype (SwCarrier *self,
                               GError **error);
gboolean sw_carrier_call_is_mutable (SwCarrier *self,
                                     gboolean *is_mutable,
                                     GError **error);
SwValue *sw_carrier_call_get_value (SwCarrier *self,
                                    gint64 index,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean sw_carrier_call_set_value (SwCarrier *self,
                                    gint64 index,
                                    SwValue *value,
                                    GError **error);
gboolean sw_carrier_call_scatter (SwCarrier *self,
                                  SwTensor *source,
                                  SwTensor *onto,
                                  SwLayout *mapping,
                                  gint64 mapping_offset,
                                  GError **error);

/* The default of the class: one value after the other, and back again where one fails. */
gboolean sw_carrier_scatter_by_values (SwCarrier *self,
                                       SwTensor *source,
                                       SwTensor *onto,
                                       SwLayout *mapping,
                                       gint64 mapping_offset,
                                       GError **error);

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
