/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-guard.h"

#include "sw-profiler/zone/sw-zone-scope.h"
#include "sw/base/sw-site-name-private.h"

/* A token is all that there is to keep of a zone or a frame, and a pointer has room for it. So the token is the guard, the
 * types have no body, and NULL guards what is not recorded: a guard that nothing listens to costs a load and a branch.
 * Tokens, unlike the pointers of the macros, may end in any order and on any thread, which async functions need. */
G_STATIC_ASSERT (sizeof (gpointer) == sizeof (guint64));

/**
 * SwZoneGuard: (skip)
 *
 * A zone of the thread's current [class@Strideweave.ZoneProfiler] that lasts as long as what holds it.
 */

/**
 * sw_zone_guard_new: (skip)
 * @name: what the zone is called; it is copied
 * @encoder: (nullable): what encodes commands whose GPU times the zone is to have, or %NULL
 * @file: (nullable): the file that the zone is in
 * @line: its line
 * @function: (nullable): the function, as the compiler names it
 *
 * Begins a zone.
 *
 * Returns: (transfer full) (nullable): the zone; %NULL, which may be used as a guard, too, when none is recorded
 */
SwZoneGuard *
sw_zone_guard_new (const char *name,
                   SwProfilerEncoder *encoder,
                   const char *file,
                   int line,
                   const char *function)
{
  guint site;

  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (encoder == NULL || SW_IS_PROFILER_ENCODER (encoder), NULL);

  /* A place that nobody records is not registered. */
  if (!SW_ZONE_GATE_IS_OPEN () || !sw_profile_is_recording ())
    return NULL;
  site = sw_profile_site_register (file, (guint) MAX (line, 0), function, name);
  return (SwZoneGuard *) (guintptr) sw_profile_zone_begin_with_encoder (site, (GObject *) encoder, NULL);
}

/**
 * sw_zone_guard_new_for_function: (skip)
 * @encoder: (nullable): what encodes commands whose GPU times the zone is to have, or %NULL
 * @file: (nullable): the file that the zone is in
 * @line: its line
 * @function: the function, as the compiler names it
 *
 * Begins a zone that is called as its function is.
 *
 * Returns: (transfer full) (nullable): the zone; %NULL, which may be used as a guard, too, when none is recorded
 */
SwZoneGuard *
sw_zone_guard_new_for_function (SwProfilerEncoder *encoder,
                                const char *file,
                                int line,
                                const char *function)
{
  g_autofree char *name = NULL;

  g_return_val_if_fail (function != NULL, NULL);

  if (!SW_ZONE_GATE_IS_OPEN () || !sw_profile_is_recording ())
    return NULL;
  name = sw_site_name_shorten (function);
  return sw_zone_guard_new (name, encoder, file, line, function);
}

/**
 * sw_zone_guard_is_recorded: (skip)
 * @self: (nullable): a zone
 *
 * Tells whether the zone is recorded.
 *
 * Returns: whether it is
 */
gboolean
sw_zone_guard_is_recorded (SwZoneGuard *self)
{
  return self != NULL;
}

/**
 * sw_zone_guard_free: (skip)
 * @self: (transfer full) (nullable): a zone
 *
 * Ends a zone. On another thread than the one that began it this has no effect, but to be counted.
 */
void
sw_zone_guard_free (SwZoneGuard *self)
{
  /* Nobody is here to hear of a failure; the profiler's diagnostics tell of it. */
  sw_profile_zone_end ((guintptr) self, NULL);
}

/**
 * SwFrameGuard: (skip)
 *
 * A frame of the thread's current [class@Strideweave.ZoneProfiler] that lasts as long as what holds it.
 */

/**
 * sw_frame_guard_new: (skip)
 * @name: what the frame is called; it is copied
 * @error: return location for an error
 *
 * Begins a frame. Fails with %SW_ERROR_STATE while another one is active.
 *
 * Returns: (transfer full) (nullable): the frame; %NULL, without an error a guard, too, when none is recorded
 */
SwFrameGuard *
sw_frame_guard_new (const char *name,
                    GError **error)
{
  g_return_val_if_fail (name != NULL, NULL);

  return (SwFrameGuard *) (guintptr) sw_profile_frame_begin (name, error);
}

/**
 * sw_frame_guard_is_recorded: (skip)
 * @self: (nullable): a frame
 *
 * Tells whether the frame is recorded.
 *
 * Returns: whether it is
 */
gboolean
sw_frame_guard_is_recorded (SwFrameGuard *self)
{
  return self != NULL;
}

/**
 * sw_frame_guard_free: (skip)
 * @self: (transfer full) (nullable): a frame
 *
 * Ends a frame, on any thread.
 */
void
sw_frame_guard_free (SwFrameGuard *self)
{
  sw_profile_frame_end ((guintptr) self, NULL);
}

/**
 * SwZoneProfilerGuard: (skip)
 *
 * Keeps a [class@Strideweave.ZoneProfiler] current on the thread for as long as a block lasts. The guard is its reference.
 */

/**
 * sw_zone_profiler_guard_new: (skip)
 * @profiler: a profiler
 * @error: return location for an error
 *
 * Enters a profiler. Fails as [method@Strideweave.ZoneProfiler.enter] does.
 *
 * Returns: (transfer full): the guard
 */
SwZoneProfilerGuard *
sw_zone_profiler_guard_new (SwZoneProfiler *profiler,
                            GError **error)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (profiler), NULL);

  if (!sw_zone_profiler_enter (profiler, error))
    return NULL;
  return (SwZoneProfilerGuard *) g_object_ref (profiler);
}

/**
 * sw_zone_profiler_guard_get_profiler: (skip)
 * @self: a guard
 *
 * Tells which profiler the guard keeps current.
 *
 * Returns: (transfer none): the profiler
 */
SwZoneProfiler *
sw_zone_profiler_guard_get_profiler (SwZoneProfilerGuard *self)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), NULL);

  return (SwZoneProfiler *) self;
}

/**
 * sw_zone_profiler_guard_free: (skip)
 * @self: (transfer full): a guard
 *
 * Undoes the enter, in whatever order guards go. On another thread than the one that entered there is nothing to undo: the
 * profiler stays current there, until that thread ends.
 */
void
sw_zone_profiler_guard_free (SwZoneProfilerGuard *self)
{
  SwZoneProfiler *profiler = (SwZoneProfiler *) self;

  g_return_if_fail (SW_IS_ZONE_PROFILER (profiler));

  sw_zone_profiler_withdraw (profiler);
  g_object_unref (profiler);
}
