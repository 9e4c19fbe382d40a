/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/tensor/sw-storage-private.h"

G_BEGIN_DECLS

/* How numbers look in a column, by the rules of NumPy: as few digits as tell them from others, at most eight after the
 * point, all in exponents or none, and all as wide. */
typedef struct
{
  SwDType dtype;
  gboolean is_exponential;
  gint n_fraction_digits; /* of numbers with exponents */
  gint n_exponent_digits;
  gint before_point; /* widths, the sign included; of integers and truth values the whole width */
  gint after_point;
} SwNumberFormat;

/* The format for all the items together. */
void sw_number_format_init (SwNumberFormat *self,
                            const SwStorage *items);
void sw_number_format_append (const SwNumberFormat *self,
                              const SwStorage *items,
                              gint64 index,
                              GString *text);

/* A number that stands alone: all digits that tell it from others. */
void sw_number_append_alone (const SwStorage *items,
                             gint64 index,
                             GString *text);

G_END_DECLS
