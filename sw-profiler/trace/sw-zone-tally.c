/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-zone-tally-private.h"

#include <pthread.h>

#include "sw-profiler/trace/sw-tally-table-private.h"
#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw/base/sw-site-registry-private.h"

typedef struct
{
  SwTallyRow head;
  guint32 site;
  guint64 count;
  guint64 total_ns;
  guint64 self_ns;
  guint64 min_ns;
  guint64 max_ns;
} Row;

struct _SwZoneTally
{
  pthread_mutex_t lock;
  gboolean by_thread;
  GHashTable *rows;
  guint64 count;
};

static guint
hash_row (gconstpointer data)
{
  const Row *row = data;

  return g_direct_hash (row->head.lane) * 31 + row->site;
}

static gboolean
equal_rows (gconstpointer a,
            gconstpointer b)
{
  const Row *x = a;
  const Row *y = b;

  return x->site == y->site && x->head.lane == y->head.lane;
}

static void
row_free (gpointer data)
{
  Row *self = data;

  g_clear_pointer (&self->head.lane, sw_lane_unref);
  g_free (self);
}

SwZoneTally *
sw_zone_tally_new (gboolean by_thread)
{
  SwZoneTally *self = g_new0 (SwZoneTally, 1);

  pthread_mutex_init (&self->lock, NULL);
  self->by_thread = by_thread;
  self->rows = g_hash_table_new_full (hash_row, equal_rows, row_free, NULL);
  return self;
}

void
sw_zone_tally_free (SwZoneTally *self)
{
  pthread_mutex_destroy (&self->lock);
  g_hash_table_unref (self->rows);
  g_free (self);
}

/* With the lock. */
static Row *
get_row (SwZoneTally *self,
         guint32 site,
         SwLane *lane)
{
  Row wanted = { .head = { self->by_thread ? lane : NULL }, .site = site };
  Row *row = g_hash_table_lookup (self->rows, &wanted);

  if (row != NULL)
    return row;
  row = g_new (Row, 1);
  *row = wanted;
  if (row->head.lane != NULL)
    sw_lane_ref (row->head.lane);
  row->min_ns = G_MAXUINT64;
  g_hash_table_add (self->rows, row);
  return row;
}

static void
count_zone (SwZoneTally *self,
            SwZoneProducer *producer,
            guint32 site,
            guint64 total_ns,
            guint64 inner_ns)
{
  Row *row;

  pthread_mutex_lock (&self->lock);
  row = get_row (self, site, producer->lane);
  row->count++;
  row->total_ns += total_ns;
  /* What outlasts the zone that it began in is longer. */
  row->self_ns += total_ns - MIN (total_ns, inner_ns);
  row->min_ns = MIN (row->min_ns, total_ns);
  row->max_ns = MAX (row->max_ns, total_ns);
  self->count++;
  pthread_mutex_unlock (&self->lock);
}

void
sw_zone_tally_add (SwZoneTally *self,
                   SwZoneProducer *producer,
                   const SwZoneEvent *event)
{
  const SwZoneTime *time = &producer->core->time;
  guint64 end = MAX (event->start, event->end);
  guint64 total_ns = sw_zone_time_to_ns (time, end) - sw_zone_time_to_ns (time, event->start);
  guint64 *inner = producer->consumed.inner;
  guint64 inner_ns = inner[event->slot];
  gboolean is_shown = (event->flags & SW_ZONE_EVENT_AUTO) == 0;

  inner[event->slot] = 0;
  if (event->parent != SW_ZONE_NO_SLOT)
    inner[event->parent] += is_shown ? total_ns : inner_ns;
  if (is_shown)
    count_zone (self, producer, event->site, total_ns, inner_ns);
}

guint64
sw_zone_tally_get_count (SwZoneTally *self)
{
  guint64 count;

  pthread_mutex_lock (&self->lock);
  count = self->count;
  pthread_mutex_unlock (&self->lock);
  return count;
}

/* Those with the most time of their own first. */
static int
compare_rows (gconstpointer a,
              gconstpointer b)
{
  const Row *x = a;
  const Row *y = b;

  if (x->self_ns != y->self_ns)
    return x->self_ns > y->self_ns ? -1 : 1;
  return (x->site > y->site) - (x->site < y->site);
}

static void
add_numbers (SwActivationTable *table,
             const Row *row)
{
  const guint64 numbers[] = { row->count, row->total_ns, row->self_ns, row->total_ns / row->count, row->min_ns, row->max_ns };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    sw_activation_table_add_number (table, numbers[i]);
}

static void
add_row (SwActivationTable *table,
         gconstpointer data)
{
  const Row *row = data;

  sw_activation_table_add_text (table, sw_site_registry_get (row->site)->name);
  add_numbers (table, row);
}

/* Zones of one name are told apart by where they are. */
static void
add_row_with_place (SwActivationTable *table,
                    gconstpointer data)
{
  const Row *row = data;
  const SwSite *site = sw_site_registry_get (row->site);

  sw_activation_table_add_text (table, site->name);
  sw_activation_table_add_text (table, site->function);
  sw_activation_table_add_text (table, site->file);
  sw_activation_table_add_number (table, site->line);
  add_numbers (table, row);
}

static const char *const file_titles[] = { "name", "function", "file", "line", "count", "total_time_ns", "self_total_time_ns",
                                           "mean_time_ns", "min_time_ns", "max_time_ns" };
static const SwTallyTable for_files = { file_titles, G_N_ELEMENTS (file_titles), 3, compare_rows, add_row_with_place };

void
sw_zone_tally_append_to (SwZoneTally *self,
                         GString *text,
                         gint64 row_limit)
{
  static const char *const titles[] = { "Zone", "Calls", "Total (ns)", "Self total (ns)", "Mean (ns)", "Min (ns)", "Max (ns)" };
  static const SwTallyTable table = { titles, G_N_ELEMENTS (titles), 1, compare_rows, add_row };

  pthread_mutex_lock (&self->lock);
  sw_tally_table_append (&table, self->rows, row_limit, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_zone_tally_append_csv (SwZoneTally *self,
                          GString *text)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_append_csv (&for_files, self->rows, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_zone_tally_append_json (SwZoneTally *self,
                           const SwLane *lane,
                           GString *text)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_append_json (&for_files, self->rows, lane, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_zone_tally_find_lanes (SwZoneTally *self,
                          GHashTable *lanes)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_find_lanes (self->rows, lanes);
  pthread_mutex_unlock (&self->lock);
}
