/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Zones that dispatched operations make by themselves. */
#include "config.h"

#include <string.h>

#include "profiler-fixtures.h"
#include "zone-profiler-fixture.h"

static void
test_automatic (void)
{
  g_autoptr (SwTensor) tensor = test_cpu_tensor (8);
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  {
    SW_PROFILE_ZONE ("mine");
    test_relu (tensor);
    test_failing_add (tensor);
  }
  sw_zone_profiler_set_enable_auto_zones (profiler, FALSE);
  test_relu (tensor);
  sw_zone_profiler_set_enable_auto_zones (profiler, TRUE);
  sw_zone_profiler_set_enabled (profiler, FALSE);
  test_relu (tensor);
  sw_zone_profiler_set_enabled (profiler, TRUE);
  test_relu (tensor);

  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 4);
  g_assert_cmpuint (test_trace_count (trace, "CPU::relu"), ==, 2);
  g_assert_cmpstr (test_trace_parent_name (trace, test_trace_find (trace, "CPU::add")), ==, "mine");
  g_assert_cmpstr (test_trace_parent_name (trace, &trace->zones[0]), ==, "mine");
  g_assert_cmpint (trace->zones[3].parent, ==, -1);
}

/* The operation of a layered carrier encloses that of the carrier below it. */
static void
test_nested (void)
{
  g_autoptr (SwTensor) tensor = test_evictable_tensor (8);
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;

  test_relu (tensor);
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 2);
  g_assert_true (g_str_has_suffix (trace->zones[0].name, "::relu"));
  g_assert_cmpstr (test_trace_parent_name (trace, &trace->zones[0]), ==, "Evictable::relu");
}

/* Both kinds of profiler see the same operations, and neither the other's. */
static void
test_both_profilers (void)
{
  g_autoptr (SwTensor) tensor = test_cpu_tensor (8);
  g_autoptr (SwZoneProfiler) zones = test_zone_profiler_capturing ();
  g_autoptr (SwProfiler) operations = test_profiler_entered (FALSE);
  g_autoptr (TestTrace) trace = NULL;
  g_autoptr (GPtrArray) events = NULL;

  for (guint i = 0; i < 5; i++)
    test_relu (tensor);
  test_profiler_exit (operations);
  test_relu (tensor);
  events = test_profiler_events (operations);
  g_assert_cmpuint (events->len, ==, 5);
  trace = test_trace_new (test_zone_profiler_stop (zones));
  g_assert_cmpuint (test_trace_count (trace, "CPU::relu"), ==, 6);
}

static gpointer
run_elsewhere (gpointer profiler)
{
  g_autoptr (SwTensor) tensor = test_cpu_tensor (8);

  test_relu (tensor);
  g_assert_true (sw_zone_profiler_enter (profiler, NULL));
  test_relu (tensor);
  g_assert_true (sw_zone_profiler_exit (profiler, NULL));
  test_relu (tensor);
  return NULL;
}

static void
test_only_where_current (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;

  g_thread_join (g_thread_new ("elsewhere", run_elsewhere, profiler));
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpuint (trace->n, ==, 1);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-operations/automatic", test_automatic);
  g_test_add_func ("/zone-operations/nested", test_nested);
  g_test_add_func ("/zone-operations/both-profilers", test_both_profilers);
  g_test_add_func ("/zone-operations/only-where-current", test_only_where_current);
  return g_test_run ();
}
