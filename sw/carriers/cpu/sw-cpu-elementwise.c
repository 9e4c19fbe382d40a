/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-kernels-private.h"
#include "sw/carriers/cpu/sw-cpu-nest-private.h"

void
sw_cpu_set_overflow (const char *name,
                     SwDType dtype,
                     gint64 ordinal,
                     GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s overflows %s at index %" G_GINT64_FORMAT,
               name, sw_dtype_to_string (dtype), ordinal);
}

/* From how many values on another thread is worth its wake-up, by how much is computed for each. */
static gint64
get_grain (SwCpuWork work)
{
  return work == SW_CPU_WORK_MUCH ? SW_CPU_GRAIN / 8 : SW_CPU_GRAIN;
}

static G_GNUC_NO_INLINE gboolean
run_nest_and_tell (SwKernelChoice *choice,
                   SwCpuNest *nest,
                   SwCpuCode code,
                   const SwAxis *result,
                   SwDType dtype,
                   gint64 grain,
                   SwCpuNestTask task,
                   gpointer data)
{
  gboolean overflows;

  sw_cpu_choice_set_rows (choice, code, dtype, nest, result);
  overflows = sw_cpu_nest_run (nest, grain, task, data);
  sw_cpu_choice_end (choice);
  return overflows;
}

static inline gboolean
run_nest (SwCpuNest *nest,
          SwCpuCode code,
          const SwAxis *result,
          SwDType dtype,
          gint64 grain,
          SwCpuNestTask task,
          gpointer data)
{
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (G_UNLIKELY (choice != NULL))
    return run_nest_and_tell (choice, nest, code, result, dtype, grain, task, data);
  return sw_cpu_nest_run (nest, grain, task, data);
}

typedef struct
{
  SwCpuUnaryRow row;
  const SwView *input;
  const SwView *result;
} Unary;

static gboolean
run_unary_nest (gpointer data,
                SwCpuNest *nest)
{
  const Unary *self = data;
  gsize input_size = sw_dtype_get_item_size (self->input->dtype);
  gsize result_size = sw_dtype_get_item_size (self->result->dtype);
  gboolean overflows = FALSE;

  do
    overflows |= self->row (sw_cpu_nest_get_length (nest),
                            sw_cpu_nest_get_row (nest, 1, self->input->data, input_size), sw_cpu_nest_get_step (nest, 1),
                            sw_cpu_nest_get_row (nest, 0, self->result->data, result_size), sw_cpu_nest_get_step (nest, 0));
  while (sw_cpu_nest_next (nest));

  return overflows;
}

static gboolean
run_unary_rows (SwCpuUnaryRow row,
                const SwView *input,
                const SwView *result,
                gint64 grain,
                SwCpuCode code)
{
  Unary unary = { row, input, result };
  gboolean overflows;
  SwCpuNest nest;

  sw_cpu_nest_init (&nest, (const SwAxis *[]){ &result->axis, &input->axis }, (gint64[]){ result->offset, input->offset },
                    2, SW_CPU_NEST_SORTED);
  overflows = run_nest (&nest, code, &result->axis, input->dtype, grain, run_unary_nest, &unary);
  sw_cpu_nest_clear (&nest);

  return overflows;
}

gboolean
sw_cpu_run_unary_row (SwCpuUnaryRow row,
                      const char *name,
                      const SwView *input,
                      const SwView *result,
                      gint64 grain,
                      SwCpuCode code,
                      GError **error)
{
  if (G_LIKELY (!run_unary_rows (row, input, result, grain, code)))
    return TRUE;

  /* Only now does it matter where: once more, value by value. */
  for (gint64 i = 0; i < result->axis.size; i++)
    {
      if (row (1, sw_cpu_view_at (input, sw_view_get_index (input, i)), 0, result->data, 0))
        {
          sw_cpu_set_overflow (name, result->dtype, i, error);
          return FALSE;
        }
    }

  /* Another thread has written to the input meanwhile. */
  sw_cpu_set_overflow (name, result->dtype, 0, error);
  return FALSE;
}

gboolean
sw_cpu_run_unary (const SwUnaryKernel *kernel,
                  const char *name,
                  const SwView *input,
                  const SwView *result,
                  GError **error)
{
  const SwCpuUnaryKernel *self = (const SwCpuUnaryKernel *) kernel;

  return sw_cpu_run_unary_row (self->rows[input->dtype], name, input, result, get_grain (self->work),
                               self->codes[input->dtype], error);
}

typedef struct
{
  SwCpuParametricRow row;
  const SwView *input;
  const SwNumberCell *parameters;
  const SwView *result;
} Parametric;

static gboolean
run_parametric_nest (gpointer data,
                     SwCpuNest *nest)
{
  const Parametric *self = data;
  gsize size = sw_dtype_get_item_size (self->input->dtype);

  do
    self->row (sw_cpu_nest_get_length (nest), sw_cpu_nest_get_row (nest, 1, self->input->data, size),
               sw_cpu_nest_get_step (nest, 1), self->parameters, sw_cpu_nest_get_row (nest, 0, self->result->data, size),
               sw_cpu_nest_get_step (nest, 0));
  while (sw_cpu_nest_next (nest));

  return FALSE;
}

gboolean
sw_cpu_run_parametric (const SwParametricKernel *kernel,
                       const char *name,
                       const SwView *input,
                       const SwNumberCell *parameters,
                       const SwView *result,
                       GError **error)
{
  const SwCpuParametricKernel *self = (const SwCpuParametricKernel *) kernel;
  Parametric parametric = { self->rows[input->dtype], input, parameters, result };
  SwCpuNest nest;

  sw_cpu_nest_init (&nest, (const SwAxis *[]){ &result->axis, &input->axis }, (gint64[]){ result->offset, input->offset },
                    2, SW_CPU_NEST_SORTED);
  run_nest (&nest, SW_CPU_CODE_VECTOR, &result->axis, input->dtype, get_grain (self->work), run_parametric_nest, &parametric);
  sw_cpu_nest_clear (&nest);

  return TRUE;
}

typedef struct
{
  SwCpuBinaryRow row;
  const SwView *lhs;
  const SwView *rhs;
  const SwView *result;
} Binary;

static gboolean
run_binary_nest (gpointer data,
                 SwCpuNest *nest)
{
  const Binary *self = data;
  gsize input_size = sw_dtype_get_item_size (self->lhs->dtype);
  gsize result_size = sw_dtype_get_item_size (self->result->dtype);
  gboolean overflows = FALSE;

  do
    overflows |= self->row (sw_cpu_nest_get_length (nest),
                            sw_cpu_nest_get_row (nest, 1, self->lhs->data, input_size), sw_cpu_nest_get_step (nest, 1),
                            sw_cpu_nest_get_row (nest, 2, self->rhs->data, input_size), sw_cpu_nest_get_step (nest, 2),
                            sw_cpu_nest_get_row (nest, 0, self->result->data, result_size), sw_cpu_nest_get_step (nest, 0));
  while (sw_cpu_nest_next (nest));

  return overflows;
}

static gboolean
run_binary_rows (SwCpuBinaryRow row,
                 const SwView *lhs,
                 const SwView *rhs,
                 const SwView *result,
                 gint64 grain,
                 SwCpuCode code)
{
  Binary binary = { row, lhs, rhs, result };
  gboolean overflows;
  SwCpuNest nest;

  sw_cpu_nest_init (&nest, (const SwAxis *[]){ &result->axis, &lhs->axis, &rhs->axis },
                    (gint64[]){ result->offset, lhs->offset, rhs->offset }, 3, SW_CPU_NEST_SORTED);
  overflows = run_nest (&nest, code, &result->axis, lhs->dtype, grain, run_binary_nest, &binary);
  sw_cpu_nest_clear (&nest);

  return overflows;
}

static void
set_binary_failure (const SwCpuBinaryKernel *self,
                    const char *name,
                    SwDType dtype,
                    gconstpointer rhs,
                    gint64 ordinal,
                    GError **error)
{
  const char *failure = self->explain != NULL ? self->explain (dtype, rhs) : NULL;

  if (failure == NULL)
    sw_cpu_set_overflow (name, dtype, ordinal, error);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s %s at index %" G_GINT64_FORMAT, name, failure, ordinal);
}

gboolean
sw_cpu_run_binary (const SwBinaryKernel *kernel,
                   const char *name,
                   const SwView *lhs,
                   const SwView *rhs,
                   const SwView *result,
                   GError **error)
{
  const SwCpuBinaryKernel *self = (const SwCpuBinaryKernel *) kernel;
  SwCpuBinaryRow row = self->rows[lhs->dtype];

  if (G_LIKELY (!run_binary_rows (row, lhs, rhs, result, get_grain (self->work), self->codes[lhs->dtype])))
    return TRUE;

  /* Only now does it matter where: once more, value by value. */
  for (gint64 i = 0; i < result->axis.size; i++)
    {
      gconstpointer b = sw_cpu_view_at (rhs, sw_view_get_index (rhs, i));

      if (row (1, sw_cpu_view_at (lhs, sw_view_get_index (lhs, i)), 0, b, 0, result->data, 0))
        {
          set_binary_failure (self, name, result->dtype, b, i, error);
          return FALSE;
        }
    }

  /* Another thread has written to the input meanwhile. */
  sw_cpu_set_overflow (name, result->dtype, 0, error);
  return FALSE;
}
