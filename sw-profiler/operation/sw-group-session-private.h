/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-group-member-private.h"
#include "sw-profiler/operation/sw-profiler.h"

G_BEGIN_DECLS

/* How long the end of a session waits at most for threads that are just writing an event. */
#define SW_GROUP_PATIENCE_NS (G_GINT64_CONSTANT (2) * 1000 * 1000 * 1000)

/* What records every thread of the process that comes to a boundary, from its start to its end. One of each kind at a time: of
 * those that programs make, and of that which the environment asks for. */
typedef struct
{
  SwRefCount ref_count;
  SwRecorderKind kind; /* GROUP or PROCESS */
  gsize max_events;    /* of a thread; the others are dropped and counted */
  SwProfiler *options;
  GPtrArray *members; /* of SwGroupMember, in the order in which they joined; under the lock until the end */
  gint state;         /* of SwGroupState */
} SwGroupSession;

typedef enum {
  SW_GROUP_FRESH,
  SW_GROUP_ACTIVE,
  SW_GROUP_ENDED,
  SW_GROUP_LEFT_BEHIND, /* in a child that was forked meanwhile */
} SwGroupState;

SwGroupSession *sw_group_session_new (SwRecorderKind kind,
                                      SwProfiler *options) G_GNUC_WARN_UNUSED_RESULT;
void sw_group_session_unref (SwGroupSession *self);

/* FALSE: another one is active. */
gboolean sw_group_session_start (SwGroupSession *self);
/* No thread joins any more. FALSE: it was not active. */
gboolean sw_group_session_end (SwGroupSession *self);
SwGroupState sw_group_session_get_state (SwGroupSession *self);

/* From now on, the first thread that comes to a boundary calls @start, which may start a session of the kind PROCESS. It
 * is called for each boundary until sw_group_session_stop_waiting (). */
void sw_group_session_wait_for_process (void (*start) (void));
void sw_group_session_stop_waiting (void);
/* What is registered for forks after this runs after the sessions' own part in the child. */
void sw_group_session_watch_fork (void);

G_END_DECLS
