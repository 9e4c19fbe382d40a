/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

G_BEGIN_DECLS

void
workload_show (SwProfiler *profiler,
               const char *name);
void
workload_summarize (SwProfiler *profiler);
void
workload_print_tables (SwProfiler *profiler);

G_END_DECLS
