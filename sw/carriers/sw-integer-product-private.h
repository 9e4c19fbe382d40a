/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A product of 64 bit integers, by magnitude, of which only the total can be out of range: whatever a factor other than
 * zero is, it does not bring an overflow back, and a zero does. */
typedef struct
{
  guint64 magnitude;
  guint8 is_negative;
  guint8 is_zero;
  guint8 overflows;
} SwIntegerProduct;

static inline void
sw_integer_product_init (SwIntegerProduct *self)
{
  *self = (SwIntegerProduct){ .magnitude = 1 };
}

static inline void
sw_integer_product_add (SwIntegerProduct *self,
                        gint64 factor)
{
  guint64 magnitude = factor < 0 ? 0 - (guint64) factor : (guint64) factor;

  self->is_negative ^= factor < 0;
  self->is_zero |= factor == 0;
  self->overflows |= factor != 0 && __builtin_mul_overflow (self->magnitude, magnitude, &self->magnitude);
}

/* FALSE: the product is out of the range of 64 bits. */
static inline gboolean
sw_integer_product_get (const SwIntegerProduct *self,
                        gint64 *product)
{
  *product = self->is_zero ? 0 : (gint64) (self->is_negative ? 0 - self->magnitude : self->magnitude);
  return self->is_zero || (!self->overflows && self->magnitude <= (guint64) G_MAXINT64 + self->is_negative);
}
