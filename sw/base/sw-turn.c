/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-turn-private.h"

#include "sw/base/sw-thread-private.h"

static void
make_free (SwTurn *self)
{
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  self->owner = 0;
  self->n_came = 0;
  self->n_left = 0;
}

static pthread_mutex_t inheritance_lock = PTHREAD_MUTEX_INITIALIZER;

static void
lock_inheritance (void)
{
  pthread_mutex_lock (&inheritance_lock);
}

static void
unlock_inheritance (void)
{
  pthread_mutex_unlock (&inheritance_lock);
}

static void
watch_forks (void)
{
  sw_gate_watch_fork ();
  pthread_atfork (lock_inheritance, unlock_inheritance, unlock_inheritance);
}

static void
leave_parent_behind (SwTurn *self,
                     guint64 number)
{
  guint64 owner = self->owner;

  make_free (self);
  if (owner == number)
    {
      /* It forked meanwhile, and goes on. */
      self->owner = number;
      self->n_came = 1;
    }
  else if (owner != 0)
    self->is_abandoned = TRUE;
  /* Release: whoever finds it done finds all of it. */
  __atomic_store_n (&self->fork_count, sw_fork_get_count (), __ATOMIC_RELEASE);
}

/* Nobody holds the lock of what another process left, so there is another one for the first threads that come by. */
static void
check_inheritance (SwTurn *self,
                   guint64 number)
{
  /* Acquire: see leave_parent_behind (). */
  if (G_LIKELY (__atomic_load_n (&self->fork_count, __ATOMIC_ACQUIRE) == sw_fork_get_count ()))
    return;
  lock_inheritance ();
  if (self->fork_count != sw_fork_get_count ())
    leave_parent_behind (self, number);
  unlock_inheritance ();
}

void
sw_turn_init (SwTurn *self)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, watch_forks);
  make_free (self);
  self->is_abandoned = FALSE;
  self->fork_count = sw_fork_get_count ();
}

void
sw_turn_clear (SwTurn *self)
{
  /* In a forked child, those of the parent that wait would be waited for. */
  check_inheritance (self, sw_thread_get_number ());
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
}

gboolean
sw_turn_enter (SwTurn *self)
{
  guint64 number = sw_thread_get_number ();
  gboolean is_new;

  check_inheritance (self, number);
  pthread_mutex_lock (&self->lock);
  is_new = self->owner != number;
  if (is_new)
    {
      guint64 place = self->n_came++;

      while (place != self->n_left)
        pthread_cond_wait (&self->changed, &self->lock);
      self->owner = number;
    }
  pthread_mutex_unlock (&self->lock);
  return is_new;
}

void
sw_turn_leave (SwTurn *self)
{
  check_inheritance (self, sw_thread_get_number ());
  pthread_mutex_lock (&self->lock);
  self->owner = 0;
  self->n_left++;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}
