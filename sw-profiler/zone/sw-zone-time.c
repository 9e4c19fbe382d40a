/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-time-private.h"

#define RATE_BITS 32
#define FIRST_WAIT_FRACTION 1024 /* of a second */
#define N_MEAN 16                /* pieces whose rate is the mean one */

void
sw_zone_time_init_foreign (SwZoneTime *self,
                           SwClockAnchor now,
                           guint64 numerator,
                           guint64 denominator)
{
  *self = (SwZoneTime){ .n_pieces = 1 };
  self->pieces = g_new (SwZoneTimePiece, SW_ZONE_MAX_TIME_PIECES);
  self->pieces[0].ticks = now.ticks;
  self->pieces[0].ns = (guint64) now.ns;
  self->pieces[0].rate = (guint64) (((unsigned __int128) numerator << RATE_BITS) / MAX (denominator, 1));
}

void
sw_zone_time_init (SwZoneTime *self)
{
  SwClockAnchor now;

  sw_clock_init ();
  now = sw_clock_anchor ();
  sw_zone_time_init_foreign (self, now, 1000000000, sw_clock_ticks_per_second ());
  self->is_identity = sw_clock_source != SW_CLOCK_TSC;
  self->wait = MAX (sw_clock_ticks_per_second () / FIRST_WAIT_FRACTION, 1);
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
  self->pieces[kept] = self->pieces[half];
  for (guint i = 0; i < kept; i++)
    {
      const SwZoneTimePiece *next = &self->pieces[i + 1];
      SwZoneTimePiece *piece = &self->pieces[i];

      piece->rate = (guint64) (((unsigned __int128) (next->ns - piece->ns) << RATE_BITS) / (next->ticks - piece->ticks));
    }
  for (guint i = half; i < self->n_pieces; i++)
    self->pieces[kept++] = self->pieces[i];
  self->n_pieces = kept;
}

static void
append (SwZoneTime *self,
        guint64 ticks,
        guint64 rate)
{
  SwZoneTimePiece piece = { ticks, sw_zone_time_to_ns_slowly (self, ticks), rate };

  if (self->n_pieces == SW_ZONE_MAX_TIME_PIECES)
    thin_out (self);
  if (self->pieces[self->n_pieces - 1].ticks == ticks)
    self->n_pieces--;
  self->pieces[self->n_pieces++] = piece;
}

/* Time never stands still or runs backwards, whatever it is that has to be made good. */
static guint64
get_rate (__int128 ns,
          __int128 ticks,
          guint64 usual)
{
  __int128 rate = ns * ((__int128) 1 << RATE_BITS) / MAX (ticks, 1);

  return (guint64) CLAMP (rate, (__int128) usual / 2 + 1, (__int128) usual * 2 + 1);
}

void
sw_zone_time_correct (SwZoneTime *self,
                      SwClockAnchor now,
                      guint64 settled,
                      guint64 wait)
{
  const SwZoneTimePiece *from = &self->pieces[self->n_pieces > N_MEAN ? self->n_pieces - N_MEAN : 0];
  const SwZoneTimePiece *last = &self->pieces[self->n_pieces - 1];
  guint64 mean;
  __int128 error;

  if (now.ticks <= last->ticks)
    return;
  mean = get_rate ((__int128) now.ns - from->ns, now.ticks - from->ticks, last->rate);
  settled = MAX (settled, last->ticks);
  if (settled < now.ticks)
    append (self, settled,
            get_rate ((__int128) now.ns - sw_zone_time_to_ns_slowly (self, settled), now.ticks - settled, mean));
  error = (__int128) now.ns - sw_zone_time_to_ns_slowly (self, now.ticks);
  append (self, now.ticks, get_rate ((((__int128) wait * mean) >> RATE_BITS) + error, wait, mean));
}

void
sw_zone_time_adjust (SwZoneTime *self,
                     SwClockAnchor now)
{
  if (self->is_identity || now.ticks < self->next)
    return;
  self->wait = MIN (self->wait * 2, sw_clock_ticks_per_second ());
  self->next = now.ticks + self->wait;
  sw_zone_time_correct (self, now, now.ticks, self->wait);
}
