/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-lane-private.h"
#include "sw/operations/sw-kernel-choice-private.h"

G_BEGIN_DECLS

/* How often operations chose which kernel, and why they took no better one. */
typedef struct _SwKernelTally SwKernelTally;

SwKernelTally *sw_kernel_tally_new (gboolean by_thread) G_GNUC_WARN_UNUSED_RESULT;
void sw_kernel_tally_free (SwKernelTally *self);
/* From any thread. @operation lives as long as the process. */
void sw_kernel_tally_add (SwKernelTally *self,
                          const SwKernelChoice *choice,
                          const char *operation,
                          GType carrier);
/* Tables of at most @row_limit rows, the most frequent first; -1 for all. Nothing where nothing was chosen. */
void sw_kernel_tally_append_to (SwKernelTally *self,
                                GString *text,
                                gint64 row_limit);
/* The same for programs: a record for each row, all of them; nothing where there are none. */
void sw_kernel_tally_append_csv (SwKernelTally *self,
                                 GString *text);
/* An array of what there is of one thread, where it is counted by thread. */
void sw_kernel_tally_append_json (SwKernelTally *self,
                                  const SwLane *lane,
                                  GString *text);
/* Adds references of those that there is anything of to the set @lanes. */
void sw_kernel_tally_find_lanes (SwKernelTally *self,
                                 GHashTable *lanes);

G_END_DECLS
