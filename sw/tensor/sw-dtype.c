/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-dtype.h"

static const struct
{
  const char *name;
  gsize item_size;
} dtypes[SW_DTYPE_N] = {
  [SW_DTYPE_INVALID] = { "Invalid", 0 },
  [SW_DTYPE_FLOAT32] = { "Float32", sizeof (float) },
  [SW_DTYPE_FLOAT64] = { "Float64", sizeof (double) },
  [SW_DTYPE_INT32] = { "Int32", sizeof (gint32) },
  [SW_DTYPE_INT64] = { "Int64", sizeof (gint64) },
  [SW_DTYPE_BOOL] = { "Bool", sizeof (guint8) },
  [SW_DTYPE_FLOATING] = { "Floating", sizeof (double) },
  [SW_DTYPE_ANY] = { "Any", sizeof (SwValue *) },
};

/* Scripts can pass any number where an enumeration is expected. */
static inline SwDType
known_or_invalid (SwDType dtype)
{
  return (guint) dtype < SW_DTYPE_N ? dtype : SW_DTYPE_INVALID;
}

/**
 * sw_dtype_to_string:
 * @dtype: a dtype
 *
 * Names a dtype as messages and tables do, such as "Float32".
 *
 * Returns: (transfer none): the name; "Invalid" for %SW_DTYPE_INVALID and for numbers that are no dtype
 */
const char *
sw_dtype_to_string (SwDType dtype)
{
  return dtypes[known_or_invalid (dtype)].name;
}

/**
 * sw_dtype_get_item_size:
 * @dtype: a dtype
 *
 * Tells how much memory one value takes where values lie in memory.
 *
 * Returns: the size in bytes; 0 for %SW_DTYPE_INVALID
 */
gsize
sw_dtype_get_item_size (SwDType dtype)
{
  return dtypes[known_or_invalid (dtype)].item_size;
}
