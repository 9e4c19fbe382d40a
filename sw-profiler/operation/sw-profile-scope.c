/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profile-scope.h"

/**
 * SwProfileScope: (skip)
 *
 * Keeps a [class@Strideweave.Profiler] entered for as long as a block lasts:
 *
 * ```c
 * {
 *   g_autoptr (SwProfileScope) scope = sw_profile_scope_new (profiler, error);
 *
 *   if (scope == NULL)
 *     return FALSE;
 *   ... // every way out of the block leaves the profiler
 *   return sw_profile_scope_leave (scope, error);
 * }
 * ```
 *
 * There is nothing to keep beside a reference to the profiler, so the reference is the scope and the type has no body.
 */

/**
 * sw_profile_scope_new: (skip)
 * @profiler: a profiler that was not entered before
 * @error: return location for an error
 *
 * Enters a profiler, on the calling thread, until sw_profile_scope_free ().
 *
 * Fails as [method@Strideweave.Profiler.enter] does: with %SW_ERROR_STATE when the profiler was entered before, or when
 * another one is active on the thread.
 *
 * Returns: (transfer full): the scope, which holds a reference to @profiler
 */
SwProfileScope *
sw_profile_scope_new (SwProfiler *profiler,
                      GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (profiler), NULL);

  if (!sw_profiler_enter (profiler, error))
    return NULL;
  return (SwProfileScope *) g_object_ref (profiler);
}

/**
 * sw_profile_scope_get_profiler: (skip)
 * @self: a scope
 *
 * Tells which profiler the scope keeps entered.
 *
 * Returns: (transfer none): the profiler
 */
SwProfiler *
sw_profile_scope_get_profiler (SwProfileScope *self)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), NULL);

  return (SwProfiler *) self;
}

/**
 * sw_profile_scope_leave: (skip)
 * @self: a scope
 * @error: return location for an error
 *
 * Leaves the profiler before the scope ends, as [method@Strideweave.Profiler.exit] does: to have its results, or to
 * hear of a failure. What is left to the scope's end is to drop its reference.
 *
 * Fails with %SW_ERROR_STATE when the profiler is not active any more, or when another thread entered it.
 *
 * Returns: whether there are results
 */
gboolean
sw_profile_scope_leave (SwProfileScope *self,
                        GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);

  return sw_profiler_exit ((SwProfiler *) self, error);
}

/**
 * sw_profile_scope_free: (skip)
 * @self: (transfer full): a scope
 *
 * Leaves the profiler, unless it was left already, and drops the scope's reference to it.
 *
 * To be called on the thread that made the scope. On another one it abandons the profiler, as
 * [method@Strideweave.Profiler.exit] does, and who asks for results is told so.
 */
void
sw_profile_scope_free (SwProfileScope *self)
{
  SwProfiler *profiler = (SwProfiler *) self;

  g_return_if_fail (SW_IS_PROFILER (profiler));

  /* Nobody is here to hear of a failure; the profiler's state tells of it. */
  if (sw_profiler_is_active (profiler))
    sw_profiler_exit (profiler, NULL);
  g_object_unref (profiler);
}
