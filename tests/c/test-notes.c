/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>

#include "sw/base/sw-note-private.h"

/* What the library says about itself becomes events of the default context, when somebody wants to know. */

static guint n_evaluated;

static guint64
evaluate (void)
{
  n_evaluated++;
  return 4096;
}

static SwMemoryCollector *
listen (SwTraceVerbosity verbosity)
{
  SwTraceContext *context = sw_trace_context_get_default ();
  SwMemoryCollector *collector = sw_memory_collector_new (1024, NULL);

  sw_trace_context_set_verbosity (context, verbosity);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  return collector;
}

static GPtrArray *
stop (SwMemoryCollector *collector)
{
  sw_trace_context_set_collector (sw_trace_context_get_default (), NULL);
  return sw_memory_collector_dup_events (collector);
}

static void
say_all (const char *reason,
         const GError *error)
{
  SW_NOTE (SW_NOTE_DECISIONS, "kernel", "kernel.selected", SW_NOTE_TYPE ("carrier", SW_TYPE_CPU),
           SW_NOTE_TEXT ("reason", reason), SW_NOTE_BYTES (evaluate ()), SW_NOTE_INT64 ("n", -1),
           SW_NOTE_BOOLEAN ("is_first", TRUE), SW_NOTE_TYPE ("missing", G_TYPE_INVALID));
  SW_NOTE_BEGIN (span, SW_NOTE_OPERATIONS, "memory", "evict", SW_NOTE_BYTES (evaluate ()));
  SW_NOTE_COUNT (SW_NOTE_FULL, "bytes", (gint64) evaluate ());
  SW_NOTE_END (span, error);
}

static void
assert_event (GPtrArray *events,
              guint index,
              SwTraceEventKind kind,
              const char *name,
              const char *category,
              const char *arguments)
{
  SwTraceEvent *event = g_ptr_array_index (events, index);
  g_autoptr (GVariant) given = sw_trace_event_dup_arguments (event);
  g_autoptr (GVariant) expected = g_variant_ref_sink (g_variant_new_parsed (arguments));
  GVariantIter iter;
  const char *key;
  GVariant *value;

  g_assert_cmpint (sw_trace_event_get_kind (event), ==, kind);
  g_assert_cmpstr (sw_trace_event_get_name (event), ==, name);
  g_assert_cmpstr (sw_trace_event_get_category (event), ==, category);
  g_assert_cmpuint (g_variant_n_children (given), ==, g_variant_n_children (expected));
  g_variant_iter_init (&iter, expected);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, &value))
    {
      g_autoptr (GVariant) found = g_variant_lookup_value (given, key, NULL);

      g_assert_nonnull (found);
      g_assert_cmpvariant (found, value);
    }
}

static void
test_levels (void)
{
  static const guint n_events[] = { 0, 1, 2, 3 };

  for (guint level = SW_TRACE_VERBOSITY_NONE; level <= SW_TRACE_VERBOSITY_FULL; level++)
    {
      g_autoptr (SwMemoryCollector) collector = listen (level);
      g_autoptr (GPtrArray) events = NULL;

      n_evaluated = 0;
      for (guint noted = SW_NOTE_DECISIONS; noted <= SW_NOTE_FULL; noted++)
        g_assert_cmpint (sw_note_is_wanted (noted), ==, noted <= level);
      /* Where only decisions count, operations are none of anybody's business. */
      g_assert_cmpint (sw_gate_is_open (), ==, level >= SW_TRACE_VERBOSITY_OPERATIONS);
      say_all (NULL, NULL);
      events = stop (collector);
      g_assert_cmpuint (events->len, ==, n_events[level]);
      g_assert_cmpuint (n_evaluated, ==, n_events[level]);
    }
  n_evaluated = 0;
  say_all (NULL, NULL);
  g_assert_cmpuint (n_evaluated, ==, 0);
}

static void
test_arguments (void)
{
  g_autoptr (SwMemoryCollector) collector = listen (SW_TRACE_VERBOSITY_FULL);
  g_autoptr (GPtrArray) events = NULL;

  say_all ("it fits", NULL);
  say_all (NULL, NULL);
  events = stop (collector);
  g_assert_cmpuint (events->len, ==, 6);
  assert_event (events, 0, SW_TRACE_EVENT_KIND_INSTANT, "kernel.selected", "kernel",
                "{'carrier': <'Strideweave.CPU'>, 'reason': <'it fits'>, 'bytes': <uint64 4096>, 'n': <int64 -1>, "
                "'is_first': <true>}");
  assert_event (events, 1, SW_TRACE_EVENT_KIND_COUNTER, "bytes", "", "@a{sv} {}");
  assert_event (events, 2, SW_TRACE_EVENT_KIND_SPAN, "evict", "memory", "{'bytes': <uint64 4096>}");
  assert_event (events, 3, SW_TRACE_EVENT_KIND_INSTANT, "kernel.selected", "kernel",
                "{'carrier': <'Strideweave.CPU'>, 'bytes': <uint64 4096>, 'n': <int64 -1>, 'is_first': <true>}");
}

static void
test_failures (void)
{
  g_autoptr (SwMemoryCollector) collector = listen (SW_TRACE_VERBOSITY_OPERATIONS);
  g_autoptr (GError) io = g_error_new_literal (SW_ERROR, SW_ERROR_IO, "cannot read");
  g_autoptr (GError) value = g_error_new_literal (SW_ERROR, SW_ERROR_VALUE, "values[0] is 1234.5");
  g_autoptr (GError) foreign = g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_ACCES, "1234.5 is secret");
  g_autoptr (GPtrArray) events = NULL;

  say_all (NULL, io);
  say_all (NULL, value);
  say_all (NULL, foreign);
  events = stop (collector);
  g_assert_cmpuint (events->len, ==, 6);
  assert_event (events, 1, SW_TRACE_EVENT_KIND_SPAN, "evict", "memory",
                "{'bytes': <uint64 4096>, 'failed': <true>, 'error': <'io'>, 'reason': <'cannot read'>}");
  assert_event (events, 3, SW_TRACE_EVENT_KIND_SPAN, "evict", "memory",
                "{'bytes': <uint64 4096>, 'failed': <true>, 'error': <'value'>}");
  assert_event (events, 5, SW_TRACE_EVENT_KIND_SPAN, "evict", "memory",
                "{'bytes': <uint64 4096>, 'failed': <true>, 'error': <'g-file-error-quark'>}");
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/notes/levels", test_levels);
  g_test_add_func ("/notes/arguments", test_arguments);
  g_test_add_func ("/notes/failures", test_failures);
  return g_test_run ();
}
