/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu.h"

G_BEGIN_DECLS

/* Called once, while the class is made: says which operations CPU implements. */
void sw_cpu_class_add_kernels (SwCarrierClass *klass);

G_END_DECLS
