/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A sum of 64 bit integers that is exact in any order, so that only the total can be out of range. */
typedef struct
{
  guint64 low;
  gint64 high;
} SwWideInt;

static inline void
sw_wide_int_add (SwWideInt *self,
                 gint64 value)
{
  guint64 low = self->low + (guint64) value;

  self->high += (value < 0 ? -1 : 0) + (low < self->low ? 1 : 0);
  self->low = low;
}

/* FALSE: the total is out of the range of 64 bits. */
static inline gboolean
sw_wide_int_get (const SwWideInt *self,
                 gint64 *total)
{
  *total = (gint64) self->low;
  return self->high == (*total < 0 ? -1 : 0);
}

G_END_DECLS
