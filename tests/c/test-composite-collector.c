/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <strideweave.h>
#include <string.h>

#define N_EVENTS 1000

/* Counts what it is given, and fails at all of it when it is told to. */
typedef struct
{
  SwCollector parent_instance;

  const char *failure;
  gboolean fails_silently;
  guint n_emitted;
  guint n_flushed;
  guint n_closed;
} Probe;

typedef struct
{
  SwCollectorClass parent_class;
} ProbeClass;

static GType
probe_get_type (void);

G_DEFINE_TYPE (Probe, probe, SW_TYPE_COLLECTOR)

static gboolean
fail (Probe *self,
      GError **error)
{
  if (self->failure != NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "%s", self->failure);
  return self->failure == NULL && !self->fails_silently;
}

static gboolean
probe_emit (SwCollector *collector,
            SwTraceEvent *event,
            GError **error)
{
  ((Probe *) collector)->n_emitted++;
  return fail ((Probe *) collector, error);
}

static gboolean
probe_flush (SwCollector *collector,
             GError **error)
{
  ((Probe *) collector)->n_flushed++;
  return fail ((Probe *) collector, error);
}

static gboolean
probe_close (SwCollector *collector,
             GError **error)
{
  ((Probe *) collector)->n_closed++;
  return TRUE;
}

static void
probe_class_init (ProbeClass *klass)
{
  SW_COLLECTOR_CLASS (klass)->emit = probe_emit;
  SW_COLLECTOR_CLASS (klass)->flush = probe_flush;
  SW_COLLECTOR_CLASS (klass)->close = probe_close;
}

static void
probe_init (Probe *self)
{
}

static Probe *
probe_new (const char *failure)
{
  Probe *self = g_object_new (probe_get_type (), NULL);

  self->failure = failure;
  return self;
}

static SwCollector *
memory_new (gint64 capacity)
{
  return SW_COLLECTOR (sw_memory_collector_new (capacity, NULL));
}

static SwCollector *
composite_new (gpointer first,
               gpointer second,
               gpointer third)
{
  SwCollector *collectors[] = { first, second, third };
  gsize n_collectors = third != NULL ? 3 : second != NULL ? 2
                                                          : 1;
  g_autoptr (GError) error = NULL;
  SwCompositeCollector *composite = sw_composite_collector_new (collectors, n_collectors, &error);

  g_assert_no_error (error);
  return SW_COLLECTOR (composite);
}

static void
emit (SwTraceContext *context,
      guint n)
{
  for (guint i = 0; i < n; i++)
    {
      SW_TRACE_SPAN_IN (context, "span", "", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("i", i));
    }
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
test_each_gets_each (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwCollector) memory = memory_new (N_EVENTS);
  g_autoptr (SwCollector) small = memory_new (10);
  Probe *probe = probe_new (NULL);
  g_autoptr (SwCollector) inner = composite_new (small, probe, NULL);
  g_autoptr (SwCollector) outer = composite_new (memory, inner, NULL);
  g_autoptr (GPtrArray) children = sw_composite_collector_dup_collectors (SW_COMPOSITE_COLLECTOR (outer));
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (children->len, ==, 2);
  g_assert_true (g_ptr_array_index (children, 0) == memory && g_ptr_array_index (children, 1) == inner);
  sw_trace_context_set_collector (context, outer);
  emit (context, N_EVENTS);
  g_assert_true (sw_trace_context_flush (context, &error));
  g_assert_no_error (error);
  assert_counts (memory, N_EVENTS, 0);
  assert_counts (small, 10, N_EVENTS - 10);
  assert_counts (probe, N_EVENTS, 0);
  assert_counts (inner, N_EVENTS, 0);
  assert_counts (outer, N_EVENTS, 0);
  g_assert_cmpuint (probe->n_flushed, ==, 1);
  g_assert_true (sw_collector_close (outer, &error));
  g_assert_true (sw_collector_get_is_closed (memory) && sw_collector_get_is_closed (inner));
  g_assert_cmpuint (probe->n_closed, ==, 1);
  g_assert_true (sw_collector_close (outer, &error));
  g_assert_cmpuint (probe->n_closed, ==, 1);
  g_object_unref (probe);
}

static void
test_one_fails (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Probe *failing = probe_new ("no space");
  g_autoptr (SwCollector) memory = memory_new (N_EVENTS);
  g_autoptr (SwCollector) composite = composite_new (failing, memory, NULL);
  GError *error = NULL;

  sw_trace_context_set_collector (context, composite);
  emit (context, N_EVENTS);
  g_assert_false (sw_trace_context_flush (context, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  g_assert_cmpstr (error->message, ==, "no space");
  g_clear_error (&error);
  assert_counts (failing, 0, N_EVENTS);
  assert_counts (memory, N_EVENTS, 0);
  assert_counts (composite, N_EVENTS, 0);

  /* It is reported once, and recording goes on. */
  failing->failure = NULL;
  emit (context, 1);
  g_assert_true (sw_collector_flush (composite, &error));
  g_assert_no_error (error);
  assert_counts (failing, 1, N_EVENTS);
  sw_trace_context_set_collector (context, NULL);
  g_object_unref (failing);
}

static void
test_all_fail (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Probe *first = probe_new ("first");
  Probe *second = probe_new ("second");
  Probe *third = probe_new (NULL);
  g_autoptr (SwCollector) composite = composite_new (first, second, third);
  GError *error = NULL;

  third->fails_silently = TRUE;
  sw_trace_context_set_collector (context, composite);
  emit (context, 1);
  g_assert_false (sw_collector_close (composite, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_FOREIGN);
  g_assert_cmpstr (error->message, ==, "2 of 3 collectors failed: Probe: first; Probe: second");
  g_clear_error (&error);
  assert_counts (composite, 0, 1);
  g_assert_cmpuint (first->n_closed + second->n_closed + third->n_closed, ==, 3);
  g_object_unref (first);
  g_object_unref (second);
  g_object_unref (third);
}

static void
assert_refused (SwCollector **collectors,
                gsize n_collectors,
                int code,
                const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_composite_collector_new (collectors, n_collectors, &error));
  g_assert_error (error, SW_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_bad_lists (void)
{
  g_autoptr (SwCollector) memory = memory_new (1);
  g_autoptr (SwCollector) composite = composite_new (memory, NULL, NULL);
  g_autoptr (SwCollector) closed = memory_new (1);

  g_assert_true (sw_collector_close (closed, NULL));
  assert_refused (NULL, 0, SW_ERROR_VALUE, "collectors is empty; a composite collector takes at least one");
  assert_refused ((SwCollector *[]){ memory, NULL }, 2, SW_ERROR_TYPE, "collectors[1] is no collector");
  assert_refused ((SwCollector *[]){ memory, memory }, 2, SW_ERROR_VALUE,
                  "collectors[1] is a SwMemoryCollector that would get each event twice");
  assert_refused ((SwCollector *[]){ memory, composite }, 2, SW_ERROR_VALUE,
                  "collectors[1] is a SwCompositeCollector that would get each event twice");
  assert_refused ((SwCollector *[]){ memory, closed }, 2, SW_ERROR_STATE,
                  "collectors[1] is a SwMemoryCollector that is closed");
}

/* A collector of two contexts, in a composite of one: closing that takes it from both. */
static void
test_shared (void)
{
  g_autoptr (SwTraceContext) first = sw_trace_context_new ();
  g_autoptr (SwTraceContext) second = sw_trace_context_new ();
  g_autoptr (SwCollector) shared = memory_new (N_EVENTS);
  g_autoptr (SwCollector) other = memory_new (N_EVENTS);
  g_autoptr (SwCollector) composite = composite_new (shared, other, NULL);
  g_autoptr (GError) error = NULL;
  SwCollector *left;

  sw_trace_context_set_collector (first, composite);
  sw_trace_context_set_collector (second, shared);
  emit (first, 10);
  emit (second, 5);
  g_assert_true (sw_collector_close (composite, &error));
  g_assert_no_error (error);
  assert_counts (shared, 15, 0);
  assert_counts (other, 10, 0);
  left = sw_trace_context_dup_collector (second);
  g_assert_null (left);

  /* One that is closed by itself keeps nothing from the others. */
  {
    g_autoptr (SwCollector) closed = memory_new (N_EVENTS);
    g_autoptr (SwCollector) open = memory_new (N_EVENTS);
    g_autoptr (SwCollector) both = composite_new (closed, open, NULL);

    g_assert_true (sw_collector_close (closed, NULL));
    sw_trace_context_set_collector (first, both);
    emit (first, 3);
    g_assert_true (sw_trace_context_flush (first, &error));
    assert_counts (closed, 0, 3);
    assert_counts (open, 3, 0);
    sw_trace_context_set_collector (first, NULL);
  }
}

static char *
read_file (const char *folder,
           const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  return text;
}

/* Files know the session, their drops, and are handed to the system each second. */
static void
test_files (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autofree char *folder = g_dir_make_tmp ("composite-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace.jsonl", NULL);
  g_autoptr (SwCollector) file = SW_COLLECTOR (sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL));
  g_autoptr (SwCollector) memory = memory_new (10);
  g_autoptr (SwCollector) composite = composite_new (memory, file, NULL);
  g_autofree char *session = sw_trace_context_dup_session_id (context);
  g_autofree char *text = NULL;

  sw_trace_context_set_process_name (context, "a process with a name");
  sw_trace_context_set_collector (context, composite);
  emit (context, 20);
  g_assert_true (sw_collector_close (composite, NULL));
  text = read_file (folder, "trace.jsonl");
  g_assert_nonnull (strstr (text, session));
  g_assert_nonnull (strstr (text, "a process with a name"));
  g_assert_nonnull (strstr (text, "\"events\":20,"));
  g_rmdir (folder);
}

static void *
emit_from_thread (void *data)
{
  for (guint i = 0; i < 20; i++)
    emit (data, N_EVENTS);
  return NULL;
}

/* Two contexts pass events to the same children, in the other order, while both are flushed. */
static void
test_threads (void)
{
  SwTraceContext *contexts[] = { sw_trace_context_new (), sw_trace_context_new () };
  Probe *probe = probe_new (NULL);
  g_autoptr (SwCollector) memory = memory_new (N_EVENTS);
  SwCollector *composites[] = { composite_new (probe, memory, NULL), composite_new (memory, probe, NULL) };
  pthread_t threads[2];
  guint64 n_emitted = 0;

  for (guint i = 0; i < 2; i++)
    {
      sw_trace_context_set_collector (contexts[i], composites[i]);
      g_assert_cmpint (pthread_create (&threads[i], NULL, emit_from_thread, contexts[i]), ==, 0);
    }
  for (guint i = 0; i < 50; i++)
    g_assert_true (sw_collector_flush (composites[i % 2], NULL));
  for (guint i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (sw_trace_context_flush (contexts[i], NULL));
      n_emitted += sw_trace_context_get_emitted_count (contexts[i]);
    }
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (probe)) + sw_collector_get_dropped_count (SW_COLLECTOR (probe)),
                    ==, n_emitted);
  g_assert_cmpuint (probe->n_emitted, ==, sw_collector_get_event_count (SW_COLLECTOR (probe)));
  for (guint i = 0; i < 2; i++)
    {
      g_object_unref (contexts[i]);
      g_object_unref (composites[i]);
    }
  g_object_unref (probe);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* Before the threads. */
  g_type_ensure (probe_get_type ());
  g_test_add_func ("/composite-collector/each-gets-each", test_each_gets_each);
  g_test_add_func ("/composite-collector/one-fails", test_one_fails);
  g_test_add_func ("/composite-collector/all-fail", test_all_fail);
  g_test_add_func ("/composite-collector/bad-lists", test_bad_lists);
  g_test_add_func ("/composite-collector/shared", test_shared);
  g_test_add_func ("/composite-collector/files", test_files);
  g_test_add_func ("/composite-collector/threads", test_threads);
  return g_test_run ();
}
