/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <strideweave.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_SPANS 5000

/* Whatever becomes of the file, those who record go on, are told once, and nothing is missing from the counts. */

typedef struct
{
  SwTraceContext *context;
  SwCollector *collector;
  char *folder;
  char *path;
} Fixture;

static const SwTraceFormat formats[] = { SW_TRACE_FORMAT_CHROME_JSON, SW_TRACE_FORMAT_JSONL, SW_TRACE_FORMAT_PERFETTO };

static void
set_up (Fixture *fixture,
        SwTraceFormat format,
        const char *path)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("sw-collector-XXXXXX", NULL);
  fixture->path = path != NULL ? g_strdup (path) : g_build_filename (fixture->folder, "trace", NULL);
  fixture->context = sw_trace_context_new ();
  fixture->collector = SW_COLLECTOR (sw_file_collector_new (fixture->path, format, &error));
  g_assert_no_error (error);
  sw_trace_context_set_collector (fixture->context, fixture->collector);
}

static void
tear_down (Fixture *fixture)
{
  g_object_unref (fixture->context);
  g_assert_finalize_object (fixture->collector);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
}

static void
emit (Fixture *fixture)
{
  for (guint i = 0; i < N_SPANS; i++)
    {
      SW_TRACE_SPAN_IN (fixture->context, "span", "test", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("number", i));
    }
}

static void
assert_counts (Fixture *fixture,
               guint64 n_events,
               guint64 n_dropped)
{
  g_assert_cmpuint (sw_collector_get_event_count (fixture->collector), ==, n_events);
  g_assert_cmpuint (sw_collector_get_dropped_count (fixture->collector), ==, n_dropped);
  g_assert_cmpuint (sw_trace_context_get_emitted_count (fixture->context), ==, n_events + n_dropped);
}

static void
assert_failure (Fixture *fixture,
                GError *error,
                const char *reason)
{
  g_autofree char *message = g_strdup_printf ("cannot write the trace '%s': %s", fixture->path, reason);

  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_full_disk (void)
{
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no /dev/full");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GError) error = NULL;
      Fixture fixture;

      set_up (&fixture, formats[i], "/dev/full");
      emit (&fixture);
      g_assert_false (sw_collector_flush (fixture.collector, &error));
      assert_failure (&fixture, error, "No space left on device");
      assert_counts (&fixture, 0, N_SPANS);
      emit (&fixture);
      g_assert_true (sw_collector_flush (fixture.collector, NULL));
      assert_counts (&fixture, 0, 2 * N_SPANS);
      g_assert_true (sw_collector_close (fixture.collector, NULL));
      assert_counts (&fixture, 0, 2 * N_SPANS);
      tear_down (&fixture);
    }
}

/* Nobody flushed before. */
static void
test_full_disk_at_close (void)
{
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no /dev/full");
      return;
    }
  set_up (&fixture, SW_TRACE_FORMAT_JSONL, "/dev/full");
  emit (&fixture);
  g_assert_false (sw_collector_close (fixture.collector, &error));
  assert_failure (&fixture, error, "No space left on device");
  assert_counts (&fixture, 0, N_SPANS);
  g_assert_true (sw_collector_close (fixture.collector, NULL));
  tear_down (&fixture);
}

static void
test_deleted_folder (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GError) error = NULL;
      Fixture fixture;

      set_up (&fixture, formats[i], NULL);
      emit (&fixture);
      g_assert_true (sw_collector_flush (fixture.collector, &error));
      g_assert_no_error (error);
      assert_counts (&fixture, N_SPANS, 0);
      g_assert_cmpint (g_unlink (fixture.path), ==, 0);
      g_assert_cmpint (g_rmdir (fixture.folder), ==, 0);
      emit (&fixture);
      g_assert_false (sw_collector_close (fixture.collector, &error));
      assert_failure (&fixture, error, "the file was deleted while it was being written");
      assert_counts (&fixture, N_SPANS, N_SPANS);
      tear_down (&fixture);
    }
}

/* Few enough for a pipe that nobody empties. */
static void
emit_few (Fixture *fixture)
{
  for (guint i = 0; i < 10; i++)
    {
      SW_TRACE_SPAN_IN (fixture->context, "span", "test", SW_TRACE_VERBOSITY_FULL);
    }
}

/* The reader leaves. No signal ends the program, though it does nothing about SIGPIPE. */
static void
test_closed_pipe (gconstpointer data)
{
  const char *name = data;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *folder = g_dir_make_tmp ("sw-collector-XXXXXX", NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (GError) error = NULL;
      Fixture fixture;
      int reader;

      g_assert_cmpint (mkfifo (path, 0600), ==, 0);
      reader = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
      g_assert_cmpint (reader, >=, 0);
      set_up (&fixture, formats[i], path);
      emit_few (&fixture);
      g_assert_true (sw_collector_flush (fixture.collector, &error));
      g_assert_no_error (error);
      assert_counts (&fixture, 10, 0);
      close (reader);
      emit_few (&fixture);
      g_assert_false (sw_collector_flush (fixture.collector, &error));
      assert_failure (&fixture, error, "Broken pipe");
      assert_counts (&fixture, 10, 10);
      emit_few (&fixture);
      g_assert_true (sw_collector_close (fixture.collector, NULL));
      assert_counts (&fixture, 10, 20);
      tear_down (&fixture);
      g_assert_cmpint (g_unlink (path), ==, 0);
      g_assert_cmpint (g_rmdir (folder), ==, 0);
    }
}

/* Nobody waits for a reader that may never come. */
static void
test_pipe_without_reader (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sw-collector-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "pipe", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_null (sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* The folder may move: the file is the same one. */
static void
test_moved_folder (void)
{
  g_autofree char *moved = NULL;
  g_autofree char *moved_path = NULL;
  g_autofree char *text = NULL;
  Fixture fixture;

  set_up (&fixture, SW_TRACE_FORMAT_JSONL, NULL);
  emit (&fixture);
  moved = g_strconcat (fixture.folder, "-moved", NULL);
  moved_path = g_build_filename (moved, "trace", NULL);
  g_assert_cmpint (g_rename (fixture.folder, moved), ==, 0);
  g_assert_true (sw_collector_close (fixture.collector, NULL));
  assert_counts (&fixture, N_SPANS, 0);
  g_assert_true (g_file_get_contents (moved_path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"type\":\"summary\""));
  g_assert_cmpint (g_unlink (moved_path), ==, 0);
  g_assert_cmpint (g_rmdir (moved), ==, 0);
  tear_down (&fixture);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/file-collector/full-disk", test_full_disk);
  g_test_add_func ("/file-collector/full-disk-at-close", test_full_disk_at_close);
  g_test_add_data_func ("/file-collector/closed-pipe/plain", "pipe", test_closed_pipe);
  g_test_add_data_func ("/file-collector/closed-pipe/compressed", "pipe.gz", test_closed_pipe);
  g_test_add_func ("/file-collector/pipe-without-reader", test_pipe_without_reader);
  g_test_add_func ("/file-collector/deleted-folder", test_deleted_folder);
  g_test_add_func ("/file-collector/moved-folder", test_moved_folder);

  return g_test_run ();
}
