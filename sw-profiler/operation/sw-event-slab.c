/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-slab-private.h"

#include <stdlib.h>
#include <sys/mman.h>

#define SLAB_SIZE (2 * 1024 * 1024)
/* Fewer are better off each on its own: one event that somebody keeps keeps its slab. */
#define MIN_EVENTS 4096
#define MAX_EVENTS ((SLAB_SIZE - sizeof (SwEventSlab)) / sizeof (SwProfilerEvent))

struct _SwEventSlab
{
  gint64 n_live; /* events that somebody has; while it is being filled, less those taken so far */
  gsize n_taken;
  SwProfilerEvent events[];
};

SwEventSlab *
sw_event_slab_new (gsize n_events)
{
  SwEventSlab *self;
  gpointer memory;

  if (n_events < MIN_EVENTS || posix_memalign (&memory, SLAB_SIZE, SLAB_SIZE) != 0)
    return NULL;
  /* Only a wish. */
  madvise (memory, SLAB_SIZE, MADV_HUGEPAGE);
  self = memory;
  self->n_live = 0;
  self->n_taken = 0;
  return self;
}

SwProfilerEvent *
sw_event_slab_take (SwEventSlab *self)
{
  return self->n_taken < MAX_EVENTS ? &self->events[self->n_taken++] : NULL;
}

static void
add_live (SwEventSlab *self,
          gint64 n)
{
  /* Whatever threads did with their events comes before the memory of all is freed. */
  if (__atomic_add_fetch (&self->n_live, n, __ATOMIC_ACQ_REL) == 0)
    free (self);
}

void
sw_event_slab_finish (SwEventSlab *self)
{
  if (self->n_taken == 0)
    free (self);
  else
    add_live (self, self->n_taken);
}

void
sw_event_slab_give_back (SwEventSlab *self)
{
  add_live (self, -1);
}
