/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations that begin or end at the same instant, and those that nothing ends. */
#include "config.h"

#include "profiler-fixtures.h"

static SwTensor *
run_twice (SwOperation *operation,
           SwValueList *inputs,
           gpointer inner,
           GError **error)
{
  test_relu (inner);
  test_relu (inner);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

/* Three levels, of which the upper two run the next one twice. */
typedef struct
{
  SwTensor *inner, *middle, *outer;
} Tower;

static void
tower_init (Tower *self,
            SwTensor *inner)
{
  g_autoptr (SwCarrier) middle = NULL;
  g_autoptr (SwCarrier) outer = NULL;

  self->inner = sw_tensor_ref (inner);
  middle = test_carrier_new (TEST_TYPE_CARRIER, run_twice, self->inner);
  self->middle = test_tensor_on (middle);
  outer = test_carrier_new (TEST_TYPE_OTHER_CARRIER, run_twice, self->middle);
  self->outer = test_tensor_on (outer);
}

static void
tower_clear (Tower *self)
{
  sw_tensor_unref (self->outer);
  sw_tensor_unref (self->middle);
  sw_tensor_unref (self->inner);
}

static gint64
get_parent (GPtrArray *events,
            guint id)
{
  gint64 parent;

  return sw_profiler_event_get_parent_id (events->pdata[id], &parent) ? parent : -1;
}

/* Which is inside of which does not depend on times. */
static void
test_outer_comes_first_at_the_same_instant (void)
{
  g_autoptr (SwTensor) inner = test_generic_tensor (1);
  const gint64 parents[] = { -1, 0, 1, 1, 0, 4, 4 };
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) events = NULL;
  Tower tower;

  tower_init (&tower, inner);
  sw_testing_set_fake_clock (77, 0);
  profiler = test_profiler_entered (FALSE);
  test_relu (tower.outer);
  test_profiler_exit (profiler);
  sw_testing_unset_fake_clock ();

  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, G_N_ELEMENTS (parents));
  for (guint i = 0; i < events->len; i++)
    {
      g_assert_cmpint (sw_profiler_event_get_id (events->pdata[i]), ==, i);
      g_assert_cmpint (get_parent (events, i), ==, parents[i]);
      g_assert_cmpint (sw_profiler_event_get_start_time_ns (events->pdata[i]), ==, 77);
      g_assert_cmpint (sw_profiler_event_get_duration_ns (events->pdata[i]), ==, 0);
      g_assert_cmpint (sw_profiler_event_get_self_time_ns (events->pdata[i]), ==, 0);
    }
  tower_clear (&tower);
}

static void
test_equal_intervals_count_each (void)
{
  g_autoptr (SwTensor) inner = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) rows = NULL;

  sw_testing_set_fake_clock (77, 0);
  profiler = test_profiler_entered (FALSE);
  test_relu (inner);
  test_relu (inner);
  test_profiler_exit (profiler);
  sw_testing_unset_fake_clock ();

  rows = sw_profiler_dup_key_averages (profiler, FALSE, NULL);
  g_assert_cmpuint (rows->len, ==, 1);
  g_assert_cmpint (sw_profiler_aggregate_get_count (rows->pdata[0]), ==, 2);
  g_assert_cmpint (sw_profiler_aggregate_get_self_total_time_ns (rows->pdata[0]), ==, 0);
}

static SwTensor *
exit_profiler (SwOperation *operation,
               SwValueList *inputs,
               gpointer profiler,
               GError **error)
{
  test_profiler_exit (profiler);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static SwTensor *
run_inner (SwOperation *operation,
           SwValueList *inputs,
           gpointer inner,
           GError **error)
{
  test_relu (inner);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

/* Left by the innermost operation: whatever was open ends then, and none outlives the one around it. */
static void
test_open_operations_end_within_each_other (void)
{
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);
  g_autoptr (SwCarrier) innermost = test_carrier_new (TEST_TYPE_CARRIER, exit_profiler, profiler);
  g_autoptr (SwTensor) on_innermost = test_tensor_on (innermost);
  g_autoptr (SwCarrier) middle = test_carrier_new (TEST_TYPE_CARRIER, run_inner, on_innermost);
  g_autoptr (SwTensor) on_middle = test_tensor_on (middle);
  g_autoptr (SwCarrier) outer = test_carrier_new (TEST_TYPE_OTHER_CARRIER, run_inner, on_middle);
  g_autoptr (SwTensor) on_outer = test_tensor_on (outer);
  g_autoptr (GPtrArray) events = NULL;
  gint64 end = G_MAXINT64;

  sw_testing_set_fake_clock (100, 5);
  g_assert_true (sw_profiler_enter (profiler, NULL));
  test_relu (on_outer);
  sw_testing_unset_fake_clock ();

  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 3);
  for (guint i = 0; i < events->len; i++)
    {
      gint64 start = sw_profiler_event_get_start_time_ns (events->pdata[i]);
      gint64 duration = sw_profiler_event_get_duration_ns (events->pdata[i]);

      g_assert_false (sw_profiler_event_get_succeeded (events->pdata[i]));
      g_assert_cmpint (get_parent (events, i), ==, (gint64) i - 1);
      g_assert_cmpint (duration, >, 0);
      g_assert_cmpint (start + duration, <=, end);
      g_assert_cmpint (sw_profiler_event_get_self_time_ns (events->pdata[i]), >=, 0);
      end = start + duration;
    }
}

/* What adds up to the time that passed is self times, and only they. */
static void
test_self_times_add_up_to_no_more_than_passed (void)
{
  g_autoptr (SwTensor) inner = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) events = NULL;
  gint64 before, passed, self_times = 0, durations = 0;
  Tower tower;

  tower_init (&tower, inner);
  before = g_get_monotonic_time () * 1000;
  profiler = test_profiler_entered (FALSE);
  for (guint i = 0; i < 100; i++)
    test_relu (tower.outer);
  test_profiler_exit (profiler);
  /* Microseconds are rounded down. */
  passed = (g_get_monotonic_time () + 1) * 1000 - before;

  events = test_profiler_events (profiler);
  for (guint i = 0; i < events->len; i++)
    {
      self_times += sw_profiler_event_get_self_time_ns (events->pdata[i]);
      durations += sw_profiler_event_get_duration_ns (events->pdata[i]);
    }
  g_assert_cmpint (self_times, <=, passed);
  g_assert_cmpint (self_times, <, durations);
  tower_clear (&tower);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/ties/outer-comes-first", test_outer_comes_first_at_the_same_instant);
  g_test_add_func ("/profiler/ties/equal-intervals-count-each", test_equal_intervals_count_each);
  g_test_add_func ("/profiler/ties/open-operations-end-within-each-other", test_open_operations_end_within_each_other);
  g_test_add_func ("/profiler/ties/self-times-add-up", test_self_times_add_up_to_no_more_than_passed);
  return g_test_run ();
}
