/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-choice-private.h"
#include "sw/carriers/cpu/sw-cpu-kernels-private.h"
#include "sw/carriers/cpu/sw-cpu-level-private.h"
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

/* How many values are worth another thread, by how much is computed for each, and in how wide vectors. */
static gint64
get_grain (SwCpuWork work)
{
  if (work == SW_CPU_WORK_LITTLE)
    return SW_CPU_GRAIN;
  return sw_cpu_level == SW_CPU_LEVEL_AVX512 ? SW_CPU_GRAIN / 2 : SW_CPU_GRAIN / 8;
}

/* What all of these have in common, at the beginning of the structure of each. */
typedef struct
{
  const SwView *result;
  const SwView *inputs[2]; /* the second is nullable */
  /* Computes the current row. */
  gboolean (*compute) (gconstpointer self, const SwCpuNest *nest, gpointer result);
  gsize result_size; /* of a value */
  SwCpuCode code;
  gint64 grain;
} Rows;

/* Where the current row of an input begins. */
static inline gconstpointer
get_input (const Rows *self,
           const SwCpuNest *nest,
           guint i)
{
  const SwView *input = self->inputs[i];

  return sw_cpu_nest_get_row (nest, 1 + i, input->data, sw_dtype_get_item_size (input->dtype));
}

static gboolean
run_rows (gpointer data,
          SwCpuNest *nest)
{
  const Rows *self = data;
  gboolean overflows = FALSE;

  do
    overflows |= self->compute (self, nest, sw_cpu_nest_get_row (nest, 0, self->result->data, self->result_size));
  while (sw_cpu_nest_next (nest));

  return overflows;
}

static gboolean
run_rows_in_tiles (gpointer data,
                   SwCpuNest *nest)
{
  return sw_cpu_nest_run_in_tiles (nest, run_rows, data);
}

static G_GNUC_NO_INLINE gboolean
run_nest_and_tell (SwKernelChoice *choice,
                   Rows *self,
                   SwCpuNest *nest)
{
  gboolean overflows;

  sw_cpu_choice_set_rows (choice, self->code, self->inputs[0]->dtype, nest, &self->result->axis);
  overflows = sw_cpu_nest_run (nest, self->grain, run_rows_in_tiles, self);
  sw_cpu_choice_end (choice);
  return overflows;
}

static gboolean
run (Rows *self)
{
  const SwView *result = self->result, *first = self->inputs[0], *second = self->inputs[1];
  SwKernelChoice *choice = sw_kernel_choice_get ();
  gboolean overflows;
  SwCpuNest nest;

  self->result_size = sw_dtype_get_item_size (result->dtype);
  sw_cpu_nest_init (&nest, (const SwAxis *[]){ &result->axis, &first->axis, second != NULL ? &second->axis : NULL },
                    (gint64[]){ result->offset, first->offset, second != NULL ? second->offset : 0 },
                    second != NULL ? 3 : 2, SW_CPU_NEST_SORTED);
  if (G_UNLIKELY (choice != NULL))
    overflows = run_nest_and_tell (choice, self, &nest);
  else
    overflows = sw_cpu_nest_run (&nest, self->grain, run_rows_in_tiles, self);
  sw_cpu_nest_clear (&nest);
  return overflows;
}

typedef struct
{
  Rows rows;
  SwCpuUnaryRow row;
} Unary;

static gboolean
compute_unary (gconstpointer rows,
               const SwCpuNest *nest,
               gpointer result)
{
  const Unary *self = rows;

  return self->row (sw_cpu_nest_get_length (nest), get_input (rows, nest, 0), sw_cpu_nest_get_step (nest, 1), result, sw_cpu_nest_get_step (nest, 0));
}

static gboolean
run_unary_rows (SwCpuUnaryRow row,
                const SwView *input,
                const SwView *result,
                gint64 grain,
                SwCpuCode code)
{
  Unary unary = { { result, { input, NULL }, compute_unary, .code = code, .grain = grain }, row };

  return run (&unary.rows);
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
  Rows rows;
  SwCpuParametricRow row;
  const SwNumberCell *parameters;
} Parametric;

static gboolean
compute_parametric (gconstpointer rows,
                    const SwCpuNest *nest,
                    gpointer result)
{
  const Parametric *self = rows;

  self->row (sw_cpu_nest_get_length (nest), get_input (rows, nest, 0), sw_cpu_nest_get_step (nest, 1), self->parameters, result, sw_cpu_nest_get_step (nest, 0));
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
  Parametric parametric = {
    { result, { input, NULL }, compute_parametric, .code = SW_CPU_CODE_VECTOR, .grain = get_grain (self->work) },
    self->rows[input->dtype],
    parameters,
  };

  run (&parametric.rows);
  return TRUE;
}

typedef struct
{
  Rows rows;
  SwCpuBinaryRow row;
} Binary;

static gboolean
compute_binary (gconstpointer rows,
                const SwCpuNest *nest,
                gpointer result)
{
  const Binary *self = rows;

  return self->row (sw_cpu_nest_get_length (nest), get_input (rows, nest, 0), sw_cpu_nest_get_step (nest, 1),
                    get_input (rows, nest, 1), sw_cpu_nest_get_step (nest, 2), result, sw_cpu_nest_get_step (nest, 0));
}

static gboolean
run_binary_rows (SwCpuBinaryRow row,
                 const SwView *lhs,
                 const SwView *rhs,
                 const SwView *result,
                 gint64 grain,
                 SwCpuCode code)
{
  Binary binary = { { result, { lhs, rhs }, compute_binary, .code = code, .grain = grain }, row };

  return run (&binary.rows);
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
