/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-clock-private.h"

#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-error.h"

/* The wall clock may be slewed, and a reading disturbed; more than that in a second, and it was set. */
#define MAX_ERROR_NS 1000000
#define MAX_DRIFT 1000 /* one part in */

#define N_READINGS 8

/* As far as a time may be beyond an era and yet of it, for readings are not exact. */
#define SLACK_NS 10000000

/* CUPTI brings the times of a device to its clock by itself, and not exactly: that far the present is exceeded. */
#define MAX_AHEAD_NS 1000000000

gboolean
sw_cupti_clock_pair (SwCuptiClock *self,
                     const SwCuptiLibrary *library,
                     GError **error)
{
  gint64 narrowest = G_MAXINT64;
  gint64 best_ns = 0;
  guint64 best = 0;

  for (guint i = 0; i < N_READINGS; i++)
    {
      guint64 theirs = 0;
      gint64 before = sw_clock_monotonic_ns ();
      SwCuptiResult result = library->call.get_timestamp (&theirs);
      gint64 after = sw_clock_monotonic_ns ();

      if (!sw_cupti_library_check (library, result, "cuptiGetTimestamp", SW_ERROR_FAILED, error))
        return FALSE;
      if (after - before >= narrowest)
        continue;
      narrowest = after - before;
      best = theirs;
      best_ns = before + narrowest / 2;
    }
  sw_cupti_clock_add (self, (gint64) MIN (best, (guint64) G_MAXINT64), best_ns);
  return TRUE;
}

static SwCuptiPair *
get_last (SwCuptiClock *self)
{
  return &self->pairs[self->n_pairs - 1];
}

gint64
sw_cupti_clock_get_last_ns (const SwCuptiClock *self)
{
  return self->n_pairs > 0 ? self->pairs[self->n_pairs - 1].ns : G_MININT64;
}

/* Every second pair of the older half goes, but for the first and the last of each era. */
static void
thin_out (SwCuptiClock *self)
{
  guint half = self->n_pairs / 2;
  guint n = 1;

  for (guint i = 1; i < self->n_pairs; i++)
    {
      gboolean is_edge = i + 1 == self->n_pairs || self->pairs[i - 1].era != self->pairs[i].era ||
                         self->pairs[i + 1].era != self->pairs[i].era;

      if (i >= half || is_edge || i % 2 == 0)
        self->pairs[n++] = self->pairs[i];
    }
  /* Nothing but edges: a clock that is set all the time. */
  if (n == self->n_pairs)
    memmove (self->pairs, self->pairs + half, (n -= half) * sizeof self->pairs[0]);
  self->n_pairs = n;
}

static gboolean
was_set (const SwCuptiPair *last,
         gint64 theirs,
         gint64 ns)
{
  gint64 passed = ns - last->ns;
  __int128 error = (__int128) theirs - last->theirs - passed;

  return theirs <= last->theirs || (error < 0 ? -error : error) > MAX_ERROR_NS + passed / MAX_DRIFT;
}

void
sw_cupti_clock_add (SwCuptiClock *self,
                    gint64 theirs,
                    gint64 ns)
{
  if (self->n_pairs > 0 && ns <= get_last (self)->ns)
    return;
  if (self->n_pairs == 0 || was_set (get_last (self), theirs, ns))
    self->n_eras++;
  if (self->n_pairs == SW_CUPTI_MAX_PAIRS)
    thin_out (self);
  self->pairs[self->n_pairs++] = (SwCuptiPair){ theirs, ns, self->n_eras };
}

/* By the pairs from @first on, before @end, of one era. FALSE: out of range. */
static gboolean
convert (const SwCuptiPair *pairs,
         guint n_pairs,
         gint64 theirs,
         gint64 *ns)
{
  guint i = n_pairs - 1;
  __int128 passed;

  while (i > 0 && pairs[i].theirs > theirs)
    i--;
  passed = (__int128) theirs - pairs[i].theirs;
  if (i + 1 < n_pairs && passed > 0)
    passed = passed * (pairs[i + 1].ns - pairs[i].ns) / (pairs[i + 1].theirs - pairs[i].theirs);
  passed += pairs[i].ns;
  *ns = (gint64) passed;
  return passed >= 0 && passed <= G_MAXINT64;
}

gboolean
sw_cupti_clock_to_ns (const SwCuptiClock *self,
                      guint64 theirs,
                      gint64 *ns)
{
  guint end = self->n_pairs;
  gint64 latest = sw_cupti_clock_get_last_ns (self) + MAX_AHEAD_NS;

  if (theirs > G_MAXINT64)
    return FALSE;
  while (end > 0)
    {
      guint first = end - 1;

      while (first > 0 && self->pairs[first - 1].era == self->pairs[end - 1].era)
        first--;
      /* When the clock was set is not known but for the pairs around that. */
      if (convert (&self->pairs[first], end - first, (gint64) theirs, ns) && *ns <= latest &&
          (first == 0 || *ns >= self->pairs[first - 1].ns - SLACK_NS))
        return TRUE;
      latest = self->pairs[first].ns + SLACK_NS;
      end = first;
    }
  return FALSE;
}
