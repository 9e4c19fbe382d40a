/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/generic/sw-generic.h"

G_BEGIN_DECLS

/* Called once, while the class is made: says which operations Generic implements. */
void sw_generic_class_add_kernels (SwCarrierClass *klass);

G_END_DECLS
