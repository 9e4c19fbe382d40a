/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-group.h"
#include "sw-profiler/trace/sw-kernel-tally-private.h"

G_BEGIN_DECLS

/* The profile that the environment asked for, as files for programs: operations of @group, which is completed, zones, and
 * kernels, where those are not NULL. IO errors. */

/* Operations to @path, the rest, where there is any, to files of its own beside it. */
gboolean sw_activation_save_csv (SwProfilerGroup *group,
                                 SwKernelTally *kernels,
                                 const char *path,
                                 GError **error);
/* All in one, by thread. */
gboolean sw_activation_save_json (SwProfilerGroup *group,
                                  SwKernelTally *kernels,
                                  const char *path,
                                  GError **error);

G_END_DECLS
