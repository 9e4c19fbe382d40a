/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-clock-private.h"

G_BEGIN_DECLS

/* Turns ticks into nanoseconds while recording goes on, for as long as it may go on. What it once said of some ticks it
 * says again: a child whose end was converted hours before its parent's stays inside it. So the past is never corrected;
 * where the clock turns out to run differently, only the way from there on is. */

typedef struct
{
  guint64 ticks;
  guint64 ns;
  guint64 rate; /* nanoseconds a tick, times 2^32, from here to the next */
} SwZoneTimePiece;

#define SW_ZONE_MAX_TIME_PIECES 4096

typedef struct
{
  SwZoneTimePiece *pieces;
  guint n_pieces;
  guint64 next; /* ticks: when to look at the clock again */
  guint64 wait; /* how long that was, the last time */
  gboolean is_identity;
} SwZoneTime;

/* Of this machine's ticks. */
void sw_zone_time_init (SwZoneTime *self);
/* Of another clock's. One of its ticks takes @numerator / @denominator nanoseconds, nominally. */
void sw_zone_time_init_foreign (SwZoneTime *self,
                                SwClockAnchor now,
                                guint64 numerator,
                                guint64 denominator);
void sw_zone_time_clear (SwZoneTime *self);
/* To be called now and then, with what both clocks say at the same moment. */
void sw_zone_time_adjust (SwZoneTime *self,
                          SwClockAnchor now);
/* The same at once. The difference to what was said is made good between @settled, the last of the ticks that were
 * converted, and now; as much as is left of it then, within @wait ticks. */
void sw_zone_time_correct (SwZoneTime *self,
                           SwClockAnchor now,
                           guint64 settled,
                           guint64 wait);
guint64 sw_zone_time_to_ns_slowly (const SwZoneTime *self,
                                   guint64 ticks);

static inline guint64
sw_zone_time_to_ns (const SwZoneTime *self,
                    guint64 ticks)
{
  return self->is_identity ? ticks : sw_zone_time_to_ns_slowly (self, ticks);
}

G_END_DECLS
