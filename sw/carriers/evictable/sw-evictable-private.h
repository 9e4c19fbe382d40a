/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/evictable/sw-evictable.h"
#include "sw/tensor/sw-carrier-private.h"

#include <pthread.h>

G_BEGIN_DECLS

struct _SwEvictable
{
  SwCarrier parent_instance;

  /* For what follows; not a GMutex, because ThreadSanitizer cannot see into GLib. Who changes any of it also holds the
   * carrier, so a release finds nobody at work. */
  pthread_mutex_t lock;
  SwCarrier *primary;
  SwCarrier *secondary;
  gboolean is_evicted;
  gboolean is_moving; /* somebody is changing the tiers */
  guint n_writers;    /* how many are writing to the primary */
};

/* Both tiers at one moment, with references. */
typedef struct
{
  SwCarrier *primary;
  SwCarrier *secondary;
} SwTiers;

void sw_tiers_init (SwTiers *tiers,
                    SwEvictable *self);
void sw_tiers_clear (SwTiers *tiers);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SwTiers, sw_tiers_clear)

/* The primary of a hierarchy that is promoted; STATE error of an evicted one. */
SwCarrier *sw_evictable_ref_promoted (SwEvictable *self,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether another one has taken the place of what sw_evictable_ref_promoted () gave, which is released then. */
gboolean sw_evictable_was_replaced (SwEvictable *self,
                                    SwCarrier *primary);
/* The promoted primary of the promoted primary, and so on; @carrier itself when it is not a hierarchy. */
SwCarrier *sw_evictable_ref_innermost (SwCarrier *carrier,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A promoted hierarchy that owns both; @primary may be without values. */
SwCarrier *sw_evictable_new_over (SwCarrier *primary,
                                  SwCarrier *secondary,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same, with an empty secondary like that of @self. */
SwCarrier *sw_evictable_new_around (SwEvictable *self,
                                    SwCarrier *primary,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean sw_evictable_owns (SwEvictable *self,
                            SwCarrier *tier);
/* Ends the ownership of a tier, and its values with @releases. Whatever @self does not own any more is left alone. */
void sw_evictable_let_go (SwEvictable *self,
                          SwCarrier *tier,
                          gboolean releases);

/* The promoted primary, for writing: no change of tiers begins before the end. */
SwCarrier *sw_evictable_begin_write (SwEvictable *self,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_evictable_end_write (SwEvictable *self,
                             SwCarrier *primary);

/* All values at once, as SwBuiltinCarrier has them. */
gboolean sw_evictable_read_all (SwCarrier *carrier,
                                gpointer items,
                                gint64 n_items,
                                GError **error);
gboolean sw_evictable_write_all (SwCarrier *carrier,
                                 gconstpointer items,
                                 gint64 n_items,
                                 GError **error);

G_END_DECLS
