/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-private.h"

#include "sw-profiler/operation/sw-profiler-items-private.h"
#include "sw/base/sw-error.h"
#include "sw/tensor/sw-carrier.h"

/**
 * SwProfiler:
 *
 * Records every dispatched operation of one thread, exactly, between [method@Strideweave.Profiler.enter] and
 * [method@Strideweave.Profiler.exit].
 *
 * A profiler is used once. It sees the operations that the thread that entered it executes, nested ones included, and
 * publishes results only after it was left on that same thread: [method@Strideweave.Profiler.dup_events],
 * [method@Strideweave.Profiler.dup_key_averages], [method@Strideweave.Profiler.dup_table]. At most one profiler is
 * active on a thread; other threads have their own.
 *
 * All times are host time of the calling thread, in nanoseconds of the monotonic clock: from after the check of
 * options and inputs until the result is known to be a tensor. Time of nested operations is in the inclusive duration
 * and not in the self time. Work that a device goes on with after the operation returned is not waited for.
 *
 * Results are frozen, and may be read from any thread.
 *
 * A completed profiler is also a list of its events, as [class@Strideweave.ProfilerEventItem] objects. It has no items
 * before, and says once, at the end of [method@Strideweave.Profiler.exit] and on that thread, that it has all of them.
 */

typedef enum
{
  STATE_FRESH,
  STATE_REFUSED,
  STATE_ACTIVE,
  STATE_STOPPING,
  STATE_COMPLETED,
  STATE_ABANDONED,
} State;

struct _SwProfiler
{
  GObject parent_instance;

  gint state; /* of State */
  gboolean record_shapes;
  gboolean every_carrier;
  GType *carriers;
  gsize n_carriers;
  SwRecording *recording;
  SwSavedEvents *saved; /* instead of a recording, when it comes from a file */
  SwEventSource source; /* once completed */
  SwProfilerItems *items;
};

G_DEFINE_FINAL_TYPE_WITH_CODE (SwProfiler,
                               sw_profiler,
                               G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, sw_profiler_init_list_model))

static State
get_state (SwProfiler *self)
{
  /* Acquire: whoever sees COMPLETED sees the source that exit () wrote before it. */
  return __atomic_load_n (&self->state, __ATOMIC_ACQUIRE);
}

/* TRUE for the one caller that makes the step. */
static gboolean
change_state (SwProfiler *self,
              State from,
              State to)
{
  gint expected = from;

  /* Acquire and release: the steps of one profiler follow each other, on whatever threads they are made. */
  return __atomic_compare_exchange_n (&self->state, &expected, to, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void
sw_profiler_finalize (GObject *object)
{
  SwProfiler *self = SW_PROFILER (object);

  /* Finalization may happen on any thread. The one that records drops the recording when it looks for it: now, if it
   * is this one. */
  if (change_state (self, STATE_ACTIVE, STATE_ABANDONED))
    {
      sw_recording_abandon (self->recording);
      sw_recording_get_current ();
    }
  g_clear_pointer (&self->recording, sw_recording_unref);
  g_clear_pointer (&self->saved, sw_saved_events_free);
  g_clear_pointer (&self->items, sw_profiler_items_free);
  g_clear_pointer (&self->carriers, g_free);

  G_OBJECT_CLASS (sw_profiler_parent_class)->finalize (object);
}

static void
sw_profiler_class_init (SwProfilerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sw_profiler_finalize;
}

static void
sw_profiler_init (SwProfiler *self)
{
  self->every_carrier = TRUE;
  self->items = sw_profiler_items_new ();
}

/**
 * sw_profiler_new:
 * @record_shapes: whether to keep the shapes of the inputs of each operation
 *
 * Makes a profiler that records the operations of every carrier.
 *
 * Returns: (transfer full): the profiler
 */
SwProfiler *
sw_profiler_new (gboolean record_shapes)
{
  SwProfiler *self = g_object_new (SW_TYPE_PROFILER, NULL);

  self->record_shapes = record_shapes != FALSE;
  return self;
}

static gboolean
check_carriers (const GType *carriers,
                gsize n_carriers,
                GError **error)
{
  for (gsize i = 0; i < n_carriers; i++)
    {
      const char *name = g_type_name (carriers[i]);

      if (name == NULL || !g_type_is_a (carriers[i], SW_TYPE_CARRIER))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "carriers[%" G_GSIZE_FORMAT "] is %s, which is not a Carrier class",
                       i, name != NULL ? name : "no type");
          return FALSE;
        }
    }
  return TRUE;
}

/**
 * sw_profiler_new_for_carriers:
 * @carriers: (array length=n_carriers): exact classes of carriers
 * @n_carriers: how many; with none, nothing is recorded
 * @record_shapes: whether to keep the shapes of the inputs of each operation
 * @error: return location for an error
 *
 * Makes a profiler that records the operations that carriers of exactly the given classes dispatch; their subclasses
 * do not count.
 *
 * Time of operations that are not recorded still counts as nested time of those that are.
 *
 * Fails with %SW_ERROR_TYPE, naming the position, for a type that is not a class of carriers.
 *
 * Returns: (transfer full): the profiler
 */
SwProfiler *
sw_profiler_new_for_carriers (const GType *carriers,
                              gsize n_carriers,
                              gboolean record_shapes,
                              GError **error)
{
  SwProfiler *self;

  g_return_val_if_fail (carriers != NULL || n_carriers == 0, NULL);

  if (!check_carriers (carriers, n_carriers, error))
    return NULL;

  self = sw_profiler_new (record_shapes);
  self->every_carrier = FALSE;
  self->carriers = g_new (GType, n_carriers + 1);
  self->n_carriers = n_carriers;
  for (gsize i = 0; i < n_carriers; i++)
    self->carriers[i] = carriers[i];
  return self;
}

/**
 * sw_profiler_new_like:
 * @other: (nullable): a profiler in any state; %NULL stands for one with the default options
 *
 * Makes a fresh profiler with the options of another one.
 *
 * Returns: (transfer full): the profiler
 */
SwProfiler *
sw_profiler_new_like (SwProfiler *other)
{
  SwProfiler *self;

  g_return_val_if_fail (other == NULL || SW_IS_PROFILER (other), NULL);

  self = sw_profiler_new (other != NULL && other->record_shapes);
  if (other != NULL && !other->every_carrier)
    {
      self->every_carrier = FALSE;
      self->carriers = g_memdup2 (other->carriers, (other->n_carriers + 1) * sizeof (GType));
      self->n_carriers = other->n_carriers;
    }
  return self;
}

SwRecording *
sw_profiler_create_recording (SwProfiler *self)
{
  return sw_recording_new (self->every_carrier ? NULL : self->carriers, self->n_carriers, self->record_shapes);
}

SwProfiler *
sw_profiler_new_completed (SwProfiler *options,
                           SwRecording *recording)
{
  SwProfiler *self = sw_profiler_new_like (options);

  self->recording = recording;
  sw_recording_init_source (recording, &self->source);
  self->state = STATE_COMPLETED;
  return self;
}

/**
 * sw_profiler_enter:
 * @self: a profiler
 * @error: return location for an error
 *
 * Begins to record on the calling thread.
 *
 * Fails with %SW_ERROR_STATE when the profiler was entered before, even if that failed, or when another profiler is
 * active on the thread. One that was active when this process was forked may go on here, and is abandoned by this.
 *
 * Returns: whether the profiler is active
 */
gboolean
sw_profiler_enter (SwProfiler *self,
                   GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);

  if (!change_state (self, STATE_FRESH, STATE_REFUSED))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                           "a Profiler is single-use: this one was entered before; make a new one");
      return FALSE;
    }
  sw_recording_abandon_inherited ();
  if (sw_recording_get_current () != NULL)
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                           "a Profiler is already active on this thread; leave it before entering another");
      return FALSE;
    }

  self->recording = sw_profiler_create_recording (self);
  /* Active before the recording starts: from here on another thread may abandon it. */
  change_state (self, STATE_REFUSED, STATE_ACTIVE);
  sw_recording_start (self->recording);
  return TRUE;
}

static gboolean
refuse_exit (SwProfiler *self,
             GError **error)
{
  if (change_state (self, STATE_ACTIVE, STATE_ABANDONED))
    {
      /* Held meanwhile, so that its count orders this before its end, on whichever thread that comes. */
      SwRecording *recording = sw_recording_ref (self->recording);

      sw_recording_abandon (recording);
      sw_recording_unref (recording);
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                           "a Profiler must be exited on its active thread, the one that entered it; "
                           "this one is abandoned, with its events");
    }
  else
    {
      /* The thread that abandons it may not have come to its recording yet, which must be gone when this returns. */
      if (get_state (self) == STATE_ABANDONED)
        sw_recording_abandon (self->recording);
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "the Profiler is not active, so it cannot be exited");
    }
  return FALSE;
}

/**
 * sw_profiler_exit:
 * @self: a profiler
 * @error: return location for an error
 *
 * Stops recording and publishes the results.
 *
 * Operations that are still running, when an operation itself calls this, end here as attempts that did not succeed.
 *
 * Fails with %SW_ERROR_STATE when the profiler is not active, or when another thread entered it; the latter abandons
 * it: it records nothing more, and has no results.
 *
 * Returns: whether there are results
 */
gboolean
sw_profiler_exit (SwProfiler *self,
                  GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);

  /* The state comes first: it publishes the recording. */
  if (get_state (self) != STATE_ACTIVE || sw_recording_get_current () != self->recording ||
      !change_state (self, STATE_ACTIVE, STATE_STOPPING))
    return refuse_exit (self, error);

  sw_recording_stop (self->recording);
  sw_recording_init_source (self->recording, &self->source);
  change_state (self, STATE_STOPPING, STATE_COMPLETED);
  if (self->source.n_events > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, 0, (guint) self->source.n_events);
  return TRUE;
}

/**
 * sw_profiler_is_active:
 * @self: a profiler
 *
 * Tells whether the profiler records, on the thread that entered it.
 *
 * Returns: %TRUE between enter and exit
 */
gboolean
sw_profiler_is_active (SwProfiler *self)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);

  return get_state (self) == STATE_ACTIVE;
}

/**
 * sw_profiler_is_completed:
 * @self: a profiler
 *
 * Tells whether there are results.
 *
 * Returns: %TRUE after a successful exit
 */
gboolean
sw_profiler_is_completed (SwProfiler *self)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);

  return get_state (self) == STATE_COMPLETED;
}

/**
 * sw_profiler_get_record_shapes:
 * @self: a profiler
 *
 * Tells whether the shapes of inputs are recorded.
 *
 * Returns: what the profiler was made with
 */
gboolean
sw_profiler_get_record_shapes (SwProfiler *self)
{
  g_return_val_if_fail (SW_IS_PROFILER (self), FALSE);

  return self->record_shapes;
}

SwProfilerItems *
sw_profiler_get_items (SwProfiler *self)
{
  return self->items;
}

SwProfiler *
sw_profiler_new_from_saved (SwSavedEvents *saved)
{
  SwProfiler *self = sw_profiler_new (sw_saved_events_get_record_shapes (saved));

  self->saved = saved;
  sw_saved_events_init_source (saved, &self->source);
  change_state (self, STATE_FRESH, STATE_COMPLETED);
  return self;
}

const SwEventSource *
sw_profiler_get_source (SwProfiler *self,
                        GError **error)
{
  State state = get_state (self);

  if (state == STATE_COMPLETED)
    return &self->source;

  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "a Profiler has results only after context exit, and this one %s",
               state == STATE_FRESH       ? "was not entered"
               : state == STATE_ABANDONED ? "was abandoned"
               : state == STATE_REFUSED   ? "could not be entered"
                                          : "is still active");
  return NULL;
}

gsize
sw_profiler_count_recorded (SwProfiler *self)
{
  return sw_recording_get_n_events (self->recording);
}
