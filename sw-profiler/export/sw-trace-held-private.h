/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-backend-private.h"

G_BEGIN_DECLS

/* A copy of a slice or instant that waits, with those that begin at the same time and come after it. */
typedef struct _SwTraceHeld SwTraceHeld;
struct _SwTraceHeld
{
  SwTraceHeld *next;
  SwTraceHeld *last; /* of the first one in a chain */
  gboolean is_instant;
  SwTracePart parts; /* still to be written */
  SwTraceSlice slice;
};

SwTraceHeld *sw_trace_held_new (const SwTraceSlice *slice,
                                gboolean is_instant,
                                SwTracePart parts) G_GNUC_WARN_UNUSED_RESULT;
void sw_trace_held_free (SwTraceHeld *self);

/* The chain @tail after the chain @head, either of which may be NULL. */
static inline SwTraceHeld *
sw_trace_held_join (SwTraceHeld *head,
                    SwTraceHeld *tail)
{
  if (head == NULL)
    return tail;
  if (tail != NULL)
    {
      head->last->next = tail;
      head->last = tail->last;
    }
  return head;
}

G_END_DECLS
