/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <pthread.h>
#include <semaphore.h>

G_BEGIN_DECLS

/* A thread that does something when it is woken, and once a second otherwise. It takes no signals. */
typedef struct
{
  sem_t wake;
  guint32 is_awake; /* atomic */
  guint32 stopping; /* atomic */
  gboolean is_running;
  pthread_t thread;
  const char *name;
  void (*work) (gpointer data);
  gpointer data;
} SwWorker;

void sw_worker_init (SwWorker *self,
                     const char *name,
                     void (*work) (gpointer data),
                     gpointer data);
/* Not while it runs. */
void sw_worker_clear (SwWorker *self);
/* FALSE: the system has no thread to give. One thread at a time starts or stops it. */
gboolean sw_worker_start (SwWorker *self);
/* Waits until it has finished what it is doing. */
void sw_worker_stop (SwWorker *self);
/* Never blocks, from any thread. */
void sw_worker_wake (SwWorker *self);

/* Whether it has been woken and has not yet begun; a hint. */
static inline gboolean
sw_worker_is_awake (const SwWorker *self)
{
  /* Relaxed: who needs certainty wakes it. */
  return __atomic_load_n (&self->is_awake, __ATOMIC_RELAXED) != 0;
}

G_END_DECLS
