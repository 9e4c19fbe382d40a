/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-context-private.h"

#include "library/sw-enum-types.h"
#include "sw-profiler/trace/sw-activation-private.h"
#include "sw-profiler/trace/sw-delivery-private.h"

/**
 * SwTraceContext:
 *
 * What code of every layer emits spans, instants and counters through: a clock, a session and a verbosity.
 *
 * Instrumentation is written once; where its events go is up to the [class@Strideweave.Collector] that the context is
 * given. There is one default context for the process, [func@Strideweave.TraceContext.get_default], which
 * operations of the library emit into by themselves. It records once it has a collector and is enabled.
 *
 * Each event names the [enum@Strideweave.TraceVerbosity] from which on it is recorded. What the context does not record
 * costs a load and a branch in C: no clock is read, nothing is formatted or allocated. What it does record is written into
 * a queue of the thread, which never waits; where that is full, the event is dropped as a whole and counted.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC, which all processes of one boot share.
 *
 * A span that is open when the context is switched off, or its thread ends, ends there, and is marked as interrupted. In
 * the child of a fork the context has no collector, and records once it is given one.
 *
 * All methods may be called from any thread. Arguments are for names, shapes, sizes and reasons: never for what tensors
 * hold, nor for what users entrust to a program.
 */

enum
{
  PROP_ENABLED = 1,
  PROP_VERBOSITY,
  PROP_COLLECTOR,
  PROP_SESSION_ID,
  PROP_PROCESS_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_TYPE (SwTraceContext, sw_trace_context, G_TYPE_OBJECT)

static pthread_once_t default_once = PTHREAD_ONCE_INIT;
static SwTraceContext *default_context; /* atomic until it is there */

static void
make_default (void)
{
  SwTraceContext *context = g_object_new (SW_TYPE_TRACE_CONTEXT, NULL);
  SwTraceCore *core = context->core;

  sw_trace_core_lock (core);
  core->is_default = TRUE;
  core->enabled = TRUE;
  sw_trace_core_unlock (core);
  /* Release: see sw_trace_context_arm_default (). */
  __atomic_store_n (&default_context, context, __ATOMIC_RELEASE);
}

/* What looks at the level of the default context finds at least @level, and comes by to find out what is recorded; the
 * context itself records what it recorded before. */
void
sw_trace_context_arm_default (guint level)
{
  /* Acquire: the context is whole. */
  SwTraceContext *context = __atomic_load_n (&default_context, __ATOMIC_ACQUIRE);

  if (context == NULL)
    {
      sw_trace_core_set_default_level (NULL, level);
      return;
    }
  sw_trace_core_lock (context->core);
  sw_trace_core_set_default_level (context->core, MAX (level, sw_trace_core_get_level (context->core)));
  sw_trace_core_unlock (context->core);
}

/**
 * sw_trace_context_get_default:
 *
 * Returns the context of the process, which operations of the library emit into.
 *
 * It is enabled, but records only while it has a collector.
 *
 * Returns: (transfer none): the default context
 */
SwTraceContext *
sw_trace_context_get_default (void)
{
  pthread_once (&default_once, make_default);
  sw_activation_check ();
  return default_context;
}

SwTraceCore *
sw_trace_core_get_default (void)
{
  return sw_trace_context_get_default ()->core;
}

/**
 * sw_trace_context_new:
 *
 * Makes a context of one's own: enabled, with full verbosity and no collector.
 *
 * Returns: (transfer full): the context
 */
SwTraceContext *
sw_trace_context_new (void)
{
  SwTraceContext *self = g_object_new (SW_TYPE_TRACE_CONTEXT, NULL);

  sw_trace_context_set_enabled (self, TRUE);
  return self;
}

/**
 * sw_trace_context_get_enabled:
 * @self: the context
 *
 * Returns whether the context is switched on.
 *
 * Returns: the switch; to record, it also takes a collector and a verbosity
 */
gboolean
sw_trace_context_get_enabled (SwTraceContext *self)
{
  SwTraceCore *core;
  gboolean enabled;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);

  core = self->core;
  sw_trace_core_lock (core);
  enabled = core->enabled;
  sw_trace_core_unlock (core);
  return enabled;
}

/**
 * sw_trace_context_set_enabled:
 * @self: the context
 * @enabled: whether it is to record
 *
 * Switches the context on or off. Spans that are open when it is switched off end here.
 */
void
sw_trace_context_set_enabled (SwTraceContext *self,
                              gboolean enabled)
{
  g_return_if_fail (SW_IS_TRACE_CONTEXT (self));

  sw_trace_core_set_enabled (self->core, enabled);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENABLED]);
}

/**
 * sw_trace_context_get_verbosity:
 * @self: the context
 *
 * Returns how much the context records when it records.
 *
 * Returns: the verbosity
 */
SwTraceVerbosity
sw_trace_context_get_verbosity (SwTraceContext *self)
{
  SwTraceCore *core;
  SwTraceVerbosity verbosity;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), SW_TRACE_VERBOSITY_NONE);

  core = self->core;
  sw_trace_core_lock (core);
  verbosity = core->verbosity;
  sw_trace_core_unlock (core);
  return verbosity;
}

/**
 * sw_trace_context_set_verbosity:
 * @self: the context
 * @verbosity: how much it is to record
 *
 * Sets how much is recorded from now on. Spans that are open are recorded as long as the verbosity is not
 * %SW_TRACE_VERBOSITY_NONE.
 */
void
sw_trace_context_set_verbosity (SwTraceContext *self,
                                SwTraceVerbosity verbosity)
{
  g_return_if_fail (SW_IS_TRACE_CONTEXT (self));

  sw_trace_core_set_verbosity (self->core, CLAMP (verbosity, SW_TRACE_VERBOSITY_NONE, SW_TRACE_VERBOSITY_FULL));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_VERBOSITY]);
}

/**
 * sw_trace_context_dup_collector:
 * @self: the context
 *
 * Returns where the context's events go.
 *
 * Returns: (transfer full) (nullable): the collector, or %NULL where it has none
 */
SwCollector *
sw_trace_context_dup_collector (SwTraceContext *self)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), NULL);

  return sw_trace_core_dup_collector (self->core);
}

/**
 * sw_trace_context_set_collector:
 * @self: the context
 * @collector: (nullable): where events go from now on; %NULL to record nothing
 *
 * Gives the context another collector. What was emitted before arrives at the old one, which is not closed.
 *
 * Inside of a collector, as in its `emit`, this takes place soon after that has returned; until then, the context has the
 * old one.
 */
void
sw_trace_context_set_collector (SwTraceContext *self,
                                SwCollector *collector)
{
  g_return_if_fail (SW_IS_TRACE_CONTEXT (self));
  g_return_if_fail (collector == NULL || SW_IS_COLLECTOR (collector));

  sw_trace_core_set_collector (self->core, collector);
  sw_delivery_run_here ();
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COLLECTOR]);
}

/**
 * sw_trace_context_dup_session_id:
 * @self: the context
 *
 * Returns the id of the session, which is in all that is written of it.
 *
 * Returns: (transfer full): 128 random bits as 32 hexadecimal digits
 */
char *
sw_trace_context_dup_session_id (SwTraceContext *self)
{
  SwTraceCore *core;
  guint64 id[2];

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), NULL);

  core = self->core;
  sw_trace_core_lock (core);
  id[0] = core->session.id[0];
  id[1] = core->session.id[1];
  sw_trace_core_unlock (core);
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", id[0], id[1]);
}

/**
 * sw_trace_context_get_process_id:
 * @self: the context
 *
 * Returns what the operating system calls the process.
 *
 * Returns: the number, never 0
 */
gint64
sw_trace_context_get_process_id (SwTraceContext *self)
{
  SwTraceCore *core;
  gint64 pid;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);

  core = self->core;
  sw_trace_core_lock (core);
  pid = core->session.pid;
  sw_trace_core_unlock (core);
  return pid;
}

/**
 * sw_trace_context_dup_process_name:
 * @self: the context
 *
 * Returns what the process is called in what is written.
 *
 * Returns: (transfer full) (nullable): the name; %NULL where none is known
 */
char *
sw_trace_context_dup_process_name (SwTraceContext *self)
{
  SwTraceCore *core;
  char *name;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), NULL);

  core = self->core;
  sw_trace_core_lock (core);
  name = g_strdup (core->process_name);
  sw_trace_core_unlock (core);
  return name;
}

/**
 * sw_trace_context_set_process_name:
 * @self: the context
 * @name: (nullable): the name; %NULL for none
 *
 * Names the process in what is written, also of what was recorded before.
 */
void
sw_trace_context_set_process_name (SwTraceContext *self,
                                   const char *name)
{
  g_return_if_fail (SW_IS_TRACE_CONTEXT (self));

  sw_trace_core_set_process_name (self->core, name);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROCESS_NAME]);
}

/**
 * sw_trace_context_set_thread_name:
 * @name: (nullable): the name; %NULL for what the system calls the thread
 *
 * Names the calling thread in all results of the process, also of what was recorded before.
 */
void
sw_trace_context_set_thread_name (const char *name)
{
  sw_lane_set_name (name);
  sw_trace_live_rename_thread ();
}

static SwTraceCounts
get_counts (SwTraceContext *self)
{
  SwTraceCounts counts;

  sw_trace_core_get_counts (self->core, &counts);
  return counts;
}

/**
 * sw_trace_context_get_emitted_count:
 * @self: the context
 *
 * Returns how many events were emitted, those that were dropped included; what the context does not record is none.
 *
 * Returns: the number of events
 */
guint64
sw_trace_context_get_emitted_count (SwTraceContext *self)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);

  return get_counts (self).emitted;
}

/**
 * sw_trace_context_get_dropped_count:
 * @self: the context
 *
 * Returns how many events found no place in their thread's queue, of 4 MiB, or were larger than a quarter of it.
 *
 * Returns: the number of events
 */
guint64
sw_trace_context_get_dropped_count (SwTraceContext *self)
{
  SwTraceCounts counts;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);

  counts = get_counts (self);
  return counts.dropped + counts.too_large;
}

/**
 * sw_trace_context_get_misplaced_end_count:
 * @self: the context
 *
 * Returns how many spans ended while others that began inside of them were still open. All are recorded with their own
 * times, and are shown beside each other.
 *
 * Returns: the number of spans
 */
guint64
sw_trace_context_get_misplaced_end_count (SwTraceContext *self)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);

  return get_counts (self).misplaced;
}

/**
 * sw_trace_context_get_backward_clock_count:
 * @self: the context
 *
 * Returns how many spans ended before they began, as the clock went back, and have no length therefore. They are counted
 * when they are passed on to a collector; files count them as `negative_duration`, too.
 *
 * Returns: the number of spans
 */
guint64
sw_trace_context_get_backward_clock_count (SwTraceContext *self)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);

  return get_counts (self).backward;
}

static void
sw_trace_context_finalize (GObject *object)
{
  SwTraceContext *self = SW_TRACE_CONTEXT (object);

  sw_trace_core_close (self->core);
  G_OBJECT_CLASS (sw_trace_context_parent_class)->finalize (object);
}

static void
sw_trace_context_get_property (GObject *object,
                               guint id,
                               GValue *value,
                               GParamSpec *pspec)
{
  SwTraceContext *self = SW_TRACE_CONTEXT (object);

  switch (id)
    {
    case PROP_ENABLED:
      g_value_set_boolean (value, sw_trace_context_get_enabled (self));
      break;
    case PROP_VERBOSITY:
      g_value_set_enum (value, sw_trace_context_get_verbosity (self));
      break;
    case PROP_COLLECTOR:
      g_value_take_object (value, sw_trace_context_dup_collector (self));
      break;
    case PROP_SESSION_ID:
      g_value_take_string (value, sw_trace_context_dup_session_id (self));
      break;
    case PROP_PROCESS_NAME:
      g_value_take_string (value, sw_trace_context_dup_process_name (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sw_trace_context_set_property (GObject *object,
                               guint id,
                               const GValue *value,
                               GParamSpec *pspec)
{
  SwTraceContext *self = SW_TRACE_CONTEXT (object);

  switch (id)
    {
    case PROP_ENABLED:
      sw_trace_context_set_enabled (self, g_value_get_boolean (value));
      break;
    case PROP_VERBOSITY:
      sw_trace_context_set_verbosity (self, g_value_get_enum (value));
      break;
    case PROP_COLLECTOR:
      sw_trace_context_set_collector (self, g_value_get_object (value));
      break;
    case PROP_PROCESS_NAME:
      sw_trace_context_set_process_name (self, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sw_trace_context_class_init (SwTraceContextClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = sw_trace_context_get_property;
  object_class->set_property = sw_trace_context_set_property;
  object_class->finalize = sw_trace_context_finalize;

  /**
   * SwTraceContext:enabled:
   *
   * Whether the context is switched on.
   */
  properties[PROP_ENABLED] = g_param_spec_boolean ("enabled", NULL, NULL, FALSE, flags);
  /**
   * SwTraceContext:verbosity:
   *
   * How much it records.
   */
  properties[PROP_VERBOSITY] = g_param_spec_enum ("verbosity", NULL, NULL, SW_TYPE_TRACE_VERBOSITY,
                                                  SW_TRACE_VERBOSITY_FULL, flags);
  /**
   * SwTraceContext:collector:
   *
   * Where its events go; %NULL for nowhere.
   */
  properties[PROP_COLLECTOR] = g_param_spec_object ("collector", NULL, NULL, SW_TYPE_COLLECTOR, flags);
  /**
   * SwTraceContext:session-id:
   *
   * The id of the session.
   */
  properties[PROP_SESSION_ID] =
      g_param_spec_string ("session-id", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * SwTraceContext:process-name:
   *
   * What the process is called in what is written.
   */
  properties[PROP_PROCESS_NAME] = g_param_spec_string ("process-name", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
sw_trace_context_init (SwTraceContext *self)
{
  SwTraceCore *core = sw_trace_core_new ();

  self->core = core;
  core->object_level = &self->level;
}
