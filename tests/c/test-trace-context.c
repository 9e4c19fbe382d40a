/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static SwTraceEvent *
get_event (GPtrArray *events,
           guint i)
{
  g_assert_cmpuint (i, <, events->len);
  return g_ptr_array_index (events, i);
}

static void
assert_argument (SwTraceEvent *event,
                 const char *key,
                 const char *printed)
{
  g_autoptr (GVariant) arguments = sw_trace_event_dup_arguments (event);
  g_autoptr (GVariant) value = g_variant_lookup_value (arguments, key, NULL);
  g_autofree char *text = value != NULL ? g_variant_print (value, TRUE) : NULL;

  g_assert_cmpstr (text, ==, printed);
}

static guint n_evaluated;

static gint64
evaluate (void)
{
  n_evaluated++;
  return 42;
}

static void
emit_all (SwTraceContext *context)
{
  SW_TRACE_SPAN_IN (context, "span", "test", SW_TRACE_VERBOSITY_OPERATIONS, SW_TRACE_INT64 ("n", evaluate ()));
  SW_TRACE_INSTANT_IN (context, "instant", "test", SW_TRACE_VERBOSITY_OPERATIONS, SW_TRACE_INT64 ("n", evaluate ()));
  SW_TRACE_COUNTER_IN (context, "counter", SW_TRACE_VERBOSITY_OPERATIONS, (double) evaluate ());
}

static void
test_levels (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;

  n_evaluated = 0;
  sw_trace_context_set_verbosity (fixture->context, SW_TRACE_VERBOSITY_DECISIONS);
  emit_all (fixture->context);
  sw_trace_context_set_verbosity (fixture->context, SW_TRACE_VERBOSITY_FULL);
  sw_trace_context_set_enabled (fixture->context, FALSE);
  emit_all (fixture->context);
  g_assert_cmpuint (n_evaluated, ==, 0);
  g_assert_cmpuint (sw_trace_context_get_emitted_count (fixture->context), ==, 0);

  sw_trace_context_set_enabled (fixture->context, TRUE);
  sw_trace_context_set_verbosity (fixture->context, SW_TRACE_VERBOSITY_OPERATIONS);
  emit_all (fixture->context);
  g_assert_cmpuint (n_evaluated, ==, 3);
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 3);
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 0)), ==, "instant");
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 1)), ==, "counter");
  g_assert_cmpfloat (sw_trace_event_get_value (get_event (events, 1)), ==, 42);
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 2)), ==, "span");
  g_assert_cmpstr (sw_trace_event_get_category (get_event (events, 2)), ==, "test");
  assert_argument (get_event (events, 2), "n", "int64 42");
}

static void
recurse (SwTraceContext *context,
         int depth)
{
  SW_TRACE_SPAN_IN (context, "recurse", "", SW_TRACE_VERBOSITY_FULL);

  if (depth > 0)
    recurse (context, depth - 1);
}

static void
test_nesting (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  SwTraceEvent *outer;

  recurse (fixture->context, 999);
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 1000);
  outer = get_event (events, 999);
  for (guint i = 0; i < 999; i++)
    {
      SwTraceEvent *event = get_event (events, i);

      g_assert_cmpint (sw_trace_event_get_depth (event), ==, 999 - (int) i);
      g_assert_cmpint (sw_trace_event_get_start_ns (event), >=, sw_trace_event_get_start_ns (outer));
      g_assert_cmpint (sw_trace_event_get_start_ns (event) + sw_trace_event_get_duration_ns (event), <=,
                       sw_trace_event_get_start_ns (outer) + sw_trace_event_get_duration_ns (outer));
    }
}

/* Covers names from memory that is overwritten at once, and of any bytes. */
static void
test_names (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  char name[32] = "short-lived";
  guint64 token;

  token = sw_trace_context_begin_span (fixture->context, name, name, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  memset (name, 'x', sizeof name - 1);
  g_assert_true (sw_trace_context_end_span (fixture->context, token, NULL));
  sw_trace_context_emit_instant (fixture->context, "\xff\"\n", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 0)), ==, "short-lived");
  g_assert_cmpstr (sw_trace_event_get_category (get_event (events, 0)), ==, "short-lived");
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 1)), ==, "\357\277\275\"\n");
}

static void
test_arguments (Fixture *fixture,
                gconstpointer data)
{
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("(2, (3, 4))", NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GVariant) wrong = g_variant_ref_sink (g_variant_new_parsed ("{'a': <[1, 2]>}"));
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) given = g_variant_ref_sink (
      g_variant_new_parsed ("{'s': <'text'>, 'u': <uint64 18446744073709551615>, 'shape': <(int64 2, (int64 3, int64 4))>}"));
  guint64 token;

  {
    SW_TRACE_SPAN_IN (fixture->context, "macro", "", SW_TRACE_VERBOSITY_FULL, SW_TRACE_STRING ("s", "text"),
                      SW_TRACE_SHAPE ("shape", shape), SW_TRACE_BOOLEAN ("yes", 7), SW_TRACE_DOUBLE ("d", 0.5));
  }
  token = sw_trace_context_begin_span (fixture->context, "given", NULL, SW_TRACE_VERBOSITY_FULL, given, &error);
  g_assert_no_error (error);
  g_assert_true (sw_trace_context_annotate (fixture->context, "later", g_variant_new_int32 (-1), NULL));
  g_assert_true (sw_trace_context_end_span (fixture->context, token, NULL));
  g_assert_cmpuint (sw_trace_context_begin_span (fixture->context, "bad", NULL, SW_TRACE_VERBOSITY_FULL, wrong, &error), ==, 0);
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);

  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 2);
  assert_argument (get_event (events, 0), "shape", "'(2, (3, 4))'");
  assert_argument (get_event (events, 0), "yes", "true");
  assert_argument (get_event (events, 0), "d", "0.5");
  assert_argument (get_event (events, 1), "s", "'text'");
  assert_argument (get_event (events, 1), "u", "uint64 18446744073709551615");
  assert_argument (get_event (events, 1), "shape", "'(2, (3, 4))'");
  assert_argument (get_event (events, 1), "later", "int64 -1");
}

/* Ends in any order give each its own times. */
static void
test_misplaced_ends (Fixture *fixture,
                     gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  guint64 tokens[3];

  for (guint i = 0; i < 3; i++)
    tokens[i] = sw_trace_context_begin_span (fixture->context, "abc" + i, NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  g_assert_true (sw_trace_context_end_span (fixture->context, tokens[1], NULL));
  g_assert_true (sw_trace_context_end_span (fixture->context, tokens[0], NULL));
  g_assert_true (sw_trace_context_end_span (fixture->context, tokens[2], NULL));
  g_assert_cmpuint (sw_trace_context_get_misplaced_end_count (fixture->context), ==, 2);
  recurse (fixture->context, 0);

  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 4);
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 0)), ==, "bc");
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 1)), ==, "abc");
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 2)), ==, "c");
  g_assert_cmpint (sw_trace_event_get_depth (get_event (events, 2)), ==, -1);
  g_assert_cmpint (sw_trace_event_get_depth (get_event (events, 3)), ==, 0);
}

static void
test_wrong_ends (Fixture *fixture,
                 gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  guint64 token = sw_trace_context_begin_span (fixture->context, "a", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);

  g_assert_true (sw_trace_context_end_span (fixture->context, token, NULL));
  g_assert_false (sw_trace_context_end_span (fixture->context, token, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_false (sw_trace_context_end_span (fixture->context, 12345, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_false (sw_trace_context_end_async_span (fixture->context, G_MAXUINT64, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_false (sw_trace_context_emit_instant (fixture->context, "a", NULL, SW_TRACE_VERBOSITY_NONE, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (sw_memory_collector_new (0, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

static gpointer
end_elsewhere (gpointer data)
{
  SwTraceContext *context = data;

  SW_TRACE_SPAN_IN (context, "elsewhere", "", SW_TRACE_VERBOSITY_FULL);
  SW_TRACE_ASYNC_END_IN (context, GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (context), "id")));
  return NULL;
}

static void
test_async_macros (Fixture *fixture,
                   gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  guint64 first;
  guint64 second;

  n_evaluated = 0;
  sw_trace_context_set_verbosity (fixture->context, SW_TRACE_VERBOSITY_DECISIONS);
  first = SW_TRACE_ASYNC_BEGIN_IN (fixture->context, "unseen", "", SW_TRACE_VERBOSITY_FULL, SW_TRACE_INT64 ("n", evaluate ()));
  g_assert_cmpuint (first, ==, 0);
  g_assert_cmpuint (n_evaluated, ==, 0);
  SW_TRACE_ASYNC_END_IN (fixture->context, first);

  sw_trace_context_set_verbosity (fixture->context, SW_TRACE_VERBOSITY_FULL);
  first = SW_TRACE_ASYNC_BEGIN_IN (fixture->context, "first", "test", SW_TRACE_VERBOSITY_FULL, SW_TRACE_INT64 ("n", evaluate ()));
  second = SW_TRACE_ASYNC_BEGIN_IN (fixture->context, "second", "", SW_TRACE_VERBOSITY_DECISIONS);
  g_assert_cmpuint (first, !=, second);
  SW_TRACE_ASYNC_END_IN (fixture->context, first);
  g_object_set_data (G_OBJECT (fixture->context), "id", GSIZE_TO_POINTER (second));
  g_thread_join (g_thread_new (NULL, end_elsewhere, fixture->context));

  g_assert_true (sw_trace_context_flush (fixture->context, NULL));
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      SwTraceEvent *event = get_event (events, i);
      gboolean is_plain = g_str_equal (sw_trace_event_get_name (event), "elsewhere");

      g_assert_cmpint (sw_trace_event_get_kind (event), ==, is_plain ? SW_TRACE_EVENT_KIND_SPAN : SW_TRACE_EVENT_KIND_ASYNC_SPAN);
      if (g_str_equal (sw_trace_event_get_name (event), "first"))
        assert_argument (event, "n", "int64 42");
    }
  g_assert_cmpuint (n_evaluated, ==, 1);
}

static void
test_switch_off (Fixture *fixture,
                 gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  guint64 outer = sw_trace_context_begin_span (fixture->context, "outer", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  guint64 inner = sw_trace_context_begin_span (fixture->context, "inner", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  guint64 async = sw_trace_context_begin_async_span (fixture->context, "async", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);

  sw_trace_context_set_enabled (fixture->context, FALSE);
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_true (sw_trace_event_get_interrupted (get_event (events, i)));
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 0)), ==, "inner");
  g_assert_cmpstr (sw_trace_event_get_name (get_event (events, 2)), ==, "async");

  sw_trace_context_set_enabled (fixture->context, TRUE);
  g_assert_true (sw_trace_context_end_span (fixture->context, inner, NULL));
  g_assert_true (sw_trace_context_end_span (fixture->context, outer, NULL));
  g_assert_true (sw_trace_context_end_async_span (fixture->context, async, NULL));
  recurse (fixture->context, 0);
  g_clear_pointer (&events, g_ptr_array_unref);
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 4);
  g_assert_cmpint (sw_trace_event_get_depth (get_event (events, 3)), ==, 0);
}

static void
test_capacity (Fixture *fixture,
               gconstpointer data)
{
  g_autoptr (SwMemoryCollector) small = sw_memory_collector_new (3, NULL);
  g_autoptr (GPtrArray) events = NULL;

  sw_trace_context_set_collector (fixture->context, SW_COLLECTOR (small));
  recurse (fixture->context, 9);
  events = sw_memory_collector_dup_events (small);
  g_assert_cmpuint (events->len, ==, 3);
  g_assert_cmpint (sw_trace_event_get_depth (get_event (events, 0)), ==, 9);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (small)), ==, 7);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (small)), ==, 3);
  sw_memory_collector_clear (small);
  recurse (fixture->context, 1);
  g_clear_pointer (&events, g_ptr_array_unref);
  events = sw_memory_collector_dup_events (small);
  g_assert_cmpuint (events->len, ==, 2);
  sw_trace_context_set_collector (fixture->context, NULL);
}

/* The child of a fork has its own session, and none of the parent's open spans. */
static void
test_fork (Fixture *fixture,
           gconstpointer data)
{
  guint64 token = sw_trace_context_begin_span (fixture->context, "parent", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  g_autofree char *parent_id = sw_trace_context_dup_session_id (fixture->context);
  g_autoptr (GPtrArray) events = NULL;
  int status;
  pid_t child;

#if defined(__SANITIZE_THREAD__)
  sw_trace_context_end_span (fixture->context, token, NULL);
  g_test_skip ("ThreadSanitizer follows no thread that is started after a fork");
  return;
#endif
  child = fork ();
  if (child == 0)
    {
      g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (10, NULL);
      g_autofree char *child_id = sw_trace_context_dup_session_id (fixture->context);
      g_autoptr (GPtrArray) own = NULL;

      recurse (fixture->context, 0);
      sw_trace_context_set_collector (fixture->context, SW_COLLECTOR (collector));
      sw_trace_context_end_span (fixture->context, token, NULL);
      recurse (fixture->context, 0);
      own = sw_memory_collector_dup_events (collector);
      _exit (own->len == 1 && sw_trace_event_get_depth (get_event (own, 0)) == 0 && !g_str_equal (parent_id, child_id) ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (sw_trace_context_end_span (fixture->context, token, NULL));
  events = sw_memory_collector_dup_events (fixture->collector);
  g_assert_cmpuint (events->len, ==, 1);
}

/* Among what the library says beside: the only one of that name. */
static SwTraceEvent *
find_only (GPtrArray *events,
           const char *name)
{
  SwTraceEvent *found = NULL;

  for (guint i = 0; i < events->len; i++)
    if (g_str_equal (sw_trace_event_get_name (get_event (events, i)), name))
      {
        g_assert_null (found);
        found = get_event (events, i);
      }
  g_assert_nonnull (found);
  return found;
}

static void
test_operations (void)
{
  SwTraceContext *context = sw_trace_context_get_default ();
  g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (100, NULL);
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("(2, 3)", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_cpu_new (6, FALSE, SW_DTYPE_FLOAT32, FALSE, &error);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (SwTensor) tensor = NULL;
  g_autoptr (SwTensor) result = NULL;
  g_autoptr (SwTensor) again = NULL;
  g_autoptr (SwTensor) unseen = NULL;
  g_autoptr (GPtrArray) events = NULL;

  g_assert_no_error (error);
  tensor = sw_tensor_new (carrier, 0, layout, &error);
  g_assert_no_error (error);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_DECISIONS);
  unseen = sw_relu (tensor, &error);
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_OPERATIONS);
  result = sw_relu (tensor, &error);
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_FULL);
  again = sw_add (tensor, tensor, &error);
  g_assert_no_error (error);
  sw_trace_context_set_collector (context, NULL);

  events = sw_memory_collector_dup_events (collector);
  assert_argument (find_only (events, "relu"), "carrier", NULL);
  g_assert_cmpstr (sw_trace_event_get_category (find_only (events, "add")), ==, "operation");
  assert_argument (find_only (events, "add"), "carrier", "'Strideweave.CPU'");
  assert_argument (find_only (events, "add"), "dtype", "'Float32'");
  assert_argument (find_only (events, "add"), "shape_0", "'(2, 3)'");
  assert_argument (find_only (events, "add"), "shape_1", "'(2, 3)'");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, function) g_test_add ("/trace-context/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("levels", test_levels);
  ADD ("nesting", test_nesting);
  ADD ("names", test_names);
  ADD ("arguments", test_arguments);
  ADD ("misplaced-ends", test_misplaced_ends);
  ADD ("wrong-ends", test_wrong_ends);
  ADD ("async-macros", test_async_macros);
  ADD ("switch-off", test_switch_off);
  ADD ("capacity", test_capacity);
  ADD ("fork", test_fork);
  g_test_add_func ("/trace-context/operations", test_operations);

  return g_test_run ();
}
