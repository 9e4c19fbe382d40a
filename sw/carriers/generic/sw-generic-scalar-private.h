/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* One number of any dtype. Reals are kept as double: rounding the double result of +, -, * or / to Float32 gives what
 * the same operation in Float32 gives. */
typedef struct
{
  gboolean is_integer;
  union
  {
    gint64 integer;
    double real;
  };
} SwScalar;

static inline SwScalar
sw_scalar_integer (gint64 value)
{
  return (SwScalar){ .is_integer = TRUE, .integer = value };
}

static inline SwScalar
sw_scalar_real (double value)
{
  return (SwScalar){ .is_integer = FALSE, .real = value };
}

static inline double
sw_scalar_to_real (SwScalar self)
{
  return self.is_integer ? (double) self.integer : self.real;
}

static inline gboolean
sw_scalar_is_nan (SwScalar self)
{
  return !self.is_integer && self.real != self.real;
}

/* Three-way; not a number compares with nothing, so ask for that first. Exact, also between integers and reals. */
int
sw_scalar_compare (SwScalar a,
                   SwScalar b);

/* Reads the value at an index of the storage. TYPE error where Any holds something else than a number. */
gboolean
sw_scalar_load (SwScalar *self,
                const SwView *view,
                gint64 index,
                GError **error);
/* Writes a result, whose layout tells where. VALUE error naming the operation, when the value is out of range. */
gboolean
sw_scalar_store (SwScalar self,
                 const SwView *view,
                 gint64 ordinal,
                 const char *name,
                 GError **error);
void
sw_scalar_set_overflow (const char *name,
                        SwDType dtype,
                        gint64 ordinal,
                        GError **error);

/* Writes the value that is nearest in the view's dtype; VALUE error naming the operation where an integer dtype has
 * none. */
gboolean
sw_scalar_store_converted (SwScalar self,
                           const SwView *view,
                           gint64 ordinal,
                           const char *name,
                           GError **error);

/* FALSE: the result is out of the range of 64 bits. */
gboolean
sw_scalar_add (SwScalar a,
               SwScalar b,
               SwScalar *result);
gboolean
sw_scalar_multiply (SwScalar a,
                    SwScalar b,
                    SwScalar *result);
/* Whether @a comes before @b as the larger one; not a number comes before all numbers, and the first before equals. */
gboolean
sw_scalar_is_larger (SwScalar a,
                     SwScalar b);

G_END_DECLS
