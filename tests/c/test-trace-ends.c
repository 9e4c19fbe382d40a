/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which end belongs to which beginning, to the nanosecond. Time passes only where a test lets it. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strideweave.h>

#include "sw/base/sw-clock-testing.h"

#define NOW G_GINT64_CONSTANT (5000000)

typedef struct
{
  SwTraceContext *context;
  SwMemoryCollector *collector;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  sw_testing_set_fake_clock (NOW, 0);
  fixture->context = sw_trace_context_new ();
  fixture->collector = sw_memory_collector_new (1000, NULL);
  sw_trace_context_set_collector (fixture->context, SW_COLLECTOR (fixture->collector));
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_object_unref (fixture->context);
  g_assert_finalize_object (fixture->collector);
  sw_testing_unset_fake_clock ();
}

static void
pass (gint64 ns)
{
  sw_testing_advance_fake_clock (ns);
}

static guint64
begin (Fixture *fixture,
       const char *name)
{
  return sw_trace_context_begin_span (fixture->context, name, NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
}

static void
end (Fixture *fixture,
     guint64 token)
{
  g_assert_true (sw_trace_context_end_span (fixture->context, token, NULL));
}

static int
compare_texts (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* "name start+duration" of each event, from when the test began, sorted; "!" where it was interrupted. */
static char *
describe (Fixture *fixture)
{
  g_autoptr (GPtrArray) events = sw_memory_collector_dup_events (fixture->collector);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);

      g_ptr_array_add (lines, g_strdup_printf ("%s %03d+%d%s", sw_trace_event_get_name (event),
                                               (int) (sw_trace_event_get_start_ns (event) - NOW),
                                               (int) sw_trace_event_get_duration_ns (event),
                                               sw_trace_event_get_interrupted (event) ? " !" : ""));
    }
  g_ptr_array_sort (lines, compare_texts);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv (", ", (char **) lines->pdata);
}

#define assert_events(fixture, expected)         \
  G_STMT_START                                   \
  {                                              \
    g_autofree char *found = describe (fixture); \
                                                 \
    g_assert_cmpstr (found, ==, expected);       \
  }                                              \
  G_STMT_END

/* The first of two that cross each other ends first. */
static void
test_crossing (Fixture *fixture,
               gconstpointer data)
{
  guint64 first = begin (fixture, "first");
  guint64 second;

  pass (10);
  second = begin (fixture, "second");
  pass (20);
  end (fixture, first);
  pass (300);
  end (fixture, second);
  assert_events (fixture, "first 000+30, second 010+320");
  g_assert_cmpuint (sw_trace_context_get_misplaced_end_count (fixture->context), ==, 1);
}

/* The oldest of many with one name is not the one that another's end means. */
static void
test_same_name (Fixture *fixture,
                gconstpointer data)
{
  guint64 tokens[5];

  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++)
    {
      tokens[i] = begin (fixture, "same");
      pass (1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++)
    {
      pass (10);
      end (fixture, tokens[i]);
    }
  assert_events (fixture, "same 000+15, same 001+24, same 002+33, same 003+42, same 004+51");
}

static void
test_asynchronous (Fixture *fixture,
                   gconstpointer data)
{
  guint64 ids[3];

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      ids[i] = sw_trace_context_begin_async_span (fixture->context, "request", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
      pass (1);
      g_assert_true (i == 0 || ids[i] != ids[i - 1]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      pass (10);
      g_assert_true (sw_trace_context_end_async_span (fixture->context, ids[(i + 1) % 3], NULL));
    }
  assert_events (fixture, "request 000+33, request 001+12, request 002+21");
}

/* What is never ended takes no longer than what is around it did, however long that is ago. */
static void
test_never_ended (Fixture *fixture,
                  gconstpointer data)
{
  guint64 root = begin (fixture, "root");
  guint64 outer;
  guint64 inner;

  pass (10);
  outer = begin (fixture, "outer");
  pass (10);
  inner = begin (fixture, "inner");
  pass (10);
  begin (fixture, "forgotten");
  pass (10);
  end (fixture, inner);
  pass (10);
  end (fixture, outer);
  pass (10);
  end (fixture, root);
  pass (500);
  g_assert_true (sw_collector_close (SW_COLLECTOR (fixture->collector), NULL));
  assert_events (fixture, "forgotten 030+10 !, inner 020+20, outer 010+40, root 000+60");
}

/* What comes after one that was forgotten is as deep as ever, and what is said of the innermost span is said of another. */
static void
test_after_forgotten (Fixture *fixture,
                      gconstpointer data)
{
  guint64 root = begin (fixture, "root");
  guint64 outer = begin (fixture, "outer");
  g_autoptr (GPtrArray) events = NULL;

  begin (fixture, "forgotten");
  end (fixture, outer);
  g_assert_true (sw_trace_context_annotate (fixture->context, "of", g_variant_new_string ("root"), NULL));
  end (fixture, begin (fixture, "inside"));
  sw_trace_context_emit_instant (fixture->context, "instant", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  end (fixture, root);
  end (fixture, begin (fixture, "outside"));
  sw_trace_context_set_enabled (fixture->context, FALSE);
  sw_trace_context_set_enabled (fixture->context, TRUE);
  end (fixture, begin (fixture, "again"));

  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 7);
  for (guint i = 0; i < events->len; i++)
    {
      static const char *const names[] = { "outer", "inside", "instant", "root", "outside", "forgotten", "again" };
      static const int depths[] = { -1, 1, 1, 0, 0, -1, 0 };
      SwTraceEvent *event = g_ptr_array_index (events, i);
      g_autoptr (GVariant) arguments = sw_trace_event_dup_arguments (event);

      g_assert_cmpstr (sw_trace_event_get_name (event), ==, names[i]);
      g_assert_cmpint (sw_trace_event_get_depth (event), ==, depths[i]);
      g_assert_cmpuint (g_variant_n_children (arguments), ==, i == 3);
    }
}

/* The culprit is not hidden by those around it: each that is open at the end says so itself, and all end there. */
static void
test_open_at_the_end (Fixture *fixture,
                      gconstpointer data)
{
  guint64 inner;

  begin (fixture, "outer");
  pass (10);
  inner = begin (fixture, "inner");
  pass (10);
  begin (fixture, "culprit");
  pass (10);
  end (fixture, inner);
  pass (100);
  sw_trace_context_set_enabled (fixture->context, FALSE);
  assert_events (fixture, "culprit 020+10 !, inner 010+20, outer 000+130 !");
}

/* An object of a program that is called back now and then, and has no block around that. */
typedef struct
{
  guint64 token;
} Job;

static void
job_begin (Job *self,
           Fixture *fixture)
{
  self->token = begin (fixture, "job");
  pass (1);
}

static void
job_end (Job *self,
         Fixture *fixture)
{
  pass (1);
  end (fixture, self->token);
}

static void
test_kept_in_objects (Fixture *fixture,
                      gconstpointer data)
{
  Job jobs[2] = { { 0 } };

  job_begin (&jobs[0], fixture);
  for (guint i = 0; i < 3; i++)
    {
      guint64 frame = begin (fixture, "frame");

      pass (10);
      if (i == 1)
        job_end (&jobs[0], fixture);
      pass (1);
      end (fixture, frame);
      if (i == 1)
        job_begin (&jobs[1], fixture);
    }
  job_end (&jobs[1], fixture);
  assert_events (fixture, "frame 001+11, frame 012+12, frame 025+11, job 000+23, job 024+13");
}

static void
test_backward_clock (Fixture *fixture,
                     gconstpointer data)
{
  guint64 token = begin (fixture, "backward");

  pass (-100);
  end (fixture, token);
  token = sw_trace_context_begin_async_span (fixture->context, "asynchronous", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  pass (-1);
  g_assert_true (sw_trace_context_end_async_span (fixture->context, token, NULL));
  pass (1000);
  assert_events (fixture, "asynchronous -100+0, backward 000+0");
  g_assert_cmpuint (sw_trace_context_get_backward_clock_count (fixture->context), ==, 2);
}

/* Files count it, too, whoever wrote them. */
static void
test_backward_clock_in_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sw-ends-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace", NULL);
  g_autofree char *text = NULL;
  g_autoptr (SwCollector) file = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  guint64 token;

  sw_testing_set_fake_clock (NOW, 0);
  file = SW_COLLECTOR (sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL));
  context = sw_trace_context_new ();
  sw_trace_context_set_collector (context, file);
  pass (1000);
  token = sw_trace_context_begin_span (context, "backward", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  pass (-100);
  g_assert_true (sw_trace_context_end_span (context, token, NULL));
  g_assert_true (sw_collector_close (file, NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"duration_ns\":0,"));
  g_assert_nonnull (strstr (text, "\"negative_duration\":1"));
  g_assert_cmpint (remove (path) + remove (folder), ==, 0);
  sw_testing_unset_fake_clock ();
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, function) g_test_add ("/trace-ends/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("crossing", test_crossing);
  ADD ("same-name", test_same_name);
  ADD ("asynchronous", test_asynchronous);
  ADD ("never-ended", test_never_ended);
  ADD ("after-forgotten", test_after_forgotten);
  ADD ("open-at-the-end", test_open_at_the_end);
  ADD ("kept-in-objects", test_kept_in_objects);
  ADD ("backward-clock", test_backward_clock);
  g_test_add_func ("/trace-ends/backward-clock-in-file", test_backward_clock_in_file);

  return g_test_run ();
}
