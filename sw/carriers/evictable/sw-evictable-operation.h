/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/operations/sw-operation.h>

G_BEGIN_DECLS

#define SW_TYPE_EVICTABLE_OPERATION (sw_evictable_operation_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwEvictableOperation, sw_evictable_operation, SW, EVICTABLE_OPERATION, SwOperation)

G_END_DECLS
