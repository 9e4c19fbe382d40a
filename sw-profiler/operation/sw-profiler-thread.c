/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-thread-private.h"

#include "sw/base/sw-ref-count-private.h"

/**
 * SwProfilerThread:
 *
 * What a [class@Strideweave.ProfilerGroup] recorded on one thread.
 *
 * Each thread has one of its own, also where the system gives the identifiers of a thread that has ended to a new one.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwProfilerThread
{
  SwRefCount ref_count;
  SwProfiler *profiler;
  gint64 os_thread_id;
  guint64 thread_id;
  guint64 lane_id;
  char *name;
};

G_DEFINE_BOXED_TYPE (SwProfilerThread, sw_profiler_thread, sw_profiler_thread_ref, sw_profiler_thread_unref)

SwProfilerThread *
sw_profiler_thread_new (SwProfiler *profiler,
                        SwRecording *recording)
{
  SwLane *lane = sw_recording_get_lane (recording);
  SwProfilerThread *self = g_new0 (SwProfilerThread, 1);

  sw_ref_count_init (&self->ref_count);
  self->profiler = profiler;
  self->os_thread_id = (gint64) sw_lane_get_thread_id (lane);
  self->thread_id = sw_recording_get_thread_id (recording);
  self->lane_id = sw_lane_get_id (lane);
  self->name = g_strdup (sw_recording_get_thread_name (recording));
  return self;
}

guint64
sw_profiler_thread_get_lane_id (const SwProfilerThread *self)
{
  return self->lane_id;
}

/**
 * sw_profiler_thread_ref:
 * @self: the thread
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwProfilerThread *
sw_profiler_thread_ref (SwProfilerThread *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_profiler_thread_unref:
 * @self: (transfer full): the thread
 *
 * Drops a reference. May be called on any thread.
 */
void
sw_profiler_thread_unref (SwProfilerThread *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  g_object_unref (self->profiler);
  g_free (self->name);
  g_free (self);
}

/**
 * sw_profiler_thread_get_profiler:
 * @self: the thread
 *
 * Returns the completed profiler with the thread's events.
 *
 * Returns: (transfer none): the profiler
 */
SwProfiler *
sw_profiler_thread_get_profiler (SwProfilerThread *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->profiler;
}

/**
 * sw_profiler_thread_get_name:
 * @self: the thread
 *
 * Returns what the thread was called when the group was left or, if it had ended before, at its end.
 *
 * That is the name which the program gave it with [func@Strideweave.profile_set_thread_name], else what its language calls
 * it, else what the system does. The system cuts names to 15 bytes; a thread that nobody named has the name of the thread
 * that made it there, as a rule that of the program.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_thread_get_name (SwProfilerThread *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

/**
 * sw_profiler_thread_get_os_thread_id:
 * @self: the thread
 *
 * Returns the number that the system knew the thread by, as gettid () and Python's `threading.get_native_id ()` give it.
 *
 * Returns: the number
 */
gint64
sw_profiler_thread_get_os_thread_id (SwProfilerThread *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->os_thread_id;
}

/**
 * sw_profiler_thread_get_thread_id:
 * @self: the thread
 *
 * Returns the thread identifier that its events have.
 *
 * Returns: the identifier
 */
guint64
sw_profiler_thread_get_thread_id (SwProfilerThread *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->thread_id;
}
