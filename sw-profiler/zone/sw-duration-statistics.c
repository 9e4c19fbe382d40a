/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-duration-statistics-private.h"

#include <math.h>
#include <string.h>

#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/zone/sw-rank-select-private.h"
#include "sw/base/sw-ref-count-private.h"

/* Sums within a block are plain, those of the blocks are extended: the error stays far below 1e-12. */
#define BLOCK 4096

typedef enum
{
  SW_P50,
  SW_P90,
  SW_P95,
  SW_P99,
  N_PERCENTILES
} Percentile;

static const double fractions[N_PERCENTILES] = { 0.5, 0.9, 0.95, 0.99 };

/**
 * SwDurationStatistics:
 *
 * What a set of durations comes to: sum, extremes, mean, spread and percentiles, in milliseconds.
 *
 * The figures are those that NumPy computes of the durations in milliseconds: the standard deviation is that of the
 * population (`numpy.std`), a percentile is interpolated linearly between the two durations beside it
 * (`numpy.percentile`). All are 0 when there are no durations.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwDurationStatistics
{
  SwRefCount ref_count;
  guint64 count;
  double total_ms;
  double min_ms;
  double max_ms;
  double mean_ms;
  double stddev_ms;
  double percentiles_ms[N_PERCENTILES];
};

G_DEFINE_BOXED_TYPE (SwDurationStatistics, sw_duration_statistics, sw_duration_statistics_ref, sw_duration_statistics_unref)

typedef struct
{
  guint64 lowest;
  guint64 highest;
  /* Of the differences from the lowest. */
  long double total;
} Extent;

static Extent
find_extent (const guint64 *values,
             gsize n)
{
  Extent extent = { .lowest = G_MAXUINT64 };
  guint64 total = 0;

  for (gsize i = 0; i < n; i++)
    {
      extent.lowest = MIN (extent.lowest, values[i]);
      extent.highest = MAX (extent.highest, values[i]);
    }
  for (gsize i = 0; i < n; i++)
    if (__builtin_add_overflow (total, values[i] - extent.lowest, &total))
      /* Centuries. */
      extent.total += 0x1p64L;
  extent.total += total;
  return extent;
}

static double
sum_squares (const guint64 *values,
             gsize n,
             guint64 lowest,
             double mean)
{
  double sums[4] = { 0, 0, 0, 0 };
  gsize i = 0;

  for (; i + 4 <= n; i += 4)
    for (gsize lane = 0; lane < 4; lane++)
      {
        double difference = (double) (values[i + lane] - lowest) - mean;

        sums[lane] += difference * difference;
      }
  for (; i < n; i++)
    sums[0] += ((double) (values[i] - lowest) - mean) * ((double) (values[i] - lowest) - mean);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Two passes, with the mean known: no cancellation. */
static double
find_stddev_ns (const guint64 *values,
                gsize n,
                const Extent *extent)
{
  double mean = (double) (extent->total / n);
  long double total = 0;

  for (gsize i = 0; i < n; i += BLOCK)
    total += sum_squares (values + i, MIN (n - i, BLOCK), extent->lowest, mean);
  return (double) sqrtl (total / n);
}

static double
interpolate (double low,
             double high,
             double t)
{
  double difference = high - low;

  return t < 0.5 ? low + difference * t : high - difference * (1 - t);
}

static void
find_percentiles (SwDurationStatistics *self,
                  const guint64 *values,
                  gsize n)
{
  gsize ranks[2 * N_PERCENTILES];
  guint64 found[2 * N_PERCENTILES];

  for (guint i = 0; i < N_PERCENTILES; i++)
    {
      ranks[2 * i] = (gsize) (fractions[i] * (double) (n - 1));
      ranks[2 * i + 1] = MIN (ranks[2 * i] + 1, n - 1);
    }
  sw_select_ranks (values, n, ranks, 2 * N_PERCENTILES, found);
  for (guint i = 0; i < N_PERCENTILES; i++)
    {
      double place = fractions[i] * (double) (n - 1);

      self->percentiles_ms[i] = interpolate (sw_ns_to_ms (found[2 * i]), sw_ns_to_ms (found[2 * i + 1]), place - floor (place));
    }
}

/**
 * sw_duration_statistics_new:
 * @durations_ns: (array length=n_durations): durations, in nanoseconds
 * @n_durations: how many there are
 *
 * Computes the statistics of any durations. The array is not changed and not kept.
 *
 * Returns: (transfer full): the statistics
 */
SwDurationStatistics *
sw_duration_statistics_new (const guint64 *durations_ns,
                            gsize n_durations)
{
  SwDurationStatistics *self;
  Extent extent;
  long double total;

  g_return_val_if_fail (durations_ns != NULL || n_durations == 0, NULL);

  self = g_new0 (SwDurationStatistics, 1);
  sw_ref_count_init (&self->ref_count);
  if (n_durations == 0)
    return self;
  extent = find_extent (durations_ns, n_durations);
  total = extent.total + (long double) extent.lowest * n_durations;
  self->count = n_durations;
  self->total_ms = (double) (total / 1e6L);
  self->min_ms = sw_ns_to_ms (extent.lowest);
  self->max_ms = sw_ns_to_ms (extent.highest);
  self->mean_ms = (double) (total / n_durations / 1e6L);
  self->stddev_ms = find_stddev_ns (durations_ns, n_durations, &extent) / 1e6;
  find_percentiles (self, durations_ns, n_durations);
  return self;
}

/**
 * sw_duration_statistics_ref:
 * @self: the statistics
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwDurationStatistics *
sw_duration_statistics_ref (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_duration_statistics_unref:
 * @self: (transfer full): the statistics
 *
 * Gives a reference back. May be called on any thread; the last one frees the statistics.
 */
void
sw_duration_statistics_unref (SwDurationStatistics *self)
{
  g_return_if_fail (self != NULL);

  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * sw_duration_statistics_get_count:
 * @self: the statistics
 *
 * Returns how many durations there are.
 *
 * Returns: the number of durations
 */
guint64
sw_duration_statistics_get_count (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->count;
}

/**
 * sw_duration_statistics_get_total_ms:
 * @self: the statistics
 *
 * Returns the sum of the durations.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_total_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->total_ms;
}

/**
 * sw_duration_statistics_get_min_ms:
 * @self: the statistics
 *
 * Returns the shortest duration.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_min_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->min_ms;
}

/**
 * sw_duration_statistics_get_max_ms:
 * @self: the statistics
 *
 * Returns the longest duration.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_max_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->max_ms;
}

/**
 * sw_duration_statistics_get_mean_ms:
 * @self: the statistics
 *
 * Returns the mean of the durations.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_mean_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->mean_ms;
}

/**
 * sw_duration_statistics_get_stddev_ms:
 * @self: the statistics
 *
 * Returns the population standard deviation: the root of the mean squared difference from the mean.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_stddev_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->stddev_ms;
}

/**
 * sw_duration_statistics_get_p50_ms:
 * @self: the statistics
 *
 * Returns the 50th percentile, which is the median.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_p50_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->percentiles_ms[SW_P50];
}

/**
 * sw_duration_statistics_get_p90_ms:
 * @self: the statistics
 *
 * Returns the 90th percentile.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_p90_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->percentiles_ms[SW_P90];
}

/**
 * sw_duration_statistics_get_p95_ms:
 * @self: the statistics
 *
 * Returns the 95th percentile.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_p95_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->percentiles_ms[SW_P95];
}

/**
 * sw_duration_statistics_get_p99_ms:
 * @self: the statistics
 *
 * Returns the 99th percentile.
 *
 * Returns: milliseconds; 0 when there are no durations
 */
double
sw_duration_statistics_get_p99_ms (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->percentiles_ms[SW_P99];
}

/**
 * sw_duration_statistics_equal:
 * @self: statistics
 * @other: other statistics
 *
 * Compares two statistics by value.
 *
 * Returns: whether all of their figures are equal
 */
gboolean
sw_duration_statistics_equal (SwDurationStatistics *self,
                              SwDurationStatistics *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  /* All of them finite: bytes compare like numbers. */
  return self->count == other->count && self->total_ms == other->total_ms && self->min_ms == other->min_ms &&
         self->max_ms == other->max_ms && self->mean_ms == other->mean_ms && self->stddev_ms == other->stddev_ms &&
         memcmp (self->percentiles_ms, other->percentiles_ms, sizeof self->percentiles_ms) == 0;
}

/**
 * sw_duration_statistics_hash:
 * @self: the statistics
 *
 * Returns a hash of the value: the same for equal statistics.
 *
 * Returns: the hash
 */
guint
sw_duration_statistics_hash (SwDurationStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return ((guint) self->count * 31 + g_double_hash (&self->total_ms)) * 31 + g_double_hash (&self->stddev_ms);
}

static void
append_field (GString *text,
              const char *name,
              double value)
{
  g_string_append_printf (text, ", %s=", name);
  sw_text_append_double (text, value);
}

/**
 * sw_duration_statistics_to_string:
 * @self: the statistics
 *
 * Returns all figures on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_duration_statistics_to_string (SwDurationStatistics *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new (NULL);
  g_string_printf (text, "DurationStatistics(count=%" G_GUINT64_FORMAT, self->count);
  append_field (text, "total_ms", self->total_ms);
  append_field (text, "min_ms", self->min_ms);
  append_field (text, "max_ms", self->max_ms);
  append_field (text, "mean_ms", self->mean_ms);
  append_field (text, "stddev_ms", self->stddev_ms);
  append_field (text, "p50_ms", self->percentiles_ms[SW_P50]);
  append_field (text, "p90_ms", self->percentiles_ms[SW_P90]);
  append_field (text, "p95_ms", self->percentiles_ms[SW_P95]);
  append_field (text, "p99_ms", self->percentiles_ms[SW_P99]);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}
