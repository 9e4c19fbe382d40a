/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-memory-collector.h"

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw-profiler/trace/sw-trace-event-private.h"
#include "sw-profiler/trace/sw-trace-scribe-private.h"
#include "sw/base/sw-error.h"

/* What a pointer array can hold. */
#define MAX_CAPACITY (1 << 30)

/**
 * SwMemoryCollector:
 *
 * Keeps events in memory, up to a number; what comes after that is dropped and counted.
 */
struct _SwMemoryCollector
{
  SwCollector parent_instance;

  gint64 capacity;
  GPtrArray *events; /* of who has the collector's turn, as is the rest */
  SwTraceSession session;
  char *process_name;
  gboolean has_left_parent; /* a thread of which was just changing these */
};

enum
{
  PROP_CAPACITY = 1,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (SwMemoryCollector, sw_memory_collector, SW_TYPE_COLLECTOR)

static GPtrArray *
new_events (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sw_trace_event_unref);
}

static gboolean
enter (SwMemoryCollector *self)
{
  gboolean is_new = sw_collector_enter (SW_COLLECTOR (self));

  if (sw_collector_is_abandoned (SW_COLLECTOR (self)) && !self->has_left_parent)
    {
      self->has_left_parent = TRUE;
      self->events = new_events ();
      self->session = (SwTraceSession){ 0 };
      self->process_name = NULL;
    }
  return is_new;
}

static void
leave (SwMemoryCollector *self,
       gboolean is_new)
{
  if (is_new)
    sw_collector_leave (SW_COLLECTOR (self));
}

static void
attach (SwCollector *collector,
        const SwTraceSession *session)
{
  SwMemoryCollector *self = SW_MEMORY_COLLECTOR (collector);

  self->session = *session;
  g_free (self->process_name);
  self->process_name = g_strdup (session->process_name);
  self->session.process_name = self->process_name;
}

static gboolean
take (SwCollector *collector,
      const SwTraceRecord *record,
      GError **error)
{
  SwMemoryCollector *self = SW_MEMORY_COLLECTOR (collector);

  if (self->events->len >= self->capacity)
    return FALSE;
  g_ptr_array_add (self->events, sw_trace_event_new (record));
  return TRUE;
}

/**
 * sw_memory_collector_new:
 * @capacity: how many events it keeps at most
 * @error: where an error goes
 *
 * Makes a collector that keeps events in memory.
 *
 * Returns: (transfer full): the collector, or %NULL with %SW_ERROR_VALUE for a capacity that is not from 1 to 2³⁰
 */
SwMemoryCollector *
sw_memory_collector_new (gint64 capacity,
                         GError **error)
{
  SwMemoryCollector *self;

  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (capacity < 1 || capacity > MAX_CAPACITY)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "capacity is %" G_GINT64_FORMAT ", which is not from 1 to %d", capacity,
                   MAX_CAPACITY);
      return NULL;
    }
  self = g_object_new (SW_TYPE_MEMORY_COLLECTOR, NULL);
  self->capacity = capacity;
  return self;
}

/**
 * sw_memory_collector_get_capacity:
 * @self: the collector
 *
 * Returns how many events the collector keeps at most.
 *
 * Returns: the number of events
 */
gint64
sw_memory_collector_get_capacity (SwMemoryCollector *self)
{
  g_return_val_if_fail (SW_IS_MEMORY_COLLECTOR (self), 0);

  return self->capacity;
}

/**
 * sw_memory_collector_dup_events:
 * @self: the collector
 *
 * Returns all events that were emitted before: those of each thread in the order in which they ended.
 *
 * The list is the caller's own, and does not change when more is recorded.
 *
 * Returns: (transfer container) (element-type SwTraceEvent): the events
 */
GPtrArray *
sw_memory_collector_dup_events (SwMemoryCollector *self)
{
  GPtrArray *events;
  gboolean is_new;

  g_return_val_if_fail (SW_IS_MEMORY_COLLECTOR (self), NULL);

  sw_trace_drain_all ();
  events = new_events ();
  is_new = enter (self);
  for (guint i = 0; i < self->events->len; i++)
    g_ptr_array_add (events, sw_trace_event_ref (g_ptr_array_index (self->events, i)));
  leave (self, is_new);
  return events;
}

/**
 * sw_memory_collector_clear:
 * @self: the collector
 *
 * Forgets all events that were emitted before, so that there is room for others.
 */
void
sw_memory_collector_clear (SwMemoryCollector *self)
{
  GPtrArray *events;
  gboolean is_new;

  g_return_if_fail (SW_IS_MEMORY_COLLECTOR (self));

  sw_trace_drain_all ();
  is_new = enter (self);
  events = self->events;
  self->events = new_events ();
  leave (self, is_new);
  g_ptr_array_unref (events);
}

static gint64
get_first_start (GPtrArray *events)
{
  gint64 first = G_MAXINT64;

  for (guint i = 0; i < events->len; i++)
    first = MIN (first, sw_trace_event_get_start_ns (g_ptr_array_index (events, i)));
  return events->len > 0 ? first : sw_clock_monotonic_ns ();
}

/* A session of its own for what no context ever passed anything to. */
static char *
init_session (SwMemoryCollector *self,
              SwTraceSession *session,
              gint64 base_ns)
{
  gboolean is_new = enter (self);
  char *process_name = NULL;

  if (self->session.pid != 0)
    {
      *session = self->session;
      session->process_name = process_name = g_strdup (self->process_name);
      session->wall_ns += base_ns - session->base_ns;
      session->base_ns = base_ns;
    }
  else
    {
      sw_trace_session_init (session, base_ns);
      process_name = (char *) session->process_name;
    }
  leave (self, is_new);
  return process_name;
}

/**
 * sw_memory_collector_write_trace:
 * @self: the collector
 * @path: (type filename): where to
 * @format: in what form
 * @error: where an error goes
 *
 * Writes all events that were emitted before to a file, which is there once it is complete.
 *
 * Returns: %FALSE with %SW_ERROR_IO where it cannot be written, or %SW_ERROR_VALUE for what is no format
 */
gboolean
sw_memory_collector_write_trace (SwMemoryCollector *self,
                                 const char *path,
                                 SwTraceFormat format,
                                 GError **error)
{
  g_autoptr (GPtrArray) events = NULL;
  g_autofree char *process_name = NULL;
  SwTraceSession session;
  SwTraceWriter *writer;
  SwTraceScribe *scribe;

  g_return_val_if_fail (SW_IS_MEMORY_COLLECTOR (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!sw_trace_format_check (format, error))
    return FALSE;
  events = sw_memory_collector_dup_events (self);
  process_name = init_session (self, &session, get_first_start (events));
  writer = sw_trace_writer_new_for_path (format, path, SW_TRACE_SINK_WHOLE, &session, error);
  if (writer == NULL)
    return FALSE;
  scribe = sw_trace_scribe_new (writer);
  for (guint i = 0; i < events->len; i++)
    sw_trace_scribe_put (scribe, sw_trace_event_peek_record (g_ptr_array_index (events, i)));
  return sw_trace_scribe_close (scribe, sw_collector_get_dropped_count (SW_COLLECTOR (self)), error);
}

static void
sw_memory_collector_finalize (GObject *object)
{
  SwMemoryCollector *self = SW_MEMORY_COLLECTOR (object);

  leave (self, enter (self));
  g_ptr_array_unref (self->events);
  g_free (self->process_name);
  G_OBJECT_CLASS (sw_memory_collector_parent_class)->finalize (object);
}

static void
sw_memory_collector_get_property (GObject *object,
                                  guint id,
                                  GValue *value,
                                  GParamSpec *pspec)
{
  if (id == PROP_CAPACITY)
    g_value_set_int64 (value, SW_MEMORY_COLLECTOR (object)->capacity);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sw_memory_collector_class_init (SwMemoryCollectorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  SwCollectorClass *collector_class = SW_COLLECTOR_CLASS (klass);

  object_class->get_property = sw_memory_collector_get_property;
  object_class->finalize = sw_memory_collector_finalize;
  collector_class->take = take;
  collector_class->attach = attach;

  /**
   * SwMemoryCollector:capacity:
   *
   * How many events it keeps at most.
   */
  properties[PROP_CAPACITY] = g_param_spec_int64 ("capacity", NULL, NULL, 1, MAX_CAPACITY, 65536,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
sw_memory_collector_init (SwMemoryCollector *self)
{
  self->capacity = 65536;
  self->events = new_events ();
}
