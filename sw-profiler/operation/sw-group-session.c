/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-group-session-private.h"

#include <pthread.h>

#include "sw-profiler/operation/sw-profiler-private.h"

/* The sessions that threads join, by kind; who made one keeps it until its end. */
static SwGroupSession *current[SW_N_RECORDERS];
static void (*start_process) (void); /* atomic; NULL: nobody waits */
/* Guards current and the members of it. Not GMutex: ThreadSanitizer cannot see into GLib. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_watch = PTHREAD_ONCE_INIT;

SwGroupSession *
sw_group_session_new (SwRecorderKind kind,
                      SwProfiler *options)
{
  SwGroupSession *self = g_new0 (SwGroupSession, 1);

  sw_ref_count_init (&self->ref_count);
  self->kind = kind;
  self->max_events = G_MAXSIZE;
  self->options = sw_profiler_new_like (options);
  self->members = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_group_member_unref);
  return self;
}

void
sw_group_session_unref (SwGroupSession *self)
{
  if (!sw_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (self->members);
  g_object_unref (self->options);
  g_free (self);
}

static void
set_state (SwGroupSession *self,
           SwGroupState state)
{
  /* Release: whoever sees the end sees the members. */
  __atomic_store_n (&self->state, state, __ATOMIC_RELEASE);
}

SwGroupState
sw_group_session_get_state (SwGroupSession *self)
{
  /* Acquire: see set_state (). */
  return __atomic_load_n (&self->state, __ATOMIC_ACQUIRE);
}

static SwGroupSession *
ref_current (SwRecorderKind kind)
{
  SwGroupSession *self;

  pthread_mutex_lock (&lock);
  self = current[kind];
  if (self != NULL)
    sw_ref_count_inc (&self->ref_count);
  pthread_mutex_unlock (&lock);
  return self;
}

static gboolean
add_member (SwGroupSession *self,
            SwGroupMember *member)
{
  gboolean is_current;

  pthread_mutex_lock (&lock);
  is_current = self == current[self->kind];
  if (is_current)
    g_ptr_array_add (self->members, sw_group_member_ref (member));
  pthread_mutex_unlock (&lock);
  return is_current;
}

/* The thread ends. */
static void
leave_thread (gpointer recorder)
{
  sw_group_member_end_thread (recorder);
  sw_group_member_unref (recorder);
}

static void
start_waiting (void)
{
  /* Acquire: what was set up before it. */
  void (*start) (void) = __atomic_load_n (&start_process, __ATOMIC_ACQUIRE);

  if (start != NULL)
    start ();
}

static gpointer
join (SwRecorderKind kind)
{
  SwGroupSession *session;
  SwGroupMember *member;
  gboolean has_joined;

  if (kind == SW_RECORDER_PROCESS)
    start_waiting ();
  session = ref_current (kind);
  if (session == NULL)
    return NULL;

  member = sw_group_member_new (sw_profiler_create_recording (session->options));
  sw_recording_limit (member->recording, session->max_events);
  has_joined = add_member (session, member);
  sw_group_session_unref (session);
  if (!has_joined)
    {
      sw_group_member_unref (member);
      return NULL;
    }

  sw_thread.recorders[kind] = member;
  sw_thread_watch_exit (kind, leave_thread);
  return member;
}

static inline gboolean
enter (SwRecorderKind kind,
       gpointer recorder,
       SwBoundarySlot *slot,
       const SwBoundarySlot *enclosing,
       const SwBoundaryInfo *info)
{
  if (G_LIKELY (sw_group_member_enter (recorder, slot, enclosing, info)))
    return TRUE;

  /* The member is of a session that has ended since. */
  sw_thread.recorders[kind] = NULL;
  sw_group_member_unref (recorder);
  recorder = join (kind);
  return recorder != NULL && sw_group_member_enter (recorder, slot, enclosing, info);
}

static void
leave (gpointer recorder,
       SwBoundarySlot *slot,
       SwBoundarySlot *enclosing,
       gboolean succeeded)
{
  sw_group_member_leave (recorder, slot, enclosing, succeeded);
}

static gpointer
join_group (void)
{
  return join (SW_RECORDER_GROUP);
}

static gboolean
enter_group (gpointer recorder,
             SwBoundarySlot *slot,
             const SwBoundarySlot *enclosing,
             const SwBoundaryInfo *info)
{
  return enter (SW_RECORDER_GROUP, recorder, slot, enclosing, info);
}

static gpointer
join_process (void)
{
  return join (SW_RECORDER_PROCESS);
}

static gboolean
enter_process (gpointer recorder,
               SwBoundarySlot *slot,
               const SwBoundarySlot *enclosing,
               const SwBoundaryInfo *info)
{
  return enter (SW_RECORDER_PROCESS, recorder, slot, enclosing, info);
}

static const SwBoundaryObserver group_observer = { join_group, enter_group, leave };
static const SwBoundaryObserver process_observer = { join_process, enter_process, leave };

static void
observe (SwRecorderKind kind)
{
  sw_boundary_set_observer (kind, kind == SW_RECORDER_GROUP ? &group_observer : &process_observer);
}

static void
lock_session (void)
{
  pthread_mutex_lock (&lock);
}

static void
unlock_session (void)
{
  pthread_mutex_unlock (&lock);
}

/* The child has one thread, and a copy of a session whose other threads are in the parent, perhaps amid a write. The
 * session goes on there. */
static void
leave_behind (SwGroupSession *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->members->len; i++)
    sw_group_member_shut (g_ptr_array_index (self->members, i));
  set_state (self, SW_GROUP_LEFT_BEHIND);
  sw_gate_close (self->kind);
}

static void
leave_all_behind (void)
{
  pthread_mutex_unlock (&lock);
  leave_behind (g_steal_pointer (&current[SW_RECORDER_GROUP]));
  leave_behind (g_steal_pointer (&current[SW_RECORDER_PROCESS]));
}

static void
watch_fork (void)
{
  /* First the gate: handlers of the child run in the order in which they were given. */
  sw_gate_watch_fork ();
  pthread_atfork (lock_session, unlock_session, leave_all_behind);
}

void
sw_group_session_watch_fork (void)
{
  pthread_once (&fork_watch, watch_fork);
}

gboolean
sw_group_session_start (SwGroupSession *self)
{
  gboolean is_free;

  sw_group_session_watch_fork ();
  sw_clock_init ();
  observe (self->kind);
  pthread_mutex_lock (&lock);
  is_free = current[self->kind] == NULL;
  if (is_free)
    {
      current[self->kind] = self;
      set_state (self, SW_GROUP_ACTIVE);
    }
  pthread_mutex_unlock (&lock);
  if (is_free)
    sw_gate_open (self->kind);
  return is_free;
}

gboolean
sw_group_session_end (SwGroupSession *self)
{
  gboolean was_current;

  pthread_mutex_lock (&lock);
  was_current = current[self->kind] == self;
  if (was_current)
    {
      current[self->kind] = NULL;
      set_state (self, SW_GROUP_ENDED);
    }
  pthread_mutex_unlock (&lock);
  if (was_current)
    sw_gate_close (self->kind);
  return was_current;
}

static gboolean
set_start (void (*start) (void))
{
  /* Acquire and release: what was set up before a function is there before it is called; two that stop waiting do it once. */
  return __atomic_exchange_n (&start_process, start, __ATOMIC_ACQ_REL) != NULL;
}

void
sw_group_session_wait_for_process (void (*start) (void))
{
  observe (SW_RECORDER_PROCESS);
  if (!set_start (start))
    sw_gate_open (SW_RECORDER_PROCESS);
}

void
sw_group_session_stop_waiting (void)
{
  if (set_start (NULL))
    sw_gate_close (SW_RECORDER_PROCESS);
}
