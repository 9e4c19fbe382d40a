/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-timeline.h"

#include <string.h>

#include "sw-profiler/operation/sw-text-private.h"
#include "sw/base/sw-ref-count-private.h"

/**
 * SwTimeline:
 *
 * What the zones of a [struct@Strideweave.ZoneTrace] lie on: a thread, or a queue of a GPU device.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwTimeline
{
  SwRefCount ref_count;
  SwTimelineType timeline_type;
  guint32 queue;
  guint64 thread_id;
  guint64 device_id;
  char name[];
};

G_DEFINE_BOXED_TYPE (SwTimeline, sw_timeline, sw_timeline_ref, sw_timeline_unref)

/**
 * sw_timeline_new:
 * @timeline_type: whether it is a thread or a queue
 * @name: the name to show
 * @thread_id: the operating system's number of the thread; 0 for a queue
 * @device_id: the number of the device; 0 for a thread
 * @queue: the number of the queue on its device; 0 for a thread
 *
 * Makes a timeline of these values, just as they are.
 *
 * Returns: (transfer full): the new timeline
 */
SwTimeline *
sw_timeline_new (SwTimelineType timeline_type,
                 const char *name,
                 guint64 thread_id,
                 guint64 device_id,
                 guint32 queue)
{
  SwTimeline *self;
  gsize size;

  g_return_val_if_fail (name != NULL, NULL);

  size = strlen (name) + 1;
  self = g_malloc (sizeof (SwTimeline) + size);
  sw_ref_count_init (&self->ref_count);
  self->timeline_type = timeline_type;
  self->queue = queue;
  self->thread_id = thread_id;
  self->device_id = device_id;
  memcpy (self->name, name, size);
  return self;
}

/**
 * sw_timeline_ref:
 * @self: the timeline
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwTimeline *
sw_timeline_ref (SwTimeline *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_timeline_unref:
 * @self: (transfer full): the timeline
 *
 * Gives a reference back. May be called on any thread; the last one frees the timeline.
 */
void
sw_timeline_unref (SwTimeline *self)
{
  g_return_if_fail (self != NULL);

  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * sw_timeline_get_timeline_type:
 * @self: the timeline
 *
 * Returns whether this is a thread or a queue of a device.
 *
 * Returns: the type
 */
SwTimelineType
sw_timeline_get_timeline_type (SwTimeline *self)
{
  g_return_val_if_fail (self != NULL, SW_TIMELINE_TYPE_CPU);

  return self->timeline_type;
}

/**
 * sw_timeline_get_name:
 * @self: the timeline
 *
 * Returns the name to show: that of the thread or the queue.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_timeline_get_name (SwTimeline *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

/**
 * sw_timeline_get_thread_id:
 * @self: the timeline
 *
 * Returns the operating system's number of the thread, which is what `gettid ()` returns there.
 *
 * The operating system uses numbers of threads that ended again: two timelines of a trace may have the same one.
 *
 * Returns: the number; 0 for a queue
 */
guint64
sw_timeline_get_thread_id (SwTimeline *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->thread_id;
}

/**
 * sw_timeline_get_device_id:
 * @self: the timeline
 *
 * Returns the number of the device that has the queue.
 *
 * Returns: the number; 0 for a thread
 */
guint64
sw_timeline_get_device_id (SwTimeline *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->device_id;
}

/**
 * sw_timeline_get_queue:
 * @self: the timeline
 *
 * Returns the number of the queue on its device.
 *
 * Returns: the number; 0 for a thread
 */
guint32
sw_timeline_get_queue (SwTimeline *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->queue;
}

/**
 * sw_timeline_equal:
 * @self: a timeline
 * @other: another timeline
 *
 * Compares two timelines by value.
 *
 * Returns: whether all of their fields are equal
 */
gboolean
sw_timeline_equal (SwTimeline *self,
                   SwTimeline *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  return self == other ||
         (self->timeline_type == other->timeline_type && self->thread_id == other->thread_id &&
          self->device_id == other->device_id && self->queue == other->queue && strcmp (self->name, other->name) == 0);
}

/**
 * sw_timeline_hash:
 * @self: the timeline
 *
 * Returns a hash of the value: the same for equal timelines.
 *
 * Returns: the hash
 */
guint
sw_timeline_hash (SwTimeline *self)
{
  guint hash;

  g_return_val_if_fail (self != NULL, 0);

  hash = g_str_hash (self->name);
  hash = hash * 31 + (guint) self->thread_id;
  hash = hash * 31 + (guint) self->device_id;
  return hash * 31 + self->queue * 2 + self->timeline_type;
}

/**
 * sw_timeline_to_string:
 * @self: the timeline
 *
 * Returns all fields of the timeline on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_timeline_to_string (SwTimeline *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new ("Timeline(type=");
  g_string_append (text, self->timeline_type == SW_TIMELINE_TYPE_GPU ? "gpu" : "cpu");
  g_string_append (text, ", name=");
  sw_text_append_quoted (text, self->name);
  g_string_append_printf (text, ", thread_id=%" G_GUINT64_FORMAT ", device_id=%" G_GUINT64_FORMAT ", queue=%u)",
                          self->thread_id, self->device_id, self->queue);
  return g_string_free (text, FALSE);
}
