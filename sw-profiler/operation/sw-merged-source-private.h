/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-event-source-private.h"

G_BEGIN_DECLS

/* Several sources one after the other, for results that are functions of sites, shapes and times: aggregates and
 * tables. Parents are numbered within the source that an event came from, and there is no one thread. */
typedef struct _SwMergedSource SwMergedSource;

/* The sources must live as long as the merged one. */
SwMergedSource *sw_merged_source_new (const SwEventSource *const *sources,
                                      gsize n_sources) G_GNUC_WARN_UNUSED_RESULT;
void sw_merged_source_free (SwMergedSource *self);
const SwEventSource *sw_merged_source_get_source (SwMergedSource *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwMergedSource, sw_merged_source_free)

G_END_DECLS
