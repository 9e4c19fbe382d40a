/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw-profiler/trace/sw-collector-state-private.h"
#include "sw-profiler/trace/sw-trace-event-private.h"
#include "sw/base/sw-error.h"

/* How events get to a collector, and which of them count. */

/* What a collector's emit_many is just given, on this thread. */
typedef struct _Batch Batch;

struct _Batch
{
  SwCollector *collector;
  gboolean *is_taken;
  guint n_events;
  gboolean has_refused;
  Batch *outer;
};

static _Thread_local Batch *innermost;

static void
add (guint64 *counter,
     guint64 n)
{
  /* Relaxed: only the number counts. */
  __atomic_fetch_add (counter, n, __ATOMIC_RELAXED);
}

void
sw_collector_count_lost (SwCollector *self,
                         guint64 n)
{
  SwCollectorCountLost count_lost = (SwCollectorCountLost) SW_COLLECTOR_GET_CLASS (self)->count_lost;

  add (&sw_collector_get_state (self)->n_lost, n);
  if (count_lost != NULL)
    count_lost (self, n);
}

void
sw_collector_give_back (SwCollector *self,
                        guint64 n)
{
  /* Relaxed: only the number counts. */
  __atomic_fetch_sub (&sw_collector_get_state (self)->n_events, n, __ATOMIC_RELAXED);
  sw_collector_count_lost (self, n);
}

static gsize
count_taken (const gboolean *is_taken,
             gsize n)
{
  gsize n_taken = 0;

  for (gsize i = 0; i < n; i++)
    n_taken += is_taken[i] != FALSE;
  return n_taken;
}

static void
count (SwCollector *self,
       const gboolean *is_taken,
       gsize n)
{
  SwCollectorState *state = sw_collector_get_state (self);
  gsize n_taken = count_taken (is_taken, n);

  add (&state->n_events, n_taken);
  add (&state->n_lost, n - n_taken);
}

static gboolean
emit_one (SwCollector *self,
          SwTraceEvent *event)
{
  SwCollectorClass *klass = SW_COLLECTOR_GET_CLASS (self);
  GError *error = NULL;
  gboolean was_taken = FALSE;

  if (klass->emit != NULL)
    was_taken = klass->emit (self, event, &error);
  else
    g_set_error (&error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED, "the collector %s does not implement emit",
                 G_OBJECT_TYPE_NAME (self));
  sw_collector_keep_error (self, error);
  return was_taken;
}

static void
emit_batch (SwCollector *self,
            GPtrArray *events,
            gboolean *is_taken)
{
  Batch batch = { .collector = self, .is_taken = is_taken, .n_events = events->len, .outer = innermost };
  GError *error = NULL;
  gboolean succeeded;

  for (guint i = 0; i < events->len; i++)
    is_taken[i] = TRUE;
  innermost = &batch;
  succeeded = SW_COLLECTOR_GET_CLASS (self)->emit_many (self, events, &error);
  innermost = batch.outer;
  if (!succeeded && !batch.has_refused)
    memset (is_taken, 0, events->len * sizeof *is_taken);
  sw_collector_keep_error (self, error);
}

/* With the turn. One that closes itself meanwhile gets no more, unless the events had been kept for it. */
static void
emit_all (SwCollector *self,
          GPtrArray *events,
          gboolean *is_taken)
{
  SwCollectorState *state = sw_collector_get_state (self);
  gboolean is_bound = sw_collector_get_delivery (state) != NULL;

  if (SW_COLLECTOR_GET_CLASS (self)->emit_many != NULL)
    {
      emit_batch (self, events, is_taken);
      return;
    }
  for (guint i = 0; i < events->len; i++)
    is_taken[i] = (is_bound || !sw_collector_has_closed (state)) && emit_one (self, g_ptr_array_index (events, i));
}

void
sw_collector_deliver (SwCollector *self,
                      GPtrArray *events)
{
  for (guint at = 0; at < events->len; at += SW_COLLECTOR_MAX_BATCH)
    {
      g_autoptr (GPtrArray) part = g_ptr_array_new ();
      gboolean is_taken[SW_COLLECTOR_MAX_BATCH];
      gboolean is_new;

      for (guint i = at; i < events->len && part->len < SW_COLLECTOR_MAX_BATCH; i++)
        g_ptr_array_add (part, g_ptr_array_index (events, i));
      is_new = sw_collector_begin_call (self);
      emit_all (self, part, is_taken);
      count (self, is_taken, part->len);
      sw_collector_end_call (self, is_new);
    }
}

static void
take_by_emit (SwCollector *self,
              const SwTraceRecord *records,
              gsize n_records,
              gboolean *is_taken)
{
  g_autoptr (GPtrArray) events = g_ptr_array_new_full ((guint) n_records, (GDestroyNotify) sw_trace_event_unref);

  for (gsize i = 0; i < n_records; i++)
    g_ptr_array_add (events, sw_trace_event_new (&records[i]));
  emit_all (self, events, is_taken);
}

static void
take_each (SwCollector *self,
           const SwTraceRecord *records,
           gsize n_records,
           gboolean *is_taken)
{
  SwCollectorState *state = sw_collector_get_state (self);
  SwCollectorTake take = (SwCollectorTake) SW_COLLECTOR_GET_CLASS (self)->take;

  for (gsize i = 0; i < n_records; i++)
    {
      GError *error = NULL;

      is_taken[i] = !sw_collector_has_closed (state) && take (self, &records[i], &error);
      sw_collector_keep_error (self, error);
    }
}

/* With the turn. */
static void
take_all (SwCollector *self,
          const SwTraceRecord *records,
          gsize n_records,
          gboolean *is_taken)
{
  SwCollectorClass *klass = SW_COLLECTOR_GET_CLASS (self);
  SwCollectorTakeMany take_many = (SwCollectorTakeMany) klass->take_many;

  if (sw_collector_has_closed (sw_collector_get_state (self)))
    memset (is_taken, 0, n_records * sizeof *is_taken);
  else if (take_many != NULL)
    take_many (self, records, n_records, is_taken);
  else if (klass->take != NULL)
    take_each (self, records, n_records, is_taken);
  else
    take_by_emit (self, records, n_records, is_taken);
}

void
sw_collector_take_many (SwCollector *self,
                        const SwTraceRecord *records,
                        gsize n_records,
                        gboolean *is_taken)
{
  SwCollectorState *state = sw_collector_get_state (self);
  gboolean is_new;
  SwDelivery *delivery = sw_collector_begin_unless_bound (self, &is_new);

  if (delivery != NULL)
    {
      /* Those that were taken count once they have arrived. */
      add (&state->n_lost, n_records - sw_delivery_push (delivery, records, n_records, is_taken));
      return;
    }
  take_all (self, records, n_records, is_taken);
  count (self, is_taken, n_records);
  sw_collector_end_call (self, is_new);
}

gboolean
sw_collector_take (SwCollector *self,
                   const SwTraceRecord *record)
{
  gboolean was_taken;

  sw_collector_take_many (self, record, 1, &was_taken);
  return was_taken;
}

/**
 * sw_collector_emit:
 * @self: the collector
 * @event: the event
 * @error: where an error goes
 *
 * Passes an event to the collector: what a collector does that passes events on to another one.
 *
 * Returns: %FALSE with %SW_ERROR_STATE for a collector that is closed
 */
gboolean
sw_collector_emit (SwCollector *self,
                   SwTraceEvent *event,
                   GError **error)
{
  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (event != NULL, FALSE);

  if (sw_collector_get_is_closed (self))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "the collector %s is closed", G_OBJECT_TYPE_NAME (self));
      return FALSE;
    }
  sw_collector_take (self, sw_trace_event_peek_record (event));
  return TRUE;
}

/**
 * sw_collector_refuse:
 * @self: the collector
 * @index: which of the events that [vfunc@Strideweave.Collector.emit_many] was given, from 0
 * @error: where an error goes
 *
 * Says that an event was not taken, and counts as dropped. Only from within `emit_many` of the collector, on its thread.
 *
 * Returns: %FALSE with %SW_ERROR_STATE outside of `emit_many`, or with %SW_ERROR_INDEX where it got no such event
 */
gboolean
sw_collector_refuse (SwCollector *self,
                     guint index,
                     GError **error)
{
  Batch *batch = innermost;

  g_return_val_if_fail (SW_IS_COLLECTOR (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  while (batch != NULL && batch->collector != self)
    batch = batch->outer;
  if (batch == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "the collector %s is not in emit_many on this thread",
                   G_OBJECT_TYPE_NAME (self));
      return FALSE;
    }
  if (index >= batch->n_events)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_INDEX, "index is %u, and emit_many was given %u events", index,
                   batch->n_events);
      return FALSE;
    }
  batch->is_taken[index] = FALSE;
  batch->has_refused = TRUE;
  return TRUE;
}
