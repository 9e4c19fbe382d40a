/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/operation/sw-profiler-event.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_EVENT_ITEM (sw_profiler_event_item_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (SwProfilerEventItem, sw_profiler_event_item, SW, PROFILER_EVENT_ITEM, GObject)

SW_AVAILABLE_IN_0_1
SwProfilerEvent *sw_profiler_event_item_get_event (SwProfilerEventItem *self);

G_END_DECLS
