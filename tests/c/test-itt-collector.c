/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <string.h>
#include <strideweave.h>
#include <unistd.h>

/* A process loads one library for good, so that each test runs in one of its own. */

#define VARIABLE (sizeof (void *) == 8 ? "INTEL_LIBITTNOTIFY64" : "INTEL_LIBITTNOTIFY32")

static char *(*dup_log) (void);
static void (*set_enabled) (int enabled);
static void (*set_on_begin) (void (*function) (void));

static char *
dup_library_path (const char *name)
{
  return g_strdup_printf ("%s/libitt-%s.so", g_getenv ("SW_ITT_RECORDERS"), name);
}

static void
name_library (const char *name)
{
  g_autofree char *path = dup_library_path (name);
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  g_assert_nonnull (handle);
  g_setenv (VARIABLE, path, TRUE);
  dup_log = dlsym (handle, "itt_recorder_dup_log");
  set_enabled = dlsym (handle, "itt_recorder_set_enabled");
  set_on_begin = dlsym (handle, "itt_recorder_set_on_begin");
}

static void
assert_log (const char *expected)
{
  char *log = dup_log ();

  g_assert_cmpstr (log, ==, expected);
  free (log);
}

static SwCollector *
make (void)
{
  g_autoptr (GError) error = NULL;
  SwIttCollector *collector = sw_itt_collector_new (&error);

  g_assert_no_error (error);
  g_assert_true (sw_itt_collector_is_available ());
  return SW_COLLECTOR (collector);
}

static SwTraceContext *
trace (SwCollector *collector)
{
  SwTraceContext *context = sw_trace_context_new ();

  sw_trace_context_set_thread_name ("main");
  sw_trace_context_set_collector (context, collector);
  sw_trace_context_set_enabled (context, TRUE);
  return context;
}

static void
close_collector (SwCollector *collector)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_collector_close (collector, &error));
  g_assert_no_error (error);
}

static void
assert_unavailable (const char *expected)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_itt_collector_is_available ());
  g_assert_null (sw_itt_collector_new (&error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, VARIABLE));
  if (strstr (error->message, expected) == NULL)
    g_error ("'%s' does not say '%s'", error->message, expected);
}

static void
test_nothing_named (void)
{
  g_autoptr (SwCollector) unmade = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  g_unsetenv (VARIABLE);
  assert_unavailable ("is not set");
  g_setenv (VARIABLE, "", TRUE);
  assert_unavailable ("is not set");

  /* What a script can make all the same does nothing. */
  unmade = g_object_new (SW_TYPE_ITT_COLLECTOR, NULL);
  context = trace (unmade);
  {
    SW_TRACE_SPAN_IN (context, "span", "", SW_TRACE_VERBOSITY_DECISIONS);
    SW_TRACE_INSTANT_IN (context, "instant", "", SW_TRACE_VERBOSITY_DECISIONS);
  }
  close_collector (unmade);
  g_assert_cmpuint (sw_collector_get_dropped_count (unmade), ==, 2);
}

static void
test_no_library (void)
{
  g_autofree char *directory = g_dir_make_tmp ("itt-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "text.so", NULL);

  g_setenv (VARIABLE, "/nowhere/libcollector.so", TRUE);
  assert_unavailable ("/nowhere/libcollector.so");
  g_assert_true (g_file_set_contents (path, "no library", -1, NULL));
  g_setenv (VARIABLE, path, TRUE);
  assert_unavailable ("cannot be loaded");
  g_unlink (path);
  g_rmdir (directory);
}

static void
test_useless_library (void)
{
  g_autofree char *path = dup_library_path ("nothing");
  g_autoptr (SwCollector) collector = NULL;

  g_setenv (VARIABLE, path, TRUE);
  assert_unavailable ("lacks __itt_domain_create");
  /* The next one may be better. */
  name_library ("plain");
  collector = make ();
  assert_log ("1: domain strideweave\n");
}

static void
emit_everything (SwTraceContext *context)
{
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("(2, 3)", NULL);

  g_assert_nonnull (shape);
  SW_TRACE_COUNTER_IN (context, "load", SW_TRACE_VERBOSITY_DECISIONS, 0.5);
  g_assert_true (sw_trace_context_emit_counter_int64 (context, "bytes", SW_TRACE_VERBOSITY_FULL, -7, NULL));
  g_assert_true (sw_trace_context_emit_counter_int64 (context, "bytes", SW_TRACE_VERBOSITY_FULL, 8, NULL));
  {
    SW_TRACE_SPAN_IN (context, "outer", "request", SW_TRACE_VERBOSITY_DECISIONS, SW_TRACE_INT64 ("n", -1),
                      SW_TRACE_UINT64 ("u", G_MAXUINT64), SW_TRACE_DOUBLE ("d", 1.5), SW_TRACE_BOOLEAN ("b", TRUE),
                      SW_TRACE_STRING ("s", "\xff"), SW_TRACE_SHAPE ("shape", shape));
    for (guint i = 0; i < 2; i++)
      {
        SW_TRACE_SPAN_IN (context, "inner", "", SW_TRACE_VERBOSITY_OPERATIONS);
        SW_TRACE_INSTANT_IN (context, "found", "", SW_TRACE_VERBOSITY_FULL);
      }
  }
}

static const char *const everything = "1: domain strideweave\n"
                                      "1: thread main\n"
                                      "1: counter load 8\n"
                                      "1: load = 0.5\n"
                                      "1: counter bytes 2\n"
                                      "1: bytes = -7\n"
                                      "1: bytes = 8\n"
                                      "1: begin outer\n"
                                      "1: metadata category request\n"
                                      "1: metadata n s64 -1\n"
                                      "1: metadata u u64 18446744073709551615\n"
                                      "1: metadata d double 1.5\n"
                                      "1: metadata b u32 1\n"
                                      "1: metadata s \xef\xbf\xbd\n"
                                      "1: metadata shape (2, 3)\n"
                                      "1: begin inner\n"
                                      "1: marker found 3\n"
                                      "1: end\n"
                                      "1: begin inner\n"
                                      "1: marker found 3\n"
                                      "1: end\n"
                                      "1: end\n";

static void
check_everything (const char *library)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  name_library (library);
  collector = make ();
  context = trace (collector);
  emit_everything (context);
  /* All that before anybody looks into the queue, and only once. */
  assert_log (everything);
  close_collector (collector);
  assert_log (everything);
  g_assert_cmpuint (sw_collector_get_event_count (collector), ==, 8);
  g_assert_cmpuint (sw_collector_get_dropped_count (collector), ==, 0);
  emit_everything (context);
  assert_log (everything);
}

static void
test_by_name (void)
{
  check_everything ("plain");
}

static void
test_by_init (void)
{
  check_everything ("init");
}

static void
test_v3_counters (void)
{
  check_everything ("v3");
}

static void
test_untyped_counters (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  name_library ("untyped");
  collector = make ();
  context = trace (collector);
  g_assert_true (sw_trace_context_emit_counter (context, "load", SW_TRACE_VERBOSITY_FULL, 0.5, NULL));
  g_assert_true (sw_trace_context_emit_counter_int64 (context, "bytes", SW_TRACE_VERBOSITY_FULL, -7, NULL));
  g_assert_true (sw_trace_context_emit_counter_int64 (context, "bytes", SW_TRACE_VERBOSITY_FULL, 8, NULL));
  assert_log ("1: domain strideweave\n"
              "1: thread main\n"
              "1: counter bytes 1\n"
              "1: bytes = 8\n");
  close_collector (collector);
  g_assert_cmpuint (sw_collector_get_event_count (collector), ==, 1);
  g_assert_cmpuint (sw_collector_get_dropped_count (collector), ==, 2);
}

static void
test_missing_functions (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  guint64 async;

  name_library ("tasks-only");
  collector = make ();
  context = trace (collector);
  emit_everything (context);
  async = sw_trace_context_begin_async_span (context, "async", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  g_assert_true (sw_trace_context_end_async_span (context, async, NULL));
  assert_log ("1: domain strideweave\n"
              "1: begin outer\n"
              "1: begin inner\n"
              "1: end\n"
              "1: begin inner\n"
              "1: end\n"
              "1: end\n");
  close_collector (collector);
  g_assert_cmpuint (sw_collector_get_event_count (collector), ==, 3);
  g_assert_cmpuint (sw_collector_get_dropped_count (collector), ==, 6);
}

static void
test_verbosity (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  name_library ("tasks-only");
  collector = make ();
  context = trace (collector);
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_DECISIONS);
  emit_everything (context);
  sw_trace_context_set_enabled (context, FALSE);
  emit_everything (context);
  assert_log ("1: domain strideweave\n"
              "1: begin outer\n"
              "1: end\n");
  close_collector (collector);
}

static void
test_disabled_domain (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  name_library ("tasks-only");
  collector = make ();
  context = trace (collector);
  {
    SW_TRACE_SPAN_IN (context, "outer", "", SW_TRACE_VERBOSITY_FULL);
    set_enabled (0);
    {
      SW_TRACE_SPAN_IN (context, "unwanted", "", SW_TRACE_VERBOSITY_FULL);
      set_enabled (1);
      {
        SW_TRACE_SPAN_IN (context, "inner", "", SW_TRACE_VERBOSITY_FULL);
      }
    }
    /* Nor is one that nobody began ended when it is interrupted. */
    set_enabled (0);
    g_assert_cmpuint (sw_trace_context_begin_span (context, "unwanted", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL), !=, 0);
    set_enabled (1);
    sw_trace_context_set_enabled (context, FALSE);
  }
  assert_log ("1: domain strideweave\n"
              "1: begin outer\n"
              "1: begin inner\n"
              "1: end\n"
              "1: end\n");
  close_collector (collector);
}

static void
test_order_of_ends (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  guint64 outer;
  guint64 inner;

  name_library ("tasks-only");
  collector = make ();
  context = trace (collector);
  outer = sw_trace_context_begin_span (context, "outer", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  inner = sw_trace_context_begin_span (context, "inner", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  g_assert_true (sw_trace_context_end_span (context, outer, NULL));
  assert_log ("1: domain strideweave\n"
              "1: begin outer\n"
              "1: begin inner\n");
  g_assert_true (sw_trace_context_end_span (context, inner, NULL));
  /* Twice is an error, and ends nothing. */
  g_assert_false (sw_trace_context_end_span (context, inner, NULL));
  assert_log ("1: domain strideweave\n"
              "1: begin outer\n"
              "1: begin inner\n"
              "1: end\n"
              "1: end\n");
  close_collector (collector);
}

static gpointer
switch_off (gpointer context)
{
  sw_trace_context_set_enabled (context, FALSE);
  sw_trace_context_set_enabled (context, TRUE);
  return NULL;
}

static void
test_interrupted (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  guint64 outer;

  name_library ("tasks-only");
  collector = make ();
  context = trace (collector);
  outer = sw_trace_context_begin_span (context, "outer", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  sw_trace_context_begin_span (context, "forgotten", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  /* Another thread cannot end them for the library, this one does before it begins anything else. */
  g_thread_join (g_thread_new ("switch", switch_off, context));
  assert_log ("1: domain strideweave\n"
              "1: begin outer\n"
              "1: begin forgotten\n");
  {
    SW_TRACE_SPAN_IN (context, "next", "", SW_TRACE_VERBOSITY_FULL);
    g_assert_true (sw_trace_context_end_span (context, outer, NULL));
  }
  assert_log ("1: domain strideweave\n"
              "1: begin outer\n"
              "1: begin forgotten\n"
              "1: end\n"
              "1: end\n"
              "1: begin next\n"
              "1: end\n");
  close_collector (collector);
}

static void
test_session_end (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  name_library ("tasks-only");
  collector = make ();
  context = trace (collector);
  {
    SW_TRACE_SPAN_IN (context, "span", "", SW_TRACE_VERBOSITY_FULL);
    close_collector (collector);
    /* This thread can. */
    assert_log ("1: domain strideweave\n"
                "1: begin span\n"
                "1: end\n");
  }
  assert_log ("1: domain strideweave\n"
              "1: begin span\n"
              "1: end\n");
}

static void
test_composite (void)
{
  g_autoptr (SwCollector) itt = NULL;
  g_autoptr (SwMemoryCollector) memory = sw_memory_collector_new (16, NULL);
  g_autoptr (SwCompositeCollector) inner = NULL;
  g_autoptr (SwCompositeCollector) outer = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  g_autoptr (GError) error = NULL;

  name_library ("tasks-only");
  itt = make ();
  inner = sw_composite_collector_new ((SwCollector *[]){ itt }, 1, &error);
  outer = sw_composite_collector_new ((SwCollector *[]){ SW_COLLECTOR (memory), SW_COLLECTOR (inner) }, 2, &error);
  g_assert_no_error (error);
  context = trace (SW_COLLECTOR (outer));
  {
    SW_TRACE_SPAN_IN (context, "before", "", SW_TRACE_VERBOSITY_FULL);
    /* The others go on without it; what it began it ends. */
    close_collector (itt);
    SW_TRACE_SPAN_IN (context, "after", "", SW_TRACE_VERBOSITY_FULL);
  }
  close_collector (SW_COLLECTOR (outer));
  assert_log ("1: domain strideweave\n"
              "1: begin before\n"
              "1: end\n");
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (memory)), ==, 2);
}

static SwTraceContext *reentered;

static void
emit_from_library (void)
{
  SW_TRACE_SPAN_IN (reentered, "within", "", SW_TRACE_VERBOSITY_FULL);
  SW_TRACE_INSTANT_IN (reentered, "within", "", SW_TRACE_VERBOSITY_FULL);
}

static void
test_reentrancy (void)
{
  g_autoptr (SwCollector) collector = NULL;

  name_library ("plain");
  collector = make ();
  reentered = trace (collector);
  set_on_begin (emit_from_library);
  {
    SW_TRACE_SPAN_IN (reentered, "span", "", SW_TRACE_VERBOSITY_FULL);
  }
  assert_log ("1: domain strideweave\n"
              "1: thread main\n"
              "1: begin span\n"
              "1: end\n");
  close_collector (collector);
  g_assert_cmpuint (sw_collector_get_event_count (collector), ==, 3);
  g_clear_object (&reentered);
}

static void
test_names (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;

  name_library ("plain");
  collector = make ();
  context = trace (collector);
  SW_TRACE_INSTANT_IN (context, "first", "", SW_TRACE_VERBOSITY_FULL);
  sw_trace_context_set_thread_name ("other");
  SW_TRACE_INSTANT_IN (context, "second", "", SW_TRACE_VERBOSITY_FULL);
  g_assert_true (sw_trace_context_emit_instant (context, "\xfe", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL));
  g_assert_true (sw_trace_context_emit_instant (context, "", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL));
  assert_log ("1: domain strideweave\n"
              "1: thread main\n"
              "1: marker first 3\n"
              "1: thread other\n"
              "1: marker second 3\n"
              "1: marker \xef\xbf\xbd 3\n"
              "1: marker  3\n");
  close_collector (collector);
}

#define N_THREADS 4
#define N_SPANS 500

static int n_finished; /* atomic */

static gpointer
emit_spans (gpointer data)
{
  SwTraceContext *context = data;

  for (guint i = 0; i < N_SPANS; i++)
    {
      g_autofree char *name = g_strdup_printf ("name %u", i % 50);
      guint64 token = sw_trace_context_begin_span (context, name, NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
      SW_TRACE_SPAN_IN (context, "inner", "", SW_TRACE_VERBOSITY_FULL);

      SW_TRACE_COUNTER_IN (context, "counter", SW_TRACE_VERBOSITY_FULL, i);
      /* Some are left open, for the end of the thread. */
      if (i % 100 != 99)
        sw_trace_context_end_span (context, token, NULL);
    }
  /* Release: nothing of it is counted on but the number. */
  __atomic_fetch_add (&n_finished, 1, __ATOMIC_RELEASE);
  return NULL;
}

/* Each thread's own, in a library that knows no other. */
static void
check_balance (void)
{
  char *log = dup_log ();
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);
  int depth[N_THREADS + 2] = { 0 };
  guint n = 0;

  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      guint64 thread = g_ascii_strtoull (lines[i], NULL, 10);

      g_assert_cmpuint (thread, <, G_N_ELEMENTS (depth));
      g_assert_null (strstr (lines[i], "end of nothing"));
      n += strstr (lines[i], ": begin") != NULL;
      depth[thread] += (strstr (lines[i], ": begin") != NULL) - g_str_has_suffix (lines[i], ": end");
    }
  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i < G_N_ELEMENTS (depth); i++)
    g_assert_cmpint (depth[i], ==, 0);
  free (log);
}

static void
test_threads (void)
{
  g_autoptr (SwCollector) collector = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  GThread *threads[N_THREADS];

  name_library ("plain");
  collector = make ();
  context = trace (collector);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("spans", emit_spans, context);
  /* Acquire: as above. */
  while (__atomic_load_n (&n_finished, __ATOMIC_ACQUIRE) < N_THREADS)
    {
      sw_trace_context_set_enabled (context, FALSE);
      sw_trace_context_set_enabled (context, TRUE);
      g_usleep (200);
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  close_collector (collector);
  check_balance ();
}

typedef struct
{
  const char *path;
  void (*function) (void);
} Test;

static void
run (gconstpointer data)
{
  const Test *self = data;

  if (g_test_subprocess ())
    {
      self->function ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

int
main (int argc,
      char **argv)
{
  static const Test tests[] = {
    { "/itt-collector/nothing-named", test_nothing_named },
    { "/itt-collector/no-library", test_no_library },
    { "/itt-collector/useless-library", test_useless_library },
    { "/itt-collector/by-name", test_by_name },
    { "/itt-collector/by-init", test_by_init },
    { "/itt-collector/counters-v3", test_v3_counters },
    { "/itt-collector/counters-untyped", test_untyped_counters },
    { "/itt-collector/missing-functions", test_missing_functions },
    { "/itt-collector/verbosity", test_verbosity },
    { "/itt-collector/disabled-domain", test_disabled_domain },
    { "/itt-collector/order-of-ends", test_order_of_ends },
    { "/itt-collector/interrupted", test_interrupted },
    { "/itt-collector/session-end", test_session_end },
    { "/itt-collector/composite", test_composite },
    { "/itt-collector/reentrancy", test_reentrancy },
    { "/itt-collector/names", test_names },
    { "/itt-collector/threads", test_threads },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add_data_func (tests[i].path, &tests[i], run);
  return g_test_run ();
}
