/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "sw-profiler/operation/sw-profiler-event-item.h"
#include "sw-profiler/operation/sw-profiler.h"

G_BEGIN_DECLS

/* The items of one Profiler that somebody has: who asks for a position again gets the same one, as lists expect. */
typedef struct _SwProfilerItems SwProfilerItems;

SwProfilerItems *sw_profiler_items_new (void) G_GNUC_WARN_UNUSED_RESULT;
void sw_profiler_items_free (SwProfilerItems *self);
/* Called by an item that goes. */
void sw_profiler_items_forget (SwProfilerItems *self,
                               gint64 id);

SwProfilerItems *sw_profiler_get_items (SwProfiler *self);

/* Holds the profiler. */
SwProfilerEventItem *sw_profiler_event_item_new (SwProfiler *profiler,
                                                 SwProfilerEvent *event) G_GNUC_WARN_UNUSED_RESULT;

/* What a Profiler is as a list. */
void sw_profiler_init_list_model (GListModelInterface *iface);

G_END_DECLS
