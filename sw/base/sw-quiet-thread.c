/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-quiet-thread-private.h"

#include <signal.h>

gboolean
sw_quiet_thread_start (pthread_t *thread,
                       gsize stack_size,
                       void *(*run) (void *data),
                       void *data)
{
  pthread_attr_t attributes;
  pthread_t detached;
  sigset_t all;
  sigset_t before;
  gboolean has_started;

  pthread_attr_init (&attributes);
  if (stack_size != 0)
    pthread_attr_setstacksize (&attributes, stack_size);
  if (thread == NULL)
    pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  /* The thread has the mask of the one that makes it, from its first instruction on. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  has_started = pthread_create (thread != NULL ? thread : &detached, &attributes, run, data) == 0;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&attributes);
  return has_started;
}
