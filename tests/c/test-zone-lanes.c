/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What threads are called in a trace: renames count, and nobody inherits the name of a thread that ended. */
#include "config.h"

#include <pthread.h>
#include <unistd.h>

#include "zone-profiler-fixture.h"

#define N_SUCCESSORS 300

static void
record (const char *name)
{
  guint site = sw_profile_site_register ("lanes.c", 1, "record", name);

  sw_profile_zone_end (sw_profile_zone_begin (site), NULL);
}

static const char *
timeline_name (TestTrace *trace,
               const TestZone *zone)
{
  return sw_timeline_get_name (g_ptr_array_index (trace->timelines, zone->timeline));
}

static gpointer
rename_by_system (gpointer data)
{
  g_assert_true (sw_zone_profiler_enter (data, NULL));
  record ("before");
  pthread_setname_np (pthread_self (), "renamed");
  record ("after");
  g_assert_true (sw_zone_profiler_exit (data, NULL));
  return NULL;
}

static gpointer
rename_by_library (gpointer data)
{
  g_assert_true (sw_zone_profiler_enter (data, NULL));
  record ("before");
  sw_profile_set_thread_name ("a name that is longer than the system takes");
  record ("after");
  g_assert_true (sw_zone_profiler_exit (data, NULL));
  return NULL;
}

static TestTrace *
run_renamed (GThreadFunc run)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();

  g_thread_join (g_thread_new ("original", run, profiler));
  return test_trace_new (test_zone_profiler_stop (profiler));
}

/* One thread stays one timeline, which has the last name. */
static void
test_renamed_by_system (void)
{
  g_autoptr (TestTrace) trace = run_renamed (rename_by_system);

  g_assert_cmpuint (trace->timelines->len, ==, 1);
  g_assert_cmpstr (timeline_name (trace, test_trace_find (trace, "before")), ==, "renamed");
  g_assert_cmpstr (timeline_name (trace, test_trace_find (trace, "after")), ==, "renamed");
}

static void
test_renamed_by_library (void)
{
  g_autoptr (TestTrace) trace = run_renamed (rename_by_library);

  g_assert_cmpuint (trace->timelines->len, ==, 1);
  g_assert_cmpstr (timeline_name (trace, test_trace_find (trace, "after")), ==,
                   "a name that is longer than the system takes");
}

static gpointer
rename_by_language (gpointer data)
{
  g_assert_true (sw_zone_profiler_enter (data, NULL));
  record ("before");
  sw_profile_tell_thread_name (0, "what a language calls it");
  g_assert_true (sw_zone_profiler_exit (data, NULL));
  return NULL;
}

static gpointer
rename_by_both (gpointer data)
{
  g_assert_true (sw_zone_profiler_enter (data, NULL));
  record ("before");
  sw_profile_set_thread_name ("given");
  sw_profile_tell_thread_name (0, "what a language calls it");
  g_assert_true (sw_zone_profiler_exit (data, NULL));
  return NULL;
}

static gpointer
rename_by_language_no_more (gpointer data)
{
  g_assert_true (sw_zone_profiler_enter (data, NULL));
  record ("before");
  sw_profile_tell_thread_name (0, "what a language calls it");
  sw_profile_tell_thread_name (0, NULL);
  g_assert_true (sw_zone_profiler_exit (data, NULL));
  return NULL;
}

static void
test_renamed_by_language (void)
{
  static const struct
  {
    GThreadFunc run;
    const char *name;
  } cases[] = {
    { rename_by_language, "what a language calls it" },
    { rename_by_both, "given" },
    { rename_by_language_no_more, "original" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TestTrace) trace = run_renamed (cases[i].run);

      g_assert_cmpstr (timeline_name (trace, test_trace_find (trace, "before")), ==, cases[i].name);
    }
}

typedef struct
{
  SwZoneProfiler *profiler;
  pthread_barrier_t barrier;
  guint64 os_thread_id;
} Named;

static gpointer
wait_for_name (gpointer data)
{
  Named *named = data;

  g_assert_true (sw_zone_profiler_enter (named->profiler, NULL));
  record ("before");
  named->os_thread_id = (guint64) gettid ();
  pthread_barrier_wait (&named->barrier);
  pthread_barrier_wait (&named->barrier);
  g_assert_true (sw_zone_profiler_exit (named->profiler, NULL));
  return NULL;
}

/* A living thread can be named from another one; one that has ended has the name that it had, whoever has its number. */
static void
test_named_by_another (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  Named named = { .profiler = profiler };
  GThread *thread;

  pthread_barrier_init (&named.barrier, NULL, 2);
  thread = g_thread_new ("original", wait_for_name, &named);
  pthread_barrier_wait (&named.barrier);
  sw_profile_tell_thread_name (named.os_thread_id, "by another");
  pthread_barrier_wait (&named.barrier);
  g_thread_join (thread);
  pthread_barrier_destroy (&named.barrier);
  sw_profile_tell_thread_name (named.os_thread_id, "too late");
  sw_profile_tell_thread_name (G_MAXUINT64, "of no thread");

  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_assert_cmpstr (timeline_name (trace, test_trace_find (trace, "before")), ==, "by another");
}

typedef struct
{
  SwZoneProfiler *profiler;
  guint number;
  pthread_t self;
} Successor;

static gpointer
record_number (gpointer data)
{
  Successor *successor = data;
  g_autofree char *name = g_strdup_printf ("heir-%u", successor->number);

  successor->self = pthread_self ();
  g_assert_true (sw_zone_profiler_enter (successor->profiler, NULL));
  record (name);
  g_assert_true (sw_zone_profiler_exit (successor->profiler, NULL));
  return NULL;
}

/* Each thread gets the stack, the thread-local memory and the pthread_t of the one before, and nothing else of it. */
static void
test_successors (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_capturing ();
  g_autoptr (TestTrace) trace = NULL;
  pthread_t last = 0;
  guint n_same = 0;

  for (guint i = 0; i < N_SUCCESSORS; i++)
    {
      g_autofree char *name = g_strdup_printf ("heir-%u", i);
      Successor successor = { profiler, i, 0 };

      g_thread_join (g_thread_new (name, record_number, &successor));
      n_same += pthread_equal (successor.self, last) != 0;
      last = successor.self;
    }
  trace = test_trace_new (test_zone_profiler_stop (profiler));
  g_test_message ("%u of %u threads had the pthread_t of the one before", n_same, N_SUCCESSORS);
  g_assert_cmpuint (trace->n, ==, N_SUCCESSORS);
  g_assert_cmpuint (trace->timelines->len, ==, N_SUCCESSORS);
  for (guint i = 0; i < trace->n; i++)
    g_assert_cmpstr (timeline_name (trace, &trace->zones[i]), ==, trace->zones[i].name);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-lanes/renamed-by-system", test_renamed_by_system);
  g_test_add_func ("/zone-lanes/renamed-by-library", test_renamed_by_library);
  g_test_add_func ("/zone-lanes/renamed-by-language", test_renamed_by_language);
  g_test_add_func ("/zone-lanes/named-by-another", test_named_by_another);
  g_test_add_func ("/zone-lanes/successors", test_successors);
  return g_test_run ();
}
