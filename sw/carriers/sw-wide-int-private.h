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

/* Adds high * 2^32 + low. */
static inline void
sw_wide_int_add_halves (SwWideInt *self,
                        gint64 high,
                        guint64 low)
{
  guint64 shifted = (guint64) high << 32;
  guint64 first = self->low + shifted;
  guint64 second = first + low;

  self->high += (high >> 32) + (first < shifted ? 1 : 0) + (second < low ? 1 : 0);
  self->low = second;
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
