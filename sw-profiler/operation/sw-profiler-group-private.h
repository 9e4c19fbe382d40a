/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-group.h"

G_BEGIN_DECLS

/* A group beside the one that a program may have at the same time. Each thread keeps about @max_events. */
SwProfilerGroup *sw_profiler_group_new_for_process (gsize max_events) G_GNUC_WARN_UNUSED_RESULT;
/* What enter does, but the group belongs to no thread. */
gboolean sw_profiler_group_start (SwProfilerGroup *self);
/* What exit does, on any thread; FALSE: it was not active. */
gboolean sw_profiler_group_finish (SwProfilerGroup *self);

G_END_DECLS
