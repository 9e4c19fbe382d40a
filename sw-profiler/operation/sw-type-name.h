/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
const char *sw_profiler_get_type_name (GType type);
SW_AVAILABLE_IN_0_1
void sw_profiler_set_type_name (GType type,
                                const char *qualified_name);

G_END_DECLS
