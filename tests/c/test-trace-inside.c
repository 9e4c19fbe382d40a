/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <pthread.h>
#include <strideweave.h>

/* What a collector may do to the context that it collects for, while it is called. */

typedef struct _Meddler Meddler;

struct _Meddler
{
  SwCollector parent_instance;

  void (*meddle) (Meddler *self);
  void (*meddle_in_flush) (Meddler *self);
  SwTraceContext *context;
  SwCollector *next;
  guint n_emitted; /* atomic: read by the test while the worker may emit */
  gint may_go;     /* atomic */
};

typedef struct
{
  SwCollectorClass parent_class;
} MeddlerClass;

static GType
meddler_get_type (void);

G_DEFINE_TYPE (Meddler, meddler, SW_TYPE_COLLECTOR)

static gboolean
meddler_emit (SwCollector *collector,
              SwTraceEvent *event,
              GError **error)
{
  Meddler *self = (Meddler *) collector;

  /* Relaxed: only the number counts. */
  __atomic_fetch_add (&self->n_emitted, 1, __ATOMIC_RELAXED);
  if (self->meddle != NULL)
    self->meddle (self);
  return TRUE;
}

static gboolean
meddler_flush (SwCollector *collector,
               GError **error)
{
  Meddler *self = (Meddler *) collector;

  if (self->meddle_in_flush != NULL)
    self->meddle_in_flush (self);
  return TRUE;
}

static void
meddler_class_init (MeddlerClass *klass)
{
  SW_COLLECTOR_CLASS (klass)->emit = meddler_emit;
  SW_COLLECTOR_CLASS (klass)->flush = meddler_flush;
}

static void
meddler_init (Meddler *self)
{
}

static guint
count (Meddler *self)
{
  /* Relaxed: see above. */
  return __atomic_load_n (&self->n_emitted, __ATOMIC_RELAXED);
}

static void
emit (SwTraceContext *context,
      guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_true (sw_trace_context_emit_instant (context, "seen", NULL, SW_TRACE_VERBOSITY_OPERATIONS, NULL, NULL));
}

static void
change_collector (Meddler *self)
{
  sw_trace_context_set_collector (self->context, self->next);
}

static void
change_name (Meddler *self)
{
  sw_trace_context_set_process_name (self->context, "renamed");
}

static void
drop_context (Meddler *self)
{
  /* Acquire: the test has no reference any more. */
  while (!__atomic_load_n (&self->may_go, __ATOMIC_ACQUIRE))
    g_thread_yield ();
  g_clear_object (&self->context);
}

static void
wait_for_collector (SwTraceContext *context,
                    SwCollector *collector)
{
  for (;;)
    {
      g_autoptr (SwCollector) now = sw_trace_context_dup_collector (context);

      if (now == collector)
        return;
      g_thread_yield ();
    }
}

/* Each event arrives once: those before the change is made at the old one, those after it at the new one. */
static void
test_change (gconstpointer data)
{
  gboolean to_another = GPOINTER_TO_INT (data);
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwMemoryCollector) memory = sw_memory_collector_new (100, NULL);
  Meddler *meddler = g_object_new (meddler_get_type (), NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GError) error = NULL;

  meddler->meddle = change_collector;
  meddler->context = context;
  meddler->next = to_another ? SW_COLLECTOR (memory) : NULL;
  sw_trace_context_set_collector (context, SW_COLLECTOR (meddler));
  emit (context, 10);
  g_assert_true (sw_trace_context_flush (context, &error));
  g_assert_no_error (error);
  wait_for_collector (context, meddler->next);
  g_assert_cmpuint (count (meddler), ==, 10);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (meddler)), ==, 10);
  emit (context, 5);
  sw_trace_context_set_collector (context, NULL);
  events = sw_memory_collector_dup_events (memory);
  g_assert_cmpuint (events->len, ==, to_another ? 5 : 0);
  g_assert_cmpuint (count (meddler), ==, 10);
  g_object_unref (meddler);
}

/* What the program says later holds. */
static void
test_change_from_outside_wins (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwMemoryCollector) first = sw_memory_collector_new (100, NULL);
  g_autoptr (SwMemoryCollector) last = sw_memory_collector_new (100, NULL);
  g_autoptr (SwCollector) now = NULL;
  Meddler *meddler = g_object_new (meddler_get_type (), NULL);

  meddler->meddle_in_flush = change_collector;
  meddler->context = context;
  meddler->next = SW_COLLECTOR (first);
  sw_trace_context_set_collector (context, SW_COLLECTOR (meddler));
  g_assert_true (sw_trace_context_flush (context, NULL));
  sw_trace_context_set_collector (context, SW_COLLECTOR (last));
  emit (context, 5);
  g_assert_true (sw_trace_context_flush (context, NULL));
  now = sw_trace_context_dup_collector (context);
  g_assert_true (now == SW_COLLECTOR (last));
  sw_trace_context_set_collector (context, NULL);
  g_object_unref (meddler);
}

static void
test_name (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Meddler *meddler = g_object_new (meddler_get_type (), NULL);

  meddler->meddle = change_name;
  meddler->context = context;
  sw_trace_context_set_collector (context, SW_COLLECTOR (meddler));
  emit (context, 1);
  g_assert_true (sw_trace_context_flush (context, NULL));
  for (;;)
    {
      g_autofree char *name = sw_trace_context_dup_process_name (context);

      if (g_str_equal (name, "renamed"))
        break;
      g_thread_yield ();
    }
  sw_trace_context_set_collector (context, NULL);
  g_object_unref (meddler);
}

static void *
emit_much (void *data)
{
  emit (data, 20000);
  return NULL;
}

/* Flushing and the worker come by in opposite orders: neither waits for the other. */
static void
test_flush_meddles (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Meddler *meddler = g_object_new (meddler_get_type (), NULL);
  pthread_t thread;

  meddler->meddle_in_flush = change_collector;
  meddler->context = context;
  meddler->next = SW_COLLECTOR (meddler);
  sw_trace_context_set_collector (context, SW_COLLECTOR (meddler));
  g_assert_cmpint (pthread_create (&thread, NULL, emit_much, context), ==, 0);
  for (guint i = 0; i < 500; i++)
    g_assert_true (sw_collector_flush (SW_COLLECTOR (meddler), NULL));
  pthread_join (thread, NULL);
  g_assert_true (sw_trace_context_flush (context, NULL));
  sw_trace_context_set_collector (context, NULL);
  g_assert_cmpuint (count (meddler) + sw_trace_context_get_dropped_count (context), ==, 20000);
  g_object_unref (meddler);
}

static void
tell_that_it_is_gone (gpointer data,
                      GObject *object)
{
  /* Release: what the context did before it went. */
  __atomic_store_n ((gint *) data, TRUE, __ATOMIC_RELEASE);
}

/* Its last reference: on the context's own thread, and on one that flushes a collector. */
static void
test_context_goes (gconstpointer data)
{
  gboolean flushes = GPOINTER_TO_INT (data);

  for (guint i = 0; i < 20; i++)
    {
      Meddler *meddler = g_object_new (meddler_get_type (), NULL);
      SwTraceContext *context = sw_trace_context_new ();
      gint is_gone = FALSE;

      meddler->meddle = drop_context;
      meddler->context = g_object_ref (context);
      g_object_weak_ref (G_OBJECT (meddler), tell_that_it_is_gone, &is_gone);
      sw_trace_context_set_collector (context, SW_COLLECTOR (meddler));
      emit (context, 1);
      g_object_unref (context);
      /* Release: as above. */
      __atomic_store_n (&meddler->may_go, TRUE, __ATOMIC_RELEASE);
      if (flushes)
        g_assert_true (sw_collector_flush (SW_COLLECTOR (meddler), NULL));
      g_object_unref (meddler);
      /* Acquire: as above. */
      while (!__atomic_load_n (&is_gone, __ATOMIC_ACQUIRE))
        g_thread_yield ();
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/trace-inside/change/none", GINT_TO_POINTER (FALSE), test_change);
  g_test_add_data_func ("/trace-inside/change/another", GINT_TO_POINTER (TRUE), test_change);
  g_test_add_func ("/trace-inside/change/from-outside-wins", test_change_from_outside_wins);
  g_test_add_func ("/trace-inside/name", test_name);
  g_test_add_func ("/trace-inside/flush-meddles", test_flush_meddles);
  g_test_add_data_func ("/trace-inside/context-goes/worker", GINT_TO_POINTER (FALSE), test_context_goes);
  g_test_add_data_func ("/trace-inside/context-goes/flush", GINT_TO_POINTER (TRUE), test_context_goes);

  return g_test_run ();
}
