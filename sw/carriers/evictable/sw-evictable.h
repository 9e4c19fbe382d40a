/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/tensor/sw-carrier.h>

G_BEGIN_DECLS

#define SW_TYPE_EVICTABLE (sw_evictable_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwEvictable, sw_evictable, SW, EVICTABLE, SwCarrier)

SW_AVAILABLE_IN_0_1
SwCarrier *sw_evictable_new (SwCarrier *primary,
                             SwCarrier *secondary,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCarrier *sw_evictable_get_primary (SwEvictable *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwCarrier *sw_evictable_get_secondary (SwEvictable *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_evictable_is_evicted (SwEvictable *self);
SW_AVAILABLE_IN_0_1
gboolean sw_evictable_evict (SwEvictable *self,
                             GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_evictable_promote (SwEvictable *self,
                               GError **error);

G_END_DECLS
