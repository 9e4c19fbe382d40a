/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-ring-private.h"

#include <sys/mman.h>

static gsize
get_size (guint64 capacity)
{
  return (gsize) capacity * sizeof (SwZoneEvent);
}

gboolean
sw_zone_ring_init (SwZoneRing *self,
                   guint64 capacity)
{
  void *memory = mmap (NULL, get_size (capacity), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED)
    return FALSE;
  self->events = memory;
  self->capacity = capacity;
  self->mask = capacity - 1;
  return TRUE;
}

void
sw_zone_ring_clear (SwZoneRing *self)
{
  if (self->events != NULL)
    munmap (self->events, get_size (self->capacity));
  self->events = NULL;
}
