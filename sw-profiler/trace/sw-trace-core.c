/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-core-private.h"

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-trace-auto-private.h"
#include "sw-profiler/trace/sw-trace-registry-private.h"
#include "sw-profiler/trace/sw-trace-scope.h"
#include "sw-profiler/zone/sw-zone-barrier-private.h"
#include "sw/base/sw-quiet-thread-private.h"

guint sw_trace_default_level = 0;

static guint64 last_async;

static SwCollector *
dup_extra (SwTraceCore *self)
{
  SwCollector *extra;

  sw_trace_core_lock (self);
  extra = self->extra != NULL ? g_object_ref (self->extra) : NULL;
  sw_trace_core_unlock (self);
  return extra;
}

static void
work (gpointer data)
{
  SwTraceCore *self = data;
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwCollector) extra = NULL;

  sw_trace_core_drain (self);
  collector = sw_trace_core_dup_collector (self);
  extra = dup_extra (self);
  /* A second is as much as a crash may cost. What goes wrong is reported to whoever flushes or closes. */
  if (collector != NULL)
    sw_collector_tick (collector);
  if (extra != NULL)
    sw_collector_tick (extra);
}

static void
async_free (gpointer data)
{
  SwTraceAsync *self = data;

  sw_trace_items_release (self->items->data, self->items->len);
  g_byte_array_unref (self->items);
  g_free (self->name);
  g_free (self->category);
  g_free (self);
}

SwTraceCore *
sw_trace_core_new (void)
{
  SwTraceCore *self = g_new0 (SwTraceCore, 1);

  sw_zone_barrier_prepare ();
  sw_ref_count_init (&self->refs);
  sw_zone_time_init (&self->time);
  pthread_mutex_init (&self->lock, NULL);
  sw_turn_init (&self->turn);
  sw_worker_init (&self->worker, "sw-trace", work, self);
  sw_trace_session_init (&self->session, sw_clock_monotonic_ns ());
  self->process_name = (char *) self->session.process_name;
  self->verbosity = SW_TRACE_VERBOSITY_FULL;
  self->asyncs = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, async_free);
  self->draining = g_array_new (FALSE, FALSE, sizeof (SwTraceDraining));
  self->own_batch = g_array_new (FALSE, FALSE, sizeof (SwTraceRecord));
  self->extra_batch = g_array_new (FALSE, FALSE, sizeof (SwTraceRecord));
  sw_trace_registry_add (self);
  return self;
}

SwTraceCore *
sw_trace_core_ref (SwTraceCore *self)
{
  sw_ref_count_inc (&self->refs);
  return self;
}

void
sw_trace_core_unref (SwTraceCore *self)
{
  if (!sw_ref_count_dec (&self->refs))
    return;
  sw_worker_clear (&self->worker);
  sw_turn_clear (&self->turn);
  pthread_mutex_destroy (&self->lock);
  sw_zone_time_clear (&self->time);
  g_clear_object (&self->next_collector);
  g_free (self->next_process_name);
  g_hash_table_unref (self->asyncs);
  g_array_unref (self->draining);
  g_array_unref (self->own_batch);
  g_array_unref (self->extra_batch);
  g_free (self->process_name);
  g_free (self);
}

void
sw_trace_core_lock (SwTraceCore *self)
{
  pthread_mutex_lock (&self->lock);
}

void
sw_trace_core_unlock (SwTraceCore *self)
{
  pthread_mutex_unlock (&self->lock);
}

void
sw_trace_core_wake (SwTraceCore *self)
{
  sw_worker_wake (&self->worker);
}

void
sw_trace_core_set_default_level (SwTraceCore *self,
                                 guint level)
{
  /* Relaxed, both: see set_level (). */
  if (self != NULL && self->object_level != NULL)
    __atomic_store_n (self->object_level, level, __ATOMIC_RELAXED);
  __atomic_store_n (&sw_trace_default_level, level, __ATOMIC_RELAXED);
  sw_trace_auto_switch (level);
}

static void
set_level (SwTraceCore *self,
           guint level)
{
  /* Relaxed, both: a switch is seen soon, and orders nothing. */
  __atomic_store_n (&self->level, level, __ATOMIC_RELAXED);
  if (self->is_default)
    sw_trace_core_set_default_level (self, level);
  else if (self->object_level != NULL)
    __atomic_store_n (self->object_level, level, __ATOMIC_RELAXED);
}

static void
interrupt_asyncs (SwTraceCore *self,
                  guint64 end);

static void
interrupt_all (SwTraceCore *self)
{
  guint64 end = sw_clock_ticks ();

  /* Sequentially consistent: where there is no barrier in all threads, either the thread sees this, or we see it busy. */
  __atomic_store_n (&self->epoch, self->epoch + 1, __ATOMIC_SEQ_CST);
  sw_zone_barrier_in_all_threads ();
  for (SwTraceProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    {
      sw_trace_producer_hold_out (producer);
      sw_trace_producer_interrupt (producer, end);
    }
  interrupt_asyncs (self, end);
}

void
sw_trace_core_switch (SwTraceCore *self)
{
  guint before = self->level;
  guint own_before = self->own_level;
  guint own_level = self->enabled && self->collector != NULL && !self->is_closed ? self->verbosity : SW_TRACE_VERBOSITY_NONE;
  guint level;

  /* Relaxed: see sw_trace_core_get_live (). */
  __atomic_store_n (&self->own_level, own_level, __ATOMIC_RELAXED);
  level = MAX (own_level, self->extra != NULL && !self->is_closed ? self->extra_verbosity : SW_TRACE_VERBOSITY_NONE);
  if (level != before)
    set_level (self, level);
  /* What the context's own collector began, it also ends. */
  if ((level == SW_TRACE_VERBOSITY_NONE && before != level) ||
      (own_level == SW_TRACE_VERBOSITY_NONE && own_before != own_level))
    interrupt_all (self);
}

/* Of what is in queues, the two collectors may have different parts, as the switches are now. */
static void
drain_for_both (SwTraceCore *self)
{
  g_autoptr (SwCollector) extra = dup_extra (self);

  if (extra != NULL)
    sw_trace_core_drain (self);
}

static guint
get_own_level (const SwTraceCore *self)
{
  /* Relaxed: whoever changes it looks again after that. */
  return __atomic_load_n (&self->own_level, __ATOMIC_RELAXED);
}

/* Of two threads that switch, the one that comes last sees what the other did. */
static void
tell_level (SwTraceCore *self)
{
  g_autoptr (SwCollector) collector = sw_trace_core_dup_collector (self);
  guint level;

  if (collector == NULL)
    return;
  do
    {
      level = get_own_level (self);
      sw_collector_set_level (collector, self, level);
    }
  while (level != get_own_level (self));
}

void
sw_trace_core_set_enabled (SwTraceCore *self,
                           gboolean enabled)
{
  drain_for_both (self);
  sw_trace_core_lock (self);
  self->enabled = enabled != FALSE;
  sw_trace_core_switch (self);
  sw_trace_core_unlock (self);
  tell_level (self);
  sw_trace_core_settle_own (self);
  sw_trace_core_wake (self);
}

void
sw_trace_core_set_verbosity (SwTraceCore *self,
                             SwTraceVerbosity verbosity)
{
  drain_for_both (self);
  sw_trace_core_lock (self);
  self->verbosity = verbosity;
  sw_trace_core_switch (self);
  sw_trace_core_unlock (self);
  tell_level (self);
  sw_trace_core_settle_own (self);
}

SwCollector *
sw_trace_core_dup_collector (SwTraceCore *self)
{
  SwCollector *collector;

  sw_trace_core_lock (self);
  collector = self->collector != NULL ? g_object_ref (self->collector) : NULL;
  sw_trace_core_unlock (self);
  return collector;
}

static void
set_live (SwTraceCore *self,
          guint live)
{
  /* Relaxed: see sw_trace_core_get_live (). */
  __atomic_store_n (&self->live, live, __ATOMIC_RELAXED);
}

static void
refresh_live (SwTraceCore *self)
{
  g_autoptr (SwCollector) collector = sw_trace_core_dup_collector (self);
  guint live;

  if (collector == NULL)
    return;
  do
    {
      live = sw_collector_get_live (collector);
      sw_trace_core_lock (self);
      if (self->collector == collector)
        set_live (self, live);
      sw_trace_core_unlock (self);
    }
  /* Of two threads that close collectors, the one that comes last sees what the other did. */
  while (live != sw_collector_get_live (collector));
}

void
sw_trace_refresh_live (void)
{
  g_autoptr (GPtrArray) all = sw_trace_registry_dup_all ();

  for (guint i = 0; i < all->len; i++)
    refresh_live (g_ptr_array_index (all, i));
}

/* With the turn, so that what was emitted before goes to the old one, and nothing to one that is not the context's any
 * more. */
void
sw_trace_core_exchange_collector (SwTraceCore *self,
                                  SwCollector *collector)
{
  guint live = collector != NULL ? sw_collector_get_live (collector) : 0;
  SwCollector *old;

  sw_turn_enter (&self->turn);
  if (collector != NULL)
    sw_collector_attach (collector, &self->session);
  sw_trace_core_pass_on (self);
  sw_trace_core_lock (self);
  old = self->collector;
  if (collector == NULL)
    {
      /* What is open is interrupted before the old one goes. */
      self->collector = NULL;
      sw_trace_core_switch (self);
      self->collector = old;
    }
  sw_trace_core_unlock (self);
  if (collector == NULL)
    sw_trace_core_pass_on (self);

  sw_trace_core_lock (self);
  self->collector = collector != NULL ? g_object_ref (collector) : NULL;
  set_live (self, live);
  sw_trace_core_switch (self);
  if (collector != NULL)
    sw_worker_start (&self->worker);
  sw_trace_core_unlock (self);
  sw_turn_leave (&self->turn);
  if (live != 0)
    refresh_live (self);
  if (old != NULL && old != collector)
    sw_collector_set_level (old, self, SW_TRACE_VERBOSITY_NONE);
  tell_level (self);
  sw_trace_core_settle_own (self);
  g_clear_object (&old);
}

void
sw_trace_core_set_collector (SwTraceCore *self,
                             SwCollector *collector)
{
  if (sw_collector_is_inside ())
    {
      sw_trace_core_postpone_collector (self, collector);
      return;
    }
  sw_trace_core_forget_postponed (self);
  sw_trace_core_exchange_collector (self, collector);
  sw_trace_core_do_postponed (self);
}

static void
set_extra_live (SwTraceCore *self,
                guint live)
{
  /* Relaxed: see sw_trace_core_get_live (). */
  __atomic_store_n (&self->extra_live, live, __ATOMIC_RELAXED);
}

void
sw_trace_core_set_extra (SwTraceCore *self,
                         SwCollector *collector,
                         SwTraceVerbosity verbosity,
                         SwTraceFeed *feed)
{
  guint live = collector != NULL ? sw_collector_get_live (collector) : 0;
  gboolean is_new = sw_turn_enter (&self->turn);
  SwCollector *old;

  if (collector != NULL)
    sw_collector_attach (collector, &self->session);
  sw_trace_core_pass_on (self);
  sw_trace_core_lock (self);
  old = self->extra;
  /* Before anything is switched off: some threads see that at once and others later, and what is inside of what would be
   * there without its surroundings. */
  self->extra_limit = collector == NULL ? sw_clock_ticks () : G_MAXUINT64;
  if (collector == NULL)
    {
      /* As in sw_trace_core_set_collector (). */
      self->extra = NULL;
      set_extra_live (self, 0);
      sw_trace_core_switch (self);
      self->extra = old;
    }
  sw_trace_core_unlock (self);
  if (collector == NULL && self->feed != NULL)
    sw_trace_feed_finish (self->feed, self->extra_limit);
  /* What the feed has found by now, it passes on the next time. */
  for (guint i = 0; i < 2 && collector == NULL; i++)
    sw_trace_core_pass_on (self);

  sw_trace_core_lock (self);
  self->extra = collector != NULL ? g_object_ref (collector) : NULL;
  /* Relaxed: see sw_trace_core_get_live (). */
  __atomic_store_n (&self->extra_verbosity, verbosity, __ATOMIC_RELAXED);
  set_extra_live (self, live);
  self->feed = feed;
  sw_trace_core_switch (self);
  if (collector != NULL)
    sw_worker_start (&self->worker);
  sw_trace_core_unlock (self);
  if (is_new)
    sw_turn_leave (&self->turn);
  if (old != NULL)
    sw_collector_set_level (old, self, SW_TRACE_VERBOSITY_NONE);
  if (collector != NULL)
    sw_collector_set_level (collector, self, verbosity);
  g_clear_object (&old);
}

void
sw_trace_core_set_process_name (SwTraceCore *self,
                                const char *name)
{
  g_autofree char *old = NULL;
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwCollector) extra = NULL;

  if (sw_collector_is_inside ())
    {
      sw_trace_core_postpone_process_name (self, name);
      return;
    }
  sw_turn_enter (&self->turn);
  sw_trace_core_lock (self);
  old = self->process_name;
  self->process_name = g_strdup (name);
  self->session.process_name = self->process_name;
  sw_trace_core_unlock (self);
  collector = sw_trace_core_dup_collector (self);
  extra = dup_extra (self);
  if (collector != NULL)
    sw_collector_attach (collector, &self->session);
  if (extra != NULL)
    sw_collector_attach (extra, &self->session);
  sw_turn_leave (&self->turn);
}

static void *
finish_closing (void *data)
{
  SwTraceCore *self = data;

  sw_worker_stop (&self->worker);
  sw_trace_core_set_collector (self, NULL);
  sw_trace_registry_remove (self);
  sw_trace_core_unref (self);
  return NULL;
}

void
sw_trace_core_close (SwTraceCore *self)
{
  sw_trace_core_lock (self);
  /* Relaxed: threads that still come by find out sooner or later. */
  __atomic_store_n (&self->is_closed, TRUE, __ATOMIC_RELAXED);
  sw_trace_core_switch (self);
  self->object_level = NULL;
  sw_trace_core_unlock (self);
  if (!sw_collector_is_inside ())
    finish_closing (self);
  /* The collector may be what the worker is just in, or waits for, and cannot wait for the worker. */
  else if (!sw_quiet_thread_start (NULL, 0, finish_closing, self))
    g_warning ("No thread could be started to close a trace context inside of a collector; its worker goes on");
}

guint64
sw_trace_core_begin_async (SwTraceCore *self,
                           const SwTraceSpec *spec)
{
  SwTraceAsync *async = g_new0 (SwTraceAsync, 1);
  gsize size = sw_trace_arguments_size (spec->arguments, spec->n_arguments);
  /* Relaxed: the numbers only have to differ. */
  guint64 id = __atomic_add_fetch (&last_async, 1, __ATOMIC_RELAXED);

  async->id = id;
  async->level = spec->level;
  async->name = g_strdup (spec->name);
  async->category = g_strdup (spec->category);
  async->items = g_byte_array_sized_new ((guint) size);
  g_byte_array_set_size (async->items, (guint) size);
  sw_trace_arguments_put (spec->arguments, spec->n_arguments, async->items->data);
  async->start = sw_clock_ticks ();

  sw_trace_core_lock (self);
  if (sw_trace_core_get_level (self) >= spec->level)
    {
      g_hash_table_insert (self->asyncs, &async->id, async);
      async = NULL;
    }
  else
    id = 0;
  sw_trace_core_unlock (self);
  g_clear_pointer (&async, async_free);
  return id;
}

gboolean
sw_trace_core_end_async (SwTraceCore *self,
                         guint64 id)
{
  guint64 end = sw_clock_ticks ();
  gpointer stolen = NULL;
  SwTraceProducer *producer;
  SwTraceAsync *async;

  sw_trace_core_lock (self);
  g_hash_table_steal_extended (self->asyncs, &id, NULL, &stolen);
  sw_trace_core_unlock (self);
  if (stolen == NULL)
    /* Relaxed: whoever knows a number got it from here. One that is not open any more was ended when recording stopped. */
    return id != 0 && id <= __atomic_load_n (&last_async, __ATOMIC_RELAXED);
  producer = sw_trace_core_get_producer (self);
  async = stolen;
  if (producer != NULL)
    {
      SwTraceSpec spec = { .name = async->name, .category = async->category, .level = async->level };

      sw_trace_producer_async_span (producer, &spec, async->items, async->start, end);
    }
  async_free (async);
  return TRUE;
}

/* Through any thread's queue: all are held out. */
static void
interrupt_asyncs (SwTraceCore *self,
                  guint64 end)
{
  GHashTableIter iter;
  gpointer async;

  if (self->producers == NULL)
    return;
  g_hash_table_iter_init (&iter, self->asyncs);
  while (g_hash_table_iter_next (&iter, NULL, &async))
    {
      SwTraceAsync *open = async;
      SwTraceSpec spec = { .name = open->name, .category = open->category, .level = open->level };

      sw_trace_producer_interrupt_async (self->producers, &spec, open->items, open->start, end);
      g_hash_table_iter_remove (&iter);
    }
}

static void
add_counts (SwTraceCounts *counts,
            SwTraceProducer *producer)
{
  counts->emitted += sw_trace_producer_read (&producer->n_emitted);
  counts->dropped += sw_trace_producer_read (&producer->n_dropped);
  counts->too_large += sw_trace_producer_read (&producer->n_too_large);
  counts->misplaced += sw_trace_producer_read (&producer->n_misplaced);
  counts->stray_flows += sw_trace_producer_read (&producer->n_stray_flows);
}

void
sw_trace_core_get_counts (SwTraceCore *self,
                          SwTraceCounts *counts)
{
  sw_trace_core_lock (self);
  *counts = self->gone;
  counts->backward = sw_trace_producer_read (&self->n_backward);
  for (SwTraceProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    add_counts (counts, producer);
  sw_trace_core_unlock (self);
}
