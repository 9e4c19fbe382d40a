/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"
#include "sw/carriers/cpu/sw-cpu-level-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"
#include "sw/operations/sw-kernel-choice-private.h"

G_BEGIN_DECLS

/* What kernels of CPU say about themselves. All are called only where sw_kernel_choice_get () says that somebody wants to
 * know. */

/* Code of the current level, and why not of a higher one. */
void
sw_cpu_choice_set_code (SwKernelChoice *self,
                        SwCpuCode code,
                        SwDType dtype,
                        const char *variant);
/* Scalar code, where only that level has vector code, and why it does not count. */
void
sw_cpu_choice_set_without (SwKernelChoice *self,
                           SwCpuLevel level,
                           const char *variant);
/* Values element by element: how the rows of the nest lie, whose first view is @result. */
void
sw_cpu_choice_set_rows (SwKernelChoice *self,
                        SwCpuCode code,
                        SwDType dtype,
                        const SwCpuNest *nest,
                        const SwAxis *result);
/* When all is computed: says why one thread did it, where that was not said. */
void
sw_cpu_choice_end (SwKernelChoice *self);

G_END_DECLS
