/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler.h>

G_BEGIN_DECLS

/* Languages with a binding of their own have their own scopes; this one is for C, and for Vala, which ends it as C does. */
#ifndef __GI_SCANNER__

typedef struct _SwProfileScope SwProfileScope;

SW_AVAILABLE_IN_0_1
SwProfileScope *
sw_profile_scope_new (SwProfiler *profiler,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwProfiler *
sw_profile_scope_get_profiler (SwProfileScope *self);
SW_AVAILABLE_IN_0_1
gboolean
sw_profile_scope_leave (SwProfileScope *self,
                        GError **error);
SW_AVAILABLE_IN_0_1
void
sw_profile_scope_free (SwProfileScope *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfileScope, sw_profile_scope_free)

#endif

G_END_DECLS
