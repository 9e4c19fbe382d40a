/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Squares the base for each bit of an exponent that is not negative; the last square is not needed, and may not fit.
 * FALSE: the result is out of the range of 64 bits. */
static inline gboolean
sw_integer_power (gint64 base,
                  gint64 exponent,
                  gint64 *result)
{
  *result = 1;
  while (TRUE)
    {
      if ((exponent & 1) != 0 && __builtin_mul_overflow (*result, base, result))
        return FALSE;
      exponent >>= 1;
      if (exponent == 0)
        return TRUE;
      if (__builtin_mul_overflow (base, base, &base))
        return FALSE;
    }
}

/* The rest of a division that rounds down has the sign of the divisor, which is not zero. */
static inline gint64
sw_integer_rest (gint64 a,
                 gint64 b)
{
  /* The smallest integer cannot be divided by -1, which leaves no rest of any. */
  gint64 rest = b == -1 ? 0 : a % b;

  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#define SW_INTEGER_POWER_FAILURE "has a negative exponent of an integer"
#define SW_INTEGER_REST_FAILURE "divides an integer by zero"
