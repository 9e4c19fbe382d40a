/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-duration-histogram-private.h"

#include <math.h>

#include "sw-profiler/zone/sw-duration-statistics-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-ref-count-private.h"

#define MAX_BINS (1u << 20)

/**
 * SwDurationHistogram:
 *
 * How many durations lie in each of a number of bins of equal width.
 *
 * A bin holds the durations from its lower edge up to, not including, its upper edge; only the last one holds its upper
 * edge too, as NumPy's `numpy.histogram` has it.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwDurationHistogram
{
  SwRefCount ref_count;
  guint32 n_bins;
  guint64 below;
  guint64 above;
  GBytes *edges;  /* of double */
  GBytes *counts; /* of guint64 */
};

G_DEFINE_BOXED_TYPE (SwDurationHistogram, sw_duration_histogram, sw_duration_histogram_ref, sw_duration_histogram_unref)

static double *
make_edges (guint32 n_bins,
            double min_ms,
            double max_ms)
{
  double *edges = g_new (double, n_bins + 1);
  double step = (max_ms - min_ms) / n_bins;

  for (guint32 i = 0; i < n_bins; i++)
    edges[i] = i * step + min_ms;
  edges[n_bins] = max_ms;
  return edges;
}

/* The bin of a duration in the range. */
static guint32
find_bin (const double *edges,
          guint32 n_bins,
          double ms)
{
  double place = (ms - edges[0]) / (edges[n_bins] - edges[0]) * n_bins;
  guint32 bin = place < n_bins ? (guint32) place : n_bins - 1;

  /* The division may have been rounded over an edge. */
  while (bin > 0 && ms < edges[bin])
    bin--;
  while (bin + 1 < n_bins && ms >= edges[bin + 1])
    bin++;
  return bin;
}

static guint64 *
count_durations (SwDurationHistogram *self,
                 const guint64 *durations_ns,
                 gsize n_durations,
                 const double *edges)
{
  guint64 *counts = g_new0 (guint64, self->n_bins);

  for (gsize i = 0; i < n_durations; i++)
    {
      double ms = sw_ns_to_ms (durations_ns[i]);

      if (ms < edges[0])
        self->below++;
      else if (ms > edges[self->n_bins])
        self->above++;
      else
        counts[find_bin (edges, self->n_bins, ms)]++;
    }
  return counts;
}

static void
find_range (const guint64 *durations_ns,
            gsize n_durations,
            double *min_ms,
            double *max_ms)
{
  guint64 lowest = G_MAXUINT64, highest = 0;

  for (gsize i = 0; i < n_durations; i++)
    {
      lowest = MIN (lowest, durations_ns[i]);
      highest = MAX (highest, durations_ns[i]);
    }
  *min_ms = n_durations > 0 ? sw_ns_to_ms (lowest) : 0;
  *max_ms = n_durations > 0 ? sw_ns_to_ms (highest) : 1;
  /* Bins need some width. */
  if (*min_ms == *max_ms)
    {
      *min_ms -= 0.5;
      *max_ms += 0.5;
    }
}

static gboolean
check_bins (guint32 n_bins,
            double min_ms,
            double max_ms,
            GError **error)
{
  if (n_bins < 1 || n_bins > MAX_BINS)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "n_bins is %u, which is not from 1 to %u", n_bins, MAX_BINS);
  else if (!isfinite (min_ms) || !isfinite (max_ms))
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is %g, which is not finite", isfinite (min_ms) ? "max_ms" : "min_ms",
                 isfinite (min_ms) ? max_ms : min_ms);
  else if (max_ms < min_ms || !isfinite (max_ms - min_ms))
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "max_ms is %g, which is no end of a range from %g", max_ms, min_ms);
  else
    return TRUE;
  return FALSE;
}

SwDurationHistogram *
sw_duration_histogram_new (const guint64 *durations_ns,
                           gsize n_durations,
                           guint32 n_bins,
                           double min_ms,
                           double max_ms,
                           GError **error)
{
  SwDurationHistogram *self;
  double *edges;
  guint64 *counts;

  if (!check_bins (n_bins, min_ms, max_ms, error))
    return NULL;
  if (min_ms == max_ms)
    find_range (durations_ns, n_durations, &min_ms, &max_ms);
  self = g_new0 (SwDurationHistogram, 1);
  sw_ref_count_init (&self->ref_count);
  self->n_bins = n_bins;
  edges = make_edges (n_bins, min_ms, max_ms);
  counts = count_durations (self, durations_ns, n_durations, edges);
  self->edges = g_bytes_new_take (edges, (n_bins + 1) * sizeof *edges);
  self->counts = g_bytes_new_take (counts, n_bins * sizeof *counts);
  return self;
}

/**
 * sw_duration_histogram_ref:
 * @self: the histogram
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwDurationHistogram *
sw_duration_histogram_ref (SwDurationHistogram *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_duration_histogram_unref:
 * @self: (transfer full): the histogram
 *
 * Gives a reference back. May be called on any thread; the last one frees the histogram.
 */
void
sw_duration_histogram_unref (SwDurationHistogram *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  g_bytes_unref (self->edges);
  g_bytes_unref (self->counts);
  g_free (self);
}

/**
 * sw_duration_histogram_get_bin_count:
 * @self: the histogram
 *
 * Returns how many bins there are.
 *
 * Returns: the number of bins
 */
guint32
sw_duration_histogram_get_bin_count (SwDurationHistogram *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_bins;
}

/**
 * sw_duration_histogram_get_below:
 * @self: the histogram
 *
 * Returns how many durations are shorter than the range.
 *
 * Returns: the number of durations
 */
guint64
sw_duration_histogram_get_below (SwDurationHistogram *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->below;
}

/**
 * sw_duration_histogram_get_above:
 * @self: the histogram
 *
 * Returns how many durations are longer than the range.
 *
 * Returns: the number of durations
 */
guint64
sw_duration_histogram_get_above (SwDurationHistogram *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->above;
}

/**
 * sw_duration_histogram_dup_edges_ms:
 * @self: the histogram
 *
 * Returns the edges of the bins, in milliseconds: one more than there are bins.
 *
 * Returns: (transfer full): doubles, ascending
 */
GBytes *
sw_duration_histogram_dup_edges_ms (SwDurationHistogram *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->edges);
}

/**
 * sw_duration_histogram_dup_counts:
 * @self: the histogram
 *
 * Returns how many durations are in each bin.
 *
 * Returns: (transfer full): unsigned 64-bit integers, one for each bin
 */
GBytes *
sw_duration_histogram_dup_counts (SwDurationHistogram *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->counts);
}
