/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-collector.h"
#include "sw-profiler/zone/sw-zone-producer-private.h"
#include "sw-profiler/zone/sw-zone-time-private.h"

G_BEGIN_DECLS

/* Zones of ZoneProfilers on their way into a trace, among what their threads emit, in the order of ends.
 *
 * A thread puts zones into one queue and its events into another. When both are read, first the events and then the
 * zones, any zone that ended before the last event is there; one that ended later may have to wait for events that are
 * not there yet, until events have been read once more. */
typedef struct _SwTraceFeed SwTraceFeed;

SwTraceFeed *sw_trace_feed_new (void) G_GNUC_WARN_UNUSED_RESULT;
/* With no pass going on, and nobody who puts. */
void sw_trace_feed_free (SwTraceFeed *self);

/* From any thread; never blocks for long. FALSE: there are too many that nobody takes. */
gboolean sw_trace_feed_put_zone (SwTraceFeed *self,
                                 SwLane *lane,
                                 const SwZoneEvent *event);
void sw_trace_feed_put_frame (SwTraceFeed *self,
                              const char *name,
                              guint64 begin,
                              guint64 end);

/* It ends with the recording, see finish (). */
gboolean sw_trace_feed_put_open_zone (SwTraceFeed *self,
                                      SwLane *lane,
                                      const SwZoneEvent *event);
/* On the lane of a queue; times in nanoseconds. */
gboolean sw_trace_feed_put_gpu_zone (SwTraceFeed *self,
                                     SwLane *lane,
                                     guint32 site,
                                     gint32 depth,
                                     guint64 start_ns,
                                     guint64 duration_ns);

/* A pass, of who has the turn: begin () before the queues of events are looked at, collect () after that; then, for each
 * event in turn, what comes before it; and end (). */
void sw_trace_feed_begin (SwTraceFeed *self);
void sw_trace_feed_collect (SwTraceFeed *self,
                            SwCollector *collector,
                            const SwZoneTime *time);
void sw_trace_feed_pass_before (SwTraceFeed *self,
                                SwLane *lane,
                                guint64 end,
                                gint32 depth);
void sw_trace_feed_end (SwTraceFeed *self);

/* Of who has the turn. Recording ended at @end, in ticks: all zones, open ones as well, are put, and none lasts longer than
 * that. */
void sw_trace_feed_finish (SwTraceFeed *self,
                           guint64 end);

G_END_DECLS
