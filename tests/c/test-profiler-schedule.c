/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sessions by schedule: which steps are recorded, what the function of the cycle gets, and what goes wrong. */
#include "config.h"

#include "profiler-fixtures.h"

/* What a function of cycles has seen. */
typedef struct
{
  GPtrArray *cycles; /* of SwProfilerCycle */
  gboolean fails;
  SwProfilerSchedule *schedule;
} Seen;

static gboolean
see_cycle (SwProfilerCycle *cycle,
           gpointer data,
           GError **error)
{
  Seen *seen = data;

  g_ptr_array_add (seen->cycles, sw_profiler_cycle_ref (cycle));
  if (!seen->fails)
    return TRUE;
  g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_AGAIN, "not now");
  return FALSE;
}

static void
seen_init (Seen *self,
           SwProfilerSchedule *schedule)
{
  *self = (Seen){ g_ptr_array_new_with_free_func ((GDestroyNotify) sw_profiler_cycle_unref), FALSE, schedule };
  sw_profiler_schedule_set_cycle_func (schedule, see_cycle, self, NULL);
}

static SwProfilerSchedule *
new_schedule (gint64 skip_first,
              gint64 wait,
              gint64 warmup,
              gint64 active,
              gint64 repeat)
{
  g_autoptr (GError) error = NULL;
  SwProfilerSchedule *schedule = sw_profiler_schedule_new (NULL, skip_first, wait, warmup, active, repeat, &error);

  g_assert_no_error (error);
  return schedule;
}

static void
enter (SwProfilerSchedule *schedule)
{
  g_autoptr (GError) error = NULL;

  sw_profiler_schedule_enter (schedule, &error);
  g_assert_no_error (error);
}

static void
step (SwProfilerSchedule *schedule)
{
  g_autoptr (GError) error = NULL;

  sw_profiler_schedule_step (schedule, &error);
  g_assert_no_error (error);
}

static void
leave (SwProfilerSchedule *schedule)
{
  g_autoptr (GError) error = NULL;

  sw_profiler_schedule_exit (schedule, &error);
  g_assert_no_error (error);
}

/* An operation that is named after the step. */
static void
run_step (SwTensor *tensor,
          gint64 number)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("step-%" G_GINT64_FORMAT, number);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (SwTensor) result = sw_call_operation (name, inputs, NULL, &error);

  g_assert_no_error (error);
}

static SwTensor *
new_tensor (TestBody body,
            gpointer data)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, body, data);

  return test_tensor_on (carrier);
}

/* Which steps the formula records, as a text such as "3 4 5 | 9 10 11 | ". */
static char *
expect (const gint64 *numbers,
        gint64 n_ended,
        gint64 n_begun)
{
  gint64 skip = numbers[0], length = numbers[1] + numbers[2] + numbers[3];
  GString *text = g_string_new (NULL);

  for (gint64 s = skip; s < n_begun; s++)
    {
      if (numbers[4] > 0 && (s - skip) / length >= numbers[4])
        break;
      if ((s - skip) % length >= numbers[1] + numbers[2])
        g_string_append_printf (text, "%" G_GINT64_FORMAT " ", s);
      if (s < n_ended && (s - skip) % length == length - 1)
        g_string_append (text, "| ");
    }
  return g_string_free (text, FALSE);
}

/* The same, of what was recorded, by the names of the operations; checks all else that cycles say. */
static char *
describe (GPtrArray *cycles,
          const gint64 *numbers)
{
  GString *text = g_string_new (NULL);
  gint64 length = numbers[1] + numbers[2] + numbers[3];

  for (guint i = 0; i < cycles->len; i++)
    {
      SwProfilerCycle *cycle = g_ptr_array_index (cycles, i);
      g_autoptr (GPtrArray) events = test_profiler_events (sw_profiler_cycle_get_profiler (cycle));
      gint64 first = numbers[0] + i * length + numbers[1] + numbers[2];

      g_assert_cmpint (sw_profiler_cycle_get_number (cycle), ==, i);
      g_assert_cmpint (sw_profiler_cycle_get_first_step (cycle), ==, first);
      g_assert_cmpint (sw_profiler_cycle_get_n_steps (cycle), ==, events->len);
      for (guint j = 0; j < events->len; j++)
        {
          const char *name = sw_profiler_event_get_name (g_ptr_array_index (events, j));
          gint64 id = -1, n_events = -1;

          g_string_append_printf (text, "%s ", name + strlen ("step-"));
          g_assert_cmpint (sw_profiler_cycle_get_step_of_event (cycle, j, NULL), ==, first + j);
          g_assert_true (sw_profiler_cycle_get_events_of_step (cycle, first + j, &id, &n_events, NULL));
          g_assert_cmpint (id, ==, j);
          g_assert_cmpint (n_events, ==, 1);
        }
      g_assert_true (sw_profiler_cycle_is_partial (cycle) == (i * length + length > numbers[5]));
      if (!sw_profiler_cycle_is_partial (cycle))
        g_string_append (text, "| ");
      else
        g_assert_cmpuint (i, ==, cycles->len - 1);
    }
  return g_string_free (text, FALSE);
}

/* @n_steps steps that end, and with @works_on one more that has begun. */
static void
check_formula (SwTensor *tensor,
               const gint64 *numbers,
               gint64 n_steps,
               gboolean works_on)
{
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
  gint64 all[6] = { numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], MAX (n_steps - numbers[0], 0) };
  g_autofree char *expected = expect (numbers, n_steps, n_steps + works_on);
  g_autofree char *recorded = NULL;
  Seen seen;

  seen_init (&seen, schedule);
  enter (schedule);
  for (gint64 s = 0; s < n_steps; s++)
    {
      g_assert_cmpint (sw_profiler_schedule_get_step (schedule), ==, s);
      run_step (tensor, s);
      step (schedule);
    }
  if (works_on)
    run_step (tensor, n_steps);
  leave (schedule);

  recorded = describe (seen.cycles, all);
  g_assert_cmpstr (recorded, ==, expected);
  g_ptr_array_unref (seen.cycles);
}

static void
test_formula (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);

  for (gint64 skip = 0; skip <= 2; skip++)
    for (gint64 wait = 0; wait <= 2; wait++)
      for (gint64 warmup = 0; warmup <= 2; warmup++)
        for (gint64 active = 1; active <= 3; active++)
          for (gint64 repeat = 0; repeat <= 2; repeat++)
            for (gint64 n_steps = 0; n_steps <= 15; n_steps++)
              {
                const gint64 numbers[] = { skip, wait, warmup, active, repeat };

                check_formula (tensor, numbers, n_steps, n_steps % 2 == 1);
                if (n_steps < 6)
                  check_formula (tensor, numbers, n_steps, n_steps % 2 == 0);
              }
}

/* One wait, two of warm-up, three active: 3, 4 and 5. */
static void
test_labels (void)
{
  const gint64 numbers[] = { 0, 1, 2, 3, 0, 6 };
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 1, 2, 3, 0);
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autofree char *text = NULL;
  Seen seen;

  seen_init (&seen, schedule);
  enter (schedule);
  for (gint64 s = 0; s < 6; s++)
    {
      run_step (tensor, s);
      step (schedule);
    }
  leave (schedule);
  text = describe (seen.cycles, numbers);
  g_assert_cmpstr (text, ==, "3 4 5 | ");
  g_ptr_array_unref (seen.cycles);
}

/* Steps need not have one event each, or any. */
static void
test_events_of_steps (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 0, 0, 4, 1);
  g_autoptr (SwTensor) tensor = test_evictable_tensor (1);
  const gint64 n_operations[] = { 2, 0, 0, 1 };
  SwProfilerCycle *cycle;
  gint64 id = -1, n_events = -1;
  Seen seen;

  seen_init (&seen, schedule);
  enter (schedule);
  for (guint s = 0; s < G_N_ELEMENTS (n_operations); s++)
    {
      for (gint64 i = 0; i < n_operations[s]; i++)
        test_relu (tensor);
      step (schedule);
    }
  leave (schedule);

  g_assert_cmpuint (seen.cycles->len, ==, 1);
  cycle = g_ptr_array_index (seen.cycles, 0);
  g_assert_cmpint (sw_profiler_cycle_get_step_of_event (cycle, 3, NULL), ==, 0);
  g_assert_cmpint (sw_profiler_cycle_get_step_of_event (cycle, 4, NULL), ==, 3);
  g_assert_true (sw_profiler_cycle_get_events_of_step (cycle, 2, &id, &n_events, NULL));
  g_assert_cmpint (n_events, ==, 0);
  g_assert_true (sw_profiler_cycle_get_events_of_step (cycle, 3, &id, NULL, NULL));
  g_assert_cmpint (id, ==, 4);
  g_assert_cmpint (sw_profiler_cycle_get_step_of_event (cycle, 6, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_false (sw_profiler_cycle_get_events_of_step (cycle, 4, NULL, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
  g_assert_nonnull (strstr (error->message, "step is 4"));
  g_ptr_array_unref (seen.cycles);
}

static void
test_bad_numbers (void)
{
  const char *const names[] = { "skip_first", "wait", "warmup", "active", "repeat" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *message = g_strdup_printf ("%s is -1", names[i]);
      gint64 n[] = { 1, 1, 1, 1, 1 };

      n[i] = -1;
      g_assert_null (sw_profiler_schedule_new (NULL, n[0], n[1], n[2], n[3], n[4], &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, message));
    }
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (sw_profiler_schedule_new (NULL, 0, 0, 0, 0, 0, &error));
    g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
    g_assert_nonnull (strstr (error->message, "active is 0"));
    g_clear_error (&error);
    g_assert_null (sw_profiler_schedule_new (NULL, 0, G_MAXINT64, 0, 1, 0, &error));
    g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  }
  {
    /* Numbers that are never reached do no harm. */
    g_autoptr (SwProfilerSchedule) schedule = new_schedule (G_MAXINT64, 1, G_MAXINT64 - 2, 1, G_MAXINT64);

    enter (schedule);
    step (schedule);
    leave (schedule);
  }
}

/* Ends a step inside of an operation. */
static SwTensor *
step_inside (SwOperation *operation,
             SwValueList *inputs,
             gpointer schedule,
             GError **error)
{
  step (schedule);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

/* An operation that began in the warm-up is not in the cycle, though it ends there. */
static void
test_warmup_is_thrown_away (void)
{
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 0, 1, 1, 1);
  g_autoptr (SwTensor) outer = new_tensor (step_inside, schedule);
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autoptr (GPtrArray) events = NULL;
  Seen seen;

  seen_init (&seen, schedule);
  enter (schedule);
  run_step (tensor, 100);
  run_step (outer, 101);
  run_step (tensor, 1);
  run_step (outer, 2);
  leave (schedule);

  g_assert_cmpuint (seen.cycles->len, ==, 1);
  events = test_profiler_events (sw_profiler_cycle_get_profiler (g_ptr_array_index (seen.cycles, 0)));
  g_assert_cmpuint (events->len, ==, 2);
  g_assert_cmpstr (sw_profiler_event_get_name (g_ptr_array_index (events, 0)), ==, "step-1");
  g_assert_true (sw_profiler_event_get_succeeded (g_ptr_array_index (events, 0)));
  /* The one in which the cycle ended. */
  g_assert_cmpstr (sw_profiler_event_get_name (g_ptr_array_index (events, 1)), ==, "step-2");
  g_assert_false (sw_profiler_event_get_succeeded (g_ptr_array_index (events, 1)));
  g_ptr_array_unref (seen.cycles);
}

static gboolean
use_schedule (SwProfilerCycle *cycle,
              gpointer data,
              GError **error)
{
  Seen *seen = data;
  g_autoptr (GError) failure = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = NULL;

  g_assert_true (sw_profiler_schedule_is_active (seen->schedule));
  g_assert_false (sw_profiler_schedule_step (seen->schedule, &failure));
  g_assert_error (failure, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&failure);
  g_assert_false (sw_profiler_schedule_exit (seen->schedule, &failure));
  g_assert_error (failure, SW_ERROR, SW_ERROR_STATE);

  /* The thread is free, and what it does is recorded nowhere else. */
  profiler = test_profiler_entered (FALSE);
  test_relu (tensor);
  test_profiler_exit (profiler);
  return see_cycle (cycle, seen, error);
}

static void
test_function (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 0, 0, 1, 0);
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  Seen seen;

  seen_init (&seen, schedule);
  sw_profiler_schedule_set_cycle_func (schedule, use_schedule, &seen, NULL);
  enter (schedule);
  for (gint64 s = 0; s < 4; s++)
    {
      seen.fails = s == 1;
      run_step (tensor, s);
      g_assert_true (sw_profiler_schedule_step (schedule, &error) == !seen.fails);
      if (seen.fails)
        g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_AGAIN);
      g_clear_error (&error);
    }
  run_step (tensor, 4);
  seen.fails = TRUE;
  g_assert_false (sw_profiler_schedule_exit (schedule, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_AGAIN);
  g_assert_false (sw_profiler_schedule_is_active (schedule));

  g_assert_cmpuint (seen.cycles->len, ==, 5);
  for (guint i = 0; i < seen.cycles->len; i++)
    g_assert_cmpint (sw_profiler_count_events (sw_profiler_cycle_get_profiler (g_ptr_array_index (seen.cycles, i)), NULL), ==, 1);
  g_ptr_array_unref (seen.cycles);
}

static gboolean
fail_silently (SwProfilerCycle *cycle,
               gpointer data,
               GError **error)
{
  return FALSE;
}

static void
set_flag (gpointer flag)
{
  *(gboolean *) flag = TRUE;
}

static void
test_function_is_dropped (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 0, 0, 1, 0);
  g_autoptr (SwProfiler) next = NULL;
  gboolean replaced = FALSE, left = FALSE, dropped = FALSE;

  sw_profiler_schedule_set_cycle_func (schedule, fail_silently, &replaced, set_flag);
  sw_profiler_schedule_set_cycle_func (schedule, fail_silently, &left, set_flag);
  g_assert_true (replaced);
  enter (schedule);
  g_assert_false (sw_profiler_schedule_step (schedule, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_FOREIGN);
  g_assert_false (left);
  leave (schedule);
  g_assert_true (left);

  {
    g_autoptr (SwProfilerSchedule) active = new_schedule (0, 0, 0, 1, 0);

    sw_profiler_schedule_set_cycle_func (active, fail_silently, &dropped, set_flag);
    enter (active);
  }
  g_assert_true (dropped);
  next = test_profiler_entered (FALSE);
  test_profiler_exit (next);
}

static gpointer
step_elsewhere (gpointer schedule)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_profiler_schedule_step (schedule, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "thread"));
  g_clear_error (&error);
  g_assert_false (sw_profiler_schedule_exit (schedule, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  return NULL;
}

static void
test_other_thread (void)
{
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 0, 0, 2, 0);
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  Seen seen;

  seen_init (&seen, schedule);
  enter (schedule);
  run_step (tensor, 0);
  g_thread_join (g_thread_new ("other", step_elsewhere, schedule));
  /* Nothing has changed. */
  g_assert_cmpint (sw_profiler_schedule_get_step (schedule), ==, 0);
  step (schedule);
  run_step (tensor, 1);
  step (schedule);
  g_assert_cmpuint (seen.cycles->len, ==, 1);
  leave (schedule);
  g_ptr_array_unref (seen.cycles);
}

static void
assert_state_error (gboolean result,
                    GError **error,
                    const char *message)
{
  g_assert_false (result);
  g_assert_error (*error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr ((*error)->message, message));
  g_clear_error (error);
}

static void
test_order_of_calls (void)
{
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 1, 0, 1, 0);
  GError *error = NULL;

  assert_state_error (sw_profiler_schedule_step (schedule, &error), &error, "not entered");
  assert_state_error (sw_profiler_schedule_exit (schedule, &error), &error, "not entered");
  enter (schedule);
  assert_state_error (sw_profiler_schedule_enter (schedule, &error), &error, "single-use");
  leave (schedule);
  assert_state_error (sw_profiler_schedule_step (schedule, &error), &error, "exited already");
  assert_state_error (sw_profiler_schedule_exit (schedule, &error), &error, "exited already");
  assert_state_error (sw_profiler_schedule_enter (schedule, &error), &error, "single-use");
}

/* A cycle whose beginning is refused is left out as a whole; the next one is not. */
static void
test_other_profiler (void)
{
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 1, 0, 2, 0);
  g_autoptr (SwProfiler) other = NULL;
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  GError *error = NULL;
  Seen seen;

  seen_init (&seen, schedule);
  enter (schedule);
  other = test_profiler_entered (FALSE);
  assert_state_error (sw_profiler_schedule_step (schedule, &error), &error, "already active");
  g_assert_cmpint (sw_profiler_schedule_get_step (schedule), ==, 1);
  run_step (tensor, 1);
  test_profiler_exit (other);
  g_assert_cmpint (sw_profiler_count_events (other, NULL), ==, 1);
  for (gint64 s = 2; s < 6; s++)
    {
      step (schedule);
      run_step (tensor, s);
    }
  step (schedule);
  leave (schedule);
  g_assert_cmpuint (seen.cycles->len, ==, 1);
  g_assert_cmpint (sw_profiler_cycle_get_number (g_ptr_array_index (seen.cycles, 0)), ==, 1);
  g_assert_cmpint (sw_profiler_cycle_get_first_step (g_ptr_array_index (seen.cycles, 0)), ==, 4);
  g_ptr_array_unref (seen.cycles);

  other = (g_object_unref (other), test_profiler_entered (FALSE));
  {
    g_autoptr (SwProfilerSchedule) at_once = new_schedule (0, 0, 0, 1, 0);

    assert_state_error (sw_profiler_schedule_enter (at_once, &error), &error, "already active");
    g_assert_false (sw_profiler_schedule_is_active (at_once));
  }
  test_profiler_exit (other);
}

static void
test_options (void)
{
  const GType carriers[] = { SW_TYPE_GENERIC };
  g_autoptr (SwProfiler) options = sw_profiler_new_for_carriers (carriers, 1, TRUE, NULL);
  g_autoptr (SwProfilerSchedule) schedule = sw_profiler_schedule_new (options, 0, 0, 0, 1, 0, NULL);
  g_autoptr (SwTensor) evictable = test_evictable_tensor (1);
  Seen seen;

  seen_init (&seen, schedule);
  enter (schedule);
  for (guint s = 0; s < 2; s++)
    {
      test_relu (evictable);
      step (schedule);
    }
  leave (schedule);
  for (guint i = 0; i < 2; i++)
    {
      SwProfiler *profiler = sw_profiler_cycle_get_profiler (g_ptr_array_index (seen.cycles, i));
      g_autoptr (SwProfilerEvent) event = sw_profiler_dup_event (profiler, 0, NULL);

      g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 1);
      g_assert_cmpuint (sw_profiler_event_get_carrier_type (event), ==, SW_TYPE_GENERIC);
      g_assert_nonnull (sw_profiler_event_get_input_shapes (event));
    }
  g_ptr_array_unref (seen.cycles);
}

static gboolean
watch_cycle (SwProfilerCycle *cycle,
             gpointer profilers,
             GError **error)
{
  GWeakRef *last = profilers;
  g_autoptr (SwProfiler) before = g_weak_ref_get (last);

  /* Nobody holds what the cycle before was. */
  g_assert_null (before);
  g_weak_ref_set (last, sw_profiler_cycle_get_profiler (cycle));
  return TRUE;
}

static void
test_one_cycle_in_memory (void)
{
  g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 0, 0, 1, 0);
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  GWeakRef last;

  g_weak_ref_init (&last, NULL);
  sw_profiler_schedule_set_cycle_func (schedule, watch_cycle, &last, NULL);
  enter (schedule);
  for (guint s = 0; s < 100; s++)
    {
      g_autoptr (SwProfiler) kept = NULL;

      test_relu (tensor);
      step (schedule);
      kept = g_weak_ref_get (&last);
      g_assert_null (kept);
    }
  leave (schedule);
  g_weak_ref_clear (&last);
}

static gboolean
run_scoped (SwProfilerSchedule *schedule,
            SwTensor *tensor,
            guint n_steps,
            GError **error)
{
  g_autoptr (SwProfilerScheduleScope) scope = sw_profiler_schedule_scope_new (schedule, error);

  if (scope == NULL)
    return FALSE;
  g_assert_true (sw_profiler_schedule_scope_get_schedule (scope) == schedule);
  for (guint s = 0; s < n_steps; s++)
    {
      run_step (tensor, s);
      if (!sw_profiler_schedule_scope_step (scope, error))
        return FALSE;
    }
  return n_steps < 5 || sw_profiler_schedule_scope_leave (scope, error);
}

static void
test_scope (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);

  for (guint n_steps = 3; n_steps <= 6; n_steps++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SwProfilerSchedule) schedule = new_schedule (0, 0, 0, 2, 0);
      Seen seen;

      seen_init (&seen, schedule);
      g_assert_true (run_scoped (schedule, tensor, n_steps, &error));
      g_assert_no_error (error);
      g_assert_false (sw_profiler_schedule_is_active (schedule));
      g_assert_cmpuint (seen.cycles->len, ==, (n_steps + 1) / 2);
      g_assert_false (run_scoped (schedule, tensor, 1, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_ptr_array_unref (seen.cycles);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler-schedule/formula", test_formula);
  g_test_add_func ("/profiler-schedule/labels", test_labels);
  g_test_add_func ("/profiler-schedule/events-of-steps", test_events_of_steps);
  g_test_add_func ("/profiler-schedule/bad-numbers", test_bad_numbers);
  g_test_add_func ("/profiler-schedule/warmup-is-thrown-away", test_warmup_is_thrown_away);
  g_test_add_func ("/profiler-schedule/function", test_function);
  g_test_add_func ("/profiler-schedule/function-is-dropped", test_function_is_dropped);
  g_test_add_func ("/profiler-schedule/other-thread", test_other_thread);
  g_test_add_func ("/profiler-schedule/order-of-calls", test_order_of_calls);
  g_test_add_func ("/profiler-schedule/other-profiler", test_other_profiler);
  g_test_add_func ("/profiler-schedule/options", test_options);
  g_test_add_func ("/profiler-schedule/one-cycle-in-memory", test_one_cycle_in_memory);
  g_test_add_func ("/profiler-schedule/scope", test_scope);
  return g_test_run ();
}
