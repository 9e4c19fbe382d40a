/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include <string.h>

#include "sw/carriers/cpu/sw-cpu-nest-private.h"
#include "sw/carriers/sw-indexed-kernels-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-kernel-choice-private.h"

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

static void
copy_and_tell (const SwView *input,
               const SwView *result)
{
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (G_UNLIKELY (choice != NULL))
    {
      sw_kernel_choice_set (choice, NULL, "copy");
      sw_kernel_choice_reject (choice, "view", "no layout of the shape has these values where they are", -1);
    }
  sw_cpu_copy (input, result);
}

/* The library's own, which move nothing. */
#define DEFINE_VIEW(name, copy, min_inputs, max_inputs)                                        \
  static SwLayout *                                                                            \
      view_##name (const SwCall *call, SwLayout *layout, gboolean *needs_copy, GError **error) \
  {                                                                                            \
    SwKernelChoice *choice = sw_kernel_choice_get ();                                          \
                                                                                               \
    if (G_UNLIKELY (choice != NULL))                                                           \
      sw_kernel_choice_set (choice, NULL, "view, no values moved");                            \
    return sw_view_##name (call, layout, needs_copy, error);                                   \
  }                                                                                            \
                                                                                               \
  const SwViewKernel sw_cpu_##name##_kernel = { view_##name, copy, min_inputs, max_inputs };

DEFINE_VIEW (broadcast_to, NULL, 2, 2)
DEFINE_VIEW (permute, NULL, 2, 2)
DEFINE_VIEW (reshape, copy_and_tell, 2, 2)
DEFINE_VIEW (view, NULL, 2, 2)
DEFINE_VIEW (rearrange, NULL, 2, 2)
DEFINE_VIEW (squeeze, NULL, 1, 2)
DEFINE_VIEW (unsqueeze, NULL, 2, 2)
DEFINE_VIEW (as_strided, NULL, 3, 4)

/* Value by value, as indices say. */
#define DEFINE_INDEXED(name)                                                              \
  static gboolean                                                                         \
      run_##name (const SwIndexedKernel *self, const SwIndexed *indexed, GError **error)  \
  {                                                                                       \
    SwKernelChoice *choice = sw_kernel_choice_get ();                                     \
                                                                                          \
    if (G_UNLIKELY (choice != NULL))                                                      \
      {                                                                                   \
        sw_kernel_choice_set (choice, "scalar", "by index");                              \
        sw_kernel_choice_reject (choice, "vector", "each index may be out of range", -1); \
        sw_kernel_choice_reject (choice, "threads", #name " runs on one", -1);            \
      }                                                                                   \
    return sw_indexed_##name (self, indexed, error);                                      \
  }                                                                                       \
                                                                                          \
  const SwIndexedKernel sw_cpu_##name##_kernel = { run_##name };

DEFINE_INDEXED (gather)
DEFINE_INDEXED (scatter)
DEFINE_INDEXED (scatter_add)
