/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-zone-tally-private.h"

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

static const char *const titles_for_people[] = { "Zone", "Calls", "Total (ns)", "Self total (ns)", "Mean (ns)", "Min (ns)",
                                                 "Max (ns)" };
static const char *const titles_for_programs[] = { "name", "function", "file", "line", "count", "total_time_ns",
                                                   "self_total_time_ns", "mean_time_ns", "min_time_ns", "max_time_ns" };
static const SwTallyTable for_people = { titles_for_people, G_N_ELEMENTS (titles_for_people), 1, compare_rows, add_row };
static const SwTallyTable for_programs = { titles_for_programs, G_N_ELEMENTS (titles_for_programs), 3, compare_rows,
                                           add_row_with_place };
static const SwTallyKind kind = { sizeof (Row), hash_row, equal_rows, &for_people, &for_programs };

SwZoneTally *
sw_zone_tally_new (gboolean by_thread)
{
  SwZoneTally *self = g_new0 (SwZoneTally, 1);

  sw_tally_init (&self->tally, &kind, by_thread);
  return self;
}

static void
count_zone (SwZoneTally *self,
            SwZoneProducer *producer,
            guint32 site,
            guint64 total_ns,
            guint64 inner_ns)
{
  Row wanted = { .head = { self->tally.by_thread ? producer->lane : NULL }, .site = site, .min_ns = G_MAXUINT64 };
  Row *row;

  pthread_mutex_lock (&self->tally.lock);
  row = sw_tally_get_row (&self->tally, &wanted);
  row->count++;
  row->total_ns += total_ns;
  /* What outlasts the zone that it began in is longer. */
  row->self_ns += total_ns - MIN (total_ns, inner_ns);
  row->min_ns = MIN (row->min_ns, total_ns);
  row->max_ns = MAX (row->max_ns, total_ns);
  self->count++;
  pthread_mutex_unlock (&self->tally.lock);
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

  pthread_mutex_lock (&self->tally.lock);
  count = self->count;
  pthread_mutex_unlock (&self->tally.lock);
  return count;
}
