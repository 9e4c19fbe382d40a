/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A count of references, inline and visible to ThreadSanitizer, which cannot see into GLib's own. */
typedef guint SwRefCount;

static inline void
sw_ref_count_init (SwRefCount *self)
{
  *self = 1;
}

static inline void
sw_ref_count_inc (SwRefCount *self)
{
  /* Relaxed: whoever takes a reference has one already. */
  __atomic_fetch_add (self, 1, __ATOMIC_RELAXED);
}

/* TRUE: it was the last one. */
static inline gboolean
sw_ref_count_dec (SwRefCount *self)
{
  /* Release: what was done under this reference comes before the end. Acquire: the one who ends it sees all of it. */
  return __atomic_fetch_sub (self, 1, __ATOMIC_ACQ_REL) == 1;
}

G_END_DECLS
