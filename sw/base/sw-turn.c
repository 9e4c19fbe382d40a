/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-turn-private.h"

#include "sw/base/sw-thread-private.h"

void
sw_turn_init (SwTurn *self)
{
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  self->owner = 0;
  self->n_came = 0;
  self->n_left = 0;
}

void
sw_turn_clear (SwTurn *self)
{
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
}

gboolean
sw_turn_enter (SwTurn *self)
{
  guint64 number = sw_thread_get_number ();
  gboolean is_new;

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
  pthread_mutex_lock (&self->lock);
  self->owner = 0;
  self->n_left++;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}
