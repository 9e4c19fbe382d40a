/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-event-private.h"

G_BEGIN_DECLS

/* Memory for many events that are made at once. It is one huge page where the system has such, as fresh memory costs
 * more than anything else about a hundred thousand events. */

/* For up to @n_events; NULL when there are too few to be worth it, or no memory. */
SwEventSlab *sw_event_slab_new (gsize n_events) G_GNUC_WARN_UNUSED_RESULT;

/* Memory for one more event, NULL when there is no more. Its maker sets its field slab to @self; sw_event_slab_finish ()
 * counts it. To be called on the thread that made the slab. */
SwProfilerEvent *sw_event_slab_take (SwEventSlab *self);

/* No more events are taken: from now on the slab goes away with its last event. */
void sw_event_slab_finish (SwEventSlab *self);

/* Gives an event's memory back; on any thread. */
void sw_event_slab_give_back (SwEventSlab *self);

G_END_DECLS
