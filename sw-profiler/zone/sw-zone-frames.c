/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-frames-private.h"

#include <sched.h>

#include "sw-profiler/zone/sw-zone-barrier-private.h"
#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw/base/sw-error.h"

/* A frame's token: the number of its core above, its index and 1 below. */
#define INDEX_BITS 32

void
sw_zone_frames_init (SwZoneFrames *self)
{
  self->waiting = g_array_new (FALSE, FALSE, sizeof (SwStreamFrame));
}

void
sw_zone_frames_clear (SwZoneFrames *self)
{
  for (guint i = 0; i < self->waiting->len; i++)
    g_free (g_array_index (self->waiting, SwStreamFrame, i).name);
  g_clear_pointer (&self->waiting, g_array_unref);
}

/* The only one that can be open or closing. */
static SwStreamFrame *
get_last (SwZoneFrames *self)
{
  return self->waiting != NULL && self->waiting->len > 0 ? &g_array_index (self->waiting, SwStreamFrame, self->waiting->len - 1) : NULL;
}

static SwZoneScan
scan_producers (SwZoneCore *self,
                const SwStreamFrame *frame)
{
  SwZoneScan result = SW_ZONE_SCAN_NONE;

  for (SwZoneProducer *producer = self->producers; producer != NULL; producer = producer->next_of_core)
    {
      SwZoneScan scan = sw_zone_producer_scan (producer, frame->begin, frame->end);

      if (scan == SW_ZONE_SCAN_SOME)
        return scan;
      if (scan == SW_ZONE_SCAN_UNKNOWN)
        result = scan;
    }
  return result;
}

void
sw_zone_core_settle_frames (SwZoneCore *self)
{
  SwStreamFrame *last = get_last (&self->frames);

  if (last == NULL || last->is_quiet || last->end == G_MAXUINT64)
    return;
  /* Every zone that read the clock before the frame's end is announced to us after this. */
  sw_zone_barrier_in_all_threads ();
  last->is_quiet = scan_producers (self, last) == SW_ZONE_SCAN_NONE;
}

/* A thread may have been interrupted while it began a zone, and one must not take that for a zone that stays open. */
static gboolean
wait_for_frame (SwZoneCore *self,
                SwStreamFrame *last)
{
  sw_zone_core_settle_frames (self);
  for (guint i = 0; !last->is_quiet && i < 1000 && scan_producers (self, last) == SW_ZONE_SCAN_UNKNOWN; i++)
    {
      sched_yield ();
      sw_zone_core_settle_frames (self);
    }
  return last->is_quiet;
}

static gboolean
check_no_frame (SwZoneCore *self,
                GError **error)
{
  SwStreamFrame *last = get_last (&self->frames);

  if (last == NULL || last->is_quiet)
    return TRUE;
  if (last->end != G_MAXUINT64)
    {
      if (wait_for_frame (self, last))
        return TRUE;
      g_set_error (error, SW_ERROR, SW_ERROR_STATE,
                   "a frame is already active: \"%s\", number %u, has ended, but zones that began in it have not",
                   last->name, last->index);
      return FALSE;
    }
  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "a frame is already active: \"%s\", number %u; end it before another begins",
               last->name, last->index);
  return FALSE;
}

static guint64
add_frame (SwZoneCore *self,
           const char *name,
           GError **error)
{
  SwStreamFrame frame = { .end = G_MAXUINT64 };

  if (sw_zone_core_is_closed (self) || !check_no_frame (self, error))
    return 0;
  frame.index = self->frames.next_index;
  if (frame.index == SW_ZONE_NO_FRAME)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_STATE, "the profiler had %u frames, and numbers no more", frame.index);
      return 0;
    }
  self->frames.next_index++;
  frame.name = g_utf8_make_valid (name, -1);
  frame.begin = sw_clock_ticks ();
  g_array_append_val (self->frames.waiting, frame);
  return self->number << INDEX_BITS | (frame.index + 1);
}

guint64
sw_zone_core_begin_frame (SwZoneCore *self,
                          const char *name,
                          GError **error)
{
  guint64 token;

  pthread_mutex_lock (&self->lock);
  token = add_frame (self, name, error);
  pthread_mutex_unlock (&self->lock);
  if (token == 0)
    sw_zone_core_count_mishap (&self->mishaps.misplaced_ends, 1);
  return token;
}

gboolean
sw_zone_core_end_frame (SwZoneCore *self,
                        guint64 token)
{
  SwStreamFrame *last;
  gboolean is_open;
  gboolean is_crowded;

  pthread_mutex_lock (&self->lock);
  last = get_last (&self->frames);
  is_open = last != NULL && last->end == G_MAXUINT64 && last->index + 1 == (guint32) token;
  if (is_open)
    last->end = sw_clock_ticks ();
  is_crowded = is_open && self->frames.waiting->len >= SW_ZONE_MAX_WAITING_FRAMES;
  pthread_mutex_unlock (&self->lock);

  if (!is_open)
    sw_zone_core_count_mishap (&self->mishaps.misplaced_ends, 1);
  else if (is_crowded)
    {
      sw_zone_core_lock_consumer (self);
      sw_zone_core_drain (self);
      sw_zone_core_unlock_consumer (self);
    }
  else
    sw_zone_core_wake (self);
  return is_open;
}

void
sw_zone_open_frames_init (SwZoneOpenFrames *self)
{
  self->frames = g_array_new (FALSE, TRUE, sizeof (SwZoneOpenFrame));
  self->n_past = 0;
  self->spare_zones = NULL;
}

static void
clear_frame (SwZoneOpenFrame *open)
{
  g_free (open->frame.name);
  g_array_unref (open->zones);
  g_clear_pointer (&open->rows, g_array_unref);
}

void
sw_zone_open_frames_clear (SwZoneOpenFrames *self)
{
  for (guint i = 0; i < self->frames->len; i++)
    clear_frame (&g_array_index (self->frames, SwZoneOpenFrame, i));
  g_clear_pointer (&self->frames, g_array_unref);
  g_clear_pointer (&self->spare_zones, g_array_unref);
}

static void
append (SwZoneOpenFrames *self,
        const SwStreamFrame *frame,
        gboolean keep_rows)
{
  SwZoneOpenFrame open = { .frame = *frame };

  open.frame.name = g_strdup (frame->name);
  open.zones = g_steal_pointer (&self->spare_zones);
  if (open.zones == NULL)
    open.zones = g_array_new (FALSE, FALSE, sizeof (SwFrameZone));
  if (keep_rows)
    open.rows = sw_slow_rows_new ();
  g_array_append_val (self->frames, open);
}

void
sw_zone_open_frames_update (SwZoneOpenFrames *self,
                            SwZoneFrames *frames,
                            gboolean keep_rows)
{
  /* Both have the same frames, but for new ones at the end. */
  for (guint i = 0; i < frames->waiting->len; i++)
    {
      const SwStreamFrame *frame = &g_array_index (frames->waiting, SwStreamFrame, i);

      if (i < self->frames->len)
        {
          SwStreamFrame *known = &g_array_index (self->frames, SwZoneOpenFrame, i).frame;

          known->end = frame->end;
          known->is_quiet = frame->is_quiet;
        }
      else
        append (self, frame, keep_rows);
    }
}

static guint32
find_past (const SwZoneOpenFrames *self,
           guint64 start)
{
  for (guint64 i = 0; i < MIN (self->n_past, SW_ZONE_MAX_PAST_FRAMES); i++)
    {
      const SwZonePastFrame *past = &self->past[(self->n_past - 1 - i) % SW_ZONE_MAX_PAST_FRAMES];

      if (start >= past->end)
        break;
      if (start >= past->begin)
        return past->index;
    }
  return SW_ZONE_NO_FRAME;
}

SwZoneOpenFrame *
sw_zone_open_frames_find (SwZoneOpenFrames *self,
                          guint64 start,
                          guint32 *index)
{
  for (guint i = self->frames->len; i-- > 0;)
    {
      SwZoneOpenFrame *open = &g_array_index (self->frames, SwZoneOpenFrame, i);

      if (start >= open->frame.end)
        break;
      if (start >= open->frame.begin)
        {
          *index = open->frame.index;
          return open;
        }
    }
  *index = find_past (self, start);
  return NULL;
}

void
sw_zone_open_frames_shift (SwZoneOpenFrames *self)
{
  SwZoneOpenFrame *first = &g_array_index (self->frames, SwZoneOpenFrame, 0);
  SwZonePastFrame *past = &self->past[self->n_past++ % SW_ZONE_MAX_PAST_FRAMES];

  past->index = first->frame.index;
  past->begin = first->frame.begin;
  past->end = first->frame.end;
  if (self->spare_zones == NULL && first->zones->len < 65536)
    {
      g_array_set_size (first->zones, 0);
      self->spare_zones = g_array_ref (first->zones);
    }
  clear_frame (first);
  g_array_remove_index (self->frames, 0);
}
