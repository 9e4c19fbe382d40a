/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-collector-private.h"

#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw-profiler/trace/sw-trace-event-private.h"
#include "sw/base/sw-error.h"

/**
 * SwCollector:
 *
 * Where the events of a [class@Strideweave.TraceContext] go.
 *
 * [class@Strideweave.MemoryCollector] keeps them, [class@Strideweave.FileCollector] writes them to a file; others can be
 * derived, in any language, by implementing [vfunc@Strideweave.Collector.emit], and where needed
 * [vfunc@Strideweave.Collector.flush] and [vfunc@Strideweave.Collector.close].
 *
 * Threads that record do not call the collector: they put events into queues, from which a thread of the context takes
 * them, at the latest a second later, and before [method@Strideweave.Collector.flush] returns. The virtual functions are
 * therefore called on other threads than that of the recorded code, one thread at a time. What they record themselves
 * is left out. An error that `emit` returns, or an exception of a script, does not disturb the recorded code; the first one is
 * reported by the next flush or close.
 *
 * Events of each thread arrive in the order in which they ended; those of different threads in any order.
 *
 * In the child of a fork, contexts have no collector until they are given one. That may be one that the parent made, where
 * its class allows for it; but one that a thread of the parent was just in is closed there.
 */

typedef struct
{
  SwTurn turn;
  GError *error; /* the first that was not reported yet; of who has the turn */
  gboolean is_closed;
  guint64 n_events; /* atomic */
  guint64 n_lost;   /* atomic */
} SwCollectorPrivate;

enum
{
  PROP_IS_CLOSED = 1,
  PROP_EVENT_COUNT,
  PROP_DROPPED_COUNT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static _Thread_local guint n_inside;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SwCollector, sw_collector, G_TYPE_OBJECT)

static SwCollectorPrivate *
get_private (SwCollector *self)
{
  return sw_collector_get_instance_private (self);
}

gboolean
sw_collector_is_inside (void)
{
  return n_inside > 0;
}

gboolean
sw_collector_enter (SwCollector *self)
{
  SwCollectorPrivate *priv = get_private (self);
  gboolean is_new = sw_turn_enter (&priv->turn);

  /* A thread of the parent was in it when that forked: nobody can go on with what is half done there. */
  if (G_UNLIKELY (sw_turn_is_abandoned (&priv->turn)))
    {
      /* Relaxed: see sw_collector_close (). */
      __atomic_store_n (&priv->is_closed, TRUE, __ATOMIC_RELAXED);
      priv->error = NULL;
    }
  return is_new;
}

gboolean
sw_collector_is_abandoned (SwCollector *self)
{
  return sw_turn_is_abandoned (&get_private (self)->turn);
}

void
sw_collector_leave (SwCollector *self)
{
  sw_turn_leave (&get_private (self)->turn);
}

/* Around each call of a virtual function. */
static gboolean
begin_call (SwCollector *self)
{
  gboolean is_new = sw_collector_enter (self);

  n_inside++;
  return is_new;
}

static void
end_call (SwCollector *self,
          gboolean is_new)
{
  n_inside--;
  if (is_new)
    sw_collector_leave (self);
}

static void
add (guint64 *counter,
     guint64 n)
{
  /* Relaxed: only the number counts. */
  __atomic_fetch_add (counter, n, __ATOMIC_RELAXED);
}

void
sw_collector_count_lost (SwCollector *self,
                         guint64 n)
{
  SwCollectorCountLost count_lost = (SwCollectorCountLost) SW_COLLECTOR_GET_CLASS (self)->count_lost;

  add (&get_private (self)->n_lost, n);
  if (count_lost != NULL)
    count_lost (self, n);
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

  /* Relaxed: asked for again after it was closed. */
  if (get_live == NULL || __atomic_load_n (&get_private (self)->is_closed, __ATOMIC_RELAXED) != 0)
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
sw_collector_give_back (SwCollector *self,
                        guint64 n)
{
  /* Relaxed: only the number counts. */
  __atomic_fetch_sub (&get_private (self)->n_events, n, __ATOMIC_RELAXED);
  sw_collector_count_lost (self, n);
}

static void
keep_error (SwCollector *self,
            GError *error)
{
  SwCollectorPrivate *priv = get_private (self);

  if (error == NULL)
    return;
  if (priv->error == NULL)
    priv->error = error;
  else
    g_error_free (error);
}

static gboolean
take_by_emit (SwCollector *self,
              const SwTraceRecord *record,
              GError **error)
{
  SwCollectorClass *klass = SW_COLLECTOR_GET_CLASS (self);
  g_autoptr (SwTraceEvent) event = NULL;

  if (klass->emit == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED, "the collector %s does not implement emit",
                   G_OBJECT_TYPE_NAME (self));
      return FALSE;
    }
  event = sw_trace_event_new (record);
  return klass->emit (self, event, error);
}

gboolean
sw_collector_take (SwCollector *self,
                   const SwTraceRecord *record)
{
  SwCollectorPrivate *priv = get_private (self);
  SwCollectorTake take = (SwCollectorTake) SW_COLLECTOR_GET_CLASS (self)->take;
  gboolean is_new = begin_call (self);
  GError *error = NULL;
  gboolean was_taken = !priv->is_closed && (take != NULL ? take : take_by_emit) (self, record, &error);

  add (was_taken ? &priv->n_events : &priv->n_lost, 1);
  keep_error (self, error);
  end_call (self, is_new);
  return was_taken;
}

void
sw_collector_attach (SwCollector *self,
                     const SwTraceSession *session)
{
  SwCollectorAttach attach = (SwCollectorAttach) SW_COLLECTOR_GET_CLASS (self)->attach;
  gboolean is_new;

  if (attach == NULL)
    return;
  is_new = begin_call (self);
  if (!get_private (self)->is_closed)
    attach (self, session);
  end_call (self, is_new);
}

void
sw_collector_tick (SwCollector *self)
{
  SwCollectorTick tick = (SwCollectorTick) SW_COLLECTOR_GET_CLASS (self)->tick;
  GError *error = NULL;
  gboolean is_new;

  if (tick == NULL)
    return;
  is_new = begin_call (self);
  if (!get_private (self)->is_closed)
    tick (self, &error);
  keep_error (self, error);
  end_call (self, is_new);
}

/* The first failure counts, and is reported once. */
static gboolean
report (SwCollector *self,
        GError *latest,
        GError **error)
{
  SwCollectorPrivate *priv = get_private (self);

  keep_error (self, latest);
  if (priv->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&priv->error));
  return FALSE;
}

static gboolean
call (SwCollector *self,
      gboolean (*function) (SwCollector *self, GError **error),
      GError **error)
{
  if (function == NULL || function (self, error))
    return TRUE;
  if (*error == NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_FOREIGN, "the collector %s failed without an error", G_OBJECT_TYPE_NAME (self));
  return FALSE;
}

/**
 * sw_collector_emit:
 * @self: the collector
 * @event: the event
 * @error: where an error goes
 *
 * Passes an event to the collector: what a collector does that passes events on to another one.
 *
 * Returns: %FALSE with %SW_ERROR_STATE for a collector that is closed
 */
gboolean
sw_collector_emit (SwCollector *self,
                   SwTraceEvent *event,
                   GError **error)
{
  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (event != NULL, FALSE);

  if (sw_collector_get_is_closed (self))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "the collector %s is closed", G_OBJECT_TYPE_NAME (self));
      return FALSE;
    }
  sw_collector_take (self, sw_trace_event_peek_record (event));
  return TRUE;
}

/**
 * sw_collector_flush:
 * @self: the collector
 * @error: where an error goes
 *
 * Makes sure that all events that were emitted before have arrived, and lets the collector pass on what it holds back.
 *
 * May be called on any thread, and waits for what another thread is just passing on. From within a virtual function of a
 * collector, what is in queues stays there.
 *
 * Returns: %FALSE with the first error since the last flush, whatever it was; the collector goes on
 */
gboolean
sw_collector_flush (SwCollector *self,
                    GError **error)
{
  GError *latest = NULL;
  gboolean is_new;
  gboolean succeeded;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  sw_trace_drain_all ();
  is_new = begin_call (self);
  if (!get_private (self)->is_closed)
    call (self, SW_COLLECTOR_GET_CLASS (self)->flush, &latest);
  succeeded = report (self, latest, error);
  end_call (self, is_new);
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
  SwCollectorPrivate *priv;
  GError *latest = NULL;
  gboolean is_new;
  gboolean succeeded;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  sw_collector_forget (self);
  sw_trace_drain_all ();
  priv = get_private (self);
  is_new = begin_call (self);
  if (!priv->is_closed)
    {
      /* Relaxed: read without the turn by who is content with any answer. */
      __atomic_store_n (&priv->is_closed, TRUE, __ATOMIC_RELAXED);
      call (self, SW_COLLECTOR_GET_CLASS (self)->close, &latest);
    }
  succeeded = report (self, latest, error);
  end_call (self, is_new);
  sw_trace_refresh_live ();
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
  gboolean is_closed;
  gboolean is_new;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);

  is_new = sw_collector_enter (self);
  is_closed = get_private (self)->is_closed;
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
  return __atomic_load_n (&get_private (self)->n_events, __ATOMIC_RELAXED);
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
  return __atomic_load_n (&get_private (self)->n_lost, __ATOMIC_RELAXED);
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
  SwCollectorPrivate *priv = get_private (SW_COLLECTOR (object));

  sw_turn_clear (&priv->turn);
  g_clear_error (&priv->error);
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
  sw_turn_init (&get_private (self)->turn);
}
