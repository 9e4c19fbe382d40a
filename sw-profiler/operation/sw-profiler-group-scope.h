/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler-group.h>

G_BEGIN_DECLS

/* As SwProfileScope is for one profiler: for C, and for Vala. */
#ifndef __GI_SCANNER__

typedef struct _SwProfilerGroupScope SwProfilerGroupScope;

SW_AVAILABLE_IN_0_1
SwProfilerGroupScope *
sw_profiler_group_scope_new (SwProfilerGroup *group,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfilerGroup *
sw_profiler_group_scope_get_group (SwProfilerGroupScope *self);
SW_AVAILABLE_IN_0_1
gboolean
sw_profiler_group_scope_leave (SwProfilerGroupScope *self,
                               GError **error);
SW_AVAILABLE_IN_0_1
void
sw_profiler_group_scope_free (SwProfilerGroupScope *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerGroupScope, sw_profiler_group_scope_free)

#endif

G_END_DECLS
