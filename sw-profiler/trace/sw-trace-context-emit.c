/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-context-private.h"

#include "sw/base/sw-error.h"

/* What bindings emit with. */

/**
 * sw_trace_context_is_on:
 * @self: the context
 * @level: a level
 *
 * Returns whether events of a level are recorded now: what to ask before arguments are put together.
 *
 * Returns: whether they are
 */
gboolean
sw_trace_context_is_on (SwTraceContext *self,
                        SwTraceVerbosity level)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);

  /* Relaxed: a switch is seen soon, and orders nothing. */
  return level != SW_TRACE_VERBOSITY_NONE && __atomic_load_n (&self->level, __ATOMIC_RELAXED) >= (guint) level;
}

static gboolean
check_level (SwTraceVerbosity level,
             GError **error)
{
  if (level >= SW_TRACE_VERBOSITY_DECISIONS && level <= SW_TRACE_VERBOSITY_FULL)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "level is %d, which is none of DECISIONS, OPERATIONS and FULL",
               (int) level);
  return FALSE;
}

static gboolean
init_spec (SwTraceSpec *self,
           SwTraceArgumentList *list,
           const char *name,
           const char *category,
           SwTraceVerbosity level,
           GVariant *arguments,
           GError **error)
{
  if (!check_level (level, error) || !sw_trace_argument_list_init (list, arguments, error))
    return FALSE;
  *self = (SwTraceSpec){
    .name = name,
    .category = category != NULL ? category : "",
    .level = level,
    .arguments = list->arguments,
    .n_arguments = list->n,
  };
  return TRUE;
}

/**
 * sw_trace_context_begin_span:
 * @self: the context
 * @name: what the span is called
 * @category: (nullable): what viewers filter by; %NULL for none
 * @level: from which verbosity on it is recorded
 * @arguments: (nullable): a dictionary of type `a{sv}` of strings, numbers, booleans, and tuples of int64 for shapes; %NULL
 *   for none
 * @error: where an error goes
 *
 * Begins a span of the calling thread: what bindings build their scopes on.
 *
 * Returns: a token for [method@Strideweave.TraceContext.end_span]; 0 where nothing is recorded, or with %SW_ERROR_TYPE for
 *   what is no argument, or with %SW_ERROR_VALUE for a level that is none
 */
guint64
sw_trace_context_begin_span (SwTraceContext *self,
                             const char *name,
                             const char *category,
                             SwTraceVerbosity level,
                             GVariant *arguments,
                             GError **error)
{
  SwTraceProducer *producer;
  SwTraceArgumentList list;
  SwTraceSpec spec;
  guint64 token = 0;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);
  g_return_val_if_fail (name != NULL, 0);

  if (!sw_trace_context_is_on (self, level))
    {
      check_level (level, error);
      return 0;
    }
  if (!init_spec (&spec, &list, name, category, level, arguments, error))
    return 0;
  producer = sw_trace_core_get_producer (self->core);
  if (producer != NULL)
    token = sw_trace_producer_begin (producer, &spec);
  sw_trace_argument_list_clear (&list);
  return token;
}

/**
 * sw_trace_context_end_span:
 * @self: the context
 * @token: what beginning it returned; 0 does nothing
 * @error: where an error goes
 *
 * Ends a span, on the thread that began it. One that was ended when the context was switched off stays as it is.
 *
 * Returns: %FALSE with %SW_ERROR_STATE where the calling thread has no such span open
 */
gboolean
sw_trace_context_end_span (SwTraceContext *self,
                           guint64 token,
                           GError **error)
{
  SwTraceProducer *producer;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);

  if (token == 0)
    return TRUE;
  producer = sw_trace_core_get_producer (self->core);
  if (producer == NULL || sw_trace_producer_end (producer, token))
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_STATE,
               "token is %" G_GUINT64_FORMAT ", which is no span that this thread has open in the context", token);
  return FALSE;
}

/**
 * sw_trace_context_annotate:
 * @self: the context
 * @key: the name of the argument
 * @value: a string, number or boolean, or a tuple of int64 for a shape
 * @error: where an error goes
 *
 * Adds an argument to the innermost span that the calling thread has open; does nothing where there is none.
 *
 * Returns: %FALSE with %SW_ERROR_TYPE for what is no argument
 */
gboolean
sw_trace_context_annotate (SwTraceContext *self,
                           const char *key,
                           GVariant *value,
                           GError **error)
{
  g_autoptr (GVariant) owned = NULL;
  SwTraceProducer *producer;
  SwTraceArgument argument;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);
  g_return_val_if_fail (key != NULL && value != NULL, FALSE);

  owned = g_variant_ref_sink (value);
  if (!sw_trace_argument_init_from_variant (&argument, key, owned, error))
    return FALSE;
  producer = sw_trace_context_is_on (self, SW_TRACE_VERBOSITY_DECISIONS) ? sw_trace_core_get_producer (self->core) : NULL;
  if (producer != NULL)
    sw_trace_producer_annotate (producer, &argument);
  sw_trace_argument_clear_variant (&argument);
  return TRUE;
}

/**
 * sw_trace_context_emit_instant:
 * @self: the context
 * @name: what happened
 * @category: (nullable): what viewers filter by; %NULL for none
 * @level: from which verbosity on it is recorded
 * @arguments: (nullable): as for [method@Strideweave.TraceContext.begin_span]; %NULL for none
 * @error: where an error goes
 *
 * Records that something happened now, on the calling thread.
 *
 * Returns: %FALSE with %SW_ERROR_TYPE or %SW_ERROR_VALUE, as for [method@Strideweave.TraceContext.begin_span]
 */
gboolean
sw_trace_context_emit_instant (SwTraceContext *self,
                               const char *name,
                               const char *category,
                               SwTraceVerbosity level,
                               GVariant *arguments,
                               GError **error)
{
  SwTraceProducer *producer;
  SwTraceArgumentList list;
  SwTraceSpec spec;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (!sw_trace_context_is_on (self, level))
    return check_level (level, error);
  if (!init_spec (&spec, &list, name, category, level, arguments, error))
    return FALSE;
  producer = sw_trace_core_get_producer (self->core);
  if (producer != NULL)
    sw_trace_producer_instant (producer, &spec);
  sw_trace_argument_list_clear (&list);
  return TRUE;
}

static gboolean
emit_counter (SwTraceContext *self,
              const char *name,
              SwTraceVerbosity level,
              guint64 bits,
              gboolean is_integer,
              GError **error)
{
  SwTraceSpec spec = { .name = name, .category = "", .level = level };
  SwTraceProducer *producer;

  if (!sw_trace_context_is_on (self, level))
    return check_level (level, error);
  producer = sw_trace_core_get_producer (self->core);
  if (producer != NULL)
    sw_trace_producer_counter (producer, &spec, bits, is_integer);
  return TRUE;
}

/**
 * sw_trace_context_emit_counter:
 * @self: the context
 * @name: what is counted
 * @level: from which verbosity on it is recorded
 * @value: the value from now on
 * @error: where an error goes
 *
 * Records what a counter of the process counts from now on.
 *
 * Returns: %FALSE with %SW_ERROR_VALUE for a level that is none
 */
gboolean
sw_trace_context_emit_counter (SwTraceContext *self,
                               const char *name,
                               SwTraceVerbosity level,
                               double value,
                               GError **error)
{
  union
  {
    double real;
    guint64 bits;
  } cell = { .real = value };

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  return emit_counter (self, name, level, cell.bits, FALSE, error);
}

/**
 * sw_trace_context_emit_counter_int64:
 * @self: the context
 * @name: what is counted
 * @level: from which verbosity on it is recorded
 * @value: the value from now on
 * @error: where an error goes
 *
 * Records what a counter of the process counts from now on, all 64 bits of it.
 *
 * Returns: %FALSE with %SW_ERROR_VALUE for a level that is none
 */
gboolean
sw_trace_context_emit_counter_int64 (SwTraceContext *self,
                                     const char *name,
                                     SwTraceVerbosity level,
                                     gint64 value,
                                     GError **error)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  return emit_counter (self, name, level, (guint64) value, TRUE, error);
}

/**
 * sw_trace_context_begin_async_span:
 * @self: the context
 * @name: what the span is called
 * @category: (nullable): what viewers filter by; %NULL for none
 * @level: from which verbosity on it is recorded
 * @arguments: (nullable): as for [method@Strideweave.TraceContext.begin_span]; %NULL for none
 * @error: where an error goes
 *
 * Begins a span that belongs to no thread: any may end it, and it may overlap others.
 *
 * Returns: an id for [method@Strideweave.TraceContext.end_async_span], unique in the process; 0 where nothing is recorded,
 *   or with an error as for [method@Strideweave.TraceContext.begin_span]
 */
guint64
sw_trace_context_begin_async_span (SwTraceContext *self,
                                   const char *name,
                                   const char *category,
                                   SwTraceVerbosity level,
                                   GVariant *arguments,
                                   GError **error)
{
  SwTraceArgumentList list;
  SwTraceSpec spec;
  guint64 id = 0;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), 0);
  g_return_val_if_fail (name != NULL, 0);

  if (!sw_trace_context_is_on (self, level))
    {
      check_level (level, error);
      return 0;
    }
  if (!init_spec (&spec, &list, name, category, level, arguments, error))
    return 0;
  /* There is a queue then for the case that it is ended from outside. */
  if (sw_trace_core_get_producer (self->core) != NULL)
    id = sw_trace_core_begin_async (self->core, &spec);
  sw_trace_argument_list_clear (&list);
  return id;
}

/**
 * sw_trace_context_end_async_span:
 * @self: the context
 * @id: what beginning it returned; 0 does nothing
 * @error: where an error goes
 *
 * Ends a span that belongs to no thread. One that was ended when the context was switched off stays as it is.
 *
 * Returns: %FALSE with %SW_ERROR_STATE for an id that no span ever had
 */
gboolean
sw_trace_context_end_async_span (SwTraceContext *self,
                                 guint64 id,
                                 GError **error)
{
  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);

  if (id == 0 || sw_trace_core_end_async (self->core, id))
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "id is %" G_GUINT64_FORMAT ", which no span ever had", id);
  return FALSE;
}

/**
 * sw_trace_context_flush:
 * @self: the context
 * @error: where an error goes
 *
 * Makes sure that all that was emitted before has arrived at the collector, and flushes that.
 *
 * Returns: %FALSE with what [method@Strideweave.Collector.flush] reports
 */
gboolean
sw_trace_context_flush (SwTraceContext *self,
                        GError **error)
{
  g_autoptr (SwCollector) collector = NULL;

  g_return_val_if_fail (SW_IS_TRACE_CONTEXT (self), FALSE);

  sw_trace_core_drain (self->core);
  collector = sw_trace_core_dup_collector (self->core);
  return collector == NULL || sw_collector_flush (collector, error);
}
