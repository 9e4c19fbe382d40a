/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is an event, what it says, and how events nest. */
#include "config.h"

#include <pthread.h>

#include "profiler-fixtures.h"

static SwProfilerEvent *
get_event (GPtrArray *events,
           guint index)
{
  g_assert_cmpuint (index, <, events->len);
  return g_ptr_array_index (events, index);
}

static gint64
get_parent (SwProfilerEvent *event)
{
  gint64 parent;

  return sw_profiler_event_get_parent_id (event, &parent) ? parent : -1;
}

static void
test_attempt (void)
{
  /* Covers: 4.1 */
  g_autoptr (SwTensor) generic = test_generic_tensor (2);
  g_autoptr (SwTensor) cpu = test_cpu_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;

  test_relu (generic);
  test_relu (cpu);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 2);
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (get_event (events, 0)), ==, SW_TYPE_GENERIC);
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (get_event (events, 1)), ==, SW_TYPE_CPU);
}

static void
test_lookup (void)
{
  /* Covers: 4.5 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (SwOperation) operation = sw_carrier_dispatch_op (sw_tensor_get_carrier (tensor), "relu", &error);

  g_assert_no_error (error);
  g_assert_cmpstr (sw_operation_get_dispatch_name (operation), ==, "relu");
  test_profiler_exit (profiler);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 0);
}

static void
test_preflight (void)
{
  /* Covers: 4.2, 4.9 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwExecutionOptions) options = sw_execution_options_new ("reduce_sum", SW_DTYPE_FLOAT64, NULL);
  g_autoptr (SwTensor) released = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = NULL;

  g_assert_true (sw_carrier_release (sw_tensor_get_carrier (released), NULL));
  profiler = test_profiler_entered (FALSE);
  g_assert_null (sw_matmul (tensor, tensor, options, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (sw_relu (released, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sw_add (tensor, released, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  test_profiler_exit (profiler);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 0);
}

static void
test_no_metadata (void)
{
  /* Covers: 4.6 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (SwOperation) operation = g_object_new (SW_TYPE_GENERIC_RELU_OPERATION, NULL);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (SwTensor) result = sw_operation_forward (operation, inputs, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);
  g_assert_null (sw_operation_get_dispatch_name (operation));
  test_profiler_exit (profiler);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 0);
}

static void
test_movement (void)
{
  /* Covers: 4.7 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwCarrier) destination = sw_cpu_new (2, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (SwTensor) moved = sw_move (tensor, destination, &error);

  g_assert_no_error (error);
  g_assert_true (sw_tensor_get_carrier (moved) == destination);
  test_profiler_exit (profiler);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 0);
}

static void
test_continue_after_failure (void)
{
  /* Covers: 4.8, 4.10 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;

  test_failing_add (tensor);
  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 2);
  g_assert_cmpstr (sw_profiler_event_get_name (get_event (events, 0)), ==, "add");
  g_assert_false (sw_profiler_event_get_succeeded (get_event (events, 0)));
  g_assert_cmpstr (sw_profiler_event_get_name (get_event (events, 1)), ==, "relu");
  g_assert_true (sw_profiler_event_get_succeeded (get_event (events, 1)));
  g_assert_cmpint (get_parent (get_event (events, 1)), ==, -1);
}

static void
test_successful_event (void)
{
  /* Covers: 5.1, 5.2 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  SwProfilerEvent *event;

  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  event = get_event (events, 0);
  g_assert_cmpint (sw_profiler_event_get_id (event), ==, 0);
  g_assert_cmpint (get_parent (event), ==, -1);
  g_assert_cmpstr (sw_profiler_event_get_name (event), ==, "relu");
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (event), ==, SW_TYPE_GENERIC);
  g_assert_cmpuint (sw_profiler_event_get_implementation_type (event), ==, SW_TYPE_GENERIC_RELU_OPERATION);
  g_assert_cmpint (sw_profiler_event_get_start_time_ns (event), >, 0);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (event), >=, 0);
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (event), ==, sw_profiler_event_get_duration_ns (event));
  g_assert_cmpuint (sw_profiler_event_get_thread_id (event), ==, (guint64) pthread_self ());
  g_assert_true (sw_profiler_event_get_succeeded (event));
}

static void
test_failed_event (void)
{
  /* Covers: 4.8, 5.2 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) events = NULL;
  SwProfilerEvent *event;

  sw_testing_set_fake_clock (1000, 7);
  profiler = test_profiler_entered (TRUE);
  test_failing_add (tensor);
  test_profiler_exit (profiler);
  sw_testing_unset_fake_clock ();
  events = test_profiler_events (profiler);
  event = get_event (events, 0);
  g_assert_false (sw_profiler_event_get_succeeded (event));
  g_assert_cmpstr (sw_profiler_event_get_name (event), ==, "add");
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (event), ==, SW_TYPE_GENERIC);
  g_assert_cmpuint (sw_profiler_event_get_implementation_type (event), ==, SW_TYPE_GENERIC_ADD_OPERATION);
  g_assert_cmpint (get_parent (event), ==, -1);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (event), ==, 7);
  g_assert_cmpuint (sw_profiler_event_get_thread_id (event), ==, (guint64) pthread_self ());
  g_assert_cmpuint (sw_input_shapes_get_length (sw_profiler_event_get_input_shapes (event)), ==, 2);
}

static void
test_event_value (void)
{
  /* Covers: 6.1 */
  g_autoptr (SwInputShapes) shapes = sw_input_shapes_new (NULL, 0);
  g_autoptr (SwProfilerEvent) event =
      sw_profiler_event_new (7, 3, "name", SW_TYPE_CPU, SW_TYPE_CPU_ADD_OPERATION, shapes, -5, G_MAXINT64, -9, G_MAXUINT64, FALSE);

  g_assert_cmpint (sw_profiler_event_get_id (event), ==, 7);
  g_assert_cmpint (get_parent (event), ==, 3);
  g_assert_cmpstr (sw_profiler_event_get_name (event), ==, "name");
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (event), ==, SW_TYPE_CPU);
  g_assert_cmpuint (sw_profiler_event_get_implementation_type (event), ==, SW_TYPE_CPU_ADD_OPERATION);
  g_assert_true (sw_profiler_event_get_input_shapes (event) == shapes);
  g_assert_cmpint (sw_profiler_event_get_start_time_ns (event), ==, -5);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (event), ==, G_MAXINT64);
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (event), ==, -9);
  g_assert_cmpuint (sw_profiler_event_get_thread_id (event), ==, G_MAXUINT64);
  g_assert_false (sw_profiler_event_get_succeeded (event));
}

static void
assert_shapes (SwProfilerEvent *event,
               const char *expected)
{
  g_autofree char *text = sw_input_shapes_to_string (sw_profiler_event_get_input_shapes (event));

  g_assert_cmpstr (text, ==, expected);
}

static void
test_shapes (void)
{
  /* Covers: 7.2, 7.3, 7.4 */
  g_autoptr (SwTensor) tensor = test_nested_tensor ("(2, (3, 4))");
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (SwTensor) result = sw_mul_scalar (tensor, 2.0, NULL);

  g_assert_nonnull (result);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  assert_shapes (get_event (events, 0), "((2, (3, 4)), None)");
}

static void
test_no_shapes (void)
{
  /* Covers: 7.1 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;

  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  g_assert_null (sw_profiler_event_get_input_shapes (get_event (events, 0)));
}

static void
test_options_are_no_input (void)
{
  /* Covers: 7.5, 7.6 */
  g_autoptr (SwTensor) tensor = test_nested_tensor ("(2, 3)");
  g_autoptr (SwExecutionOptions) options = sw_execution_options_new ("reduce_sum", SW_DTYPE_FLOAT64, NULL);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (SwTensor) result = sw_reduce_sum (tensor, options, NULL);

  g_assert_nonnull (result);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  assert_shapes (get_event (events, 0), "((2, 3),)");
}

static void
test_shapes_keep_no_tensor (void)
{
  SwTensor *tensor = test_generic_tensor (2);
  SwCarrier *carrier = g_object_ref (sw_tensor_get_carrier (tensor));
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);

  test_relu (tensor);
  sw_tensor_unref (tensor);
  g_assert_finalize_object (carrier);
  test_profiler_exit (profiler);
}

static void
test_both_levels (void)
{
  /* Covers: 8.2, 8.6 */
  g_autoptr (SwTensor) tensor = test_evictable_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  SwProfilerEvent *outer, *inner;

  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 2);
  outer = get_event (events, 0);
  inner = get_event (events, 1);
  g_assert_cmpint (get_parent (outer), ==, -1);
  g_assert_cmpint (get_parent (inner), ==, 0);
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (outer), ==,
                   sw_profiler_event_get_duration_ns (outer) - sw_profiler_event_get_duration_ns (inner));
}

static void
test_hidden_child (void)
{
  /* Covers: 8.1, 8.8 */
  g_autoptr (SwTensor) tensor = test_evictable_tensor (2);
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) events = NULL;

  sw_testing_set_fake_clock (0, 10);
  profiler = test_profiler_entered_for (SW_TYPE_EVICTABLE);
  test_relu (tensor);
  test_profiler_exit (profiler);
  sw_testing_unset_fake_clock ();
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (get_event (events, 0)), ==, 30);
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (get_event (events, 0)), ==, 20);
}

static void
test_only_nested (void)
{
  /* Covers: 8.1, 8.3 */
  g_autoptr (SwTensor) tensor = test_evictable_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered_for (SW_TYPE_GENERIC);
  g_autoptr (GPtrArray) events = NULL;

  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpint (get_parent (get_event (events, 0)), ==, -1);
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (get_event (events, 0)), ==,
                   sw_profiler_event_get_duration_ns (get_event (events, 0)));
}

/* A body that runs relu on another tensor. */
static SwTensor *
run_inner (SwOperation *operation,
           SwValueList *inputs,
           gpointer inner,
           GError **error)
{
  test_relu (inner);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
test_three_levels (void)
{
  /* Covers: 8.6, 8.7 */
  g_autoptr (SwTensor) innermost = test_generic_tensor (1);
  g_autoptr (SwCarrier) middle = test_carrier_new (TEST_TYPE_CARRIER, run_inner, innermost);
  g_autoptr (SwTensor) on_middle = test_tensor_on (middle);
  g_autoptr (SwCarrier) outer = test_carrier_new (TEST_TYPE_OTHER_CARRIER, run_inner, on_middle);
  g_autoptr (SwTensor) on_outer = test_tensor_on (outer);
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) events = NULL;
  const gint64 durations[] = { 50, 30, 10 };
  const gint64 self_times[] = { 20, 20, 10 };

  sw_testing_set_fake_clock (0, 10);
  profiler = test_profiler_entered (FALSE);
  test_relu (on_outer);
  test_profiler_exit (profiler);
  sw_testing_unset_fake_clock ();

  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpint (get_parent (get_event (events, i)), ==, (gint64) i - 1);
      g_assert_cmpint (sw_profiler_event_get_duration_ns (get_event (events, i)), ==, durations[i]);
      g_assert_cmpint (sw_profiler_event_get_self_time_ns (get_event (events, i)), ==, self_times[i]);
    }
}

static void
test_backward_clock (void)
{
  /* Covers: 8.5 */
  g_autoptr (SwTensor) tensor = test_evictable_tensor (1);
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) events = NULL;

  sw_testing_set_fake_clock (G_MAXINT32, -10);
  profiler = test_profiler_entered (FALSE);
  test_relu (tensor);
  test_profiler_exit (profiler);
  sw_testing_unset_fake_clock ();
  events = test_profiler_events (profiler);
  for (guint i = 0; i < events->len; i++)
    {
      g_assert_cmpint (sw_profiler_event_get_duration_ns (get_event (events, i)), ==, 0);
      g_assert_cmpint (sw_profiler_event_get_self_time_ns (get_event (events, i)), ==, 0);
    }
  g_assert_cmpuint (sw_profiler_get_n_clock_faults (profiler), ==, 2);
}

static SwTensor *
exit_inside (SwOperation *operation,
             SwValueList *inputs,
             gpointer profiler,
             GError **error)
{
  test_profiler_exit (profiler);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
test_exit_inside_operation (void)
{
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, exit_inside, profiler);
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);
  g_autoptr (GPtrArray) events = NULL;

  sw_testing_set_fake_clock (100, 5);
  g_assert_true (sw_profiler_enter (profiler, NULL));
  test_relu (tensor);
  sw_testing_unset_fake_clock ();
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (get_event (events, 0)), ==, 5);
  g_assert_false (sw_profiler_event_get_succeeded (get_event (events, 0)));
}

static void
test_duration (void)
{
  /* Covers: 13.4, 13.5 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (64);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  gint64 before, after, start, end;
  struct timespec now;

  /* The interval lies within the call, on the clock that everybody else reads. */
  clock_gettime (CLOCK_MONOTONIC, &now);
  before = (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
  test_relu (tensor);
  clock_gettime (CLOCK_MONOTONIC, &now);
  after = (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  start = sw_profiler_event_get_start_time_ns (get_event (events, 0));
  end = start + sw_profiler_event_get_duration_ns (get_event (events, 0));
  g_assert_cmpint (start, >=, before - 20000);
  g_assert_cmpint (end, >=, start);
  g_assert_cmpint (end, <=, after + 20000);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_scenario ("Record a dispatched attempt", test_attempt);
  test_scenario ("Exclude dispatch lookup", test_lookup);
  test_scenario ("Exclude a preflight failure", test_preflight);
  test_scenario ("Exclude execution without dispatch metadata", test_no_metadata);
  test_scenario ("Exclude public movement", test_movement);
  test_scenario ("Continue after an attempted execution fails", test_continue_after_failure);
  test_scenario ("Inspect a successful event", test_successful_event);
  test_scenario ("Inspect a failed event", test_failed_event);
  test_scenario ("Construct an event value directly", test_event_value);
  test_scenario ("Snapshot a hierarchical Tensor and a scalar", test_shapes);
  test_scenario ("Omit shape recording", test_no_shapes);
  test_scenario ("Keep execution options outside shape positions", test_options_are_no_input);
  test_scenario ("Record both composite levels", test_both_levels);
  test_scenario ("Hide nested work without charging it to the parent", test_hidden_child);
  test_scenario ("Select only the nested execution", test_only_nested);
  test_scenario ("Exclude three-level nesting exactly once", test_three_levels);
  test_scenario ("Interpret an event duration", test_duration);
  g_test_add_func ("/profiler/shapes-keep-no-tensor", test_shapes_keep_no_tensor);
  g_test_add_func ("/profiler/backward-clock", test_backward_clock);
  g_test_add_func ("/profiler/exit-inside-operation", test_exit_inside_operation);
  return g_test_run ();
}
