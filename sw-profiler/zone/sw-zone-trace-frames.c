/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-trace-private.h"

#include "sw-profiler/zone/sw-zone-range-private.h"

/* The frames of a trace as series, and what they come to. */

static GBytes *
make_numbers (SwZoneTrace *self,
              guint64 (*get) (SwZoneFrame *frame))
{
  guint64 *numbers = g_new (guint64, self->n_frames);

  for (guint32 i = 0; i < self->n_frames; i++)
    numbers[i] = get (self->frames[i]);
  return g_bytes_new_take (numbers, self->n_frames * sizeof *numbers);
}

/**
 * sw_zone_trace_dup_frame_index:
 * @self: the trace
 *
 * Returns the numbers of all frames, in order.
 *
 * Returns: (transfer full): unsigned 32-bit integers, one for each frame
 */
GBytes *
sw_zone_trace_dup_frame_index (SwZoneTrace *self)
{
  guint32 *numbers;

  g_return_val_if_fail (self != NULL, NULL);

  numbers = g_new (guint32, self->n_frames);
  for (guint32 i = 0; i < self->n_frames; i++)
    numbers[i] = sw_zone_frame_get_index (self->frames[i]);
  return g_bytes_new_take (numbers, self->n_frames * sizeof *numbers);
}

/**
 * sw_zone_trace_dup_frame_start_ns:
 * @self: the trace
 *
 * Returns when each frame began, in nanoseconds of the monotonic clock.
 *
 * Returns: (transfer full): unsigned 64-bit integers, one for each frame
 */
GBytes *
sw_zone_trace_dup_frame_start_ns (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_numbers (self, sw_zone_frame_get_start_ns);
}

/**
 * sw_zone_trace_dup_frame_duration_ns:
 * @self: the trace
 *
 * Returns how long each frame took from its begin to its end, in nanoseconds.
 *
 * Returns: (transfer full): unsigned 64-bit integers, one for each frame
 */
GBytes *
sw_zone_trace_dup_frame_duration_ns (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return make_numbers (self, sw_zone_frame_get_duration_ns);
}

/**
 * sw_zone_trace_dup_frame_statistics:
 * @self: the trace
 * @start_ns: where the range of time begins, in nanoseconds of the monotonic clock; -1 for the beginning
 * @end_ns: where it ends, exclusively; -1 for the end
 * @error: return location for an error
 *
 * Computes the statistics of how long the frames took that began in a range of time.
 *
 * Fails with %SW_ERROR_VALUE when a bound is negative and not -1.
 *
 * Returns: (transfer full): the statistics
 */
SwDurationStatistics *
sw_zone_trace_dup_frame_statistics (SwZoneTrace *self,
                                    gint64 start_ns,
                                    gint64 end_ns,
                                    GError **error)
{
  g_autofree guint64 *durations = NULL;
  SwZoneRange range;
  gsize n = 0;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!sw_zone_range_init (&range, "start_ns", start_ns, "end_ns", end_ns, error))
    return NULL;
  durations = g_new (guint64, self->n_frames);
  for (guint32 i = 0; i < self->n_frames; i++)
    if (sw_zone_range_has (&range, sw_zone_frame_get_start_ns (self->frames[i])))
      durations[n++] = sw_zone_frame_get_duration_ns (self->frames[i]);
  return sw_duration_statistics_new (durations, n);
}

/**
 * sw_zone_trace_get_fps:
 * @self: the trace
 * @start_ns: where the range of time begins, in nanoseconds of the monotonic clock; -1 for the beginning
 * @end_ns: where it ends, exclusively; -1 for the end
 * @error: return location for an error
 *
 * Returns how many frames began per second: the number of intervals between the begins of consecutive frames in the range,
 * divided by the time from the first of these begins to the last.
 *
 * Unlike the frames' durations, that includes the time between frames.
 *
 * Fails with %SW_ERROR_VALUE when a bound is negative and not -1.
 *
 * Returns: frames per second; 0 when less than two frames began in the range, or no time passed between them
 */
double
sw_zone_trace_get_fps (SwZoneTrace *self,
                       gint64 start_ns,
                       gint64 end_ns,
                       GError **error)
{
  SwZoneRange range;
  guint64 first = G_MAXUINT64, last = 0;
  guint32 n = 0;

  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail (error == NULL || *error == NULL, 0);

  if (!sw_zone_range_init (&range, "start_ns", start_ns, "end_ns", end_ns, error))
    return 0;
  for (guint32 i = 0; i < self->n_frames; i++)
    {
      guint64 start = sw_zone_frame_get_start_ns (self->frames[i]);

      if (!sw_zone_range_has (&range, start))
        continue;
      first = MIN (first, start);
      last = MAX (last, start);
      n++;
    }
  return n > 1 && last > first ? (n - 1) * 1e9 / (double) (last - first) : 0;
}
