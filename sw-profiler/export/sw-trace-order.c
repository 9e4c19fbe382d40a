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
 * Its end is written at once: whatever comes later ends later. A lane keeps spans that are done and not yet inside another.
 *
 * A point, which is an instant or a slice of no length, is inside of what begins at its time and not of what ends there.
 * The latest ones wait until nothing more can end at their time; in order of ends, they may then have to wait like a
 * beginning. */

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

static void
release_points (SwTraceWriter *self,
                SwTraceLane *lane)
{
  write_chain (self, lane, g_steal_pointer (&lane->points));
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
      if (innermost->held != NULL)
        write_chain (self, lane, g_steal_pointer (&innermost->held));
      else if (self->backend->end != NULL)
        self->backend->end (self, lane, innermost->end);
      g_array_set_size (lane->spans, lane->spans->len - 1);
    }
}

/* Nothing more begins before @time_ns. */
static void
advance (SwTraceWriter *self,
         SwTraceLane *lane,
         gint64 time_ns)
{
  if (lane->points != NULL && lane->points->slice.start_ns < time_ns)
    {
      close_ended (self, lane, lane->points->slice.start_ns);
      release_points (self, lane);
    }
  close_ended (self, lane, time_ns);
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
        advance (self, lane, slice->start_ns);
      if (fits_by_start (lane, slice) && is_better_lane (lane, best, slice->depth))
        best = lane;
    }
  return best;
}

/* What its end says is of a slice through which flows came late; NULL: it has none. */
static SwTraceHeld *
hold_end (SwTraceLane *lane,
          const SwTraceSlice *slice)
{
  SwTraceSlice bare = *slice;

  for (guint i = 0; i < slice->n_flows; i++)
    if (sw_trace_flow_is_late (slice, &slice->flows[i]))
      {
        bare.n_args = 0;
        lane->n_held++;
        return sw_trace_held_new (&bare, FALSE, SW_TRACE_PART_END);
      }
  return NULL;
}

static void
place_by_start (SwTraceWriter *self,
                SwTraceLane *lane,
                const SwTraceSlice *slice)
{
  SwTraceSpan span = { slice->start_ns, slice_end (slice), slice->start_ns, slice->depth, NULL };

  lane->last_start = slice->start_ns;
  if (self->backend->end == NULL)
    self->backend->slice (self, lane, slice, SW_TRACE_PART_BEGIN | SW_TRACE_PART_END);
  else
    {
      self->backend->slice (self, lane, slice, SW_TRACE_PART_BEGIN);
      span.held = hold_end (lane, slice);
    }
  g_array_append_val (lane->spans, span);
}

/* In order of ends. */

static inline gboolean
is_point (const SwTraceSpan *span)
{
  return span->start == span->end;
}

/* Whether a span that is done is inside @slice: known depths decide, else the times. */
static gboolean
is_inside (const SwTraceSpan *span,
           const SwTraceSlice *slice)
{
  if (span->depth >= 0 && slice->depth >= 0 && !is_point (span))
    return span->depth > slice->depth;
  return span->start >= slice->start_ns;
}

/* Whether a child was written already and would be taken for the parent. Formats that write a slice at once leave it to
 * their readers to put the longer one first. */
static gboolean
looks_outer (SwTraceWriter *self,
             const SwTraceSpan *child,
             const SwTraceSlice *slice)
{
  if (child->start != slice->start_ns || child->held != NULL || is_point (child))
    return FALSE;
  return self->backend->end != NULL || child->end == slice_end (slice);
}

/* The index of the first span that is inside @slice, or G_MAXUINT where the slice does not nest. */
static guint
find_children (SwTraceWriter *self,
               SwTraceLane *lane,
               const SwTraceSlice *slice)
{
  guint first = lane->spans->len;

  while (first > 0 && is_inside (get_span (lane, first - 1), slice))
    {
      SwTraceSpan *child = get_span (lane, --first);

      if (child->end > slice_end (slice) || (child->last_start < slice->start_ns && slice->start_ns < child->end))
        return G_MAXUINT;
      if (looks_outer (self, child, slice))
        return G_MAXUINT;
    }
  return first == 0 || get_span (lane, first - 1)->end <= slice->start_ns ? first : G_MAXUINT;
}

static SwTraceLane *
find_lane_by_end (SwTraceWriter *self,
                  SwTraceTrack *track,
                  const SwTraceSlice *slice)
{
  for (guint i = 0; i < track->lanes->len; i++)
    {
      SwTraceLane *lane = g_ptr_array_index (track->lanes, i);

      if (find_children (self, lane, slice) != G_MAXUINT)
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
      const SwTraceSlice *slice)
{
  if (self->backend->end != NULL)
    self->backend->slice (self, lane, slice, SW_TRACE_PART_END);
  lane->n_held++;
  return sw_trace_held_new (slice, FALSE, SW_TRACE_PART_BEGIN);
}

/* Whether the span before place @i began before @span, in what may be around both: nothing around them begins with @span. */
static gboolean
has_elder (SwTraceLane *lane,
           guint i,
           const SwTraceSpan *span)
{
  return i > 0 && get_span (lane, i - 1)->depth == span->depth && get_span (lane, i - 1)->start < span->start;
}

static void
release_first (SwTraceWriter *self,
               SwTraceLane *lane,
               guint n)
{
  for (guint i = 0; i < n; i++)
    release_span (self, lane, get_span (lane, i));
}

/* Without depths there is no telling how long to wait. Whenever all of the past is walked through, at least half of what may
 * wait has come since the last time. */
static void
forget_oldest (SwTraceWriter *self,
               SwTraceLane *lane)
{
  if (lane->n_held > MAX_HELD)
    {
      release_first (self, lane, MAX (lane->spans->len, N_KEPT) - N_KEPT);
      if (lane->n_held > MAX_HELD / 2)
        release_first (self, lane, lane->spans->len);
    }
  if (lane->spans->len > MAX_SPANS)
    {
      /* One long span of the past: a slice that begins inside it cannot be shown to nest. */
      SwTraceSpan *last = get_span (lane, MAX_SPANS / 2 - 1);

      release_first (self, lane, MAX_SPANS / 2);
      get_span (lane, 0)->end = last->end;
      get_span (lane, 0)->depth = SW_TRACE_DEPTH_UNKNOWN;
      g_array_remove_range (lane->spans, 1, MAX_SPANS / 2 - 1);
    }
}

/* Something ended, at @depth, after the latest points. Where it was not deeper than they, nothing around it began with
 * them; then only what is around them may have. */
static void
settle_points (SwTraceWriter *self,
               SwTraceLane *lane,
               gint32 depth)
{
  const SwTraceSlice *point = &lane->points->slice;
  SwTraceSpan span = { point->start_ns, point->start_ns, point->start_ns, lane->points_depth, NULL };
  gboolean is_last = depth >= 0 && depth <= span.depth;

  if (is_last && (span.depth == 0 || has_elder (lane, lane->spans->len, &span)))
    {
      release_points (self, lane);
      return;
    }
  span.held = g_steal_pointer (&lane->points);
  g_array_append_val (lane->spans, span);
  forget_oldest (self, lane);
}

/* The same, for points that wait already, before place @first. Returns what is left before it. */
static guint
forget_points (SwTraceWriter *self,
               SwTraceLane *lane,
               guint first,
               const SwTraceSlice *slice)
{
  while (first > 0)
    {
      SwTraceSpan *span = get_span (lane, first - 1);

      if (!is_point (span) || slice->depth < 0 || span->depth < slice->depth)
        break;
      if (span->depth > 0 && !has_elder (lane, first - 1, span))
        break;
      release_span (self, lane, span);
      g_array_set_size (lane->spans, --first);
    }
  return first;
}

/* The latest points, where they are to be written after the beginning of @slice. */
static SwTraceHeld *
take_points (SwTraceWriter *self,
             SwTraceLane *lane,
             const SwTraceSlice *slice)
{
  gint64 time_ns = lane->points->slice.start_ns;

  if (time_ns == slice->start_ns)
    return g_steal_pointer (&lane->points);
  if (time_ns < slice->start_ns)
    settle_points (self, lane, slice->depth);
  else if (time_ns < slice_end (slice))
    release_points (self, lane);
  else
    /* They come after it, so they are no deeper. */
    lane->points_depth = MIN (lane->points_depth, slice->depth);
  return NULL;
}

static void
place_by_end (SwTraceWriter *self,
              SwTraceLane *lane,
              const SwTraceSlice *slice)
{
  SwTraceHeld *points = lane->points != NULL ? take_points (self, lane, slice) : NULL;
  guint first = find_children (self, lane, slice);
  SwTraceHeld *later = sw_trace_held_join (take_children (self, lane, first, slice->start_ns), points);
  guint n_before = forget_points (self, lane, first, slice);
  SwTraceSpan *before = n_before > 0 ? get_span (lane, n_before - 1) : NULL;
  gboolean is_sibling = before != NULL && slice->depth >= 0 && before->depth == slice->depth;
  gboolean may_tie = slice->depth != 0 && !(is_sibling && before->start < slice->start_ns);
  SwTraceSpan span = { slice->start_ns, slice_end (slice), slice->start_ns, slice->depth, NULL };

  if (may_tie)
    {
      later = sw_trace_held_join (hold (self, lane, slice), later);
    }
  else
    {
      self->backend->slice (self, lane, slice, SW_TRACE_PART_BEGIN | SW_TRACE_PART_END);
      write_chain (self, lane, g_steal_pointer (&later));
    }
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

/* A slice went to another lane than what is inside it: nothing more can be around that there. */
static void
leave_children (SwTraceWriter *self,
                SwTraceLane *lane,
                const SwTraceSlice *slice)
{
  guint first = lane->spans->len;

  while (first > 0 && is_inside (get_span (lane, first - 1), slice))
    release_span (self, lane, get_span (lane, --first));
  g_array_set_size (lane->spans, first);
}

static SwTraceLane *
find_lane (SwTraceWriter *self,
           SwTraceTrack *track,
           const SwTraceSlice *slice)
{
  SwTraceLane *lane;

  if (track->kind == SW_TRACE_TRACK_ASYNC)
    lane = sw_trace_track_find_free_lane (track, slice->start_ns);
  else if (track->order == SW_TRACE_ORDER_START)
    lane = find_lane_by_start (self, track, slice);
  else
    lane = find_lane_by_end (self, track, slice);
  if (lane != NULL)
    return lane;
  if (track->lanes->len == MAX_LANES && track->kind != SW_TRACE_TRACK_ASYNC)
    {
      self->counts.n_overlapping++;
      return NULL;
    }
  return sw_trace_writer_add_lane (self, track);
}

static void
order_point (SwTraceWriter *self,
             SwTraceTrack *track,
             const SwTraceSlice *point,
             gboolean is_instant)
{
  gboolean is_by_start = track->order == SW_TRACE_ORDER_START;
  SwTraceLane *lane = is_by_start ? find_lane_by_start (self, track, point) : NULL;
  SwTraceHeld *held = sw_trace_held_new (point, is_instant, SW_TRACE_PART_BEGIN | SW_TRACE_PART_END);

  if (lane == NULL)
    lane = g_ptr_array_index (track->lanes, 0);
  if (lane->n_held >= MAX_HELD)
    sw_trace_order_release (self, lane, FALSE);
  if (lane->points != NULL && lane->points->slice.start_ns != point->start_ns)
    {
      if (is_by_start)
        release_points (self, lane);
      else
        settle_points (self, lane, point->depth);
    }
  lane->n_held++;
  lane->points_depth = lane->points != NULL ? MIN (lane->points_depth, point->depth) : point->depth;
  lane->points = sw_trace_held_join (lane->points, held);
}

void
sw_trace_order_slice (SwTraceWriter *self,
                      SwTraceTrack *track,
                      const SwTraceSlice *slice)
{
  SwTraceLane *lane;

  if (slice->duration_ns == 0 && track->kind != SW_TRACE_TRACK_ASYNC)
    {
      order_point (self, track, slice, FALSE);
      return;
    }
  lane = find_lane (self, track, slice);
  if (lane == NULL)
    return;
  if (track->kind == SW_TRACE_TRACK_ASYNC)
    {
      SwTraceSlice plain = *slice;

      /* Chrome's flows are bound by threads. */
      plain.n_flows = 0;
      sw_trace_track_occupy_lane (track, lane, slice_end (slice));
      self->backend->async_slice (self, lane, &plain);
      return;
    }
  self->counts.n_relaned += lane != g_ptr_array_index (track->lanes, 0);
  if (track->order == SW_TRACE_ORDER_START)
    place_by_start (self, lane, slice);
  else
    place_by_end (self, lane, slice);
  if (track->order == SW_TRACE_ORDER_END && slice->depth >= 0)
    for (guint i = 0; i < track->lanes->len; i++)
      if (g_ptr_array_index (track->lanes, i) != lane)
        leave_children (self, g_ptr_array_index (track->lanes, i), slice);
}

void
sw_trace_order_instant (SwTraceWriter *self,
                        SwTraceTrack *track,
                        const SwTraceSlice *instant)
{
  if (track->kind == SW_TRACE_TRACK_PROCESS)
    self->backend->instant (self, g_ptr_array_index (track->lanes, 0), instant);
  else
    order_point (self, track, instant, TRUE);
}

void
sw_trace_order_release (SwTraceWriter *self,
                        SwTraceLane *lane,
                        gboolean is_final)
{
  if (lane->track->order == SW_TRACE_ORDER_END)
    for (guint i = 0; i < lane->spans->len; i++)
      release_span (self, lane, get_span (lane, i));
  if (lane->track->order == SW_TRACE_ORDER_START && lane->points != NULL)
    close_ended (self, lane, lane->points->slice.start_ns);
  release_points (self, lane);
  if (lane->track->order == SW_TRACE_ORDER_START && is_final)
    close_ended (self, lane, G_MAXINT64);
}

static void
free_chain (SwTraceHeld *chain)
{
  while (chain != NULL)
    {
      SwTraceHeld *next = chain->next;

      sw_trace_held_free (chain);
      chain = next;
    }
}

void
sw_trace_order_clear (SwTraceLane *lane)
{
  for (guint i = 0; i < lane->spans->len; i++)
    free_chain (get_span (lane, i)->held);
  free_chain (lane->points);
}
