/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events saved of sessions with every option, more than once, and of nothing. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "profiler-fixtures.h"

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("profiler-saving-XXXXXX", &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  /* Fails when a temporary file stayed behind. */
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
}

static char *
save (Fixture *fixture,
      SwProfiler *profiler,
      const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  char *text = NULL;

  sw_profiler_save_json (profiler, path, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_remove (path), ==, 0);
  return text;
}

static guint
count_text (const char *text,
            const char *part)
{
  guint n = 0;

  for (text = strstr (text, part); text != NULL; text = strstr (text + 1, part))
    n++;
  return n;
}

static void
test_twice_is_the_same (Fixture *fixture,
                        gconstpointer data)
{
  g_autoptr (SwTensor) tensor = test_evictable_tensor (3);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);
  g_autofree char *first = NULL, *second = NULL;

  test_relu (tensor);
  test_failing_add (tensor);
  test_profiler_exit (profiler);
  first = save (fixture, profiler, "first");
  second = save (fixture, profiler, "second");
  g_assert_cmpstr (first, ==, second);
  g_assert_cmpuint (count_text (first, "\"name\":"), ==, 4);
}

static SwProfiler *
profiler_with (guint options)
{
  const GType types[] = { SW_TYPE_EVICTABLE, SW_TYPE_GENERIC };
  gboolean record_shapes = (options & 1) != 0;
  guint n_types = (options >> 2) & 3;
  g_autoptr (GError) error = NULL;
  SwProfiler *profiler;

  if ((options & 2) == 0)
    return sw_profiler_new (record_shapes);
  profiler = sw_profiler_new_for_carriers (types, n_types % 3, record_shapes, &error);
  g_assert_no_error (error);
  return profiler;
}

/* Each subset of: shapes, a filter of none, one or two classes, success, failure, nesting. */
static void
test_every_option (Fixture *fixture,
                   gconstpointer data)
{
  for (guint options = 0; options < 1 << 7; options++)
    {
      g_autoptr (SwTensor) flat = test_generic_tensor (2);
      g_autoptr (SwTensor) tiers = test_evictable_tensor (2);
      g_autoptr (SwProfiler) profiler = profiler_with (options);
      g_autofree char *text = NULL;
      gint64 n_events;

      g_assert_true (sw_profiler_enter (profiler, NULL));
      if ((options & 16) != 0)
        test_relu (flat);
      if ((options & 32) != 0)
        test_failing_add (tiers);
      if ((options & 64) != 0)
        test_relu (tiers);
      test_profiler_exit (profiler);
      text = save (fixture, profiler, "events");
      n_events = sw_profiler_count_events (profiler, NULL);
      g_assert_cmpuint (count_text (text, "\"implementation_type\":"), ==, n_events);
      if ((options & 1) == 0)
        g_assert_cmpuint (count_text (text, "\"input_shapes\":null"), ==, n_events);
      else
        g_assert_cmpuint (count_text (text, "\"input_shapes\":["), ==, n_events);
    }
}

static void
test_nothing_recorded (Fixture *fixture,
                       gconstpointer data)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered_for (SW_TYPE_CPU);
  g_autofree char *text = NULL;

  test_relu (tensor);
  test_profiler_exit (profiler);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 0);
  text = save (fixture, profiler, "nothing");
  g_assert_true (g_str_has_prefix (text, "{\"format\":\"strideweave-operations\""));
  g_assert_nonnull (strstr (text, "\"events\":["));
  g_assert_cmpuint (count_text (text, "\"name\":"), ==, 0);
}

/* Ids are numbers, not texts, and no thread is thread 0. */
static void
test_threads_are_numbers (Fixture *fixture,
                          gconstpointer data)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  g_autoptr (GPtrArray) events = NULL;
  g_autofree char *text = NULL, *expected = NULL;
  guint64 thread_id;

  test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  thread_id = sw_profiler_event_get_thread_id (events->pdata[0]);
  g_assert_cmpuint (thread_id, !=, 0);
  expected = g_strdup_printf ("\"thread_id\":%" G_GUINT64_FORMAT, thread_id);
  text = save (fixture, profiler, "events");
  g_assert_cmpuint (count_text (text, expected), ==, count_text (text, "\"thread_id\""));
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/profiler/saving/twice-is-the-same", test_twice_is_the_same);
  ADD ("/profiler/saving/every-option", test_every_option);
  ADD ("/profiler/saving/nothing-recorded", test_nothing_recorded);
  ADD ("/profiler/saving/threads-are-numbers", test_threads_are_numbers);
  return g_test_run ();
}
