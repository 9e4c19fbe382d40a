/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/evictable/sw-evictable-operation.h"
#include "sw/carriers/evictable/sw-evictable.h"

G_BEGIN_DECLS

/* Dispatches @name on the promoted primary of @carrier. */
SwOperation *sw_evictable_operation_new (SwEvictable *carrier,
                                         const char *name,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
