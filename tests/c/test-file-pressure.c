/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are slower than those who record, or that nobody takes anything from: who records never waits for them. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SECONDS 120 /* whoever waits for longer waits for ever */
#define N_BLOCKED 200000
#define N_BEFORE 1000
#define N_BUSY 3

static void
emit (SwTraceContext *context,
      guint n)
{
  for (guint i = 0; i < n; i++)
    {
      SW_TRACE_SPAN_IN (context, "span", "test", SW_TRACE_VERBOSITY_FULL);
    }
}

/* @part begins with a quote. By characters: strstr () under AddressSanitizer looks at all of the rest each time. */
static guint
count (const char *text,
       const char *part)
{
  gsize length = strlen (part);
  guint n = 0;

  for (const char *at = text; (at = strchr (at, '"')) != NULL; at++)
    n += strncmp (at, part, length) == 0;
  return n;
}

static void *
read_all (void *data)
{
  GString *all = g_string_new (NULL);
  char buffer[65536];
  gssize n;

  while ((n = read (GPOINTER_TO_INT (data), buffer, sizeof buffer)) > 0)
    g_string_append_len (all, buffer, n);
  return g_string_free (all, FALSE);
}

/* The worker hangs in a full pipe until the reader, which is asleep, wakes up. */
static void
test_blocked_pipe (gconstpointer data)
{
  SwTraceFormat format = (SwTraceFormat) GPOINTER_TO_INT (data);
  g_autofree char *folder = g_dir_make_tmp ("sw-pressure-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "pipe", NULL);
  g_autofree char *text = NULL;
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwCollector) file = NULL;
  gpointer result;
  pthread_t reader;
  guint64 n_written;
  int fd;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  g_assert_cmpint (fcntl (fd, F_SETPIPE_SZ, 4096), >=, 4096);
  file = SW_COLLECTOR (sw_file_collector_new (path, format, NULL));
  sw_trace_context_set_collector (context, file);
  alarm (MOST_SECONDS);
  /* Nobody reads: this comes to its end only where it does not wait for the file, and is more than fits into queues. */
  emit (context, N_BLOCKED);
  g_assert_cmpuint (sw_trace_context_get_dropped_count (context), >, 0);

  g_assert_cmpint (fcntl (fd, F_SETFL, 0), ==, 0);
  g_assert_cmpint (pthread_create (&reader, NULL, read_all, GINT_TO_POINTER (fd)), ==, 0);
  g_assert_true (sw_collector_close (file, NULL));
  alarm (0);
  n_written = sw_collector_get_event_count (file);
  g_assert_cmpuint (n_written + sw_collector_get_dropped_count (file), ==, sw_trace_context_get_emitted_count (context));
  g_clear_object (&file);
  pthread_join (reader, &result);
  text = result;
  if (format != SW_TRACE_FORMAT_PERFETTO)
    g_assert_cmpuint (count (text, "\"name\":\"span\""), ==, n_written);
  close (fd);
  g_assert_cmpint (g_unlink (path) + g_rmdir (folder), ==, 0);
}

typedef struct
{
  SwTraceContext *context;
  pthread_barrier_t *all_have_begun;
  int *stop; /* atomic */
} Busy;

static void *
emit_busily (void *data)
{
  Busy *busy = data;

  for (guint i = 0; i < N_BEFORE; i++)
    {
      SW_TRACE_SPAN_IN (busy->context, "before", "test", SW_TRACE_VERBOSITY_FULL);
    }
  pthread_barrier_wait (busy->all_have_begun);
  /* Relaxed: only to end. */
  while (__atomic_load_n (busy->stop, __ATOMIC_RELAXED) == 0)
    emit (busy->context, 100);
  return NULL;
}

/* Though others go on, it comes to its end, and all that was recorded before is there. */
static void
test_closed_under_load (void)
{
  for (guint round = 0; round < 2; round++)
    {
      g_autofree char *folder = g_dir_make_tmp ("sw-pressure-XXXXXX", NULL);
      g_autofree char *path = g_build_filename (folder, "trace", NULL);
      g_autofree char *text = NULL;
      g_autoptr (SwTraceContext) context = sw_trace_context_new ();
      g_autoptr (SwCollector) file = SW_COLLECTOR (sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL));
      pthread_barrier_t all_have_begun;
      pthread_t threads[N_BUSY];
      int stop = 0;
      Busy busy = { context, &all_have_begun, &stop };
      gsize length;

      pthread_barrier_init (&all_have_begun, NULL, N_BUSY + 1);
      sw_trace_context_set_collector (context, file);
      for (guint i = 0; i < N_BUSY; i++)
        g_assert_cmpint (pthread_create (&threads[i], NULL, emit_busily, &busy), ==, 0);
      pthread_barrier_wait (&all_have_begun);
      alarm (MOST_SECONDS);
      g_assert_true (round % 2 == 0 ? sw_collector_close (file, NULL) : sw_collector_flush (file, NULL));
      alarm (0);
      g_assert_true (g_file_get_contents (path, &text, &length, NULL));
      g_assert_cmpuint (count (text, "\"name\":\"before\""), ==, N_BUSY * N_BEFORE);
      if (round % 2 == 0)
        g_assert_true (g_str_has_suffix (text, "}}\n") && strstr (text, "\"type\":\"summary\"") != NULL);
      /* Relaxed: only to end. */
      __atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
      for (guint i = 0; i < N_BUSY; i++)
        pthread_join (threads[i], NULL);
      g_assert_true (sw_collector_close (file, NULL));
      pthread_barrier_destroy (&all_have_begun);
      g_assert_cmpint (g_unlink (path) + g_rmdir (folder), ==, 0);
    }
}

static void *
emit_for_ever (void *context)
{
  for (;;)
    emit (context, 1000);
  return NULL;
}

/* main () returns while threads record. */
static void
test_running_at_exit (void)
{
  if (g_test_subprocess ())
    {
      g_autofree char *folder = g_dir_make_tmp ("sw-pressure-XXXXXX", NULL);
      g_autofree char *path = g_build_filename (folder, "trace", NULL);
      SwTraceContext *context = sw_trace_context_new ();
      SwFileCollector *file = sw_file_collector_new (path, SW_TRACE_FORMAT_PERFETTO, NULL);

      sw_trace_context_set_collector (context, SW_COLLECTOR (file));
      for (guint i = 0; i < N_BUSY; i++)
        {
          pthread_t thread;

          g_assert_cmpint (pthread_create (&thread, NULL, emit_for_ever, context), ==, 0);
        }
      emit (context, 1000);
      g_assert_true (sw_collector_flush (SW_COLLECTOR (file), NULL));
      /* Its place is open still. */
      g_assert_cmpint (g_unlink (path) + g_rmdir (folder), ==, 0);
      sw_trace_context_set_collector (context, SW_COLLECTOR (sw_memory_collector_new (1000, NULL)));
      exit (0);
    }
  for (guint i = 0; i < 8; i++)
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
  g_test_add_data_func ("/file-pressure/blocked-pipe/chrome", GINT_TO_POINTER (SW_TRACE_FORMAT_CHROME_JSON), test_blocked_pipe);
  g_test_add_data_func ("/file-pressure/blocked-pipe/jsonl", GINT_TO_POINTER (SW_TRACE_FORMAT_JSONL), test_blocked_pipe);
  g_test_add_data_func ("/file-pressure/blocked-pipe/perfetto", GINT_TO_POINTER (SW_TRACE_FORMAT_PERFETTO), test_blocked_pipe);
  g_test_add_func ("/file-pressure/closed-under-load", test_closed_under_load);
  g_test_add_func ("/file-pressure/running-at-exit", test_running_at_exit);
  return g_test_run ();
}
