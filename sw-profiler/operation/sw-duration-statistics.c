/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-duration-statistics-private.h"

#include <math.h>
#include <stdlib.h>

/* Below this, sorting is as good as dividing. */
#define FEW 16

static inline void
swap (gint64 *a,
      gint64 *b)
{
  gint64 moved = *a;

  *a = *b;
  *b = moved;
}

static void
insertion_sort (gint64 *durations,
                gsize n)
{
  for (gsize i = 1; i < n; i++)
    {
      gint64 moved = durations[i];
      gsize at = i;

      for (; at > 0 && durations[at - 1] > moved; at--)
        durations[at] = durations[at - 1];
      durations[at] = moved;
    }
}

static int
compare_durations (gconstpointer a,
                   gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static inline gint64
get_median (gint64 a,
            gint64 b,
            gint64 c)
{
  return MAX (MIN (a, b), MIN (MAX (a, b), c));
}

/* Divides more than two numbers so that none before the returned place, which is neither 0 nor @n, is greater than
 * any from there on. */
static gsize
divide (gint64 *durations,
        gsize n)
{
  gint64 pivot = get_median (durations[0], durations[(n - 1) / 2], durations[n - 2]);
  gsize i = 0;
  gsize j = n - 1;

  for (;; i++, j--)
    {
      while (durations[i] < pivot)
        i++;
      while (durations[j] > pivot)
        j--;
      if (i >= j)
        return j + 1;
      swap (&durations[i], &durations[j]);
    }
}

void
sw_durations_select (gint64 *durations,
                     gsize n,
                     gsize rank)
{
  /* Each division should about halve what is left. An order that makes them do much worse is left to a sort. */
  guint n_divisions = 4 * g_bit_storage (n);

  while (n > FEW && n_divisions-- > 0)
    {
      gsize n_low = divide (durations, n);

      if (rank < n_low)
        {
          n = n_low;
        }
      else
        {
          durations += n_low;
          rank -= n_low;
          n -= n_low;
        }
    }
  if (n <= FEW)
    insertion_sort (durations, n);
  else
    qsort (durations, n, sizeof *durations, compare_durations);
}

static gint64
find_least (const gint64 *durations,
            gsize n)
{
  gint64 least = durations[0];

  for (gsize i = 1; i < n; i++)
    least = MIN (least, durations[i]);
  return least;
}

double
sw_durations_take_percentile (gint64 *durations,
                              gsize n,
                              double fraction,
                              gsize *n_lower)
{
  double position = (double) (n - 1) * fraction;
  gsize rank = MIN ((gsize) position, n - 1);
  double weight = position - (double) rank;
  gint64 below, above;
  double step;

  sw_durations_select (durations + *n_lower, n - *n_lower, rank - *n_lower);
  *n_lower = rank;
  below = durations[rank];
  above = rank + 1 < n ? find_least (durations + rank + 1, n - rank - 1) : below;
  /* Unsigned, as the way from a far negative number to a far positive one does not fit. */
  step = (double) (gint64) ((guint64) above - (guint64) below);

  /* From the nearer end, as NumPy does: never beyond the farther one. */
  if (weight >= 0.5)
    return (double) above - step * (1 - weight);
  return (double) below + step * weight;
}

double
sw_durations_get_stddev (const gint64 *durations,
                         gsize n,
                         double mean)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    {
      double deviation = (double) durations[i] - mean;

      sum += deviation * deviation;
    }
  return sqrt (sum / (double) n);
}
