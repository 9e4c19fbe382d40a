/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-collector.h"
#include "sw-profiler/trace/sw-trace-record-private.h"

G_BEGIN_DECLS

/* What the library's own collectors implement instead of emit; called with the collector's turn, but for the last four. */

/* FALSE: dropped. Without an error, because there is no room. */
typedef gboolean (*SwCollectorTake) (SwCollector *self,
                                     const SwTraceRecord *record,
                                     GError **error);
/* Several at once; says of each whether it was taken. In place of take, where both are there. */
typedef void (*SwCollectorTakeMany) (SwCollector *self,
                                     const SwTraceRecord *records,
                                     gsize n_records,
                                     gboolean *is_taken);
/* A context will pass records, or its session has changed. */
typedef void (*SwCollectorAttach) (SwCollector *self,
                                   const SwTraceSession *session);
/* About once a second. */
typedef gboolean (*SwCollectorTick) (SwCollector *self,
                                     GError **error);

/* What passes events on to other collectors: these did not get here. Not with the turn. */
typedef void (*SwCollectorCountLost) (SwCollector *self,
                                      guint64 n);
/* What passes events on to other collectors: contexts stop to record into those. Not with the turn. */
typedef void (*SwCollectorForget) (SwCollector *self);

/* Bits of SwTraceLiveKind: what the emitting threads pass events on to, by themselves. Not with the turn. */
typedef guint (*SwCollectorGetLive) (SwCollector *self);

/* What a context passes on from here on, a SwTraceVerbosity; NONE when it has another collector, or none. It is told apart
 * from other contexts by its address, which is not looked into. Not with the turn. */
typedef void (*SwCollectorSetLevel) (SwCollector *self,
                                     gconstpointer context,
                                     guint level);

/* So many at once, at most: as many as Python takes a few milliseconds for, while it keeps its lock. */
#define SW_COLLECTOR_MAX_BATCH 2048

/* FALSE: dropped, which is counted. */
gboolean sw_collector_take (SwCollector *self,
                            const SwTraceRecord *record);
/* At most SW_COLLECTOR_MAX_BATCH, and says that of each. */
void sw_collector_take_many (SwCollector *self,
                             const SwTraceRecord *records,
                             gsize n_records,
                             gboolean *is_taken);
void sw_collector_attach (SwCollector *self,
                          const SwTraceSession *session);
void sw_collector_tick (SwCollector *self);
/* None of one that is closed. */
guint sw_collector_get_live (SwCollector *self);
void sw_collector_set_level (SwCollector *self,
                             gconstpointer context,
                             guint level);
/* It is going to be closed. */
void sw_collector_forget (SwCollector *self);
/* Events that did not get here. */
void sw_collector_count_lost (SwCollector *self,
                              guint64 n);
/* Events that it had taken, and that are lost all the same. */
void sw_collector_give_back (SwCollector *self,
                             guint64 n);
/* For what only reads: FALSE when the calling thread has the turn already. */
gboolean sw_collector_enter (SwCollector *self);
void sw_collector_leave (SwCollector *self);
/* Of who has the turn: it is that of a parent, in which a thread was just changing the collector. Whatever needs the turn to
 * be touched is of no use then, not even to free it. */
gboolean sw_collector_is_abandoned (SwCollector *self);

/* Whether the calling thread is just passing something to a collector. */
gboolean sw_collector_is_inside (void);

G_END_DECLS
