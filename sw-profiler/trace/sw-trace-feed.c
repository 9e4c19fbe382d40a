/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-feed-private.h"

#include <pthread.h>

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-trace-items-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"
#include "sw/base/sw-site-registry-private.h"

/* That many may wait for a pass, of 48 bytes each. */
#define MAX_WAITING (1u << 20)

typedef struct
{
  guint64 start; /* ticks; of the lane of a queue, nanoseconds */
  guint64 end;
  guint32 site;
  guint8 depth;
  gboolean is_old; /* events were read since it was found */
  gboolean is_open;
} Zone;

typedef struct
{
  SwLane *lane; /* a reference; NULL: a frame */
  char *name;   /* of a frame */
  Zone zone;
} Arrival;

/* What is left of one thread, by end. */
typedef struct
{
  SwLane *lane;
  GArray *zones;
  guint n_passed;
  gboolean is_unsorted;
} FeedLane;

struct _SwTraceFeed
{
  pthread_mutex_t lock; /* of what follows, for moments only */
  GArray *arrived;
  guint64 n_lost;

  GHashTable *lanes;   /* of FeedLane, by SwLane; of who has the turn, as are the rest */
  FeedLane *last_lane; /* NULL: not known */
  GPtrArray *items;    /* of GByteArray, by site */
  guint64 limit;       /* ticks; G_MAXUINT64: recording goes on */
  SwCollector *collector;
  const SwZoneTime *time;
};

static void
feed_lane_free (gpointer data)
{
  FeedLane *self = data;

  sw_lane_unref (self->lane);
  g_array_unref (self->zones);
  g_free (self);
}

static void
clear_arrival (gpointer data)
{
  Arrival *self = data;

  g_clear_pointer (&self->lane, sw_lane_unref);
  g_free (self->name);
}

static GArray *
new_arrivals (void)
{
  GArray *arrivals = g_array_new (FALSE, FALSE, sizeof (Arrival));

  g_array_set_clear_func (arrivals, clear_arrival);
  return arrivals;
}

static void
free_items (gpointer data)
{
  if (data != NULL)
    g_byte_array_unref (data);
}

SwTraceFeed *
sw_trace_feed_new (void)
{
  SwTraceFeed *self = g_new0 (SwTraceFeed, 1);

  pthread_mutex_init (&self->lock, NULL);
  self->arrived = new_arrivals ();
  self->lanes = g_hash_table_new_full (NULL, NULL, NULL, feed_lane_free);
  self->items = g_ptr_array_new_with_free_func (free_items);
  self->limit = G_MAXUINT64;
  return self;
}

void
sw_trace_feed_free (SwTraceFeed *self)
{
  pthread_mutex_destroy (&self->lock);
  g_array_unref (self->arrived);
  g_hash_table_unref (self->lanes);
  g_ptr_array_unref (self->items);
  g_free (self);
}

/* Takes what the arrival holds. */
static gboolean
put (SwTraceFeed *self,
     Arrival *arrival)
{
  gboolean has_room;

  pthread_mutex_lock (&self->lock);
  has_room = self->arrived->len < MAX_WAITING;
  if (has_room)
    g_array_append_val (self->arrived, *arrival);
  else
    self->n_lost++;
  pthread_mutex_unlock (&self->lock);
  if (!has_room)
    clear_arrival (arrival);
  return has_room;
}

gboolean
sw_trace_feed_put_zone (SwTraceFeed *self,
                        SwLane *lane,
                        const SwZoneEvent *event)
{
  Arrival arrival = { .lane = sw_lane_ref (lane) };

  arrival.zone = (Zone){ event->start, MAX (event->start, event->end), event->site, event->depth, FALSE, FALSE };
  return put (self, &arrival);
}

gboolean
sw_trace_feed_put_open_zone (SwTraceFeed *self,
                             SwLane *lane,
                             const SwZoneEvent *event)
{
  Arrival arrival = { .lane = sw_lane_ref (lane) };

  arrival.zone = (Zone){ event->start, G_MAXUINT64, event->site, event->depth, FALSE, TRUE };
  return put (self, &arrival);
}

gboolean
sw_trace_feed_put_gpu_zone (SwTraceFeed *self,
                            SwLane *lane,
                            guint32 site,
                            gint32 depth,
                            guint64 start_ns,
                            guint64 duration_ns)
{
  Arrival arrival = { .lane = sw_lane_ref (lane) };

  arrival.zone = (Zone){ start_ns, start_ns + duration_ns, site, (guint8) MIN (depth, G_MAXUINT8), FALSE, FALSE };
  return put (self, &arrival);
}

void
sw_trace_feed_put_frame (SwTraceFeed *self,
                         const char *name,
                         guint64 begin,
                         guint64 end)
{
  Arrival arrival = { .name = g_strdup (name) };

  arrival.zone.start = begin;
  arrival.zone.end = end;
  put (self, &arrival);
}

void
sw_trace_feed_begin (SwTraceFeed *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->lanes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      FeedLane *lane = value;

      for (guint i = 0; i < lane->zones->len; i++)
        g_array_index (lane->zones, Zone, i).is_old = TRUE;
    }
}

static FeedLane *
find_lane (SwTraceFeed *self,
           SwLane *lane)
{
  if (self->last_lane == NULL || self->last_lane->lane != lane)
    self->last_lane = g_hash_table_lookup (self->lanes, lane);
  return self->last_lane;
}

static FeedLane *
get_lane (SwTraceFeed *self,
          SwLane *lane)
{
  FeedLane *found = find_lane (self, lane);

  if (found != NULL)
    return found;
  found = g_new0 (FeedLane, 1);
  found->lane = sw_lane_ref (lane);
  found->zones = g_array_new (FALSE, FALSE, sizeof (Zone));
  g_hash_table_insert (self->lanes, lane, found);
  self->last_lane = found;
  return found;
}

static int
compare_zones (gconstpointer a,
               gconstpointer b)
{
  const Zone *x = a;
  const Zone *y = b;

  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return (x->depth < y->depth) - (x->depth > y->depth);
}

/* What a thread does while recording ends has no part after that. */
static gboolean
clip (const SwTraceFeed *self,
      Zone *zone)
{
  zone->end = MIN (zone->end, self->limit);
  return zone->start <= zone->end;
}

/* They come in order, but for those of several profilers. */
static void
add_zone (FeedLane *lane,
          const Zone *zone)
{
  if (lane->zones->len > 0)
    lane->is_unsorted |= compare_zones (&g_array_index (lane->zones, Zone, lane->zones->len - 1), zone) > 0;
  g_array_append_val (lane->zones, *zone);
}

static void
sort_lanes (SwTraceFeed *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->lanes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      FeedLane *lane = value;

      if (lane->is_unsorted)
        g_array_sort (lane->zones, compare_zones);
      lane->is_unsorted = FALSE;
    }
}

static gint64
to_ns (SwTraceFeed *self,
       const SwLane *lane,
       guint64 time)
{
  return (gint64) (sw_lane_is_queue (lane) ? time : sw_zone_time_to_ns (self->time, time));
}

static void
pass_on (SwTraceFeed *self,
         const Zone *zone,
         SwTraceRecord *record)
{
  if (self->collector == NULL)
    return;
  record->level = SW_TRACE_VERBOSITY_OPERATIONS;
  record->start_ns = to_ns (self, record->lane, zone->start);
  record->duration_ns = MAX (to_ns (self, record->lane, zone->end) - record->start_ns, 0);
  sw_collector_take (self->collector, record);
}

static void
pass_on_frame (SwTraceFeed *self,
               const Arrival *frame)
{
  SwTraceRecord record = { .kind = SW_TRACE_EVENT_KIND_ASYNC_SPAN, .name = frame->name, .category = "frame", .depth = -1 };

  record.lane = sw_lane_get ();
  pass_on (self, &frame->zone, &record);
}

/* Where the zone is, as arguments. */
static GByteArray *
make_items (const SwSite *site)
{
  g_autofree char *source = g_strdup_printf ("%s:%u", site->file, site->line);
  SwTraceArgument arguments[2];
  GByteArray *items = g_byte_array_new ();
  gsize n = 0;

  if (*site->function != '\0')
    arguments[n++] = SW_TRACE_STRING ("function", site->function);
  if (*site->file != '\0')
    arguments[n++] = SW_TRACE_STRING ("source", source);
  g_byte_array_set_size (items, (guint) sw_trace_arguments_size (arguments, n));
  sw_trace_arguments_put (arguments, n, items->data);
  return items;
}

static const GByteArray *
get_items (SwTraceFeed *self,
           const SwSite *site)
{
  if (site->id >= self->items->len)
    g_ptr_array_set_size (self->items, (gint) site->id + 64);
  if (g_ptr_array_index (self->items, site->id) == NULL)
    g_ptr_array_index (self->items, site->id) = make_items (site);
  return g_ptr_array_index (self->items, site->id);
}

static void
pass_on_zone (SwTraceFeed *self,
              SwLane *lane,
              const Zone *zone)
{
  const SwSite *site = sw_site_registry_get (zone->site);
  const GByteArray *items = get_items (self, site);
  SwTraceRecord record = { .kind = SW_TRACE_EVENT_KIND_SPAN, .name = site->name, .category = "zone", .depth = zone->depth };

  if (sw_lane_is_queue (lane))
    {
      record.kind = SW_TRACE_EVENT_KIND_GPU_SPAN;
      record.category = "gpu";
    }
  else
    /* Which stands for the category, too. */
    record.site = zone->site;
  record.lane = lane;
  record.interrupted = zone->is_open;
  record.items = items->data;
  record.items_size = items->len;
  pass_on (self, zone, &record);
}

void
sw_trace_feed_collect (SwTraceFeed *self,
                       SwCollector *collector,
                       const SwZoneTime *time)
{
  g_autoptr (GArray) arrived = NULL;
  guint64 n_lost;

  sw_zone_tap_drain_all ();
  self->collector = collector;
  self->time = time;
  pthread_mutex_lock (&self->lock);
  arrived = self->arrived;
  self->arrived = new_arrivals ();
  n_lost = self->n_lost;
  self->n_lost = 0;
  pthread_mutex_unlock (&self->lock);

  for (guint i = 0; i < arrived->len; i++)
    {
      Arrival *arrival = &g_array_index (arrived, Arrival, i);

      if (arrival->lane == NULL)
        pass_on_frame (self, arrival);
      else if (sw_lane_is_queue (arrival->lane) || clip (self, &arrival->zone))
        add_zone (get_lane (self, arrival->lane), &arrival->zone);
    }
  sort_lanes (self);
  if (n_lost > 0 && collector != NULL)
    sw_collector_count_lost (collector, n_lost);
}

void
sw_trace_feed_pass_before (SwTraceFeed *self,
                           SwLane *lane,
                           guint64 end,
                           gint32 depth)
{
  FeedLane *found = find_lane (self, lane);

  while (found != NULL && found->n_passed < found->zones->len)
    {
      const Zone *zone = &g_array_index (found->zones, Zone, found->n_passed);

      if (zone->end > end || (zone->end == end && zone->depth < depth))
        return;
      found->n_passed++;
      pass_on_zone (self, lane, zone);
    }
}

/* What was there when events were read, and what of that is left for the next time. */
static void
settle (SwTraceFeed *self,
        FeedLane *lane)
{
  while (lane->n_passed < lane->zones->len && g_array_index (lane->zones, Zone, lane->n_passed).is_old)
    pass_on_zone (self, lane->lane, &g_array_index (lane->zones, Zone, lane->n_passed++));
  g_array_remove_range (lane->zones, 0, lane->n_passed);
  lane->n_passed = 0;
}

void
sw_trace_feed_end (SwTraceFeed *self)
{
  GHashTableIter iter;
  gpointer value;

  self->last_lane = NULL;
  g_hash_table_iter_init (&iter, self->lanes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      FeedLane *lane = value;

      settle (self, lane);
      if (lane->zones->len == 0)
        g_hash_table_iter_remove (&iter);
    }
  self->collector = NULL;
}

void
sw_trace_feed_finish (SwTraceFeed *self,
                      guint64 end)
{
  self->limit = end;
  sw_zone_tap_finish ();
}
