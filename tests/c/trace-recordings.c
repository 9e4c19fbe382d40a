/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records with several threads into files, for tests in Python to read: trace-recordings all FOLDER writes one recording
 * in every format; trace-recordings endless PATH FORMAT says how many events it has flushed, and goes on until it is
 * killed. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>

#define N_WORKERS 4
#define N_ROUNDS 50
#define N_DEEP 64
#define N_FLUSHED 20000

/* One recording into several files. */
typedef struct
{
  SwCollector parent_instance;

  GPtrArray *children;
} Tee;

typedef struct
{
  SwCollectorClass parent_class;
} TeeClass;

static GType
tee_get_type (void);

G_DEFINE_TYPE (Tee, tee, SW_TYPE_COLLECTOR)

static gboolean
tee_emit (SwCollector *collector,
          SwTraceEvent *event,
          GError **error)
{
  Tee *self = (Tee *) collector;

  for (guint i = 0; i < self->children->len; i++)
    if (!sw_collector_emit (g_ptr_array_index (self->children, i), event, error))
      return FALSE;
  return TRUE;
}

static gboolean
tee_close (SwCollector *collector,
           GError **error)
{
  Tee *self = (Tee *) collector;

  for (guint i = 0; i < self->children->len; i++)
    if (!sw_collector_close (g_ptr_array_index (self->children, i), error))
      return FALSE;
  return TRUE;
}

static void
tee_finalize (GObject *object)
{
  g_ptr_array_unref (((Tee *) object)->children);
  G_OBJECT_CLASS (tee_parent_class)->finalize (object);
}

static void
tee_class_init (TeeClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tee_finalize;
  SW_COLLECTOR_CLASS (klass)->emit = tee_emit;
  SW_COLLECTOR_CLASS (klass)->close = tee_close;
}

static void
tee_init (Tee *self)
{
  self->children = g_ptr_array_new_with_free_func (g_object_unref);
}

static SwFileCollector *
open_file (const char *path,
           SwTraceFormat format)
{
  g_autoptr (GError) error = NULL;
  SwFileCollector *collector = sw_file_collector_new (path, format, &error);

  g_assert_no_error (error);
  return collector;
}

static SwTraceContext *context;
static guint64 asyncs[N_WORKERS];

static void
recurse (guint depth)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("deep %u", depth);
  guint64 token = sw_trace_context_begin_span (context, name, "recursion", SW_TRACE_VERBOSITY_FULL, NULL, &error);

  g_assert_no_error (error);
  if (depth + 1 < N_DEEP)
    recurse (depth + 1);
  g_assert_true (sw_trace_context_end_span (context, token, NULL));
}

static void
record_arguments (SwShape *shape,
                  guint worker,
                  guint round)
{
  SW_TRACE_SPAN_IN (context, "arguments", "worker", SW_TRACE_VERBOSITY_FULL, SW_TRACE_STRING ("text", "\"quoted\" 🦊\n"),
                    SW_TRACE_INT64 ("smallest", G_MININT64), SW_TRACE_UINT64 ("worker", worker),
                    SW_TRACE_DOUBLE ("round", round + 0.5), SW_TRACE_BOOLEAN ("even", round % 2 == 0),
                    SW_TRACE_SHAPE ("shape", shape));
  SW_TRACE_INSTANT_IN (context, "instant", "worker", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("round", round));
}

/* The first of two ends while the other, which began inside of it, is still open. */
static void
record_overlap (void)
{
  guint64 first = sw_trace_context_begin_span (context, "first", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  guint64 second = sw_trace_context_begin_span (context, "second", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);

  g_assert_true (sw_trace_context_end_span (context, first, NULL));
  g_assert_true (sw_trace_context_end_span (context, second, NULL));
}

/* Nobody ends the inner one. */
static void
record_forgotten (void)
{
  guint64 around = sw_trace_context_begin_span (context, "around", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);

  sw_trace_context_begin_span (context, "forgotten", NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  g_assert_true (sw_trace_context_end_span (context, around, NULL));
}

/* Each worker waits for work in a span that began before any flow did. */
static pthread_barrier_t all_wait;
static pthread_barrier_t all_have_work;
static guint64 flows[N_WORKERS];
static guint64 direct_flows[N_WORKERS];
static guint64 flow_without_end;

static void
start_flows (void)
{
  pthread_barrier_wait (&all_wait);
  for (guint i = 0; i < N_WORKERS; i++)
    {
      SW_TRACE_SPAN_IN (context, "submit", "flow", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("worker", i));
      {
        SW_TRACE_SPAN_IN (context, "prepare", "flow", SW_TRACE_VERBOSITY_FULL);
      }
      flows[i] = SW_TRACE_FLOW_START_IN (context, SW_TRACE_VERBOSITY_FULL);
      g_assert_cmpuint (flows[i], !=, 0);
      direct_flows[i] = SW_TRACE_FLOW_START_IN (context, SW_TRACE_VERBOSITY_FULL);
      flow_without_end = SW_TRACE_FLOW_START_IN (context, SW_TRACE_VERBOSITY_FULL);
    }
  pthread_barrier_wait (&all_have_work);
}

/* A worker's flow goes on in its neighbour, and ends in itself. */
static void
follow_flows (guint worker)
{
  {
    SW_TRACE_SPAN_IN (context, "loop", "flow", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("worker", worker));

    pthread_barrier_wait (&all_wait);
    pthread_barrier_wait (&all_have_work);
    SW_TRACE_FLOW_END_IN (context, direct_flows[worker]);
  }
  {
    SW_TRACE_SPAN_IN (context, "pass on", "flow", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("worker", worker));

    SW_TRACE_FLOW_STEP_IN (context, flows[(worker + 1) % N_WORKERS]);
  }
  pthread_barrier_wait (&all_wait);
  {
    SW_TRACE_SPAN_IN (context, "finish", "flow", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("worker", worker));

    SW_TRACE_FLOW_END_IN (context, flows[worker]);
  }
}

static void *
work (void *data)
{
  guint worker = GPOINTER_TO_UINT (data);
  g_autofree char *name = g_strdup_printf ("worker %u", worker);
  g_autofree char *counter = g_strdup_printf ("counter %u", worker);
  g_autofree char *request = g_strdup_printf ("request %u", worker);
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("((2, 3), 4)", NULL);

  sw_trace_context_set_thread_name (name);
  asyncs[worker] = sw_trace_context_begin_async_span (context, request, "request", SW_TRACE_VERBOSITY_FULL,
                                                      g_variant_new_parsed ("{'worker': <%u>}", worker), NULL);
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      SW_TRACE_SPAN_IN (context, "round", "worker", SW_TRACE_VERBOSITY_FULL);

      record_arguments (shape, worker, round);
      g_assert_true (sw_trace_context_emit_counter_int64 (context, counter, SW_TRACE_VERBOSITY_FULL, (gint64) round << 32, NULL));
      g_assert_true (sw_trace_context_emit_counter (context, "shared", SW_TRACE_VERBOSITY_FULL, round / 8.0, NULL));
    }
  recurse (0);
  record_overlap ();
  record_forgotten ();
  follow_flows (worker);
  return NULL;
}

static void
record_all (void)
{
  pthread_t threads[N_WORKERS];

  pthread_barrier_init (&all_wait, NULL, N_WORKERS + 1);
  pthread_barrier_init (&all_have_work, NULL, N_WORKERS + 1);
  for (guint i = 0; i < N_WORKERS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, work, GUINT_TO_POINTER (i)), ==, 0);
  start_flows ();
  pthread_barrier_wait (&all_wait);
  for (guint i = 0; i < N_WORKERS; i++)
    pthread_join (threads[i], NULL);
  /* Of threads that are gone; one stays open. */
  for (guint i = 1; i < N_WORKERS; i++)
    g_assert_true (sw_trace_context_end_async_span (context, asyncs[i], NULL));
}

static void
write_all (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *chrome = g_build_filename (folder, "all.json", NULL);
  g_autofree char *lines = g_build_filename (folder, "all.jsonl", NULL);
  g_autofree char *perfetto = g_build_filename (folder, "all.pftrace", NULL);
  Tee *tee = g_object_new (tee_get_type (), NULL);
  guint64 open;

  g_ptr_array_add (tee->children, open_file (chrome, SW_TRACE_FORMAT_CHROME_JSON));
  g_ptr_array_add (tee->children, open_file (lines, SW_TRACE_FORMAT_JSONL));
  g_ptr_array_add (tee->children, open_file (perfetto, SW_TRACE_FORMAT_PERFETTO));
  sw_trace_context_set_collector (context, SW_COLLECTOR (tee));
  sw_trace_context_set_thread_name ("main");
  open = sw_trace_context_begin_span (context, "open", "main", SW_TRACE_VERBOSITY_FULL, NULL, NULL);
  record_all ();
  g_assert_true (sw_collector_close (SW_COLLECTOR (tee), &error));
  g_assert_no_error (error);
  g_assert_true (sw_trace_context_end_span (context, open, NULL));
  printf ("%" G_GUINT64_FORMAT "\n", sw_trace_context_get_emitted_count (context));
  g_object_unref (tee);
}

static void *
emit_for_ever (void *data)
{
  for (;;)
    {
      SW_TRACE_SPAN_IN (context, "outer", "endless", SW_TRACE_VERBOSITY_FULL);
      SW_TRACE_SPAN_IN (context, "inner", "endless", SW_TRACE_VERBOSITY_FULL, SW_TRACE_STRING ("text", "some text"));
    }
  return NULL;
}

static G_NORETURN void
write_for_ever (const char *path,
                SwTraceFormat format)
{
  SwFileCollector *collector = open_file (path, format);
  pthread_t thread;

  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  for (guint i = 0; i < N_FLUSHED; i++)
    {
      SW_TRACE_SPAN_IN (context, "before", "endless", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("number", i));
    }
  g_assert_true (sw_collector_flush (SW_COLLECTOR (collector), NULL));
  g_assert_cmpint (pthread_create (&thread, NULL, emit_for_ever, NULL), ==, 0);
  printf ("%" G_GUINT64_FORMAT "\n", sw_collector_get_event_count (SW_COLLECTOR (collector)));
  fflush (stdout);
  pthread_join (thread, NULL);
  abort ();
}

int
main (int argc,
      char **argv)
{
  context = sw_trace_context_new ();
  if (argc == 3 && strcmp (argv[1], "all") == 0)
    write_all (argv[2]);
  else if (argc == 4 && strcmp (argv[1], "endless") == 0)
    write_for_ever (argv[2], (SwTraceFormat) atoi (argv[3]));
  else
    return 2;
  g_object_unref (context);
  return 0;
}
