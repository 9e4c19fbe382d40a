/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-implementation-private.h"

G_BEGIN_DECLS

/* By SwOperationId; not written to after the library is loaded. Use sw_operation_info_get (), except where an address
 * constant is needed. */
extern SwOperationInfo sw_operation_infos[SW_N_OPERATIONS];

G_END_DECLS
