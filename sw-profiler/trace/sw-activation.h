/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <glib-object.h>

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

SW_AVAILABLE_IN_0_1
void sw_activation_finish (void);

G_END_DECLS
