/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-rows-private.h"
#include "sw/operations/sw-kernel-choice-private.h"

/* The row function @from_to_@to. Nothing is lost unknowingly: real numbers are cut to integers, and what does not fit, or
 * is not a number, is bad; Bool is what is not zero. */
#define DEFINE_CAST(from, From, to, To, expression) \
  SW_CPU_DEFINE_UNARY (from##_to, to, From, To, expression)

/* Bounds are exact as From; HIGHEST is the first that does not fit. */
#define DEFINE_CUT(from, From, to, To, LOWEST, HIGHEST) \
  SW_CPU_INLINE To                                      \
      one_##from##_to_##to (From x, gint32 *bad)        \
  {                                                     \
    gint32 fits = (x >= LOWEST) & (x < HIGHEST);        \
                                                        \
    *bad |= fits - 1;                                   \
    return (To) (fits ? x : 0);                         \
  }                                                     \
  SW_CPU_DEFINE_UNARY_ROW (from##_to, to, From, To, gint32)

DEFINE_CAST (float32, float, float64, double, x)
DEFINE_CAST (float32, float, bool, guint8, x != 0)
DEFINE_CAST (float64, double, float32, float, (float) x)
DEFINE_CAST (float64, double, bool, guint8, x != 0)
DEFINE_CAST (int32, gint32, float32, float, (float) x)
DEFINE_CAST (int32, gint32, float64, double, x)
DEFINE_CAST (int32, gint32, int64, gint64, x)
DEFINE_CAST (int32, gint32, bool, guint8, x != 0)
DEFINE_CAST (int64, gint64, float32, float, (float) x)
DEFINE_CAST (int64, gint64, float64, double, (double) x)
DEFINE_CAST (int64, gint64, bool, guint8, x != 0)
DEFINE_CAST (bool, guint8, float32, float, x != 0)
DEFINE_CAST (bool, guint8, float64, double, x != 0)
DEFINE_CAST (bool, guint8, int32, gint32, x != 0)
DEFINE_CAST (bool, guint8, int64, gint64, x != 0)

DEFINE_CUT (float32, float, int32, gint32, -0x1p31f, 0x1p31f)
DEFINE_CUT (float32, float, int64, gint64, -0x1p63f, 0x1p63f)
/* What is less than one below -2^31 is cut to it. */
DEFINE_CUT (float64, double, int32, gint32, -0x1.00000001fffffp31, 0x1p31)
DEFINE_CUT (float64, double, int64, gint64, -0x1p63, 0x1p63)
DEFINE_CUT (int64, gint64, int32, gint32, G_MININT32, ((gint64) G_MAXINT32 + 1))

static const SwCpuUnaryRow rows[SW_DTYPE_N][SW_DTYPE_N] = {
  [SW_DTYPE_FLOAT32] = {
      [SW_DTYPE_FLOAT64] = float32_to_float64,
      [SW_DTYPE_INT32] = float32_to_int32,
      [SW_DTYPE_INT64] = float32_to_int64,
      [SW_DTYPE_BOOL] = float32_to_bool,
  },
  [SW_DTYPE_FLOAT64] = {
      [SW_DTYPE_FLOAT32] = float64_to_float32,
      [SW_DTYPE_INT32] = float64_to_int32,
      [SW_DTYPE_INT64] = float64_to_int64,
      [SW_DTYPE_BOOL] = float64_to_bool,
  },
  [SW_DTYPE_INT32] = {
      [SW_DTYPE_FLOAT32] = int32_to_float32,
      [SW_DTYPE_FLOAT64] = int32_to_float64,
      [SW_DTYPE_INT64] = int32_to_int64,
      [SW_DTYPE_BOOL] = int32_to_bool,
  },
  [SW_DTYPE_INT64] = {
      [SW_DTYPE_FLOAT32] = int64_to_float32,
      [SW_DTYPE_FLOAT64] = int64_to_float64,
      [SW_DTYPE_INT32] = int64_to_int32,
      [SW_DTYPE_BOOL] = int64_to_bool,
  },
  [SW_DTYPE_BOOL] = {
      [SW_DTYPE_FLOAT32] = bool_to_float32,
      [SW_DTYPE_FLOAT64] = bool_to_float64,
      [SW_DTYPE_INT32] = bool_to_int32,
      [SW_DTYPE_INT64] = bool_to_int64,
  },
};

static gboolean
run_cast (const SwUnaryKernel *self,
          const char *name,
          const SwView *input,
          const SwView *result,
          GError **error)
{
  SwKernelChoice *choice = sw_kernel_choice_get ();

  if (input->dtype != result->dtype)
    return sw_cpu_run_unary_row (rows[input->dtype][result->dtype], name, input, result, SW_CPU_GRAIN, SW_CPU_CODE_VECTOR, error);

  if (G_UNLIKELY (choice != NULL))
    {
      sw_kernel_choice_set (choice, NULL, "copy");
      sw_kernel_choice_reject (choice, "threads", "copies run on one", -1);
    }
  sw_cpu_copy (input, result);
  return TRUE;
}

const SwUnaryKernel sw_cpu_cast_kernel = { run_cast };
