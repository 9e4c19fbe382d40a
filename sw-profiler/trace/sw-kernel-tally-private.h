/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-tally-private.h"
#include "sw/operations/sw-kernel-choice-private.h"

G_BEGIN_DECLS

/* How often operations chose which kernel, and why they took no better one; the most frequent first. */
typedef struct
{
  SwTally tally;
} SwKernelTally;

SwKernelTally *sw_kernel_tally_new (gboolean by_thread) G_GNUC_WARN_UNUSED_RESULT;
/* From any thread. @operation lives as long as the process. */
void sw_kernel_tally_add (SwKernelTally *self,
                          const SwKernelChoice *choice,
                          const char *operation,
                          GType carrier);

G_END_DECLS
