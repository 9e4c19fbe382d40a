/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-kernels-private.h"

#include <string.h>

#include "sw/carriers/sw-indexed-kernels-private.h"
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

const SwViewKernel sw_generic_broadcast_to_kernel = { sw_view_broadcast_to, NULL, 2, 2 };
const SwViewKernel sw_generic_permute_kernel = { sw_view_permute, NULL, 2, 2 };
const SwViewKernel sw_generic_reshape_kernel = { sw_view_reshape, copy, 2, 2 };
const SwViewKernel sw_generic_view_kernel = { sw_view_view, NULL, 2, 2 };
const SwViewKernel sw_generic_rearrange_kernel = { sw_view_rearrange, NULL, 2, 2 };
const SwViewKernel sw_generic_squeeze_kernel = { sw_view_squeeze, NULL, 1, 2 };
const SwViewKernel sw_generic_unsqueeze_kernel = { sw_view_unsqueeze, NULL, 2, 2 };
const SwViewKernel sw_generic_as_strided_kernel = { sw_view_as_strided, NULL, 3, 4 };

const SwIndexedKernel sw_generic_gather_kernel = { sw_indexed_gather };
const SwIndexedKernel sw_generic_scatter_kernel = { sw_indexed_scatter };
const SwIndexedKernel sw_generic_scatter_add_kernel = { sw_indexed_scatter_add };
