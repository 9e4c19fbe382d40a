/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-time-private.h"

#define RATE_BITS 32
#define FIRST_WAIT_FRACTION 1024 /* of a second */

void
sw_zone_time_init (SwZoneTime *self)
{
  SwClockAnchor now;
  guint64 per_second;

  sw_clock_init ();
  now = sw_clock_anchor ();
  per_second = sw_clock_ticks_per_second ();
  self->is_identity = sw_clock_source != SW_CLOCK_TSC;
  self->pieces = g_new (SwZoneTimePiece, SW_ZONE_MAX_TIME_PIECES);
  self->n_pieces = 1;
  self->pieces[0].ticks = now.ticks;
  self->pieces[0].ns = (guint64) now.ns;
  self->pieces[0].rate = (guint64) (((unsigned __int128) 1000000000 << RATE_BITS) / MAX (per_second, 1));
  self->wait = MAX (per_second / FIRST_WAIT_FRACTION, 1);
  self->next = now.ticks + self->wait;
}

void
sw_zone_time_clear (SwZoneTime *self)
{
  g_clear_pointer (&self->pieces, g_free);
}

static guint64
extend (const SwZoneTimePiece *piece,
        guint64 ticks)
{
  if (ticks >= piece->ticks)
    return piece->ns + (guint64) (((unsigned __int128) (ticks - piece->ticks) * piece->rate) >> RATE_BITS);
  return piece->ns - (guint64) (((unsigned __int128) (piece->ticks - ticks) * piece->rate) >> RATE_BITS);
}

guint64
sw_zone_time_to_ns_slowly (const SwZoneTime *self,
                           guint64 ticks)
{
  guint low = 0;
  guint high = self->n_pieces;

  /* Nearly always the last one. */
  if (ticks >= self->pieces[high - 1].ticks)
    return extend (&self->pieces[high - 1], ticks);
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if (self->pieces[middle].ticks <= ticks)
        low = middle;
      else
        high = middle;
    }
  return extend (&self->pieces[low], ticks);
}

/* Every second piece of the older half goes. What is converted by those that stay differs from before by as much as the
 * clock's rate changed within seconds, days ago. */
static void
thin_out (SwZoneTime *self)
{
  guint half = self->n_pieces / 2;
  guint kept = 1;

  for (guint i = 2; i < half; i += 2)
    self->pieces[kept++] = self->pieces[i];
  for (guint i = half; i < self->n_pieces; i++)
    self->pieces[kept++] = self->pieces[i];
  self->n_pieces = kept;
}

void
sw_zone_time_adjust (SwZoneTime *self,
                     SwClockAnchor now)
{
  const SwZoneTimePiece *from = &self->pieces[self->n_pieces > 16 ? self->n_pieces - 16 : 0];
  SwZoneTimePiece piece;
  gint64 error;
  __int128 rate;

  if (self->is_identity || now.ticks < self->next)
    return;

  piece.ticks = now.ticks;
  piece.ns = sw_zone_time_to_ns_slowly (self, now.ticks);
  error = now.ns - (gint64) piece.ns;
  self->wait = MIN (self->wait * 2, sw_clock_ticks_per_second ());
  self->next = now.ticks + self->wait;
  /* The mean rate of late, and so much faster or slower that the error is made good by the next time; never backwards. */
  rate = ((__int128) (now.ns - (gint64) from->ns) << RATE_BITS) / (__int128) (now.ticks - from->ticks);
  rate = MAX (rate, 1);
  piece.rate = (guint64) CLAMP (rate + ((__int128) error << RATE_BITS) / (__int128) self->wait, rate / 2 + 1, rate * 2);
  if (self->n_pieces == SW_ZONE_MAX_TIME_PIECES)
    thin_out (self);
  self->pieces[self->n_pieces++] = piece;
}
