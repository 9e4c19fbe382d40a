/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-event-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-event-slab-private.h"
#include "sw-profiler/operation/sw-input-shapes-private.h"
#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/operation/sw-type-name.h"
#include "sw/operations/sw-operation.h"
#include "sw/tensor/sw-carrier.h"

/**
 * SwProfilerEvent:
 *
 * One execution of an operation, as a [class@Strideweave.Profiler] recorded it.
 *
 * The value never changes and may be used from any thread.
 */

G_DEFINE_BOXED_TYPE (SwProfilerEvent, sw_profiler_event, sw_profiler_event_ref, sw_profiler_event_unref)

static const char *
get_carrier_name (const SwEventOrigin *self)
{
  return self->carrier_name != NULL ? self->carrier_name : sw_profiler_get_type_name (self->carrier_type);
}

static const char *
get_implementation_name (const SwEventOrigin *self)
{
  return self->implementation_name != NULL ? self->implementation_name : sw_profiler_get_type_name (self->implementation_type);
}

static gsize
get_text_size (const char *text)
{
  return text != NULL ? strlen (text) + 1 : 0;
}

/* Copies a text to *@at, and moves that behind it. */
static const char *
put_text (char **at,
          const char *text)
{
  char *copy = *at;
  gsize size = get_text_size (text);

  if (text == NULL)
    return NULL;
  memcpy (copy, text, size);
  *at += size;
  return copy;
}

SwEventOrigin *
sw_event_origin_new_named (const char *name,
                           GType carrier_type,
                           GType implementation_type,
                           const char *carrier_name,
                           const char *implementation_name,
                           guint64 thread_id)
{
  gsize size = get_text_size (name) + get_text_size (carrier_name) + get_text_size (implementation_name);
  SwEventOrigin *self = g_malloc (sizeof (SwEventOrigin) + size);
  char *at = self->name;

  self->ref_count = 0;
  self->carrier_type = carrier_type;
  self->implementation_type = implementation_type;
  self->thread_id = thread_id;
  put_text (&at, name);
  self->carrier_name = put_text (&at, carrier_name);
  self->implementation_name = put_text (&at, implementation_name);
  return self;
}

SwEventOrigin *
sw_event_origin_new (const char *name,
                     GType carrier_type,
                     GType implementation_type,
                     guint64 thread_id)
{
  return sw_event_origin_new_named (name, carrier_type, implementation_type, NULL, NULL, thread_id);
}

/**
 * sw_profiler_event_new:
 * @id: the number of the event in its session, from 0
 * @parent_id: the number of the event in which this one ran; -1 for none
 * @name: the dispatch name
 * @carrier_type: the exact type of the carrier that dispatched the operation
 * @implementation_type: the exact type of the operation that ran
 * @input_shapes: (nullable): the shapes of the positional inputs, or %NULL
 * @start_time_ns: when it started, in nanoseconds of the monotonic clock
 * @duration_ns: how long it took, in nanoseconds
 * @self_time_ns: how long it took without the operations that ran directly inside it, in nanoseconds
 * @thread_id: the thread that ran it
 * @succeeded: whether it returned a valid tensor
 *
 * Makes an event of these values, just as they are: they are not checked against each other.
 *
 * Returns: (transfer full): the new event
 */
SwProfilerEvent *
sw_profiler_event_new (gint64 id,
                       gint64 parent_id,
                       const char *name,
                       GType carrier_type,
                       GType implementation_type,
                       SwInputShapes *input_shapes,
                       gint64 start_time_ns,
                       gint64 duration_ns,
                       gint64 self_time_ns,
                       guint64 thread_id,
                       gboolean succeeded)
{
  SwProfilerEvent *self;

  g_return_val_if_fail (name != NULL, NULL);

  self = g_new (SwProfilerEvent, 1);
  *self = (SwProfilerEvent){
    .ref_count = 1,
    .succeeded = succeeded != FALSE,
    .origin = sw_event_origin_new (name, carrier_type, implementation_type, thread_id),
    .input_shapes = input_shapes != NULL ? sw_input_shapes_ref (input_shapes) : NULL,
    .id = id,
    .parent_id = parent_id,
    .start_time_ns = start_time_ns,
    .duration_ns = duration_ns,
    .self_time_ns = self_time_ns,
  };
  self->origin->ref_count = 1;
  return self;
}

/**
 * sw_profiler_event_ref:
 * @self: the event
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwProfilerEvent *
sw_profiler_event_ref (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  /* Orders nothing: whoever takes a reference already has one. */
  __atomic_fetch_add (&self->ref_count, 1, __ATOMIC_RELAXED);
  return self;
}

/**
 * sw_profiler_event_unref:
 * @self: (transfer full): the event
 *
 * Gives a reference back. May be called on any thread; the last one frees the event.
 */
void
sw_profiler_event_unref (SwProfilerEvent *self)
{
  g_return_if_fail (self != NULL);

  /* Whatever other threads did with their references comes before the event is freed. */
  if (__atomic_sub_fetch (&self->ref_count, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  /* The same for the origin and its events. */
  if (__atomic_sub_fetch (&self->origin->ref_count, 1, __ATOMIC_ACQ_REL) == 0)
    g_free (self->origin);
  g_clear_pointer (&self->input_shapes, sw_input_shapes_unref);
  if (self->slab != NULL)
    sw_event_slab_give_back (self->slab);
  else
    g_free (self);
}

/**
 * sw_profiler_event_get_id:
 * @self: the event
 *
 * Returns the number of the event in its session.
 *
 * Events are numbered from 0, in the order in which they started.
 *
 * Returns: the number
 */
gint64
sw_profiler_event_get_id (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return self->id;
}

/**
 * sw_profiler_event_get_parent_id:
 * @self: the event
 * @parent_id: (out) (optional): the number of that event; -1 when there is none
 *
 * Returns the event in which this one ran: the nearest one that was recorded too.
 *
 * Returns: whether there is such an event
 */
gboolean
sw_profiler_event_get_parent_id (SwProfilerEvent *self,
                                 gint64 *parent_id)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (parent_id != NULL)
    *parent_id = self->parent_id;
  return self->parent_id != -1;
}

/**
 * sw_profiler_event_get_name:
 * @self: the event
 *
 * Returns the dispatch name.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_event_get_name (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->origin->name;
}

/**
 * sw_profiler_event_get_carrier_type:
 * @self: the event
 *
 * Returns the exact type of the carrier that dispatched the operation.
 *
 * Returns: the type
 */
GType
sw_profiler_event_get_carrier_type (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, G_TYPE_INVALID);

  return self->origin->carrier_type;
}

/**
 * sw_profiler_event_get_implementation_type:
 * @self: the event
 *
 * Returns the exact type of the operation that ran.
 *
 * Returns: the type
 */
GType
sw_profiler_event_get_implementation_type (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, G_TYPE_INVALID);

  return self->origin->implementation_type;
}

/**
 * sw_profiler_event_get_carrier_name:
 * @self: the event
 *
 * Returns what results call the carrier type, as in tables.
 *
 * That is [func@Strideweave.Profiler.get_type_name] of the type, or, for an event of a profiler that was loaded from a
 * file, what the type was called where it was saved: also when this process does not have that type.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_event_get_carrier_name (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return get_carrier_name (self->origin);
}

/**
 * sw_profiler_event_get_implementation_name:
 * @self: the event
 *
 * Returns what results call the implementation type, as [method@Strideweave.ProfilerEvent.get_carrier_name] does for
 * the carrier's.
 *
 * Returns: (transfer none): the name
 */
const char *
sw_profiler_event_get_implementation_name (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return get_implementation_name (self->origin);
}

/**
 * sw_profiler_event_get_input_shapes:
 * @self: the event
 *
 * Returns the shapes of the positional inputs.
 *
 * Returns: (transfer none) (nullable): the shapes; %NULL when they were not recorded
 */
SwInputShapes *
sw_profiler_event_get_input_shapes (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->input_shapes;
}

/**
 * sw_profiler_event_get_start_time_ns:
 * @self: the event
 *
 * Returns when the operation started.
 *
 * Returns: nanoseconds of the monotonic clock
 */
gint64
sw_profiler_event_get_start_time_ns (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->start_time_ns;
}

/**
 * sw_profiler_event_get_duration_ns:
 * @self: the event
 *
 * Returns how long the operation took, with everything that ran inside it.
 *
 * Returns: nanoseconds
 */
gint64
sw_profiler_event_get_duration_ns (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->duration_ns;
}

/**
 * sw_profiler_event_get_self_time_ns:
 * @self: the event
 *
 * Returns how long the operation took without the operations that ran directly inside it.
 *
 * Returns: nanoseconds
 */
gint64
sw_profiler_event_get_self_time_ns (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->self_time_ns;
}

/**
 * sw_profiler_event_get_thread_id:
 * @self: the event
 *
 * Returns the thread that ran the operation, as `pthread_self ()` names it.
 *
 * Returns: the thread's identifier
 */
guint64
sw_profiler_event_get_thread_id (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->origin->thread_id;
}

/**
 * sw_profiler_event_get_succeeded:
 * @self: the event
 *
 * Returns whether the operation returned a valid tensor.
 *
 * Returns: %FALSE when it failed
 */
gboolean
sw_profiler_event_get_succeeded (SwProfilerEvent *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->succeeded;
}

/* The base classes stand for types that this process does not have, which only their names tell apart. */
static gboolean
same_types (const SwEventOrigin *a,
            const SwEventOrigin *b)
{
  if (a->carrier_type != b->carrier_type || a->implementation_type != b->implementation_type)
    return FALSE;
  if (a->carrier_type == SW_TYPE_CARRIER && strcmp (get_carrier_name (a), get_carrier_name (b)) != 0)
    return FALSE;
  return a->implementation_type != SW_TYPE_OPERATION || strcmp (get_implementation_name (a), get_implementation_name (b)) == 0;
}

static gboolean
same_origin (const SwEventOrigin *a,
             const SwEventOrigin *b)
{
  return a == b || (a->thread_id == b->thread_id && same_types (a, b) && strcmp (a->name, b->name) == 0);
}

/**
 * sw_profiler_event_equal:
 * @self: an event
 * @other: another event
 *
 * Compares two events by value.
 *
 * Returns: whether all of their fields are equal
 */
gboolean
sw_profiler_event_equal (SwProfilerEvent *self,
                         SwProfilerEvent *other)
{
  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (other != NULL, FALSE);

  return self->id == other->id && self->parent_id == other->parent_id && self->start_time_ns == other->start_time_ns && self->duration_ns == other->duration_ns && self->self_time_ns == other->self_time_ns && self->succeeded == other->succeeded && same_origin (self->origin, other->origin) && sw_input_shapes_equal0 (self->input_shapes, other->input_shapes);
}

/**
 * sw_profiler_event_hash:
 * @self: the event
 *
 * Returns a hash of the value: the same for equal events.
 *
 * Returns: the hash
 */
guint
sw_profiler_event_hash (SwProfilerEvent *self)
{
  guint hash;

  g_return_val_if_fail (self != NULL, 0);

  hash = g_str_hash (self->origin->name);
  hash = hash * 31 + g_int64_hash (&self->id);
  hash = hash * 31 + g_int64_hash (&self->start_time_ns);
  hash = hash * 31 + g_int64_hash (&self->duration_ns);
  if (self->input_shapes != NULL)
    hash = hash * 31 + sw_input_shapes_hash (self->input_shapes);
  return hash;
}

static void
append_input_shapes (GString *text,
                     SwInputShapes *input_shapes)
{
  g_autofree char *shapes = input_shapes != NULL ? sw_input_shapes_to_string (input_shapes) : NULL;

  g_string_append_printf (text, ", input_shapes=%s", shapes != NULL ? shapes : "None");
}

static void
append_origin (GString *text,
               const SwEventOrigin *origin)
{
  g_string_append (text, ", name=");
  sw_text_append_quoted (text, origin->name);
  g_string_append (text, ", carrier_type=");
  sw_text_append_display (text, get_carrier_name (origin));
  g_string_append (text, ", implementation_type=");
  sw_text_append_display (text, get_implementation_name (origin));
}

/**
 * sw_profiler_event_to_string:
 * @self: the event
 *
 * Returns all fields of the event on one line.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_event_to_string (SwProfilerEvent *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new (NULL);
  g_string_append_printf (text, "ProfilerEvent(id=%" G_GINT64_FORMAT ", parent_id=", self->id);
  if (self->parent_id == -1)
    g_string_append (text, "None");
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT, self->parent_id);
  append_origin (text, self->origin);
  append_input_shapes (text, self->input_shapes);
  g_string_append_printf (text,
                          ", start_time_ns=%" G_GINT64_FORMAT ", duration_ns=%" G_GINT64_FORMAT
                          ", self_time_ns=%" G_GINT64_FORMAT ", thread_id=%" G_GUINT64_FORMAT ", succeeded=%s)",
                          self->start_time_ns, self->duration_ns, self->self_time_ns,
                          self->origin->thread_id, self->succeeded ? "True" : "False");
  return g_string_free (text, FALSE);
}
