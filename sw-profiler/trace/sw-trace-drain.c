/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-core-private.h"

#include <string.h>
#include <unistd.h>

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-trace-registry-private.h"
#include "sw/base/sw-site-registry-private.h"

/* From queues to collectors. */

static void
set_texts (SwTraceRecord *record,
           const SwTraceRing *ring)
{
  const SwSite *site = ring->site != 0 ? sw_site_registry_get (ring->site) : NULL;

  if (site != NULL)
    {
      record->name = site->name;
      record->category = site->signature;
      return;
    }
  record->name = sw_trace_ring_get_texts (ring);
  record->category = record->name + ring->name_length + 1;
}

static void
set_times (SwTraceRecord *record,
           const SwTraceRing *ring,
           const SwZoneTime *time)
{
  record->start_ns = (gint64) sw_zone_time_to_ns (time, ring->time);
  record->duration_ns = 0;
  if (ring->kind == SW_TRACE_EVENT_KIND_COUNTER)
    memcpy (&record->value, &ring->end, sizeof ring->end);
  else
    record->duration_ns = (gint64) sw_zone_time_to_ns (time, ring->end) - record->start_ns;
  /* A clock that went back gives no negative time. */
  record->went_back = record->duration_ns < 0;
  if (G_UNLIKELY (record->went_back))
    record->duration_ns = 0;
}

/* What was read of the queue is nobody else's, until it is given back. */
static void
convert_flows (const SwTraceRing *ring,
               const SwZoneTime *time)
{
  const guint8 *at = sw_trace_ring_get_items (ring);
  const guint8 *end = at + sw_trace_ring_get_items_size (ring);

  for (SwTraceItem *item = (SwTraceItem *) (gpointer) at; (guint8 *) item < end;
       item = (SwTraceItem *) (gpointer) sw_trace_item_next (item))
    if (item->type == SW_TRACE_ITEM_FLOW)
      sw_trace_flow_set_time (item, sw_zone_time_to_ns (time, sw_trace_flow_get_time (item)));
}

/* Whoever is to get what is passed on; NULL: nobody. */
typedef struct
{
  SwCollector *own;
  SwCollector *extra;
  guint own_level;
  guint extra_level;
  gboolean is_enabled; /* the context: concerns its own collector */
} Targets;

/* A context that is switched off has what was open at that moment, too. */
static gboolean
is_for_own (const Targets *targets,
            const SwTraceRing *ring)
{
  return ring->level <= targets->own_level &&
         (targets->is_enabled || (ring->flags & SW_TRACE_RECORD_INTERRUPTED) != 0);
}

/* What a counter has in place of an end is no time. */
static guint64
get_end (const SwTraceRing *ring)
{
  return ring->kind == SW_TRACE_EVENT_KIND_COUNTER ? ring->time : MAX (ring->time, ring->end);
}

static void
end_flows_by (const SwTraceRecord *record,
              guint64 limit_ns)
{
  const guint8 *end = record->items + record->items_size;

  for (SwTraceItem *item = (SwTraceItem *) (gpointer) record->items; (guint8 *) item < end;
       item = (SwTraceItem *) (gpointer) sw_trace_item_next (item))
    if (item->type == SW_TRACE_ITEM_FLOW)
      sw_trace_flow_set_time (item, MIN (sw_trace_flow_get_time (item), limit_ns));
}

/* What lasted longer than the recording, as far as it was recorded. */
static void
clip (SwTraceRecord *record,
      gint64 limit_ns)
{
  record->duration_ns = MAX (limit_ns - record->start_ns, 0);
  end_flows_by (record, (guint64) limit_ns);
}

static void
pass_on_batch (SwCollector *collector,
               GArray *batch)
{
  gboolean is_taken[SW_COLLECTOR_MAX_BATCH];

  if (batch->len > 0)
    sw_collector_take_many (collector, (const SwTraceRecord *) (gpointer) batch->data, batch->len, is_taken);
  g_array_set_size (batch, 0);
}

static void
add_for_extra (SwTraceCore *self,
               const Targets *targets,
               const SwTraceRing *ring,
               SwTraceRecord *record)
{
  if (ring->time > self->extra_limit)
    return;
  if (get_end (ring) > self->extra_limit)
    {
      /* What flows it has, the other one reads in the same place. */
      pass_on_batch (targets->own, self->own_batch);
      clip (record, (gint64) sw_zone_time_to_ns (&self->time, self->extra_limit));
    }
  if (record->depth >= 0)
    record->depth += ring->n_zones;
  g_array_append_val (self->extra_batch, *record);
}

static void
add_record (SwTraceCore *self,
            const Targets *targets,
            SwTraceProducer *producer,
            const SwTraceRing *ring)
{
  SwTraceRecord record;

  record.kind = ring->kind;
  record.level = ring->level;
  record.interrupted = (ring->flags & SW_TRACE_RECORD_INTERRUPTED) != 0;
  record.is_integer = (ring->flags & SW_TRACE_RECORD_INTEGER) != 0;
  record.site = ring->site;
  record.lane = producer->lane;
  record.depth = (ring->flags & SW_TRACE_RECORD_MISPLACED) != 0 ? -1 : ring->depth;
  record.items = sw_trace_ring_get_items (ring);
  record.items_size = sw_trace_ring_get_items_size (ring);
  set_texts (&record, ring);
  set_times (&record, ring, &self->time);
  if (G_UNLIKELY (record.went_back))
    /* Relaxed: only the number counts. */
    __atomic_fetch_add (&self->n_backward, 1, __ATOMIC_RELAXED);
  if (G_UNLIKELY ((ring->flags & SW_TRACE_RECORD_FLOWS) != 0))
    convert_flows (ring, &self->time);
  /* Where there is only one, all that it was emitted for is its. */
  if (targets->own != NULL && (targets->extra == NULL || is_for_own (targets, ring)))
    g_array_append_val (self->own_batch, record);
  if (targets->extra != NULL && (targets->own == NULL || ring->level <= targets->extra_level))
    add_for_extra (self, targets, ring, &record);
}

/* What was read of the queue up to @end; the thread may use the room again. */
static void
pass_on_batches (SwTraceCore *self,
                 const Targets *targets,
                 SwTraceProducer *producer,
                 guint64 end)
{
  const SwTraceRing *ring;

  pass_on_batch (targets->own, self->own_batch);
  pass_on_batch (targets->extra, self->extra_batch);
  while ((ring = sw_trace_producer_peek (producer, end)) != NULL)
    {
      sw_trace_items_release (sw_trace_ring_get_items (ring), sw_trace_ring_get_items_size (ring));
      sw_trace_producer_take (producer, ring);
    }
}

static void
report_drops (const Targets *targets,
              SwTraceProducer *producer)
{
  guint64 dropped = sw_trace_producer_read (&producer->n_dropped) + sw_trace_producer_read (&producer->n_too_large);

  if (dropped == producer->n_reported)
    return;
  /* They may be from before the context was switched off; where there is another collector, that was drained before. */
  if (targets->own != NULL && (targets->extra == NULL || targets->is_enabled))
    sw_collector_count_lost (targets->own, dropped - producer->n_reported);
  if (targets->extra != NULL)
    sw_collector_count_lost (targets->extra, dropped - producer->n_reported);
  producer->n_reported = dropped;
}

static void
drain_producer (SwTraceCore *self,
                const Targets *targets,
                const SwTraceDraining *draining)
{
  SwTraceProducer *producer = draining->producer;
  /* Zones stand between the others, in order. */
  guint max_batch = self->feed != NULL ? 1 : SW_COLLECTOR_MAX_BATCH;
  guint64 at = producer->tail;
  const SwTraceRing *ring;
  guint n = 0;

  while ((ring = sw_trace_producer_peek_at (producer, &at, draining->head)) != NULL)
    {
      if (self->feed != NULL)
        sw_trace_feed_pass_before (self->feed, producer->lane, MIN (get_end (ring), self->extra_limit),
                                   ring->depth + ring->n_zones);
      if (targets->own != NULL || targets->extra != NULL)
        add_record (self, targets, producer, ring);
      at += ring->size;
      /* Large ones soon, for the sake of the thread. */
      if (++n >= max_batch || at - producer->tail > SW_TRACE_RING_BYTES / 16)
        {
          pass_on_batches (self, targets, producer, at);
          n = 0;
        }
    }
  pass_on_batches (self, targets, producer, at);
  report_drops (targets, producer);
  if (draining->has_ended)
    sw_trace_core_drop_producer (self, producer);
}

/* The collectors stay the context's while somebody has the turn. */
static void
look_around (SwTraceCore *self,
             Targets *targets)
{
  g_array_set_size (self->draining, 0);
  sw_trace_core_lock (self);
  for (SwTraceProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    {
      SwTraceDraining draining = { .producer = producer };

      /* Acquire: before the head, so that of one that has ended nothing is left behind. */
      draining.has_ended = __atomic_load_n (&producer->ended, __ATOMIC_ACQUIRE) != 0;
      draining.head = sw_trace_producer_get_head (producer);
      g_array_append_val (self->draining, draining);
    }
  *targets = (Targets){ self->collector, self->extra, self->verbosity, self->extra_verbosity, self->enabled };
  sw_trace_core_unlock (self);
}

void
sw_trace_core_pass_on (SwTraceCore *self)
{
  Targets targets;

  sw_zone_time_adjust (&self->time, sw_clock_anchor ());
  if (self->feed != NULL)
    sw_trace_feed_begin (self->feed);
  look_around (self, &targets);
  if (self->feed != NULL)
    sw_trace_feed_collect (self->feed, targets.extra, &self->time);
  for (guint i = 0; i < self->draining->len; i++)
    drain_producer (self, &targets, &g_array_index (self->draining, SwTraceDraining, i));
  if (self->feed != NULL)
    sw_trace_feed_end (self->feed);
}

void
sw_trace_core_drain (SwTraceCore *self)
{
  if (sw_collector_is_inside ())
    return;
  if (!sw_turn_enter (&self->turn))
    return;
  sw_trace_core_pass_on (self);
  sw_turn_leave (&self->turn);
  sw_trace_core_do_postponed (self);
}

/* Nobody else may come by: the worker sees to it. */
static void
see_to_it (SwTraceCore *self)
{
  if (!self->is_closed)
    sw_worker_start (&self->worker);
  sw_trace_core_unlock (self);
  sw_trace_core_wake (self);
}

void
sw_trace_core_postpone_collector (SwTraceCore *self,
                                  SwCollector *collector)
{
  g_autoptr (SwCollector) old = NULL;

  sw_trace_core_lock (self);
  old = self->next_collector;
  self->next_collector = collector != NULL ? g_object_ref (collector) : NULL;
  self->has_next_collector = TRUE;
  see_to_it (self);
}

void
sw_trace_core_postpone_process_name (SwTraceCore *self,
                                     const char *name)
{
  sw_trace_core_lock (self);
  g_free (self->next_process_name);
  self->next_process_name = g_strdup (name);
  see_to_it (self);
}

void
sw_trace_core_forget_postponed (SwTraceCore *self)
{
  g_autoptr (SwCollector) old = NULL;

  sw_trace_core_lock (self);
  old = g_steal_pointer (&self->next_collector);
  self->has_next_collector = FALSE;
  sw_trace_core_unlock (self);
}

static gboolean
take_next_collector (SwTraceCore *self,
                     SwCollector **collector)
{
  gboolean has_next;

  sw_trace_core_lock (self);
  has_next = self->has_next_collector;
  self->has_next_collector = FALSE;
  *collector = g_steal_pointer (&self->next_collector);
  sw_trace_core_unlock (self);
  return has_next;
}

void
sw_trace_core_do_postponed (SwTraceCore *self)
{
  g_autofree char *name = NULL;
  SwCollector *collector;

  sw_trace_core_lock (self);
  name = g_steal_pointer (&self->next_process_name);
  sw_trace_core_unlock (self);
  if (name != NULL)
    sw_trace_core_set_process_name (self, name);
  while (take_next_collector (self, &collector))
    {
      sw_trace_core_exchange_collector (self, collector);
      g_clear_object (&collector);
    }
}

void
sw_trace_drain_all (void)
{
  g_autoptr (GPtrArray) all = NULL;

  if (sw_collector_is_inside ())
    return;
  all = sw_trace_registry_dup_all ();
  for (guint i = 0; i < all->len; i++)
    sw_trace_core_drain (g_ptr_array_index (all, i));
}

void
sw_trace_forget_collector (SwCollector *collector)
{
  g_autoptr (GPtrArray) all = NULL;

  if (sw_collector_is_inside ())
    return;
  all = sw_trace_registry_dup_all ();
  for (guint i = 0; i < all->len; i++)
    {
      g_autoptr (SwCollector) used = sw_trace_core_dup_collector (g_ptr_array_index (all, i));

      if (used == collector)
        sw_trace_core_set_collector (g_ptr_array_index (all, i), NULL);
    }
}

/* The lock is held, and the caller is the only thread. What the parent was just doing with its collector cannot be known:
 * the child has none until it is given one of its own. */
void
sw_trace_core_reset_in_child (SwTraceCore *self)
{
  self->producers = NULL;
  self->collector = NULL;
  self->next_collector = NULL;
  self->has_next_collector = FALSE;
  self->extra = NULL;
  self->feed = NULL;
  self->live = 0;
  self->extra_live = 0;
  self->gone = (SwTraceCounts){ 0 };
  self->n_backward = 0;
  sw_trace_core_switch (self);
  g_hash_table_remove_all (self->asyncs);
  self->draining = g_array_new (FALSE, FALSE, sizeof (SwTraceDraining));
  self->own_batch = g_array_new (FALSE, FALSE, sizeof (SwTraceRecord));
  self->extra_batch = g_array_new (FALSE, FALSE, sizeof (SwTraceRecord));
  sw_turn_init (&self->turn);
  self->worker.is_running = FALSE;
  self->worker.is_awake = 0;
  sem_init (&self->worker.wake, 0, 0);
  sw_trace_session_make_id (self->session.id);
  self->session.pid = getpid ();
}
