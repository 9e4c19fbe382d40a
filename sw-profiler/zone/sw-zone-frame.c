/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-frame-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-text-private.h"
#include "sw/base/sw-ref-count-private.h"

/**
 * SwZoneFrame:
 *
 * One frame of a [struct@Strideweave.ZoneTrace]: the work between an explicit begin and end.
 *
 * The value never changes and may be used from any thread.
 */
struct _SwZoneFrame
{
  SwRefCount ref_count;
  guint32 index;
  guint64 start_ns;
  guint64 duration_ns;
  char name[];
};

G_DEFINE_BOXED_TYPE (SwZoneFrame, sw_zone_frame, sw_zone_frame_ref, sw_zone_frame_unref)

gsize
sw_zone_frame_size (const char *name)
{
  return sizeof (SwZoneFrame) + strlen (name) + 1;
}

SwZoneFrame *
sw_zone_frame_new (guint32 index,
                   const char *name,
                   guint64 begin_ns,
                   guint64 end_ns)
{
  SwZoneFrame *self = g_malloc (sw_zone_frame_size (name));

  sw_ref_count_init (&self->ref_count);
  self->index = index;
  self->start_ns = begin_ns;
  self->duration_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
  strcpy (self->name, name);
  return self;
}

/**
 * sw_zone_frame_ref:
 * @self: the frame
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwZoneFrame *
sw_zone_frame_ref (SwZoneFrame *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_zone_frame_unref:
 * @self: (transfer full): the frame
 *
 * Gives a reference back. May be called on any thread; the last one frees the frame.
 */
void
sw_zone_frame_unref (SwZoneFrame *self)
{
  g_return_if_fail (self != NULL);

  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * sw_zone_frame_get_index:
 * @self: the frame
 *
 * Returns the number of the frame, which rises by one from frame to frame.
 *
 * Returns: the number
 */
guint32
sw_zone_frame_get_index (SwZoneFrame *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->index;
}

/**
 * sw_zone_frame_get_name:
 * @self: the frame
 *
 * Returns the name that the frame was given.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_zone_frame_get_name (SwZoneFrame *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->name;
}

/**
 * sw_zone_frame_get_start_ns:
 * @self: the frame
 *
 * Returns when the frame began.
 *
 * Returns: nanoseconds of the monotonic clock
 */
guint64
sw_zone_frame_get_start_ns (SwZoneFrame *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->start_ns;
}

/**
 * sw_zone_frame_get_duration_ns:
 * @self: the frame
 *
 * Returns how long the frame took, from its begin to its end.
 *
 * What passes between the end of a frame and the begin of the next is in neither.
 *
 * Returns: nanoseconds
 */
guint64
sw_zone_frame_get_duration_ns (SwZoneFrame *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->duration_ns;
}

/**
 * sw_zone_frame_equal:
 * @self: a frame
 * @other: another frame
 *
 * Compares two frames by value.
 *
 * Returns: whether all of their fields are equal
 */
gboolean
sw_zone_frame_equal (SwZoneFrame *self,
                     SwZoneFrame *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  return self->index == other->index && self->start_ns == other->start_ns && self->duration_ns == other->duration_ns &&
         strcmp (self->name, other->name) == 0;
}

/**
 * sw_zone_frame_hash:
 * @self: the frame
 *
 * Returns a hash of the value: the same for equal frames.
 *
 * Returns: the hash
 */
guint
sw_zone_frame_hash (SwZoneFrame *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return (self->index * 31 + (guint) self->start_ns) * 31 + (guint) self->duration_ns;
}

/**
 * sw_zone_frame_to_string:
 * @self: the frame
 *
 * Returns all fields of the frame on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_zone_frame_to_string (SwZoneFrame *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new (NULL);
  g_string_printf (text, "ZoneFrame(index=%u, name=", self->index);
  sw_text_append_quoted (text, self->name);
  g_string_append_printf (text, ", start_ns=%" G_GUINT64_FORMAT ", duration_ns=%" G_GUINT64_FORMAT ")", self->start_ns,
                          self->duration_ns);
  return g_string_free (text, FALSE);
}
