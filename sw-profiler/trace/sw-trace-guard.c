/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-guard.h"

#include "sw-profiler/trace/sw-trace-scope.h"

/* NULL guards what is not recorded: a guard that nothing listens to costs a load and a branch. */

struct _SwTraceGuard
{
  SwTraceContext *context;
  guint64 token;
};

struct _SwTraceAsyncGuard
{
  SwTraceContext *context;
  guint64 id;
};

/* What is no level is told of, whatever is recorded. */
static inline gboolean
is_wanted (SwTraceContext *context,
           SwTraceVerbosity level)
{
  return SW_TRACE_IS_ON (context, level) || level < SW_TRACE_VERBOSITY_DECISIONS || level > SW_TRACE_VERBOSITY_FULL;
}

/* The function may keep the dictionary, which therefore is no variable of ours. */
static GVariant *
make_arguments (SwTraceArgumentsFunc func,
                gpointer data)
{
  g_autoptr (GVariantDict) arguments = NULL;

  if (func == NULL)
    return NULL;
  arguments = g_variant_dict_new (NULL);
  func (arguments, data);
  return g_variant_ref_sink (g_variant_dict_end (arguments));
}

/**
 * SwTraceGuard: (skip)
 *
 * A span of a [class@Strideweave.TraceContext] that lasts as long as what holds it.
 */

/**
 * sw_trace_guard_new: (skip)
 * @context: (nullable): the context, or %NULL for the default one
 * @name: what the span is called; it is copied
 * @category: (nullable): what viewers filter by; %NULL for none
 * @level: from which verbosity on it is recorded
 * @func: (nullable) (scope call): what fills in the arguments, called only when the span is recorded
 * @data: for @func
 * @error: where an error goes
 *
 * Begins a span of the calling thread.
 *
 * Returns: (transfer full) (nullable): the span; %NULL, without an error a guard, too, when none is recorded. Fails as
 *   [method@Strideweave.TraceContext.begin_span] does
 */
SwTraceGuard *
sw_trace_guard_new (SwTraceContext *context,
                    const char *name,
                    const char *category,
                    SwTraceVerbosity level,
                    SwTraceArgumentsFunc func,
                    gpointer data,
                    GError **error)
{
  g_autoptr (GVariant) arguments = NULL;
  SwTraceGuard *self;
  guint64 token;

  g_return_val_if_fail (context == NULL || SW_IS_TRACE_CONTEXT (context), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  if (!is_wanted (context, level))
    return NULL;
  if (context == NULL)
    context = sw_trace_context_get_default ();
  arguments = make_arguments (func, data);
  token = sw_trace_context_begin_span (context, name, category, level, arguments, error);
  if (token == 0)
    return NULL;
  self = g_new (SwTraceGuard, 1);
  self->context = g_object_ref (context);
  self->token = token;
  return self;
}

/**
 * sw_trace_guard_is_recorded: (skip)
 * @self: (nullable): a span
 *
 * Tells whether the span is recorded.
 *
 * Returns: whether it is
 */
gboolean
sw_trace_guard_is_recorded (SwTraceGuard *self)
{
  return self != NULL;
}

/**
 * sw_trace_guard_free: (skip)
 * @self: (transfer full) (nullable): a span
 *
 * Ends a span. On another thread than the one that began it this has no effect, but to be counted.
 */
void
sw_trace_guard_free (SwTraceGuard *self)
{
  if (self == NULL)
    return;
  /* Nobody is here to hear of a failure. */
  sw_trace_context_end_span (self->context, self->token, NULL);
  g_object_unref (self->context);
  g_free (self);
}

/**
 * SwTraceAsyncGuard: (skip)
 *
 * A span that belongs to no thread, and lasts as long as what holds it.
 */

/**
 * sw_trace_async_guard_new: (skip)
 * @context: (nullable): the context, or %NULL for the default one
 * @name: what the span is called; it is copied
 * @category: (nullable): what viewers filter by; %NULL for none
 * @level: from which verbosity on it is recorded
 * @func: (nullable) (scope call): what fills in the arguments, called only when the span is recorded
 * @data: for @func
 * @error: where an error goes
 *
 * Begins a span that may overlap others.
 *
 * Returns: (transfer full) (nullable): the span; %NULL, without an error a guard, too, when none is recorded. Fails as
 *   [method@Strideweave.TraceContext.begin_async_span] does
 */
SwTraceAsyncGuard *
sw_trace_async_guard_new (SwTraceContext *context,
                          const char *name,
                          const char *category,
                          SwTraceVerbosity level,
                          SwTraceArgumentsFunc func,
                          gpointer data,
                          GError **error)
{
  g_autoptr (GVariant) arguments = NULL;
  SwTraceAsyncGuard *self;
  guint64 id;

  g_return_val_if_fail (context == NULL || SW_IS_TRACE_CONTEXT (context), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  if (!is_wanted (context, level))
    return NULL;
  if (context == NULL)
    context = sw_trace_context_get_default ();
  arguments = make_arguments (func, data);
  id = sw_trace_context_begin_async_span (context, name, category, level, arguments, error);
  if (id == 0)
    return NULL;
  self = g_new (SwTraceAsyncGuard, 1);
  self->context = g_object_ref (context);
  self->id = id;
  return self;
}

/**
 * sw_trace_async_guard_is_recorded: (skip)
 * @self: (nullable): a span
 *
 * Tells whether the span is recorded.
 *
 * Returns: whether it is
 */
gboolean
sw_trace_async_guard_is_recorded (SwTraceAsyncGuard *self)
{
  return self != NULL;
}

/**
 * sw_trace_async_guard_free: (skip)
 * @self: (transfer full) (nullable): a span
 *
 * Ends a span, on any thread.
 */
void
sw_trace_async_guard_free (SwTraceAsyncGuard *self)
{
  if (self == NULL)
    return;
  /* As in sw_trace_guard_free (). */
  sw_trace_context_end_async_span (self->context, self->id, NULL);
  g_object_unref (self->context);
  g_free (self);
}

/**
 * sw_trace_guard_emit_instant: (skip)
 * @context: (nullable): the context, or %NULL for the default one
 * @name: what happened
 * @category: (nullable): what viewers filter by; %NULL for none
 * @level: from which verbosity on it is recorded
 * @func: (nullable) (scope call): what fills in the arguments, called only when the instant is recorded
 * @data: for @func
 * @error: where an error goes
 *
 * Records that something happened now, on the calling thread.
 *
 * Returns: %FALSE as for [method@Strideweave.TraceContext.emit_instant]
 */
gboolean
sw_trace_guard_emit_instant (SwTraceContext *context,
                             const char *name,
                             const char *category,
                             SwTraceVerbosity level,
                             SwTraceArgumentsFunc func,
                             gpointer data,
                             GError **error)
{
  g_autoptr (GVariant) arguments = NULL;

  g_return_val_if_fail (context == NULL || SW_IS_TRACE_CONTEXT (context), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (!is_wanted (context, level))
    return TRUE;
  if (context == NULL)
    context = sw_trace_context_get_default ();
  arguments = make_arguments (func, data);
  return sw_trace_context_emit_instant (context, name, category, level, arguments, error);
}
