/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-collector-state-private.h"

#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-thread-private.h"

/**
 * SwCollector:
 *
 * Where the events of a [class@Strideweave.TraceContext] go.
 *
 * [class@Strideweave.MemoryCollector] keeps them, [class@Strideweave.FileCollector] writes them to a file; others can be
 * derived, in any language, by implementing [vfunc@Strideweave.Collector.emit], or
 * [vfunc@Strideweave.Collector.emit_many], and where needed [vfunc@Strideweave.Collector.flush] and
 * [vfunc@Strideweave.Collector.close].
 *
 * Threads that record do not call the collector: they put events into queues, from which a thread of the context takes
 * them, at the latest a second later, and before [method@Strideweave.Collector.flush] returns. The virtual functions are
 * therefore called on other threads than that of the recorded code, one thread at a time. What they record themselves
 * is left out. An error that `emit` returns, or an exception of a script, does not disturb the recorded code; the first one is
 * reported by the next flush or close. [method@Strideweave.Collector.bind_to_thread] has all of them called on one thread.
 *
 * Events of each thread arrive in the order in which they ended; those of different threads in any order.
 *
 * In the child of a fork, contexts have no collector until they are given one. That may be one that the parent made, where
 * its class allows for it; but one that a thread of the parent was just in is closed there.
 */

enum
{
  PROP_IS_CLOSED = 1,
  PROP_EVENT_COUNT,
  PROP_DROPPED_COUNT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

typedef SwCollectorState SwCollectorPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SwCollector, sw_collector, G_TYPE_OBJECT)

SwCollectorState *
sw_collector_get_state (SwCollector *self)
{
  return sw_collector_get_instance_private (self);
}

gboolean
sw_collector_is_inside (void)
{
  return sw_thread.n_muted > 0;
}

gboolean
sw_collector_enter (SwCollector *self)
{
  SwCollectorState *state = sw_collector_get_state (self);
  gboolean is_new = sw_turn_enter (&state->turn);

  /* A thread of the parent was in it when that forked: nobody can go on with what is half done there. */
  if (G_UNLIKELY (sw_turn_is_abandoned (&state->turn)))
    {
      /* Relaxed: see sw_collector_has_closed (). */
      __atomic_store_n (&state->is_closed, TRUE, __ATOMIC_RELAXED);
      pthread_mutex_init (&state->lock, NULL);
      state->error = NULL;
    }
  return is_new;
}

gboolean
sw_collector_is_abandoned (SwCollector *self)
{
  return sw_turn_is_abandoned (&sw_collector_get_state (self)->turn);
}

void
sw_collector_leave (SwCollector *self)
{
  sw_turn_leave (&sw_collector_get_state (self)->turn);
}

gboolean
sw_collector_begin_call (SwCollector *self)
{
  gboolean is_new = sw_collector_enter (self);

  sw_thread.n_muted++;
  return is_new;
}

void
sw_collector_end_call (SwCollector *self,
                       gboolean is_new)
{
  sw_thread.n_muted--;
  if (is_new)
    sw_collector_leave (self);
}

SwDelivery *
sw_collector_begin_unless_bound (SwCollector *self,
                                 gboolean *is_new)
{
  SwCollectorState *state = sw_collector_get_state (self);
  SwDelivery *delivery = sw_collector_get_delivery (state);

  if (delivery != NULL)
    return delivery;
  *is_new = sw_collector_begin_call (self);
  /* Another thread may have bound it meanwhile, with the turn. */
  delivery = sw_collector_get_delivery (state);
  if (delivery != NULL)
    sw_collector_end_call (self, *is_new);
  return delivery;
}

void
sw_collector_forget (SwCollector *self)
{
  SwCollectorForget forget = (SwCollectorForget) SW_COLLECTOR_GET_CLASS (self)->forget;

  sw_trace_forget_collector (self);
  if (forget != NULL)
    forget (self);
}

guint
sw_collector_get_live (SwCollector *self)
{
  SwCollectorGetLive get_live = (SwCollectorGetLive) SW_COLLECTOR_GET_CLASS (self)->get_live;

  /* It is asked for again after it was closed. */
  if (get_live == NULL || sw_collector_has_closed (sw_collector_get_state (self)))
    return 0;
  return get_live (self);
}

void
sw_collector_set_level (SwCollector *self,
                        gconstpointer context,
                        guint level)
{
  SwCollectorSetLevel set_level = (SwCollectorSetLevel) SW_COLLECTOR_GET_CLASS (self)->set_level;

  if (set_level != NULL)
    set_level (self, context, level);
}

void
sw_collector_attach (SwCollector *self,
                     const SwTraceSession *session)
{
  SwCollectorAttach attach = (SwCollectorAttach) SW_COLLECTOR_GET_CLASS (self)->attach;
  gboolean is_new;

  if (attach == NULL)
    return;
  is_new = sw_collector_begin_call (self);
  if (!sw_collector_has_closed (sw_collector_get_state (self)))
    attach (self, session);
  sw_collector_end_call (self, is_new);
}

void
sw_collector_tick (SwCollector *self)
{
  SwCollectorTick tick = (SwCollectorTick) SW_COLLECTOR_GET_CLASS (self)->tick;
  GError *error = NULL;
  gboolean is_new;

  if (tick == NULL)
    return;
  is_new = sw_collector_begin_call (self);
  if (!sw_collector_has_closed (sw_collector_get_state (self)))
    tick (self, &error);
  sw_collector_keep_error (self, error);
  sw_collector_end_call (self, is_new);
}

void
sw_collector_keep_error (SwCollector *self,
                         GError *error)
{
  SwCollectorState *state = sw_collector_get_state (self);

  if (error == NULL)
    return;
  pthread_mutex_lock (&state->lock);
  if (state->error == NULL)
    state->error = g_steal_pointer (&error);
  pthread_mutex_unlock (&state->lock);
  g_clear_error (&error);
}

/* The first failure counts, and is reported once. */
static gboolean
report (SwCollector *self,
        GError **error)
{
  SwCollectorState *state = sw_collector_get_state (self);
  GError *first;

  pthread_mutex_lock (&state->lock);
  first = g_steal_pointer (&state->error);
  pthread_mutex_unlock (&state->lock);
  if (first == NULL)
    return TRUE;
  g_propagate_error (error, first);
  return FALSE;
}

/* With the turn. */
static void
call (SwCollector *self,
      gboolean (*function) (SwCollector *self, GError **error))
{
  GError *error = NULL;

  if (function == NULL || function (self, &error))
    return;
  if (error == NULL)
    g_set_error (&error, SW_ERROR, SW_ERROR_FOREIGN, "the collector %s failed without an error", G_OBJECT_TYPE_NAME (self));
  sw_collector_keep_error (self, error);
}

void
sw_collector_call_flush (SwCollector *self)
{
  gboolean is_new = sw_collector_begin_call (self);

  call (self, SW_COLLECTOR_GET_CLASS (self)->flush);
  sw_collector_end_call (self, is_new);
}

void
sw_collector_call_close (SwCollector *self)
{
  gboolean is_new = sw_collector_begin_call (self);

  call (self, SW_COLLECTOR_GET_CLASS (self)->close);
  sw_collector_end_call (self, is_new);
}

/* FALSE: it was closed before. */
static gboolean
set_closed (SwCollectorState *state)
{
  /* Relaxed: see sw_collector_has_closed (). */
  return __atomic_exchange_n (&state->is_closed, TRUE, __ATOMIC_RELAXED) == 0;
}

/**
 * sw_collector_flush:
 * @self: the collector
 * @error: where an error goes
 *
 * Makes sure that all events that were emitted before have arrived, and lets the collector pass on what it holds back.
 *
 * May be called on any thread, and waits for what another thread is just passing on. From within a virtual function of a
 * collector, what is in queues stays there. It does not wait for the thread that a collector is bound to, if that is another
 * one: that thread then does this when its main context comes to it.
 *
 * Returns: %FALSE with the first error since the last flush, whatever it was; the collector goes on
 */
gboolean
sw_collector_flush (SwCollector *self,
                    GError **error)
{
  SwCollectorState *state;
  SwDelivery *delivery;
  gboolean is_new;
  gboolean succeeded;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  state = sw_collector_get_state (self);
  sw_trace_drain_all ();
  delivery = sw_collector_begin_unless_bound (self, &is_new);
  if (delivery != NULL)
    {
      if (!sw_collector_has_closed (state))
        sw_delivery_ask (delivery, SW_DELIVERY_FLUSH);
      sw_delivery_run (delivery);
      return report (self, error);
    }
  if (!sw_collector_has_closed (state))
    call (self, SW_COLLECTOR_GET_CLASS (self)->flush);
  succeeded = report (self, error);
  sw_collector_end_call (self, is_new);
  return succeeded;
}

/**
 * sw_collector_close:
 * @self: the collector
 * @error: where an error goes
 *
 * Completes what was collected. Contexts that record into the collector stop to, and have none then.
 *
 * Spans that are open end here, and are marked as interrupted. To close it again does nothing.
 *
 * Returns: %FALSE with the first error that no flush reported, whatever it was; the collector is closed all the same
 */
gboolean
sw_collector_close (SwCollector *self,
                    GError **error)
{
  SwCollectorState *state;
  SwDelivery *delivery;
  gboolean is_new;
  gboolean succeeded;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  state = sw_collector_get_state (self);
  sw_collector_forget (self);
  sw_trace_drain_all ();
  delivery = sw_collector_begin_unless_bound (self, &is_new);
  if (delivery != NULL)
    {
      if (set_closed (state))
        sw_delivery_ask (delivery, SW_DELIVERY_CLOSE);
      sw_delivery_run (delivery);
      succeeded = report (self, error);
    }
  else
    {
      if (set_closed (state))
        call (self, SW_COLLECTOR_GET_CLASS (self)->close);
      succeeded = report (self, error);
      sw_collector_end_call (self, is_new);
    }
  sw_trace_refresh_live ();
  return succeeded;
}

static gboolean
check_bindable (SwCollector *self,
                GError **error)
{
  SwCollectorState *state = sw_collector_get_state (self);
  SwCollectorClass *klass = SW_COLLECTOR_GET_CLASS (self);

  if (klass->take != NULL || klass->take_many != NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "a %s does without a thread of its own, and cannot be bound to one",
                 G_OBJECT_TYPE_NAME (self));
  else if (sw_collector_has_closed (state))
    g_set_error (error, SW_ERROR, SW_ERROR_STATE, "the collector %s is closed", G_OBJECT_TYPE_NAME (self));
  else if (sw_collector_get_delivery (state) != NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_STATE, "the collector %s is bound to a thread already", G_OBJECT_TYPE_NAME (self));
  else
    return TRUE;
  return FALSE;
}

/**
 * sw_collector_bind_to_thread:
 * @self: the collector
 * @life: (nullable): what is there for as long as the thread can be called; %NULL where it ends with the process
 * @error: where an error goes
 *
 * Has the virtual functions called on the calling thread only: as in a user interface, whose objects one thread may touch, or a
 * language that runs on one.
 *
 * Events are kept for the thread, in up to 32 MiB; what finds no room is dropped and counted. They arrive when this thread
 * runs the main context that is its default now, at low priority; and, where this thread calls them, before
 * [method@Strideweave.Collector.flush], [method@Strideweave.Collector.close] and
 * [method@Strideweave.TraceContext.set_collector] return. On other threads those do not wait for this one. Nothing of the library
 * is locked while a virtual function runs. Until they have arrived, events keep the collector; one that is closed on another
 * thread is complete when this one came to it. What is left when the process ends, or @life is gone, is dropped,
 * counted, and told by a warning, as is a close that the thread did not come to.
 *
 * Where another thread runs that context, which for most threads is the global one, events wait, and a warning says so once: a
 * thread beside the main one pushes a main context of its own before, or calls `flush` now and then.
 *
 * A [class@Strideweave.CompositeCollector] counts an event as taken once it is kept for the thread of one of its collectors.
 *
 * In JavaScript every collector is bound to the thread of the language by itself.
 *
 * Call it before a context has the collector. In the child of a fork, a collector that was bound takes nothing.
 *
 * Returns: %FALSE with %SW_ERROR_STATE for one that is closed, or bound already, or with %SW_ERROR_UNSUPPORTED for a collector
 *   of the library, which does without
 */
gboolean
sw_collector_bind_to_thread (SwCollector *self,
                             GObject *life,
                             GError **error)
{
  SwCollectorState *state;
  gboolean succeeded;
  gboolean is_new;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (life == NULL || G_IS_OBJECT (life), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  state = sw_collector_get_state (self);
  is_new = sw_collector_enter (self);
  succeeded = check_bindable (self, error);
  if (succeeded)
    /* Release: see sw_collector_get_delivery (). */
    __atomic_store_n (&state->delivery, sw_delivery_new (self, life), __ATOMIC_RELEASE);
  if (is_new)
    sw_collector_leave (self);
  return succeeded;
}

/**
 * sw_collector_get_is_closed:
 * @self: the collector
 *
 * Returns whether the collector was closed.
 *
 * Returns: whether it takes no more events
 */
gboolean
sw_collector_get_is_closed (SwCollector *self)
{
  SwCollectorState *state;
  gboolean is_closed;
  gboolean is_new;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);

  state = sw_collector_get_state (self);
  /* Nobody waits for the thread of one that is bound. */
  if (sw_collector_get_delivery (state) != NULL)
    return sw_collector_has_closed (state);
  is_new = sw_collector_enter (self);
  is_closed = sw_collector_has_closed (state);
  if (is_new)
    sw_collector_leave (self);
  return is_closed;
}

/**
 * sw_collector_get_event_count:
 * @self: the collector
 *
 * Returns how many events the collector has taken so far. Flush before, to count all that were emitted.
 *
 * Returns: the number of events
 */
guint64
sw_collector_get_event_count (SwCollector *self)
{
  g_return_val_if_fail (SW_IS_COLLECTOR (self), 0);

  /* Relaxed: only the number counts. */
  return __atomic_load_n (&sw_collector_get_state (self)->n_events, __ATOMIC_RELAXED);
}

/**
 * sw_collector_get_dropped_count:
 * @self: the collector
 *
 * Returns how many events were emitted for the collector and are not in it: because a queue was full, there was no more
 * room, or taking them failed.
 *
 * Returns: the number of events
 */
guint64
sw_collector_get_dropped_count (SwCollector *self)
{
  g_return_val_if_fail (SW_IS_COLLECTOR (self), 0);

  /* Relaxed: only the number counts. */
  return __atomic_load_n (&sw_collector_get_state (self)->n_lost, __ATOMIC_RELAXED);
}

static void
sw_collector_get_property (GObject *object,
                           guint id,
                           GValue *value,
                           GParamSpec *pspec)
{
  SwCollector *self = SW_COLLECTOR (object);

  switch (id)
    {
    case PROP_IS_CLOSED:
      g_value_set_boolean (value, sw_collector_get_is_closed (self));
      break;
    case PROP_EVENT_COUNT:
      g_value_set_uint64 (value, sw_collector_get_event_count (self));
      break;
    case PROP_DROPPED_COUNT:
      g_value_set_uint64 (value, sw_collector_get_dropped_count (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sw_collector_finalize (GObject *object)
{
  SwCollectorState *state = sw_collector_get_state (SW_COLLECTOR (object));
  SwDelivery *delivery = sw_collector_get_delivery (state);

  if (delivery != NULL)
    sw_delivery_free (delivery);
  sw_turn_clear (&state->turn);
  pthread_mutex_destroy (&state->lock);
  g_clear_error (&state->error);
  G_OBJECT_CLASS (sw_collector_parent_class)->finalize (object);
}

static void
sw_collector_class_init (SwCollectorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = sw_collector_get_property;
  object_class->finalize = sw_collector_finalize;

  /**
   * SwCollector:is-closed:
   *
   * Whether the collector takes no more events.
   */
  properties[PROP_IS_CLOSED] = g_param_spec_boolean ("is-closed", NULL, NULL, FALSE, flags);
  /**
   * SwCollector:event-count:
   *
   * How many events it has taken.
   */
  properties[PROP_EVENT_COUNT] = g_param_spec_uint64 ("event-count", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * SwCollector:dropped-count:
   *
   * How many events were emitted for it and are not in it.
   */
  properties[PROP_DROPPED_COUNT] = g_param_spec_uint64 ("dropped-count", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
sw_collector_init (SwCollector *self)
{
  sw_turn_init (&sw_collector_get_state (self)->turn);
  pthread_mutex_init (&sw_collector_get_state (self)->lock, NULL);
}
