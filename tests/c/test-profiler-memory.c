/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What thousands of sessions leave behind: nothing. */
#include "config.h"

#include <malloc.h>

#include "profiler-fixtures.h"

/* AddressSanitizer counts every byte by itself, and takes its time. */
#if defined(__SANITIZE_ADDRESS__)
#define N_SESSIONS 100
#else
#define N_SESSIONS 2000
#endif

static SwTensor *
fail_after_inner (SwOperation *operation,
                  SwValueList *inputs,
                  gpointer inner,
                  GError **error)
{
  test_relu (inner);
  g_set_error_literal (error, SW_ERROR, SW_ERROR_FAILED, "fails");
  return NULL;
}

static void
run_failing (SwCarrier *carrier)
{
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_relu (tensor, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_FAILED);
}

static void
read_results (SwProfiler *profiler)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) events = sw_profiler_dup_events (profiler, &error);
  g_autoptr (GPtrArray) rows = sw_profiler_dup_key_averages (profiler, TRUE, &error);
  g_autofree char *table = sw_profiler_dup_table (profiler, NULL, TRUE, TRUE, -1, &error);
  g_autoptr (GBytes) columns = sw_profiler_dup_event_columns (profiler, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (events->len, ==, 7);
}

/* With shapes, nesting, failures, and all results. */
static void
run_session (void)
{
  SwTensor *tensor = test_evictable_tensor (3);
  SwProfiler *profiler = test_profiler_entered (TRUE);
  SwCarrier *carrier = test_carrier_new (TEST_TYPE_CARRIER, fail_after_inner, tensor);
  SwCarrier *tiers = sw_tensor_get_carrier (tensor);

  g_object_add_weak_pointer (G_OBJECT (tiers), (gpointer *) &tiers);
  test_relu (tensor);
  run_failing (carrier);
  test_failing_add (tensor);
  g_assert_finalize_object (carrier);
  sw_tensor_unref (tensor);
  /* Recorded with its shape, and not alive for it. */
  g_assert_null (tiers);
  test_profiler_exit (profiler);
  read_results (profiler);
  g_assert_finalize_object (profiler);
}

static void
test_sessions_leave_nothing (void)
{
  gsize before, after;

  for (guint i = 0; i < N_SESSIONS / 10; i++)
    run_session ();
  before = mallinfo2 ().uordblks;
  for (guint i = 0; i < N_SESSIONS; i++)
    run_session ();
  after = mallinfo2 ().uordblks;
  /* The smallest allocation of each session would be 24 bytes. */
  g_assert_cmpint ((gint64) after - (gint64) before, <, N_SESSIONS * 12);
}

static void
test_unread_and_abandoned_sessions_leave_nothing (void)
{
  gsize before = 0, after;

  for (guint i = 0; i < N_SESSIONS + N_SESSIONS / 10; i++)
    {
      g_autoptr (SwTensor) tensor = test_generic_tensor (1);
      SwProfiler *profiler = test_profiler_entered (i % 2 == 0);

      if (i == N_SESSIONS / 10)
        before = mallinfo2 ().uordblks;
      test_relu (tensor);
      if (i % 3 == 0)
        test_profiler_exit (profiler);
      g_assert_finalize_object (profiler);
    }
  after = mallinfo2 ().uordblks;
  g_assert_cmpint ((gint64) after - (gint64) before, <, N_SESSIONS * 12);
}

static gboolean
count_cycle (SwProfilerCycle *cycle,
             gpointer n_cycles,
             GError **error)
{
  ++*(guint *) n_cycles;
  return TRUE;
}

static void
run_scheduled_and_grouped (SwTensor *tensor)
{
  guint n_cycles = 0;
  SwProfilerSchedule *schedule = sw_profiler_schedule_new (NULL, 0, 0, 1, 1, 0, NULL);
  SwProfilerGroup *group = sw_profiler_group_new (NULL);

  sw_profiler_schedule_set_cycle_func (schedule, count_cycle, &n_cycles, NULL);
  g_assert_true (sw_profiler_group_enter (group, NULL));
  g_assert_true (sw_profiler_schedule_enter (schedule, NULL));
  for (guint s = 0; s < 3; s++)
    {
      test_relu (tensor);
      g_assert_true (sw_profiler_schedule_step (schedule, NULL));
    }
  test_relu (tensor);
  g_assert_true (sw_profiler_schedule_exit (schedule, NULL));
  g_assert_true (sw_profiler_group_exit (group, NULL));
  g_assert_cmpuint (n_cycles, ==, 2);
  g_assert_finalize_object (schedule);
  g_assert_finalize_object (group);
}

static void
test_schedules_and_groups_leave_nothing (void)
{
  g_autoptr (SwTensor) tensor = test_evictable_tensor (1);
  gsize before, after;

  for (guint i = 0; i < N_SESSIONS / 10; i++)
    run_scheduled_and_grouped (tensor);
  before = mallinfo2 ().uordblks;
  for (guint i = 0; i < N_SESSIONS; i++)
    run_scheduled_and_grouped (tensor);
  after = mallinfo2 ().uordblks;
  g_assert_cmpint ((gint64) after - (gint64) before, <, N_SESSIONS * 12);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/memory/sessions-leave-nothing", test_sessions_leave_nothing);
  g_test_add_func ("/profiler/memory/unread-and-abandoned", test_unread_and_abandoned_sessions_leave_nothing);
  g_test_add_func ("/profiler/memory/schedules-and-groups", test_schedules_and_groups_leave_nothing);
  return g_test_run ();
}
