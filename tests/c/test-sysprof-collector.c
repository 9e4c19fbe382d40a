/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <strideweave.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void
test_available (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwSysprofCollector) collector = NULL;

  g_assert_cmpint (sw_sysprof_collector_is_available (), ==, SW_HAVE_SYSPROF);
  if (sw_sysprof_collector_is_available ())
    return;
  collector = sw_sysprof_collector_new ("/dev/null", &error);
  g_assert_null (collector);
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "libsysprof-capture-4"));
  g_clear_error (&error);
  g_assert_null (sw_sysprof_collector_new_for_session (&error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
}

#if SW_HAVE_SYSPROF

#include <sysprof-capture.h>

/* What Sysprof's own reader finds in a capture. */
typedef struct
{
  GPtrArray *marks;    /* printed */
  GHashTable *defined; /* number -> name */
  GPtrArray *values;   /* printed */
  GHashTable *metadata;
  gint64 first_ns;
  gint64 last_ns;
} Capture;

static void
read_mark (Capture *capture,
           SysprofCaptureReader *reader)
{
  const SysprofCaptureMark *mark = sysprof_capture_reader_read_mark (reader);

  g_assert_nonnull (mark);
  g_assert_cmpint (mark->frame.pid, ==, getpid ());
  g_assert_true (g_utf8_validate (mark->group, -1, NULL) && g_utf8_validate (mark->name, -1, NULL) &&
                 g_utf8_validate (mark->message, -1, NULL));
  capture->first_ns = MIN (capture->first_ns, mark->frame.time);
  capture->last_ns = MAX (capture->last_ns, mark->frame.time + mark->duration);
  g_ptr_array_add (capture->marks, g_strdup_printf ("%s|%s|%s|%s", mark->group, mark->name,
                                                    mark->duration > 0 ? "lasts" : "-", mark->message));
}

static void
read_counters (Capture *capture,
               SysprofCaptureReader *reader,
               SysprofCaptureFrameType type)
{
  const SysprofCaptureCounterDefine *define;
  const SysprofCaptureCounterSet *set;

  if (type == SYSPROF_CAPTURE_FRAME_CTRDEF)
    {
      define = sysprof_capture_reader_read_counter_define (reader);
      g_assert_cmpuint (define->n_counters, ==, 1);
      g_hash_table_insert (capture->defined, GUINT_TO_POINTER (define->counters[0].id),
                           g_strdup_printf ("%c %s", define->counters[0].type == SYSPROF_CAPTURE_COUNTER_INT64 ? 'i' : 'd',
                                            define->counters[0].name));
      return;
    }
  set = sysprof_capture_reader_read_counter_set (reader);
  for (guint i = 0; i < set->n_values; i++)
    for (guint j = 0; j < 8 && set->values[i].ids[j] != 0; j++)
      {
        const char *name = g_hash_table_lookup (capture->defined, GUINT_TO_POINTER (set->values[i].ids[j]));

        g_assert_nonnull (name);
        if (name[0] == 'i')
          g_ptr_array_add (capture->values, g_strdup_printf ("%s %" G_GINT64_FORMAT, name, set->values[i].values[j].v64));
        else
          g_ptr_array_add (capture->values, g_strdup_printf ("%s %g", name, set->values[i].values[j].vdbl));
      }
}

static Capture *
read_capture (const char *path)
{
  SysprofCaptureReader *reader = sysprof_capture_reader_new (path);
  Capture *capture = g_new0 (Capture, 1);
  SysprofCaptureFrameType type;

  g_assert_nonnull (reader);
  capture->marks = g_ptr_array_new_with_free_func (g_free);
  capture->values = g_ptr_array_new_with_free_func (g_free);
  capture->defined = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  capture->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  capture->first_ns = G_MAXINT64;
  while (sysprof_capture_reader_peek_type (reader, &type))
    if (type == SYSPROF_CAPTURE_FRAME_MARK)
      read_mark (capture, reader);
    else if (type == SYSPROF_CAPTURE_FRAME_CTRDEF || type == SYSPROF_CAPTURE_FRAME_CTRSET)
      read_counters (capture, reader, type);
    else if (type == SYSPROF_CAPTURE_FRAME_METADATA)
      {
        const SysprofCaptureMetadata *metadata = sysprof_capture_reader_read_metadata (reader);

        g_hash_table_insert (capture->metadata, g_strdup (metadata->id), g_strdup (metadata->metadata));
      }
    else
      g_assert_true (sysprof_capture_reader_skip (reader));
  sysprof_capture_reader_unref (reader);
  return capture;
}

static void
capture_free (Capture *capture)
{
  g_ptr_array_unref (capture->marks);
  g_ptr_array_unref (capture->values);
  g_hash_table_unref (capture->defined);
  g_hash_table_unref (capture->metadata);
  g_free (capture);
}

typedef struct
{
  SwTraceContext *context;
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->context = sw_trace_context_new ();
  fixture->folder = g_dir_make_tmp ("sysprof-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "trace.syscap", NULL);
  sw_trace_context_set_thread_name ("tester");
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_object_unref (fixture->context);
  g_unlink (fixture->path);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->path);
}

static SwCollector *
make (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  SwSysprofCollector *collector = sw_sysprof_collector_new (fixture->path, &error);

  g_assert_no_error (error);
  sw_trace_context_set_collector (fixture->context, SW_COLLECTOR (collector));
  return SW_COLLECTOR (collector);
}

static void
record (SwTraceContext *context)
{
  const char *long_name = "a name that is much longer than what a mark has room för: 🦊🦊🦊";
  guint64 token;

  {
    SW_TRACE_SPAN_IN (context, "span", "work", SW_TRACE_VERBOSITY_FULL, SW_TRACE_STRING ("text", "some"),
                      SW_TRACE_INT64 ("n", -1), SW_TRACE_BOOLEAN ("yes", TRUE));

    g_usleep (1);
    SW_TRACE_INSTANT_IN (context, "instant", "", SW_TRACE_VERBOSITY_FULL);
  }
  token = sw_trace_context_begin_span (context, long_name, "a category longer than its room", SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  g_usleep (1);
  g_assert_true (sw_trace_context_end_span (context, token, NULL));
  sw_trace_context_emit_counter (context, "level", SW_TRACE_VERBOSITY_FULL, 0.5, NULL);
  sw_trace_context_emit_counter (context, "level", SW_TRACE_VERBOSITY_FULL, 1.5, NULL);
  sw_trace_context_emit_counter_int64 (context, "bytes", SW_TRACE_VERBOSITY_FULL, G_MAXINT64, NULL);
}

static void
test_reader (Fixture *fixture,
             gconstpointer data)
{
  g_autofree char *session = sw_trace_context_dup_session_id (fixture->context);
  gint64 before_ns = g_get_monotonic_time () * 1000;
  SwCollector *collector = make (fixture);
  g_autoptr (GError) error = NULL;
  Capture *capture;

  record (fixture->context);
  g_assert_true (sw_collector_close (collector, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_collector_get_event_count (collector), ==, 6);
  capture = read_capture (fixture->path);
  g_assert_cmpuint (capture->marks->len, ==, 3);
  g_assert_cmpstr (g_ptr_array_index (capture->marks, 0), ==, "strideweave|instant|-|thread: tester");
  g_assert_cmpstr (g_ptr_array_index (capture->marks, 1), ==, "work|span|lasts|thread: tester, text: some, n: -1, yes: true");
  g_assert_cmpstr (g_ptr_array_index (capture->marks, 2), ==,
                   "a category longer than |a name that is much longer than what a |lasts|thread: tester, "
                   "name: a name that is much longer than what a mark has room för: 🦊🦊🦊");
  g_assert_cmpint (capture->first_ns, >=, before_ns);
  g_assert_cmpint (capture->last_ns, <=, (g_get_monotonic_time () + 1) * 1000);
  g_assert_cmpuint (capture->values->len, ==, 3);
  g_assert_cmpstr (g_ptr_array_index (capture->values, 0), ==, "d level 0.5");
  g_assert_cmpstr (g_ptr_array_index (capture->values, 1), ==, "d level 1.5");
  g_assert_cmpstr (g_ptr_array_index (capture->values, 2), ==, "i bytes 9223372036854775807");
  g_assert_cmpstr (g_hash_table_lookup (capture->metadata, "strideweave.session"), ==, session);
  g_assert_cmpstr (g_hash_table_lookup (capture->metadata, "strideweave.dropped"), ==, "0");
  capture_free (capture);
  g_object_unref (collector);
}

/* Flushed, and then nothing: as after a crash. */
static void
test_unfinished (Fixture *fixture,
                 gconstpointer data)
{
  SwCollector *collector = make (fixture);
  Capture *capture;

  for (guint i = 0; i < 10000; i++)
    {
      SW_TRACE_SPAN_IN (fixture->context, "span", "", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("i", i));
    }
  g_assert_true (sw_collector_flush (collector, NULL));
  capture = read_capture (fixture->path);
  g_assert_cmpuint (capture->marks->len, ==, 10000);
  capture_free (capture);
  sw_trace_context_set_collector (fixture->context, NULL);
  g_object_unref (collector);
}

static void
test_large_arguments (Fixture *fixture,
                      gconstpointer data)
{
  g_autofree char *text = g_strnfill (200000, 'x');
  SwCollector *collector = make (fixture);
  Capture *capture;

  {
    SW_TRACE_SPAN_IN (fixture->context, "span", "", SW_TRACE_VERBOSITY_FULL, SW_TRACE_STRING ("text", text));
  }
  g_assert_true (sw_collector_close (collector, NULL));
  capture = read_capture (fixture->path);
  g_assert_cmpuint (capture->marks->len, ==, 1);
  capture_free (capture);
  g_object_unref (collector);
}

static void
test_bad_paths (Fixture *fixture,
                gconstpointer data)
{
  static const char *const paths[] = { "/nowhere/trace.syscap", "/dev/null", "/" };
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_assert_null (sw_sysprof_collector_new (paths[i], &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_IO);
      g_assert_nonnull (strstr (error->message, paths[i]));
      g_clear_error (&error);
    }
  g_assert_cmpint (symlink (fixture->path, link), ==, 0);
  g_assert_null (sw_sysprof_collector_new (link, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_clear_error (&error);
  g_unlink (link);
}

static void
test_session (Fixture *fixture,
              gconstpointer data)
{
  g_autofree char *number = NULL;
  g_autoptr (GError) error = NULL;
  SwSysprofCollector *collector;
  Capture *capture;
  int fd;

  g_unsetenv ("SYSPROF_TRACE_FD");
  g_assert_null (sw_sysprof_collector_new_for_session (&error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "SYSPROF_TRACE_FD"));
  g_clear_error (&error);
  g_setenv ("SYSPROF_TRACE_FD", "4711", TRUE);
  g_assert_null (sw_sysprof_collector_new_for_session (&error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_clear_error (&error);

  fd = g_open (fixture->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  number = g_strdup_printf ("%d", fd);
  g_setenv ("SYSPROF_TRACE_FD", number, TRUE);
  collector = sw_sysprof_collector_new_for_session (&error);
  g_assert_no_error (error);
  sw_trace_context_set_collector (fixture->context, SW_COLLECTOR (collector));
  record (fixture->context);
  g_assert_true (sw_collector_close (SW_COLLECTOR (collector), NULL));
  g_object_unref (collector);
  close (fd);
  g_unsetenv ("SYSPROF_TRACE_FD");
  capture = read_capture (fixture->path);
  g_assert_cmpuint (capture->marks->len, ==, 3);
  capture_free (capture);
}

static void
test_fork (Fixture *fixture,
           gconstpointer data)
{
  SwCollector *collector = make (fixture);
  Capture *capture;
  int status;
  pid_t pid;

  record (fixture->context);
  pid = fork ();
  if (pid == 0)
    {
      g_object_unref (collector);
      _exit (sw_collector_get_event_count (collector) > 6);
    }
  waitpid (pid, &status, 0);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (sw_collector_close (collector, NULL));
  capture = read_capture (fixture->path);
  g_assert_cmpuint (capture->marks->len, ==, 3);
  capture_free (capture);
  g_object_unref (collector);
}

#endif

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sysprof-collector/available", test_available);
#if SW_HAVE_SYSPROF
  g_test_add ("/sysprof-collector/reader", Fixture, NULL, set_up, test_reader, tear_down);
  g_test_add ("/sysprof-collector/unfinished", Fixture, NULL, set_up, test_unfinished, tear_down);
  g_test_add ("/sysprof-collector/large-arguments", Fixture, NULL, set_up, test_large_arguments, tear_down);
  g_test_add ("/sysprof-collector/bad-paths", Fixture, NULL, set_up, test_bad_paths, tear_down);
  g_test_add ("/sysprof-collector/session", Fixture, NULL, set_up, test_session, tear_down);
  g_test_add ("/sysprof-collector/fork", Fixture, NULL, set_up, test_fork, tear_down);
#else
  g_test_message ("The library was built without libsysprof-capture-4: nothing of it is tested.");
#endif
  return g_test_run ();
}
