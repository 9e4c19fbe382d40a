/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <string.h>

#include "sw/operations/sw-families-private.h"

static void
copy (const SwView *input,
      const SwView *result)
{
  gsize size = sw_dtype_get_item_size (input->dtype);

  for (gint64 i = 0; i < result->axis.size; i++)
    {
      char *to = (char *) result->data + sw_view_get_index (result, i) * size;

      memcpy (to, (const char *) input->data + sw_view_get_index (input, i) * size, size);
      if (input->dtype == SW_DTYPE_ANY && *(SwValue **) to != NULL)
        sw_value_ref (*(SwValue **) to);
    }
}

const SwViewKernel sw_generic_broadcast_to_kernel = { sw_view_broadcast_to, NULL };
const SwViewKernel sw_generic_permute_kernel = { sw_view_permute, NULL };
const SwViewKernel sw_generic_reshape_kernel = { sw_view_reshape, copy };
