/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-frame-stats-private.h"

/**
 * SwFrameStats:
 *
 * Statistics of the last frames: how long they took, and what each path of zones took in them.
 *
 * There is one entry for each path of sites that ran in any of the frames, parents before their children, siblings in the
 * order of their names. All entries are of the same frames: a path that did not run in one counts as 0 ms and 0 calls
 * there. A path's time in a frame is the sum of how long its zones took, including what ran inside them: parents and
 * children do not add up. Work that overlaps on a GPU can sum up to more than the frame took.
 *
 * The columns that begin with `sample` hold the frames themselves, oldest first; those that have a number for each frame
 * and entry are in row-major order.
 *
 * The value never changes and may be used from any thread.
 */

G_DEFINE_BOXED_TYPE (SwFrameStats, sw_frame_stats, sw_frame_stats_ref, sw_frame_stats_unref)

/**
 * sw_frame_stats_ref:
 * @self: the statistics
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwFrameStats *
sw_frame_stats_ref (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_frame_stats_unref:
 * @self: (transfer full): the statistics
 *
 * Gives a reference back. May be called on any thread; the last one frees the statistics.
 */
void
sw_frame_stats_unref (SwFrameStats *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  for (guint32 i = 0; i < self->n_entries; i++)
    sw_frame_stats_entry_unref (self->entries[i]);
  g_free (self->entries);
  g_clear_pointer (&self->frame_time, sw_duration_statistics_unref);
  g_clear_pointer (&self->frame_interval, sw_duration_statistics_unref);
  g_clear_pointer (&self->diagnostics, sw_profiler_diagnostics_unref);
  g_clear_pointer (&self->sample_frame_index, g_bytes_unref);
  g_clear_pointer (&self->sample_frame_start_ns, g_bytes_unref);
  g_clear_pointer (&self->sample_frame_time_ms, g_bytes_unref);
  g_clear_pointer (&self->sample_call_count, g_bytes_unref);
  g_clear_pointer (&self->sample_cpu_time_ms, g_bytes_unref);
  g_clear_pointer (&self->sample_gpu_time_ms, g_bytes_unref);
  g_clear_pointer (&self->sample_gpu_status, g_bytes_unref);
  g_free (self);
}

/**
 * sw_frame_stats_get_sample_count:
 * @self: the statistics
 *
 * Returns how many completed frames the statistics are of.
 *
 * Returns: the number of frames
 */
guint32
sw_frame_stats_get_sample_count (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_samples;
}

/**
 * sw_frame_stats_get_entry_count:
 * @self: the statistics
 *
 * Returns how many paths of sites ran in these frames.
 *
 * Returns: the number of entries
 */
guint32
sw_frame_stats_get_entry_count (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_entries;
}

/**
 * sw_frame_stats_get_pending_frame_count:
 * @self: the statistics
 *
 * Returns how many frames were waiting, for their GPU times or behind one that was.
 *
 * Returns: the number of frames
 */
guint32
sw_frame_stats_get_pending_frame_count (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_pending_frames;
}

/**
 * sw_frame_stats_get_latest_frame_ms:
 * @self: the statistics
 *
 * Returns how long the latest of the frames took.
 *
 * Returns: milliseconds; 0 when there are no frames
 */
double
sw_frame_stats_get_latest_frame_ms (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->latest_frame_ms;
}

/**
 * sw_frame_stats_get_fps:
 * @self: the statistics
 *
 * Returns how many frames began per second.
 *
 * That is the number of intervals between the begins of consecutive frames, divided by the time from the first begin to
 * the last: unlike the frames' durations, it includes what passed between frames.
 *
 * Returns: frames per second; 0 when there are less than two frames, or no time passed between them
 */
double
sw_frame_stats_get_fps (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->fps;
}

/**
 * sw_frame_stats_get_frame_time:
 * @self: the statistics
 *
 * Returns the statistics of how long the frames took, each from its begin to its end.
 *
 * Returns: (transfer none): the statistics
 */
SwDurationStatistics *
sw_frame_stats_get_frame_time (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->frame_time;
}

/**
 * sw_frame_stats_get_frame_interval:
 * @self: the statistics
 *
 * Returns the statistics of the intervals from the begin of a frame to the begin of the next one.
 *
 * There is one less than there are frames. A loop that waits between its frames has longer intervals than frames.
 *
 * Returns: (transfer none): the statistics
 */
SwDurationStatistics *
sw_frame_stats_get_frame_interval (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->frame_interval;
}

/**
 * sw_frame_stats_get_diagnostics:
 * @self: the statistics
 *
 * Returns what the statistics do not hold, by reason.
 *
 * Returns: (transfer none): the diagnostics
 */
SwProfilerDiagnostics *
sw_frame_stats_get_diagnostics (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->diagnostics;
}

/**
 * sw_frame_stats_dup_entries:
 * @self: the statistics
 *
 * Returns the entries, each after the one that it is inside of.
 *
 * Returns: (transfer container) (element-type SwFrameStatsEntry): the entries
 */
GPtrArray *
sw_frame_stats_dup_entries (SwFrameStats *self)
{
  GPtrArray *entries;

  g_return_val_if_fail (self != NULL, NULL);

  entries = g_ptr_array_new_full (self->n_entries, (GDestroyNotify) sw_frame_stats_entry_unref);
  for (guint32 i = 0; i < self->n_entries; i++)
    g_ptr_array_add (entries, sw_frame_stats_entry_ref (self->entries[i]));
  return entries;
}

/**
 * sw_frame_stats_dup_sample_frame_index:
 * @self: the statistics
 *
 * Returns the numbers of the frames, oldest first. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 32-bit integers, one for each frame
 */
GBytes *
sw_frame_stats_dup_sample_frame_index (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->sample_frame_index);
}

/**
 * sw_frame_stats_dup_sample_frame_start_ns:
 * @self: the statistics
 *
 * Returns when the frames began, in nanoseconds of the monotonic clock, oldest first. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 64-bit integers, one for each frame
 */
GBytes *
sw_frame_stats_dup_sample_frame_start_ns (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->sample_frame_start_ns);
}

/**
 * sw_frame_stats_dup_sample_frame_time_ms:
 * @self: the statistics
 *
 * Returns how long the frames took, in milliseconds, oldest first. Nothing is copied.
 *
 * Returns: (transfer full): doubles, one for each frame
 */
GBytes *
sw_frame_stats_dup_sample_frame_time_ms (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->sample_frame_time_ms);
}

/**
 * sw_frame_stats_dup_sample_call_count:
 * @self: the statistics
 *
 * Returns how often each path ran in each frame. Nothing is copied.
 *
 * Returns: (transfer full): unsigned 32-bit integers: for each frame, oldest first, one for each entry
 */
GBytes *
sw_frame_stats_dup_sample_call_count (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->sample_call_count);
}

/**
 * sw_frame_stats_dup_sample_cpu_time_ms:
 * @self: the statistics
 *
 * Returns how long each path took on the CPU in each frame, in milliseconds. Nothing is copied.
 *
 * Returns: (transfer full): doubles: for each frame, oldest first, one for each entry
 */
GBytes *
sw_frame_stats_dup_sample_cpu_time_ms (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->sample_cpu_time_ms);
}

/**
 * sw_frame_stats_dup_sample_gpu_time_ms:
 * @self: the statistics
 *
 * Returns how long each path took on the GPU in each frame, in milliseconds; 0 where that is not completely known. Nothing is copied.
 *
 * Returns: (transfer full): doubles: for each frame, oldest first, one for each entry
 */
GBytes *
sw_frame_stats_dup_sample_gpu_time_ms (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->sample_gpu_time_ms);
}

/**
 * sw_frame_stats_dup_sample_gpu_status:
 * @self: the statistics
 *
 * Returns what is known of the GPU time of each path in each frame. Nothing is copied.
 *
 * Returns: (transfer full): bytes, each a [enum@Strideweave.GpuStatus]: for each frame, oldest first, one for each entry
 */
GBytes *
sw_frame_stats_dup_sample_gpu_status (SwFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->sample_gpu_status);
}
