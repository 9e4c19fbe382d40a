/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-group-member-private.h"

#include <sched.h>

SwGroupMember *
sw_group_member_new (SwRecording *recording)
{
  SwGroupMember *self = g_new0 (SwGroupMember, 1);

  sw_ref_count_init (&self->ref_count);
  self->recording = recording;
  self->open = g_array_new (FALSE, FALSE, sizeof (SwBoundarySlot));
  sw_recording_begin (recording);
  return self;
}

SwGroupMember *
sw_group_member_ref (SwGroupMember *self)
{
  sw_ref_count_inc (&self->ref_count);
  return self;
}

void
sw_group_member_unref (SwGroupMember *self)
{
  if (!sw_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->recording, sw_recording_unref);
  g_array_unref (self->open);
  g_free (self);
}

gboolean
sw_group_member_begin_write (SwGroupMember *self)
{
  /* Sequentially consistent, both: this store comes before this load, as the closer sees it. See the header. */
  __atomic_store_n (&self->busy, 1, __ATOMIC_SEQ_CST);
  if (G_LIKELY (__atomic_load_n (&self->closed, __ATOMIC_SEQ_CST) == 0))
    return TRUE;

  sw_group_member_end_write (self);
  return FALSE;
}

void
sw_group_member_end_write (SwGroupMember *self)
{
  /* Release: the closer that sees it sees all that was written. */
  __atomic_store_n (&self->busy, 0, __ATOMIC_RELEASE);
}

gboolean
sw_group_member_enter (SwGroupMember *self,
                       SwBoundarySlot *slot,
                       const SwBoundarySlot *enclosing,
                       const SwBoundaryInfo *info)
{
  if (!sw_group_member_begin_write (self))
    return FALSE;

  sw_recording_observer.enter (self->recording, slot, enclosing, info);
  g_array_append_vals (self->open, slot, 1);
  sw_group_member_end_write (self);
  return TRUE;
}

/* The innermost open slot, or NULL. */
static SwBoundarySlot *
get_innermost (SwGroupMember *self)
{
  return self->open->len > 0 ? &g_array_index (self->open, SwBoundarySlot, self->open->len - 1) : NULL;
}

void
sw_group_member_leave (SwGroupMember *self,
                       SwBoundarySlot *slot,
                       SwBoundarySlot *enclosing,
                       gboolean succeeded)
{
  SwBoundarySlot *innermost;

  if (!sw_group_member_begin_write (self))
    return;

  innermost = get_innermost (self);
  /* Else the boundary began before this session. */
  if (innermost != NULL && innermost->session == slot->session)
    {
      sw_recording_observer.leave (self->recording, slot, enclosing, succeeded);
      g_array_set_size (self->open, self->open->len - 1);
      innermost = get_innermost (self);
      if (innermost != NULL && enclosing != NULL)
        innermost->hidden_ticks = enclosing->hidden_ticks;
    }
  sw_group_member_end_write (self);
}

/* Boundaries that are still open end here, as attempts that did not succeed. */
static void
end_open_boundaries (SwGroupMember *self)
{
  while (self->open->len > 0)
    {
      SwBoundarySlot *slot = get_innermost (self);

      sw_recording_observer.leave (self->recording, slot, self->open->len > 1 ? slot - 1 : NULL, FALSE);
      g_array_set_size (self->open, self->open->len - 1);
    }
}

void
sw_group_member_end_thread (SwGroupMember *self)
{
  if (!sw_group_member_begin_write (self))
    return;

  end_open_boundaries (self);
  sw_group_member_end_write (self);
}

void
sw_group_member_shut (SwGroupMember *self)
{
  /* Sequentially consistent: this store comes before the load in is_busy (), as the thread sees it. See the header. */
  __atomic_store_n (&self->closed, 1, __ATOMIC_SEQ_CST);
}

static gboolean
is_busy (SwGroupMember *self)
{
  /* Sequentially consistent, see sw_group_member_shut (); it also acquires what end_write () released. */
  return __atomic_load_n (&self->busy, __ATOMIC_SEQ_CST) != 0;
}

SwRecording *
sw_group_member_close (SwGroupMember *self,
                       gint64 deadline)
{
  sw_group_member_shut (self);
  while (is_busy (self))
    {
      if (sw_clock_monotonic_ns () >= deadline)
        return NULL;
      sched_yield ();
    }

  end_open_boundaries (self);
  sw_recording_finish (self->recording);
  return g_steal_pointer (&self->recording);
}
