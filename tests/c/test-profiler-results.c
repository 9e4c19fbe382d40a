/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Aggregates and tables of real sessions. */
#include "config.h"

#include "profiler-fixtures.h"

static GPtrArray *
get_rows (SwProfiler *profiler,
          gboolean by_shape)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *rows = sw_profiler_dup_key_averages (profiler, by_shape, &error);

  g_assert_no_error (error);
  return rows;
}

static char *
get_table (SwProfiler *profiler,
           const char *sort_by,
           gint64 row_limit)
{
  g_autoptr (GError) error = NULL;
  char *table = sw_profiler_dup_table (profiler, sort_by, TRUE, FALSE, row_limit, &error);

  g_assert_no_error (error);
  return table;
}

static void
test_repeated (void)
{
  /* Covers: 10.8, 10.9 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  SwProfilerAggregate *row;
  gint64 first, second;

  test_relu (tensor);
  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  rows = get_rows (profiler, FALSE);
  g_assert_cmpuint (rows->len, ==, 1);
  row = g_ptr_array_index (rows, 0);
  first = sw_profiler_event_get_duration_ns (g_ptr_array_index (events, 0));
  second = sw_profiler_event_get_duration_ns (g_ptr_array_index (events, 1));
  g_assert_cmpint (sw_profiler_aggregate_get_count (row), ==, 2);
  g_assert_cmpint (sw_profiler_aggregate_get_total_time_ns (row), ==, first + second);
  g_assert_cmpint (sw_profiler_aggregate_get_self_total_time_ns (row), ==, first + second);
  g_assert_cmpfloat (sw_profiler_aggregate_get_mean_time_ns (row), ==, (double) (first + second) / 2);
  g_assert_cmpint (sw_profiler_aggregate_get_min_time_ns (row), ==, MIN (first, second));
  g_assert_cmpint (sw_profiler_aggregate_get_max_time_ns (row), ==, MAX (first, second));
}

static void
test_separate_carriers (void)
{
  /* Covers: 10.5 */
  g_autoptr (SwTensor) tensor = test_evictable_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) rows = NULL;

  test_relu (tensor);
  test_profiler_exit (profiler);
  rows = get_rows (profiler, FALSE);
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpuint (sw_profiler_aggregate_get_carrier_type (g_ptr_array_index (rows, 0)), ==, SW_TYPE_EVICTABLE);
  g_assert_cmpuint (sw_profiler_aggregate_get_carrier_type (g_ptr_array_index (rows, 1)), ==, SW_TYPE_GENERIC);
}

static void
test_group_by_shape (void)
{
  /* Covers: 10.6 */
  g_autoptr (SwTensor) nested = test_nested_tensor ("(2, (3, 4))");
  g_autoptr (SwTensor) flat = test_nested_tensor ("(2, 12)");
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);
  g_autoptr (GPtrArray) combined = NULL;
  g_autoptr (GPtrArray) grouped = NULL;
  const char *expected[] = { "((2, (3, 4)),)", "((2, 12),)" };

  test_relu (nested);
  test_relu (flat);
  test_profiler_exit (profiler);
  combined = get_rows (profiler, FALSE);
  grouped = get_rows (profiler, TRUE);
  g_assert_cmpuint (combined->len, ==, 1);
  g_assert_null (sw_profiler_aggregate_get_input_shapes (g_ptr_array_index (combined, 0)));
  g_assert_cmpuint (grouped->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *text = sw_input_shapes_to_string (sw_profiler_aggregate_get_input_shapes (g_ptr_array_index (grouped, i)));

      g_assert_cmpstr (text, ==, expected[i]);
      g_assert_cmpint (sw_profiler_aggregate_get_count (g_ptr_array_index (grouped, i)), ==, 1);
    }
}

static void
test_aggregate_value (void)
{
  /* Covers: 11.1 */
  g_autoptr (SwInputShapes) shapes = sw_input_shapes_new (NULL, 0);
  g_autoptr (SwProfilerAggregate) row = sw_profiler_aggregate_new ("name", SW_TYPE_CPU, shapes, -1, 2, 3, 4.5, 5, 6);

  g_assert_cmpstr (sw_profiler_aggregate_get_name (row), ==, "name");
  g_assert_cmpuint (sw_profiler_aggregate_get_carrier_type (row), ==, SW_TYPE_CPU);
  g_assert_true (sw_profiler_aggregate_get_input_shapes (row) == shapes);
  g_assert_cmpint (sw_profiler_aggregate_get_count (row), ==, -1);
  g_assert_cmpint (sw_profiler_aggregate_get_total_time_ns (row), ==, 2);
  g_assert_cmpint (sw_profiler_aggregate_get_self_total_time_ns (row), ==, 3);
  g_assert_cmpfloat (sw_profiler_aggregate_get_mean_time_ns (row), ==, 4.5);
  g_assert_cmpint (sw_profiler_aggregate_get_min_time_ns (row), ==, 5);
  g_assert_cmpint (sw_profiler_aggregate_get_max_time_ns (row), ==, 6);
}

static void
test_limited_table (void)
{
  /* Covers: 12.1, 12.5, 12.8, 12.9 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autofree char *table = NULL;
  g_autofree char *again = NULL;
  g_auto (GStrv) lines = NULL;

  test_relu (tensor);
  test_relu (tensor);
  test_failing_add (tensor);
  test_profiler_exit (profiler);
  table = get_table (profiler, "count", 1);
  again = get_table (profiler, "count", 1);
  g_assert_cmpstr (table, ==, again);
  lines = g_strsplit (g_strchomp (table), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_true (g_str_has_prefix (lines[0], "Name"));
  g_assert_true (g_str_has_prefix (lines[1], "----"));
  g_assert_true (g_str_has_prefix (lines[2], "relu"));
}

static void
test_empty_table (void)
{
  /* Covers: 12.10 */
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autofree char *table = NULL;
  g_auto (GStrv) lines = NULL;

  test_profiler_exit (profiler);
  table = get_table (profiler, NULL, -1);
  lines = g_strsplit (g_strchomp (table), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 2);
}

static void
assert_table_refused (const char *sort_by,
                      gint64 row_limit,
                      const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);

  test_profiler_exit (profiler);
  g_assert_null (sw_profiler_dup_table (profiler, sort_by, TRUE, FALSE, row_limit, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_sort_field (void)
{
  /* Covers: 12.12 */
  assert_table_refused ("unknown", -1, "sort field");
  assert_table_refused ("", -1, "sort field");
}

static void
test_row_limit (void)
{
  /* Covers: 12.15 */
  assert_table_refused (NULL, -2, "row_limit");
  assert_table_refused (NULL, G_MININT64, "row_limit");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_scenario ("Aggregate repeated executions", test_repeated);
  test_scenario ("Separate exact carrier classes", test_separate_carriers);
  test_scenario ("Group by hierarchical input shape", test_group_by_shape);
  test_scenario ("Construct an aggregate value directly", test_aggregate_value);
  test_scenario ("Render a deterministic limited table", test_limited_table);
  test_scenario ("Render an empty table", test_empty_table);
  test_scenario ("Reject an unsupported sort field", test_sort_field);
  test_scenario ("Reject an invalid row limit", test_row_limit);
  return g_test_run ();
}
