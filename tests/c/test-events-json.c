/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "fake-events.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "sw/base/sw-error.h"

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("events-json-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->path = g_build_filename (fixture->folder, "events.json", NULL);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_remove (fixture->path);
  /* Fails when a temporary file stayed behind. */
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->path);
  g_free (fixture->folder);
}

static char *
save (FakeEvents *fake,
      const char *path)
{
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  sw_event_source_save_json (&source, path, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  return text;
}

static void
test_text (Fixture *fixture,
           gconstpointer data)
{
  g_autoptr (FakeEvents) fake = fake_events_new ();
  guint32 shapes = fake_events_add_shapes (fake, (const gint64[]){ -5, -4, 2, -3, 3, -1, -2 }, 7);
  g_autofree char *text = NULL;

  fake_events_add_site (fake, "re\"lu\n", fake_type ("SwFakeCPU"), fake_type ("FakeOperation"));
  fake_events_add (fake, 0, shapes, SW_EVENT_NO_PARENT, G_MAXINT64, 0, G_MININT64, TRUE);
  fake_events_add (fake, 0, 0, 0, -1, 1234567890123456789, 10, FALSE);
  fake->n_dropped = 7;
  text = save (fake, fixture->path);
  g_assert_cmpstr (text, ==,
                   "{\"format\":\"strideweave-operations\",\"version\":1,\"thread_id\":18446744073709551610,"
                   "\"n_dropped_events\":7,\"events\":[\n"
                   "{\"id\":0,\"parent_id\":null,\"name\":\"re\\\"lu\\u000a\",\"carrier_type\":\"Strideweave.FakeCPU\","
                   "\"implementation_type\":\"FakeOperation\",\"input_shapes\":[[2,[3]],null,[]],"
                   "\"start_time_ns\":9223372036854775807,\"duration_ns\":0,\"self_time_ns\":-9223372036854775808,"
                   "\"thread_id\":18446744073709551610,\"succeeded\":true},\n"
                   "{\"id\":1,\"parent_id\":0,\"name\":\"re\\\"lu\\u000a\",\"carrier_type\":\"Strideweave.FakeCPU\","
                   "\"implementation_type\":\"FakeOperation\",\"input_shapes\":null,"
                   "\"start_time_ns\":-1,\"duration_ns\":1234567890123456789,\"self_time_ns\":10,"
                   "\"thread_id\":18446744073709551610,\"succeeded\":false}\n"
                   "]}\n");
}

/* Prints what a strict reader sees, one event a line, its texts in hexadecimal. */
static const char reader[] =
    "import json, sys\n"
    "def refuse(text): raise ValueError(text)\n"
    "def once(pairs):\n"
    "    assert len(dict(pairs)) == len(pairs)\n"
    "    return dict(pairs)\n"
    "def tuples(tree): return tuple(map(tuples, tree)) if isinstance(tree, list) else tree\n"
    "with open(sys.argv[1], encoding='utf-8', errors='strict', newline='') as file:\n"
    "    top = json.load(file, parse_constant=refuse, parse_float=refuse, object_pairs_hook=once)\n"
    "assert list(top) == ['format', 'version', 'thread_id', 'n_dropped_events', 'events'], top.keys()\n"
    "for e in top['events']:\n"
    "    texts = [e[k].encode().hex() for k in ('name', 'carrier_type', 'implementation_type')]\n"
    "    numbers = [str(e[k]) for k in ('start_time_ns', 'duration_ns', 'self_time_ns', 'thread_id')]\n"
    "    shapes = str(tuples(e['input_shapes']))\n"
    "    assert len(e) == 11\n"
    "    print(e['id'], e['parent_id'], *texts, shapes, *numbers, e['succeeded'], sep='|')\n";

static void
append_hex (GString *line,
            const char *text)
{
  /* Whether valid or not: one U+FFFD for each stray byte. */
  while (*text != '\0')
    {
      gunichar c = g_utf8_get_char_validated (text, -1);
      gsize n = c < 0x110000 ? (gsize) g_unichar_to_utf8 (c, NULL) : 1;

      for (gsize i = 0; i < n && c < 0x110000; i++)
        g_string_append_printf (line, "%02x", (guchar) text[i]);
      if (c >= 0x110000)
        g_string_append (line, "efbfbd");
      text += n;
    }
  g_string_append_c (line, '|');
}

static void
append_expected (GString *text,
                 SwProfilerEvent *event)
{
  SwInputShapes *input_shapes = sw_profiler_event_get_input_shapes (event);
  g_autofree char *shapes = input_shapes != NULL ? sw_input_shapes_to_string (input_shapes) : g_strdup ("None");
  gint64 parent;

  g_string_append_printf (text, "%" G_GINT64_FORMAT "|", sw_profiler_event_get_id (event));
  if (sw_profiler_event_get_parent_id (event, &parent))
    g_string_append_printf (text, "%" G_GINT64_FORMAT "|", parent);
  else
    g_string_append (text, "None|");
  append_hex (text, sw_profiler_event_get_name (event));
  append_hex (text, sw_profiler_get_type_name (sw_profiler_event_get_carrier_type (event)));
  append_hex (text, sw_profiler_get_type_name (sw_profiler_event_get_implementation_type (event)));
  g_string_append_printf (text, "%s|%" G_GINT64_FORMAT "|%" G_GINT64_FORMAT "|%" G_GINT64_FORMAT "|%" G_GUINT64_FORMAT "|%s\n",
                          shapes, sw_profiler_event_get_start_time_ns (event), sw_profiler_event_get_duration_ns (event),
                          sw_profiler_event_get_self_time_ns (event), sw_profiler_event_get_thread_id (event),
                          sw_profiler_event_get_succeeded (event) ? "True" : "False");
}

static char *
read_strictly (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  char *text = NULL;

  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, "python3", "-c", reader, path, NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_successful (process));
  return text;
}

static void
test_random (Fixture *fixture,
             gconstpointer data)
{
  g_autofree char *python = g_find_program_in_path ("python3");

  if (python == NULL)
    {
      g_test_skip ("no python3");
      return;
    }
  for (guint round = 0; round < 4; round++)
    {
      g_autoptr (FakeEvents) fake = fake_events_new_random (round < 2 ? (gint32) round : g_test_rand_int_range (0, 2000));
      SwEventSource source = fake_events_get_source (fake);
      g_autoptr (GPtrArray) events = sw_event_source_dup_events (&source);
      g_autoptr (GString) expected = g_string_new (NULL);
      g_autofree char *written = save (fake, fixture->path);
      g_autofree char *seen = read_strictly (fixture->path);

      for (guint i = 0; i < events->len; i++)
        append_expected (expected, events->pdata[i]);
      g_assert_cmpstr (seen, ==, expected->str);
    }
}

static void
assert_refused (FakeEvents *fake,
                const char *path,
                const char *end)
{
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GError) error = NULL;
  g_autofree char *message = g_strdup_printf ("cannot write '%s': %s", path, end);

  g_assert_false (sw_event_source_save_json (&source, path, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_bad_paths (Fixture *fixture,
                gconstpointer data)
{
  g_autoptr (FakeEvents) fake = fake_events_new_random (100);
  g_autofree char *nowhere = g_build_filename (fixture->folder, "no", "events.json", NULL);
  g_autofree char *slash = g_strconcat (fixture->folder, "/new/", NULL);
  g_autofree char *under_file = g_build_filename (fixture->path, "events.json", NULL);

  assert_refused (fake, "", "No such file or directory");
  assert_refused (fake, nowhere, "No such file or directory");
  assert_refused (fake, slash, "No such file or directory");
  assert_refused (fake, fixture->folder, "Is a directory");
  g_assert_true (g_file_set_contents (fixture->path, "old", -1, NULL));
  assert_refused (fake, under_file, "Not a directory");
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
  if (g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    assert_refused (fake, "/dev/full", "No space left on device");
}

/* When it cannot be written to its end, the old file stays as it was. */
static void
test_no_space (Fixture *fixture,
               gconstpointer data)
{
  g_autoptr (FakeEvents) fake = fake_events_new_random (1500);
  struct rlimit old;
  struct rlimit small;
  g_autofree char *text = NULL;

  g_assert_true (g_file_set_contents (fixture->path, "old", -1, NULL));
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 100 * 1000;
  setrlimit (RLIMIT_FSIZE, &small);
  assert_refused (fake, fixture->path, "File too large");
  setrlimit (RLIMIT_FSIZE, &old);
  g_assert_true (g_file_get_contents (fixture->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "old");
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

/* The new file is as open to others as the old one was, and is where a symbolic link leads. */
static void
test_replace (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (FakeEvents) fake = fake_events_new ();
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  struct stat info;

  g_assert_true (g_file_set_contents (fixture->path, "old", -1, NULL));
  g_assert_cmpint (g_chmod (fixture->path, 0640), ==, 0);
  g_assert_cmpint (symlink ("events.json", link), ==, 0);
  first = save (fake, link);
  g_assert_cmpint (lstat (link, &info), ==, 0);
  g_assert_true (S_ISLNK (info.st_mode));
  g_assert_cmpint (stat (fixture->path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0640);
  second = save (fake, fixture->path);
  g_assert_cmpstr (first, ==, second);
  g_unlink (link);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, test) g_test_add ("/events-json/" path, Fixture, NULL, set_up, test, tear_down)
  ADD ("text", test_text);
  ADD ("random", test_random);
  ADD ("bad-paths", test_bad_paths);
  ADD ("no-space", test_no_space);
  ADD ("replace", test_replace);
#undef ADD
  return g_test_run ();
}
