/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-core-private.h"

G_BEGIN_DECLS

/* Somebody who wants all zones of the process, whichever profiler records them, and those of threads that have no current
 * profiler. It gets them where queues are emptied anyway: threads that record do nothing more for it. */
typedef struct
{
  /* With the consumer lock: no other function of zones may be called. In the order of a producer's ends. */
  void (*zone) (SwZoneProducer *producer,
                const SwZoneEvent *event);
  /* Likewise; times in ticks. */
  void (*frame) (const char *name,
                 guint64 begin,
                 guint64 end);
  /* Likewise, of a zone's work on a device; times in nanoseconds of the monotonic clock. @lane is one of a queue, on which
   * what overlaps is nested. */
  void (*gpu_zone) (SwLane *lane,
                    guint32 site,
                    gint32 depth,
                    guint64 start_ns,
                    guint64 duration_ns);
  /* Likewise, of a zone that is open at the end: it has no end of its own. */
  void (*open_zone) (SwZoneProducer *producer,
                     const SwZoneEvent *event);
} SwZoneTap;

/* NULL: nobody. Always the same one. */
void sw_zone_tap_set (const SwZoneTap *tap);
const SwZoneTap *sw_zone_tap_get (void);
/* The tap has all zones that were published before. */
void sw_zone_tap_drain_all (void);
/* It also has all zones that are open, and nothing from here on: there is no tap any more. */
void sw_zone_tap_finish (void);
/* How many zones had found no place by then, of all profilers since the process began. */
guint64 sw_zone_tap_count_drops (void);
/* Likewise, how many zones were to have GPU times, and the tap has none of them. */
guint64 sw_zone_tap_count_gpu_drops (void);
/* Of a profiler that is gone, with its consumer locked. */
void sw_zone_tap_keep_drops (guint64 n);
void sw_zone_tap_keep_gpu_drops (const SwDiagnosticCounters *counters);
/* In a forked child. */
void sw_zone_tap_forget_drops (void);

/* Threads without a current profiler record into one that nobody sees, from here on; for good, but that it can be switched
 * off. It has no frames and no GPU times. */
void sw_zone_fallback_enable (gboolean enabled);
SwZoneCore *sw_zone_fallback_get (void);

/* Until stop_waiting (), @start is called before the first zone is recorded, or when a profiler is made. */
void sw_zone_fallback_wait (void (*start) (void));
void sw_zone_fallback_stop_waiting (void);
void sw_zone_fallback_check (void);

G_END_DECLS
