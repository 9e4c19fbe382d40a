/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-itt-collector.h"

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-itt-private.h"

/**
 * SwIttCollector:
 *
 * Passes events to a tool that takes calls of Intel's Instrumentation and Tracing Technology (ITT) API, such as VTune.
 *
 * The tool says with the environment variable `INTEL_LIBITTNOTIFY64` (`INTEL_LIBITTNOTIFY32` where pointers have 32 bits)
 * which library to load. Where it is not set, nothing is loaded and there is no such collector; nor in a program that has more
 * privileges than its user. [func@Strideweave.IttCollector.is_available] tells.
 *
 * Other than with other collectors, the thread that emits makes the calls while it emits, since the tool looks at the thread
 * and at the clock itself. Spans are tasks of the domain `strideweave`, with their category and the arguments that they begin with
 * as metadata; instants are markers of the thread; counters are counters. Names of threads are passed on as well. What is
 * added to an open span, flows, asynchronous spans and the arguments of instants are not. A span that is
 * interrupted from another thread is ended when its own thread next has to do with the context, at the latest when it ends.
 *
 * Events that a program passes by itself with [method@Strideweave.Collector.emit] do not get to the tool. What is
 * counted as dropped is what the library has no function for, and what found no room on its way to other collectors.
 */
struct _SwIttCollector
{
  SwCollector parent_instance;
};

G_DEFINE_FINAL_TYPE (SwIttCollector, sw_itt_collector, SW_TYPE_COLLECTOR)

/* The calls were made long ago: what remains is to count. */
static gboolean
take (SwCollector *collector,
      const SwTraceRecord *record,
      GError **error)
{
  const SwIttLibrary *library = sw_itt_library_get ();

  /* One that was made without loading anything. */
  if (library == NULL)
    return FALSE;
  switch (record->kind)
    {
    case SW_TRACE_EVENT_KIND_SPAN:
      return sw_itt_library_has_tasks (library);
    case SW_TRACE_EVENT_KIND_INSTANT:
      return library->call.marker != NULL;
    case SW_TRACE_EVENT_KIND_COUNTER:
      return sw_itt_library_has_counters (library, record->is_integer, record->is_integer ? record->value.integer : 0);
    case SW_TRACE_EVENT_KIND_ASYNC_SPAN:
    case SW_TRACE_EVENT_KIND_GPU_SPAN:
    default:
      return FALSE;
    }
}

static guint
get_live (SwCollector *collector)
{
  return sw_itt_library_get () != NULL ? 1u << SW_TRACE_LIVE_ITT : 0;
}

/**
 * sw_itt_collector_is_available:
 *
 * Returns whether the environment names a library of an ITT collector; loads it, when that has not happened yet.
 *
 * Returns: whether collectors can be made
 */
gboolean
sw_itt_collector_is_available (void)
{
  return sw_itt_library_load (NULL) != NULL;
}

/**
 * sw_itt_collector_new:
 * @error: where an error goes
 *
 * Makes a collector. All those of a process pass events to the same library, which stays loaded.
 *
 * Returns: (transfer full): the collector, or %NULL with %SW_ERROR_UNSUPPORTED where the environment names no library, or one
 *   that cannot be loaded, or one that has none of the functions it takes; the message says which
 */
SwIttCollector *
sw_itt_collector_new (GError **error)
{
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (sw_itt_library_load (error) == NULL)
    return NULL;
  return g_object_new (SW_TYPE_ITT_COLLECTOR, NULL);
}

static void
sw_itt_collector_class_init (SwIttCollectorClass *klass)
{
  SwCollectorClass *collector_class = SW_COLLECTOR_CLASS (klass);

  collector_class->take = take;
  collector_class->get_live = get_live;
}

static void
sw_itt_collector_init (SwIttCollector *self)
{
}
