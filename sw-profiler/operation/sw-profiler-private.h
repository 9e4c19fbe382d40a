/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-event-source-private.h"
#include "sw-profiler/operation/sw-profiler.h"

G_BEGIN_DECLS

/* What a completed Profiler recorded, valid as long as the Profiler; NULL and a STATE error before. */
const SwEventSource *sw_profiler_get_source (SwProfiler *self,
                                             GError **error);

G_END_DECLS
