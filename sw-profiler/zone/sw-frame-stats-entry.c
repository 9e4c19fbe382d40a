/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-frame-stats-entry-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-text-private.h"

/**
 * SwFrameStatsEntry:
 *
 * One hierarchical path of sites in [struct@Strideweave.FrameStats]: what the zones at the end of that path, each inside of
 * the one before, came to.
 *
 * The value never changes and may be used from any thread.
 */

G_DEFINE_BOXED_TYPE (SwFrameStatsEntry, sw_frame_stats_entry, sw_frame_stats_entry_ref, sw_frame_stats_entry_unref)

/**
 * sw_frame_stats_entry_ref:
 * @self: the entry
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwFrameStatsEntry *
sw_frame_stats_entry_ref (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_frame_stats_entry_unref:
 * @self: (transfer full): the entry
 *
 * Gives a reference back. May be called on any thread; the last one frees the entry.
 */
void
sw_frame_stats_entry_unref (SwFrameStatsEntry *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->cpu_time_per_frame, sw_duration_statistics_unref);
  g_clear_pointer (&self->gpu_time_per_frame, sw_duration_statistics_unref);
  g_clear_pointer (&self->cpu_time_per_call, sw_call_statistics_unref);
  g_clear_pointer (&self->gpu_time_per_call, sw_call_statistics_unref);
  g_free (self);
}

/**
 * sw_frame_stats_entry_get_parent_index:
 * @self: the entry
 *
 * Returns the place of the entry that this one is inside of.
 *
 * Returns: the place among the entries; -1 for none
 */
gint32
sw_frame_stats_entry_get_parent_index (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return self->parent_index;
}

/**
 * sw_frame_stats_entry_get_depth:
 * @self: the entry
 *
 * Returns how many entries this one is inside of.
 *
 * Returns: the number of entries
 */
guint32
sw_frame_stats_entry_get_depth (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->depth;
}

/**
 * sw_frame_stats_entry_get_site_id:
 * @self: the entry
 *
 * Returns the number of the last site of the path.
 *
 * Returns: the number, from 1
 */
guint32
sw_frame_stats_entry_get_site_id (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->site_id;
}

/**
 * sw_frame_stats_entry_get_name:
 * @self: the entry
 *
 * Returns the name that the last site of the path gives.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_frame_stats_entry_get_name (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

/**
 * sw_frame_stats_entry_get_cpu_time_per_frame:
 * @self: the entry
 *
 * Returns the statistics of how long the path took on the CPU in each frame; 0 in frames in which it did not run.
 *
 * Returns: (transfer none): the statistics
 */
SwDurationStatistics *
sw_frame_stats_entry_get_cpu_time_per_frame (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->cpu_time_per_frame;
}

/**
 * sw_frame_stats_entry_get_gpu_time_per_frame:
 * @self: the entry
 *
 * Returns the statistics of how long the path took on the GPU in each frame in which it ran and all of its GPU times are known.
 *
 * Returns: (transfer none): the statistics
 */
SwDurationStatistics *
sw_frame_stats_entry_get_gpu_time_per_frame (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->gpu_time_per_frame;
}

/**
 * sw_frame_stats_entry_get_cpu_time_per_call:
 * @self: the entry
 *
 * Returns the statistics of how long each call took on the CPU.
 *
 * Returns: (transfer none): the statistics
 */
SwCallStatistics *
sw_frame_stats_entry_get_cpu_time_per_call (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->cpu_time_per_call;
}

/**
 * sw_frame_stats_entry_get_gpu_time_per_call:
 * @self: the entry
 *
 * Returns the statistics of how long each call took on the GPU, where that is known.
 *
 * Returns: (transfer none): the statistics
 */
SwCallStatistics *
sw_frame_stats_entry_get_gpu_time_per_call (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->gpu_time_per_call;
}

/**
 * sw_frame_stats_entry_equal:
 * @self: an entry
 * @other: another entry
 *
 * Compares two entries by value.
 *
 * Returns: whether all of their fields are equal
 */
gboolean
sw_frame_stats_entry_equal (SwFrameStatsEntry *self,
                            SwFrameStatsEntry *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  return self->parent_index == other->parent_index && self->depth == other->depth && self->site_id == other->site_id &&
         sw_duration_statistics_equal (self->cpu_time_per_frame, other->cpu_time_per_frame) &&
         sw_duration_statistics_equal (self->gpu_time_per_frame, other->gpu_time_per_frame) &&
         sw_call_statistics_equal (self->cpu_time_per_call, other->cpu_time_per_call) &&
         sw_call_statistics_equal (self->gpu_time_per_call, other->gpu_time_per_call);
}

/**
 * sw_frame_stats_entry_hash:
 * @self: the entry
 *
 * Returns a hash of the value: the same for equal entries.
 *
 * Returns: the hash
 */
guint
sw_frame_stats_entry_hash (SwFrameStatsEntry *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return (self->site_id * 31 + (guint) self->parent_index) * 31 + sw_call_statistics_hash (self->cpu_time_per_call);
}

/**
 * sw_frame_stats_entry_to_string:
 * @self: the entry
 *
 * Returns all fields of the entry on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_frame_stats_entry_to_string (SwFrameStatsEntry *self)
{
  g_autofree char *cpu_frame = NULL;
  g_autofree char *gpu_frame = NULL;
  g_autofree char *cpu_call = NULL;
  g_autofree char *gpu_call = NULL;
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  cpu_frame = sw_duration_statistics_to_string (self->cpu_time_per_frame);
  gpu_frame = sw_duration_statistics_to_string (self->gpu_time_per_frame);
  cpu_call = sw_call_statistics_to_string (self->cpu_time_per_call);
  gpu_call = sw_call_statistics_to_string (self->gpu_time_per_call);
  text = g_string_new ("FrameStatsEntry(name=");
  sw_text_append_quoted (text, self->name);
  g_string_append_printf (text,
                          ", parent_index=%d, depth=%u, site_id=%u, cpu_time_per_frame=%s, gpu_time_per_frame=%s, "
                          "cpu_time_per_call=%s, gpu_time_per_call=%s)",
                          self->parent_index, self->depth, self->site_id, cpu_frame, gpu_frame, cpu_call, gpu_call);
  return g_string_free (text, FALSE);
}
