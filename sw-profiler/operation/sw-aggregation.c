/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-duration-statistics-private.h"
#include "sw-profiler/operation/sw-profiler-aggregate-private.h"

/* What the events of one site with one id of shapes took together. */
typedef struct
{
  guint64 key;
  gint64 count;
  /* Unsigned, as sums may not overflow a signed integer; clocks do not run that long. */
  guint64 total_ns;
  guint64 self_total_ns;
  gint64 min_ns;
  gint64 max_ns;
} Sums;

/* All sums, found by key with an open hash. Slots hold 1 + an index into sums; 0 is free. */
typedef struct
{
  Sums *sums;
  guint32 n_sums;
  guint32 *slots;
  guint n_bits;
} SumsTable;

#define FIRST_BITS 8

static inline guint64
sums_key (guint32 site,
          guint32 shapes)
{
  return (guint64) shapes << 32 | (site & ~SW_EVENT_FAILED);
}

/* Where the search for a key begins: the top bits of its product with 2^64 / phi. */
static inline gsize
first_slot (const SumsTable *self,
            guint64 key)
{
  return (key * 0x9e3779b97f4a7c15u) >> (64 - self->n_bits);
}

static guint32 *
find_slot (const SumsTable *self,
           guint64 key)
{
  gsize mask = ((gsize) 1 << self->n_bits) - 1;
  gsize at = first_slot (self, key);

  while (self->slots[at] != 0 && self->sums[self->slots[at] - 1].key != key)
    at = (at + 1) & mask;
  return &self->slots[at];
}

/* Makes place for half as many sums as there are slots. */
static void
sums_table_resize (SumsTable *self,
                   guint n_bits)
{
  gsize n_slots = (gsize) 1 << n_bits;

  self->n_bits = n_bits;
  g_free (self->slots);
  self->slots = g_new0 (guint32, n_slots);
  self->sums = g_renew (Sums, self->sums, n_slots / 2);
  for (guint32 i = 0; i < self->n_sums; i++)
    *find_slot (self, self->sums[i].key) = i + 1;
}

static Sums *
sums_table_add (SumsTable *self,
                guint64 key)
{
  Sums *sums;

  if (self->n_sums == (gsize) 1 << (self->n_bits - 1))
    sums_table_resize (self, self->n_bits + 1);
  *find_slot (self, key) = self->n_sums + 1;
  sums = &self->sums[self->n_sums++];
  *sums = (Sums){ .key = key, .min_ns = G_MAXINT64, .max_ns = G_MININT64 };
  return sums;
}

static inline Sums *
sums_table_get (SumsTable *self,
                guint64 key)
{
  guint32 slot = *find_slot (self, key);

  return G_LIKELY (slot != 0) ? &self->sums[slot - 1] : sums_table_add (self, key);
}

static void
sums_merge (Sums *self,
            const Sums *other)
{
  self->count += other->count;
  self->total_ns += other->total_ns;
  self->self_total_ns += other->self_total_ns;
  self->min_ns = MIN (self->min_ns, other->min_ns);
  self->max_ns = MAX (self->max_ns, other->max_ns);
}

/* The one pass over all events. */
static void
sums_table_add_block (SumsTable *self,
                      const SwEventBlock *block,
                      const guint32 *shapes)
{
  for (gsize i = 0; i < block->n; i++)
    {
      Sums *sums = sums_table_get (self, sums_key (block->site[i], shapes != NULL ? shapes[i] : 0));
      gint64 duration = block->duration_ns[i];

      sums->count++;
      sums->total_ns += (guint64) duration;
      sums->self_total_ns += (guint64) block->self_ns[i];
      sums->min_ns = MIN (sums->min_ns, duration);
      sums->max_ns = MAX (sums->max_ns, duration);
    }
}

static void
sums_table_init (SumsTable *self,
                 const SwEventSource *source,
                 gboolean group_by_shape)
{
  *self = (SumsTable){ 0 };
  sums_table_resize (self, FIRST_BITS);
  for (gsize k = 0; k < source->n_blocks; k++)
    {
      SwEventBlock block;

      source->get_block (source->data, k, &block);
      sums_table_add_block (self, &block, group_by_shape ? block.shapes : NULL);
    }
}

static void
sums_table_clear (SumsTable *self)
{
  g_free (self->slots);
  g_free (self->sums);
}

/* Sums with the values that their key stands for, in the form that orders rows. */
typedef struct
{
  Sums *sums;
  const char *name;
  const char *carrier_name;
  const char *carrier_key;
  GType carrier_type;
  const char *shapes_text;
  SwInputShapes *shapes;
  gboolean is_saved; /* the carrier's name is the file's */
} Group;

/* Total order; 0 only for the same name, type and shapes. */
static int
compare_groups (gconstpointer a,
                gconstpointer b)
{
  const Group *x = a;
  const Group *y = b;
  int order = strcmp (x->name, y->name);

  if (order == 0)
    order = strcmp (x->carrier_name, y->carrier_name);
  /* Classes of scripts may share a qualified name, but types have a name of their own. */
  if (order == 0)
    order = g_strcmp0 (x->carrier_key, y->carrier_key);
  if (order == 0 && x->carrier_type != y->carrier_type)
    order = x->carrier_type < y->carrier_type ? -1 : 1;
  if (order == 0)
    order = strcmp (x->shapes_text, y->shapes_text);
  return order;
}

static void
group_init (Group *self,
            const SwEventSource *source,
            char **shapes_texts,
            Sums *sums)
{
  const SwEventSite *site = &source->sites[(guint32) sums->key];
  guint32 shapes = sums->key >> 32;

  if (shapes != 0 && shapes_texts[shapes] == NULL)
    shapes_texts[shapes] = sw_input_shapes_to_string (source->shapes[shapes]);
  self->sums = sums;
  self->name = site->name;
  self->carrier_type = site->carrier_type;
  self->carrier_name = sw_event_site_get_carrier_name (site);
  self->carrier_key = site->carrier_key != NULL ? site->carrier_key : g_type_name (site->carrier_type);
  self->is_saved = site->carrier_name != NULL;
  self->shapes = shapes != 0 ? source->shapes[shapes] : NULL;
  self->shapes_text = shapes != 0 ? shapes_texts[shapes] : "None";
}

static SwProfilerAggregate *
group_to_aggregate (const Group *self)
{
  const Sums *sums = self->sums;
  SwProfilerAggregate *row = sw_profiler_aggregate_new (self->name,
                                                        self->carrier_type,
                                                        self->shapes,
                                                        sums->count,
                                                        (gint64) sums->total_ns,
                                                        (gint64) sums->self_total_ns,
                                                        (double) (gint64) sums->total_ns / (double) sums->count,
                                                        sums->min_ns,
                                                        sums->max_ns);

  if (self->is_saved)
    sw_profiler_aggregate_set_carrier_name (row, self->carrier_name);
  return row;
}

/* One row for each run of equal groups: several sites differ only in their implementation or in where their name is. */
static GPtrArray *
merge_groups (const Group *groups,
              gsize n_groups)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_profiler_aggregate_unref);

  for (gsize i = 0, next; i < n_groups; i = next)
    {
      for (next = i + 1; next < n_groups && compare_groups (&groups[i], &groups[next]) == 0; next++)
        sums_merge (groups[i].sums, groups[next].sums);
      g_ptr_array_add (rows, group_to_aggregate (&groups[i]));
    }
  return rows;
}

/* All sums in the order of rows. */
static Group *
make_groups (SumsTable *table,
             const SwEventSource *source,
             char **shapes_texts)
{
  Group *groups = g_new (Group, table->n_sums);

  for (guint32 i = 0; i < table->n_sums; i++)
    group_init (&groups[i], source, shapes_texts, &table->sums[i]);
  if (table->n_sums > 0)
    qsort (groups, table->n_sums, sizeof (Group), compare_groups);
  return groups;
}

/* Where the durations of each of the sums begin, when those of one row follow each other. To be called before groups
 * are merged. */
static gsize *
place_durations (const SumsTable *table,
                 const Group *groups)
{
  gsize *places = g_new (gsize, table->n_sums + 1);
  gsize n_before = 0;

  for (guint32 i = 0; i < table->n_sums; i++)
    {
      places[groups[i].sums - table->sums] = n_before;
      n_before += (gsize) groups[i].sums->count;
    }
  return places;
}

/* The second pass over all events. */
static gint64 *
gather_durations (const SumsTable *table,
                  const SwEventSource *source,
                  gboolean group_by_shape,
                  gsize *places)
{
  gint64 *durations = g_new (gint64, source->n_events + 1);

  for (gsize k = 0; k < source->n_blocks; k++)
    {
      SwEventBlock block;
      const guint32 *shapes;

      source->get_block (source->data, k, &block);
      shapes = group_by_shape ? block.shapes : NULL;
      for (gsize i = 0; i < block.n; i++)
        {
          guint32 slot = *find_slot (table, sums_key (block.site[i], shapes != NULL ? shapes[i] : 0));

          durations[places[slot - 1]++] = block.duration_ns[i];
        }
    }
  return durations;
}

/* The time that shares are of. */
static double
sum_outermost (const SwEventSource *source)
{
  guint64 sum = 0;

  for (gsize k = 0; k < source->n_blocks; k++)
    {
      SwEventBlock block;

      source->get_block (source->data, k, &block);
      for (gsize i = 0; i < block.n; i++)
        sum += block.parent[i] == SW_EVENT_NO_PARENT ? (guint64) block.duration_ns[i] : 0;
    }
  return (double) sum;
}

static double
get_percent (gint64 part,
             double whole)
{
  return whole > 0 ? 100 * (double) part / whole : 0;
}

/* @durations: of all rows, one after the other. */
static void
add_statistics (GPtrArray *rows,
                gint64 *durations,
                const SwEventSource *source)
{
  double whole = sum_outermost (source);

  for (guint i = 0; i < rows->len; i++)
    {
      SwProfilerAggregate *row = g_ptr_array_index (rows, i);
      gsize n = (gsize) sw_profiler_aggregate_get_count (row);
      SwAggregateStatistics statistics;
      gsize n_lower = 0;

      statistics.stddev_time_ns = sw_durations_get_stddev (durations, n, sw_profiler_aggregate_get_mean_time_ns (row));
      statistics.p50_time_ns = sw_durations_take_percentile (durations, n, 0.5, &n_lower);
      statistics.p90_time_ns = sw_durations_take_percentile (durations, n, 0.9, &n_lower);
      statistics.p99_time_ns = sw_durations_take_percentile (durations, n, 0.99, &n_lower);
      statistics.total_percent = get_percent (sw_profiler_aggregate_get_total_time_ns (row), whole);
      statistics.self_total_percent = get_percent (sw_profiler_aggregate_get_self_total_time_ns (row), whole);
      sw_profiler_aggregate_set_statistics (row, &statistics);
      durations += n;
    }
}

static GPtrArray *
make_rows (const SwEventSource *self,
           gboolean group_by_shape,
           gboolean with_statistics)
{
  SumsTable table;
  g_autofree char **shapes_texts = g_new0 (char *, self->n_shapes);
  g_autofree Group *groups = NULL;
  g_autofree gint64 *durations = NULL;
  GPtrArray *rows;

  sums_table_init (&table, self, group_by_shape);
  groups = make_groups (&table, self, shapes_texts);
  if (with_statistics)
    {
      g_autofree gsize *places = place_durations (&table, groups);

      durations = gather_durations (&table, self, group_by_shape, places);
    }
  rows = merge_groups (groups, table.n_sums);
  if (with_statistics)
    add_statistics (rows, durations, self);

  for (gsize i = 0; i < self->n_shapes; i++)
    g_free (shapes_texts[i]);
  sums_table_clear (&table);
  return rows;
}

GPtrArray *
sw_event_source_dup_key_averages (const SwEventSource *self,
                                  gboolean group_by_shape)
{
  return make_rows (self, group_by_shape, FALSE);
}

GPtrArray *
sw_event_source_dup_key_statistics (const SwEventSource *self,
                                    gboolean group_by_shape)
{
  return make_rows (self, group_by_shape, TRUE);
}
