/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-slice-order-private.h"
#include "sw-profiler/read/sw-trace-visitor-private.h"

G_BEGIN_DECLS

/* All events of a trace with all that they carry, gathered in any order and given back in order of time, what is outer first. What has
 * no room in memory waits in a file without a name, in sorted runs. */
typedef struct _SwTraceSorter SwTraceSorter;

typedef enum {
  SW_SORTED_SLICE,
  SW_SORTED_INSTANT,
  SW_SORTED_COUNTER, /* its value is the one argument: an INT64 or a DOUBLE */
} SwSortedKind;

/* @budget: of memory, in bytes. */
SwTraceSorter *sw_trace_sorter_new (gsize budget) G_GNUC_WARN_UNUSED_RESULT;
void sw_trace_sorter_free (SwTraceSorter *self);

/* Copies what the slice points to; there must be no name_text, and no shape. @order: as of SwTraceReadSlice. */
void sw_trace_sorter_add (SwTraceSorter *self,
                          SwSortedKind kind,
                          const SwTraceSlice *slice,
                          guint flags,
                          guint order);
void sw_trace_sorter_add_counter (SwTraceSorter *self,
                                  const SwTraceReadCounter *counter);
/* No more events. FALSE with IO, where a file could not be written since the beginning. */
gboolean sw_trace_sorter_finish (SwTraceSorter *self,
                                 GError **error);
guint64 sw_trace_sorter_get_n_events (const SwTraceSorter *self);
/* Of all events; FALSE when there are none. */
gboolean sw_trace_sorter_get_times (const SwTraceSorter *self,
                                    gint64 *first_ns,
                                    gint64 *last_ns);

typedef struct
{
  SwSortedKind kind;
  guint flags;
  guint file;         /* the sorter, by its place */
  SwTraceSlice slice; /* with its time shifted */
} SwSortedEvent;

/* The events of several, each with its times shifted, in one order. Equal ones keep their order, those of the first sorter first. */
typedef struct _SwSortedEvents SwSortedEvents;

/* Once for each sorter, which must outlive it. No time may leave the range of 64 bits by its shift. Fails with IO. */
SwSortedEvents *sw_sorted_events_new (SwTraceSorter *const *sorters,
                                      const gint64 *shifts,
                                      guint n_sorters,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_sorted_events_free (SwSortedEvents *self);
/* FALSE at the end, or with an error. What the event points to lives until the next call. */
gboolean sw_sorted_events_next (SwSortedEvents *self,
                                SwSortedEvent *event,
                                GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTraceSorter, sw_trace_sorter_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwSortedEvents, sw_sorted_events_free)

G_END_DECLS
