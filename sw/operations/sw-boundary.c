/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-boundary-private.h"

static const SwBoundaryObserver *observers[SW_N_RECORDERS];

void
sw_boundary_set_observer (SwRecorderKind kind,
                          const SwBoundaryObserver *observer)
{
  /* Relaxed: always the same constant. Who meets a recorder of its own has set it; who may join one may still find NULL. */
  __atomic_store_n (&observers[kind], observer, __ATOMIC_RELAXED);
}

static inline const SwBoundaryObserver *
get_observer (guint kind)
{
  /* Relaxed: see sw_boundary_set_observer (). */
  return __atomic_load_n (&observers[kind], __ATOMIC_RELAXED);
}

/* The recorder of a thread, for a kind that is active on some thread. */
static inline gpointer
get_recorder (SwThread *thread,
              guint kind,
              const SwBoundaryObserver *observer)
{
  gpointer recorder = thread->recorders[kind];

  if (recorder != NULL || observer == NULL || observer->join == NULL)
    return recorder;
  return observer->join ();
}

gboolean
sw_boundary_enter (SwBoundary *self,
                   const SwBoundaryInfo *info)
{
  SwThread *thread = &sw_thread;

  self->thread = thread;
  self->enclosing = thread->boundary;
  self->observers = 0;

  /* Relaxed: see sw_gate_is_open (). One kind is active, nearly always, and others cost nothing. */
  for (guint kinds = __atomic_load_n (&sw_gate, __ATOMIC_RELAXED) & SW_GATE_RECORDERS; kinds != 0; kinds &= kinds - 1)
    {
      guint kind = __builtin_ctz (kinds);
      const SwBoundaryObserver *observer = get_observer (kind);
      gpointer recorder = get_recorder (thread, kind, observer);

      if (recorder != NULL &&
          observer->enter (recorder, &self->slots[kind], sw_boundary_get_enclosing_slot (self, kind), info))
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

  for (guint kinds = self->observers; kinds != 0; kinds &= kinds - 1)
    {
      guint kind = __builtin_ctz (kinds);
      gpointer recorder = thread->recorders[kind];

      /* The recorder may have been stopped, or replaced, in between; the slot's session tells. */
      if (recorder != NULL)
        get_observer (kind)->leave (recorder, &self->slots[kind], sw_boundary_get_enclosing_slot (self, kind), succeeded);
    }

  thread->boundary = self->enclosing;
}
