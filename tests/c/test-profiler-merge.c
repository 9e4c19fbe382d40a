/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What several profilers come to together: of the cycles of a schedule, of any. */
#include "config.h"

#include <math.h>

#include "profiler-fixtures.h"

static gboolean
keep_cycle (SwProfilerCycle *cycle,
            gpointer cycles,
            GError **error)
{
  g_ptr_array_add (cycles, sw_profiler_cycle_ref (cycle));
  return TRUE;
}

/* Aggregates of each cycle add up to those of all. */
static void
test_over_all_cycles (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfilerSchedule) schedule = sw_profiler_schedule_new (NULL, 1, 0, 1, 2, 3, NULL);
  g_autoptr (GPtrArray) cycles = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_profiler_cycle_unref);
  g_autoptr (SwTensor) tensor = test_evictable_tensor (2);
  g_autoptr (GPtrArray) rows = NULL;
  g_autofree char *table = NULL;
  g_autofree char *again = NULL;
  SwProfiler *profilers[3];
  gint64 count = 0, total = 0;

  sw_profiler_schedule_set_cycle_func (schedule, keep_cycle, cycles, NULL);
  g_assert_true (sw_profiler_schedule_enter (schedule, NULL));
  for (guint s = 0; s < 20; s++)
    {
      test_relu (tensor);
      g_assert_true (sw_profiler_schedule_step (schedule, NULL));
    }
  g_assert_true (sw_profiler_schedule_exit (schedule, NULL));
  g_assert_cmpuint (cycles->len, ==, G_N_ELEMENTS (profilers));
  for (guint i = 0; i < G_N_ELEMENTS (profilers); i++)
    {
      g_autoptr (GPtrArray) own = NULL;

      profilers[i] = sw_profiler_cycle_get_profiler (g_ptr_array_index (cycles, i));
      own = sw_profiler_dup_key_averages (profilers[i], FALSE, NULL);
      g_assert_cmpuint (own->len, ==, 2);
      count += sw_profiler_aggregate_get_count (own->pdata[0]);
      total += sw_profiler_aggregate_get_total_time_ns (own->pdata[0]);
    }
  rows = sw_profiler_dup_merged_key_averages (profilers, G_N_ELEMENTS (profilers), FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpint (sw_profiler_aggregate_get_count (rows->pdata[0]), ==, count);
  g_assert_cmpint (count, ==, 6);
  g_assert_cmpint (sw_profiler_aggregate_get_total_time_ns (rows->pdata[0]), ==, total);
  table = sw_profiler_dup_merged_table (profilers, G_N_ELEMENTS (profilers), "name", FALSE, TRUE, -1, NULL);
  again = sw_profiler_dup_merged_table (profilers, G_N_ELEMENTS (profilers), "name", FALSE, TRUE, -1, NULL);
  g_assert_nonnull (strstr (table, "Strideweave.Evictable"));
  g_assert_cmpstr (table, ==, again);
}

static void
test_merge_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfiler) fresh = sw_profiler_new (FALSE);
  g_autoptr (GPtrArray) none = sw_profiler_dup_merged_key_averages (NULL, 0, FALSE, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_null (sw_profiler_dup_merged_key_averages (&fresh, 1, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "profilers[0]"));
  g_clear_error (&error);
  g_assert_null (sw_profiler_dup_merged_table (NULL, 0, "size", TRUE, FALSE, -1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

/* Rows of several profilers are those of one that saw it all, whatever each of them numbered its names and shapes by. */
static void
test_like_one (void)
{
  const char *const shapes[] = { "(2,)", "(3, 4)", "(2, (2, 3))", "(3, 4)" };
  g_autoptr (SwProfilerGroup) all = NULL;
  SwProfiler *profilers[4];
  g_autoptr (SwProfiler) options = sw_profiler_new (TRUE);
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GPtrArray) expected = NULL;

  all = sw_profiler_group_new (options);
  g_assert_true (sw_profiler_group_enter (all, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (SwTensor) tensor = test_nested_tensor (shapes[i]);
      g_autoptr (SwTensor) other = test_evictable_tensor (1);

      profilers[i] = test_profiler_entered (TRUE);
      if (i % 2 == 1)
        test_relu (other);
      test_relu (tensor);
      test_failing_add (tensor);
      test_profiler_exit (profilers[i]);
    }
  g_assert_true (sw_profiler_group_exit (all, NULL));

  rows = sw_profiler_dup_merged_key_averages (profilers, G_N_ELEMENTS (shapes), TRUE, NULL);
  expected = sw_profiler_group_dup_key_averages (all, TRUE, NULL);
  g_assert_cmpuint (rows->len, ==, 8);
  g_assert_cmpuint (expected->len, ==, rows->len);
  for (guint i = 0; i < rows->len; i++)
    {
      g_autofree char *text = sw_input_shapes_to_string (sw_profiler_aggregate_get_input_shapes (rows->pdata[i]));
      g_autofree char *expected_text = sw_input_shapes_to_string (sw_profiler_aggregate_get_input_shapes (expected->pdata[i]));

      g_assert_cmpstr (text, ==, expected_text);
      g_assert_cmpstr (sw_profiler_aggregate_get_name (rows->pdata[i]), ==, sw_profiler_aggregate_get_name (expected->pdata[i]));
      g_assert_cmpint (sw_profiler_aggregate_get_count (rows->pdata[i]), ==, sw_profiler_aggregate_get_count (expected->pdata[i]));
    }
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    g_object_unref (profilers[i]);
}

static double
mean_duration (GPtrArray *events)
{
  double sum = 0;

  for (guint i = 0; i < events->len; i++)
    sum += (double) sw_profiler_event_get_duration_ns (events->pdata[i]);
  return sum / events->len;
}

/* One name and one class in each of three profilers: the statistics are those of all durations, not of one's. */
static void
test_statistics (void)
{
  const char *columns[] = { "p99_time_ns", "stddev_time_ns", NULL };
  SwProfiler *profilers[3];
  g_autoptr (SwTensor) tensor = test_generic_tensor (8);
  g_autoptr (SwProfiler) options = sw_profiler_new (FALSE);
  g_autoptr (SwProfilerGroup) all = sw_profiler_group_new (options);
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (SwProfilerColumns) table = NULL;
  g_autofree char *text = NULL;
  g_autofree char *same = NULL;
  double variance = 0;
  gsize n;

  g_assert_true (sw_profiler_group_enter (all, NULL));
  for (guint i = 0; i < 3; i++)
    {
      profilers[i] = test_profiler_entered (FALSE);
      for (guint j = 0; j <= i; j++)
        test_relu (tensor);
      test_profiler_exit (profilers[i]);
    }
  g_assert_true (sw_profiler_group_exit (all, NULL));

  expected = sw_profiler_group_dup_key_statistics (all, FALSE, NULL);
  events = sw_profiler_group_dup_events (all, NULL);
  g_assert_cmpuint (expected->len, ==, 1);
  g_assert_cmpuint (events->len, ==, 6);
  for (guint i = 0; i < events->len; i++)
    {
      double deviation = (double) sw_profiler_event_get_duration_ns (events->pdata[i]) - mean_duration (events);

      variance += deviation * deviation / events->len;
    }
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_stddev_time_ns (expected->pdata[0]), sqrt (variance),
                                  1e-9 * sqrt (variance));
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_total_percent (expected->pdata[0]), 100, 1e-9);

  rows = sw_profiler_dup_merged_key_statistics (profilers, 3, FALSE, NULL);
  g_assert_cmpuint (rows->len, ==, 1);
  g_assert_cmpint (sw_profiler_aggregate_get_count (rows->pdata[0]), ==, 6);
  g_assert_true (sw_profiler_aggregate_has_statistics (rows->pdata[0]));

  table = sw_profiler_tabulate_merged_aggregates (profilers, 3, SW_COLUMN_ORDER_COLUMNS, FALSE, TRUE, NULL);
  g_assert_cmpfloat (sw_profiler_columns_get_doubles (table, "p99_time_ns", &n, NULL)[0], ==,
                     sw_profiler_aggregate_get_p99_time_ns (rows->pdata[0]));
  g_assert_cmpuint (n, ==, 1);
  text = sw_profiler_dup_merged_table_with_columns (profilers, 3, columns, "p99_time_ns", TRUE, FALSE, -1, NULL);
  g_assert_nonnull (strstr (text, "p99 (ns)"));
  same = sw_profiler_dup_merged_table_with_columns (profilers, 3, NULL, NULL, TRUE, FALSE, -1, NULL);
  g_assert_null (strstr (same, "p99 (ns)"));
  for (guint i = 0; i < 3; i++)
    g_object_unref (profilers[i]);
}

static void
test_statistics_refused (void)
{
  const char *unknown[] = { "p50", NULL };
  const char *twice[] = { "p50_time_ns", "p50_time_ns", NULL };
  g_autoptr (SwProfiler) fresh = sw_profiler_new (FALSE);
  g_autoptr (SwProfilerGroup) group = sw_profiler_group_new (fresh);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_profiler_dup_merged_key_statistics (&fresh, 1, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_tabulate_merged_aggregates (&fresh, 1, SW_COLUMN_ORDER_ROWS, FALSE, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_tabulate_merged_aggregates (NULL, 0, (SwColumnOrder) 7, FALSE, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_dup_merged_table_with_columns (NULL, 0, unknown, NULL, TRUE, FALSE, -1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_dup_merged_table_with_columns (NULL, 0, twice, NULL, TRUE, FALSE, -1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_group_dup_key_statistics (group, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_group_tabulate_aggregates (group, SW_COLUMN_ORDER_ROWS, FALSE, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_group_dup_table_with_columns (group, NULL, NULL, TRUE, FALSE, -1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler-merge/over-all-cycles", test_over_all_cycles);
  g_test_add_func ("/profiler-merge/refused", test_merge_refused);
  g_test_add_func ("/profiler-merge/like-one", test_like_one);
  g_test_add_func ("/profiler-merge/statistics", test_statistics);
  g_test_add_func ("/profiler-merge/statistics/refused", test_statistics_refused);
  return g_test_run ();
}
