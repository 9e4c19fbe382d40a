/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-file-collector.h"

#include "sw-profiler/trace/sw-collector-private.h"
#include "library/sw-enum-types.h"
#include "sw-profiler/trace/sw-trace-scribe-private.h"
#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-thread-private.h"

/**
 * SwFileCollector:
 *
 * Writes events to a file, while they come, in one of the formats that [enum@Strideweave.TraceFormat] names.
 *
 * The file is opened when the collector is made, with mode 0600; no symbolic link is followed, and no two collectors write
 * to one file. A path that ends in `.gz` is compressed. Memory stays the same however long the trace becomes. About once
 * a second what was recorded is handed to the operating system: that much may be missing after a crash or a `kill -9`,
 * and the rest is readable. [method@Strideweave.Collector.close] completes the file; how many events were dropped is
 * written into it then.
 *
 * When writing fails, as on a full disk or when the file is deleted meanwhile, the recorded code is not disturbed: events
 * since the last flush that worked are dropped and counted, and the next [method@Strideweave.Collector.flush] or
 * [method@Strideweave.Collector.close] says why.
 *
 * In the child of a fork the collector writes nothing: the file is the parent's.
 */
struct _SwFileCollector
{
  SwCollector parent_instance;

  char *path;
  SwTraceFormat format;
  guint fork_count; /* whose file it is */
  gint64 created_ns;
  SwTraceSink *sink;     /* until the session is known */
  SwTraceScribe *scribe; /* from then on */
  guint64 n_pending;     /* events since the last flush */
  gboolean has_failed;
};

enum
{
  PROP_PATH = 1,
  PROP_FORMAT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (SwFileCollector, sw_file_collector, SW_TYPE_COLLECTOR)

static gboolean
is_inherited (SwFileCollector *self)
{
  return self->fork_count != sw_fork_get_count ();
}

static void
begin (SwFileCollector *self,
       const SwTraceSession *session)
{
  SwTraceSession own = *session;

  own.wall_ns += self->created_ns - own.base_ns;
  own.base_ns = self->created_ns;
  self->scribe = sw_trace_scribe_new (sw_trace_writer_new_for_sink (self->format, g_steal_pointer (&self->sink), &own));
}

static void
attach (SwCollector *collector,
        const SwTraceSession *session)
{
  SwFileCollector *self = SW_FILE_COLLECTOR (collector);

  if (is_inherited (self))
    return;
  if (self->sink != NULL)
    begin (self, session);
  else
    sw_trace_scribe_set_process_name (self->scribe, session->process_name);
}

/* A collector that no context ever had, or that another one passes events to. */
static void
begin_without_context (SwFileCollector *self)
{
  SwTraceSession session;

  if (self->sink == NULL)
    return;
  sw_trace_session_init (&session, self->created_ns);
  begin (self, &session);
  g_free ((char *) session.process_name);
}

static gboolean
take (SwCollector *collector,
      const SwTraceRecord *record,
      GError **error)
{
  SwFileCollector *self = SW_FILE_COLLECTOR (collector);

  if (is_inherited (self) || self->has_failed)
    return FALSE;
  begin_without_context (self);
  sw_trace_scribe_put (self->scribe, record);
  self->n_pending++;
  return TRUE;
}

/* Of what was on its way when writing failed, nobody can tell what arrived. */
static void
settle (SwFileCollector *self,
        gboolean succeeded)
{
  if (!succeeded)
    sw_collector_give_back (SW_COLLECTOR (self), self->n_pending);
  self->n_pending = 0;
}

static gboolean
flush (SwCollector *collector,
       GError **error)
{
  SwFileCollector *self = SW_FILE_COLLECTOR (collector);

  if (is_inherited (self) || self->has_failed)
    return TRUE;
  begin_without_context (self);
  self->has_failed = !sw_trace_scribe_flush (self->scribe, error);
  settle (self, !self->has_failed);
  return !self->has_failed;
}

static gboolean
finish (SwCollector *collector,
        GError **error)
{
  SwFileCollector *self = SW_FILE_COLLECTOR (collector);
  gboolean had_failed = self->has_failed;
  gboolean succeeded;

  if (is_inherited (self))
    return TRUE;
  begin_without_context (self);
  /* What failed before was reported, or will be. */
  succeeded = sw_trace_scribe_close (g_steal_pointer (&self->scribe), sw_collector_get_dropped_count (collector),
                                     had_failed ? NULL : error);
  settle (self, succeeded);
  return succeeded || had_failed;
}

/**
 * sw_file_collector_new:
 * @path: (type filename): where to
 * @format: in what form
 * @error: where an error goes
 *
 * Makes a collector, and its file.
 *
 * Returns: (transfer full): the collector, or %NULL with %SW_ERROR_IO where the file cannot be written, or
 *   %SW_ERROR_VALUE for what is no format
 */
SwFileCollector *
sw_file_collector_new (const char *path,
                       SwTraceFormat format,
                       GError **error)
{
  SwFileCollector *self;
  SwTraceSink *sink;

  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!sw_trace_format_check (format, error))
    return NULL;
  sink = sw_trace_sink_new_for_path (path, SW_TRACE_SINK_STREAM, error);
  if (sink == NULL)
    return NULL;
  self = g_object_new (SW_TYPE_FILE_COLLECTOR, NULL);
  self->path = g_strdup (path);
  self->format = format;
  self->sink = sink;
  return self;
}

/**
 * sw_file_collector_dup_path:
 * @self: the collector
 *
 * Returns where the collector writes to.
 *
 * Returns: (transfer full) (type filename): the path, as it was given
 */
char *
sw_file_collector_dup_path (SwFileCollector *self)
{
  g_return_val_if_fail (SW_IS_FILE_COLLECTOR (self), NULL);

  return g_strdup (self->path);
}

/**
 * sw_file_collector_get_format:
 * @self: the collector
 *
 * Returns in what form the collector writes.
 *
 * Returns: the format
 */
SwTraceFormat
sw_file_collector_get_format (SwFileCollector *self)
{
  g_return_val_if_fail (SW_IS_FILE_COLLECTOR (self), SW_TRACE_FORMAT_CHROME_JSON);

  return self->format;
}

/* No context has it any more. */
static void
sw_file_collector_dispose (GObject *object)
{
  SwFileCollector *self = SW_FILE_COLLECTOR (object);
  g_autoptr (GError) error = NULL;

  if ((self->sink != NULL || self->scribe != NULL) && !is_inherited (self) &&
      !sw_collector_close (SW_COLLECTOR (self), &error))
    g_warning ("%s", error->message);
  G_OBJECT_CLASS (sw_file_collector_parent_class)->dispose (object);
}

static void
sw_file_collector_finalize (GObject *object)
{
  SwFileCollector *self = SW_FILE_COLLECTOR (object);

  g_free (self->path);
  G_OBJECT_CLASS (sw_file_collector_parent_class)->finalize (object);
}

static void
sw_file_collector_get_property (GObject *object,
                                guint id,
                                GValue *value,
                                GParamSpec *pspec)
{
  SwFileCollector *self = SW_FILE_COLLECTOR (object);

  switch (id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_FORMAT:
      g_value_set_enum (value, self->format);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sw_file_collector_class_init (SwFileCollectorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  SwCollectorClass *collector_class = SW_COLLECTOR_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = sw_file_collector_get_property;
  object_class->dispose = sw_file_collector_dispose;
  object_class->finalize = sw_file_collector_finalize;
  collector_class->flush = flush;
  collector_class->close = finish;
  collector_class->take = take;
  collector_class->attach = attach;
  collector_class->tick = flush;

  /**
   * SwFileCollector:path:
   *
   * Where it writes to.
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  /**
   * SwFileCollector:format:
   *
   * In what form it writes.
   */
  properties[PROP_FORMAT] =
      g_param_spec_enum ("format", NULL, NULL, SW_TYPE_TRACE_FORMAT, SW_TRACE_FORMAT_CHROME_JSON, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
sw_file_collector_init (SwFileCollector *self)
{
  sw_gate_watch_fork ();
  self->fork_count = sw_fork_get_count ();
  self->created_ns = sw_clock_monotonic_ns ();
}
