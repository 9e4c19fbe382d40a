/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

typedef struct
{
  gint64 n;
  const guint8 *condition;
  gconstpointer lhs;
  gconstpointer rhs;
  gpointer result;
  gint64 steps[4]; /* of the result, the condition, lhs, rhs */
} Row;

#define DEFINE_ROW(bits)                                                                                              \
  SW_CPU_INLINE void                                                                                                  \
      select_all_##bits (const Row *row, gint64 result_step, gint64 condition_step, gint64 lhs_step, gint64 rhs_step) \
  {                                                                                                                   \
    gint64 n = row->n; /* by itself: for the compiler, a result could change that of the row */                       \
    const guint8 *condition = row->condition;                                                                         \
    const guint##bits *lhs = row->lhs, *rhs = row->rhs;                                                               \
    guint##bits *result = row->result;                                                                                \
                                                                                                                      \
    SW_CPU_INDEPENDENT                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                                    \
      {                                                                                                               \
        guint##bits a = lhs[i * lhs_step], b = rhs[i * rhs_step];                                                     \
                                                                                                                      \
        result[i * result_step] = condition[i * condition_step] != 0 ? a : b;                                         \
      }                                                                                                               \
  }                                                                                                                   \
                                                                                                                      \
  SW_CPU_INLINE void                                                                                                  \
      select_##bits##_at_level (const Row *row)                                                                       \
  {                                                                                                                   \
    const gint64 *steps = row->steps;                                                                                 \
                                                                                                                      \
    if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1 && steps[3] == 1)                                             \
      select_all_##bits (row, 1, 1, 1, 1);                                                                            \
    else if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1 && steps[3] == 0)                                        \
      select_all_##bits (row, 1, 1, 1, 0);                                                                            \
    else                                                                                                              \
      select_all_##bits (row, steps[0], steps[1], steps[2], steps[3]);                                                \
  }                                                                                                                   \
                                                                                                                      \
  SW_CPU_DEFINE_LEVELS (void, select_##bits,                                                                          \
                        (const Row *row),                                                                             \
                        (row))

DEFINE_ROW (8)
DEFINE_ROW (32)
DEFINE_ROW (64)

typedef struct
{
  const SwView *condition;
  const SwView *lhs;
  const SwView *rhs;
  const SwView *result;
  gsize size; /* of a value */
} Select;

static void
select_row (const Select *self,
            const SwCpuNest *nest)
{
  Row row = {
    sw_cpu_nest_get_length (nest),
    sw_cpu_nest_get_row (nest, 1, self->condition->data, 1),
    sw_cpu_nest_get_row (nest, 2, self->lhs->data, self->size),
    sw_cpu_nest_get_row (nest, 3, self->rhs->data, self->size),
    sw_cpu_nest_get_row (nest, 0, self->result->data, self->size),
  };

  for (guint v = 0; v < 4; v++)
    row.steps[v] = sw_cpu_nest_get_step (nest, v);
  if (self->size == 1)
    select_8 (&row);
  else if (self->size == 4)
    select_32 (&row);
  else
    select_64 (&row);
}

static gboolean
select_rows (gpointer data,
             SwCpuNest *nest)
{
  do
    select_row (data, nest);
  while (sw_cpu_nest_next (nest));
  return FALSE;
}

static gboolean
run_select (const SwSelectKernel *self,
            const SwView *condition,
            const SwView *lhs,
            const SwView *rhs,
            const SwView *result,
            GError **error)
{
  Select select = { condition, lhs, rhs, result, sw_dtype_get_item_size (result->dtype) };
  SwKernelChoice *choice = sw_kernel_choice_get ();
  SwCpuNest nest;

  sw_cpu_nest_init (&nest, (const SwAxis *[]){ &result->axis, &condition->axis, &lhs->axis, &rhs->axis },
                    (gint64[]){ result->offset, condition->offset, lhs->offset, rhs->offset }, 4, SW_CPU_NEST_SORTED);
  if (G_UNLIKELY (choice != NULL))
    sw_cpu_choice_set_rows (choice, SW_CPU_CODE_VECTOR, result->dtype, &nest, &result->axis);
  sw_cpu_nest_run (&nest, SW_CPU_GRAIN, select_rows, &select);
  if (G_UNLIKELY (choice != NULL))
    sw_cpu_choice_end (choice);
  sw_cpu_nest_clear (&nest);

  return TRUE;
}

const SwSelectKernel sw_cpu_select_kernel = { run_select };
