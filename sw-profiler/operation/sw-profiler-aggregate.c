/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-aggregate-private.h"

#include <math.h>
#include <string.h>

#include "sw-profiler/operation/sw-input-shapes-private.h"
#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/operation/sw-type-name.h"
#include "sw/tensor/sw-carrier.h"

/**
 * SwProfilerAggregate:
 *
 * What the events of one dispatch name on one exact type of carrier took together.
 *
 * An aggregate has statistics, such as [method@Strideweave.ProfilerAggregate.get_p99_time_ns], when it comes from
 * [method@Strideweave.Profiler.dup_key_statistics]. They are not part of its value: aggregates are compared and
 * printed without them.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwProfilerAggregate
{
  int ref_count;
  GType carrier_type;
  SwInputShapes *input_shapes;
  gint64 count;
  gint64 total_time_ns;
  gint64 self_total_time_ns;
  double mean_time_ns;
  gint64 min_time_ns;
  gint64 max_time_ns;
  char *carrier_name; /* NULL: what the process calls the type */
  gboolean has_statistics;
  SwAggregateStatistics statistics; /* NaN without */
  char name[];
};

G_DEFINE_BOXED_TYPE (SwProfilerAggregate, sw_profiler_aggregate, sw_profiler_aggregate_ref, sw_profiler_aggregate_unref)

static const char *
get_carrier_name (const SwProfilerAggregate *self)
{
  return self->carrier_name != NULL ? self->carrier_name : sw_profiler_get_type_name (self->carrier_type);
}

/**
 * sw_profiler_aggregate_new:
 * @name: the dispatch name
 * @carrier_type: the exact type of the carrier that dispatched the operations
 * @input_shapes: (nullable): the shapes of the positional inputs that the events have in common, or %NULL
 * @count: how many events there are
 * @total_time_ns: the sum of their durations, in nanoseconds
 * @self_total_time_ns: the sum of their self times, in nanoseconds
 * @mean_time_ns: their mean duration, in nanoseconds
 * @min_time_ns: their shortest duration, in nanoseconds
 * @max_time_ns: their longest duration, in nanoseconds
 *
 * Makes an aggregate of these values, just as they are: they are not checked against each other.
 *
 * Returns: (transfer full): the new aggregate
 */
SwProfilerAggregate *
sw_profiler_aggregate_new (const char *name,
                           GType carrier_type,
                           SwInputShapes *input_shapes,
                           gint64 count,
                           gint64 total_time_ns,
                           gint64 self_total_time_ns,
                           double mean_time_ns,
                           gint64 min_time_ns,
                           gint64 max_time_ns)
{
  SwProfilerAggregate *self;
  gsize size;

  g_return_val_if_fail (name != NULL, NULL);

  size = strlen (name) + 1;
  self = g_malloc (sizeof (SwProfilerAggregate) + size);
  self->ref_count = 1;
  self->carrier_type = carrier_type;
  self->input_shapes = input_shapes != NULL ? sw_input_shapes_ref (input_shapes) : NULL;
  self->count = count;
  self->total_time_ns = total_time_ns;
  self->self_total_time_ns = self_total_time_ns;
  self->mean_time_ns = mean_time_ns;
  self->min_time_ns = min_time_ns;
  self->max_time_ns = max_time_ns;
  self->carrier_name = NULL;
  self->has_statistics = FALSE;
  self->statistics = (SwAggregateStatistics){ NAN, NAN, NAN, NAN, NAN, NAN };
  memcpy (self->name, name, size);
  return self;
}

void
sw_profiler_aggregate_set_carrier_name (SwProfilerAggregate *self,
                                        const char *carrier_name)
{
  self->carrier_name = g_strdup (carrier_name);
}

void
sw_profiler_aggregate_set_statistics (SwProfilerAggregate *self,
                                      const SwAggregateStatistics *statistics)
{
  self->has_statistics = TRUE;
  self->statistics = *statistics;
}

/**
 * sw_profiler_aggregate_ref:
 * @self: the aggregate
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwProfilerAggregate *
sw_profiler_aggregate_ref (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  /* Orders nothing: whoever takes a reference already has one. */
  __atomic_fetch_add (&self->ref_count, 1, __ATOMIC_RELAXED);
  return self;
}

/**
 * sw_profiler_aggregate_unref:
 * @self: (transfer full): the aggregate
 *
 * Gives a reference back. May be called on any thread; the last one frees the aggregate.
 */
void
sw_profiler_aggregate_unref (SwProfilerAggregate *self)
{
  g_return_if_fail (self != NULL);

  /* Whatever other threads did with their references comes before the aggregate is freed. */
  if (__atomic_sub_fetch (&self->ref_count, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  g_clear_pointer (&self->input_shapes, sw_input_shapes_unref);
  g_free (self->carrier_name);
  g_free (self);
}

/**
 * sw_profiler_aggregate_get_name:
 * @self: the aggregate
 *
 * Returns the dispatch name.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_aggregate_get_name (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

/**
 * sw_profiler_aggregate_get_carrier_type:
 * @self: the aggregate
 *
 * Returns the exact type of the carrier that dispatched the operations.
 *
 * Returns: the type
 */
GType
sw_profiler_aggregate_get_carrier_type (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, G_TYPE_INVALID);

  return self->carrier_type;
}

/**
 * sw_profiler_aggregate_get_carrier_name:
 * @self: the aggregate
 *
 * Returns what results call the carrier type, as [method@Strideweave.ProfilerEvent.get_carrier_name] does.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_aggregate_get_carrier_name (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return get_carrier_name (self);
}

/**
 * sw_profiler_aggregate_get_input_shapes:
 * @self: the aggregate
 *
 * Returns the shapes of the positional inputs that the events have in common.
 *
 * Returns: (transfer none) (nullable): the shapes; %NULL when events were not grouped by them, or they were not recorded
 */
SwInputShapes *
sw_profiler_aggregate_get_input_shapes (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->input_shapes;
}

/**
 * sw_profiler_aggregate_get_count:
 * @self: the aggregate
 *
 * Returns how many events there are, failed ones among them.
 *
 * Returns: the number of events
 */
gint64
sw_profiler_aggregate_get_count (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->count;
}

/**
 * sw_profiler_aggregate_get_total_time_ns:
 * @self: the aggregate
 *
 * Returns the sum of the events' durations.
 *
 * Returns: nanoseconds
 */
gint64
sw_profiler_aggregate_get_total_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->total_time_ns;
}

/**
 * sw_profiler_aggregate_get_self_total_time_ns:
 * @self: the aggregate
 *
 * Returns the sum of the events' self times.
 *
 * Returns: nanoseconds
 */
gint64
sw_profiler_aggregate_get_self_total_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->self_total_time_ns;
}

/**
 * sw_profiler_aggregate_get_mean_time_ns:
 * @self: the aggregate
 *
 * Returns the mean of the events' durations.
 *
 * Returns: nanoseconds
 */
double
sw_profiler_aggregate_get_mean_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->mean_time_ns;
}

/**
 * sw_profiler_aggregate_get_min_time_ns:
 * @self: the aggregate
 *
 * Returns the shortest of the events' durations.
 *
 * Returns: nanoseconds
 */
gint64
sw_profiler_aggregate_get_min_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->min_time_ns;
}

/**
 * sw_profiler_aggregate_get_max_time_ns:
 * @self: the aggregate
 *
 * Returns the longest of the events' durations.
 *
 * Returns: nanoseconds
 */
gint64
sw_profiler_aggregate_get_max_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->max_time_ns;
}

/**
 * sw_profiler_aggregate_has_statistics:
 * @self: the aggregate
 *
 * Tells whether percentiles, standard deviation and shares are known: for the rows of
 * [method@Strideweave.Profiler.dup_key_statistics], that is.
 *
 * Returns: %TRUE when they are
 */
gboolean
sw_profiler_aggregate_has_statistics (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->has_statistics;
}

/**
 * sw_profiler_aggregate_get_p50_time_ns:
 * @self: the aggregate
 *
 * Returns the median of the events' durations.
 *
 * Between two durations it is interpolated linearly, in double precision, as NumPy's `percentile` does.
 *
 * Returns: nanoseconds; NaN when the aggregate has no statistics
 */
double
sw_profiler_aggregate_get_p50_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NAN);

  return self->statistics.p50_time_ns;
}

/**
 * sw_profiler_aggregate_get_p90_time_ns:
 * @self: the aggregate
 *
 * Returns what nine of ten of the events' durations do not exceed.
 *
 * Computed as [method@Strideweave.ProfilerAggregate.get_p50_time_ns] is.
 *
 * Returns: nanoseconds; NaN when the aggregate has no statistics
 */
double
sw_profiler_aggregate_get_p90_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NAN);

  return self->statistics.p90_time_ns;
}

/**
 * sw_profiler_aggregate_get_p99_time_ns:
 * @self: the aggregate
 *
 * Returns what 99 of a hundred of the events' durations do not exceed.
 *
 * Computed as [method@Strideweave.ProfilerAggregate.get_p50_time_ns] is.
 *
 * Returns: nanoseconds; NaN when the aggregate has no statistics
 */
double
sw_profiler_aggregate_get_p99_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NAN);

  return self->statistics.p99_time_ns;
}

/**
 * sw_profiler_aggregate_get_stddev_time_ns:
 * @self: the aggregate
 *
 * Returns the standard deviation of the events' durations, as of a whole population.
 *
 * Computed in double precision from the deviations from the mean; 0 for one event.
 *
 * Returns: nanoseconds; NaN when the aggregate has no statistics
 */
double
sw_profiler_aggregate_get_stddev_time_ns (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NAN);

  return self->statistics.stddev_time_ns;
}

/**
 * sw_profiler_aggregate_get_total_percent:
 * @self: the aggregate
 *
 * Returns the share that the events' durations have in the time of all outermost events.
 *
 * An outermost event is one without a parent. Durations of nested events are part of those around them, so the shares of
 * all rows add up to more than 100 where events nest, and one exceeds 100 where an operation runs inside itself.
 *
 * Returns: percent; NaN when the aggregate has no statistics
 */
double
sw_profiler_aggregate_get_total_percent (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NAN);

  return self->statistics.total_percent;
}

/**
 * sw_profiler_aggregate_get_self_total_percent:
 * @self: the aggregate
 *
 * Returns the share that the events' self times have in the time of all outermost events.
 *
 * The shares of all rows add up to 100, or to less when a filter left out some of the nested operations.
 *
 * Returns: percent; NaN when the aggregate has no statistics
 */
double
sw_profiler_aggregate_get_self_total_percent (SwProfilerAggregate *self)
{
  g_return_val_if_fail (self != NULL, NAN);

  return self->statistics.self_total_percent;
}

/**
 * sw_profiler_aggregate_equal:
 * @self: an aggregate
 * @other: another aggregate
 *
 * Compares two aggregates by value. Statistics do not count: an aggregate with them equals the same one without.
 *
 * Returns: whether all of their fields are equal
 */
gboolean
sw_profiler_aggregate_equal (SwProfilerAggregate *self,
                             SwProfilerAggregate *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  if (self == other)
    return TRUE;
  /* The base class stands for types that this process does not have, which only their names tell apart. */
  if (self->carrier_type == SW_TYPE_CARRIER && strcmp (get_carrier_name (self), get_carrier_name (other)) != 0)
    return FALSE;
  return self->carrier_type == other->carrier_type && self->count == other->count && self->total_time_ns == other->total_time_ns && self->self_total_time_ns == other->self_total_time_ns && self->mean_time_ns == other->mean_time_ns && self->min_time_ns == other->min_time_ns && self->max_time_ns == other->max_time_ns && strcmp (self->name, other->name) == 0 && sw_input_shapes_equal0 (self->input_shapes, other->input_shapes);
}

/**
 * sw_profiler_aggregate_hash:
 * @self: the aggregate
 *
 * Returns a hash of the value: the same for equal aggregates.
 *
 * Returns: the hash
 */
guint
sw_profiler_aggregate_hash (SwProfilerAggregate *self)
{
  guint hash;

  g_return_val_if_fail (self != NULL, 0);

  hash = g_str_hash (self->name);
  hash = hash * 31 + g_int64_hash (&self->count);
  hash = hash * 31 + g_int64_hash (&self->total_time_ns);
  hash = hash * 31 + g_int64_hash (&self->self_total_time_ns);
  if (self->input_shapes != NULL)
    hash = hash * 31 + sw_input_shapes_hash (self->input_shapes);
  return hash;
}

/**
 * sw_profiler_aggregate_to_string:
 * @self: the aggregate
 *
 * Returns all fields of the aggregate on one line, without its statistics.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_aggregate_to_string (SwProfilerAggregate *self)
{
  g_autofree char *shapes = NULL;
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  if (self->input_shapes != NULL)
    shapes = sw_input_shapes_to_string (self->input_shapes);
  text = g_string_new ("ProfilerAggregate(name=");
  sw_text_append_quoted (text, self->name);
  g_string_append (text, ", carrier_type=");
  sw_text_append_display (text, get_carrier_name (self));
  g_string_append_printf (text,
                          ", input_shapes=%s, count=%" G_GINT64_FORMAT ", total_time_ns=%" G_GINT64_FORMAT
                          ", self_total_time_ns=%" G_GINT64_FORMAT ", mean_time_ns=",
                          shapes != NULL ? shapes : "None", self->count, self->total_time_ns, self->self_total_time_ns);
  sw_text_append_double (text, self->mean_time_ns);
  g_string_append_printf (text, ", min_time_ns=%" G_GINT64_FORMAT ", max_time_ns=%" G_GINT64_FORMAT ")",
                          self->min_time_ns, self->max_time_ns);
  return g_string_free (text, FALSE);
}
