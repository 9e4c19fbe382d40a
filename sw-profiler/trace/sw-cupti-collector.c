/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-collector.h"

#include <string.h>

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-cupti-buffers-private.h"
#include "sw-profiler/trace/sw-cupti-reader-private.h"
#include "sw-profiler/trace/sw-cupti-switch-private.h"
#include "sw-profiler/trace/sw-trace-live-private.h"
#include "sw/base/sw-error.h"

/* CUPTI is asked that often for what is complete. */
#define SETTLE_NS 500000000

/**
 * SwCuptiCollector:
 *
 * Adds to a trace what GPUs of NVIDIA's do, as CUPTI records it.
 *
 * A collector of this kind passes each event on to another one, its *target*, and to these adds spans of
 * [enum@Strideweave.TraceEventKind] `GPU_SPAN`: kernels, copies and fills of memory, each on the lane of its device and
 * stream, as in "GPU 0 · stream 7". Their times are those of the device, on the same clock as all others, CLOCK_MONOTONIC. From
 * the innermost span in which a thread launched it, a flow leads to each: CUPTI is told when spans begin and end. So every
 * span that is recorded meanwhile begins a flow, whose id is 2⁵² or more.
 *
 * GPU work is recorded while a context that has the collector is enabled and its verbosity is at least `OPERATIONS`; at `FULL`,
 * what CUPTI itself costs comes as asynchronous spans. It gets to the target within about two seconds after it was done, and
 * before [method@Strideweave.Collector.flush] returns where CUPTI knows of its end by then: wait for the device before, with
 * CUDA's own functions.
 *
 * CUPTI is not linked but loaded: the one that the program has loaded already, else the one that the dynamic linker finds, else
 * the one in `/usr/local/cuda`; the environment variable `STRIDEWEAVE_CUPTI` names another, but for programs that have more
 * privileges than their user. CUPTI serves one collector of a process at a time, and no other tool in it.
 *
 * What is lost is counted by reason, and in all as [method@Strideweave.Collector.get_dropped_count]. To close the collector
 * closes the target, as [class@Strideweave.CompositeCollector] does; that one is also what to give as a target where
 * there are several. In the child of a fork, the collector passes nothing on.
 */
struct _SwCuptiCollector
{
  SwCollector parent_instance;

  SwCollector *target; /* does not change; NULL: made without loading anything */
  SwCuptiSwitch *kinds;
  guint64 n_late_before;
  gboolean is_finished; /* of who has the collector's turn, as are the rest */
  gboolean is_passing;
  gint64 settled_ns;
  GError *error;
  SwCuptiReader reader;
};

G_DEFINE_FINAL_TYPE (SwCuptiCollector, sw_cupti_collector, SW_TYPE_COLLECTOR)

static gboolean is_claimed;

static void
keep_error (SwCuptiCollector *self,
            GError *error)
{
  if (error != NULL && self->error == NULL)
    self->error = error;
  else
    g_clear_error (&error);
}

static void
pass_on (gpointer data,
         const SwTraceRecord *record)
{
  sw_collector_take (SW_COLLECTOR (data), record);
}

static void
bring (SwCuptiCollector *self,
       const SwCuptiLibrary *library,
       guint32 flags)
{
  SwCuptiResult result = library->call.flush_all (flags);
  GError *error = NULL;

  /* As long as the program has not used CUDA, there is nothing to bring. */
  if (result != SW_CUPTI_ERROR_NOT_INITIALIZED)
    sw_cupti_library_check (library, result, "cuptiActivityFlushAll", SW_ERROR_FAILED, &error);
  keep_error (self, error);
}

static void
run_pass (SwCuptiCollector *self,
          SwCuptiPass kind,
          guint32 flags)
{
  const SwCuptiLibrary *library = sw_cupti_library_get ();
  GError *error = NULL;
  guint64 n_lost;

  /* Whoever an event is passed to may flush. */
  if (library == NULL || self->is_passing || self->is_finished)
    return;
  self->is_passing = TRUE;
  if (kind != SW_CUPTI_PASS_READ)
    bring (self, library, flags);
  /* Where that fails, the last one still stands. */
  sw_cupti_clock_pair (&self->reader.clock, library, &error);
  keep_error (self, error);
  n_lost = sw_cupti_reader_pass (&self->reader, library, kind, pass_on, self);
  if (n_lost > 0)
    sw_collector_count_lost (SW_COLLECTOR (self), n_lost);
  self->is_passing = FALSE;
}

/* The last pass, before the collector takes no more. */
static void
stop (SwCuptiCollector *self)
{
  if (sw_cupti_library_get () == NULL)
    return;
  sw_cupti_switch_off (self->kinds);
  run_pass (self, SW_CUPTI_PASS_ALL, SW_CUPTI_FLUSH_FORCED);
  if (self->is_finished || self->is_passing)
    return;
  self->is_finished = TRUE;
  sw_cupti_buffers_set_open (FALSE);
  self->n_late_before = sw_cupti_buffers_get_late_count ();
  /* Release: whoever claims CUPTI next finds it switched off. */
  __atomic_store_n (&is_claimed, FALSE, __ATOMIC_RELEASE);
}

static void
take_many (SwCollector *collector,
           const SwTraceRecord *records,
           gsize n_records,
           gboolean *is_taken)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);

  if (self->target != NULL)
    sw_collector_take_many (self->target, records, n_records, is_taken);
  else
    memset (is_taken, 0, n_records * sizeof *is_taken);
}

static void
attach (SwCollector *collector,
        const SwTraceSession *session)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);

  if (self->target != NULL)
    sw_collector_attach (self->target, session);
}

static gboolean
tick (SwCollector *collector,
      GError **error)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);
  gint64 now = sw_clock_monotonic_ns ();
  gboolean is_due = now - self->settled_ns >= SETTLE_NS;

  if (self->target == NULL)
    return TRUE;
  if (is_due)
    self->settled_ns = now;
  run_pass (self, is_due ? SW_CUPTI_PASS_SETTLE : SW_CUPTI_PASS_READ, 0);
  sw_collector_tick (self->target);
  return TRUE;
}

static void
count_lost (SwCollector *collector,
            guint64 n)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);

  if (self->target != NULL)
    sw_collector_count_lost (self->target, n);
}

static void
forget (SwCollector *collector)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);
  gboolean is_new;

  if (self->target == NULL)
    return;
  is_new = sw_collector_enter (collector);
  stop (self);
  if (is_new)
    sw_collector_leave (collector);
  sw_collector_forget (self->target);
}

static guint
get_live (SwCollector *collector)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);

  if (self->target == NULL)
    return 0;
  return sw_collector_get_live (self->target) | 1u << SW_TRACE_LIVE_CUPTI;
}

static void
set_level (SwCollector *collector,
           gconstpointer context,
           guint level)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);

  if (self->target == NULL)
    return;
  sw_cupti_switch_set_level (self->kinds, context, level);
  sw_collector_set_level (self->target, context, level);
}

/* What went wrong here since the last time, and there. */
static gboolean
report (SwCuptiCollector *self,
        GError *theirs,
        GError **error)
{
  g_autoptr (GError) own = NULL;

  keep_error (self, sw_cupti_switch_take_error (self->kinds));
  own = g_steal_pointer (&self->error);
  if (own != NULL && theirs != NULL)
    {
      g_set_error (error, own->domain, own->code, "%s; %s: %s", own->message, G_OBJECT_TYPE_NAME (self->target),
                   theirs->message);
      g_error_free (theirs);
    }
  else if (own != NULL)
    g_propagate_error (error, g_steal_pointer (&own));
  else if (theirs != NULL)
    g_propagate_error (error, theirs);
  else
    return TRUE;
  return FALSE;
}

static gboolean
flush (SwCollector *collector,
       GError **error)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);
  GError *theirs = NULL;

  if (self->target == NULL)
    return TRUE;
  run_pass (self, SW_CUPTI_PASS_ALL, 0);
  sw_collector_flush (self->target, &theirs);
  return report (self, theirs, error);
}

static gboolean
finish (SwCollector *collector,
        GError **error)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (collector);
  GError *theirs = NULL;

  if (self->target == NULL)
    return TRUE;
  sw_collector_close (self->target, &theirs);
  return report (self, theirs, error);
}

/**
 * sw_cupti_collector_is_available:
 *
 * Returns whether CUPTI can be loaded and has a driver to work with; loads it, when that has not happened yet.
 *
 * What else uses CUPTI in the process is not disturbed.
 *
 * Returns: whether collectors can be made
 */
gboolean
sw_cupti_collector_is_available (void)
{
  const SwCuptiLibrary *library = sw_cupti_library_load (NULL);

  return library != NULL && sw_cupti_library_probe (library, NULL);
}

/* Once, since the buffers of a process are the same for all collectors. */
static gboolean
register_buffers (const SwCuptiLibrary *library,
                  GError **error)
{
  static gboolean is_registered; /* of who has CUPTI claimed */

  if (!is_registered)
    is_registered = sw_cupti_library_check (
        library, library->call.register_callbacks (sw_cupti_buffers_request, sw_cupti_buffers_complete),
        "cuptiActivityRegisterCallbacks", SW_ERROR_UNSUPPORTED, error);
  return is_registered;
}

static gboolean
claim (GError **error)
{
  gboolean expected = FALSE;

  /* Acquire: see stop (). */
  if (__atomic_compare_exchange_n (&is_claimed, &expected, TRUE, FALSE, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_STATE,
               "there is a CuptiCollector already that is not closed; CUPTI serves one at a time");
  return FALSE;
}

static SwCuptiCollector *
new_claimed (SwCollector *target,
             const SwCuptiLibrary *library,
             GError **error)
{
  g_autoptr (SwCuptiCollector) self = NULL;

  if (!register_buffers (library, error) || !sw_cupti_switch_try (library, error))
    return NULL;
  self = g_object_new (SW_TYPE_CUPTI_COLLECTOR, NULL);
  if (!sw_cupti_clock_pair (&self->reader.clock, library, error))
    return NULL;
  self->target = g_object_ref (target);
  sw_cupti_buffers_set_open (TRUE);
  return g_steal_pointer (&self);
}

/**
 * sw_cupti_collector_new:
 * @target: where events go
 * @error: where an error goes
 *
 * Makes a collector that passes all events on to @target, and adds those of GPUs.
 *
 * Returns: (transfer full): the collector, or %NULL with %SW_ERROR_UNSUPPORTED where there is no CUPTI, or it does not work: the
 *   message says what was looked for, or what of it failed with which of CUPTI's results; with %SW_ERROR_STATE while there is
 *   another one that is not closed, or for a @target that is closed; or with %SW_ERROR_FAILED where CUPTI's clock cannot be read
 */
SwCuptiCollector *
sw_cupti_collector_new (SwCollector *target,
                        GError **error)
{
  const SwCuptiLibrary *library;
  SwCuptiCollector *self;

  g_return_val_if_fail (SW_IS_COLLECTOR (target), NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (sw_collector_get_is_closed (target))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "target is a %s that is closed", G_OBJECT_TYPE_NAME (target));
      return NULL;
    }
  library = sw_cupti_library_load (error);
  if (library == NULL || !sw_cupti_library_probe (library, error) || !claim (error))
    return NULL;
  self = new_claimed (target, library, error);
  if (self == NULL)
    /* Release: see claim (). */
    __atomic_store_n (&is_claimed, FALSE, __ATOMIC_RELEASE);
  return self;
}

/**
 * sw_cupti_collector_dup_target:
 * @self: the collector
 *
 * Returns where the collector passes events to.
 *
 * Returns: (transfer full) (nullable): the target; %NULL for one that was made without [ctor@Strideweave.CuptiCollector.new]
 */
SwCollector *
sw_cupti_collector_dup_target (SwCuptiCollector *self)
{
  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), NULL);

  return self->target != NULL ? g_object_ref (self->target) : NULL;
}

/**
 * sw_cupti_collector_get_gpu_event_count:
 * @self: the collector
 *
 * Returns how many of the events so far came from CUPTI. Flush before, to count all that it knows of.
 *
 * Returns: the number of events
 */
guint64
sw_cupti_collector_get_gpu_event_count (SwCuptiCollector *self)
{
  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), 0);

  return sw_cupti_reader_get_count (&self->reader.counts.n_events);
}

/**
 * sw_cupti_collector_get_unlinked_count:
 * @self: the collector
 *
 * Returns to how many events of GPUs no flow leads: because no span was open where they were launched, CUPTI did not say where that
 * was, or the clocks of host and device would have it lead back in time.
 *
 * Returns: the number of events
 */
guint64
sw_cupti_collector_get_unlinked_count (SwCuptiCollector *self)
{
  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), 0);

  return sw_cupti_reader_get_count (&self->reader.counts.n_unlinked);
}

/**
 * sw_cupti_collector_get_gpu_dropped_count:
 * @self: the collector
 *
 * Returns how many records CUPTI says that it dropped, because all buffers were full.
 *
 * Returns: the number of records
 */
guint64
sw_cupti_collector_get_gpu_dropped_count (SwCuptiCollector *self)
{
  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), 0);

  return sw_cupti_reader_get_count (&self->reader.counts.n_dropped);
}

/**
 * sw_cupti_collector_get_malformed_count:
 * @self: the collector
 *
 * Returns how many of CUPTI's buffers could not be read to their end.
 *
 * Returns: the number of buffers
 */
guint64
sw_cupti_collector_get_malformed_count (SwCuptiCollector *self)
{
  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), 0);

  return sw_cupti_reader_get_count (&self->reader.counts.n_malformed);
}

/**
 * sw_cupti_collector_get_untimed_count:
 * @self: the collector
 *
 * Returns how many records were left out since they had no times, as of work that was not done when the collector was closed,
 * or times that cannot be, as an end before the beginning.
 *
 * Returns: the number of records
 */
guint64
sw_cupti_collector_get_untimed_count (SwCuptiCollector *self)
{
  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), 0);

  return sw_cupti_reader_get_count (&self->reader.counts.n_untimed);
}

/**
 * sw_cupti_collector_get_unknown_count:
 * @self: the collector
 *
 * Returns how many records were of a kind that the collector did not ask for, as when something else in the process did. They
 * are left out, and not counted as dropped.
 *
 * Returns: the number of records
 */
guint64
sw_cupti_collector_get_unknown_count (SwCuptiCollector *self)
{
  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), 0);

  return sw_cupti_reader_get_count (&self->reader.counts.n_unknown);
}

/**
 * sw_cupti_collector_get_late_count:
 * @self: the collector
 *
 * Returns how many records came after the collector was closed, while there was no other one: they are lost.
 *
 * Returns: the number of records
 */
guint64
sw_cupti_collector_get_late_count (SwCuptiCollector *self)
{
  guint64 n = 0;
  gboolean is_new;

  g_return_val_if_fail (SW_IS_CUPTI_COLLECTOR (self), 0);

  is_new = sw_collector_enter (SW_COLLECTOR (self));
  if (self->is_finished)
    n = sw_cupti_buffers_get_late_count () - self->n_late_before;
  if (is_new)
    sw_collector_leave (SW_COLLECTOR (self));
  return n;
}

static void
sw_cupti_collector_dispose (GObject *object)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (object);

  /* Nobody closed it: what was recorded gets to the target all the same. */
  if (self->target != NULL)
    stop (self);
  G_OBJECT_CLASS (sw_cupti_collector_parent_class)->dispose (object);
}

static void
sw_cupti_collector_finalize (GObject *object)
{
  SwCuptiCollector *self = SW_CUPTI_COLLECTOR (object);

  g_clear_object (&self->target);
  g_clear_error (&self->error);
  sw_cupti_switch_free (self->kinds);
  sw_cupti_reader_clear (&self->reader);
  G_OBJECT_CLASS (sw_cupti_collector_parent_class)->finalize (object);
}

static void
sw_cupti_collector_class_init (SwCuptiCollectorClass *klass)
{
  SwCollectorClass *collector_class = SW_COLLECTOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sw_cupti_collector_dispose;
  G_OBJECT_CLASS (klass)->finalize = sw_cupti_collector_finalize;
  collector_class->flush = flush;
  collector_class->close = finish;
  collector_class->take_many = take_many;
  collector_class->attach = attach;
  collector_class->tick = tick;
  collector_class->count_lost = count_lost;
  collector_class->forget = forget;
  collector_class->get_live = get_live;
  collector_class->set_level = set_level;
}

static void
sw_cupti_collector_init (SwCuptiCollector *self)
{
  self->kinds = sw_cupti_switch_new ();
  sw_cupti_reader_init (&self->reader);
}
