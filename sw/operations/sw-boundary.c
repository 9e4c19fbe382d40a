/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-boundary-private.h"

static const SwBoundaryObserver *observers[SW_N_RECORDERS];

void
sw_boundary_set_observer (SwRecorderKind kind,
                          const SwBoundaryObserver *observer)
{
  /* Relaxed: always the same constant, and a thread sets it before it can meet it. */
  __atomic_store_n (&observers[kind], observer, __ATOMIC_RELAXED);
}

static inline const SwBoundaryObserver *
get_observer (guint kind)
{
  /* Relaxed: see sw_boundary_set_observer (). */
  return __atomic_load_n (&observers[kind], __ATOMIC_RELAXED);
}

gboolean
sw_boundary_enter (SwBoundary *self,
                   const SwBoundaryInfo *info)
{
  SwThread *thread = &sw_thread;
  SwBoundary *enclosing = thread->boundary;

  self->thread = thread;
  self->enclosing = enclosing;
  self->observers = 0;

  for (guint kind = 0; kind < SW_N_RECORDERS; kind++)
    {
      gpointer recorder = thread->recorders[kind];

      self->slots[kind].session = 0;
      if (recorder != NULL &&
          get_observer (kind)->enter (recorder, &self->slots[kind], enclosing != NULL ? &enclosing->slots[kind] : NULL, info))
        self->observers |= 1u << kind;
    }

  if (self->observers == 0)
    return FALSE;

  thread->boundary = self;
  return TRUE;
}

void
sw_boundary_leave (SwBoundary *self,
                   gboolean succeeded)
{
  SwThread *thread = self->thread;
  SwBoundary *enclosing = self->enclosing;

  for (guint kind = 0; kind < SW_N_RECORDERS; kind++)
    {
      gpointer recorder = thread->recorders[kind];

      /* The recorder may have been stopped, or replaced, in between; the slot's session tells. */
      if (recorder != NULL && (self->observers & (1u << kind)) != 0)
        get_observer (kind)->leave (recorder, &self->slots[kind], enclosing != NULL ? &enclosing->slots[kind] : NULL, succeeded);
    }

  thread->boundary = enclosing;
}
