/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/generic/sw-generic-scalar-private.h"
#include "sw/carriers/sw-wide-int-private.h"

G_BEGIN_DECLS

/* A sum of numbers. Integers are summed exactly; the total is an integer while no real number was added. */
typedef struct
{
  gboolean rounds; /* the real sum is kept in Float32 */
  gboolean has_real;
  double real;
  SwWideInt integer;
} SwGenericSum;

static inline void
sw_generic_sum_add (SwGenericSum *self,
                    SwScalar value)
{
  if (value.is_integer)
    {
      sw_wide_int_add (&self->integer, value.integer);
      return;
    }

  /* A sum of one negative zero is a negative zero. */
  self->real = self->has_real ? self->real + value.real : value.real;
  self->has_real = TRUE;
  if (self->rounds)
    self->real = (float) self->real;
}

static inline double
sw_generic_sum_get_real (const SwGenericSum *self)
{
  gint64 total;

  if (sw_wide_int_get (&self->integer, &total))
    return self->real + (double) total;
  return self->real + ((double) self->integer.high * 0x1p64 + (double) self->integer.low);
}

static inline gboolean
sw_generic_sum_store (const SwGenericSum *self,
                      const SwView *result,
                      gint64 ordinal,
                      const char *name,
                      GError **error)
{
  gint64 total;

  if (self->has_real)
    return sw_scalar_store (sw_scalar_real (sw_generic_sum_get_real (self)), result, ordinal, name, error);

  if (!sw_wide_int_get (&self->integer, &total))
    {
      sw_scalar_set_overflow (name, result->dtype, ordinal, error);
      return FALSE;
    }
  return sw_scalar_store (sw_scalar_integer (total), result, ordinal, name, error);
}

G_END_DECLS
