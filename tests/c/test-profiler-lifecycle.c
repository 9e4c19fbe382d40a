/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choosing carriers, entering and leaving, threads. */
#include "config.h"

#include "profiler-fixtures.h"

static void
assert_carriers (GPtrArray *events,
                 guint n,
                 GType first,
                 GType second)
{
  g_assert_cmpuint (events->len, ==, n);
  if (n > 0)
    g_assert_cmpuint (sw_profiler_event_get_carrier_type (g_ptr_array_index (events, 0)), ==, first);
  if (n > 1)
    g_assert_cmpuint (sw_profiler_event_get_carrier_type (g_ptr_array_index (events, 1)), ==, second);
}

static void
test_all_carriers (void)
{
  /* Covers: 2.2, 2.3 */
  g_autoptr (SwTensor) tensor = test_evictable_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;

  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  assert_carriers (events, 2, SW_TYPE_EVICTABLE, SW_TYPE_GENERIC);
}

static void
test_exact_carrier (void)
{
  /* Covers: 2.5 */
  g_autoptr (SwCarrier) derived = test_carrier_new (TEST_TYPE_OTHER_CARRIER, NULL, NULL);
  g_autoptr (SwTensor) on_derived = test_tensor_on (derived);
  g_autoptr (SwTensor) on_evictable = test_evictable_tensor (2);
  g_autoptr (SwProfiler) generic = test_profiler_entered_for (SW_TYPE_GENERIC);
  g_autoptr (GPtrArray) generic_events = NULL;
  g_autoptr (SwProfiler) base = NULL;
  g_autoptr (GPtrArray) base_events = NULL;

  test_relu (on_derived);
  test_relu (on_evictable);
  test_profiler_exit (generic);
  generic_events = test_profiler_events (generic);
  assert_carriers (generic_events, 1, SW_TYPE_GENERIC, 0);

  /* A class does not stand for those derived from it. */
  base = test_profiler_entered_for (TEST_TYPE_CARRIER);
  test_relu (on_derived);
  test_profiler_exit (base);
  base_events = test_profiler_events (base);
  assert_carriers (base_events, 0, 0, 0);
}

static void
test_no_carrier (void)
{
  /* Covers: 2.4 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = sw_profiler_new_for_carriers (NULL, 0, FALSE, &error);
  g_autoptr (GPtrArray) events = NULL;

  g_assert_no_error (error);
  g_assert_true (sw_profiler_enter (profiler, NULL));
  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  assert_carriers (events, 0, 0, 0);
}

static void
test_invalid_filter (void)
{
  /* Covers: 2.7 */
  const GType invalid[] = { G_TYPE_OBJECT, G_TYPE_INT, G_TYPE_INVALID, SW_TYPE_OPERATION };

  for (gsize i = 0; i < G_N_ELEMENTS (invalid); i++)
    {
      g_autoptr (GError) error = NULL;
      const GType carriers[] = { SW_TYPE_GENERIC, invalid[i] };

      g_assert_null (sw_profiler_new_for_carriers (carriers, 2, FALSE, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
      g_assert_nonnull (strstr (error->message, "carriers[1]"));
      g_assert_nonnull (strstr (error->message, "Carrier"));
    }
}

static void
test_results_after_exit (void)
{
  /* Covers: 3.1, 3.6, 3.8 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;

  g_assert_true (sw_profiler_is_active (profiler));
  test_relu (tensor);
  test_profiler_exit (profiler);
  g_assert_false (sw_profiler_is_active (profiler));
  g_assert_true (sw_profiler_is_completed (profiler));

  /* Frozen: what comes later is not in it. */
  test_relu (tensor);
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 1);
}

static void
assert_no_results (SwProfiler *profiler)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_profiler_dup_events (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "only after context exit"));
  g_clear_error (&error);
  g_assert_null (sw_profiler_dup_event_columns (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_dup_key_averages (profiler, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_dup_table (profiler, NULL, TRUE, FALSE, -1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_cmpint (sw_profiler_count_events (profiler, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
}

static void
test_no_results_before_exit (void)
{
  /* Covers: 3.6, 3.7 */
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);

  assert_no_results (profiler);
  g_assert_true (sw_profiler_enter (profiler, NULL));
  assert_no_results (profiler);
  test_profiler_exit (profiler);
}

static void
assert_single_use (SwProfiler *profiler)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_profiler_enter (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "single-use"));
}

static void
test_reused (void)
{
  /* Covers: 2.1, 3.4 */
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);

  assert_single_use (profiler);
  test_profiler_exit (profiler);
  assert_single_use (profiler);
}

static void
test_nested (void)
{
  /* Covers: 3.2, 3.3, 3.5 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) outer = test_profiler_entered (FALSE);
  g_autoptr (SwProfiler) inner = sw_profiler_new (FALSE);

  g_assert_false (sw_profiler_enter (inner, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "already active"));
  test_relu (tensor);
  test_profiler_exit (outer);
  g_assert_cmpint (sw_profiler_count_events (outer, NULL), ==, 1);
  assert_single_use (inner);
}

static void
test_exit_inactive (void)
{
  /* Covers: 3.9 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);

  g_assert_false (sw_profiler_exit (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_true (sw_profiler_enter (profiler, NULL));
  test_profiler_exit (profiler);
  g_assert_false (sw_profiler_exit (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 0);
}

static void
test_body_fails (void)
{
  /* Covers: 3.8, 4.8 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;

  test_failing_add (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpstr (sw_profiler_event_get_name (g_ptr_array_index (events, 0)), ==, "add");
  g_assert_false (sw_profiler_event_get_succeeded (g_ptr_array_index (events, 0)));
}

static gpointer
run_relu (gpointer tensor)
{
  test_relu (tensor);
  return NULL;
}

static void
test_other_thread (void)
{
  /* Covers: 9.1, 9.2 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwTensor) workers = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);

  g_thread_join (g_thread_new ("worker", run_relu, workers));
  test_relu (tensor);
  test_profiler_exit (profiler);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 1);
}

static gpointer
exit_elsewhere (gpointer profiler)
{
  GError *error = NULL;

  g_assert_false (sw_profiler_exit (profiler, &error));
  return error;
}

static void
test_cross_thread_exit (void)
{
  /* Covers: 9.3, 9.4, 9.5 */
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (SwProfiler) fresh = NULL;

  test_relu (tensor);
  error = g_thread_join (g_thread_new ("worker", exit_elsewhere, profiler));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "active thread"));
  g_assert_false (sw_profiler_is_active (profiler));

  test_relu (tensor);
  assert_no_results (profiler);
  g_clear_error (&error);
  g_assert_false (sw_profiler_exit (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);

  fresh = test_profiler_entered (FALSE);
  test_relu (tensor);
  test_profiler_exit (fresh);
  g_assert_cmpint (sw_profiler_count_events (fresh, NULL), ==, 1);
}

/* A body that has the profiler abandoned, by another thread, in the middle of an operation. */
static SwTensor *
abandon_inside (SwOperation *operation,
                SwValueList *inputs,
                gpointer profiler,
                GError **error)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  GError *refusal = g_thread_join (g_thread_new ("worker", exit_elsewhere, profiler));

  g_assert_error (refusal, SW_ERROR, SW_ERROR_STATE);
  g_error_free (refusal);
  test_relu (tensor);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
test_abandoned_inside_operation (void)
{
  /* Covers: 9.4, 9.5 */
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, abandon_inside, profiler);
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);
  g_autoptr (SwProfiler) fresh = NULL;

  test_relu (tensor);
  assert_no_results (profiler);
  fresh = test_profiler_entered (FALSE);
  test_profiler_exit (fresh);
  g_assert_cmpint (sw_profiler_count_events (fresh, NULL), ==, 0);
}

static gpointer
enter_and_leave_thread (gpointer tensor)
{
  SwProfiler *profiler = test_profiler_entered (TRUE);

  test_relu (tensor);
  return profiler;
}

static void
test_thread_ends_inside (void)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = g_thread_join (g_thread_new ("worker", enter_and_leave_thread, tensor));
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_profiler_exit (profiler, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  assert_no_results (profiler);
}

static void
test_finalized_while_active (void)
{
  /* Covers: 9.6 */
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  SwProfiler *profiler = test_profiler_entered (TRUE);
  g_autoptr (SwProfiler) fresh = NULL;

  test_relu (tensor);
  g_assert_finalize_object (profiler);
  test_relu (tensor);
  fresh = test_profiler_entered (FALSE);
  test_relu (tensor);
  test_profiler_exit (fresh);
  g_assert_cmpint (sw_profiler_count_events (fresh, NULL), ==, 1);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  test_scenario ("Record all carrier classes by default", test_all_carriers);
  test_scenario ("Select one exact carrier class", test_exact_carrier);
  test_scenario ("Select no carrier classes", test_no_carrier);
  test_scenario ("Reject an invalid carrier filter", test_invalid_filter);
  test_scenario ("Read results after normal exit", test_results_after_exit);
  test_scenario ("Refuse results before exit", test_no_results_before_exit);
  test_scenario ("Reject a reused context", test_reused);
  test_scenario ("Reject nested contexts on one thread", test_nested);
  test_scenario ("Preserve results when the context body raises", test_body_fails);
  test_scenario ("Ignore another thread's operation", test_other_thread);
  test_scenario ("Reject cross-thread exit and recover", test_cross_thread_exit);
  g_test_add_func ("/profiler/exit-inactive", test_exit_inactive);
  g_test_add_func ("/profiler/abandoned-inside-operation", test_abandoned_inside_operation);
  g_test_add_func ("/profiler/thread-ends-inside", test_thread_ends_inside);
  g_test_add_func ("/profiler/finalized-while-active", test_finalized_while_active);
  return g_test_run ();
}
