/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children of forks, and processes that end while zones are open. */
#include "config.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "zone-profiler-fixture.h"

#define N_BUSY 3

/* A child cannot report by GTest; it says by its status which line was wrong. */
#define child_check(condition)                                      \
  G_STMT_START                                                      \
  {                                                                 \
    if (!(condition))                                               \
      {                                                             \
        g_printerr ("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        _exit (1);                                                  \
      }                                                             \
  }                                                                 \
  G_STMT_END

static gint stop;
static gint n_running;

static gpointer
record_busily (gpointer profiler)
{
  if (profiler != NULL)
    g_assert_true (sw_zone_profiler_enter (profiler, NULL));
  __atomic_add_fetch (&n_running, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n (&stop, __ATOMIC_RELAXED) == 0)
    {
      SW_PROFILE_ZONE ("busy");
      SW_PROFILE_ZONE ("busy inside");
    }
  return NULL;
}

static void
wait_for_child (pid_t pid)
{
  int status = 0;

  g_assert_cmpint (pid, >, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
run_child (SwZoneProfiler *profiler,
           guint64 inherited)
{
  SwZoneTrace *trace;
  SwZoneTrace *live;
  SwZoneProfiler *other;
  GThread *thread;

  child_check (!sw_zone_profiler_get_capture_active (profiler));
  child_check (!sw_profile_zone_end (inherited, NULL));
  live = sw_zone_profiler_live_snapshot (profiler);
  child_check (sw_zone_trace_get_zone_count (live) == 0);
  child_check (sw_zone_profiler_start_capture (profiler, NULL, NULL));
  {
    SW_PROFILE_FRAME ("of the child");
    SW_PROFILE_ZONE ("of the child");
  }
  /* The worker has to be there again, or the queue of 64 would never be emptied. */
  for (guint i = 0; i < 100000; i++)
    {
      SW_PROFILE_ZONE ("many");
      if (i % 50 == 0)
        sw_zone_profiler_flush (profiler);
    }
  __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
  thread = g_thread_new ("of the child", record_busily, profiler);
  g_thread_join (thread);
  trace = sw_zone_profiler_stop_capture (profiler, NULL);
  child_check (trace != NULL);
  child_check (sw_zone_trace_get_zone_count (trace) == 100001);
  other = sw_zone_profiler_new (NULL, NULL);
  child_check (other != NULL);
  g_object_unref (other);
  g_object_unref (profiler);
}

static pid_t
fork_inside (SwZoneProfiler *profiler)
{
  guint64 token = sw_profile_zone_begin (sw_profile_site_register (NULL, 0, NULL, "by token"));
  pid_t pid;
  SW_PROFILE_ZONE ("open in both");

  pid = fork ();
  if (pid == 0)
    run_child (profiler, token);
  else
    g_assert_true (sw_profile_zone_end (token, NULL));
  /* Here the scope ends, in both processes. */
  return pid;
}

static void
test_fork (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (64);
  g_autoptr (TestTrace) trace = NULL;
  GThread *threads[N_BUSY];

#if defined(__SANITIZE_ADDRESS__)
  /* Its allocator leaves a child whatever locks other threads held. */
  g_test_skip ("the sanitizer itself does not survive this");
  return;
#endif
  __atomic_store_n (&stop, 0, __ATOMIC_RELAXED);
  for (guint i = 0; i < N_BUSY; i++)
    threads[i] = g_thread_new ("busy", record_busily, profiler);
  while (__atomic_load_n (&n_running, __ATOMIC_RELAXED) < N_BUSY)
    sw_zone_profiler_flush (profiler);

  for (guint i = 0; i < 10; i++)
    {
      pid_t pid;

      g_assert_true (sw_zone_profiler_start_capture (profiler, NULL, NULL));
      pid = fork_inside (profiler);
      if (pid == 0)
        _exit (0);
      wait_for_child (pid);
      g_clear_pointer (&trace, test_trace_free);
      trace = test_trace_new (test_zone_profiler_stop (profiler));
      test_trace_find (trace, "open in both");
      test_trace_find (trace, "by token");
      g_assert_cmpuint (test_trace_count (trace, "of the child"), ==, 0);
    }
  __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
  for (guint i = 0; i < N_BUSY; i++)
    g_thread_join (threads[i]);
}

/* A frame that is open when the process forks is the parent's alone. */
static void
test_fork_in_frame (void)
{
  g_autoptr (SwZoneProfiler) profiler = test_zone_profiler_new (64);
  guint64 frame = sw_profile_frame_begin ("of the parent", NULL);
  pid_t pid = fork ();

  if (pid == 0)
    {
      guint64 own;

      child_check (!sw_profile_frame_end (frame, NULL));
      own = sw_profile_frame_begin ("of the child", NULL);
      child_check (own != 0);
      child_check (sw_profile_frame_end (own, NULL));
      _exit (0);
    }
  wait_for_child (pid);
  g_assert_true (sw_profile_frame_end (frame, NULL));
}

static void
end_process_with_open_zones (void)
{
  SwZoneProfiler *profiler = test_zone_profiler_new (64);

  g_assert_true (sw_zone_profiler_enter (profiler, NULL));
  g_assert_true (sw_zone_profiler_start_capture (profiler, NULL, NULL));
  __atomic_store_n (&stop, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&n_running, 0, __ATOMIC_RELAXED);
  for (guint i = 0; i < N_BUSY; i++)
    g_thread_unref (g_thread_new ("busy", record_busily, i % 2 == 0 ? profiler : NULL));
  sw_profile_zone_begin (sw_profile_site_register (NULL, 0, NULL, "open at the end"));
  sw_profile_frame_begin ("open at the end", NULL);
  while (__atomic_load_n (&n_running, __ATOMIC_RELAXED) < N_BUSY)
    sw_zone_profiler_flush (profiler);
}

static void
test_exit (void)
{
  if (g_test_subprocess ())
    {
      end_process_with_open_zones ();
      exit (0);
    }
  for (guint i = 0; i < 10; i++)
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-fork/fork", test_fork);
  g_test_add_func ("/zone-fork/fork-in-frame", test_fork_in_frame);
  g_test_add_func ("/zone-fork/exit", test_exit);
  return g_test_run ();
}
