/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One group over all threads of the process. */
#include "config.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler-fixtures.h"
#include "sw-profiler/operation/sw-group-member-private.h"
#include "sw/base/sw-thread-private.h"

#define N_AT_ONCE 200

static SwProfilerGroup *
entered (void)
{
  g_autoptr (GError) error = NULL;
  SwProfilerGroup *group = sw_profiler_group_new (NULL);

  sw_profiler_group_enter (group, &error);
  g_assert_no_error (error);
  return group;
}

static GPtrArray *
left (SwProfilerGroup *group)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *threads;

  sw_profiler_group_exit (group, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sw_profiler_group_get_n_lost_threads (group), ==, 0);
  threads = sw_profiler_group_dup_threads (group, &error);
  g_assert_no_error (error);
  return threads;
}

static GPtrArray *
events_of (SwProfilerThread *thread)
{
  return test_profiler_events (sw_profiler_thread_get_profiler (thread));
}

/* A tensor on a carrier of any operations, which run @body. */
static SwTensor *
new_tensor (TestBody body,
            gpointer data)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, body, data);

  return test_tensor_on (carrier);
}

static void
run (SwTensor *tensor,
     const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (SwTensor) result = sw_call_operation (name, inputs, NULL, &error);

  g_assert_no_error (error);
}

typedef struct
{
  pthread_t thread;
  char name[16];
  pthread_barrier_t *barrier; /* passed before the operations, and after */
  guint n_operations;
} Worker;

static void *
work (void *data)
{
  Worker *self = data;
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);

  pthread_setname_np (pthread_self (), self->name);
  if (self->barrier != NULL)
    pthread_barrier_wait (self->barrier);
  for (guint i = 0; i < self->n_operations; i++)
    run (tensor, self->name);
  if (self->barrier != NULL)
    pthread_barrier_wait (self->barrier);
  return NULL;
}

static void
start (Worker *self,
       guint number,
       pthread_barrier_t *barrier,
       guint n_operations)
{
  g_snprintf (self->name, sizeof self->name, "worker-%u", number);
  /* Not by the thread: ThreadSanitizer does not see the lock under which GLib interns what an operation is called. */
  g_intern_string (self->name);
  self->barrier = barrier;
  self->n_operations = n_operations;
  g_assert_cmpint (pthread_create (&self->thread, NULL, work, self), ==, 0);
}

static void
join (Worker *self)
{
  g_assert_cmpint (pthread_join (self->thread, NULL), ==, 0);
}

/* All of the thread's events are named as it is. */
static void
assert_named (SwProfilerThread *thread,
              guint n_events)
{
  g_autoptr (GPtrArray) events = events_of (thread);

  g_assert_cmpuint (events->len, ==, n_events);
  for (guint i = 0; i < events->len; i++)
    {
      SwProfilerEvent *event = g_ptr_array_index (events, i);

      g_assert_cmpint (sw_profiler_event_get_id (event), ==, i);
      g_assert_cmpstr (sw_profiler_event_get_name (event), ==, sw_profiler_thread_get_name (thread));
      g_assert_cmpuint (sw_profiler_event_get_thread_id (event), ==, sw_profiler_thread_get_thread_id (thread));
    }
}

/* Threads from before, that all go at once. */
static void
test_at_once (void)
{
  g_autofree Worker *workers = g_new0 (Worker, N_AT_ONCE);
  g_autoptr (SwProfilerGroup) group = NULL;
  g_autoptr (GPtrArray) threads = NULL;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GPtrArray) events = NULL;
  pthread_barrier_t barrier;

  pthread_barrier_init (&barrier, NULL, N_AT_ONCE + 1);
  for (guint i = 0; i < N_AT_ONCE; i++)
    start (&workers[i], i, &barrier, 3);
  group = entered ();
  pthread_barrier_wait (&barrier);
  pthread_barrier_wait (&barrier);
  threads = left (group);
  for (guint i = 0; i < N_AT_ONCE; i++)
    join (&workers[i]);
  pthread_barrier_destroy (&barrier);

  g_assert_cmpuint (threads->len, ==, N_AT_ONCE);
  for (guint i = 0; i < threads->len; i++)
    {
      assert_named (threads->pdata[i], 3);
      g_hash_table_add (names, (gpointer) sw_profiler_thread_get_name (threads->pdata[i]));
    }
  g_assert_cmpuint (g_hash_table_size (names), ==, N_AT_ONCE);
  rows = sw_profiler_group_dup_key_averages (group, FALSE, NULL);
  g_assert_cmpuint (rows->len, ==, N_AT_ONCE);
  events = sw_profiler_group_dup_events (group, NULL);
  g_assert_cmpuint (events->len, ==, 3 * N_AT_ONCE);
}

/* Threads that end before the group, one after the other, so that the system uses its identifiers again. */
static void
test_ended (void)
{
  g_autoptr (SwProfilerGroup) group = entered ();
  g_autoptr (GPtrArray) threads = NULL;

  for (guint i = 0; i < 20; i++)
    {
      Worker worker;

      start (&worker, i, NULL, i);
      join (&worker);
    }
  threads = left (group);
  /* The one without operations is not in it. */
  g_assert_cmpuint (threads->len, ==, 19);
  for (guint i = 0; i < threads->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("worker-%u", i + 1);

      g_assert_cmpstr (sw_profiler_thread_get_name (threads->pdata[i]), ==, name);
      assert_named (threads->pdata[i], i + 1);
    }
}

static void
test_renamed (void)
{
  g_autoptr (SwProfilerGroup) group = entered ();
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autoptr (GPtrArray) threads = NULL;
  g_autofree char *table = NULL;
  char before[16];

  pthread_getname_np (pthread_self (), before, sizeof before);
  run (tensor, "first");
  pthread_setname_np (pthread_self (), "new\tname\xff");
  run (tensor, "second");
  threads = left (group);
  pthread_setname_np (pthread_self (), before);

  g_assert_cmpuint (threads->len, ==, 1);
  g_assert_cmpstr (sw_profiler_thread_get_name (threads->pdata[0]), ==, "new\tname\xef\xbf\xbd");
  g_assert_cmpint (sw_profiler_thread_get_os_thread_id (threads->pdata[0]), ==, gettid ());
  g_assert_cmpuint (sw_profiler_thread_get_thread_id (threads->pdata[0]), ==, (guint64) pthread_self ());
  table = sw_profiler_group_dup_table_by_thread (group, "name", FALSE, FALSE, 1, NULL);
  g_assert_nonnull (strstr (table, "first"));
  g_assert_null (strstr (table, "second"));
  g_assert_true (g_str_has_prefix (table, "Thread new"));
  g_assert_null (strchr (table, '\t'));
}

static void
test_own_profilers (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autoptr (SwProfiler) before = test_profiler_entered (FALSE);
  g_autoptr (SwProfilerGroup) group = NULL;
  g_autoptr (SwProfiler) within = NULL;
  g_autoptr (SwProfiler) over = NULL;
  g_autoptr (GPtrArray) threads = NULL;
  g_autoptr (GPtrArray) events = NULL;

  run (tensor, "a");
  group = entered ();
  run (tensor, "b");
  test_profiler_exit (before);
  within = test_profiler_entered (FALSE);
  run (tensor, "c");
  test_profiler_exit (within);
  over = test_profiler_entered (FALSE);
  run (tensor, "d");
  threads = left (group);
  g_assert_true (sw_profiler_is_active (over));
  run (tensor, "e");
  test_profiler_exit (over);

  g_assert_cmpint (sw_profiler_count_events (before, NULL), ==, 2);
  g_assert_cmpint (sw_profiler_count_events (within, NULL), ==, 1);
  g_assert_cmpint (sw_profiler_count_events (over, NULL), ==, 2);
  events = events_of (threads->pdata[0]);
  g_assert_cmpuint (events->len, ==, 3);
  g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[0]), ==, "b");
  g_assert_cmpstr (sw_profiler_event_get_name (events->pdata[2]), ==, "d");
}

static void *
exit_elsewhere (void *group)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (sw_profiler_group_exit (group, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "thread"));
  return NULL;
}

static void
assert_refused (gboolean result,
                GError **error,
                const char *message)
{
  g_assert_false (result);
  g_assert_error (*error, SW_ERROR, SW_ERROR_STATE);
  g_assert_nonnull (strstr ((*error)->message, message));
  g_clear_error (error);
}

static void
test_refused (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autoptr (SwProfilerGroup) group = sw_profiler_group_new (NULL);
  g_autoptr (SwProfilerGroup) second = sw_profiler_group_new (NULL);
  g_autoptr (GPtrArray) threads = NULL;
  GError *error = NULL;
  pthread_t thread;

  assert_refused (sw_profiler_group_exit (group, &error), &error, "not active");
  assert_refused (sw_profiler_group_dup_threads (group, &error) != NULL, &error, "only after context exit");
  g_assert_true (sw_profiler_group_enter (group, NULL));
  assert_refused (sw_profiler_group_enter (group, &error), &error, "single-use");
  assert_refused (sw_profiler_group_enter (second, &error), &error, "already active");
  assert_refused (sw_profiler_group_dup_events (group, &error) != NULL, &error, "still active");
  assert_refused (sw_profiler_group_dup_key_averages (group, FALSE, &error) != NULL, &error, "still active");
  assert_refused (sw_profiler_group_dup_table (group, NULL, TRUE, FALSE, -1, &error) != NULL, &error, "still active");
  g_assert_cmpint (pthread_create (&thread, NULL, exit_elsewhere, group), ==, 0);
  pthread_join (thread, NULL);
  g_assert_true (sw_profiler_group_is_active (group));
  run (tensor, "still-there");
  threads = left (group);
  g_assert_cmpuint (threads->len, ==, 1);
  g_assert_true (sw_profiler_group_is_completed (group));

  assert_refused (sw_profiler_group_exit (group, &error), &error, "not active");
  assert_refused (sw_profiler_group_enter (group, &error), &error, "single-use");
  assert_refused (sw_profiler_group_enter (second, &error), &error, "single-use");
  g_assert_null (sw_profiler_group_dup_table_by_thread (group, "nothing", TRUE, FALSE, -1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
}

/* Operations on a thread that go on until they are told to. */
typedef struct
{
  pthread_barrier_t began;
  pthread_barrier_t may_end;
  SwTensor *inner;  /* on an Evictable: an operation with one inside */
  SwTensor *middle; /* waits */
  SwTensor *outer;  /* executes both */
} Stuck;

static SwTensor *
compute_middle (SwOperation *operation,
                SwValueList *inputs,
                gpointer data,
                GError **error)
{
  Stuck *self = data;

  pthread_barrier_wait (&self->began);
  pthread_barrier_wait (&self->may_end);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static SwTensor *
compute_outer (SwOperation *operation,
               SwValueList *inputs,
               gpointer data,
               GError **error)
{
  Stuck *self = data;

  test_relu (self->inner);
  run (self->middle, "middle");
  test_relu (self->inner);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void *
run_stuck (void *data)
{
  Stuck *self = data;

  run (self->outer, "outer");
  return NULL;
}

static void
stuck_init (Stuck *self)
{
  g_autoptr (SwCarrier) other = test_carrier_new (TEST_TYPE_OTHER_CARRIER, compute_middle, self);

  self->inner = test_evictable_tensor (1);
  self->middle = test_tensor_on (other);
  self->outer = new_tensor (compute_outer, self);
  pthread_barrier_init (&self->began, NULL, 2);
  pthread_barrier_init (&self->may_end, NULL, 2);
}

static void
stuck_clear (Stuck *self)
{
  sw_tensor_unref (self->inner);
  sw_tensor_unref (self->middle);
  sw_tensor_unref (self->outer);
  pthread_barrier_destroy (&self->began);
  pthread_barrier_destroy (&self->may_end);
}

/* What was running on another thread when the group was left ends there, and goes on. */
static void
test_running_at_exit (void)
{
  g_autoptr (SwProfilerGroup) group = entered ();
  g_autoptr (GPtrArray) threads = NULL;
  g_autoptr (GPtrArray) events = NULL;
  SwProfilerEvent *outer, *relu, *middle;
  pthread_t thread;
  Stuck stuck;

  stuck_init (&stuck);
  g_assert_cmpint (pthread_create (&thread, NULL, run_stuck, &stuck), ==, 0);
  pthread_barrier_wait (&stuck.began);
  threads = left (group);
  pthread_barrier_wait (&stuck.may_end);
  pthread_join (thread, NULL);
  stuck_clear (&stuck);

  g_assert_cmpuint (threads->len, ==, 1);
  events = events_of (threads->pdata[0]);
  g_assert_cmpuint (events->len, ==, 4);
  outer = events->pdata[0];
  relu = events->pdata[1];
  middle = events->pdata[3];
  g_assert_cmpstr (sw_profiler_event_get_name (outer), ==, "outer");
  g_assert_false (sw_profiler_event_get_succeeded (outer));
  g_assert_true (sw_profiler_event_get_succeeded (relu));
  g_assert_cmpstr (sw_profiler_event_get_name (middle), ==, "middle");
  g_assert_false (sw_profiler_event_get_succeeded (middle));
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (outer), ==,
                   sw_profiler_event_get_duration_ns (outer) - sw_profiler_event_get_duration_ns (relu) - sw_profiler_event_get_duration_ns (middle));
}

/* The same with a filter, which hides what runs inside: its time is not the outer one's. */
static void
test_hidden_at_exit (void)
{
  const GType carriers[] = { TEST_TYPE_CARRIER };
  g_autoptr (SwProfiler) options = sw_profiler_new_for_carriers (carriers, 1, FALSE, NULL);
  g_autoptr (SwProfilerGroup) group = sw_profiler_group_new (options);
  g_autoptr (GPtrArray) threads = NULL;
  g_autoptr (GPtrArray) events = NULL;
  pthread_t thread;
  Stuck stuck;
  gint64 waited;

  g_assert_true (sw_profiler_group_enter (group, NULL));
  stuck_init (&stuck);
  g_assert_cmpint (pthread_create (&thread, NULL, run_stuck, &stuck), ==, 0);
  pthread_barrier_wait (&stuck.began);
  waited = g_get_monotonic_time ();
  while (g_get_monotonic_time () < waited + 20000)
    ;
  threads = left (group);
  pthread_barrier_wait (&stuck.may_end);
  pthread_join (thread, NULL);
  stuck_clear (&stuck);

  events = events_of (threads->pdata[0]);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (events->pdata[0]) - sw_profiler_event_get_self_time_ns (events->pdata[0]), >=, 19000000);
}

/* What ran already when the group was entered is not in it; what it executes from then on is. */
static void
test_running_at_enter (void)
{
  g_autoptr (SwProfilerGroup) group = NULL;
  g_autoptr (GPtrArray) threads = NULL;
  g_autoptr (GPtrArray) events = NULL;
  pthread_t thread;
  Stuck stuck;

  stuck_init (&stuck);
  g_assert_cmpint (pthread_create (&thread, NULL, run_stuck, &stuck), ==, 0);
  pthread_barrier_wait (&stuck.began);
  group = entered ();
  pthread_barrier_wait (&stuck.may_end);
  pthread_join (thread, NULL);
  threads = left (group);
  stuck_clear (&stuck);

  events = events_of (threads->pdata[0]);
  g_assert_cmpuint (events->len, ==, 2);
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (events->pdata[0]), ==, SW_TYPE_EVICTABLE);
  g_assert_false (sw_profiler_event_get_parent_id (events->pdata[0], NULL));
}

static SwTensor *
leave_inside (SwOperation *operation,
              SwValueList *inputs,
              gpointer group,
              GError **error)
{
  g_assert_true (sw_profiler_group_exit (group, error));
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
test_left_inside (void)
{
  g_autoptr (SwProfilerGroup) group = entered ();
  g_autoptr (SwProfilerGroup) next = NULL;
  g_autoptr (SwTensor) tensor = new_tensor (leave_inside, group);
  g_autoptr (SwTensor) other = new_tensor (NULL, NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GPtrArray) threads = NULL;

  run (tensor, "leave");
  next = entered ();
  run (other, "next");
  events = sw_profiler_group_dup_events (group, NULL);
  g_assert_cmpuint (events->len, ==, 1);
  g_assert_false (sw_profiler_event_get_succeeded (events->pdata[0]));
  threads = left (next);
  g_assert_cmpuint (threads->len, ==, 1);
}

static void
test_dropped (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  SwProfilerGroup *group = entered ();
  g_autoptr (GPtrArray) threads = NULL;
  g_autoptr (SwProfilerGroup) next = NULL;

  run (tensor, "before");
  g_assert_true (sw_gate_is_open ());
  g_assert_finalize_object (group);
  g_assert_false (sw_gate_is_open ());
  next = entered ();
  run (tensor, "after");
  threads = left (next);
  g_assert_cmpuint (threads->len, ==, 1);
  g_assert_false (sw_gate_is_open ());
}

/* A thread that the system does not let finish a write costs two seconds and its events, and is counted. */
static void
test_lost (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autoptr (SwProfilerGroup) group = entered ();
  g_autoptr (GPtrArray) threads = NULL;
  SwGroupMember *member;

  run (tensor, "lost");
  member = sw_thread.recorders[SW_RECORDER_GROUP];
  g_assert_true (sw_group_member_begin_write (member));
  g_assert_true (sw_profiler_group_exit (group, NULL));
  sw_group_member_end_write (member);
  g_assert_cmpuint (sw_profiler_group_get_n_lost_threads (group), ==, 1);
  threads = sw_profiler_group_dup_threads (group, NULL);
  g_assert_cmpuint (threads->len, ==, 0);
  run (tensor, "unrecorded");
}

static void
use_in_child (SwProfilerGroup *group,
              SwTensor *tensor)
{
  g_autoptr (SwProfilerGroup) own = NULL;
  g_autoptr (GPtrArray) threads = NULL;
  GError *error = NULL;

  run (tensor, "child");
  g_assert_false (sw_gate_is_open ());
  g_assert_false (sw_profiler_group_is_active (group));
  assert_refused (sw_profiler_group_exit (group, &error), &error, "parent");
  own = entered ();
  run (tensor, "own");
  threads = left (own);
  g_assert_cmpuint (threads->len, ==, 1);
  assert_refused (sw_profiler_group_dup_threads (group, &error) != NULL, &error, "not active");
}

static void
test_fork (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autoptr (SwProfilerGroup) group = entered ();
  g_autoptr (GPtrArray) threads = NULL;
  g_autoptr (GPtrArray) events = NULL;
  pid_t child;
  int status = -1;

  run (tensor, "parent");
  child = fork ();
  if (child == 0)
    {
      use_in_child (group, tensor);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  run (tensor, "parent");
  threads = left (group);
  g_assert_cmpuint (threads->len, ==, 1);
  events = events_of (threads->pdata[0]);
  g_assert_cmpuint (events->len, ==, 2);
}

static void
test_empty (void)
{
  g_autoptr (SwProfilerGroup) group = entered ();
  g_autoptr (GPtrArray) threads = left (group);
  g_autofree char *table = sw_profiler_group_dup_table (group, NULL, TRUE, FALSE, -1, NULL);
  g_autofree char *tables = sw_profiler_group_dup_table_by_thread (group, NULL, TRUE, FALSE, -1, NULL);

  g_assert_cmpuint (threads->len, ==, 0);
  g_assert_true (g_str_has_prefix (table, "Name"));
  g_assert_cmpstr (tables, ==, "");
}

static void
test_scope (void)
{
  g_autoptr (SwTensor) tensor = new_tensor (NULL, NULL);
  g_autoptr (SwProfilerGroup) group = sw_profiler_group_new (NULL);
  g_autoptr (SwProfilerGroup) other = sw_profiler_group_new (NULL);

  {
    g_autoptr (SwProfilerGroupScope) scope = sw_profiler_group_scope_new (group, NULL);

    g_assert_true (sw_profiler_group_scope_get_group (scope) == group);
    g_assert_null (sw_profiler_group_scope_new (other, NULL));
    run (tensor, "scoped");
  }
  g_assert_true (sw_profiler_group_is_completed (group));
  other = (g_object_unref (other), sw_profiler_group_new (NULL));
  {
    g_autoptr (SwProfilerGroupScope) scope = sw_profiler_group_scope_new (other, NULL);

    g_assert_true (sw_profiler_group_scope_leave (scope, NULL));
    g_assert_false (sw_profiler_group_scope_leave (scope, NULL));
  }
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
  g_test_add_func ("/profiler-group/at-once", test_at_once);
  g_test_add_func ("/profiler-group/ended", test_ended);
  g_test_add_func ("/profiler-group/renamed", test_renamed);
  g_test_add_func ("/profiler-group/own-profilers", test_own_profilers);
  g_test_add_func ("/profiler-group/refused", test_refused);
  g_test_add_func ("/profiler-group/running-at-exit", test_running_at_exit);
  g_test_add_func ("/profiler-group/hidden-at-exit", test_hidden_at_exit);
  g_test_add_func ("/profiler-group/running-at-enter", test_running_at_enter);
  g_test_add_func ("/profiler-group/left-inside", test_left_inside);
  g_test_add_func ("/profiler-group/dropped", test_dropped);
  g_test_add_func ("/profiler-group/lost", test_lost);
  g_test_add_func ("/profiler-group/fork", test_fork);
  g_test_add_func ("/profiler-group/empty", test_empty);
  g_test_add_func ("/profiler-group/scope", test_scope);
  return g_test_run ();
}
