/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wall clock may be set at any time, by any amount: no duration, order or wait depends on it. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strideweave.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Sanitizers bring functions of their own. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SETS_CLOCK 1
#else
#define SETS_CLOCK 0
#endif

#define HOUR 3600
#define N_SPANS 1000
#define MOST_NS (G_GINT64_CONSTANT (60) * 1000000000)

#if SETS_CLOCK
static int n_settings; /* atomic */
static gint64 step;    /* seconds */

/* It is an hour or two wrong, another time each time. */
static gint64
get_fault (void)
{
  /* Relaxed, both: any order will do. */
  return (__atomic_fetch_add (&n_settings, 1, __ATOMIC_RELAXED) % 2 + 1) * __atomic_load_n (&step, __ATOMIC_RELAXED);
}

int
clock_gettime (clockid_t id,
               struct timespec *time)
{
  int result = (int) syscall (SYS_clock_gettime, id, time);

  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
    time->tv_sec += get_fault ();
  return result;
}

int
gettimeofday (struct timeval *time,
              void *zone)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  *time = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
  return 0;
}
#endif

static gint64
monotonic_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static void
set_step (gint64 seconds)
{
#if SETS_CLOCK
  /* Relaxed: see get_fault (). */
  __atomic_store_n (&step, seconds, __ATOMIC_RELAXED);
#endif
}

static void
test_durations (gconstpointer data)
{
  g_autoptr (SwTraceContext) context = NULL;
  g_autoptr (SwMemoryCollector) collector = NULL;
  g_autoptr (GPtrArray) events = NULL;
  gint64 before;
  gint64 after;
  gint64 last = 0;

  set_step (GPOINTER_TO_INT (data));
  context = sw_trace_context_new ();
  collector = sw_memory_collector_new (N_SPANS, NULL);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  before = monotonic_ns ();
  for (guint i = 0; i < N_SPANS; i++)
    {
      SW_TRACE_SPAN_IN (context, "span", "test", SW_TRACE_VERBOSITY_FULL);
      g_get_real_time ();
    }
  after = monotonic_ns ();
  events = sw_memory_collector_dup_events (collector);
  g_assert_cmpuint (events->len, ==, N_SPANS);
  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);
      gint64 start = sw_trace_event_get_start_ns (event);

      /* What the clock of the machine is read by may differ from this one by a little. */
      g_assert_cmpint (start, >=, before - 1000000);
      g_assert_cmpint (start + sw_trace_event_get_duration_ns (event), <=, after + 1000000);
      g_assert_cmpint (start, >=, last);
      last = start;
    }
  g_assert_cmpuint (sw_trace_context_get_backward_clock_count (context), ==, 0);
  sw_trace_context_set_collector (context, NULL);
  set_step (0);
}

static gboolean
contains (const char *path,
          const char *text)
{
  g_autofree char *content = NULL;

  return g_file_get_contents (path, &content, NULL, NULL) && strstr (content, text) != NULL;
}

/* What was recorded gets to the file within about a second, also where the wall clock is set back while nobody looks. */
static void
test_passing_on (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sw-clock-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace", NULL);
  g_autoptr (SwTraceContext) context = NULL;
  g_autoptr (SwCollector) collector = NULL;

  set_step (HOUR);
  context = sw_trace_context_new ();
  collector = SW_COLLECTOR (sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL));
  sw_trace_context_set_collector (context, collector);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("instant %u", i);
      gint64 end = monotonic_ns () + MOST_NS;

      sw_trace_context_emit_instant (context, name, NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
      while (!contains (path, name) && monotonic_ns () < end)
        g_usleep (1000);
      g_assert_true (contains (path, name));
    }
  g_assert_true (sw_collector_close (collector, NULL));
  g_assert_cmpint (remove (path) + remove (folder), ==, 0);
  set_step (0);
}

static void
test_operations (void)
{
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("4", NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (SwCarrier) carrier = sw_cpu_new (4, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwTensor) tensor = sw_tensor_new (carrier, 0, layout, NULL);
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  gint64 before;
  gint64 total = 0;

  set_step (-HOUR);
  before = monotonic_ns ();
  g_assert_true (sw_profiler_enter (profiler, NULL));
  for (guint i = 0; i < N_SPANS; i++)
    {
      g_autoptr (SwTensor) result = sw_relu (tensor, NULL);

      g_get_real_time ();
    }
  g_assert_true (sw_profiler_exit (profiler, NULL));
  events = sw_profiler_dup_events (profiler, NULL);
  g_assert_cmpuint (events->len, ==, N_SPANS);
  for (guint i = 0; i < events->len; i++)
    total += sw_profiler_event_get_duration_ns (g_ptr_array_index (events, i));
  g_assert_cmpint (total, <=, monotonic_ns () - before);
  g_assert_cmpuint (sw_profiler_get_n_clock_faults (profiler), ==, 0);
  set_step (0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!SETS_CLOCK)
    g_test_message ("The wall clock stays as it is here.");
  g_test_add_data_func ("/trace-clock/durations/forward", GINT_TO_POINTER (HOUR), test_durations);
  g_test_add_data_func ("/trace-clock/durations/backward", GINT_TO_POINTER (-HOUR), test_durations);
  g_test_add_func ("/trace-clock/passing-on", test_passing_on);
  g_test_add_func ("/trace-clock/operations", test_operations);
  return g_test_run ();
}
