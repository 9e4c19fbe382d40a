/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-recording-private.h"
#include "sw/base/sw-ref-count-private.h"

G_BEGIN_DECLS

/* One thread's part in a group. The thread writes; who ends the group closes the member, from another thread, while
 * operations may run.
 *
 * Either side says what it is about to do before it looks at what the other one said: the thread sets busy and then
 * reads closed, the closer sets closed and then reads busy. So at least one sees the other: the thread that finds the
 * member closed writes no more, the closer that finds it busy waits until the event is written. A write is short and
 * runs no code of users; no lock is needed, and the thread never waits. */
typedef struct
{
  SwRefCount ref_count;
  gint busy;
  gint closed;

  /* What follows belongs to who is busy, and after that to who has closed. */
  SwRecording *recording;
  GArray *open; /* of SwBoundarySlot: copies of those on the thread's stack, which only the thread may look at */
} SwGroupMember;

/* On the thread; takes @recording. */
SwGroupMember *sw_group_member_new (SwRecording *recording) G_GNUC_WARN_UNUSED_RESULT;
SwGroupMember *sw_group_member_ref (SwGroupMember *self);
void sw_group_member_unref (SwGroupMember *self);

/* On the thread. FALSE: it is closed, and there is nothing to end. */
gboolean sw_group_member_begin_write (SwGroupMember *self);
void sw_group_member_end_write (SwGroupMember *self);

/* On the thread: follows a boundary. enter () is FALSE when the member is closed. */
gboolean sw_group_member_enter (SwGroupMember *self,
                                SwBoundarySlot *slot,
                                const SwBoundarySlot *enclosing,
                                const SwBoundaryInfo *info);
void sw_group_member_leave (SwGroupMember *self,
                            SwBoundarySlot *slot,
                            SwBoundarySlot *enclosing,
                            gboolean succeeded);
/* On the thread, when it ends. */
void sw_group_member_end_thread (SwGroupMember *self);

/* From any thread: the thread writes no more. Does not wait. */
void sw_group_member_shut (SwGroupMember *self);
/* Shuts the member, ends what is open there, and returns the finished recording. Waits for the thread if it is just
 * writing, until @deadline in nanoseconds of the monotonic clock; then returns NULL, and the recording is lost. */
SwRecording *sw_group_member_close (SwGroupMember *self,
                                    gint64 deadline) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
