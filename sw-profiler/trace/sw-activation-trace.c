/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-private.h"

#include <stdlib.h>

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-cupti-collector.h"
#include "sw-profiler/trace/sw-file-collector.h"
#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw-profiler/trace/sw-trace-context-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"

static SwCollector *collector; /* what events go to */
static SwCollector *file;      /* where they get to; the same but for GPU times */
/* Somebody was told, here or in the process that this one is a forked child of, or that one uses CUPTI: nobody else can. */
static gboolean is_gpu_settled;
static SwCollector *at_exit; /* what is to be flushed then; NULL: nothing */
/* What a forked child inherits is neither used nor freed, but stays in reach of those who look for leaks. */
static GSList *inherited;

/* NULL, and a warning, where the file cannot be made. */
static SwCollector *
make_collector (const SwTraceRequest *request)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *wanted = sw_activation_expand_path (request->path);
  g_autofree char *path = sw_activation_claim_path (wanted, &error);
  SwFileCollector *made = path != NULL ? sw_file_collector_new (path, request->format, &error) : NULL;

  if (made == NULL)
    {
      g_warning ("STRIDEWEAVE_TRACE: %s; nothing is traced", error->message);
      return NULL;
    }
  sw_activation_tell_of_path ("STRIDEWEAVE_TRACE", wanted, path);
  if (request->format == SW_TRACE_FORMAT_JSONL)
    sw_activation_note ("lines", "1");
  sw_activation_note ("trace", "%s", path);
  return SW_COLLECTOR (made);
}

/* CUDA may end by handlers of its own, which run before the library's, since they were registered later. */
static void
flush_at_exit (void)
{
  g_autoptr (SwCollector) flushed = g_steal_pointer (&at_exit);
  g_autoptr (GError) error = NULL;

  if (flushed != NULL && !sw_collector_flush (flushed, &error))
    g_warning ("STRIDEWEAVE_TRACE: the trace is not complete: %s", error->message);
}

/* What GPUs do comes to the file as well. One warning, also of all forked children, where it cannot. */
static SwCollector *
add_gpu (SwCollector *target)
{
  g_autoptr (GError) error = NULL;
  SwCuptiCollector *made;

  if (is_gpu_settled)
    return g_object_ref (target);
  is_gpu_settled = TRUE;
  made = sw_cupti_collector_new (target, &error);
  if (made != NULL)
    {
      at_exit = g_object_ref (SW_COLLECTOR (made));
      atexit (flush_at_exit);
      return SW_COLLECTOR (made);
    }
  g_warning ("STRIDEWEAVE_TRACE: gpu=cupti adds nothing to the trace: %s", error->message);
  return g_object_ref (target);
}

void
sw_activation_begin_trace (const SwTraceRequest *request,
                           SwTraceFeed *feed)
{
  file = make_collector (request);
  if (file == NULL)
    {
      sw_trace_context_arm_default (SW_TRACE_VERBOSITY_NONE);
      return;
    }
  collector = request->uses_cupti ? add_gpu (file) : g_object_ref (file);
  /* Beside the program's own: that is none of our business. */
  sw_trace_core_set_extra (sw_trace_core_get_default (), collector, request->verbosity, feed);
}

void
sw_activation_detach_trace (void)
{
  if (collector != NULL)
    sw_trace_core_set_extra (sw_trace_core_get_default (), NULL, SW_TRACE_VERBOSITY_NONE, NULL);
}

void
sw_activation_complete_trace (guint64 n_zones_lost)
{
  g_autoptr (GError) error = NULL;

  if (collector == NULL)
    return;
  sw_collector_count_lost (collector, n_zones_lost + sw_zone_tap_count_gpu_drops ());
  if (!sw_collector_close (collector, &error))
    {
      g_warning ("STRIDEWEAVE_TRACE: the trace is not complete: %s", error->message);
      sw_activation_note ("failed", "%s", error->message);
    }
  sw_activation_note ("events", "%" G_GUINT64_FORMAT, sw_collector_get_event_count (file));
  sw_activation_note ("dropped", "%" G_GUINT64_FORMAT, sw_collector_get_dropped_count (file));
  g_clear_object (&collector);
  g_clear_object (&file);
}

void
sw_activation_leave_trace_behind (void)
{
  if (at_exit != NULL)
    inherited = g_slist_prepend (inherited, g_steal_pointer (&at_exit));
  if (collector != NULL)
    inherited = g_slist_prepend (inherited, g_steal_pointer (&collector));
  if (file != NULL)
    inherited = g_slist_prepend (inherited, g_steal_pointer (&file));
}
