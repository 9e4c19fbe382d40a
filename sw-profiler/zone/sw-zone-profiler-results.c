/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-profiler-desc-private.h"
#include "sw-profiler/zone/sw-profiler-diagnostics-private.h"
#include "sw-profiler/zone/sw-zone-profiler-private.h"
#include "sw/base/sw-error.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* The part of the ZoneProfiler that switches and that reads. */

static gboolean
read_flag (const guint32 *flag)
{
  /* Relaxed: a switch is seen soon, and orders nothing. */
  return __atomic_load_n (flag, __ATOMIC_RELAXED) != 0;
}

/**
 * sw_zone_profiler_get_enabled: (get-property enabled)
 * @self: a profiler
 *
 * Tells whether the profiler records.
 *
 * Returns: whether it is enabled
 */
gboolean
sw_zone_profiler_get_enabled (SwZoneProfiler *self)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  return read_flag (&sw_zone_profiler_get_core (self)->enabled);
}

/**
 * sw_zone_profiler_set_enabled: (set-property enabled)
 * @self: a profiler
 * @enabled: whether it is to record
 *
 * Switches the profiler on or off. Zones that are open then end as usual; frames, too.
 */
void
sw_zone_profiler_set_enabled (SwZoneProfiler *self,
                              gboolean enabled)
{
  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  if (sw_zone_profiler_get_enabled (self) == (enabled != FALSE))
    return;
  sw_zone_core_set_enabled (sw_zone_profiler_get_core (self), enabled);
  g_object_notify (G_OBJECT (self), "enabled");
}

/**
 * sw_zone_profiler_get_enable_auto_zones: (get-property enable-auto-zones)
 * @self: a profiler
 *
 * Tells whether each dispatched operation is a zone.
 *
 * Returns: whether they are
 */
gboolean
sw_zone_profiler_get_enable_auto_zones (SwZoneProfiler *self)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  return read_flag (&sw_zone_profiler_get_core (self)->auto_zones);
}

/**
 * sw_zone_profiler_set_enable_auto_zones: (set-property enable-auto-zones)
 * @self: a profiler
 * @enable_auto_zones: whether each dispatched operation is to be a zone
 *
 * Switches the zones of operations on or off.
 */
void
sw_zone_profiler_set_enable_auto_zones (SwZoneProfiler *self,
                                        gboolean enable_auto_zones)
{
  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  if (sw_zone_profiler_get_enable_auto_zones (self) == (enable_auto_zones != FALSE))
    return;
  sw_zone_core_set_auto_zones (sw_zone_profiler_get_core (self), enable_auto_zones);
  g_object_notify (G_OBJECT (self), "enable-auto-zones");
}

/**
 * sw_zone_profiler_get_enable_debug_groups: (get-property enable-debug-groups)
 * @self: a profiler
 *
 * Tells whether zones with GPU times are named in the command stream.
 *
 * Returns: whether they are
 */
gboolean
sw_zone_profiler_get_enable_debug_groups (SwZoneProfiler *self)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  return read_flag (&sw_zone_profiler_get_core (self)->debug_groups);
}

/**
 * sw_zone_profiler_set_enable_debug_groups: (set-property enable-debug-groups)
 * @self: a profiler
 * @enable_debug_groups: whether zones with GPU times are to be named in the command stream
 *
 * Switches the names in the command stream on or off.
 */
void
sw_zone_profiler_set_enable_debug_groups (SwZoneProfiler *self,
                                          gboolean enable_debug_groups)
{
  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  if (sw_zone_profiler_get_enable_debug_groups (self) == (enable_debug_groups != FALSE))
    return;
  /* Relaxed: see read_flag (). */
  __atomic_store_n (&sw_zone_profiler_get_core (self)->debug_groups, enable_debug_groups ? 1 : 0, __ATOMIC_RELAXED);
  g_object_notify (G_OBJECT (self), "enable-debug-groups");
}

/**
 * sw_zone_profiler_start_capture:
 * @self: a profiler
 * @desc: (nullable): how to capture; %NULL for the default values
 * @error: return location for an error
 *
 * Begins to keep every zone that begins from here on, on any thread.
 *
 * Fails with %SW_ERROR_STATE while a capture was started and neither stopped nor discarded, and with %SW_ERROR_VALUE for an
 * impossible description.
 *
 * Returns: whether the capture goes on
 */
gboolean
sw_zone_profiler_start_capture (SwZoneProfiler *self,
                                const SwCaptureDesc *desc,
                                GError **error)
{
  g_autoptr (SwCaptureDesc) defaults = NULL;
  SwZoneCore *core;
  gboolean was_active;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  if (desc == NULL)
    desc = defaults = sw_capture_desc_new ();
  if (!sw_capture_desc_check (desc, error))
    return FALSE;

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  was_active = core->capture.active;
  if (!was_active)
    sw_zone_core_start_capture (core, desc);
  sw_zone_core_unlock_consumer (core);

  if (was_active)
    g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "a capture is already active; stop or discard it first");
  else
    g_object_notify (G_OBJECT (self), "capture-active");
  return !was_active;
}

static gboolean
refuse_without_capture (GError **error)
{
  g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "No active capture: start one first");
  return FALSE;
}

/**
 * sw_zone_profiler_stop_capture:
 * @self: a profiler
 * @error: return location for an error
 *
 * Ends the capture: one [method@Strideweave.ZoneProfiler.tick], then all that was published before is consumed.
 *
 * The trace has the zones that began and ended during the capture. GPU work that is not finished is not waited for: its
 * zones are left out, and counted as pending. Fails with %SW_ERROR_STATE when no capture was started.
 *
 * Returns: (transfer full): what was captured
 */
SwZoneTrace *
sw_zone_profiler_stop_capture (SwZoneProfiler *self,
                               GError **error)
{
  SwZoneCore *core;
  SwZoneTrace *trace = NULL;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), NULL);

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_tick (core);
  sw_zone_core_lock_consumer (core);
  if (core->capture.active)
    trace = sw_zone_core_stop_capture (core);
  sw_zone_core_unlock_consumer (core);

  if (trace == NULL)
    refuse_without_capture (error);
  else
    g_object_notify (G_OBJECT (self), "capture-active");
  return trace;
}

/**
 * sw_zone_profiler_discard_capture:
 * @self: a profiler
 * @error: return location for an error
 *
 * Ends the capture and forgets it. Fails with %SW_ERROR_STATE when no capture was started.
 *
 * Returns: whether there was one
 */
gboolean
sw_zone_profiler_discard_capture (SwZoneProfiler *self,
                                  GError **error)
{
  SwZoneCore *core;
  gboolean was_active;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  was_active = core->capture.active;
  if (was_active)
    sw_zone_core_discard_capture (core);
  sw_zone_core_unlock_consumer (core);

  if (!was_active)
    return refuse_without_capture (error);
  g_object_notify (G_OBJECT (self), "capture-active");
  return TRUE;
}

/**
 * sw_zone_profiler_get_capture_active: (get-property capture-active)
 * @self: a profiler
 *
 * Tells whether a capture keeps what is recorded. One that has reached its memory limit does not; it waits to be stopped.
 *
 * Returns: whether a capture goes on
 */
gboolean
sw_zone_profiler_get_capture_active (SwZoneProfiler *self)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  return read_flag (&sw_zone_profiler_get_core (self)->is_active);
}

/**
 * sw_zone_profiler_tick:
 * @self: a profiler
 *
 * Reads the GPU times that have come since: to be called once a frame. It waits neither for submitted work nor for
 * unresolved queries. Where times have to be converted it may ask the device for its clock, at most every two seconds
 * for each queue; some devices wait for their queue then.
 *
 * Without zones that have GPU times it has nothing to do.
 */
void
sw_zone_profiler_tick (SwZoneProfiler *self)
{
  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  sw_zone_core_tick (sw_zone_profiler_get_core (self));
}

/**
 * sw_zone_profiler_flush:
 * @self: a profiler
 *
 * Waits until all that was recorded before, on any thread, is in the live history, in the capture and in the statistics.
 * What other threads go on recording meanwhile is not waited for.
 */
void
sw_zone_profiler_flush (SwZoneProfiler *self)
{
  SwZoneCore *core;

  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  sw_zone_core_unlock_consumer (core);
}

/**
 * sw_zone_profiler_trim:
 * @self: a profiler
 *
 * Gives memory back to the system that was needed and is free again: after a large capture, say.
 *
 * This flushes first, so that the queues of threads that ended go, too.
 */
void
sw_zone_profiler_trim (SwZoneProfiler *self)
{
  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  sw_zone_profiler_flush (self);
#if defined(__GLIBC__)
  malloc_trim (0);
#endif
}

/**
 * sw_zone_profiler_live_snapshot:
 * @self: a profiler
 *
 * Returns the last zones, after a flush. Producers do not notice.
 *
 * Returns: (transfer full): the live history
 */
SwZoneTrace *
sw_zone_profiler_live_snapshot (SwZoneProfiler *self)
{
  SwZoneCore *core;
  SwZoneTrace *trace;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), NULL);

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  trace = sw_zone_core_snapshot (core);
  sw_zone_core_unlock_consumer (core);
  return trace;
}

/**
 * sw_zone_profiler_frame_stats_snapshot:
 * @self: a profiler
 *
 * Returns the statistics of the last completed frames, after a flush. Producers do not notice.
 *
 * Returns: (transfer full): the statistics
 */
SwFrameStats *
sw_zone_profiler_frame_stats_snapshot (SwZoneProfiler *self)
{
  SwDiagnosticCounters counters;
  SwZoneCore *core;
  SwFrameWindow *window;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), NULL);

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  sw_zone_core_get_counters (core, &counters);
  window = sw_frame_accumulator_freeze (core->accumulator);
  sw_zone_core_unlock_consumer (core);
  return sw_frame_window_finish (window, &counters);
}

/**
 * sw_zone_profiler_clear_frame_stats:
 * @self: a profiler
 *
 * Flushes, and forgets all completed and pending frames. Snapshots that were taken before stay as they are.
 */
void
sw_zone_profiler_clear_frame_stats (SwZoneProfiler *self)
{
  SwZoneCore *core;

  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  sw_frame_accumulator_clear (core->accumulator);
  sw_zone_core_unlock_consumer (core);
}

/**
 * sw_zone_profiler_get_slow_frame_threshold_ns: (get-property slow-frame-threshold-ns)
 * @self: a profiler
 *
 * Tells how long a frame takes that is kept as a slow one.
 *
 * Returns: nanoseconds, or -1 when none is kept
 */
gint64
sw_zone_profiler_get_slow_frame_threshold_ns (SwZoneProfiler *self)
{
  SwZoneCore *core;
  gint64 threshold;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), -1);

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  threshold = core->slow_threshold_ns;
  sw_zone_core_unlock_consumer (core);
  return threshold;
}

/**
 * sw_zone_profiler_set_slow_frame_threshold_ns: (set-property slow-frame-threshold-ns)
 * @self: a profiler
 * @slow_frame_threshold_ns: nanoseconds; any negative number for none
 *
 * Keeps whole frames that take at least so long, from here on, however much else the live history forgets: the slowest
 * ones, as many as fit into `live_frame_count` and `live_event_capacity`. See
 * [method@Strideweave.ZoneProfiler.slow_frames_snapshot].
 */
void
sw_zone_profiler_set_slow_frame_threshold_ns (SwZoneProfiler *self,
                                              gint64 slow_frame_threshold_ns)
{
  SwZoneCore *core;

  g_return_if_fail (SW_IS_ZONE_PROFILER (self));

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  core->slow_threshold_ns = MAX (slow_frame_threshold_ns, -1);
  sw_slow_frames_set_threshold (core->slow_frames, core->slow_threshold_ns);
  sw_zone_core_unlock_consumer (core);
  g_object_notify (G_OBJECT (self), "slow-frame-threshold-ns");
}

/**
 * sw_zone_profiler_slow_frames_snapshot:
 * @self: a profiler
 *
 * Returns the slow frames that were kept, whole, in the order in which they happened.
 *
 * Returns: (transfer full): the frames with their zones
 */
SwZoneTrace *
sw_zone_profiler_slow_frames_snapshot (SwZoneProfiler *self)
{
  SwZoneCore *core;
  SwZoneTrace *trace;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), NULL);

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  trace = sw_zone_core_snapshot_slow_frames (core);
  sw_zone_core_unlock_consumer (core);
  return trace;
}

/**
 * sw_zone_profiler_dup_diagnostics:
 * @self: a profiler
 *
 * Returns what was recorded and dropped since the profiler was made, after a flush.
 *
 * Returns: (transfer full): the counters
 */
SwProfilerDiagnostics *
sw_zone_profiler_dup_diagnostics (SwZoneProfiler *self)
{
  SwDiagnosticCounters counters;
  SwZoneCore *core;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), NULL);

  core = sw_zone_profiler_get_core (self);
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  sw_zone_core_get_counters (core, &counters);
  sw_zone_core_unlock_consumer (core);
  return sw_profiler_diagnostics_new (&counters);
}
