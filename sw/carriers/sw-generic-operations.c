/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-generic-private.h"

void
sw_generic_class_add_kernels (SwCarrierClass *klass)
{
}
