/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-group-scope.h"

/**
 * SwProfilerGroupScope: (skip)
 *
 * Keeps a [class@Strideweave.ProfilerGroup] entered for as long as a block lasts, however the block ends.
 *
 * The reference to the group is the scope, so the type has no body.
 */

/**
 * sw_profiler_group_scope_new: (skip)
 * @group: a group that was not entered before
 * @error: return location for an error
 *
 * Enters a group, on the calling thread, until sw_profiler_group_scope_free ().
 *
 * Fails as [method@Strideweave.ProfilerGroup.enter] does.
 *
 * Returns: (transfer full): the scope, which holds a reference to @group
 */
SwProfilerGroupScope *
sw_profiler_group_scope_new (SwProfilerGroup *group,
                             GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (group), NULL);

  if (!sw_profiler_group_enter (group, error))
    return NULL;
  return (SwProfilerGroupScope *) g_object_ref (group);
}

/**
 * sw_profiler_group_scope_get_group: (skip)
 * @self: a scope
 *
 * Tells which group the scope keeps entered.
 *
 * Returns: (transfer none): the group
 */
SwProfilerGroup *
sw_profiler_group_scope_get_group (SwProfilerGroupScope *self)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  return (SwProfilerGroup *) self;
}

/**
 * sw_profiler_group_scope_leave: (skip)
 * @self: a scope
 * @error: return location for an error
 *
 * Leaves the group before the scope ends, as [method@Strideweave.ProfilerGroup.exit] does, to have its results.
 *
 * Returns: whether all went well
 */
gboolean
sw_profiler_group_scope_leave (SwProfilerGroupScope *self,
                               GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), FALSE);

  return sw_profiler_group_exit ((SwProfilerGroup *) self, error);
}

/**
 * sw_profiler_group_scope_free: (skip)
 * @self: (transfer full): a scope
 *
 * Leaves the group, unless it was left already, and drops the scope's reference to it. Nobody hears of errors; see
 * sw_profiler_group_scope_leave (). To be called on the thread that made the scope.
 */
void
sw_profiler_group_scope_free (SwProfilerGroupScope *self)
{
  SwProfilerGroup *group = (SwProfilerGroup *) self;

  g_return_if_fail (SW_IS_PROFILER_GROUP (group));

  if (sw_profiler_group_is_active (group))
    sw_profiler_group_exit (group, NULL);
  g_object_unref (group);
}
