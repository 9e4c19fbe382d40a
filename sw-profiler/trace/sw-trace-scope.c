/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-scope.h"

#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw/base/sw-site-registry-private.h"

/* Behind the macros: something is recorded, or was while the macro looked. */

static inline SwTraceProducer *
get_producer (SwTraceContext *context)
{
  SwTraceCore *core = context != NULL ? context->core : sw_trace_core_get_default ();

  return sw_trace_core_get_producer (core);
}

static G_GNUC_NO_INLINE guint32
intern_site (SwTraceSite *site)
{
  guint32 id = sw_site_registry_intern (NULL, 0, site->category, site->name);

  /* Relaxed: whoever comes by at the same time stores the same. */
  __atomic_store_n (&site->id, id, __ATOMIC_RELAXED);
  return id;
}

static inline SwTraceSpec
make_spec (SwTraceSite *site,
           const SwTraceArgument *arguments,
           gsize n_arguments)
{
  /* Relaxed: see intern_site (). */
  guint32 id = __atomic_load_n (&site->id, __ATOMIC_RELAXED);

  if (G_UNLIKELY (id == SW_TRACE_SITE_COPIED))
    return (SwTraceSpec){
      .name = site->name,
      .category = site->category,
      .level = site->level,
      .arguments = arguments,
      .n_arguments = n_arguments,
    };
  return (SwTraceSpec){
    .site = G_LIKELY (id != 0) ? id : intern_site (site),
    .level = site->level,
    .arguments = arguments,
    .n_arguments = n_arguments,
  };
}

guint64
sw_trace_begin_recorded (SwTraceContext *context,
                         SwTraceSite *site,
                         const SwTraceArgument *arguments,
                         gsize n_arguments)
{
  SwTraceSpec spec = make_spec (site, arguments, n_arguments);
  SwTraceProducer *producer = get_producer (context);

  return producer != NULL ? sw_trace_producer_begin (producer, &spec) : 0;
}

void
sw_trace_end_recorded (SwTraceContext *context,
                       guint64 token)
{
  SwTraceProducer *producer = get_producer (context);

  if (producer != NULL)
    sw_trace_producer_end (producer, token);
}

void
sw_trace_instant_recorded (SwTraceContext *context,
                           SwTraceSite *site,
                           const SwTraceArgument *arguments,
                           gsize n_arguments)
{
  SwTraceSpec spec = make_spec (site, arguments, n_arguments);
  SwTraceProducer *producer = get_producer (context);

  if (producer != NULL)
    sw_trace_producer_instant (producer, &spec);
}

guint64
sw_trace_begin_async_recorded (SwTraceContext *context,
                               SwTraceSite *site,
                               const SwTraceArgument *arguments,
                               gsize n_arguments)
{
  SwTraceSpec spec = { .name = site->name, .category = site->category, .level = site->level };

  spec.arguments = arguments;
  spec.n_arguments = n_arguments;
  return sw_trace_core_begin_async (context != NULL ? context->core : sw_trace_core_get_default (), &spec);
}

void
sw_trace_end_async_recorded (SwTraceContext *context,
                             guint64 id)
{
  sw_trace_core_end_async (context != NULL ? context->core : sw_trace_core_get_default (), id);
}

void
sw_trace_counter_recorded (SwTraceContext *context,
                           SwTraceSite *site,
                           double value)
{
  SwTraceSpec spec = make_spec (site, NULL, 0);
  SwTraceProducer *producer = get_producer (context);
  union
  {
    double real;
    guint64 bits;
  } cell = { .real = value };

  if (producer != NULL)
    sw_trace_producer_counter (producer, &spec, cell.bits, FALSE);
}

void
sw_trace_annotate_recorded (SwTraceContext *context,
                            const SwTraceArgument *argument)
{
  SwTraceProducer *producer = get_producer (context);

  if (producer != NULL)
    sw_trace_producer_annotate (producer, argument);
}
