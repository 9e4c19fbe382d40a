/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-slab-private.h"

#include <stdlib.h>
#include <sys/mman.h>

#define SLAB_SIZE (2 * 1024 * 1024)
/* Fewer are better off in Python's own memory. */
#define MIN_FILLED (SLAB_SIZE / 4)
/* What objects are aligned to. */
#define ALIGNMENT 16

SwPythonSlab *
sw_python_slab_new (gsize size,
                    gsize n)
{
  SwPythonSlab *self;
  gpointer memory;

  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (n < MIN_FILLED / size || posix_memalign (&memory, SLAB_SIZE, SLAB_SIZE) != 0)
    return NULL;
  /* Only a wish. */
  madvise (memory, SLAB_SIZE, MADV_HUGEPAGE);

  self = memory;
  self->n_given = 0;
  self->n_live = 0;
  self->size = size;
  self->n_places = (SLAB_SIZE - sizeof (SwPythonSlab)) / size;
  return self;
}

gpointer
sw_python_slab_take (SwPythonSlab *self)
{
  gpointer memory = (char *) (self + 1) + self->n_given * self->size;

  self->n_given++;
  self->n_live++;
  return memset (memory, 0, self->size);
}

void
sw_python_slab_give_back (SwPythonSlab *self)
{
  self->n_live--;
  /* Also when there was still room: whoever fills it makes all of its objects before any goes away. */
  if (self->n_live == 0)
    free (self);
}
