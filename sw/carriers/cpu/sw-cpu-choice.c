/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-choice-private.h"

#include "sw/carriers/cpu/sw-cpu-level-private.h"
#include "sw/carriers/cpu/sw-cpu-math-private.h"
#include "sw/carriers/cpu/sw-cpu-vector-private.h"

static const char *const no_vector_kernel[SW_DTYPE_N] = {
  [SW_DTYPE_FLOAT32] = "dtype Float32 has no vector kernel",
  [SW_DTYPE_FLOAT64] = "dtype Float64 has no vector kernel",
  [SW_DTYPE_INT32] = "dtype Int32 has no vector kernel",
  [SW_DTYPE_INT64] = "dtype Int64 has no vector kernel",
  [SW_DTYPE_BOOL] = "dtype Bool has no vector kernel",
};

static void
reject_level (SwKernelChoice *self,
              SwCpuLevel level)
{
  static const char *const missing[SW_CPU_N_LEVELS] = {
    [SW_CPU_LEVEL_AVX2] = "no AVX2 and FMA on this processor",
    [SW_CPU_LEVEL_AVX512] = "no AVX-512 on this processor",
  };
  const char *reason = missing[level];
#ifdef SW_CPU_HAVE_LEVELS
  gboolean is_lowered = level <= sw_cpu_level_get_highest ();
#else
  gboolean is_lowered = FALSE;

  reason = "built for what every processor has";
#endif

  sw_kernel_choice_reject (self, sw_cpu_level_get_name (level), is_lowered ? "STRIDEWEAVE_SIMD asks for less" : reason, -1);
}

static void
reject_levels (SwKernelChoice *self)
{
  for (SwCpuLevel level = SW_CPU_LEVEL_AVX512; level > sw_cpu_level; level--)
    reject_level (self, level);
}

static const char *
get_math_prefix (void)
{
  static const char *const prefixes[SW_CPU_N_LEVELS] = { "libm", "avx2 math", "avx512 math" };

  return sw_cpu_math_get () == &sw_cpu_math_portable ? prefixes[SW_CPU_LEVEL_BASE] : prefixes[sw_cpu_level];
}

static void
set_math (SwKernelChoice *self,
          const char *variant)
{
  sw_kernel_choice_set (self, get_math_prefix (), variant);
#ifdef SW_CPU_MATH_X86
  reject_levels (self);
#else
  sw_kernel_choice_reject (self, "vector math", "built without SLEEF", -1);
#endif
}

void
sw_cpu_choice_set_code (SwKernelChoice *self,
                        SwCpuCode code,
                        SwDType dtype,
                        const char *variant)
{
  gboolean has_math = sw_cpu_math_get () != &sw_cpu_math_portable;

  if (code == SW_CPU_CODE_MATH || (code == SW_CPU_CODE_MATH_OR_VECTOR && has_math))
    {
      set_math (self, variant);
      return;
    }
  if (code == SW_CPU_CODE_SCALAR)
    {
      sw_kernel_choice_set (self, "scalar", variant);
      sw_kernel_choice_reject (self, "vector", no_vector_kernel[dtype], -1);
      return;
    }

  sw_kernel_choice_set (self, sw_cpu_level_get_name (sw_cpu_level), variant);
  reject_levels (self);
#ifndef SW_CPU_MATH_X86
  if (code == SW_CPU_CODE_MATH_OR_VECTOR)
    sw_kernel_choice_reject (self, "vector math", "built without SLEEF", -1);
#endif
}

void
sw_cpu_choice_set_without (SwKernelChoice *self,
                           SwCpuLevel level,
                           const char *variant)
{
  sw_kernel_choice_set (self, "scalar", variant);
  reject_level (self, level);
}

/* The mode of a flat shape, or the leaf of a nested one, that a sorted nest has innermost. */
static gint64
get_innermost_mode (const SwAxis *axis)
{
  gint64 mode = -1;

  for (guint i = 0; i < axis->n_leaves; i++)
    {
      if (axis->leaves[i].extent > 1 && (mode < 0 || axis->leaves[i].step < axis->leaves[mode].step))
        mode = i;
    }
  return mode;
}

/* What the rows of all views have in common. */
static const char *
get_variant (const SwCpuNest *nest)
{
  gboolean is_strided = sw_cpu_nest_get_step (nest, 0) != 1, has_broadcast = FALSE;

  if (nest->n_loops == 1 && sw_cpu_nest_get_length (nest) == 1)
    return "single value";
  for (guint v = 1; v < nest->n_views; v++)
    {
      gint64 step = sw_cpu_nest_get_step (nest, v);

      is_strided |= step != 1 && step != 0;
      has_broadcast |= step == 0;
    }
  if (is_strided)
    return "strided";
  if (has_broadcast)
    return "broadcast";
  return nest->n_loops == 1 ? "contiguous" : "contiguous rows";
}

void
sw_cpu_choice_set_rows (SwKernelChoice *self,
                        SwCpuCode code,
                        SwDType dtype,
                        const SwCpuNest *nest,
                        const SwAxis *result)
{
  const char *variant = get_variant (nest);

  sw_cpu_choice_set_code (self, code, dtype, variant);
  if (g_str_equal (variant, "strided"))
    sw_kernel_choice_reject (self, "contiguous", "non-unit stride in mode", get_innermost_mode (result));
  else if (g_str_equal (variant, "broadcast"))
    sw_kernel_choice_reject (self, "contiguous", "one value for all of mode", get_innermost_mode (result));
  else if (g_str_equal (variant, "contiguous rows"))
    sw_kernel_choice_reject (self, "contiguous", "rows do not follow one another, loops:", nest->n_loops);
}

void
sw_cpu_choice_end (SwKernelChoice *self)
{
  if (self->n_pieces == 1 && self->n_threads == 1 && !sw_kernel_choice_has_rejected (self, "threads"))
    sw_kernel_choice_reject (self, "threads", "below the size for threads", -1);
}
