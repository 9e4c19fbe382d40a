/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <pthread.h>
#include <strideweave.h>
#include <sys/wait.h>
#include <unistd.h>

/* Collectors that are bound to a thread, and those that take several events at once. */

typedef struct _Bound Bound;

struct _Bound
{
  SwCollector parent_instance;

  pthread_t thread;
  void (*meddle) (Bound *self);
  SwTraceContext *context;
  const char *bad; /* events of this name fail */
  guint n_emitted;
  guint n_flushed;
  guint n_emitted_at_flush; /* the last */
  guint n_closed;
};

typedef struct
{
  SwCollectorClass parent_class;
} BoundClass;

static GType
bound_get_type (void);

G_DEFINE_TYPE (Bound, bound, SW_TYPE_COLLECTOR)

static gboolean
bound_emit (SwCollector *collector,
            SwTraceEvent *event,
            GError **error)
{
  Bound *self = (Bound *) collector;

  g_assert_true (pthread_equal (self->thread, pthread_self ()));
  g_assert_cmpuint (self->n_closed, ==, 0);
  self->n_emitted++;
  if (self->meddle != NULL)
    self->meddle (self);
  if (g_strcmp0 (sw_trace_event_get_name (event), self->bad) != 0)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "number %u is bad", self->n_emitted);
  return FALSE;
}

static gboolean
bound_flush (SwCollector *collector,
             GError **error)
{
  Bound *self = (Bound *) collector;

  g_assert_true (pthread_equal (self->thread, pthread_self ()));
  g_assert_cmpuint (self->n_closed, ==, 0);
  self->n_flushed++;
  self->n_emitted_at_flush = self->n_emitted;
  return TRUE;
}

static gboolean
bound_close (SwCollector *collector,
             GError **error)
{
  Bound *self = (Bound *) collector;

  g_assert_true (pthread_equal (self->thread, pthread_self ()));
  self->n_closed++;
  return TRUE;
}

static void
bound_class_init (BoundClass *klass)
{
  SW_COLLECTOR_CLASS (klass)->emit = bound_emit;
  SW_COLLECTOR_CLASS (klass)->flush = bound_flush;
  SW_COLLECTOR_CLASS (klass)->close = bound_close;
}

static void
bound_init (Bound *self)
{
  self->thread = pthread_self ();
}

static Bound *
new_bound (GObject *life)
{
  Bound *self = g_object_new (bound_get_type (), NULL);

  g_assert_true (sw_collector_bind_to_thread (SW_COLLECTOR (self), life, NULL));
  return self;
}

static void
emit (SwTraceContext *context,
      const char *name,
      guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_true (sw_trace_context_emit_instant (context, name, NULL, SW_TRACE_VERBOSITY_OPERATIONS, NULL, NULL));
}

static void *
emit_many (void *data)
{
  emit (data, "seen", 2000);
  return NULL;
}

static void *
flush (void *data)
{
  g_assert_true (sw_trace_context_flush (data, NULL));
  return NULL;
}

static void *
close_it (void *data)
{
  g_assert_true (sw_collector_close (data, NULL));
  return NULL;
}

static void
on_another_thread (void *(*function) (void *),
                   gpointer data)
{
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, function, data), ==, 0);
  g_assert_cmpint (pthread_join (thread, NULL), ==, 0);
}

/* Threads emit and flush while the one thread runs its main context: all arrives there. */
static void
test_threads (void)
{
  g_autoptr (GMainContext) main_context = g_main_context_new ();
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  pthread_t threads[4];
  Bound *bound;

  g_main_context_push_thread_default (main_context);
  bound = new_bound (NULL);
  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, i == 0 ? flush : emit_many, context), ==, 0);
  for (guint i = 0; i < 200; i++)
    g_main_context_iteration (main_context, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpint (pthread_join (threads[i], NULL), ==, 0);
  on_another_thread (flush, context);
  while (bound->n_emitted < 6000)
    g_main_context_iteration (main_context, TRUE);
  sw_trace_context_set_collector (context, NULL);
  g_assert_cmpuint (bound->n_emitted, ==, 6000);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (bound)), ==, 6000);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (bound)), ==, 0);
  g_main_context_pop_thread_default (main_context);
  g_assert_finalize_object (bound);
}

/* Without a main loop. */
static void
test_asked_for (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Bound *bound = new_bound (NULL);

  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  on_another_thread (emit_many, context);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 2000);
  g_assert_cmpuint (bound->n_flushed, ==, 1);
  emit (context, "seen", 1);
  sw_trace_context_set_collector (context, NULL);
  g_assert_cmpuint (bound->n_emitted, ==, 2001);
  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 1);
  g_assert_true (sw_collector_close (SW_COLLECTOR (bound), NULL));
  g_assert_true (sw_collector_close (SW_COLLECTOR (bound), NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 2002);
  g_assert_cmpuint (bound->n_closed, ==, 1);
  g_assert_finalize_object (bound);
}

/* They return at once: what they ask for is done by the main context. */
static void
test_flush_and_close_elsewhere (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Bound *bound = new_bound (NULL);

  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 3);
  on_another_thread (flush, context);
  g_assert_cmpuint (bound->n_emitted + bound->n_flushed, ==, 0);
  while (bound->n_flushed == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (bound->n_emitted, ==, 3);

  emit (context, "seen", 3);
  on_another_thread (close_it, bound);
  g_assert_true (sw_collector_get_is_closed (SW_COLLECTOR (bound)));
  g_assert_cmpuint (bound->n_emitted, ==, 3);
  while (bound->n_closed == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (bound->n_emitted, ==, 6);
  g_assert_finalize_object (bound);
}

static void *
emit_and_flush (void *data)
{
  Bound *bound = data;

  emit (bound->context, "late", 1);
  g_assert_true (sw_trace_context_flush (bound->context, NULL));
  return NULL;
}

static void *
emit_and_close (void *data)
{
  Bound *bound = data;

  emit (bound->context, "late", 1);
  g_assert_true (sw_collector_close (SW_COLLECTOR (bound), NULL));
  return NULL;
}

static void
flush_elsewhere_once (Bound *self)
{
  self->meddle = NULL;
  on_another_thread (emit_and_flush, self);
}

static void
close_elsewhere_once (Bound *self)
{
  self->meddle = NULL;
  on_another_thread (emit_and_close, self);
}

/* Another thread emits and flushes, or closes, while this one is at the events before: its event arrives first. */
static void
test_asked_for_meanwhile (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Bound *bound = new_bound (NULL);

  bound->context = context;
  bound->meddle = flush_elsewhere_once;
  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 1);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 1);
  g_assert_cmpuint (bound->n_flushed, ==, 1);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (bound->n_emitted, ==, 2);
  g_assert_cmpuint (bound->n_flushed, ==, 2);
  g_assert_cmpuint (bound->n_emitted_at_flush, ==, 2);

  bound->meddle = close_elsewhere_once;
  emit (context, "seen", 1);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 4);
  g_assert_cmpuint (bound->n_closed, ==, 1);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (bound)), ==, 0);
  g_assert_finalize_object (bound);
}

static void
test_error (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (GError) error = NULL;
  Bound *bound = new_bound (NULL);

  bound->bad = "bad";
  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 1);
  emit (context, "bad", 2);
  emit (context, "seen", 1);
  g_assert_false (sw_trace_context_flush (context, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "number 2 is bad");
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (bound)), ==, 2);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (bound)), ==, 2);
  g_assert_true (sw_trace_context_flush (context, NULL));
  sw_trace_context_set_collector (context, NULL);
  g_assert_finalize_object (bound);
}

/* Whoever holds the last reference: events keep the collector until they have arrived. */
static void
test_kept (void)
{
  SwTraceContext *context = sw_trace_context_new ();
  Bound *bound = new_bound (NULL);
  gpointer left = bound;

  g_object_add_weak_pointer (G_OBJECT (bound), &left);
  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 5);
  /* As a garbage collector does, which nobody may be called by. */
  g_object_unref (context);
  g_assert_cmpuint (bound->n_emitted, ==, 0);
  g_object_unref (bound);
  g_assert_nonnull (left);
  while (left != NULL)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_bounded (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwMemoryCollector) memory = sw_memory_collector_new (1, NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autofree char *text = g_strnfill (60000, 'x');
  g_autoptr (GVariant) arguments = g_variant_ref_sink (g_variant_new_parsed ("{'text': <%s>}", text));
  Bound *bound = new_bound (NULL);

  sw_trace_context_set_collector (context, SW_COLLECTOR (memory));
  g_assert_true (sw_trace_context_emit_instant (context, "large", NULL, SW_TRACE_VERBOSITY_OPERATIONS, arguments, NULL));
  events = sw_memory_collector_dup_events (memory);
  for (guint i = 0; i < 1000; i++)
    g_assert_true (sw_collector_emit (SW_COLLECTOR (bound), g_ptr_array_index (events, 0), NULL));
  g_assert_true (sw_collector_flush (SW_COLLECTOR (bound), NULL));
  g_assert_cmpuint (bound->n_emitted, >=, 500);
  g_assert_cmpuint (bound->n_emitted, <=, 570);
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (bound)), ==, bound->n_emitted);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (bound)), ==, 1000 - bound->n_emitted);
  /* There is room again. */
  g_assert_true (sw_collector_emit (SW_COLLECTOR (bound), g_ptr_array_index (events, 0), NULL));
  g_assert_true (sw_collector_close (SW_COLLECTOR (bound), NULL));
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (bound)), ==, bound->n_emitted);
  g_assert_finalize_object (bound);
}

/* Once that is gone, nobody is called; what was still to be done is dropped, and told. */
static void
outlive (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  GObject *life = g_object_new (G_TYPE_OBJECT, NULL);
  Bound *bound = new_bound (life);

  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 2);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 2);
  emit (context, "seen", 3);
  g_object_unref (life);
  g_assert_true (sw_collector_close (SW_COLLECTOR (bound), NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 2);
  g_assert_cmpuint (bound->n_closed, ==, 0);
  g_assert_cmpuint (sw_collector_get_dropped_count (SW_COLLECTOR (bound)), ==, 3);
  g_assert_finalize_object (bound);
}

static void
test_life (void)
{
  if (g_test_subprocess ())
    {
      g_log_set_always_fatal (G_LOG_FATAL_MASK);
      outlive ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*3 events did not reach the collector Bound, *");
}

static void
close_after_life (void)
{
  GObject *life = g_object_new (G_TYPE_OBJECT, NULL);
  Bound *bound = new_bound (life);

  g_object_unref (life);
  g_assert_true (sw_collector_close (SW_COLLECTOR (bound), NULL));
  g_assert_cmpuint (bound->n_closed, ==, 0);
  g_assert_finalize_object (bound);
}

static void
test_close_after_life (void)
{
  if (g_test_subprocess ())
    {
      g_log_set_always_fatal (G_LOG_FATAL_MASK);
      close_after_life ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*To close the collector Bound did not reach its thread*");
}

static void *
flush_and_iterate (void *data)
{
  g_assert_true (sw_trace_context_flush (data, NULL));
  g_assert_true (g_main_context_iteration (NULL, FALSE));
  emit (data, "seen", 1);
  g_assert_true (sw_trace_context_flush (data, NULL));
  g_assert_true (g_main_context_iteration (NULL, FALSE));
  return NULL;
}

static void
iterate_elsewhere (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Bound *bound = new_bound (NULL);

  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 1);
  on_another_thread (flush_and_iterate, context);
  g_assert_cmpuint (bound->n_emitted, ==, 0);
  /* Which took nothing from the one that it is for. */
  while (bound->n_flushed == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (bound->n_emitted, ==, 2);
  sw_trace_context_set_collector (context, NULL);
  g_assert_finalize_object (bound);
}

/* That another thread runs the main context is told once. */
static void
test_iterated_elsewhere (void)
{
  if (g_test_subprocess ())
    {
      g_log_set_always_fatal (G_LOG_FATAL_MASK);
      iterate_elsewhere ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*Events wait for the thread that the collector Bound is bound to*");
  g_test_trap_assert_stderr_unmatched ("*Events wait*Events wait*");
}

static void
iterate_and_flush (Bound *self)
{
  emit (self->context, "unseen", 1);
  g_main_context_iteration (NULL, FALSE);
  g_assert_true (sw_trace_context_flush (self->context, NULL));
}

static void
close_self (Bound *self)
{
  g_assert_true (sw_collector_close (SW_COLLECTOR (self), NULL));
}

static void
test_inside (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Bound *bound = new_bound (NULL);

  bound->context = context;
  bound->meddle = iterate_and_flush;
  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 10);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 10);
  /* All that it had asked for meanwhile. */
  g_assert_cmpuint (bound->n_flushed, >=, 1);
  bound->meddle = close_self;
  emit (context, "seen", 3);
  g_assert_true (sw_trace_context_flush (context, NULL));
  g_assert_cmpuint (bound->n_emitted, ==, 13);
  g_assert_cmpuint (bound->n_closed, ==, 1);
  sw_trace_context_set_collector (context, NULL);
  g_assert_finalize_object (bound);
}

#ifndef __SANITIZE_THREAD__
/* It has none of the parent's events, and nobody that could take others. */
static void
test_fork (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Bound *bound = new_bound (NULL);
  pid_t child;
  int status;

  sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
  emit (context, "seen", 3);
  child = fork ();
  if (child == 0)
    {
      sw_trace_context_set_collector (context, SW_COLLECTOR (bound));
      emit (context, "seen", 2);
      sw_trace_context_flush (context, NULL);
      while (g_main_context_iteration (NULL, FALSE))
        ;
      _exit (bound->n_emitted == 0 && sw_collector_get_dropped_count (SW_COLLECTOR (bound)) == 2 ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  sw_trace_context_set_collector (context, NULL);
  g_assert_cmpuint (bound->n_emitted, ==, 3);
  g_assert_finalize_object (bound);
}

#endif

static void
test_bad_input (void)
{
  g_autoptr (SwMemoryCollector) memory = sw_memory_collector_new (1, NULL);
  g_autoptr (GError) error = NULL;
  Bound *bound = new_bound (NULL);
  Bound *closed = g_object_new (bound_get_type (), NULL);

  g_assert_false (sw_collector_bind_to_thread (SW_COLLECTOR (bound), NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_false (sw_collector_bind_to_thread (SW_COLLECTOR (memory), NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_true (sw_collector_close (SW_COLLECTOR (closed), NULL));
  g_assert_false (sw_collector_bind_to_thread (SW_COLLECTOR (closed), NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
  g_assert_false (sw_collector_refuse (SW_COLLECTOR (bound), 0, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_finalize_object (closed);
  g_assert_finalize_object (bound);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/delivery/threads", test_threads);
  g_test_add_func ("/delivery/asked-for", test_asked_for);
  g_test_add_func ("/delivery/flush-and-close-elsewhere", test_flush_and_close_elsewhere);
  g_test_add_func ("/delivery/asked-for-meanwhile", test_asked_for_meanwhile);
  g_test_add_func ("/delivery/error", test_error);
  g_test_add_func ("/delivery/kept", test_kept);
  g_test_add_func ("/delivery/bounded", test_bounded);
  g_test_add_func ("/delivery/life", test_life);
  g_test_add_func ("/delivery/close-after-life", test_close_after_life);
  g_test_add_func ("/delivery/iterated-elsewhere", test_iterated_elsewhere);
  g_test_add_func ("/delivery/inside", test_inside);
#ifndef __SANITIZE_THREAD__ /* which lets no child start threads */
  g_test_add_func ("/delivery/fork", test_fork);
#endif
  g_test_add_func ("/delivery/bad-input", test_bad_input);

  return g_test_run ();
}
