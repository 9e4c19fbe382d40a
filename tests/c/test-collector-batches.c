/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>
#include <string.h>

/* Collectors that take several events at once. */

typedef struct
{
  SwCollector parent_instance;

  guint n_calls;
  guint n_events;
  gboolean fails;
} Many;

typedef struct
{
  SwCollectorClass parent_class;
} ManyClass;

static GType
many_get_type (void);

G_DEFINE_TYPE (Many, many, SW_TYPE_COLLECTOR)

/* Refuses what is called so. */
static gboolean
many_emit_many (SwCollector *collector,
                GPtrArray *events,
                GError **error)
{
  Many *self = (Many *) collector;
  g_autoptr (GError) wrong = NULL;
  gboolean has_refused = FALSE;

  self->n_calls++;
  self->n_events += events->len;
  g_assert_false (sw_collector_refuse (collector, events->len, &wrong));
  g_assert_error (wrong, SW_ERROR, SW_ERROR_INDEX);
  for (guint i = 0; i < events->len; i++)
    if (strcmp (sw_trace_event_get_name (g_ptr_array_index (events, i)), "refused") == 0)
      {
        g_assert_true (sw_collector_refuse (collector, i, NULL));
        has_refused = TRUE;
      }
  if (self->fails || has_refused)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "call %u", self->n_calls);
  return !self->fails && !has_refused;
}

static void
many_class_init (ManyClass *klass)
{
  SW_COLLECTOR_CLASS (klass)->emit_many = many_emit_many;
}

static void
many_init (Many *self)
{
}

static void
emit (SwTraceContext *context,
      const char *name,
      guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_true (sw_trace_context_emit_instant (context, name, NULL, SW_TRACE_VERBOSITY_OPERATIONS, NULL, NULL));
}

static void
assert_counts (gpointer collector,
               guint64 n_events,
               guint64 n_dropped)
{
  g_assert_cmpuint (sw_collector_get_event_count (collector), ==, n_events);
  g_assert_cmpuint (sw_collector_get_dropped_count (collector), ==, n_dropped);
}

static void
test_one_call_for_many (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Many *many = g_object_new (many_get_type (), NULL);

  sw_trace_context_set_collector (context, SW_COLLECTOR (many));
  emit (context, "seen", 2500);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (many->n_events, ==, 2500);
  /* The context's own thread may have come by once or twice. */
  g_assert_cmpuint (many->n_calls, <=, 10);
  assert_counts (many, 2500, 0);
  sw_trace_context_set_collector (context, NULL);
  g_assert_finalize_object (many);
}

/* Those that it names are dropped; when it names none, and fails, all are. */
static void
test_refused (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (GError) error = NULL;
  Many *many = g_object_new (many_get_type (), NULL);

  sw_trace_context_set_collector (context, SW_COLLECTOR (many));
  emit (context, "seen", 3);
  emit (context, "refused", 2);
  emit (context, "seen", 3);
  g_assert_false (sw_trace_context_flush (context, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  assert_counts (many, 6, 2);
  g_clear_error (&error);
  many->fails = TRUE;
  emit (context, "seen", 4);
  g_assert_false (sw_trace_context_flush (context, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  assert_counts (many, 6, 6);
  sw_trace_context_set_collector (context, NULL);
  g_assert_finalize_object (many);
}

/* What one of them took, the composite did, event by event. */
static void
test_in_composite (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  SwMemoryCollector *memory = sw_memory_collector_new (4, NULL);
  Many *many = g_object_new (many_get_type (), NULL);
  SwCollector *both[] = { SW_COLLECTOR (many), SW_COLLECTOR (memory) };
  SwCompositeCollector *composite = sw_composite_collector_new (both, 2, NULL);

  sw_trace_context_set_collector (context, SW_COLLECTOR (composite));
  emit (context, "seen", 3);
  emit (context, "refused", 2);
  emit (context, "seen", 1);
  sw_trace_context_set_collector (context, NULL);
  assert_counts (many, 4, 2);
  assert_counts (memory, 4, 2);
  assert_counts (composite, 5, 1);
  g_assert_finalize_object (composite);
  g_assert_finalize_object (memory);
  g_assert_finalize_object (many);
}

/* Records whose texts and arguments are large do not wait for a thousand of their kind. */
static void
test_large (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwMemoryCollector) memory = sw_memory_collector_new (1000, NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autofree char *text = g_strnfill (60000, 'x');
  g_autoptr (GVariant) arguments = g_variant_ref_sink (g_variant_new_parsed ("{'text': <%s>}", text));

  sw_trace_context_set_collector (context, SW_COLLECTOR (memory));
  for (guint i = 0; i < 200; i++)
    {
      g_assert_true (sw_trace_context_emit_instant (context, "large", NULL, SW_TRACE_VERBOSITY_OPERATIONS, arguments, NULL));
      if (i % 50 == 49)
        g_assert_true (sw_trace_context_flush (context, NULL));
    }
  events = sw_memory_collector_dup_events (memory);
  g_assert_cmpuint (events->len, ==, 200);
  for (guint i = 0; i < events->len; i++)
    {
      g_autoptr (GVariant) found = sw_trace_event_dup_arguments (g_ptr_array_index (events, i));
      const char *value;

      g_assert_true (g_variant_lookup (found, "text", "&s", &value));
      g_assert_cmpstr (value, ==, text);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/collector-batches/one-call-for-many", test_one_call_for_many);
  g_test_add_func ("/collector-batches/refused", test_refused);
  g_test_add_func ("/collector-batches/in-composite", test_in_composite);
  g_test_add_func ("/collector-batches/large", test_large);

  return g_test_run ();
}
