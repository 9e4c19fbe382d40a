/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children of processes that are just passing events on: nothing of the parent's keeps them from recording, or from ending. */
#include "config.h"

#include <glib/gstdio.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw/base/sw-turn-private.h"

#define N_SPANS 200
#define N_BUSY 2
#define N_FORKS 10
#define MOST_SECONDS 15 /* a child that waits for longer waits for ever */

/* A child cannot report by GTest; it says by its status which line was wrong. */
#define child_check(condition)                                      \
  G_STMT_START                                                      \
  {                                                                 \
    if (!(condition))                                               \
      {                                                             \
        g_printerr ("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        _exit (1);                                                  \
      }                                                             \
  }                                                                 \
  G_STMT_END

/* Stays in emit () for as long as it is told to. */
typedef struct
{
  SwCollector parent_instance;

  int *is_inside; /* atomic */
  int *may_leave; /* atomic */
} Slow;

typedef struct
{
  SwCollectorClass parent_class;
} SlowClass;

static GType
slow_get_type (void);

G_DEFINE_TYPE (Slow, slow, SW_TYPE_COLLECTOR)

static gboolean
slow_emit (SwCollector *collector,
           SwTraceEvent *event,
           GError **error)
{
  Slow *self = (Slow *) collector;

  /* Release and acquire: what was done before is seen after. */
  __atomic_store_n (self->is_inside, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n (self->may_leave, __ATOMIC_ACQUIRE) == 0)
    sched_yield ();
  return TRUE;
}

static void
slow_class_init (SlowClass *klass)
{
  SW_COLLECTOR_CLASS (klass)->emit = slow_emit;
}

static void
slow_init (Slow *self)
{
}

/* As any program ends, so that what is done then is done here, too. What a child cannot free of its parent's is no leak. */
static void G_GNUC_NORETURN
end_child (void)
{
#if defined(__SANITIZE_ADDRESS__)
  _exit (0);
#else
  exit (0);
#endif
}

static void
wait_for_child (pid_t pid)
{
  int status = 0;

  g_assert_cmpint (pid, >, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
emit_spans (SwTraceContext *context,
            guint n)
{
  for (guint i = 0; i < n; i++)
    {
      SW_TRACE_SPAN_IN (context, "span", "test", SW_TRACE_VERBOSITY_FULL);
    }
}

static guint
count (const char *text,
       const char *part)
{
  guint n = 0;

  for (const char *at = text; (at = strstr (at, part)) != NULL; at++)
    n++;
  return n;
}

/* Whether a file of JSONL is complete and has so many spans, all of them outermost ones. */
static gboolean
is_whole (const char *path,
          guint n_spans)
{
  g_autofree char *text = NULL;
  g_autofree char *pid = g_strdup_printf ("\"pid\":%d,", (int) getpid ());

  return g_file_get_contents (path, &text, NULL, NULL) && g_str_has_suffix (text, "}\n") &&
         strstr (text, "\"type\":\"summary\"") != NULL && strstr (text, pid) != NULL &&
         count (text, "\"name\":\"span\"") == n_spans;
}

/* What a program does that knows nothing of the fork, and what one does that wants a trace of its own. */
static void
run_child (SwTraceContext *context,
           SwCollector *inherited,
           const char *path)
{
  g_autoptr (SwFileCollector) own = NULL;
  guint64 n_before = sw_collector_get_event_count (inherited);

  alarm (MOST_SECONDS);
  emit_spans (context, 1);
  child_check (sw_trace_context_flush (context, NULL));
  child_check (sw_collector_flush (inherited, NULL));
  if (SW_IS_MEMORY_COLLECTOR (inherited))
    {
      g_ptr_array_unref (sw_memory_collector_dup_events (SW_MEMORY_COLLECTOR (inherited)));
      sw_memory_collector_clear (SW_MEMORY_COLLECTOR (inherited));
    }
  sw_collector_get_is_closed (inherited);
  sw_trace_context_set_collector (context, inherited);
  emit_spans (context, 1);
  child_check (sw_collector_close (inherited, NULL));
  child_check (sw_collector_get_is_closed (inherited));
  child_check (sw_collector_get_event_count (inherited) <= n_before + 1);

  own = sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL);
  child_check (own != NULL);
  sw_trace_context_set_collector (context, SW_COLLECTOR (own));
  emit_spans (context, N_SPANS);
  child_check (sw_collector_close (SW_COLLECTOR (own), NULL));
  child_check (is_whole (path, N_SPANS));
  child_check (g_unlink (path) == 0);
}

static void
fork_and_run (SwTraceContext *context,
              SwCollector *inherited,
              const char *folder)
{
  pid_t pid = fork ();

  if (pid == 0)
    {
      g_autofree char *path = g_strdup_printf ("%s/child", folder);

      run_child (context, inherited, path);
      g_object_unref (context);
      end_child ();
    }
  wait_for_child (pid);
}

/* ThreadSanitizer follows no thread that is started after a fork. */
static gboolean
skip_where_forks_are_not_followed (void)
{
#if defined(__SANITIZE_THREAD__)
  g_test_skip ("ThreadSanitizer follows no thread that is started after a fork");
  return TRUE;
#else
  return FALSE;
#endif
}

/* The worker is in a collector, and in the one around that. */
static void
test_inside_of_collector (void)
{
  int is_inside = 0;
  int may_leave = 0;
  g_autofree char *folder = g_dir_make_tmp ("sw-fork-XXXXXX", NULL);
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  g_autoptr (SwCollector) slow = NULL;
  g_autoptr (SwCollector) around = NULL;
  if (skip_where_forks_are_not_followed ())
    return;
  slow = g_object_new (slow_get_type (), NULL);
  ((Slow *) slow)->is_inside = &is_inside;
  ((Slow *) slow)->may_leave = &may_leave;
  around = SW_COLLECTOR (sw_composite_collector_new (&slow, 1, NULL));
  sw_trace_context_set_collector (context, around);
  emit_spans (context, 1);
  /* Acquire: see slow_emit (). */
  while (__atomic_load_n (&is_inside, __ATOMIC_ACQUIRE) == 0)
    sched_yield ();
  fork_and_run (context, around, folder);
  fork_and_run (context, slow, folder);
  /* Release: see slow_emit (). */
  __atomic_store_n (&may_leave, 1, __ATOMIC_RELEASE);
  g_assert_true (sw_collector_close (around, NULL));
  g_assert_cmpuint (sw_collector_get_event_count (slow), ==, 1);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A thread that is in a collector, as those are that pass something on, until the test is done. */
typedef struct
{
  SwCollector *collector;
  pthread_barrier_t both;
} Inside;

static void *
stay_inside (void *data)
{
  Inside *inside = data;

  g_assert_true (sw_collector_enter (inside->collector));
  pthread_barrier_wait (&inside->both);
  pthread_barrier_wait (&inside->both);
  sw_collector_leave (inside->collector);
  return NULL;
}

static void
check_inside (SwCollector *collector,
              const char *folder)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Inside inside = { collector };
  pthread_t thread;

  sw_trace_context_set_collector (context, collector);
  emit_spans (context, N_SPANS);
  g_assert_true (sw_collector_flush (collector, NULL));
  pthread_barrier_init (&inside.both, NULL, 2);
  g_assert_cmpint (pthread_create (&thread, NULL, stay_inside, &inside), ==, 0);
  pthread_barrier_wait (&inside.both);
  fork_and_run (context, collector, folder);
  pthread_barrier_wait (&inside.both);
  pthread_join (thread, NULL);
  pthread_barrier_destroy (&inside.both);
  g_assert_true (sw_collector_close (collector, NULL));
  g_assert_cmpuint (sw_collector_get_event_count (collector), ==, N_SPANS);
}

static void
test_inside_of_file_and_memory (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sw-fork-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "parent", NULL);
  g_autoptr (SwCollector) file = NULL;
  g_autoptr (SwCollector) memory = NULL;

  if (skip_where_forks_are_not_followed ())
    return;
  file = SW_COLLECTOR (sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL));
  memory = SW_COLLECTOR (sw_memory_collector_new (1000, NULL));
  check_inside (file, folder);
  check_inside (memory, folder);
  g_assert_true (is_whole (path, N_SPANS));
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void *
wait_for_turn (void *data)
{
  sw_turn_enter (data);
  sw_turn_leave (data);
  return NULL;
}

static guint64
count_those_that_came (SwTurn *turn)
{
  guint64 n;

  pthread_mutex_lock (&turn->lock);
  n = turn->n_came;
  pthread_mutex_unlock (&turn->lock);
  return n;
}

/* What nobody uses any more goes in the child as well, whoever of the parent waits for it. */
static void
test_cleared_in_child (void)
{
  SwTurn turn;
  pthread_t thread;
  pid_t pid;

  if (skip_where_forks_are_not_followed ())
    return;
  sw_turn_init (&turn);
  g_assert_true (sw_turn_enter (&turn));
  g_assert_cmpint (pthread_create (&thread, NULL, wait_for_turn, &turn), ==, 0);
  while (count_those_that_came (&turn) < 2)
    sched_yield ();
  pid = fork ();
  if (pid == 0)
    {
      alarm (MOST_SECONDS);
      sw_turn_clear (&turn);
      end_child ();
    }
  wait_for_child (pid);
  sw_turn_leave (&turn);
  pthread_join (thread, NULL);
  sw_turn_clear (&turn);
}

typedef struct
{
  SwTraceContext *context;
  int stop; /* atomic */
} Busy;

static void *
emit_busily (void *data)
{
  Busy *busy = data;

  /* Relaxed: only to end. */
  while (__atomic_load_n (&busy->stop, __ATOMIC_RELAXED) == 0)
    emit_spans (busy->context, 100);
  return NULL;
}

static SwCollector *
make_collector (guint i,
                const char *path)
{
  g_autoptr (SwCollector) memory = SW_COLLECTOR (sw_memory_collector_new (1000, NULL));

  return i % 2 == 0 ? g_steal_pointer (&memory) : SW_COLLECTOR (sw_file_collector_new (path, SW_TRACE_FORMAT_PERFETTO, NULL));
}

/* Whatever the other threads and the worker are just doing. */
static void
test_while_threads_record (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sw-fork-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "parent", NULL);
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  Busy busy = { context, 0 };
  pthread_t threads[N_BUSY];

  if (skip_where_forks_are_not_followed ())
    return;
#if defined(__SANITIZE_ADDRESS__)
  /* Its allocator leaves a child whatever locks other threads held. */
  g_test_skip ("the sanitizer itself does not survive this");
  return;
#endif
  for (guint i = 0; i < N_BUSY; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, emit_busily, &busy), ==, 0);
  for (guint i = 0; i < N_FORKS; i++)
    {
      g_autoptr (SwCollector) collector = make_collector (i, path);

      sw_trace_context_set_collector (context, collector);
      g_assert_true (sw_collector_flush (collector, NULL));
      fork_and_run (context, collector, folder);
      g_assert_true (sw_collector_close (collector, NULL));
    }
  /* Relaxed: only to end. */
  __atomic_store_n (&busy.stop, 1, __ATOMIC_RELAXED);
  for (guint i = 0; i < N_BUSY; i++)
    pthread_join (threads[i], NULL);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
record_file (SwTraceContext *context,
             const char *path)
{
  g_autoptr (SwCollector) collector = SW_COLLECTOR (sw_file_collector_new (path, SW_TRACE_FORMAT_JSONL, NULL));

  sw_trace_context_set_collector (context, collector);
  emit_spans (context, N_SPANS);
  sw_collector_close (collector, NULL);
}

/* Recording has stopped before the fork, and begins anew in both. */
static void
test_before_and_after (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sw-fork-XXXXXX", NULL);
  g_autofree char *first = g_build_filename (folder, "first", NULL);
  g_autofree char *parent = g_build_filename (folder, "parent", NULL);
  g_autofree char *child = g_build_filename (folder, "child", NULL);
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();
  pid_t pid;

  if (skip_where_forks_are_not_followed ())
    return;
  record_file (context, first);
  pid = fork ();
  record_file (context, pid == 0 ? child : parent);
  if (pid == 0)
    {
      child_check (is_whole (child, N_SPANS));
      end_child ();
    }
  wait_for_child (pid);
  g_assert_true (is_whole (first, N_SPANS));
  g_assert_true (is_whole (parent, N_SPANS));
  g_assert_cmpint (g_unlink (first) + g_unlink (parent) + g_unlink (child) + g_rmdir (folder), ==, 0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-fork/inside-of-collector", test_inside_of_collector);
  g_test_add_func ("/trace-fork/inside-of-file-and-memory", test_inside_of_file_and_memory);
  g_test_add_func ("/trace-fork/while-threads-record", test_while_threads_record);
  g_test_add_func ("/trace-fork/before-and-after", test_before_and_after);
  g_test_add_func ("/trace-fork/cleared-in-child", test_cleared_in_child);
  return g_test_run ();
}
