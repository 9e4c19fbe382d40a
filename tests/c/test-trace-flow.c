/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <pthread.h>
#include <strideweave.h>
#include <string.h>

#define N_THREADS 4
#define N_FLOWS 5000

typedef struct
{
  SwTraceContext *context;
  SwMemoryCollector *collector;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->context = sw_trace_context_new ();
  fixture->collector = sw_memory_collector_new (100000, NULL);
  sw_trace_context_set_collector (fixture->context, SW_COLLECTOR (fixture->collector));
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_object_unref (fixture->context);
  g_assert_finalize_object (fixture->collector);
}

static guint64
start (SwTraceContext *context)
{
  g_autoptr (GError) error = NULL;
  guint64 id = sw_trace_context_flow_start (context, SW_TRACE_VERBOSITY_FULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (id, !=, 0);
  return id;
}

/* "ID step ID end", and each time is within the span. */
static char *
print_flows (SwTraceEvent *event)
{
  g_autoptr (GVariant) flows = sw_trace_event_dup_flows (event);
  g_autoptr (GString) text = g_string_new (NULL);
  GVariantIter iter;
  const char *step;
  guint64 id;
  gint64 time_ns;

  g_variant_iter_init (&iter, flows);
  while (g_variant_iter_next (&iter, "(tx&s)", &id, &time_ns, &step))
    {
      g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s", text->len > 0 ? " " : "", id, step);
      g_assert_cmpint (time_ns, >=, sw_trace_event_get_start_ns (event));
      g_assert_cmpint (time_ns, <=, sw_trace_event_get_start_ns (event) + sw_trace_event_get_duration_ns (event));
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
assert_flows (GPtrArray *events,
              const char *name,
              const char *format,
              ...) G_GNUC_PRINTF (3, 4);

static void
assert_flows (GPtrArray *events,
              const char *name,
              const char *format,
              ...)
{
  va_list args;
  guint n_found = 0;

  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);
      g_autofree char *found = print_flows (event);
      g_autofree char *expected = NULL;

      if (g_strcmp0 (sw_trace_event_get_name (event), name) != 0)
        continue;
      va_start (args, format);
      expected = g_strdup_vprintf (format, args);
      va_end (args);
      g_assert_cmpstr (found, ==, expected);
      n_found++;
    }
  g_assert_cmpuint (n_found, ==, 1);
}

typedef struct
{
  SwTraceContext *context;
  guint64 id;
} Message;

static void *
receive (void *data)
{
  Message *message = data;
  SW_TRACE_SPAN_IN (message->context, "receive", "", SW_TRACE_VERBOSITY_FULL);

  SW_TRACE_FLOW_STEP_IN (message->context, message->id);
  return NULL;
}

static void
test_threads (Fixture *fixture,
              gconstpointer data)
{
  Message message = { fixture->context, 0 };
  g_autoptr (GPtrArray) events = NULL;
  pthread_t thread;

  {
    SW_TRACE_SPAN_IN (fixture->context, "send", "", SW_TRACE_VERBOSITY_FULL, SW_TRACE_INT64 ("n", 1));
    {
      SW_TRACE_SPAN_IN (fixture->context, "inside", "", SW_TRACE_VERBOSITY_FULL);
    }
    message.id = SW_TRACE_FLOW_START_IN (fixture->context, SW_TRACE_VERBOSITY_FULL);
  }
  g_assert_cmpint (pthread_create (&thread, NULL, receive, &message), ==, 0);
  pthread_join (thread, NULL);
  {
    SW_TRACE_SPAN_IN (fixture->context, "done", "", SW_TRACE_VERBOSITY_FULL);

    SW_TRACE_FLOW_END_IN (fixture->context, message.id);
  }
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 4);
  assert_flows (events, "inside", "%s", "");
  assert_flows (events, "send", "%" G_GUINT64_FORMAT " start", message.id);
  assert_flows (events, "receive", "%" G_GUINT64_FORMAT " step", message.id);
  assert_flows (events, "done", "%" G_GUINT64_FORMAT " end", message.id);
  g_assert_cmpuint (sw_trace_context_get_stray_flow_count (fixture->context), ==, 0);
}

static void
test_arguments_stay (Fixture *fixture,
                     gconstpointer data)
{
  g_autoptr (GVariant) arguments = NULL;
  g_autoptr (GPtrArray) events = NULL;
  g_autofree char *text = NULL;

  {
    SW_TRACE_SPAN_IN (fixture->context, "span", "", SW_TRACE_VERBOSITY_FULL, SW_TRACE_STRING ("before", "a"));

    for (guint i = 0; i < 100; i++)
      start (fixture->context);
    sw_trace_context_annotate (fixture->context, "after", g_variant_new_string ("b"), NULL);
  }
  events = sw_memory_collector_dup_events (fixture->collector);
  arguments = sw_trace_event_dup_arguments (g_ptr_array_index (events, 0));
  g_assert_cmpuint (g_variant_n_children (arguments), ==, 2);
  text = print_flows (g_ptr_array_index (events, 0));
  g_assert_nonnull (strstr (text, " start "));
}

static void
assert_state_error (gboolean succeeded,
                    GError **error,
                    const char *end)
{
  g_assert_false (succeeded);
  g_assert_error (*error, SW_ERROR, SW_ERROR_STATE);
  g_assert_true (g_str_has_suffix ((*error)->message, end));
  g_clear_error (error);
}

static void
test_misuse (Fixture *fixture,
             gconstpointer data)
{
  SwTraceContext *context = fixture->context;
  guint64 token = sw_trace_context_begin_span (context, "span", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  guint64 id = start (context);
  GError *error = NULL;

  assert_state_error (sw_trace_context_flow_step (context, G_MAXUINT64, &error), &error, "which no flow ever had");
  assert_state_error (sw_trace_context_flow_end (context, id + G_MAXINT64, &error), &error, "which no flow ever had");
  g_assert_true (sw_trace_context_flow_end (context, id, &error));
  assert_state_error (sw_trace_context_flow_end (context, id, &error), &error, "which is a flow that has ended");
  assert_state_error (sw_trace_context_flow_step (context, id, &error), &error, "which is a flow that has ended");
  SW_TRACE_FLOW_END_IN (context, id);
  g_assert_cmpuint (sw_trace_context_get_stray_flow_count (context), ==, 5);
  g_assert_cmpuint (sw_trace_context_flow_start (context, SW_TRACE_VERBOSITY_NONE, &error), ==, 0);
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_true (sw_trace_context_flow_step (context, 0, &error));
  g_assert_true (sw_trace_context_flow_end (context, 0, &error));
  g_assert_true (sw_trace_context_end_span (context, token, NULL));

  /* No span is open: the program is right, its place is missing. */
  id = start (context);
  g_assert_true (sw_trace_context_flow_step (context, id, &error));
  g_assert_true (sw_trace_context_flow_end (context, id, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_trace_context_get_stray_flow_count (context), ==, 8);
}

static void
test_switched_off (Fixture *fixture,
                   gconstpointer data)
{
  SwTraceContext *context = fixture->context;
  GError *error = NULL;
  guint64 id;

  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_OPERATIONS);
  g_assert_cmpuint (SW_TRACE_FLOW_START_IN (context, SW_TRACE_VERBOSITY_FULL), ==, 0);
  g_assert_cmpuint (sw_trace_context_flow_start (context, SW_TRACE_VERBOSITY_FULL, &error), ==, 0);
  g_assert_no_error (error);
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_FULL);
  id = start (context);
  sw_trace_context_set_enabled (context, FALSE);
  g_assert_true (sw_trace_context_flow_step (context, id, &error));
  g_assert_true (sw_trace_context_flow_end (context, id, &error));
  /* That it has ended is known all the same. */
  assert_state_error (sw_trace_context_flow_end (context, id, &error), &error, "which is a flow that has ended");
  g_assert_cmpuint (sw_trace_context_get_stray_flow_count (context), ==, 1);
}

static void *
start_many (void *data)
{
  SwTraceContext *context = data;
  guint64 *ids = g_new (guint64, N_FLOWS);

  for (guint i = 0; i < N_FLOWS; i++)
    {
      SW_TRACE_SPAN_IN (context, "many", "", SW_TRACE_VERBOSITY_FULL);

      ids[i] = SW_TRACE_FLOW_START_IN (context, SW_TRACE_VERBOSITY_FULL);
      SW_TRACE_FLOW_END_IN (context, ids[i]);
    }
  return ids;
}

static void
test_unique (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  pthread_t threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, start_many, fixture->context), ==, 0);
  for (guint i = 0; i < N_THREADS; i++)
    {
      guint64 *ids;

      pthread_join (threads[i], (void **) &ids);
      for (guint j = 0; j < N_FLOWS; j++)
        g_assert_true (g_hash_table_add (seen, g_memdup2 (&ids[j], sizeof ids[j])));
      g_free (ids);
    }
  g_assert_cmpuint (sw_trace_context_get_stray_flow_count (fixture->context), ==, 0);
}

static void *
end_all (void *data)
{
  const Message *messages = data;
  gsize n_ended = 0;

  for (guint i = 0; i < N_FLOWS; i++)
    n_ended += sw_trace_context_flow_end (messages[i].context, messages[i].id, NULL);
  return GSIZE_TO_POINTER (n_ended);
}

/* Of several threads that end a flow, one does. */
static void
test_ends_race (Fixture *fixture,
                gconstpointer data)
{
  g_autofree Message *messages = g_new (Message, N_FLOWS);
  pthread_t threads[N_THREADS];
  gsize n_ended = 0;

  for (guint i = 0; i < N_FLOWS; i++)
    messages[i] = (Message){ fixture->context, start (fixture->context) };
  for (guint i = 0; i < N_THREADS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, end_all, messages), ==, 0);
  for (guint i = 0; i < N_THREADS; i++)
    {
      void *ended;

      pthread_join (threads[i], &ended);
      n_ended += GPOINTER_TO_SIZE (ended);
    }
  g_assert_cmpuint (n_ended, ==, N_FLOWS);
}

static void
test_full_span (Fixture *fixture,
                gconstpointer data)
{
  guint64 token = sw_trace_context_begin_span (fixture->context, "span", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GVariant) flows = NULL;
  const guint n = 20000;

  for (guint i = 0; i < n; i++)
    start (fixture->context);
  g_assert_true (sw_trace_context_end_span (fixture->context, token, NULL));
  events = sw_memory_collector_dup_events (fixture->collector);
  flows = sw_trace_event_dup_flows (g_ptr_array_index (events, 0));
  g_assert_cmpuint (sw_trace_context_get_stray_flow_count (fixture->context), >, 0);
  g_assert_cmpuint (g_variant_n_children (flows) + sw_trace_context_get_stray_flow_count (fixture->context), ==, n);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/trace-flow/threads", Fixture, NULL, set_up, test_threads, tear_down);
  g_test_add ("/trace-flow/arguments-stay", Fixture, NULL, set_up, test_arguments_stay, tear_down);
  g_test_add ("/trace-flow/misuse", Fixture, NULL, set_up, test_misuse, tear_down);
  g_test_add ("/trace-flow/switched-off", Fixture, NULL, set_up, test_switched_off, tear_down);
  g_test_add ("/trace-flow/unique", Fixture, NULL, set_up, test_unique, tear_down);
  g_test_add ("/trace-flow/ends-race", Fixture, NULL, set_up, test_ends_race, tear_down);
  g_test_add ("/trace-flow/full-span", Fixture, NULL, set_up, test_full_span, tear_down);
  return g_test_run ();
}
