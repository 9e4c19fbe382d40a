/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-private.h"

#include "sw-profiler/trace/sw-zone-tally-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"

/* Zones of all threads and profilers, for the trace and for the table. */

static SwTraceFeed *feed;  /* atomic; NULL: no trace wants them */
static SwZoneTally *tally; /* atomic; NULL: no table does */
static GSList *inherited;  /* of a forked child: see sw-activation-trace.c */

static SwTraceFeed *
peek_feed (void)
{
  /* Acquire: it is whole. */
  return __atomic_load_n (&feed, __ATOMIC_ACQUIRE);
}

static SwZoneTally *
peek_tally (void)
{
  /* Acquire: it is whole. */
  return __atomic_load_n (&tally, __ATOMIC_ACQUIRE);
}

static void
take_zone (SwZoneProducer *producer,
           const SwZoneEvent *event)
{
  SwTraceFeed *to_trace = peek_feed ();
  SwZoneTally *to_table = peek_tally ();

  /* Operations are in both already. */
  if (to_trace != NULL && (event->flags & SW_ZONE_EVENT_AUTO) == 0)
    sw_trace_feed_put_zone (to_trace, producer->lane, event);
  if (to_table != NULL)
    sw_zone_tally_add (to_table, producer, event);
}

static void
take_frame (const char *name,
            guint64 begin,
            guint64 end)
{
  SwTraceFeed *to_trace = peek_feed ();

  if (to_trace != NULL)
    sw_trace_feed_put_frame (to_trace, name, begin, end);
}

static void
take_gpu_zone (SwLane *lane,
               guint32 site,
               gint32 depth,
               guint64 start_ns,
               guint64 duration_ns)
{
  SwTraceFeed *to_trace = peek_feed ();

  if (to_trace != NULL)
    sw_trace_feed_put_gpu_zone (to_trace, lane, site, depth, start_ns, duration_ns);
}

static void
take_open_zone (SwZoneProducer *producer,
                const SwZoneEvent *event)
{
  SwTraceFeed *to_trace = peek_feed ();

  /* How long it takes is not known: it is in no table. */
  if (to_trace != NULL && (event->flags & SW_ZONE_EVENT_AUTO) == 0)
    sw_trace_feed_put_open_zone (to_trace, producer->lane, event);
}

static const SwZoneTap tap = { take_zone, take_frame, take_gpu_zone, take_open_zone };

SwTraceFeed *
sw_activation_begin_zones (gboolean for_trace,
                           const SwProfileRequest *profile)
{
  /* Release, both: see above. */
  if (for_trace)
    __atomic_store_n (&feed, sw_trace_feed_new (), __ATOMIC_RELEASE);
  if (profile->is_set)
    __atomic_store_n (&tally, sw_zone_tally_new (sw_profile_request_counts_by_thread (profile)), __ATOMIC_RELEASE);
  if (!for_trace && !profile->is_set)
    return NULL;
  sw_zone_tap_set (&tap);
  sw_zone_fallback_enable (TRUE);
  return feed;
}

guint64
sw_activation_end_zones (void)
{
  if (feed == NULL && tally == NULL)
    return 0;
  sw_zone_fallback_enable (FALSE);
  /* Nothing where the trace has done so already. */
  sw_zone_tap_finish ();
  return sw_zone_tap_count_drops ();
}

SwZoneTally *
sw_activation_get_zone_tally (void)
{
  return peek_tally ();
}

/* Whoever drains just now may still be in them, and they are small: they stay. */
void
sw_activation_leave_zones_behind (void)
{
  sw_zone_tap_set (NULL);
  sw_zone_tap_forget_drops ();
  if (feed != NULL)
    inherited = g_slist_prepend (inherited, feed);
  if (tally != NULL)
    inherited = g_slist_prepend (inherited, tally);
  feed = NULL;
  tally = NULL;
}
