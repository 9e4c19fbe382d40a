/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that knows nothing of how it is recorded: program WAY [N] executes N operations and ends in some way. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strideweave.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self;
static long n_operations = 10;

static SwTensor *
make_tensor (void)
{
  static const gint64 extents[] = { 4 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SwShape) shape = sw_shape_new (extents, G_N_ELEMENTS (extents), &error);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (SwCarrier) carrier = sw_cpu_new (4, TRUE, SW_DTYPE_FLOAT32, FALSE, &error);

  g_assert_no_error (error);
  return sw_tensor_new (carrier, 0, layout, NULL);
}

static void
compute (long n)
{
  g_autoptr (SwTensor) tensor = make_tensor ();

  for (long i = 0; i < n; i++)
    {
      g_autoptr (SwTensor) result = sw_relu (tensor, NULL);

      g_assert_nonnull (result);
    }
}

static void
compute_at_exit (void)
{
  compute (1);
}

static void *
compute_and_exit (void *unused)
{
  compute (n_operations);
  exit (5);
}

static void *
compute_for_ever (void *unused)
{
  for (;;)
    compute (100);
  return NULL;
}

static void
start_threads (void)
{
  for (int i = 0; i < 3; i++)
    {
      pthread_t thread;

      pthread_create (&thread, NULL, compute_for_ever, NULL);
    }
}

static void
say (const char *text)
{
  puts (text);
  fflush (stdout);
}

static void
exit_by_handler (int number)
{
  exit (7);
}

static void
leave_by_handler (int number)
{
  _exit (8);
}

static int
wait_for (pid_t child)
{
  int status;

  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 100 + WTERMSIG (status);
}

static int
fork_and (void (*child) (void))
{
  pid_t pid = fork ();

  if (pid != 0)
    return wait_for (pid);
  child ();
  exit (0);
}

static void
compute_in_child (void)
{
  compute (n_operations);
}

static void
do_nothing (void)
{
}

static void
term_in_child (void)
{
  raise (SIGTERM);
}

static void
execute_self (void)
{
  execl (self, self, "return", (char *) NULL);
  _exit (9);
}

static void
become_daemon (void)
{
  if (fork () != 0)
    _exit (0);
  setsid ();
  if (chdir ("/") != 0)
    abort ();
  for (int fd = 3; fd < 256; fd++)
    close (fd);
  compute (n_operations);
}

static int
go_on_after (int number)
{
  compute (n_operations);
  raise (number);
  say ("went on");
  return 0;
}

static int
use_own_recorders (void)
{
  g_autoptr (SwProfilerGroup) group = sw_profiler_group_new (NULL);
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (100, NULL);
  g_autoptr (GPtrArray) events = NULL;

  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  g_assert_true (sw_profiler_group_enter (group, NULL));
  compute (n_operations);
  g_assert_true (sw_profiler_group_exit (group, NULL));
  events = sw_profiler_group_dup_events (group, NULL);
  g_assert_cmpuint (events->len, ==, n_operations);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (collector)), ==, 0);
  return 0;
}

static int
use_own_collector (void)
{
  SwTraceContext *context = sw_trace_context_get_default ();
  g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (100, NULL);

  g_assert_null (sw_trace_context_dup_collector (context));
  g_assert_cmpint (sw_trace_context_get_verbosity (context), ==, SW_TRACE_VERBOSITY_FULL);
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_OPERATIONS);
  compute (n_operations);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  compute (n_operations);
  g_assert_true (sw_trace_context_flush (context, NULL));
  /* The operation, and which kernel it chose. */
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (collector)), ==, 2 * n_operations);
  return 0;
}

static int
emit_spans (void)
{
  for (long i = 0; i < n_operations; i++)
    {
      SW_TRACE_SPAN ("request", "test", SW_TRACE_VERBOSITY_DECISIONS);
      SW_TRACE_INSTANT ("detail", "test", SW_TRACE_VERBOSITY_FULL);
    }
  return 0;
}

static void *
record_zones (void *unused);

static void
record_zones_in_child (void)
{
  record_zones (NULL);
}

/* n times "outer" with "inner" and an operation in it. */
static void *
record_zones (void *unused)
{
  for (long i = 0; i < n_operations; i++)
    {
      SW_PROFILE_ZONE ("outer");
      {
        SW_PROFILE_ZONE ("inner");
        compute (1);
      }
      SW_TRACE_SPAN ("span", "test", SW_TRACE_VERBOSITY_DECISIONS);
      {
        SW_PROFILE_ZONE ("in span");
      }
    }
  return NULL;
}

static int
record_zones_in_threads (void)
{
  pthread_t threads[2];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_create (&threads[i], NULL, record_zones, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
  return 0;
}

static sem_t has_begun;

/* Never ends. */
static void *
stay_in_zones (void *ends_process)
{
  SW_PROFILE_ZONE ("open outer");
  SW_TRACE_SPAN ("open span", "test", SW_TRACE_VERBOSITY_DECISIONS);
  {
    SW_PROFILE_ZONE ("open inner");

    record_zones (NULL);
    sem_post (&has_begun);
    if (ends_process != NULL)
      exit (0);
    for (;;)
      pause ();
  }
  return NULL;
}

static int
leave_zones_open (void)
{
  pthread_t thread;

  sem_init (&has_begun, 0, 0);
  pthread_create (&thread, NULL, stay_in_zones, NULL);
  sem_wait (&has_begun);
  stay_in_zones (&has_begun);
  return 1;
}

/* The profiler goes while zones are open, of which one ends and one never does. */
static int
outlast_own_zone_profiler (void)
{
  SwZoneProfiler *profiler = sw_zone_profiler_new (NULL, NULL);
  SW_PROFILE_ZONE ("never ends");
  {
    SW_PROFILE_ZONE ("ends late");

    g_object_unref (profiler);
    record_zones (NULL);
  }
  exit (0);
}

static void *
record_for_ever (void *unused)
{
  for (;;)
    record_zones (NULL);
  return NULL;
}

/* Others are busy beginning and ending zones meanwhile. */
static int
end_among_zones (void)
{
  for (int i = 0; i < 3; i++)
    {
      pthread_t thread;

      pthread_create (&thread, NULL, record_for_ever, NULL);
    }
  record_zones (NULL);
  return 0;
}

/* What the profiler shows is what it shows to a program that nobody records. */
static int
use_own_zone_profiler (void)
{
  g_autoptr (SwZoneProfiler) none = sw_zone_profiler_dup_current ();
  g_autoptr (SwZoneProfiler) profiler = sw_zone_profiler_new (NULL, NULL);
  g_autoptr (SwZoneProfiler) current = sw_zone_profiler_dup_current ();
  g_autoptr (SwZoneTrace) zones = NULL;

  g_assert_null (none);
  g_assert_true (current == profiler);
  g_assert_true (sw_zone_profiler_start_capture (profiler, NULL, NULL));
  {
    SW_PROFILE_FRAME ("frame");
    record_zones (NULL);
  }
  zones = sw_zone_profiler_stop_capture (profiler, NULL);
  g_assert_cmpuint (sw_zone_trace_get_zone_count (zones), ==, 4 * n_operations);
  return 0;
}

static int
use_zones (const char *way)
{
  g_autoptr (SwZoneProfiler) none = NULL;

  if (g_str_equal (way, "zones-off"))
    {
      g_assert_false (sw_profile_is_recording ());
      return 0;
    }
  if (g_str_equal (way, "zones-only"))
    {
      for (long i = 0; i < n_operations; i++)
        {
          SW_PROFILE_ZONE ("alone");
        }
      return 0;
    }
  if (g_str_equal (way, "zones-own"))
    return use_own_zone_profiler ();
  if (g_str_equal (way, "zones-open"))
    return leave_zones_open ();
  if (g_str_equal (way, "zones-outlast"))
    return outlast_own_zone_profiler ();
  if (g_str_equal (way, "zones-busy"))
    return end_among_zones ();
  if (g_str_equal (way, "zones-threads"))
    return record_zones_in_threads ();
  record_zones (NULL);
  none = sw_zone_profiler_dup_current ();
  g_assert_null (none);
  if (g_str_equal (way, "zones-fork"))
    return fork_and (record_zones_in_child);
  return 0;
}

static int
run_until_killed (void)
{
  compute (n_operations);
  say ("ready");
  for (;;)
    pause ();
  return 0;
}

static int
run_busily (void)
{
  start_threads ();
  compute (n_operations);
  say ("ready");
  compute_for_ever (NULL);
  return 0;
}

static int
end_by_exit (const char *way)
{
  pthread_t thread;

  if (g_str_equal (way, "exit-in-thread"))
    {
      pthread_create (&thread, NULL, compute_and_exit, NULL);
      for (;;)
        pause ();
    }
  compute (n_operations);
  if (g_str_equal (way, "finish-_exit"))
    sw_activation_finish ();
  if (g_str_has_suffix (way, "_exit"))
    _exit (6);
  exit (4);
}

static int
handle_term (void (*handler) (int number))
{
  compute (n_operations);
  signal (SIGTERM, handler);
  raise (SIGTERM);
  return 3;
}

static int
do_forks (const char *way)
{
  int status;

  if (!g_str_equal (way, "fork-first"))
    compute (n_operations);
  status = fork_and (g_str_equal (way, "fork-nothing") ? do_nothing
                     : g_str_equal (way, "fork-term")  ? term_in_child
                     : g_str_equal (way, "fork-exec")  ? execute_self
                                                       : compute_in_child);
  compute (n_operations);
  return status;
}

int
main (int argc,
      char **argv)
{
  const char *way = argc > 1 ? argv[1] : "return";

  self = argv[0];
  if (argc > 2)
    n_operations = strtol (argv[2], NULL, 10);
  if (g_str_equal (way, "nothing"))
    return 0;
  if (g_str_equal (way, "at-exit"))
    atexit (compute_at_exit);
  if (g_str_equal (way, "chdir") && chdir ("/") != 0)
    return 1;
  if (g_str_has_prefix (way, "fork"))
    return do_forks (way);
  if (g_str_has_suffix (way, "exit") || g_str_equal (way, "exit-in-thread"))
    {
      if (!g_str_equal (way, "at-exit"))
        return end_by_exit (way);
    }
  if (g_str_equal (way, "term"))
    return go_on_after (SIGTERM);
  if (g_str_equal (way, "int"))
    return go_on_after (SIGINT);
  if (g_str_equal (way, "handled-by-exit-call"))
    return handle_term (exit_by_handler);
  if (g_str_equal (way, "handled"))
    return handle_term (leave_by_handler);
  if (g_str_equal (way, "ignored"))
    return handle_term (SIG_IGN);
  if (g_str_equal (way, "wait"))
    return run_until_killed ();
  if (g_str_equal (way, "busy"))
    return run_busily ();
  if (g_str_equal (way, "own-recorders"))
    return use_own_recorders ();
  if (g_str_equal (way, "own-collector"))
    return use_own_collector ();
  if (g_str_has_prefix (way, "zones"))
    return use_zones (way);
  if (g_str_equal (way, "spans"))
    return emit_spans ();
  if (g_str_equal (way, "daemon"))
    become_daemon ();
  else
    compute (n_operations);
  if (g_str_equal (way, "threads"))
    start_threads ();
  if (g_str_equal (way, "exec"))
    execute_self ();
  if (g_str_equal (way, "abort"))
    abort ();
  return 0;
}
