/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many threads, each with a profiler of its own, and profilers handed around. */
#include "config.h"

#include <pthread.h>

#include "profiler-fixtures.h"

#define N_THREADS 64
#define N_ROUNDS 20
#define N_OPERATIONS 50

/* An operation whose name is the thread's own, so that an event on the wrong thread is seen at once. */
static void
run_named (SwCarrier *carrier,
           const char *name)
{
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) result = sw_call_operation (name, inputs, NULL, &error);

  g_assert_no_error (error);
}

static gpointer
run_thread (gpointer name)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, NULL, NULL);

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (SwProfiler) profiler = test_profiler_entered (round % 2 == 0);
      g_autoptr (GPtrArray) events = NULL;

      for (guint i = 0; i < N_OPERATIONS; i++)
        run_named (carrier, name);
      test_profiler_exit (profiler);
      run_named (carrier, name);

      events = test_profiler_events (profiler);
      g_assert_cmpuint (events->len, ==, N_OPERATIONS);
      for (guint i = 0; i < events->len; i++)
        g_assert_cmpstr (sw_profiler_event_get_name (g_ptr_array_index (events, i)), ==, name);
    }
  return NULL;
}

static void
test_each_its_own (void)
{
  /* Covers: 9.1, 9.2 */
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, NULL, NULL);
  GThread *threads[N_THREADS];
  char *names[N_THREADS];

  /* GLib makes classes at their first use, under locks that ThreadSanitizer does not see. */
  run_named (carrier, "operation");
  for (guint i = 0; i < N_THREADS; i++)
    {
      names[i] = g_strdup_printf ("operation-%u", i);
      threads[i] = g_thread_new (names[i], run_thread, names[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_thread_join (threads[i]);
      g_free (names[i]);
    }
}

#define N_AT_ONCE 200

static pthread_barrier_t all_there;

/* The name of the operation is the thread's own, as the thread itself has it. */
static gpointer
run_at_once (gpointer data)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, NULL, NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (SwProfiler) profiler = NULL;
  char name[16];

  g_snprintf (name, sizeof name, "thread-%u", GPOINTER_TO_UINT (data));
  pthread_barrier_wait (&all_there);
  profiler = test_profiler_entered (FALSE);
  run_named (carrier, name);
  test_profiler_exit (profiler);

  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[0]), ==, name);
  g_assert_cmpuint (sw_profiler_event_get_thread_id (events->pdata[0]), ==, (guint64) pthread_self ());
  g_assert_cmpuint (sw_profiler_event_get_thread_id (events->pdata[0]), !=, 0);
  return NULL;
}

static void
test_start_at_once (void)
{
  GThread *threads[N_AT_ONCE];

  pthread_barrier_init (&all_there, NULL, N_AT_ONCE);
  for (guint i = 0; i < N_AT_ONCE; i++)
    threads[i] = g_thread_new ("worker", run_at_once, GUINT_TO_POINTER (i));
  for (guint i = 0; i < N_AT_ONCE; i++)
    g_thread_join (threads[i]);
  pthread_barrier_destroy (&all_there);
}

static pthread_barrier_t turns;

/* Is in its profiler before, while and after another thread leaves its own. */
static gpointer
stay (gpointer tensor)
{
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);

  test_relu (tensor);
  pthread_barrier_wait (&turns);
  pthread_barrier_wait (&turns);
  test_relu (tensor);
  test_profiler_exit (profiler);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 2);
  return NULL;
}

static void
test_exit_leaves_others_running (void)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwTensor) own = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  GThread *thread;

  pthread_barrier_init (&turns, NULL, 2);
  thread = g_thread_new ("staying", stay, tensor);
  pthread_barrier_wait (&turns);
  test_relu (own);
  test_profiler_exit (profiler);
  pthread_barrier_wait (&turns);
  test_relu (own);
  g_thread_join (thread);
  pthread_barrier_destroy (&turns);
  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 1);
}

/* A place that profilers are handed over in; not GLib's queue, whose locks ThreadSanitizer cannot see. */
typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t filled;
  GQueue profilers;
  gboolean closed;
  guint n_refused;
} Thieves;

static SwProfiler *
take (Thieves *thieves)
{
  SwProfiler *profiler;

  pthread_mutex_lock (&thieves->lock);
  while (g_queue_is_empty (&thieves->profilers) && !thieves->closed)
    pthread_cond_wait (&thieves->filled, &thieves->lock);
  profiler = g_queue_pop_head (&thieves->profilers);
  pthread_mutex_unlock (&thieves->lock);
  return profiler;
}

static void
give (Thieves *thieves,
      SwProfiler *profiler)
{
  pthread_mutex_lock (&thieves->lock);
  if (profiler != NULL)
    g_queue_push_tail (&thieves->profilers, g_object_ref (profiler));
  else
    thieves->closed = TRUE;
  pthread_cond_broadcast (&thieves->filled);
  pthread_mutex_unlock (&thieves->lock);
}

/* Leaves profilers that another thread is in, and drops them. */
static gpointer
steal (gpointer data)
{
  Thieves *thieves = data;
  SwProfiler *profiler;

  while ((profiler = take (thieves)) != NULL)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (sw_profiler_exit (profiler, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_object_unref (profiler);
      pthread_mutex_lock (&thieves->lock);
      thieves->n_refused++;
      pthread_mutex_unlock (&thieves->lock);
    }
  return NULL;
}

static void
test_stolen (void)
{
  /* Covers: 9.4, 9.5 */
  Thieves thieves = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, G_QUEUE_INIT, FALSE, 0 };
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  GThread *threads[2];
  guint n_kept = 0;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("thief", steal, &thieves);

  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);

      give (&thieves, profiler);
      test_relu (tensor);
      test_relu (tensor);
      if (sw_profiler_exit (profiler, NULL))
        {
          g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 2);
          n_kept++;
        }
    }

  give (&thieves, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (thieves.n_refused, ==, 2000);
  g_test_message ("%u of 2000 sessions ended before they were stolen", n_kept);
}

static gpointer
finish_elsewhere (gpointer profiler)
{
  g_autofree char *table = sw_profiler_dup_table (profiler, NULL, TRUE, TRUE, -1, NULL);
  g_autoptr (GPtrArray) events = test_profiler_events (profiler);

  g_assert_nonnull (table);
  g_assert_cmpuint (events->len, ==, 1);
  return NULL;
}

static void
test_results_elsewhere (void)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);
  GThread *threads[4];

  test_relu (tensor);
  test_profiler_exit (profiler);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", finish_elsewhere, profiler);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* ThreadSanitizer does not see the lock under which GLib makes a class: make them before there are threads. */
  g_type_class_ref (SW_TYPE_PROFILER);
  g_type_class_ref (TEST_TYPE_CARRIER);
  g_test_add_func ("/profiler/threads/each-its-own", test_each_its_own);
  g_test_add_func ("/profiler/threads/start-at-once", test_start_at_once);
  g_test_add_func ("/profiler/threads/exit-leaves-others-running", test_exit_leaves_others_running);
  g_test_add_func ("/profiler/threads/stolen", test_stolen);
  g_test_add_func ("/profiler/threads/results-elsewhere", test_results_elsewhere);
  return g_test_run ();
}
