/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-cpu-private.h"

void
sw_cpu_class_add_kernels (SwCarrierClass *klass)
{
}
