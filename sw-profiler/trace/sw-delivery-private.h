/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-collector.h"
#include "sw-profiler/trace/sw-trace-record-private.h"

G_BEGIN_DECLS

/* Events on their way to a collector whose virtual functions only one thread may call: any thread puts them into a queue of
 * bounded size, and the one takes them out, whenever its main context comes to it, or it asks for them. While something is
 * left to do, the collector is kept. */
typedef struct _SwDelivery SwDelivery;

typedef enum
{
  SW_DELIVERY_FLUSH = 1 << 0,
  SW_DELIVERY_CLOSE = 1 << 1, /* takes no more events from here on */
} SwDeliveryWants;

/* To the calling thread, and its main context. @life: as for sw_collector_bind_to_thread (). */
SwDelivery *sw_delivery_new (SwCollector *collector,
                             GObject *life) G_GNUC_WARN_UNUSED_RESULT;
/* Nothing is left to do, since that would keep the collector. */
void sw_delivery_free (SwDelivery *self);

/* Any thread; says of each record whether it was taken, and returns of how many. Never waits for the one thread. */
gsize sw_delivery_push (SwDelivery *self,
                        const SwTraceRecord *records,
                        gsize n_records,
                        gboolean *is_taken);
/* Any thread: after all events that were put there before. */
void sw_delivery_ask (SwDelivery *self,
                      SwDeliveryWants wants);
/* Does all that there is to do now; nothing on any other thread, or inside of itself. */
void sw_delivery_run (SwDelivery *self);
/* The same for all that are bound to the calling thread. Not inside of a collector. */
void sw_delivery_run_here (void);
/* The process ends: what was not delivered, or not closed, is lost, and told. */
void sw_delivery_give_up_all (void);
/* In the child of a fork: all of them are the parent's. */
void sw_delivery_forget_in_child (void);

G_END_DECLS
