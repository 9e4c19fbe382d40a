/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-group-private.h"

#include "sw-profiler/operation/sw-group-session-private.h"
#include "sw-profiler/operation/sw-profiler-merge.h"
#include "sw-profiler/operation/sw-profiler-private.h"
#include "sw-profiler/operation/sw-profiler-thread-private.h"
#include "sw-profiler/operation/sw-text-private.h"
#include "sw/base/sw-error.h"

/**
 * SwProfilerGroup:
 *
 * Records every dispatched operation of the whole process, between [method@Strideweave.ProfilerGroup.enter] and
 * [method@Strideweave.ProfilerGroup.exit]: of the thread that enters it, of threads that exist already, and of those
 * that begin meanwhile.
 *
 * Each thread that executes an operation gets a profiler of its own, made with the options of the group, and its events
 * are as [class@Strideweave.Profiler] describes them; a thread that ends before the group keeps them. After exit there is
 * a completed profiler for each thread ([method@Strideweave.ProfilerGroup.dup_threads]), and what all of them come to.
 *
 * A group and the profilers that threads enter by themselves have nothing to do with each other: both record, and each
 * may begin and end within the other, at any time. There is one group at a time.
 *
 * An operation that began before the group is not in it; those that it executes within are, as outermost ones. An
 * operation that is still running on any thread at exit ends there in the results, as an attempt that did not succeed;
 * the operation itself goes on.
 *
 * A group is used once. A process that forks while a group is active keeps it; in the child it is over, without results.
 */

struct _SwProfilerGroup
{
  GObject parent_instance;

  SwGroupSession *session;
  guint64 owner; /* the number of the thread that entered; 0 before */
  gint is_completed;
  GPtrArray *threads; /* of SwProfilerThread, once completed */
  guint n_lost;
};

G_DEFINE_FINAL_TYPE (SwProfilerGroup, sw_profiler_group, G_TYPE_OBJECT)

/* The recordings of all members, finished. */
static void
close_members (SwProfilerGroup *self)
{
  GPtrArray *members = self->session->members;
  gint64 deadline = sw_clock_monotonic_ns () + SW_GROUP_PATIENCE_NS;

  /* All of them first, so that they end as nearly together as can be. */
  for (guint i = 0; i < members->len; i++)
    sw_group_member_shut (g_ptr_array_index (members, i));
  for (guint i = 0; i < members->len; i++)
    {
      SwGroupMember *member = g_ptr_array_index (members, i);
      SwRecording *recording = sw_group_member_close (member, deadline);

      if (recording == NULL)
        self->n_lost++;
      else
        g_ptr_array_add (self->threads,
                         sw_profiler_thread_new (sw_profiler_new_completed (self->session->options, recording), recording));
    }
  /* Threads keep theirs until their next operation or their end: next to nothing. */
  g_ptr_array_set_size (members, 0);
}

static void
sw_profiler_group_finalize (GObject *object)
{
  SwProfilerGroup *self = SW_PROFILER_GROUP (object);

  if (sw_group_session_end (self->session))
    close_members (self);
  g_clear_pointer (&self->session, sw_group_session_unref);
  g_clear_pointer (&self->threads, g_ptr_array_unref);

  G_OBJECT_CLASS (sw_profiler_group_parent_class)->finalize (object);
}

static void
sw_profiler_group_class_init (SwProfilerGroupClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sw_profiler_group_finalize;
}

static void
sw_profiler_group_init (SwProfilerGroup *self)
{
  self->threads = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_profiler_thread_unref);
}

/**
 * sw_profiler_group_new:
 * @options: (nullable): a profiler in any state, whose options each thread's profiler gets; %NULL for the default ones
 *
 * Makes a group of profilers. @options itself records nothing by this.
 *
 * Returns: (transfer full): the group
 */
SwProfilerGroup *
sw_profiler_group_new (SwProfiler *options)
{
  SwProfilerGroup *self;

  g_return_val_if_fail (options == NULL || SW_IS_PROFILER (options), NULL);

  self = g_object_new (SW_TYPE_PROFILER_GROUP, NULL);
  self->session = sw_group_session_new (SW_RECORDER_GROUP, options);
  return self;
}

SwProfilerGroup *
sw_profiler_group_new_for_process (gsize max_events)
{
  SwProfilerGroup *self = g_object_new (SW_TYPE_PROFILER_GROUP, NULL);

  self->session = sw_group_session_new (SW_RECORDER_PROCESS, NULL);
  self->session->max_events = max_events;
  return self;
}

static guint64
get_owner (SwProfilerGroup *self)
{
  /* Relaxed: only the owner itself finds its number, and it wrote it. */
  return __atomic_load_n (&self->owner, __ATOMIC_RELAXED);
}

/* TRUE for the first caller. */
static gboolean
set_owner (SwProfilerGroup *self)
{
  guint64 nobody = 0;

  /* Relaxed: see get_owner (). */
  return __atomic_compare_exchange_n (&self->owner, &nobody, sw_thread_get_number (), FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/**
 * sw_profiler_group_enter:
 * @self: a group
 * @error: return location for an error
 *
 * Begins to record all threads.
 *
 * Fails with %SW_ERROR_STATE when the group was entered before, even if that failed, or when another group is active.
 *
 * Returns: whether the group is active
 */
gboolean
sw_profiler_group_enter (SwProfilerGroup *self,
                         GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), FALSE);

  if (!set_owner (self))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                           "a ProfilerGroup is single-use: this one was entered before; make a new one");
      return FALSE;
    }
  if (!sw_group_session_start (self->session))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                           "a ProfilerGroup is already active in this process; leave it before entering another");
      return FALSE;
    }
  return TRUE;
}

gboolean
sw_profiler_group_start (SwProfilerGroup *self)
{
  return sw_group_session_start (self->session);
}

gboolean
sw_profiler_group_finish (SwProfilerGroup *self)
{
  if (!sw_group_session_end (self->session))
    return FALSE;
  close_members (self);
  /* Release: whoever sees it sees the threads. */
  __atomic_store_n (&self->is_completed, TRUE, __ATOMIC_RELEASE);
  return TRUE;
}

/**
 * sw_profiler_group_exit:
 * @self: a group
 * @error: return location for an error
 *
 * Stops recording on all threads, and publishes the results.
 *
 * No thread is waited for, except one that is writing an event at that moment, which takes well below a microsecond and
 * runs nobody's code. Should the system not let it finish for two seconds, its events are lost, and
 * [method@Strideweave.ProfilerGroup.get_n_lost_threads] counts it.
 *
 * Fails with %SW_ERROR_STATE when the group is not active, on another thread than the one that entered it, and in a
 * forked child; the group then stays as it was.
 *
 * Returns: whether there are results
 */
gboolean
sw_profiler_group_exit (SwProfilerGroup *self,
                        GError **error)
{
  SwGroupState state;

  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), FALSE);

  state = sw_group_session_get_state (self->session);
  if (state == SW_GROUP_ACTIVE && get_owner (self) == sw_thread_get_number () && sw_profiler_group_finish (self))
    return TRUE;

  g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                       state == SW_GROUP_ACTIVE ? "a ProfilerGroup must be exited on the thread that entered it"
                       : state == SW_GROUP_LEFT_BEHIND
                           ? "the ProfilerGroup was entered before this process was forked, and goes on in the parent only"
                           : "the ProfilerGroup is not active, so it cannot be exited");
  return FALSE;
}

/**
 * sw_profiler_group_is_active:
 * @self: a group
 *
 * Tells whether the group records.
 *
 * Returns: %TRUE between enter and exit
 */
gboolean
sw_profiler_group_is_active (SwProfilerGroup *self)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), FALSE);

  return sw_group_session_get_state (self->session) == SW_GROUP_ACTIVE;
}

/**
 * sw_profiler_group_is_completed:
 * @self: a group
 *
 * Tells whether there are results.
 *
 * Returns: %TRUE after a successful exit
 */
gboolean
sw_profiler_group_is_completed (SwProfilerGroup *self)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), FALSE);

  /* Acquire: see exit (). */
  return __atomic_load_n (&self->is_completed, __ATOMIC_ACQUIRE);
}

static gboolean
check_completed (SwProfilerGroup *self,
                 GError **error)
{
  if (sw_profiler_group_is_completed (self))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "a ProfilerGroup has results only after context exit, and this one %s",
               sw_profiler_group_is_active (self) ? "is still active" : "is not active");
  return FALSE;
}

/**
 * sw_profiler_group_get_n_lost_threads:
 * @self: a group
 *
 * Counts the threads whose events were lost, because the system stopped them amid writing one.
 *
 * Returns: the number, 0 before exit
 */
guint
sw_profiler_group_get_n_lost_threads (SwProfilerGroup *self)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), 0);

  return sw_profiler_group_is_completed (self) ? self->n_lost : 0;
}

static gpointer
copy_thread (gconstpointer thread,
             gpointer unused)
{
  return sw_profiler_thread_ref ((SwProfilerThread *) thread);
}

/**
 * sw_profiler_group_dup_threads:
 * @self: a group
 * @error: return location for an error
 *
 * Lists the threads that executed an operation, each with its completed profiler.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, as all results do. May be called on any thread.
 *
 * Returns: (transfer container) (element-type SwProfilerThread): the threads, in the order of their first operation
 */
GPtrArray *
sw_profiler_group_dup_threads (SwProfilerGroup *self,
                               GError **error)
{
  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  return check_completed (self, error) ? g_ptr_array_copy (self->threads, copy_thread, NULL) : NULL;
}

/**
 * sw_profiler_group_dup_events:
 * @self: a group
 * @error: return location for an error
 *
 * Makes the events of all threads, thread after thread, each thread's in the order in which they began.
 *
 * `id` and `parent_id` count within a thread, which `thread_id` tells. Two threads have the same one only if one
 * had ended before the other began; [method@Strideweave.ProfilerGroup.dup_threads] keeps even those apart.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer container) (element-type SwProfilerEvent): the events
 */
GPtrArray *
sw_profiler_group_dup_events (SwProfilerGroup *self,
                              GError **error)
{
  g_autoptr (GPtrArray) events = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  if (!check_completed (self, error))
    return NULL;

  events = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_profiler_event_unref);
  for (guint i = 0; i < self->threads->len; i++)
    {
      GPtrArray *more = sw_profiler_dup_events (sw_profiler_thread_get_profiler (g_ptr_array_index (self->threads, i)), error);

      if (more == NULL)
        return NULL;
      g_ptr_array_extend_and_steal (events, more);
    }
  return g_steal_pointer (&events);
}

static SwProfiler **
get_profilers (SwProfilerGroup *self)
{
  SwProfiler **profilers = g_new (SwProfiler *, self->threads->len + 1);

  for (guint i = 0; i < self->threads->len; i++)
    profilers[i] = sw_profiler_thread_get_profiler (g_ptr_array_index (self->threads, i));
  return profilers;
}

/**
 * sw_profiler_group_dup_key_averages:
 * @self: a group
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @error: return location for an error
 *
 * Sums up the events of all threads by dispatch name and exact carrier class.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer container) (element-type SwProfilerAggregate): the rows, ordered by name, carrier and shapes
 */
GPtrArray *
sw_profiler_group_dup_key_averages (SwProfilerGroup *self,
                                    gboolean group_by_input_shape,
                                    GError **error)
{
  g_autofree SwProfiler **profilers = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  if (!check_completed (self, error))
    return NULL;
  profilers = get_profilers (self);
  return sw_profiler_dup_merged_key_averages (profilers, self->threads->len, group_by_input_shape, error);
}

/**
 * sw_profiler_group_dup_key_statistics:
 * @self: a group
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @error: return location for an error
 *
 * Sums up the events of all threads in rows that also know percentiles, a deviation and shares, as
 * [method@Strideweave.Profiler.dup_key_statistics] does.
 *
 * Fails with %SW_ERROR_STATE before a successful exit.
 *
 * Returns: (transfer container) (element-type SwProfilerAggregate): the rows, ordered by name, carrier and shapes
 */
GPtrArray *
sw_profiler_group_dup_key_statistics (SwProfilerGroup *self,
                                      gboolean group_by_input_shape,
                                      GError **error)
{
  g_autofree SwProfiler **profilers = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  if (!check_completed (self, error))
    return NULL;
  profilers = get_profilers (self);
  return sw_profiler_dup_merged_key_statistics (profilers, self->threads->len, group_by_input_shape, error);
}

/**
 * sw_profiler_group_tabulate_aggregates:
 * @self: a group
 * @order: how the values shall lie in memory
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @with_statistics: whether to have columns of percentiles, the deviation and shares
 * @error: return location for an error
 *
 * Copies the aggregates of all threads together to columns, as [method@Strideweave.Profiler.tabulate_aggregates] does.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another order.
 *
 * Returns: (transfer full): the columns
 */
SwProfilerColumns *
sw_profiler_group_tabulate_aggregates (SwProfilerGroup *self,
                                       SwColumnOrder order,
                                       gboolean group_by_input_shape,
                                       gboolean with_statistics,
                                       GError **error)
{
  g_autofree SwProfiler **profilers = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  if (!check_completed (self, error))
    return NULL;
  profilers = get_profilers (self);
  return sw_profiler_tabulate_merged_aggregates (profilers, self->threads->len, order, group_by_input_shape,
                                                 with_statistics, error);
}

/**
 * sw_profiler_group_dup_table_with_columns:
 * @self: a group
 * @columns: (array zero-terminated=1) (nullable): statistics to show beside the usual fields, as for
 *   [method@Strideweave.Profiler.dup_table_with_columns]
 * @sort_by: (nullable): the field to order by, which may be one of @columns; %NULL for self_total_time_ns
 * @descending: whether the largest come first
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @row_limit: how many rows at most, or -1 for all
 * @error: return location for an error
 *
 * Writes the aggregates of all threads together as one table, with the given columns behind the usual ones.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another column, one that is named
 * twice, and for another field or limit.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_group_dup_table_with_columns (SwProfilerGroup *self,
                                          const char *const *columns,
                                          const char *sort_by,
                                          gboolean descending,
                                          gboolean group_by_input_shape,
                                          gint64 row_limit,
                                          GError **error)
{
  g_autofree SwProfiler **profilers = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  if (!check_completed (self, error))
    return NULL;
  profilers = get_profilers (self);
  return sw_profiler_dup_merged_table_with_columns (profilers, self->threads->len, columns, sort_by, descending,
                                                    group_by_input_shape, row_limit, error);
}

/**
 * sw_profiler_group_dup_table:
 * @self: a group
 * @sort_by: (nullable): the field to order by; %NULL for self_total_time_ns
 * @descending: whether the largest come first
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @row_limit: how many rows at most, or -1 for all
 * @error: return location for an error
 *
 * Writes the aggregates of all threads together as one table, as [method@Strideweave.Profiler.dup_table] does.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another field or limit.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_group_dup_table (SwProfilerGroup *self,
                             const char *sort_by,
                             gboolean descending,
                             gboolean group_by_input_shape,
                             gint64 row_limit,
                             GError **error)
{
  return sw_profiler_group_dup_table_with_columns (self, NULL, sort_by, descending, group_by_input_shape, row_limit, error);
}

/**
 * sw_profiler_group_dup_table_by_thread:
 * @self: a group
 * @sort_by: (nullable): the field to order by; %NULL for self_total_time_ns
 * @descending: whether the largest come first
 * @group_by_input_shape: whether events with different input shapes belong to different rows
 * @row_limit: how many rows at most for each thread, or -1 for all
 * @error: return location for an error
 *
 * Writes a table for each thread, in the order of their first operation, under a line with the thread's name and number;
 * a blank line is between two of them.
 *
 * Fails with %SW_ERROR_STATE before a successful exit, and with %SW_ERROR_VALUE for another field or limit.
 *
 * Returns: (transfer full): the text
 */
char *
sw_profiler_group_dup_table_by_thread (SwProfilerGroup *self,
                                       const char *sort_by,
                                       gboolean descending,
                                       gboolean group_by_input_shape,
                                       gint64 row_limit,
                                       GError **error)
{
  g_autoptr (GString) text = NULL;
  g_autofree char *empty = NULL;

  g_return_val_if_fail (SW_IS_PROFILER_GROUP (self), NULL);

  /* Also tells of wrong arguments when there is no thread. */
  empty = sw_profiler_group_dup_table (self, sort_by, descending, group_by_input_shape, 0, error);
  if (empty == NULL)
    return NULL;

  text = g_string_new (NULL);
  for (guint i = 0; i < self->threads->len; i++)
    {
      SwProfilerThread *thread = g_ptr_array_index (self->threads, i);
      g_autofree char *table = sw_profiler_dup_table (sw_profiler_thread_get_profiler (thread), sort_by, descending,
                                                      group_by_input_shape, row_limit, error);

      if (table == NULL)
        return NULL;
      g_string_append (text, i > 0 ? "\n\nThread " : "Thread ");
      sw_text_append_display (text, sw_profiler_thread_get_name (thread));
      g_string_append_printf (text, " (%" G_GINT64_FORMAT ")\n%s", sw_profiler_thread_get_os_thread_id (thread), table);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
