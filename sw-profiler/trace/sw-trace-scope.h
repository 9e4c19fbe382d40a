/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-trace-context.h>
#include <sw/shape/sw-shape.h>

G_BEGIN_DECLS

/**
 * SwTraceArgumentType:
 * @SW_TRACE_ARGUMENT_STRING: text
 * @SW_TRACE_ARGUMENT_INT64: a signed integer
 * @SW_TRACE_ARGUMENT_UINT64: an unsigned integer
 * @SW_TRACE_ARGUMENT_DOUBLE: a floating-point number
 * @SW_TRACE_ARGUMENT_BOOLEAN: a truth value
 * @SW_TRACE_ARGUMENT_SHAPE: a [struct@Strideweave.Shape]
 *
 * What an argument of an event is.
 */
typedef enum {
  SW_TRACE_ARGUMENT_STRING,
  SW_TRACE_ARGUMENT_INT64,
  SW_TRACE_ARGUMENT_UINT64,
  SW_TRACE_ARGUMENT_DOUBLE,
  SW_TRACE_ARGUMENT_BOOLEAN,
  SW_TRACE_ARGUMENT_SHAPE,
} SwTraceArgumentType;

/* Languages with a binding of their own have their own scopes; these are for C and C++. */
#ifndef __GI_SCANNER__

/* A place in the program, as the macros below make one. Its number is found out when it is first recorded. */
typedef struct
{
  const char *name;
  const char *category;
  guint level;
  guint id;
} SwTraceSite;

/* The id of a site whose texts are copied with each event, for names that are made up while the program runs. */
#define SW_TRACE_SITE_COPIED G_MAXUINT

/* What it points to is copied, or referenced, while it is recorded. */
typedef struct
{
  const char *key;
  SwTraceArgumentType type;
  union
  {
    const char *v_string;
    gint64 v_int64;
    guint64 v_uint64;
    double v_double;
    gboolean v_boolean;
    SwShape *v_shape;
  } value;
} SwTraceArgument;

#define SW_TRACE_STRING(key, v) ((SwTraceArgument){ (key), SW_TRACE_ARGUMENT_STRING, { .v_string = (v) } })
#define SW_TRACE_INT64(key, v) ((SwTraceArgument){ (key), SW_TRACE_ARGUMENT_INT64, { .v_int64 = (v) } })
#define SW_TRACE_UINT64(key, v) ((SwTraceArgument){ (key), SW_TRACE_ARGUMENT_UINT64, { .v_uint64 = (v) } })
#define SW_TRACE_DOUBLE(key, v) ((SwTraceArgument){ (key), SW_TRACE_ARGUMENT_DOUBLE, { .v_double = (v) } })
#define SW_TRACE_BOOLEAN(key, v) ((SwTraceArgument){ (key), SW_TRACE_ARGUMENT_BOOLEAN, { .v_boolean = (v) } })
#define SW_TRACE_SHAPE(key, v) ((SwTraceArgument){ (key), SW_TRACE_ARGUMENT_SHAPE, { .v_shape = (v) } })

typedef struct
{
  SwTraceContext *context; /* NULL: the default one */
  guint64 token;           /* 0: not recorded */
} SwTraceScope;

/* The verbosity of the default context: while it is 0, whatever is emitted costs the test of it. */
SW_AVAILABLE_IN_0_1
guint sw_trace_default_level;

SW_AVAILABLE_IN_0_1
guint64 sw_trace_begin_recorded (SwTraceContext *context,
                                 SwTraceSite *site,
                                 const SwTraceArgument *arguments,
                                 gsize n_arguments);
SW_AVAILABLE_IN_0_1
void sw_trace_end_recorded (SwTraceContext *context,
                            guint64 token);
SW_AVAILABLE_IN_0_1
void sw_trace_instant_recorded (SwTraceContext *context,
                                SwTraceSite *site,
                                const SwTraceArgument *arguments,
                                gsize n_arguments);
SW_AVAILABLE_IN_0_1
guint64 sw_trace_begin_async_recorded (SwTraceContext *context,
                                       SwTraceSite *site,
                                       const SwTraceArgument *arguments,
                                       gsize n_arguments);
SW_AVAILABLE_IN_0_1
void sw_trace_end_async_recorded (SwTraceContext *context,
                                  guint64 id);
SW_AVAILABLE_IN_0_1
void sw_trace_counter_recorded (SwTraceContext *context,
                                SwTraceSite *site,
                                double value);
SW_AVAILABLE_IN_0_1
void sw_trace_annotate_recorded (SwTraceContext *context,
                                 const SwTraceArgument *argument);

SW_AVAILABLE_IN_0_1
guint64 sw_trace_flow_start_recorded (SwTraceContext *context);
SW_AVAILABLE_IN_0_1
void sw_trace_flow_step_recorded (SwTraceContext *context,
                                  guint64 id);
SW_AVAILABLE_IN_0_1
void sw_trace_flow_end_recorded (SwTraceContext *context,
                                 guint64 id);

/* Relaxed: a thread sees in program order what it switched on itself, and needs no more. */
#define SW_TRACE_IS_ON(context, wanted)                                                                          \
  G_UNLIKELY (__atomic_load_n (((SwTraceContext *) (context)) != NULL ? &((SwTraceContext *) (context))->level \
                                                                      : &sw_trace_default_level,              \
                               __ATOMIC_RELAXED) >= (guint) (wanted))

static inline void
sw_trace_scope_end (SwTraceScope *scope)
{
  if (G_UNLIKELY (scope->token != 0))
    sw_trace_end_recorded (scope->context, scope->token);
}

#define SW_TRACE_PASTE_NOW(a, b) a##b
#define SW_TRACE_PASTE(a, b) SW_TRACE_PASTE_NOW (a, b)

#define SW_TRACE_ARGUMENTS(...)                         \
  ((const SwTraceArgument[]){ { NULL }, ##__VA_ARGS__ } + 1), \
      (sizeof ((const SwTraceArgument[]){ { NULL }, ##__VA_ARGS__ }) / sizeof (SwTraceArgument) - 1)

#define SW_TRACE_SPAN_AT(number, context_, name, category, level, ...)                                                  \
  static SwTraceSite SW_TRACE_PASTE (sw_trace_site_, number) = { "" name, "" category, level, 0 };                        \
  __attribute__ ((cleanup (sw_trace_scope_end), unused)) SwTraceScope SW_TRACE_PASTE (sw_trace_scope_, number) = { NULL, 0 }; \
  if (SW_TRACE_IS_ON (context_, level))                                                                                    \
    {                                                                                                                      \
      SW_TRACE_PASTE (sw_trace_scope_, number).context = (context_);                                                       \
      SW_TRACE_PASTE (sw_trace_scope_, number).token = sw_trace_begin_recorded (                                           \
          (context_), &SW_TRACE_PASTE (sw_trace_site_, number), SW_TRACE_ARGUMENTS (__VA_ARGS__));                         \
    }

/**
 * SW_TRACE_SPAN_IN:
 * @context: (nullable): a context that lives until the end of the block, or %NULL for the default one
 * @name: a string literal
 * @category: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @...: arguments, like `SW_TRACE_INT64 ("bytes", n)`
 *
 * Records the rest of the block as a span, whichever way the block is left; `longjmp()` leaves it to what encloses it.
 *
 * While the context records less, it costs a load and a branch, and the arguments are not evaluated.
 */
#define SW_TRACE_SPAN_IN(context, name, category, level, ...) \
  SW_TRACE_SPAN_AT (__COUNTER__, context, name, category, level, ##__VA_ARGS__)

/**
 * SW_TRACE_SPAN:
 * @name: a string literal
 * @category: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @...: arguments, like `SW_TRACE_INT64 ("bytes", n)`
 *
 * Records the rest of the block as a span of the default context. See SW_TRACE_SPAN_IN().
 *
 * ```c
 * static gboolean
 * answer (Request *request)
 * {
 *   SW_TRACE_SPAN ("answer", "request", SW_TRACE_VERBOSITY_DECISIONS, SW_TRACE_UINT64 ("bytes", request->size));
 *
 *   return generate (request);
 * }
 * ```
 */
#define SW_TRACE_SPAN(name, category, level, ...) SW_TRACE_SPAN_IN (NULL, name, category, level, ##__VA_ARGS__)

/**
 * SW_TRACE_INSTANT_IN:
 * @context: (nullable): a context, or %NULL for the default one
 * @name: a string literal
 * @category: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @...: arguments, like `SW_TRACE_STRING ("reason", reason)`
 *
 * Records that something happened now, on this thread. See SW_TRACE_SPAN_IN() for what it costs.
 */
#define SW_TRACE_INSTANT_IN(context, name, category, level, ...)                                  \
  G_STMT_START                                                                                    \
  {                                                                                               \
    static SwTraceSite sw_trace_site = { "" name, "" category, level, 0 };                        \
    if (SW_TRACE_IS_ON (context, level))                                                          \
      sw_trace_instant_recorded ((context), &sw_trace_site, SW_TRACE_ARGUMENTS (__VA_ARGS__));    \
  }                                                                                               \
  G_STMT_END

/**
 * SW_TRACE_INSTANT:
 * @name: a string literal
 * @category: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @...: arguments
 *
 * Records in the default context that something happened now. See SW_TRACE_INSTANT_IN().
 */
#define SW_TRACE_INSTANT(name, category, level, ...) SW_TRACE_INSTANT_IN (NULL, name, category, level, ##__VA_ARGS__)

/**
 * SW_TRACE_ASYNC_BEGIN_IN:
 * @context: (nullable): a context, or %NULL for the default one
 * @name: a string literal
 * @category: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @...: arguments, like `SW_TRACE_UINT64 ("id", request->id)`
 *
 * Begins a span that belongs to no thread and may overlap others. See SW_TRACE_SPAN_IN() for what it costs while the context
 * records less.
 *
 * Returns: a number for SW_TRACE_ASYNC_END_IN(), a uint64; 0 where nothing is recorded
 */
#define SW_TRACE_ASYNC_BEGIN_IN(context, name, category, level, ...)                                               \
  __extension__ ({                                                                                                 \
    static SwTraceSite sw_trace_site = { "" name, "" category, level, 0 };                                         \
    SW_TRACE_IS_ON (context, level)                                                                                \
    ? sw_trace_begin_async_recorded ((context), &sw_trace_site, SW_TRACE_ARGUMENTS (__VA_ARGS__)) : (guint64) 0;   \
  })

/**
 * SW_TRACE_ASYNC_BEGIN:
 * @name: a string literal
 * @category: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @...: arguments
 *
 * Begins a span of the default context that belongs to no thread. See SW_TRACE_ASYNC_BEGIN_IN().
 *
 * Returns: a number for SW_TRACE_ASYNC_END()
 */
#define SW_TRACE_ASYNC_BEGIN(name, category, level, ...) SW_TRACE_ASYNC_BEGIN_IN (NULL, name, category, level, ##__VA_ARGS__)

/**
 * SW_TRACE_ASYNC_END_IN:
 * @context: (nullable): a context, or %NULL for the default one
 * @id: what SW_TRACE_ASYNC_BEGIN_IN() gave; 0 does nothing
 *
 * Ends such a span, on any thread.
 */
#define SW_TRACE_ASYNC_END_IN(context, id)                      \
  G_STMT_START                                                  \
  {                                                             \
    const guint64 sw_trace_async = (id);                        \
    if (G_UNLIKELY (sw_trace_async != 0))                       \
      sw_trace_end_async_recorded ((context), sw_trace_async);  \
  }                                                             \
  G_STMT_END

/**
 * SW_TRACE_ASYNC_END:
 * @id: what SW_TRACE_ASYNC_BEGIN() gave; 0 does nothing
 *
 * Ends such a span of the default context, on any thread.
 */
#define SW_TRACE_ASYNC_END(id) SW_TRACE_ASYNC_END_IN (NULL, id)

/**
 * SW_TRACE_COUNTER_IN:
 * @context: (nullable): a context, or %NULL for the default one
 * @name: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @value: the value, evaluated only when it is recorded
 *
 * Records what a counter of the process counts from now on.
 */
#define SW_TRACE_COUNTER_IN(context, name, level, value)                \
  G_STMT_START                                                          \
  {                                                                     \
    static SwTraceSite sw_trace_site = { "" name, "", level, 0 };       \
    if (SW_TRACE_IS_ON (context, level))                                \
      sw_trace_counter_recorded ((context), &sw_trace_site, (value));   \
  }                                                                     \
  G_STMT_END

/**
 * SW_TRACE_COUNTER:
 * @name: a string literal
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 * @value: the value
 *
 * Records in the default context what a counter counts. See SW_TRACE_COUNTER_IN().
 */
#define SW_TRACE_COUNTER(name, level, value) SW_TRACE_COUNTER_IN (NULL, name, level, value)

/**
 * SW_TRACE_ANNOTATE:
 * @argument: an argument, like `SW_TRACE_STRING ("reason", reason)`, evaluated only when something is recorded
 *
 * Adds an argument to the innermost span that this thread has open in the default context; nothing where there is none.
 */
#define SW_TRACE_ANNOTATE(argument)                                        \
  G_STMT_START                                                             \
  {                                                                        \
    if (SW_TRACE_IS_ON (NULL, SW_TRACE_VERBOSITY_DECISIONS))               \
      {                                                                    \
        const SwTraceArgument sw_trace_argument = (argument);              \
        sw_trace_annotate_recorded (NULL, &sw_trace_argument);             \
      }                                                                    \
  }                                                                        \
  G_STMT_END

/**
 * SW_TRACE_FLOW_START_IN:
 * @context: (nullable): a context, or %NULL for the default one
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 *
 * Begins a flow in the innermost span that this thread has open. See [method@Strideweave.TraceContext.flow_start].
 *
 * Returns: the id of the flow, a uint64; 0 where nothing is recorded
 */
#define SW_TRACE_FLOW_START_IN(context, level) \
  (SW_TRACE_IS_ON (context, level) ? sw_trace_flow_start_recorded (context) : (guint64) 0)

/**
 * SW_TRACE_FLOW_START:
 * @level: from which [enum@Strideweave.TraceVerbosity] on it is recorded
 *
 * Begins a flow of the default context. See SW_TRACE_FLOW_START_IN().
 *
 * ```c
 * request->flow = SW_TRACE_FLOW_START (SW_TRACE_VERBOSITY_OPERATIONS);
 * g_thread_pool_push (pool, request, NULL);
 * ```
 *
 * Returns: the id of the flow
 */
#define SW_TRACE_FLOW_START(level) SW_TRACE_FLOW_START_IN (NULL, level)

#define SW_TRACE_FLOW_GO_ON(context, id, function)                                             \
  G_STMT_START                                                                                 \
  {                                                                                            \
    const guint64 sw_trace_flow = (id);                                                        \
    if (G_UNLIKELY (sw_trace_flow != 0) && SW_TRACE_IS_ON (context, SW_TRACE_VERBOSITY_DECISIONS)) \
      function ((context), sw_trace_flow);                                                     \
  }                                                                                            \
  G_STMT_END

/**
 * SW_TRACE_FLOW_STEP_IN:
 * @context: (nullable): a context, or %NULL for the default one
 * @id: what SW_TRACE_FLOW_START_IN() gave; 0 does nothing
 *
 * Leads a flow through the innermost span that this thread has open.
 */
#define SW_TRACE_FLOW_STEP_IN(context, id) SW_TRACE_FLOW_GO_ON (context, id, sw_trace_flow_step_recorded)

/**
 * SW_TRACE_FLOW_STEP:
 * @id: what SW_TRACE_FLOW_START() gave; 0 does nothing
 *
 * Leads a flow of the default context through the innermost span that this thread has open.
 */
#define SW_TRACE_FLOW_STEP(id) SW_TRACE_FLOW_STEP_IN (NULL, id)

/**
 * SW_TRACE_FLOW_END_IN:
 * @context: (nullable): a context, or %NULL for the default one
 * @id: what SW_TRACE_FLOW_START_IN() gave; 0 does nothing
 *
 * Ends a flow in the innermost span that this thread has open.
 */
#define SW_TRACE_FLOW_END_IN(context, id) SW_TRACE_FLOW_GO_ON (context, id, sw_trace_flow_end_recorded)

/**
 * SW_TRACE_FLOW_END:
 * @id: what SW_TRACE_FLOW_START() gave; 0 does nothing
 *
 * Ends a flow of the default context in the innermost span that this thread has open.
 */
#define SW_TRACE_FLOW_END(id) SW_TRACE_FLOW_END_IN (NULL, id)

#endif /* __GI_SCANNER__ */

G_END_DECLS
