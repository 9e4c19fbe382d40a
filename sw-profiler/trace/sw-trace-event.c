/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-event-private.h"

#include <string.h>

#include "sw/base/sw-ref-count-private.h"

/**
 * SwTraceEvent:
 *
 * One event of a trace: a span that has ended, an instant, or the value of a counter.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwTraceEvent
{
  SwRefCount ref_count;
  SwTraceRecord record; /* all of it is the event's own */
};

G_DEFINE_BOXED_TYPE (SwTraceEvent, sw_trace_event, sw_trace_event_ref, sw_trace_event_unref)

static char *
dup_valid (const char *text)
{
  return g_utf8_validate (text, -1, NULL) ? g_strdup (text) : g_utf8_make_valid (text, -1);
}

SwTraceEvent *
sw_trace_event_new (const SwTraceRecord *record)
{
  SwTraceEvent *self = g_new (SwTraceEvent, 1);

  sw_ref_count_init (&self->ref_count);
  self->record = *record;
  self->record.name = dup_valid (record->name);
  self->record.category = dup_valid (record->category);
  sw_lane_ref (record->lane);
  self->record.items = NULL;
  if (record->items_size > 0)
    {
      guint8 *items = g_malloc (record->items_size);

      sw_trace_items_copy (items, record->items, record->items_size);
      self->record.items = items;
    }
  return self;
}

const SwTraceRecord *
sw_trace_event_peek_record (SwTraceEvent *self)
{
  return &self->record;
}

/**
 * sw_trace_event_ref:
 * @self: the event
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwTraceEvent *
sw_trace_event_ref (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_trace_event_unref:
 * @self: (transfer full): the event
 *
 * Gives a reference back. May be called on any thread; the last one frees the event.
 */
void
sw_trace_event_unref (SwTraceEvent *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  sw_trace_items_release (self->record.items, self->record.items_size);
  g_free ((guint8 *) self->record.items);
  g_free ((char *) self->record.name);
  g_free ((char *) self->record.category);
  sw_lane_unref (self->record.lane);
  g_free (self);
}

/**
 * sw_trace_event_get_kind:
 * @self: the event
 *
 * Returns what the event is.
 *
 * Returns: the kind
 */
SwTraceEventKind
sw_trace_event_get_kind (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, SW_TRACE_EVENT_KIND_INSTANT);

  return self->record.kind;
}

/**
 * sw_trace_event_get_level:
 * @self: the event
 *
 * Returns the verbosity from which on the event is recorded.
 *
 * Returns: the level
 */
SwTraceVerbosity
sw_trace_event_get_level (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, SW_TRACE_VERBOSITY_NONE);

  return self->record.level;
}

/**
 * sw_trace_event_get_name:
 * @self: the event
 *
 * Returns the name. Bytes that are no UTF-8 are replaced.
 *
 * Returns: (transfer none): the name, which lives as long as the event
 */
const char *
sw_trace_event_get_name (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->record.name;
}

/**
 * sw_trace_event_get_category:
 * @self: the event
 *
 * Returns the category, by which viewers filter.
 *
 * Returns: (transfer none): the category, empty for none
 */
const char *
sw_trace_event_get_category (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->record.category;
}

/**
 * sw_trace_event_get_start_ns:
 * @self: the event
 *
 * Returns when the event began, in nanoseconds of CLOCK_MONOTONIC.
 *
 * Returns: the time in nanoseconds
 */
gint64
sw_trace_event_get_start_ns (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->record.start_ns;
}

/**
 * sw_trace_event_get_duration_ns:
 * @self: the event
 *
 * Returns how long a span took from its beginning to its end, spans inside of it included.
 *
 * Returns: nanoseconds; 0 for what is no span
 */
gint64
sw_trace_event_get_duration_ns (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->record.duration_ns;
}

/**
 * sw_trace_event_get_depth:
 * @self: the event
 *
 * Returns how many spans of its thread that the same context recorded the event is inside of.
 *
 * Returns: the depth, from 0; -1 where spans ended in another order than they began, so that there is none
 */
int
sw_trace_event_get_depth (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return self->record.depth;
}

/**
 * sw_trace_event_get_interrupted:
 * @self: the event
 *
 * Returns whether the span was still open when recording stopped or its thread ended: it ends there, then.
 *
 * Returns: whether it was ended from outside
 */
gboolean
sw_trace_event_get_interrupted (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->record.interrupted;
}

/**
 * sw_trace_event_get_value:
 * @self: the event
 *
 * Returns what a counter counts from this moment on.
 *
 * Returns: the value; 0 for what is no counter
 */
double
sw_trace_event_get_value (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  if (self->record.kind != SW_TRACE_EVENT_KIND_COUNTER)
    return 0;
  return self->record.is_integer ? (double) self->record.value.integer : self->record.value.real;
}

/**
 * sw_trace_event_get_thread_id:
 * @self: the event
 *
 * Returns what the operating system calls the thread. It may give the number to another thread later.
 *
 * Returns: the number, never 0 of a thread; 0 for a span of a GPU
 */
guint64
sw_trace_event_get_thread_id (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return sw_lane_get_thread_id (self->record.lane);
}

/**
 * sw_trace_event_get_lane_id:
 * @self: the event
 *
 * Returns the number of the lane of the thread, or of the queue of a GPU, which no other one of the process has or had.
 *
 * Returns: the number, from 1
 */
guint64
sw_trace_event_get_lane_id (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return sw_lane_get_id (self->record.lane);
}

/**
 * sw_trace_event_dup_thread_name:
 * @self: the event
 *
 * Returns what the thread is called now, or was when it ended; of a span of a GPU, its queue, like "GPU 0 · stream 7".
 *
 * Returns: (transfer full): the name
 */
char *
sw_trace_event_dup_thread_name (SwTraceEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return sw_lane_dup_name (self->record.lane);
}

/**
 * sw_trace_event_dup_arguments:
 * @self: the event
 *
 * Returns the arguments by their names: strings, integers of 64 bits, doubles and booleans; shapes as text. Of two with the
 * same name the later one counts.
 *
 * Returns: (transfer full): a dictionary of type `a{sv}`
 */
GVariant *
sw_trace_event_dup_arguments (SwTraceEvent *self)
{
  const guint8 *end;
  const SwTraceItem *item;
  g_auto (GVariantDict) dict = { 0 };

  g_return_val_if_fail (self != NULL, NULL);

  g_variant_dict_init (&dict, NULL);
  item = (const void *) self->record.items;
  end = self->record.items + self->record.items_size;
  for (; (const guint8 *) item < end; item = sw_trace_item_next (item))
    if (item->type != SW_TRACE_ITEM_FLOW)
      {
        g_autofree char *key = g_utf8_make_valid (item->text, item->key_length);

        g_variant_dict_insert_value (&dict, key, sw_trace_item_to_variant (item));
      }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * sw_trace_event_dup_flows:
 * @self: the event
 *
 * Returns the flows that pass through a span, in the order in which they were led there: the id of each, which other spans
 * of the same flow have too, when it came by, in nanoseconds of CLOCK_MONOTONIC, and what it did here, `"start"`, `"step"`
 * or `"end"`. What leads to a span of a GPU from the one that launched it is a flow as well, whose id is 2⁵² or more.
 *
 * Returns: (transfer full): an array of type `a(txs)`
 */
GVariant *
sw_trace_event_dup_flows (SwTraceEvent *self)
{
  static const char *const steps[] = { "start", "step", "end" };
  const guint8 *end;
  GVariantBuilder builder;

  g_return_val_if_fail (self != NULL, NULL);

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(txs)"));
  end = self->record.items + self->record.items_size;
  for (const SwTraceItem *item = (const void *) self->record.items; (const guint8 *) item < end;
       item = sw_trace_item_next (item))
    if (item->type == SW_TRACE_ITEM_FLOW)
      g_variant_builder_add (&builder, "(txs)", item->value.v_uint64, (gint64) sw_trace_flow_get_time (item),
                             steps[item->extra]);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
