/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completed profilers in files: whole, cut off, damaged, foreign and forged. */
#include "config.h"

#include "fake-events.h"

#include <glib/gstdio.h>
#include <strideweave.h>
#include <string.h>
#include <sys/stat.h>

#include "sw-profiler/operation/sw-profiler-private.h"
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
  fixture->folder = g_dir_make_tmp ("saved-events-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "events", NULL);
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

/* Events as a Profiler records them: self times within durations, ends within time. */
static FakeEvents *
make_events (gsize n_events)
{
  FakeEvents *fake = fake_events_new_random (n_events);

  for (gsize i = 0; i < n_events; i++)
    g_array_index (fake->self, gint64, i) = g_array_index (fake->duration, gint64, i) / (gint64) (1 + i % 3);
  fake->n_dropped = 12;
  return fake;
}

/* Few bytes. */
static FakeEvents *
make_few_events (void)
{
  FakeEvents *fake = fake_events_new ();

  fake_events_add_site (fake, "relu", fake_type ("FakeCarrier"), fake_type ("FakeOperation"));
  fake_events_add_site (fake, "\xff\n", fake_type ("SwFakeCPU"), fake_type ("FakeOperation"));
  fake_events_add_shapes (fake, (const gint64[]){ -4, -4, 2, -3, 300, -1 }, 6);
  fake_events_add_shapes (fake, (const gint64[]){ -3, -3, 5 }, 3);
  fake_events_add (fake, 0, 1, SW_EVENT_NO_PARENT, 1000000, 3000, 1000, TRUE);
  fake_events_add (fake, 1, 2, 0, 1000500, 2000, 2000, FALSE);
  fake_events_add (fake, 0, 0, SW_EVENT_NO_PARENT, 900000, 1, 1, TRUE);
  return fake;
}

static void
save (FakeEvents *fake,
      const char *path)
{
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_event_source_save (&source, fake->records_shapes, path, &error));
  g_assert_no_error (error);
}

static SwProfiler *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  SwProfiler *profiler = sw_profiler_load (path, &error);

  g_assert_no_error (error);
  return profiler;
}

static void
assert_same_results (const SwEventSource *a,
                     const SwEventSource *b)
{
  const char *columns[] = { "p50_time_ns", "total_percent", NULL };
  g_autofree char *json = sw_event_source_dup_json (a);
  g_autofree char *other_json = sw_event_source_dup_json (b);

  g_assert_cmpstr (json, ==, other_json);
  for (guint by_shape = 0; by_shape < 2; by_shape++)
    {
      g_autofree char *table = sw_event_source_dup_table_with_columns (a, columns, NULL, TRUE, by_shape, -1, NULL);
      g_autofree char *other_table = sw_event_source_dup_table_with_columns (b, columns, NULL, TRUE, by_shape, -1, NULL);
      g_autoptr (GPtrArray) rows = sw_event_source_dup_key_averages (a, by_shape);
      g_autoptr (GPtrArray) other_rows = sw_event_source_dup_key_averages (b, by_shape);

      g_assert_cmpstr (table, ==, other_table);
      g_assert_cmpuint (rows->len, ==, other_rows->len);
      for (guint i = 0; i < rows->len; i++)
        {
          g_autofree char *text = sw_profiler_aggregate_to_string (rows->pdata[i]);
          g_autofree char *other_text = sw_profiler_aggregate_to_string (other_rows->pdata[i]);

          g_assert_cmpstr (text, ==, other_text);
        }
    }
}

static void
test_same (Fixture *fixture,
           gconstpointer data)
{
  for (guint round = 0; round < 8; round++)
    {
      g_autoptr (FakeEvents) fake = make_events (round == 0 ? 0 : 400);
      g_autoptr (SwProfiler) profiler = NULL;
      g_autoptr (SwProfiler) again = NULL;
      g_autofree char *first = NULL;
      g_autofree char *second = NULL;
      SwEventSource source;
      gsize n_first, n_second;

      fake->records_shapes = round % 2;
      source = fake_events_get_source (fake);
      save (fake, fixture->path);
      profiler = load (fixture->path);
      assert_same_results (&source, sw_profiler_get_source (profiler, NULL));
      g_assert_true (sw_profiler_is_completed (profiler));
      g_assert_cmpint (sw_profiler_get_record_shapes (profiler), ==, fake->records_shapes);
      g_assert_cmpuint (sw_profiler_get_n_dropped_events (profiler), ==, 12);
      g_assert_false (sw_profiler_enter (profiler, NULL));

      /* Saving what was loaded gives the same bytes, over the old file. */
      g_assert_true (g_file_get_contents (fixture->path, &first, &n_first, NULL));
      g_assert_true (sw_profiler_save (profiler, fixture->path, NULL));
      g_assert_true (g_file_get_contents (fixture->path, &second, &n_second, NULL));
      g_assert_cmpmem (first, n_first, second, n_second);
      again = load (fixture->path);
      assert_same_results (&source, sw_profiler_get_source (again, NULL));
    }
}

static void
test_types (Fixture *fixture,
            gconstpointer data)
{
  const char *names[] = { "known", "foreign", "other", "wrong" };
  g_autoptr (FakeEvents) fake = fake_events_new ();
  g_autoptr (SwProfiler) profiler = NULL;
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GPtrArray) rows = NULL;

  /* Types of no carriers and operations are as good as none; the process that saved had others of these names. */
  fake_events_add_site (fake, "relu", SW_TYPE_CPU, SW_TYPE_CPU_RELU_OPERATION);
  fake_events_add_site (fake, "relu", fake_type ("FakeForeignCarrier"), fake_type ("FakeForeignOperation"));
  fake_events_add_site (fake, "relu", fake_type ("FakeOtherCarrier"), fake_type ("FakeForeignOperation"));
  fake_events_add_site (fake, "relu", G_TYPE_STRING, SW_TYPE_CPU);
  for (guint32 site = 0; site < 4; site++)
    fake_events_add (fake, site, 0, SW_EVENT_NO_PARENT, 5, 10, 10, TRUE);
  save (fake, fixture->path);
  profiler = load (fixture->path);
  events = sw_profiler_dup_events (profiler, NULL);
  rows = sw_profiler_dup_key_averages (profiler, FALSE, NULL);
  g_assert_cmpuint (rows->len, ==, 4);
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (events->pdata[0]), ==, SW_TYPE_CPU);
  g_assert_cmpuint (sw_profiler_event_get_implementation_type (events->pdata[0]), ==, SW_TYPE_CPU_RELU_OPERATION);
  g_assert_cmpstr (sw_profiler_event_get_carrier_name (events->pdata[0]), ==, "Strideweave.CPU");
  for (guint i = 1; i < 4; i++)
    {
      g_test_message ("%s", names[i]);
      g_assert_cmpuint (sw_profiler_event_get_carrier_type (events->pdata[i]), ==, SW_TYPE_CARRIER);
      g_assert_cmpuint (sw_profiler_event_get_implementation_type (events->pdata[i]), ==, SW_TYPE_OPERATION);
    }
  g_assert_cmpstr (sw_profiler_event_get_carrier_name (events->pdata[1]), ==, "FakeForeignCarrier");
  g_assert_cmpstr (sw_profiler_event_get_implementation_name (events->pdata[1]), ==, "FakeForeignOperation");
  g_assert_cmpstr (sw_profiler_event_get_carrier_name (events->pdata[3]), ==, "gchararray");
  /* Rows that have all fields alike but the names of the types that this process does not have. */
  for (guint i = 0; i < 4; i++)
    {
      for (guint j = 0; j < i; j++)
        g_assert_false (sw_profiler_aggregate_equal (rows->pdata[i], rows->pdata[j]));
    }
}

static void
assert_refused (const char *path,
                int code,
                const char *message)
{
  g_autoptr (GError) error = NULL;
  SwProfiler *profiler = sw_profiler_load (path, &error);

  g_assert_null (profiler);
  g_assert_error (error, SW_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
put (const char *path,
     gconstpointer bytes,
     gsize n_bytes)
{
  FILE *file = fopen (path, "wb");

  g_assert_cmpuint (fwrite (bytes, 1, n_bytes, file), ==, n_bytes);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
test_damaged (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (FakeEvents) fake = make_few_events ();
  g_autofree char *bytes = NULL;
  gsize n_bytes;

  save (fake, fixture->path);
  g_assert_true (g_file_get_contents (fixture->path, &bytes, &n_bytes, NULL));
  for (gsize n = 0; n < n_bytes; n++)
    {
      put (fixture->path, bytes, n);
      assert_refused (fixture->path, SW_ERROR_VALUE, n < SW_SAVED_HEADER_SIZE ? "no saved Profiler" : "damaged");
    }
  for (gsize i = 0; i < n_bytes; i++)
    {
      char old = bytes[i];

      bytes[i] ^= (char) (1 << (i % 8));
      put (fixture->path, bytes, n_bytes);
      assert_refused (fixture->path, SW_ERROR_VALUE, i < SW_SAVED_MAGIC_SIZE ? "no saved Profiler" : i < SW_SAVED_HEADER_SIZE ? "version"
                                                                                                                              : "checksum");
      bytes[i] = old;
    }
  put (fixture->path, bytes, n_bytes);
  g_object_unref (load (fixture->path));
}

/* Sets the checksum of bytes that end in room for it. */
static void
sign (guint8 *bytes,
      gsize n_bytes)
{
  guint32 sum = GUINT32_TO_LE (sw_saved_checksum (0, bytes, n_bytes - SW_SAVED_CHECKSUM_SIZE));

  memcpy (bytes + n_bytes - SW_SAVED_CHECKSUM_SIZE, &sum, sizeof sum);
}

/* With the right checksum, whatever the bytes say: an error, or a profiler whose results can be asked for. */
static void
load_forged (const char *path,
             guint8 *bytes,
             gsize n_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfiler) profiler = NULL;
  g_autofree char *json = NULL;
  g_autofree char *table = NULL;
  g_autoptr (GPtrArray) events = NULL;

  sign (bytes, n_bytes);
  put (path, bytes, n_bytes);
  profiler = sw_profiler_load (path, &error);
  if (profiler == NULL)
    {
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      return;
    }
  json = sw_profiler_dup_json (profiler, NULL);
  table = sw_profiler_dup_table (profiler, NULL, TRUE, TRUE, -1, NULL);
  events = sw_profiler_dup_events (profiler, NULL);
  g_assert_nonnull (json);
  g_assert_nonnull (table);
  for (guint i = 0; i < events->len; i++)
    g_assert_cmpint (sw_profiler_event_get_self_time_ns (events->pdata[i]), <=, sw_profiler_event_get_duration_ns (events->pdata[i]));
}

static void
test_forged (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (FakeEvents) fake = make_few_events ();
  g_autofree guint8 *bytes = NULL;
  g_autofree guint8 *copy = NULL;
  gsize n_bytes;

  save (fake, fixture->path);
  g_assert_true (g_file_get_contents (fixture->path, (char **) &bytes, &n_bytes, NULL));
  copy = g_malloc (n_bytes);
  for (gsize i = SW_SAVED_HEADER_SIZE; i < n_bytes - SW_SAVED_CHECKSUM_SIZE; i++)
    {
      memcpy (copy, bytes, n_bytes);
      copy[i] = (guint8) g_test_rand_int ();
      load_forged (fixture->path, copy, n_bytes);
      copy[i] = 0xff;
      load_forged (fixture->path, copy, n_bytes);
      /* Cut off here, and signed. */
      memcpy (copy, bytes, i);
      load_forged (fixture->path, copy, i + SW_SAVED_CHECKSUM_SIZE);
    }
}

#define N_COUNTS 4   /* bytes: flags, thread, dropped, faults */
#define N_IDENTITY 6 /* bytes: process, thread, clock, session, name: 0 each */

/* A header, what follows it with an identity amid, and room for a checksum. */
static void
assert_forgery_refused (const char *path,
                        const char *body,
                        gsize n_body,
                        const char *message)
{
  gsize n_bytes = SW_SAVED_HEADER_SIZE + n_body + N_IDENTITY + SW_SAVED_CHECKSUM_SIZE;
  g_autofree guint8 *bytes = g_malloc0 (n_bytes);
  guint8 *at = bytes + SW_SAVED_HEADER_SIZE;

  memcpy (bytes, SW_SAVED_MAGIC, SW_SAVED_MAGIC_SIZE);
  bytes[SW_SAVED_MAGIC_SIZE] = SW_SAVED_VERSION;
  memcpy (at, body, N_COUNTS);
  memcpy (at + N_COUNTS + N_IDENTITY, body + N_COUNTS, n_body - N_COUNTS);
  sign (bytes, n_bytes);
  put (path, bytes, n_bytes);
  assert_refused (path, SW_ERROR_VALUE, message);
}

#define refused(path, body, message) assert_forgery_refused (path, body, sizeof (body) - 1, message)

static void
test_rules (Fixture *fixture,
            gconstpointer data)
{
  const char *path = fixture->path;

  /* flags, thread, dropped, faults, sites, shapes, events */
  refused (path, "\x02\0\0\0\0\0\0", "too large");
  refused (path, "\0\0\0\0\0\0\x01\0\0\0\0\0", "too large");                                /* an event of no site */
  refused (path, "\0\0\0\0\0\0\0\0", "more follows");                                       /* a byte too many */
  refused (path, "\x80\0\0\0\0\0\0\0", "longer than it needs");                             /* 0 in two bytes */
  refused (path, "\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\0\0", "too large");      /* 65 bits */
  refused (path, "\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0", "ends too early"); /* 2^64 - 1 sites */
  refused (path, "\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0", "ends too early"); /* shapes */
  refused (path, "\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ends too early"); /* events */
  refused (path, "\0\0\0\0\x01\0\0\xff\xff\xff\xff\x0f\0\0\0\0", "ends too early");         /* a name of 4 GB */
  refused (path, "\0\0\0\0\x01\0\0\x01\0\0\0\0\0", "NUL");
  refused (path, "\0\0\0\0\0\x01\0\x01\x02", "a shape is none");                             /* no tuple */
  refused (path, "\0\0\0\0\0\x01\0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a shape"); /* of 2^63 inputs */
  refused (path, "\0\0\0\0\x01\0\x01\0\0\0\0\0\0\x05\x06\0\0", "too large");                 /* self time below 0 */
  refused (path, "\0\0\0\0\x01\0\x01\0\0\0\0\0\0\x05\0\x01\0", "too large");                 /* a parent before all */
  refused (path, "\0\0\0\0\x01\0\x01\0\0\0\0\0\0\x05\0\0\x02", "too large");                 /* another site */
  refused (path, "\x01\0\0\0\x01\0\x01\0\0\0\0\0\0\x05\0\0\0\x01", "too large");             /* other shapes */
  refused (path, "\0\0\0\0\x01\0\x01\0\0\0\0\0\x02\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0", "beyond all time");
}

/* A thread has any name, also a longer one than the system takes. */
static void
test_thread_name (Fixture *fixture,
                  gconstpointer data)
{
  const char *const name = "a name that is longer than the system takes";
  g_autofree char *path = g_build_filename (fixture->folder, "trace", NULL);
  g_autofree char *text = NULL;
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);
  g_autoptr (SwProfiler) loaded = NULL;
  g_autoptr (GError) error = NULL;

  sw_profile_set_thread_name (name);
  g_assert_true (sw_profiler_enter (profiler, NULL));
  g_assert_true (sw_profiler_exit (profiler, NULL));
  sw_profile_set_thread_name ("another one");
  g_assert_true (sw_profiler_save (profiler, fixture->path, &error));
  sw_profile_set_thread_name (NULL);
  g_assert_no_error (error);
  loaded = sw_profiler_load (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_true (sw_profiler_write_trace (loaded, path, SW_TRACE_FORMAT_JSONL, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, name));
  g_remove (path);
}

static void
test_foreign (Fixture *fixture,
              gconstpointer data)
{
  const char version[] = SW_SAVED_MAGIC "\x02\0\0\0";
  g_autofree char *missing = g_build_filename (fixture->folder, "missing", NULL);
  g_autofree char *pipe = g_build_filename (fixture->folder, "pipe", NULL);

  assert_refused (missing, SW_ERROR_IO, "missing");
  assert_refused (fixture->folder, SW_ERROR_IO, "no regular file");
  assert_refused ("/dev/zero", SW_ERROR_IO, "no regular file");
  assert_refused ("", SW_ERROR_IO, "cannot read");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  assert_refused (pipe, SW_ERROR_IO, "no regular file");
  g_remove (pipe);
  put (fixture->path, "{\"format\": \"strideweave-operations\"}", 36);
  assert_refused (fixture->path, SW_ERROR_VALUE, "no saved Profiler");
  put (fixture->path, version, sizeof version - 1);
  assert_refused (fixture->path, SW_ERROR_VALUE, "version 2 of the format; this library knows version 1");
  /* Nothing of a large foreign file is read. */
  g_assert_cmpint (truncate (fixture->path, (off_t) 1 << 40), ==, 0);
  assert_refused (fixture->path, SW_ERROR_VALUE, "version 2");
}

static void
test_unwritable (Fixture *fixture,
                 gconstpointer data)
{
  g_autoptr (FakeEvents) fake = make_events (5);
  g_autofree char *path = g_build_filename (fixture->folder, "no", "such", "folder", NULL);
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwProfiler) fresh = sw_profiler_new (FALSE);

  g_assert_false (sw_event_source_save (&source, TRUE, path, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (sw_event_source_save (&source, TRUE, "/dev/full", &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (sw_profiler_save (fresh, fixture->path, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
}

/* The check value of CRC-32. */
static void
test_checksum (Fixture *fixture,
               gconstpointer data)
{
  const guint8 *digits = (const guint8 *) "123456789";

  g_assert_cmphex (sw_saved_checksum (0, digits, 9), ==, 0xcbf43926);
  g_assert_cmphex (sw_saved_checksum (sw_saved_checksum (0, digits, 4), digits + 4, 5), ==, 0xcbf43926);
}

#define add(name, function) g_test_add ("/saved-events/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("same", test_same);
  add ("types", test_types);
  add ("damaged", test_damaged);
  add ("forged", test_forged);
  add ("rules", test_rules);
  add ("thread-name", test_thread_name);
  add ("foreign", test_foreign);
  add ("unwritable", test_unwritable);
  add ("checksum", test_checksum);
  return g_test_run ();
}
