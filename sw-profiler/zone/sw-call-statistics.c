/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-call-statistics-private.h"

#include <math.h>

#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/zone/sw-duration-statistics-private.h"
#include "sw/base/sw-ref-count-private.h"

/**
 * SwCallStatistics:
 *
 * What the durations of many calls come to, without any one of them being kept: how many there were, their sum, their
 * extremes, mean and spread, in milliseconds.
 *
 * The sums behind it are exact integers: merging the statistics of parts gives, bit for bit, those of the whole.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwCallStatistics
{
  SwCallSums sums;
  SwRefCount ref_count;
};

G_DEFINE_BOXED_TYPE (SwCallStatistics, sw_call_statistics, sw_call_statistics_ref, sw_call_statistics_unref)

void
sw_call_sums_merge (SwCallSums *self,
                    const SwCallSums *other)
{
  if (other->count == 0)
    return;
  if (__builtin_add_overflow (self->total_squares, other->total_squares, &self->total_squares))
    self->total_squares = ~(SwUint128) 0;
  if (__builtin_add_overflow (self->total_ns, other->total_ns, &self->total_ns))
    self->total_ns = G_MAXUINT64;
  self->min_ns = self->count == 0 ? other->min_ns : MIN (self->min_ns, other->min_ns);
  self->max_ns = MAX (self->max_ns, other->max_ns);
  self->count += other->count;
}

double
sw_call_sums_mean_ms (const SwCallSums *self)
{
  return self->count == 0 ? 0 : (double) ((long double) self->total_ns / self->count / 1e6L);
}

/* The variance is (n * squares - total * total) / (n * n): of integers, so nothing cancels. */
double
sw_call_sums_stddev_ms (const SwCallSums *self)
{
  SwUint128 squares, square = (SwUint128) self->total_ns * self->total_ns;
  long double difference;

  if (self->count == 0)
    return 0;
  if (__builtin_mul_overflow (self->total_squares, (SwUint128) self->count, &squares))
    difference = (long double) self->total_squares * self->count - (long double) square;
  else
    difference = squares > square ? (long double) (squares - square) : 0;
  return difference > 0 ? (double) (sqrtl (difference) / self->count / 1e6L) : 0;
}

SwCallStatistics *
sw_call_statistics_new_from_sums (const SwCallSums *sums)
{
  SwCallStatistics *self = g_new (SwCallStatistics, 1);

  sw_ref_count_init (&self->ref_count);
  self->sums = *sums;
  return self;
}

/**
 * sw_call_statistics_new:
 * @durations_ns: (array length=n_durations): durations, in nanoseconds
 * @n_durations: how many there are
 *
 * Computes the statistics of any durations. The array is not changed and not kept.
 *
 * Returns: (transfer full): the statistics
 */
SwCallStatistics *
sw_call_statistics_new (const guint64 *durations_ns,
                        gsize n_durations)
{
  SwCallSums sums = { .count = 0 };

  g_return_val_if_fail (durations_ns != NULL || n_durations == 0, NULL);

  for (gsize i = 0; i < n_durations; i++)
    sw_call_sums_add (&sums, durations_ns[i]);
  return sw_call_statistics_new_from_sums (&sums);
}

/**
 * sw_call_statistics_merge:
 * @self: the statistics of some calls
 * @other: the statistics of other calls
 *
 * Makes the statistics of all the calls of both, exactly as if they had been counted together.
 *
 * Returns: (transfer full): the statistics
 */
SwCallStatistics *
sw_call_statistics_merge (SwCallStatistics *self,
                          SwCallStatistics *other)
{
  SwCallSums sums;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (other != NULL, NULL);

  sums = self->sums;
  sw_call_sums_merge (&sums, &other->sums);
  return sw_call_statistics_new_from_sums (&sums);
}

/**
 * sw_call_statistics_ref:
 * @self: the statistics
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwCallStatistics *
sw_call_statistics_ref (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_call_statistics_unref:
 * @self: (transfer full): the statistics
 *
 * Gives a reference back. May be called on any thread; the last one frees the statistics.
 */
void
sw_call_statistics_unref (SwCallStatistics *self)
{
  g_return_if_fail (self != NULL);

  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * sw_call_statistics_get_count:
 * @self: the statistics
 *
 * Returns how many calls there were.
 *
 * Returns: the number of calls
 */
guint64
sw_call_statistics_get_count (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->sums.count;
}

/**
 * sw_call_statistics_get_total_ms:
 * @self: the statistics
 *
 * Returns the sum of the durations of the calls.
 *
 * Returns: milliseconds
 */
double
sw_call_statistics_get_total_ms (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return sw_ns_to_ms (self->sums.total_ns);
}

/**
 * sw_call_statistics_get_min_ms:
 * @self: the statistics
 *
 * Returns the shortest duration of a call.
 *
 * Returns: milliseconds; 0 when there were no calls
 */
double
sw_call_statistics_get_min_ms (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return sw_ns_to_ms (self->sums.min_ns);
}

/**
 * sw_call_statistics_get_max_ms:
 * @self: the statistics
 *
 * Returns the longest duration of a call.
 *
 * Returns: milliseconds; 0 when there were no calls
 */
double
sw_call_statistics_get_max_ms (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return sw_ns_to_ms (self->sums.max_ns);
}

/**
 * sw_call_statistics_get_mean_ms:
 * @self: the statistics
 *
 * Returns the mean duration of a call.
 *
 * Returns: milliseconds; 0 when there were no calls
 */
double
sw_call_statistics_get_mean_ms (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return sw_call_sums_mean_ms (&self->sums);
}

/**
 * sw_call_statistics_get_stddev_ms:
 * @self: the statistics
 *
 * Returns the population standard deviation of the durations of the calls.
 *
 * Returns: milliseconds; 0 when there were no calls
 */
double
sw_call_statistics_get_stddev_ms (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return sw_call_sums_stddev_ms (&self->sums);
}

/**
 * sw_call_statistics_equal:
 * @self: statistics
 * @other: other statistics
 *
 * Compares two statistics by value.
 *
 * Returns: whether all of their figures are equal
 */
gboolean
sw_call_statistics_equal (SwCallStatistics *self,
                          SwCallStatistics *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  return self->sums.count == other->sums.count && self->sums.total_ns == other->sums.total_ns &&
         self->sums.min_ns == other->sums.min_ns && self->sums.max_ns == other->sums.max_ns &&
         self->sums.total_squares == other->sums.total_squares;
}

/**
 * sw_call_statistics_hash:
 * @self: the statistics
 *
 * Returns a hash of the value: the same for equal statistics.
 *
 * Returns: the hash
 */
guint
sw_call_statistics_hash (SwCallStatistics *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return ((guint) self->sums.count * 31 + (guint) self->sums.total_ns) * 31 + (guint) self->sums.total_squares;
}

/**
 * sw_call_statistics_to_string:
 * @self: the statistics
 *
 * Returns all figures on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_call_statistics_to_string (SwCallStatistics *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new (NULL);
  g_string_printf (text, "CallStatistics(count=%" G_GUINT64_FORMAT ", total_ms=", self->sums.count);
  sw_text_append_double (text, sw_ns_to_ms (self->sums.total_ns));
  g_string_append (text, ", min_ms=");
  sw_text_append_double (text, sw_ns_to_ms (self->sums.min_ns));
  g_string_append (text, ", max_ms=");
  sw_text_append_double (text, sw_ns_to_ms (self->sums.max_ns));
  g_string_append (text, ", mean_ms=");
  sw_text_append_double (text, sw_call_sums_mean_ms (&self->sums));
  g_string_append (text, ", stddev_ms=");
  sw_text_append_double (text, sw_call_sums_stddev_ms (&self->sums));
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}
