/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-python-private.h"

G_BEGIN_DECLS

/* Memory for many Python objects of one size that are made at once. It is one huge page where the system has such, as
 * fresh memory costs more than anything else about a hundred thousand objects. All functions need the GIL. */
typedef struct
{
  gsize n_given; /* so far, and so the place of the next */
  gsize n_live;
  gsize n_places;
  gsize size;
} SwPythonSlab;

/* For up to @n objects of @size bytes; NULL when there are too few to be worth it, or no memory. It has to be used: it
 * goes away with the last object in it. */
SwPythonSlab *sw_python_slab_new (gsize size,
                                  gsize n) G_GNUC_WARN_UNUSED_RESULT;

static inline gboolean
sw_python_slab_has_room (SwPythonSlab *self)
{
  return self->n_given < self->n_places;
}

/* Memory for one more object, all zeros. */
gpointer sw_python_slab_take (SwPythonSlab *self);
void sw_python_slab_give_back (SwPythonSlab *self);

G_END_DECLS
