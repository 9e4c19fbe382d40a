/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-trace-nesting-private.h"

void
sw_trace_nesting_init (SwTraceNesting *self,
                       const SwNestingVisitor *visitor,
                       gpointer data)
{
  *self = (SwTraceNesting){
    .visitor = visitor,
    .data = data,
    .open = g_array_new (FALSE, FALSE, sizeof (SwNestedSlice)),
  };
}

void
sw_trace_nesting_clear (SwTraceNesting *self)
{
  g_array_unref (self->open);
}

void
sw_trace_nesting_begin_track (SwTraceNesting *self,
                              guint32 track,
                              gboolean may_overlap)
{
  self->track = track;
  self->may_overlap = may_overlap;
}

static inline SwNestedSlice *
get_open (SwTraceNesting *self,
          guint n_inside)
{
  return self->open->len > n_inside ? &g_array_index (self->open, SwNestedSlice, self->open->len - 1 - n_inside) : NULL;
}

static void
close_innermost (SwTraceNesting *self)
{
  SwNestedSlice *slice = get_open (self, 0);

  if (self->visitor->close != NULL)
    self->visitor->close (self->data, slice, get_open (self, 1));
  g_array_set_size (self->open, self->open->len - 1);
}

static inline gint64
get_end (const SwNestedSlice *slice)
{
  return slice->start_ns + slice->duration_ns;
}

void
sw_trace_nesting_add (SwTraceNesting *self,
                      const SwSliceRecord *record)
{
  SwNestedSlice slice = {
    .track = self->track,
    .label = record->label,
    .flags = record->flags,
    .start_ns = record->start_ns,
    .duration_ns = record->duration_ns,
  };
  SwNestedSlice *parent;

  while (self->open->len > 0 && (self->may_overlap || get_end (get_open (self, 0)) <= slice.start_ns))
    close_innermost (self);
  parent = get_open (self, 0);
  if (parent != NULL)
    {
      gint64 room = get_end (parent) - slice.start_ns;

      if (slice.duration_ns > room)
        {
          slice.clipped_ns = slice.duration_ns - room;
          slice.duration_ns = room;
          slice.flags |= SW_SLICE_CLIPPED;
        }
      parent->inner_ns += slice.duration_ns;
    }
  slice.depth = self->open->len;
  if (self->visitor->open != NULL)
    self->visitor->open (self->data, &slice, parent);
  g_array_append_val (self->open, slice);
}

void
sw_trace_nesting_end_track (SwTraceNesting *self)
{
  while (self->open->len > 0)
    close_innermost (self);
}
