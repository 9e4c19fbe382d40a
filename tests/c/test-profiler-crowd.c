/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thousand threads that record at once, and groups that come and go while threads record. */
#include "config.h"

#include <pthread.h>
#include <sched.h>

#include "profiler-fixtures.h"
#include "sw/base/sw-thread-private.h"

#define N_THREADS 1000
#define N_BUSY 4
#define N_GROUPS 16

static void
run (SwCarrier *carrier,
     const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (SwTensor) result = sw_call_operation (name, inputs, NULL, &error);

  g_assert_no_error (error);
}

typedef struct
{
  pthread_barrier_t *all_record;
  SwCarrier *carrier;
  guint number;
  const char *name; /* of its operations */
} Member;

/* Only this thread's operations, all of them. */
static void
check_own (SwProfiler *profiler,
           const char *name,
           guint n_events)
{
  g_autoptr (GPtrArray) events = test_profiler_events (profiler);

  g_assert_cmpuint (events->len, ==, n_events);
  for (guint i = 0; i < events->len; i++)
    {
      g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[i]), ==, name);
      g_assert_cmpuint (sw_profiler_event_get_thread_id (events->pdata[i]), ==, (guint64) pthread_self ());
    }
}

/* Some leave while others record and others enter. */
static void *
record_in_crowd (void *data)
{
  Member *self = data;
  const char *name = self->name;
  g_autoptr (SwProfiler) first = test_profiler_entered (self->number % 3 == 0);
  g_autoptr (SwProfiler) second = NULL;

  run (self->carrier, name);
  pthread_barrier_wait (self->all_record);
  if (self->number % 2 == 0)
    run (self->carrier, name);
  test_profiler_exit (first);
  run (self->carrier, name);

  second = test_profiler_entered (FALSE);
  run (self->carrier, name);
  test_profiler_exit (second);
  check_own (first, name, self->number % 2 == 0 ? 2 : 1);
  check_own (second, name, 1);
  return NULL;
}

static void
test_thousand (void)
{
  g_autofree Member *members = g_new (Member, N_THREADS);
  g_autofree pthread_t *threads = g_new (pthread_t, N_THREADS);
  g_autofree const char **names = g_new (const char *, N_THREADS);
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, NULL, NULL);
  pthread_barrier_t all_record;
  pthread_attr_t small;

  pthread_attr_init (&small);
  pthread_attr_setstacksize (&small, 512 * 1024);
  pthread_barrier_init (&all_record, NULL, N_THREADS);
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_autofree char *name = g_strdup_printf ("operation-%u", i);

      /* Interned before there is another thread that could: ThreadSanitizer does not see GLib's lock for it. */
      names[i] = g_intern_string (name);
    }
  for (guint i = 0; i < N_THREADS; i++)
    {
      members[i] = (Member){ &all_record, carrier, i, names[i] };
      g_assert_cmpint (pthread_create (&threads[i], &small, record_in_crowd, &members[i]), ==, 0);
    }
  for (guint i = 0; i < N_THREADS; i++)
    pthread_join (threads[i], NULL);
  pthread_barrier_destroy (&all_record);
  pthread_attr_destroy (&small);
  g_assert_false (sw_gate_is_open ());
}

/* A thread that records now into its own profiler, and now not, until it is told to stop. */
typedef struct
{
  gint *stop;
  SwTensor *tensor; /* on an Evictable: each operation has one inside */
  guint n_operations;
} Busy;

static void *
be_busy (void *data)
{
  Busy *self = data;

  /* Relaxed: only says when; joining the thread orders the rest. */
  while (__atomic_load_n (self->stop, __ATOMIC_RELAXED) == 0)
    {
      /* Relaxed: only this thread writes it. */
      gboolean records = __atomic_load_n (&self->n_operations, __ATOMIC_RELAXED) % 8 < 3;
      g_autoptr (SwProfiler) own = records ? test_profiler_entered (FALSE) : NULL;

      test_relu (self->tensor);
      __atomic_fetch_add (&self->n_operations, 1, __ATOMIC_RELAXED); /* only tells of progress */
      if (own != NULL)
        {
          test_profiler_exit (own);
          g_assert_cmpint (sw_profiler_count_events (own, NULL), ==, 2);
        }
    }
  return NULL;
}

static void
wait_for_progress (Busy *busy)
{
  guint before = __atomic_load_n (&busy->n_operations, __ATOMIC_RELAXED); /* only tells of progress */

  while (__atomic_load_n (&busy->n_operations, __ATOMIC_RELAXED) - before < 3)
    sched_yield ();
}

/* Whenever the group ended, what it has is whole: outer and inner events in turn, each within its parent. */
static void
check_whole (SwProfilerThread *thread)
{
  g_autoptr (GPtrArray) events = test_profiler_events (sw_profiler_thread_get_profiler (thread));

  for (guint i = 0; i < events->len; i++)
    {
      SwProfilerEvent *event = events->pdata[i];
      gint64 parent_id = -1;
      gint64 end = sw_profiler_event_get_start_time_ns (event) + sw_profiler_event_get_duration_ns (event);

      g_assert_cmpint (sw_profiler_event_get_self_time_ns (event), >=, 0);
      g_assert_cmpint (sw_profiler_event_get_self_time_ns (event), <=, sw_profiler_event_get_duration_ns (event));
      g_assert_cmpuint (sw_profiler_event_get_thread_id (event), ==, sw_profiler_thread_get_thread_id (thread));
      /* Only the last ones may have been running. */
      g_assert_true (sw_profiler_event_get_succeeded (event) || i + 2 >= events->len);
      if (sw_profiler_event_get_parent_id (event, &parent_id))
        {
          SwProfilerEvent *parent = events->pdata[parent_id];

          g_assert_cmpint (parent_id, ==, i - 1);
          g_assert_cmpint (sw_profiler_event_get_start_time_ns (event), >=, sw_profiler_event_get_start_time_ns (parent));
          g_assert_cmpint (end, <=, sw_profiler_event_get_start_time_ns (parent) + sw_profiler_event_get_duration_ns (parent));
        }
    }
}

static void
test_groups_come_and_go (void)
{
  pthread_t threads[N_BUSY];
  Busy busy[N_BUSY];
  gint stop = 0;
  guint64 n_events = 0;

  for (guint i = 0; i < N_BUSY; i++)
    {
      busy[i] = (Busy){ &stop, test_evictable_tensor (1), 0 };
      /* Makes the classes of its operations, as in main (). */
      test_relu (busy[i].tensor);
      g_assert_cmpint (pthread_create (&threads[i], NULL, be_busy, &busy[i]), ==, 0);
    }
  for (guint round = 0; round < N_GROUPS; round++)
    {
      g_autoptr (SwProfilerGroup) group = sw_profiler_group_new (NULL);
      g_autoptr (GPtrArray) members = NULL;

      g_assert_true (sw_profiler_group_enter (group, NULL));
      test_relu (busy[0].tensor);
      wait_for_progress (&busy[round % N_BUSY]);
      if (round % 4 == 3)
        continue; /* dropped while it is active */
      g_assert_true (sw_profiler_group_exit (group, NULL));
      members = sw_profiler_group_dup_threads (group, NULL);
      g_assert_cmpuint (members->len, <=, N_BUSY + 1);
      g_assert_cmpuint (sw_profiler_group_get_n_lost_threads (group), ==, 0);
      for (guint i = 0; i < members->len; i++)
        {
          check_whole (members->pdata[i]);
          n_events += sw_profiler_count_events (sw_profiler_thread_get_profiler (members->pdata[i]), NULL);
        }
    }
  __atomic_store_n (&stop, 1, __ATOMIC_RELAXED); /* see be_busy () */
  for (guint i = 0; i < N_BUSY; i++)
    {
      pthread_join (threads[i], NULL);
      sw_tensor_unref (busy[i].tensor);
    }
  g_assert_false (sw_gate_is_open ());
  g_assert_cmpuint (n_events, >, 4 * N_GROUPS);
  g_test_message ("%" G_GUINT64_FORMAT " events in %u groups", n_events, N_GROUPS);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* ThreadSanitizer does not see the lock under which GLib makes a class: make them before there are threads. */
  g_type_class_ref (SW_TYPE_PROFILER);
  g_type_class_ref (TEST_TYPE_CARRIER);
  g_type_class_ref (TEST_TYPE_OPERATION);
  g_test_add_func ("/profiler-crowd/thousand", test_thousand);
  g_test_add_func ("/profiler-crowd/groups-come-and-go", test_groups_come_and_go);
  return g_test_run ();
}
