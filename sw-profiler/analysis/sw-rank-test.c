/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-rank-test-private.h"

#include <math.h>
#include <stdlib.h>

/* H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than the other", Annals
 * of Mathematical Statistics 18 (1947). All values are ranked together, equal ones with the mean of their ranks; W is the sum of
 * the ranks of the new ones, and U = W - m (m + 1) / 2 counts the pairs in which the new one is greater, ties half.
 *
 * With few values the distribution of W over all ways to choose which ranks are the new ones is counted out, ties included (B. Streitberg and
 * J. Röhmel's shift algorithm, 1986): p is the part of them in which W is at least as far from its mean as it was found to be.
 *
 * With more, W is normal with mean m (N + 1) / 2 and, corrected for ties of t values each, the variance
 * m n / 12 (N + 1 - sum (t^3 - t) / (N (N - 1))); half a step is taken off the difference for continuity. */

/* Twice the ranks are whole numbers, and the ways to choose fit exactly into doubles. */
#define EXACT_AT_MOST 40

typedef struct
{
  gsize n_base, n_new;
  guint64 *doubled;   /* twice the rank of each value, when it is wanted */
  double doubled_sum; /* of the new ones */
  double ties;        /* sum of t^3 - t */
  gsize n_distinct;
} Ranks;

static int
compare (gconstpointer a,
         gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static gsize
count_equal (const gint64 *values,
             gsize n,
             gsize at,
             gint64 value)
{
  gsize end = at;

  while (end < n && values[end] == value)
    end++;
  return end - at;
}

static void
rank (Ranks *self,
      const gint64 *base,
      const gint64 *new)
{
  gsize i = 0, j = 0;

  while (i < self->n_base || j < self->n_new)
    {
      gint64 value = i < self->n_base && (j == self->n_new || base[i] <= new[j]) ? base[i] : new[j];
      gsize n_base = count_equal (base, self->n_base, i, value);
      gsize n_new = count_equal (new, self->n_new, j, value);
      gsize n = n_base + n_new;
      /* Ranks i + j + 1 to i + j + n. */
      guint64 doubled = 2 * (i + j) + n + 1;

      self->doubled_sum += (double) doubled * (double) n_new;
      self->ties += (double) n * (double) n * (double) n - (double) n;
      self->n_distinct++;
      if (self->doubled != NULL)
        for (gsize k = 0; k < n; k++)
          self->doubled[i + j + k] = doubled;
      i += n_base;
      j += n_new;
    }
}

/* ways[m][s]: in how many ways m of the ranks so far have the doubled sum s. */
static double
count_out (const Ranks *self)
{
  gsize n = self->n_base + self->n_new, m = self->n_new;
  gsize n_sums = n * (n + 1) + 1;
  g_autofree double *ways = g_new0 (double, (m + 1) * n_sums);
  double all = 0, far = 0;
  double mean = (double) m * (double) (n + 1);
  double distance = fabs (self->doubled_sum - mean);

  ways[0] = 1;
  for (gsize i = 0; i < n; i++)
    for (gsize k = MIN (i + 1, m); k > 0; k--)
      for (gsize sum = self->doubled[i]; sum < n_sums; sum++)
        ways[k * n_sums + sum] += ways[(k - 1) * n_sums + sum - self->doubled[i]];
  for (gsize sum = 0; sum < n_sums; sum++)
    {
      all += ways[m * n_sums + sum];
      if (fabs ((double) sum - mean) >= distance)
        far += ways[m * n_sums + sum];
    }
  return far / all;
}

static double
approximate (const Ranks *self)
{
  double m = (double) self->n_new, n = (double) self->n_base, all = m + n;
  double variance = m * n / 12 * (all + 1 - self->ties / (all * (all - 1)));
  double distance = fabs (self->doubled_sum / 2 - m * (all + 1) / 2) - 0.5;

  if (!(variance > 0))
    return 1;
  return MIN (erfc (MAX (distance, 0) / sqrt (2 * variance)), 1);
}

void
sw_rank_test (gint64 *base,
              gsize n_base,
              gint64 *new,
              gsize n_new,
              SwRankTest *test)
{
  Ranks ranks = { .n_base = n_base, .n_new = n_new };
  g_autofree guint64 *doubled = NULL;

  *test = (SwRankTest){ 1, 0.5, TRUE };
  if (n_base == 0 || n_new == 0)
    return;
  qsort (base, n_base, sizeof *base, compare);
  qsort (new, n_new, sizeof *new, compare);
  test->is_exact = n_base + n_new <= EXACT_AT_MOST;
  if (test->is_exact)
    ranks.doubled = doubled = g_new (guint64, n_base + n_new);
  rank (&ranks, base, new);
  test->superiority = (ranks.doubled_sum / 2 - (double) n_new * ((double) n_new + 1) / 2) / ((double) n_base * (double) n_new);
  if (ranks.n_distinct > 1)
    test->p = test->is_exact ? count_out (&ranks) : approximate (&ranks);
}

typedef struct
{
  double p;
  gsize place;
} Ordered;

static int
compare_ordered (gconstpointer a,
                 gconstpointer b)
{
  double x = ((const Ordered *) a)->p, y = ((const Ordered *) b)->p;

  return (x > y) - (x < y);
}

/* S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979). */
void
sw_adjust_p_values (double *p,
                    gsize n)
{
  g_autofree Ordered *ordered = g_new (Ordered, n);
  double least = 0;

  for (gsize i = 0; i < n; i++)
    ordered[i] = (Ordered){ p[i], i };
  if (n > 1)
    qsort (ordered, n, sizeof *ordered, compare_ordered);
  for (gsize i = 0; i < n; i++)
    {
      least = MAX (least, MIN (ordered[i].p * (double) (n - i), 1));
      p[ordered[i].place] = least;
    }
}
