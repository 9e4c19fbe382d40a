/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>

G_BEGIN_DECLS

/**
 * SwDType:
 * @SW_DTYPE_INVALID: no dtype; where a function documents it, the dtype that the receiver already has
 * @SW_DTYPE_FLOAT32: IEEE 754 binary32
 * @SW_DTYPE_FLOAT64: IEEE 754 binary64
 * @SW_DTYPE_INT32: signed 32 bit integer
 * @SW_DTYPE_INT64: signed 64 bit integer
 * @SW_DTYPE_BOOL: true or false, one byte
 * @SW_DTYPE_FLOATING: the real numbers of [class@Strideweave.Generic], kept as binary64
 * @SW_DTYPE_ANY: any value at all; only [class@Strideweave.Generic] and carriers of one's own hold it
 *
 * What every value of a carrier is.
 */
typedef enum {
  SW_DTYPE_INVALID,
  SW_DTYPE_FLOAT32,
  SW_DTYPE_FLOAT64,
  SW_DTYPE_INT32,
  SW_DTYPE_INT64,
  SW_DTYPE_BOOL,
  SW_DTYPE_FLOATING,
  SW_DTYPE_ANY,
} SwDType;

#ifndef __GI_SCANNER__
/* How many dtypes there are, the invalid one included. */
#define SW_DTYPE_N (SW_DTYPE_ANY + 1)
#endif

SW_AVAILABLE_IN_0_1
const char *sw_dtype_to_string (SwDType dtype);
SW_AVAILABLE_IN_0_1
gsize sw_dtype_get_item_size (SwDType dtype);

G_END_DECLS
