/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <pthread.h>

G_BEGIN_DECLS

/* Lets one thread at a time do something that calls foreign code, with no lock held meanwhile: a thread that comes back
 * while it has the turn is told so, instead of waiting for itself. Those who wait get it in the order in which they came, so
 * that a thread which wants it again and again keeps nobody out.
 *
 * In the child of a fork it is nobody's, unless the thread that forked has it. Where another one had it, what that was just
 * doing is never finished: the turn is abandoned for good, and whoever gets it finds things in the state they were in. */
typedef struct
{
  pthread_mutex_t lock; /* of what follows, for moments only */
  pthread_cond_t changed;
  guint64 owner; /* the number of a thread; 0: nobody's */
  guint64 n_came;
  guint64 n_left;
  guint fork_count; /* atomic: whose threads those are */
  gboolean is_abandoned;
} SwTurn;

void sw_turn_init (SwTurn *self);
void sw_turn_clear (SwTurn *self);
/* Waits. FALSE: the calling thread has it already, and need not leave. */
gboolean sw_turn_enter (SwTurn *self);
void sw_turn_leave (SwTurn *self);

/* Of whoever has it. */
static inline gboolean
sw_turn_is_abandoned (const SwTurn *self)
{
  return self->is_abandoned;
}

G_END_DECLS
