/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a trace goes, what goes wrong on the way, and what stays in memory. What is in it, other tests read. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <strideweave.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sw-profiler/export/sw-trace-writer-private.h"

#define BASE G_GINT64_CONSTANT (5000000000)

static const SwTraceFormat formats[] = { SW_TRACE_FORMAT_CHROME_JSON, SW_TRACE_FORMAT_JSONL, SW_TRACE_FORMAT_PERFETTO };
static const SwTraceSession session = { { 1, 2 }, BASE, 0, 77, "test" };

static guint32
add_thread (SwTraceWriter *writer,
            SwTraceOrder order)
{
  SwTraceTrackInfo info = { SW_TRACE_TRACK_THREAD, order, 0, SW_TRACE_NO_RANK, 78, "thread", NULL };

  return sw_trace_writer_add_track (writer, &info);
}

static void
put (SwTraceWriter *writer,
     guint32 track,
     gint32 depth,
     gint64 start,
     gint64 duration)
{
  SwTraceSlice slice = { .track = track, .depth = depth, .start_ns = BASE + start, .duration_ns = duration };

  slice.name = sw_trace_writer_intern (writer, "zone", -1);
  slice.category = sw_trace_writer_intern (writer, "test", -1);
  sw_trace_writer_slice (writer, &slice);
}

/* Keeps what it gets, and fails from a given number of bytes on. */
typedef struct
{
  GString *bytes;
  gsize limit;
  guint n_calls;
} Sink;

static gboolean
take (gpointer data,
      const char *bytes,
      gsize n_bytes,
      GError **error)
{
  Sink *sink = data;

  sink->n_calls++;
  if (sink->bytes->len + n_bytes > sink->limit)
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_IO, "enough");
      return FALSE;
    }
  g_string_append_len (sink->bytes, bytes, (gssize) n_bytes);
  return TRUE;
}

/* One error, at each flush and at the end, and no further attempt. */
static void
test_failing_sink (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      Sink sink = { g_string_new (NULL), 0, 0 };
      SwTraceWriter *writer = sw_trace_writer_new (formats[i], take, &sink, &session);
      guint32 track = add_thread (writer, SW_TRACE_ORDER_END);
      g_autoptr (GError) first = NULL;
      g_autoptr (GError) second = NULL;
      g_autoptr (GError) third = NULL;

      put (writer, track, 0, 0, 5);
      g_assert_false (sw_trace_writer_flush (writer, &first));
      for (int k = 0; k < 100000; k++)
        put (writer, track, 0, 10 * k, 5);
      g_assert_false (sw_trace_writer_flush (writer, &second));
      g_assert_false (sw_trace_writer_close (writer, &third));
      g_assert_error (first, SW_ERROR, SW_ERROR_IO);
      g_assert_cmpstr (first->message, ==, "enough");
      g_assert_cmpstr (second->message, ==, first->message);
      g_assert_cmpstr (third->message, ==, first->message);
      g_assert_cmpuint (sink.n_calls, ==, 1);
      g_string_free (sink.bytes, TRUE);
    }
}

/* What is handed on ends with a whole record, so that what is there after a crash is readable. */
static void
test_flush_ends_with_a_record (void)
{
  Sink sink = { g_string_new (NULL), G_MAXSIZE, 0 };
  SwTraceWriter *writer = sw_trace_writer_new (SW_TRACE_FORMAT_JSONL, take, &sink, &session);
  guint32 track = add_thread (writer, SW_TRACE_ORDER_END);

  for (int k = 0; k < 20000; k++)
    {
      put (writer, track, 0, 10 * k, 5);
      g_assert_true (sink.bytes->len == 0 || sink.bytes->str[sink.bytes->len - 1] == '\n');
    }
  g_assert_cmpuint (sink.n_calls, >, 5);
  g_assert_true (sw_trace_writer_flush (writer, NULL));
  g_assert_true (g_str_has_suffix (sink.bytes->str, "}\n"));
  /* All so far: the last one is there, and also what waited for a parent. */
  put (writer, track, 1, 300000, 5);
  g_assert_null (strstr (sink.bytes->str, "\"start_ns\":5000300000"));
  g_assert_true (sw_trace_writer_flush (writer, NULL));
  g_assert_nonnull (strstr (sink.bytes->str, "\"start_ns\":5000300000"));
  g_assert_true (sw_trace_writer_close (writer, NULL));
  g_string_free (sink.bytes, TRUE);
}

typedef void (*PutSlices) (SwTraceWriter *writer,
                           guint32 track,
                           SwTraceOrder order);

#define N_SLICES 100000

static double
count_bytes_a_slice (PutSlices put_slices,
                     SwTraceOrder order)
{
  Sink sink = { g_string_new (NULL), G_MAXSIZE, 0 };
  SwTraceWriter *writer = sw_trace_writer_new (SW_TRACE_FORMAT_PERFETTO, take, &sink, &session);
  gsize n;

  put_slices (writer, add_thread (writer, order), order);
  g_assert_true (sw_trace_writer_close (writer, NULL));
  n = sink.bytes->len;
  g_string_free (sink.bytes, TRUE);
  return (double) n / N_SLICES;
}

static void
put_roots (SwTraceWriter *writer,
           guint32 track,
           SwTraceOrder order)
{
  for (int k = 0; k < N_SLICES; k++)
    put (writer, track, 0, 20000 * k, 9000);
}

/* Their parent does not end. */
static void
put_children (SwTraceWriter *writer,
              guint32 track,
              SwTraceOrder order)
{
  for (int k = 0; k < N_SLICES; k++)
    put (writer, track, 1, 20000 * k, 9000);
}

/* One in another, eight deep. */
static void
put_nested (SwTraceWriter *writer,
            guint32 track,
            SwTraceOrder order)
{
  for (int k = 0; k < N_SLICES; k++)
    {
      gint32 depth = order == SW_TRACE_ORDER_START ? k % 8 : 7 - k % 8;

      put (writer, track, depth, 30000 * (k / 8) + 1000 * depth, 20000 - 2000 * depth);
    }
}

/* Two in each, under a loop that does not end. */
static void
put_forks (SwTraceWriter *writer,
           guint32 track,
           SwTraceOrder order)
{
  static const gint64 by_end[][3] = { { 3, 1000, 4000 }, { 3, 6000, 3000 }, { 2, 500, 9000 }, { 2, 10000, 9500 }, { 1, 0, 20000 } };
  static const gint64 by_start[][3] = { { 1, 0, 20000 }, { 2, 500, 9000 }, { 3, 1000, 4000 }, { 3, 6000, 3000 }, { 2, 10000, 9500 } };

  for (int k = 0; k < N_SLICES; k++)
    {
      const gint64 *slice = order == SW_TRACE_ORDER_START ? by_start[k % 5] : by_end[k % 5];

      put (writer, track, (gint32) slice[0], 30000 * (k / 5) + slice[1], slice[2]);
    }
}

static void
test_size (void)
{
  static const PutSlices workloads[] = { put_roots, put_children, put_nested, put_forks };

  for (guint i = 0; i < G_N_ELEMENTS (workloads); i++)
    {
      g_assert_cmpfloat (count_bytes_a_slice (workloads[i], SW_TRACE_ORDER_START), <=, 32);
      g_assert_cmpfloat (count_bytes_a_slice (workloads[i], SW_TRACE_ORDER_END), <=, 32);
    }
}

/* A sanitizer keeps what was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_WATCHED TRUE
#else
#define MEMORY_IS_WATCHED FALSE
#endif

static gsize
resident_bytes (void)
{
  g_autofree char *text = NULL;
  guint64 pages;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  pages = g_ascii_strtoull (strchr (text, ' '), NULL, 10);
  return (gsize) pages * (gsize) sysconf (_SC_PAGESIZE);
}

static gboolean
ignore (gpointer data,
        const char *bytes,
        gsize n_bytes,
        GError **error)
{
  return TRUE;
}

/* However long the trace. Every @nth slice has a length. */
static void
check_memory (SwTraceFormat format,
              gint32 depth,
              int nth)
{
  SwTraceWriter *writer = sw_trace_writer_new (format, ignore, NULL, &session);
  guint32 track = add_thread (writer, SW_TRACE_ORDER_END);
  gsize before = 0;

  for (int k = 0; k < 300000; k++)
    {
      put (writer, track, depth, 10 * k, k % nth == 0 ? 9 : 0);
      if (k == 50000)
        before = resident_bytes ();
    }
  g_assert_cmpuint (resident_bytes (), <=, before + (1 << 20));
  g_assert_true (sw_trace_writer_close (writer, NULL));
}

/* Children of a parent that does not end, with and without depths: slices, both, and nothing but points. */
static void
test_memory_is_flat (void)
{
  if (MEMORY_IS_WATCHED)
    {
      g_test_skip ("a sanitizer keeps what was freed");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (gint32 depth = -1; depth < 3; depth++)
      {
        check_memory (formats[i], depth, 1);
        check_memory (formats[i], depth, 2);
        check_memory (formats[i], depth, 300000);
      }
}

static char *
make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("strideweave-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

static void
expect_refusal (const char *path,
                const char *message)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sw_trace_writer_new_for_path (formats[i], path, SW_TRACE_SINK_STREAM, &session, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_IO);
      g_assert_nonnull (strstr (error->message, message));
    }
}

static void
test_paths (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "trace", NULL);
  g_autofree char *link_path = g_build_filename (folder, "link", NULL);
  g_autofree char *missing = g_build_filename (folder, "no", "trace", NULL);
  struct stat status;
  SwTraceWriter *writer;

  expect_refusal (missing, "No such file or directory");
  expect_refusal (folder, "Is a directory");
  expect_refusal ("", "No such file or directory");
  g_assert_cmpint (symlink (path, link_path), ==, 0);
  expect_refusal (link_path, "it is a symbolic link");
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));

  /* An old file of any mode becomes a private one. */
  g_assert_true (g_file_set_contents (path, "old and long enough to show", -1, NULL));
  g_assert_cmpint (g_chmod (path, 0666), ==, 0);
  writer = sw_trace_writer_new_for_path (SW_TRACE_FORMAT_JSONL, path, SW_TRACE_SINK_STREAM, &session, NULL);
  g_assert_nonnull (writer);
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  g_assert_cmpint (status.st_size, ==, 0);
  expect_refusal (path, "another trace is being written to it");
  g_assert_true (sw_trace_writer_close (writer, NULL));
  writer = sw_trace_writer_new_for_path (SW_TRACE_FORMAT_JSONL, path, SW_TRACE_SINK_STREAM, &session, NULL);
  g_assert_true (sw_trace_writer_close (writer, NULL));

  g_unlink (link_path);
  g_unlink (path);
  g_rmdir (folder);
}

/* Writes until something fails; the error of close. */
static GError *
write_much (SwTraceWriter *writer)
{
  guint32 track = add_thread (writer, SW_TRACE_ORDER_END);
  GError *error = NULL;

  for (int k = 0; k < 50000; k++)
    put (writer, track, 0, 10 * k, 5);
  g_assert_false (sw_trace_writer_close (writer, &error));
  return error;
}

static void
test_full_disk (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (GError) error = NULL;
      SwTraceWriter *writer = sw_trace_writer_new_for_path (formats[i], "/dev/full", SW_TRACE_SINK_STREAM, &session, &error);

      g_assert_no_error (error);
      error = write_much (writer);
      g_assert_error (error, SW_ERROR, SW_ERROR_IO);
      g_assert_cmpstr (error->message, ==, "cannot write the trace '/dev/full': No space left on device");
    }
}

/* In a child in which no signal is blocked or ignored. */
static void
run_in_child (void (*function) (const char *folder),
              const char *folder)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      signal (SIGPIPE, SIG_DFL);
      signal (SIGXFSZ, SIG_DFL);
      function (folder);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
}

static void
write_to_closed_pipe (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "pipe", NULL);
  g_autoptr (GError) error = NULL;
  SwTraceWriter *writer;
  int reader;

  if (mkfifo (path, 0600) != 0)
    _exit (1);
  reader = open (path, O_RDONLY | O_NONBLOCK);
  writer = sw_trace_writer_new_for_path (SW_TRACE_FORMAT_JSONL, path, SW_TRACE_SINK_STREAM, &session, NULL);
  close (reader);
  if (writer == NULL)
    _exit (2);
  error = write_much (writer);
  g_unlink (path);
  if (!g_str_has_suffix (error->message, "Broken pipe"))
    _exit (3);
}

static void
write_beyond_limit (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "trace", NULL);
  g_autofree char *text = NULL;
  struct rlimit limit = { 500000, 500000 };
  g_autoptr (GError) error = NULL;
  sigset_t pending;

  setrlimit (RLIMIT_FSIZE, &limit);
  error = write_much (sw_trace_writer_new_for_path (SW_TRACE_FORMAT_JSONL, path, SW_TRACE_SINK_STREAM, &session, NULL));
  sigpending (&pending);
  if (!g_str_has_suffix (error->message, "File too large") || sigismember (&pending, SIGXFSZ))
    _exit (1);
  /* What is left ends with a whole record. */
  if (!g_file_get_contents (path, &text, NULL, NULL) || !g_str_has_suffix (text, "}\n"))
    _exit (2);
  g_unlink (path);
}

static void
test_signals (void)
{
  g_autofree char *folder = make_folder ();

  run_in_child (write_to_closed_pipe, folder);
  run_in_child (write_beyond_limit, folder);
  g_rmdir (folder);
}

/* The file lives on without its folder; one that replaces it at the end cannot. */
static void
test_deleted_folder (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "trace", NULL);
  SwTraceWriter *stream = sw_trace_writer_new_for_path (SW_TRACE_FORMAT_JSONL, path, SW_TRACE_SINK_STREAM, &session, NULL);
  SwTraceWriter *whole = NULL;
  g_autoptr (GError) error = NULL;
  const char *name;
  GDir *dir;

  g_unlink (path);
  whole = sw_trace_writer_new_for_path (SW_TRACE_FORMAT_JSONL, path, SW_TRACE_SINK_WHOLE, &session, NULL);
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (folder, name, NULL);

      g_unlink (file);
    }
  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_assert_false (sw_trace_writer_close (stream, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "the file was deleted while it was being written"));
  g_clear_error (&error);
  g_assert_false (sw_trace_writer_close (whole, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-writer/failing-sink", test_failing_sink);
  g_test_add_func ("/trace-writer/flush-ends-with-a-record", test_flush_ends_with_a_record);
  g_test_add_func ("/trace-writer/size", test_size);
  g_test_add_func ("/trace-writer/memory-is-flat", test_memory_is_flat);
  g_test_add_func ("/trace-writer/paths", test_paths);
  g_test_add_func ("/trace-writer/full-disk", test_full_disk);
  g_test_add_func ("/trace-writer/signals", test_signals);
  g_test_add_func ("/trace-writer/deleted-folder", test_deleted_folder);
  return g_test_run ();
}
