/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-held-private.h"

/* Viewers nest slices by their times, and equal times by their order in the file: what is outer must come first there.
 * They cannot show two slices of one row that overlap without nesting; such a slice goes to another lane.
 *
 * A track in order of starts is simple: a lane keeps the slices that are open, innermost last.
 *
 * In order of ends, a slice that is written may turn out to be inside one that comes later. Only one thing is then
 * hard to put right: that one may begin at the very same time, so it must come before in the file. So the beginning of a slice waits
 * while such a parent is possible: where depths are known, only for a first child; else for every slice, up to a limit.
 * Its end is written at once: whatever comes later ends later. A lane keeps spans that are done and not yet inside another. */

/* More lanes for one track nobody could look at. */
#define MAX_LANES 256
/* Without depths, what waits on one lane, and what is known of its past. */
#define MAX_HELD 1024
#define N_KEPT 64
#define MAX_SPANS 8192

static inline SwTraceSpan *
get_span (SwTraceLane *lane,
          guint i)
{
  return &g_array_index (lane->spans, SwTraceSpan, i);
}

static inline gint64
slice_end (const SwTraceSlice *slice)
{
  return slice->start_ns + slice->duration_ns;
}

static void
write_chain (SwTraceWriter *self,
             SwTraceLane *lane,
             SwTraceHeld *chain)
{
  while (chain != NULL)
    {
      SwTraceHeld *next = chain->next;

      if (chain->is_instant)
        self->backend->instant (self, lane, &chain->slice);
      else
        self->backend->slice (self, lane, &chain->slice, chain->parts);
      sw_trace_held_free (chain);
      lane->n_held--;
      chain = next;
    }
}

static void
release_span (SwTraceWriter *self,
              SwTraceLane *lane,
              SwTraceSpan *span)
{
  write_chain (self, lane, g_steal_pointer (&span->held));
}

/* In order of starts. */

static void
close_ended (SwTraceWriter *self,
             SwTraceLane *lane,
             gint64 time_ns)
{
  while (lane->spans->len > 0)
    {
      SwTraceSpan *innermost = get_span (lane, lane->spans->len - 1);

      if (innermost->end > time_ns)
        break;
      if (self->backend->end != NULL)
        self->backend->end (self, lane, innermost->end);
      g_array_set_size (lane->spans, lane->spans->len - 1);
    }
}

static gboolean
fits_by_start (SwTraceLane *lane,
               const SwTraceSlice *slice)
{
  guint n_open = lane->spans->len;

  if (slice->start_ns < lane->last_start)
    return FALSE;
  if (slice->depth >= 0 && n_open > (guint) slice->depth)
    return FALSE;
  return n_open == 0 || slice_end (slice) <= get_span (lane, n_open - 1)->end;
}

/* Of several lanes, that of the parent: the one as deep as the slice wants, else the one entered last. */
static gboolean
is_better_lane (SwTraceLane *lane,
                SwTraceLane *best,
                gint32 depth)
{
  gboolean is_exact = depth >= 0 && lane->spans->len == (guint) depth;

  if (best == NULL)
    return TRUE;
  if (depth >= 0 && is_exact != (best->spans->len == (guint) depth))
    return is_exact;
  if (lane->spans->len == 0 || best->spans->len == 0)
    return lane->spans->len > best->spans->len;
  return lane->last_start > best->last_start;
}

static SwTraceLane *
find_lane_by_start (SwTraceWriter *self,
                    SwTraceTrack *track,
                    const SwTraceSlice *slice)
{
  SwTraceLane *best = NULL;

  for (guint i = 0; i < track->lanes->len; i++)
    {
      SwTraceLane *lane = g_ptr_array_index (track->lanes, i);

      if (slice->start_ns >= lane->last_start)
        close_ended (self, lane, slice->start_ns);
      if (fits_by_start (lane, slice) && is_better_lane (lane, best, slice->depth))
        best = lane;
    }
  return best;
}

static void
place_by_start (SwTraceWriter *self,
                SwTraceLane *lane,
                const SwTraceSlice *slice)
{
  SwTraceSpan span = { slice->start_ns, slice_end (slice), slice->start_ns, slice->depth, NULL };

  lane->last_start = slice->start_ns;
  if (self->backend->end == NULL)
    {
      self->backend->slice (self, lane, slice, SW_TRACE_PART_BEGIN | SW_TRACE_PART_END);
    }
  else if (slice->duration_ns == 0)
    {
      self->backend->slice (self, lane, slice, SW_TRACE_PART_BEGIN | SW_TRACE_PART_END);
      return;
    }
  else
    {
      self->backend->slice (self, lane, slice, SW_TRACE_PART_BEGIN);
    }
  g_array_append_val (lane->spans, span);
}

/* In order of ends. */

/* Whether a span that is done is inside @slice: known depths decide, else the times. */
static gboolean
is_inside (const SwTraceSpan *span,
           const SwTraceSlice *slice)
{
  if (span->depth >= 0 && slice->depth >= 0)
    return span->depth > slice->depth;
  return span->start >= slice->start_ns;
}

/* The index of the first span that is inside @slice, or G_MAXUINT where the slice does not nest. */
static guint
find_children (SwTraceLane *lane,
               const SwTraceSlice *slice)
{
  guint first = lane->spans->len;

  while (first > 0 && is_inside (get_span (lane, first - 1), slice))
    {
      SwTraceSpan *child = get_span (lane, --first);

      if (child->end > slice_end (slice) || (child->last_start < slice->start_ns && slice->start_ns < child->end))
        return G_MAXUINT;
      /* Written already, it would look as if it were around the slice. */
      if (child->start == slice->start_ns && child->held == NULL)
        return G_MAXUINT;
    }
  return first == 0 || get_span (lane, first - 1)->end <= slice->start_ns ? first : G_MAXUINT;
}

static SwTraceLane *
find_lane_by_end (SwTraceTrack *track,
                  const SwTraceSlice *slice)
{
  for (guint i = 0; i < track->lanes->len; i++)
    {
      SwTraceLane *lane = g_ptr_array_index (track->lanes, i);

      if (find_children (lane, slice) != G_MAXUINT)
        return lane;
    }
  return NULL;
}

/* What is inside is written, but for what begins with the slice: that comes after it. */
static SwTraceHeld *
take_children (SwTraceWriter *self,
               SwTraceLane *lane,
               guint first,
               gint64 start_ns)
{
  SwTraceHeld *later = NULL;

  for (guint i = first; i < lane->spans->len; i++)
    {
      SwTraceSpan *child = get_span (lane, i);

      if (child->held != NULL && child->held->slice.start_ns == start_ns)
        later = sw_trace_held_join (later, g_steal_pointer (&child->held));
      else
        release_span (self, lane, child);
    }
  g_array_set_size (lane->spans, first);
  return later;
}

static SwTraceHeld *
hold (SwTraceWriter *self,
      SwTraceLane *lane,
      const SwTraceSlice *slice,
      gboolean is_instant)
{
  SwTracePart parts = SW_TRACE_PART_BEGIN;

  if (slice->duration_ns == 0 && !is_instant)
    parts |= SW_TRACE_PART_END;
  else if (!is_instant && self->backend->end != NULL)
    self->backend->slice (self, lane, slice, SW_TRACE_PART_END);
  lane->n_held++;
  return sw_trace_held_new (slice, is_instant, parts);
}

/* Without depths there is no telling how long to wait. */
static void
forget_oldest (SwTraceWriter *self,
               SwTraceLane *lane)
{
  if (lane->n_held > MAX_HELD)
    for (guint i = 0; i + N_KEPT < lane->spans->len; i++)
      release_span (self, lane, get_span (lane, i));
  if (lane->spans->len > MAX_SPANS)
    {
      /* One long span of the past: a slice that begins inside it cannot be shown to nest. */
      SwTraceSpan *last = get_span (lane, MAX_SPANS / 2 - 1);

      get_span (lane, 0)->end = last->end;
      get_span (lane, 0)->depth = SW_TRACE_DEPTH_UNKNOWN;
      g_array_remove_range (lane->spans, 1, MAX_SPANS / 2 - 1);
    }
}

static void
place_by_end (SwTraceWriter *self,
              SwTraceLane *lane,
              const SwTraceSlice *slice,
              gboolean is_instant)
{
  guint first = is_instant ? lane->spans->len : find_children (lane, slice);
  SwTraceHeld *later = take_children (self, lane, first, slice->start_ns);
  SwTraceSpan *before = first > 0 ? get_span (lane, first - 1) : NULL;
  gboolean is_sibling = before != NULL && slice->depth >= 0 && before->depth == slice->depth;
  gboolean may_tie = slice->depth != 0 && !(is_sibling && before->start < slice->start_ns);
  SwTraceSpan span = { slice->start_ns, slice_end (slice), slice->start_ns, slice->depth, NULL };

  if (may_tie)
    later = sw_trace_held_join (hold (self, lane, slice, is_instant), later);
  else if (is_instant)
    self->backend->instant (self, lane, slice);
  else
    self->backend->slice (self, lane, slice, SW_TRACE_PART_BEGIN | SW_TRACE_PART_END);

  if (!may_tie)
    write_chain (self, lane, g_steal_pointer (&later));
  if (is_sibling)
    {
      before->end = MAX (before->end, span.end);
      before->last_start = span.start;
      before->held = sw_trace_held_join (before->held, later);
      return;
    }
  span.held = later;
  g_array_append_val (lane->spans, span);
  forget_oldest (self, lane);
}

/* Slices that may overlap: each needs a lane that is free. */
static SwTraceLane *
find_free_lane (SwTraceTrack *track,
                const SwTraceSlice *slice)
{
  for (guint i = 0; i < track->lanes->len; i++)
    {
      SwTraceLane *lane = g_ptr_array_index (track->lanes, i);

      if (lane->last_start <= slice->start_ns)
        return lane;
    }
  return NULL;
}

static SwTraceLane *
find_lane (SwTraceWriter *self,
           SwTraceTrack *track,
           const SwTraceSlice *slice)
{
  SwTraceLane *lane;

  if (track->kind == SW_TRACE_TRACK_ASYNC)
    lane = find_free_lane (track, slice);
  else if (track->order == SW_TRACE_ORDER_START)
    lane = find_lane_by_start (self, track, slice);
  else
    lane = find_lane_by_end (track, slice);
  if (lane != NULL)
    return lane;
  if (track->lanes->len == MAX_LANES && track->kind != SW_TRACE_TRACK_ASYNC)
    {
      self->counts.n_overlapping++;
      return NULL;
    }
  return sw_trace_writer_add_lane (self, track);
}

void
sw_trace_order_slice (SwTraceWriter *self,
                      SwTraceTrack *track,
                      const SwTraceSlice *slice)
{
  SwTraceLane *lane = find_lane (self, track, slice);

  if (lane == NULL)
    return;
  if (track->kind == SW_TRACE_TRACK_ASYNC)
    {
      lane->last_start = slice_end (slice);
      self->backend->async_slice (self, lane, slice);
      return;
    }
  self->counts.n_relaned += lane != g_ptr_array_index (track->lanes, 0);
  if (track->order == SW_TRACE_ORDER_START)
    place_by_start (self, lane, slice);
  else
    place_by_end (self, lane, slice, FALSE);
}

void
sw_trace_order_instant (SwTraceWriter *self,
                        SwTraceTrack *track,
                        const SwTraceSlice *instant)
{
  SwTraceLane *lane = g_ptr_array_index (track->lanes, 0);

  if (track->order == SW_TRACE_ORDER_START || track->kind == SW_TRACE_TRACK_PROCESS)
    {
      close_ended (self, lane, instant->start_ns);
      self->backend->instant (self, lane, instant);
    }
  else
    {
      place_by_end (self, lane, instant, TRUE);
    }
}

void
sw_trace_order_release (SwTraceWriter *self,
                        SwTraceLane *lane,
                        gboolean is_final)
{
  for (guint i = 0; i < lane->spans->len; i++)
    release_span (self, lane, get_span (lane, i));
  if (is_final && lane->track->order == SW_TRACE_ORDER_START)
    close_ended (self, lane, G_MAXINT64);
}

void
sw_trace_order_clear (SwTraceLane *lane)
{
  for (guint i = 0; i < lane->spans->len; i++)
    for (SwTraceHeld *held = get_span (lane, i)->held; held != NULL;)
      {
        SwTraceHeld *next = held->next;

        sw_trace_held_free (held);
        held = next;
      }
}
