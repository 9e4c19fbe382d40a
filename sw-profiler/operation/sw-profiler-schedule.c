/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-schedule.h"

#include "sw-profiler/operation/sw-profiler-cycle-private.h"
#include "sw-profiler/operation/sw-profiler-private.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-thread-private.h"

/**
 * SwProfilerSchedule:
 *
 * Records some steps of a long loop, in cycles, each with a fresh [class@Strideweave.Profiler].
 *
 * Steps count from 0 at [method@Strideweave.ProfilerSchedule.enter], and [method@Strideweave.ProfilerSchedule.step]
 * ends one and begins the next. The first `skip_first` steps are not recorded. Then cycles follow of `wait` steps that
 * are not recorded, `warmup` steps that are recorded and thrown away, so that caches and memory are as they will be, and
 * `active` steps whose recording the function of [method@Strideweave.ProfilerSchedule.set_cycle_func] gets. After
 * `repeat` cycles nothing more is recorded; with 0 they never end.
 *
 * So step s >= skip_first is recorded when (s - skip_first) mod (wait + warmup + active) >= wait + warmup, and repeat is
 * 0 or (s - skip_first) div (wait + warmup + active) < repeat.
 *
 * The schedule keeps the events of no more than the cycle that it is in. An operation that is running while a step ends
 * belongs to the step in which it began; if that is the last one of its recording, it ends there in the results, as an
 * attempt that did not succeed.
 *
 * A schedule is used once, on one thread, like a profiler: between two cycles the thread may enter others.
 */

typedef enum
{
  STATE_FRESH,
  STATE_ACTIVE,
  STATE_CALLING, /* the function of the cycle is running */
  STATE_LEFT,
} State;

typedef enum
{
  PHASE_UNRECORDED,
  PHASE_WARMUP,
  PHASE_ACTIVE,
} Phase;

struct _SwProfilerSchedule
{
  GObject parent_instance;

  SwProfiler *options;
  gint64 skip_first;
  gint64 wait;
  gint64 warmup;
  gint64 active;
  gint64 repeat;

  SwProfilerCycleFunc func;
  gpointer user_data;
  GDestroyNotify destroy;

  gint state;    /* of State */
  guint64 owner; /* the number of the thread that entered; 0 before */
  gint64 step;
  SwProfiler *profiler; /* records now: the warm-up, or the cycle */
  GArray *first_ids;    /* of gint64: for each step of the profiler, how many events it had when the step began */
  GError *failure;      /* of a recording that could not begin while there was another error to tell of */
};

G_DEFINE_FINAL_TYPE (SwProfilerSchedule, sw_profiler_schedule, G_TYPE_OBJECT)

static State
get_state (SwProfilerSchedule *self)
{
  /* Acquire: whoever sees the end sees all that the owner did. */
  return __atomic_load_n (&self->state, __ATOMIC_ACQUIRE);
}

static void
set_state (SwProfilerSchedule *self,
           State state)
{
  /* Release: see get_state (). */
  __atomic_store_n (&self->state, state, __ATOMIC_RELEASE);
}

static void
drop_func (SwProfilerSchedule *self)
{
  GDestroyNotify destroy = g_steal_pointer (&self->destroy);
  gpointer user_data = g_steal_pointer (&self->user_data);

  self->func = NULL;
  if (destroy != NULL)
    destroy (user_data);
}

static void
sw_profiler_schedule_finalize (GObject *object)
{
  SwProfilerSchedule *self = SW_PROFILER_SCHEDULE (object);

  drop_func (self);
  g_clear_object (&self->profiler);
  g_clear_object (&self->options);
  g_clear_error (&self->failure);
  g_array_unref (self->first_ids);

  G_OBJECT_CLASS (sw_profiler_schedule_parent_class)->finalize (object);
}

static void
sw_profiler_schedule_class_init (SwProfilerScheduleClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sw_profiler_schedule_finalize;
}

static void
sw_profiler_schedule_init (SwProfilerSchedule *self)
{
  self->first_ids = g_array_new (FALSE, FALSE, sizeof (gint64));
}

static gboolean
check_count (const char *argument,
             gint64 value,
             gint64 min,
             GError **error)
{
  if (value >= min)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
               "%s is %" G_GINT64_FORMAT ", but must be at least %" G_GINT64_FORMAT, argument, value, min);
  return FALSE;
}

/**
 * sw_profiler_schedule_new:
 * @options: (nullable): a profiler in any state, whose options the profiler of each cycle gets; %NULL for the default ones
 * @skip_first: how many steps to leave out at the beginning
 * @wait: how many steps of each cycle are not recorded
 * @warmup: how many steps after those are recorded and thrown away
 * @active: how many steps after those are recorded; at least 1
 * @repeat: how many cycles; 0 for no end
 * @error: return location for an error
 *
 * Makes a schedule. @options itself records nothing by this.
 *
 * Fails with %SW_ERROR_VALUE, naming the argument, for a number that is too small, or when a cycle is too long to count.
 *
 * Returns: (transfer full): the schedule
 */
SwProfilerSchedule *
sw_profiler_schedule_new (SwProfiler *options,
                          gint64 skip_first,
                          gint64 wait,
                          gint64 warmup,
                          gint64 active,
                          gint64 repeat,
                          GError **error)
{
  SwProfilerSchedule *self;
  gint64 length;

  g_return_val_if_fail (options == NULL || SW_IS_PROFILER (options), NULL);

  if (!check_count ("skip_first", skip_first, 0, error) || !check_count ("wait", wait, 0, error) ||
      !check_count ("warmup", warmup, 0, error) || !check_count ("active", active, 1, error) ||
      !check_count ("repeat", repeat, 0, error))
    return NULL;
  if (__builtin_add_overflow (wait, warmup, &length) || __builtin_add_overflow (length, active, &length))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, "wait + warmup + active is more than fits into 64 bits");
      return NULL;
    }

  self = g_object_new (SW_TYPE_PROFILER_SCHEDULE, NULL);
  self->options = sw_profiler_new_like (options);
  self->skip_first = skip_first;
  self->wait = wait;
  self->warmup = warmup;
  self->active = active;
  self->repeat = repeat;
  return self;
}

/**
 * sw_profiler_schedule_set_cycle_func:
 * @self: a schedule that is not active
 * @func: (nullable) (scope notified) (closure user_data) (destroy destroy): what to call for each cycle, or %NULL for nothing
 * @user_data: data for @func
 * @destroy: (nullable): what to call with @user_data when @func is not needed any more
 *
 * Sets the function that gets what was recorded in each cycle: in the call of [method@Strideweave.ProfilerSchedule.step]
 * that ends the cycle, or in [method@Strideweave.ProfilerSchedule.exit]. There is one; the schedule forgets it at its
 * exit. Not while the schedule is active.
 */
void
sw_profiler_schedule_set_cycle_func (SwProfilerSchedule *self,
                                     SwProfilerCycleFunc func,
                                     gpointer user_data,
                                     GDestroyNotify destroy)
{
  g_return_if_fail (SW_IS_PROFILER_SCHEDULE (self));
  g_return_if_fail (get_state (self) != STATE_CALLING && get_state (self) != STATE_ACTIVE);

  drop_func (self);
  self->func = func;
  self->user_data = user_data;
  self->destroy = destroy;
}

static gint64
get_length (SwProfilerSchedule *self)
{
  return self->wait + self->warmup + self->active;
}

static Phase
get_phase (SwProfilerSchedule *self,
           gint64 step)
{
  gint64 place;

  if (step < self->skip_first)
    return PHASE_UNRECORDED;

  step -= self->skip_first;
  if (self->repeat > 0 && step / get_length (self) >= self->repeat)
    return PHASE_UNRECORDED;
  place = step % get_length (self);
  if (place < self->wait)
    return PHASE_UNRECORDED;
  return place < self->wait + self->warmup ? PHASE_WARMUP : PHASE_ACTIVE;
}

/* Whether a recording begins with the step: the first one of its phase. */
static gboolean
is_first_of_phase (SwProfilerSchedule *self,
                   gint64 step)
{
  gint64 place = (step - self->skip_first) % get_length (self);

  return place == self->wait || place == self->wait + self->warmup;
}

static gboolean
is_last_of_cycle (SwProfilerSchedule *self,
                  gint64 step)
{
  return (step - self->skip_first) % get_length (self) == get_length (self) - 1;
}

static gboolean
begin_step (SwProfilerSchedule *self,
            GError **error)
{
  Phase phase = get_phase (self, self->step);
  gint64 n_events;

  if (phase == PHASE_UNRECORDED)
    return TRUE;

  if (is_first_of_phase (self, self->step))
    {
      g_array_set_size (self->first_ids, 0);
      self->profiler = sw_profiler_new_like (self->options);
      if (!sw_profiler_enter (self->profiler, error))
        {
          /* Nothing is recorded in this phase. */
          g_clear_object (&self->profiler);
          return FALSE;
        }
    }
  if (self->profiler != NULL)
    {
      n_events = (gint64) sw_profiler_count_recorded (self->profiler);
      g_array_append_val (self->first_ids, n_events);
    }
  return TRUE;
}

static gboolean
call_func (SwProfilerSchedule *self,
           SwProfilerCycle *cycle,
           GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean is_fine = TRUE;

  if (self->func == NULL)
    return TRUE;

  set_state (self, STATE_CALLING);
  is_fine = self->func (cycle, self->user_data, &failure);
  set_state (self, STATE_ACTIVE);
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (!is_fine)
    g_set_error_literal (error, SW_ERROR, SW_ERROR_FOREIGN, "the function of the cycle failed without saying why");
  else
    return TRUE;
  return FALSE;
}

/* Stops what records, and hands it over. */
static gboolean
end_cycle (SwProfilerSchedule *self,
           gboolean is_partial,
           GError **error)
{
  g_autoptr (SwProfiler) profiler = g_steal_pointer (&self->profiler);
  g_autoptr (SwProfilerCycle) cycle = NULL;
  gint64 number;

  if (!sw_profiler_exit (profiler, error))
    return FALSE;
  number = (self->step - self->skip_first) / get_length (self);
  cycle = sw_profiler_cycle_new (g_steal_pointer (&profiler),
                                 number,
                                 self->skip_first + number * get_length (self) + self->wait + self->warmup,
                                 (const gint64 *) (gpointer) self->first_ids->data,
                                 self->first_ids->len,
                                 is_partial);
  return call_func (self, cycle, error);
}

static void
discard_recording (SwProfilerSchedule *self)
{
  g_autoptr (SwProfiler) profiler = g_steal_pointer (&self->profiler);

  if (profiler != NULL)
    sw_profiler_exit (profiler, NULL);
}

/* The step that begins next is not yet counted. */
static gboolean
end_step (SwProfilerSchedule *self,
          GError **error)
{
  if (self->profiler == NULL)
    return TRUE;

  if (get_phase (self, self->step) == PHASE_WARMUP)
    {
      if (get_phase (self, self->step + 1) != PHASE_WARMUP)
        discard_recording (self);
      return TRUE;
    }
  return !is_last_of_cycle (self, self->step) || end_cycle (self, FALSE, error);
}

/* A cycle that was left before its end. A step that has just begun is none of it. */
static gboolean
end_early (SwProfilerSchedule *self,
           GError **error)
{
  GArray *first_ids = self->first_ids;
  gint64 last;

  if (self->profiler == NULL)
    return TRUE;

  last = g_array_index (first_ids, gint64, first_ids->len - 1);
  if (last == (gint64) sw_profiler_count_recorded (self->profiler))
    g_array_set_size (first_ids, first_ids->len - 1);
  if (get_phase (self, self->step) == PHASE_ACTIVE && first_ids->len > 0)
    return end_cycle (self, TRUE, error);
  discard_recording (self);
  return TRUE;
}

/* Whether the caller is the one who may go on with the schedule. */
static gboolean
check_turn (SwProfilerSchedule *self,
            GError **error)
{
  /* Relaxed: only the owner itself finds its number, and it wrote it. */
  guint64 owner = __atomic_load_n (&self->owner, __ATOMIC_RELAXED);
  State state = get_state (self);

  if (state == STATE_ACTIVE && owner == sw_thread_get_number ())
    return TRUE;

  g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                       state == STATE_FRESH  ? "the ProfilerSchedule was not entered"
                       : state == STATE_LEFT ? "the ProfilerSchedule was exited already"
                       : owner != sw_thread_get_number ()
                           ? "a ProfilerSchedule belongs to the thread that entered it, and this is another one"
                           : "the ProfilerSchedule is just calling the function of a cycle, which cannot go on with it");
  return FALSE;
}

/**
 * sw_profiler_schedule_enter:
 * @self: a schedule
 * @error: return location for an error
 *
 * Begins step 0, on the calling thread.
 *
 * Fails with %SW_ERROR_STATE when the schedule was entered before, even if that failed, or when step 0 is to be recorded
 * and a profiler is active on the thread.
 *
 * Returns: whether the schedule is active
 */
gboolean
sw_profiler_schedule_enter (SwProfilerSchedule *self,
                            GError **error)
{
  guint64 nobody = 0;

  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), FALSE);

  /* Relaxed: see check_turn (). */
  if (!__atomic_compare_exchange_n (&self->owner, &nobody, sw_thread_get_number (), FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                           "a ProfilerSchedule is single-use: this one was entered before; make a new one");
      return FALSE;
    }
  if (!begin_step (self, error))
    {
      set_state (self, STATE_LEFT);
      return FALSE;
    }
  set_state (self, STATE_ACTIVE);
  return TRUE;
}

/**
 * sw_profiler_schedule_step:
 * @self: a schedule
 * @error: return location for an error
 *
 * Ends a step and begins the next one; when a cycle ends with the step, the function of the cycle is called in between.
 *
 * An error of that function comes out as it is, and the schedule goes on all the same: the next step has begun.
 *
 * Fails with %SW_ERROR_STATE on another thread than the one that entered the schedule, before enter, after exit and
 * in the function of a cycle, and then no step ends. It fails, too, when the next step is to be recorded and
 * another profiler is active on the thread: then that step has begun, and the cycle is left out, or its warm-up is.
 *
 * Returns: whether all went well
 */
gboolean
sw_profiler_schedule_step (SwProfilerSchedule *self,
                           GError **error)
{
  g_autoptr (GError) failure = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), FALSE);

  if (!check_turn (self, error))
    return FALSE;

  if (end_step (self, &failure))
    failure = g_steal_pointer (&self->failure);
  self->step++;
  if (failure == NULL)
    return begin_step (self, error);

  /* One error at a time; the other one comes with the next step. */
  begin_step (self, self->failure == NULL ? &self->failure : NULL);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/**
 * sw_profiler_schedule_exit:
 * @self: a schedule
 * @error: return location for an error
 *
 * Ends the schedule. The function of the cycle gets what was recorded of a cycle that has not ended, marked as partial:
 * its ended steps, and the present one if an operation began in it. Where that is nothing, it is not called.
 *
 * An error of that function comes out as it is. Fails with %SW_ERROR_STATE on another thread than the one that entered,
 * before enter, after another exit, and in the function of a cycle. Except after these the schedule is over.
 *
 * Returns: whether all went well
 */
gboolean
sw_profiler_schedule_exit (SwProfilerSchedule *self,
                           GError **error)
{
  g_autoptr (GError) failure = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), FALSE);

  if (!check_turn (self, error))
    return FALSE;

  if (end_early (self, &failure))
    failure = g_steal_pointer (&self->failure);
  g_clear_error (&self->failure);
  set_state (self, STATE_LEFT);
  drop_func (self);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/**
 * sw_profiler_schedule_is_active:
 * @self: a schedule
 *
 * Tells whether the schedule goes on.
 *
 * Returns: %TRUE between enter and exit
 */
gboolean
sw_profiler_schedule_is_active (SwProfilerSchedule *self)
{
  State state;

  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), FALSE);

  state = get_state (self);
  return state == STATE_ACTIVE || state == STATE_CALLING;
}

/**
 * sw_profiler_schedule_get_step:
 * @self: a schedule
 *
 * Tells which step the schedule is in; in the function of a cycle, that is the step that has just ended. To be called
 * on the thread of the schedule.
 *
 * Returns: the number of the step, from 0
 */
gint64
sw_profiler_schedule_get_step (SwProfilerSchedule *self)
{
  g_return_val_if_fail (SW_IS_PROFILER_SCHEDULE (self), 0);

  return self->step;
}
