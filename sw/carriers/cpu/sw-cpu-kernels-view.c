/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-nest-private.h"
#include "sw/carriers/sw-indexed-kernels-private.h"
#include "sw/operations/sw-families-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

/* They may be the same values. */
#define DEFINE_COPY(bits)                                                                                          \
  static void                                                                                                      \
      copy_##bits (gint64 n, const guint##bits *input, gint64 input_step, guint##bits *result, gint64 result_step) \
  {                                                                                                                \
    if (input_step == 1 && result_step == 1)                                                                       \
      {                                                                                                            \
        memmove (result, input, n * sizeof *result);                                                               \
        return;                                                                                                    \
      }                                                                                                            \
    SW_CPU_INDEPENDENT                                                                                             \
    for (gint64 i = 0; i < n; i++)                                                                                 \
      result[i * result_step] = input[i * input_step];                                                             \
  }

DEFINE_COPY (8)
DEFINE_COPY (32)
DEFINE_COPY (64)

void
sw_cpu_copy (const SwView *input,
             const SwView *result)
{
  gsize size = sw_dtype_get_item_size (input->dtype);
  SwCpuNest nest;

  sw_cpu_nest_init (&nest, (const SwAxis *[]){ &result->axis, &input->axis }, (gint64[]){ result->offset, input->offset },
                    2, SW_CPU_NEST_SORTED);
  do
    {
      gconstpointer from = sw_cpu_nest_get_row (&nest, 1, input->data, size);
      gpointer to = sw_cpu_nest_get_row (&nest, 0, result->data, size);
      gint64 n = sw_cpu_nest_get_length (&nest);

      if (size == sizeof (guint32))
        copy_32 (n, from, sw_cpu_nest_get_step (&nest, 1), to, sw_cpu_nest_get_step (&nest, 0));
      else if (size == sizeof (guint64))
        copy_64 (n, from, sw_cpu_nest_get_step (&nest, 1), to, sw_cpu_nest_get_step (&nest, 0));
      else
        copy_8 (n, from, sw_cpu_nest_get_step (&nest, 1), to, sw_cpu_nest_get_step (&nest, 0));
    }
  while (sw_cpu_nest_next (&nest));
  sw_cpu_nest_clear (&nest);
}

const SwViewKernel sw_cpu_broadcast_to_kernel = { sw_view_broadcast_to, NULL, 2, 2 };
const SwViewKernel sw_cpu_permute_kernel = { sw_view_permute, NULL, 2, 2 };
const SwViewKernel sw_cpu_reshape_kernel = { sw_view_reshape, sw_cpu_copy, 2, 2 };
const SwViewKernel sw_cpu_view_kernel = { sw_view_view, NULL, 2, 2 };
const SwViewKernel sw_cpu_rearrange_kernel = { sw_view_rearrange, NULL, 2, 2 };
const SwViewKernel sw_cpu_squeeze_kernel = { sw_view_squeeze, NULL, 1, 2 };
const SwViewKernel sw_cpu_unsqueeze_kernel = { sw_view_unsqueeze, NULL, 2, 2 };
const SwViewKernel sw_cpu_as_strided_kernel = { sw_view_as_strided, NULL, 3, 4 };

const SwIndexedKernel sw_cpu_gather_kernel = { sw_indexed_gather };
const SwIndexedKernel sw_cpu_scatter_kernel = { sw_indexed_scatter };
const SwIndexedKernel sw_cpu_scatter_add_kernel = { sw_indexed_scatter_add };
