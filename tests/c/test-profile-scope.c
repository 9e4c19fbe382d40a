/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scope that leaves a profiler at the end of a block. */
#include "config.h"

#include "profiler-fixtures.h"

static gboolean
run_scoped (SwProfiler *profiler,
            SwTensor *tensor,
            gboolean return_early,
            GError **error)
{
  g_autoptr (SwProfileScope) scope = sw_profile_scope_new (profiler, error);

  if (scope == NULL)
    return FALSE;

  g_assert_true (sw_profiler_is_active (profiler));
  g_assert_true (sw_profile_scope_get_profiler (scope) == profiler);
  test_relu (tensor);
  if (return_early)
    return FALSE;
  test_relu (tensor);
  return sw_profile_scope_leave (scope, error);
}

static void
test_end_of_block (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  SwProfiler *profiler = sw_profiler_new (FALSE);

  g_assert_true (run_scoped (profiler, tensor, FALSE, &error));
  g_assert_no_error (error);
  g_assert_true (sw_profiler_is_completed (profiler));
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 2);
  g_assert_finalize_object (profiler);
}

static void
test_early_return (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  SwProfiler *profiler = sw_profiler_new (FALSE);

  g_assert_false (run_scoped (profiler, tensor, TRUE, &error));
  g_assert_no_error (error);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 1);
  g_assert_finalize_object (profiler);
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) outer = test_profiler_entered (FALSE);
  SwProfiler *inner = sw_profiler_new (FALSE);

  g_assert_false (run_scoped (inner, tensor, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_finalize_object (inner);

  /* The refused scope has left the outer profiler alone. */
  g_assert_true (sw_profiler_is_active (outer));
  test_relu (tensor);
  test_profiler_exit (outer);
  g_assert_cmpint (sw_profiler_count_events (outer, NULL), ==, 1);
}

static void
test_left_before (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);
  g_autoptr (SwProfiler) next = NULL;

  {
    g_autoptr (SwProfileScope) scope = sw_profile_scope_new (profiler, &error);

    g_assert_no_error (error);
    test_profiler_exit (profiler);
    g_assert_false (sw_profile_scope_leave (scope, &error));
    g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
    next = test_profiler_entered (FALSE);
  }

  /* The end of a scope whose profiler was left ends nobody else's session. */
  g_assert_true (sw_profiler_is_active (next));
  test_profiler_exit (next);
}

static gpointer
free_elsewhere (gpointer scope)
{
  sw_profile_scope_free (scope);
  return NULL;
}

static void
test_other_thread (void)
{
  g_autoptr (GError) error = NULL;
  SwProfiler *profiler = sw_profiler_new (FALSE);
  SwProfileScope *scope = sw_profile_scope_new (profiler, &error);
  g_autoptr (SwProfiler) next = NULL;

  g_assert_no_error (error);
  g_thread_join (g_thread_new ("worker", free_elsewhere, scope));
  g_assert_false (sw_profiler_is_active (profiler));
  g_assert_cmpint (sw_profiler_count_events (profiler, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "abandoned"));
  g_assert_finalize_object (profiler);

  next = test_profiler_entered (FALSE);
  test_profiler_exit (next);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profile-scope/end-of-block", test_end_of_block);
  g_test_add_func ("/profile-scope/early-return", test_early_return);
  g_test_add_func ("/profile-scope/refused", test_refused);
  g_test_add_func ("/profile-scope/left-before", test_left_before);
  g_test_add_func ("/profile-scope/other-thread", test_other_thread);
  return g_test_run ();
}
