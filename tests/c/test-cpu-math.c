/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Every level of vector code that this processor has, and the portable one: they must agree within what is promised. */

#include <glib.h>
#include <math.h>
#include <string.h>

#include "sw/carriers/cpu/sw-cpu-kernels-private.h"
#include "sw/carriers/cpu/sw-cpu-level-private.h"
#include "sw/carriers/cpu/sw-cpu-math-private.h"

#define N_VALUES 4099

static const struct
{
  const char *name;
  double units; /* in the last place */
} functions[SW_CPU_N_MATH] = {
  [SW_CPU_MATH_SQRT] = { "sqrt", 0.51 },
  [SW_CPU_MATH_RSQRT] = { "rsqrt", 1.5 },
  [SW_CPU_MATH_EXP2] = { "exp2", 2 },
  [SW_CPU_MATH_LOG] = { "log", 2 },
  [SW_CPU_MATH_LOG2] = { "log2", 2 },
  [SW_CPU_MATH_SIN] = { "sin", 2 },
  [SW_CPU_MATH_COS] = { "cos", 2 },
  [SW_CPU_MATH_ERF] = { "erf", 2 },
  [SW_CPU_MATH_GELU] = { "gelu", 4 },
  [SW_CPU_MATH_SOFTPLUS] = { "softplus", 3 },
};

static const double specials[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 1e-40, -1e-40, 1e-310, 3e38, -3e38, 88.7, -104, 1e5, 710, -745, 1, -1, 14.5, 15.5, 9e13, 2e14 };

static guint
get_levels (const SwCpuMath **levels)
{
  guint n = 0;

  levels[n++] = &sw_cpu_math_portable;
#ifdef SW_CPU_MATH_X86
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    levels[n++] = &sw_cpu_math_avx2;
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq"))
    levels[n++] = &sw_cpu_math_avx512;
#endif
  return n;
}

static void
fill (double *values)
{
  for (guint i = 0; i < N_VALUES; i++)
    {
      double scale = (double[]){ 0.1, 1, 10, 100, 1e4 }[g_test_rand_int_range (0, 5)];

      values[i] = i < G_N_ELEMENTS (specials) ? specials[i] : g_test_rand_double_range (-scale, scale);
      values[i] = (float) values[i];
    }
}

/* Of what is as small as the smallest normal number, digits may be lost. */
static void
check (const char *level,
       const char *function,
       double input,
       double value,
       double exact,
       double unit,
       double units,
       double smallest)
{
  if (isnan (exact) || isinf (exact))
    {
      if (!(isnan (exact) ? isnan (value) : value == exact))
        g_error ("%s %s (%.17g) is %.17g, not %.17g", level, function, input, value, exact);
      return;
    }
  if (!(fabs (value - exact) <= units * unit + smallest))
    g_error ("%s %s (%.17g) is %.17g, not %.17g: %.2f units", level, function, input, value, exact, fabs (value - exact) / unit);
}

static void
test_float32 (void)
{
  g_autofree double *values = g_new (double, N_VALUES);
  g_autofree double *exact = g_new (double, N_VALUES);
  g_autofree float *inputs = g_new (float, N_VALUES);
  g_autofree float *results = g_new (float, N_VALUES);
  const SwCpuMath *levels[4];
  guint n_levels = get_levels (levels);

  fill (values);
  for (guint i = 0; i < N_VALUES; i++)
    inputs[i] = (float) values[i];
  for (guint f = 0; f < SW_CPU_N_MATH; f++)
    {
      sw_cpu_math_portable.float64[f](N_VALUES, values, exact);
      for (guint k = 0; k < n_levels; k++)
        {
          levels[k]->float32[f](N_VALUES, inputs, results);
          for (guint i = 0; i < N_VALUES; i++)
            {
              float rounded = (float) exact[i];
              double unit = isfinite (rounded) ? nextafterf (fabsf (rounded), INFINITY) - fabsf (rounded) : 0;

              check (levels[k]->name, functions[f].name, values[i], results[i], isfinite (rounded) ? exact[i] : rounded, unit,
                     functions[f].units, 0x1p-126 * 0x1p-17);
            }
        }
    }
}

static void
test_float64 (void)
{
  g_autofree double *values = g_new (double, N_VALUES);
  g_autofree double *exact = g_new (double, N_VALUES);
  g_autofree double *results = g_new (double, N_VALUES);
  const SwCpuMath *levels[4];
  guint n_levels = get_levels (levels);

  fill (values);
  for (guint f = 0; f < SW_CPU_N_MATH; f++)
    {
      sw_cpu_math_portable.float64[f](N_VALUES, values, exact);
      for (guint k = 0; k < n_levels; k++)
        {
          levels[k]->float64[f](N_VALUES, values, results);
          for (guint i = 0; i < N_VALUES; i++)
            {
              double unit = isfinite (exact[i]) ? nextafter (fabs (exact[i]), INFINITY) - fabs (exact[i]) : 0;

              check (levels[k]->name, functions[f].name, values[i], results[i], exact[i], unit, functions[f].units, 0x1p-1022 * 0x1p-40);
            }
        }
    }
}

static long double
identity_or_expm1 (long double x)
{
  return x < 0 ? expm1l (x) : x;
}

static long double
sigmoid (long double x)
{
  return 1 / (1 + expl (-x));
}

static long double
silu (long double x)
{
  return x == -INFINITY ? -0.0L : x * sigmoid (x);
}

static long double
gelu (long double x)
{
  return x == -INFINITY ? -0.0L : x / 2 * erfcl (-x * 0.70710678118654752440084436210484904L);
}

static long double
softplus (long double x)
{
  return (x > 0 ? x : 0) + log1pl (expl (-fabsl (x)));
}

/* Functions of this library's own, in long double. */
static const struct
{
  const char *name;
  const SwCpuUnaryKernel *kernel;
  const SwCpuParametricKernel *parametric; /* with the parameter 1 */
  long double (*exact) (long double);
  double units;
  gboolean is_narrow;     /* only that for Float32 is its own */
  gboolean is_multiplied; /* by the input, and so is what is lost below the smallest number */
} own_functions[] = {
  { "exp", &sw_cpu_exp_kernel, NULL, expl, 2 },
  { "tanh", &sw_cpu_tanh_kernel, NULL, tanhl, 2 },
  { "sin", &sw_cpu_sin_kernel, NULL, sinl, 2 },
  { "cos", &sw_cpu_cos_kernel, NULL, cosl, 2 },
  { "sigmoid", &sw_cpu_sigmoid_kernel, NULL, sigmoid, 3 },
  { "silu", &sw_cpu_silu_kernel, NULL, silu, 4, FALSE, TRUE },
  { "elu", NULL, &sw_cpu_elu_kernel, identity_or_expm1, 2 },
  { "gelu", &sw_cpu_gelu_kernel, NULL, gelu, 2, TRUE },
  { "softplus", &sw_cpu_softplus_kernel, NULL, softplus, 2, TRUE },
};

static void
run_own (guint f,
         SwDType dtype,
         gconstpointer inputs,
         gpointer results)
{
  SwNumberCell one[SW_MAX_PARAMETERS] = { 0 };

  if (dtype == SW_DTYPE_FLOAT32)
    one[0].float32 = 1;
  else
    one[0].float64 = 1;
  if (own_functions[f].kernel != NULL)
    own_functions[f].kernel->rows[dtype](N_VALUES, inputs, 1, results, 1);
  else
    own_functions[f].parametric->rows[dtype](N_VALUES, inputs, 1, one, results, 1);
}

static void
check_own (guint f,
           const double *values)
{
  const char *level = sw_cpu_level_get_name (sw_cpu_level);
  g_autofree float *inputs = g_new (float, N_VALUES);
  g_autofree float *narrow = g_new (float, N_VALUES);
  g_autofree double *wide = g_new (double, N_VALUES);

  for (guint i = 0; i < N_VALUES; i++)
    inputs[i] = (float) values[i];
  run_own (f, SW_DTYPE_FLOAT32, inputs, narrow);
  run_own (f, SW_DTYPE_FLOAT64, values, wide);
  for (guint i = 0; i < N_VALUES; i++)
    {
      long double exact = own_functions[f].exact (values[i]);
      float rounded = (float) exact;
      double wide_rounded = (double) exact;
      double unit = isfinite (rounded) ? nextafterf (fabsf (rounded), INFINITY) - fabsf (rounded) : 0;
      double scale = own_functions[f].is_multiplied && isfinite (values[i]) ? MAX (1, fabs (values[i])) : 1;
      double wide_unit = isfinite (wide_rounded) ? nextafter (fabs (wide_rounded), INFINITY) - fabs (wide_rounded) : 0;

      check (level, own_functions[f].name, values[i], narrow[i], isfinite (rounded) ? (double) exact : rounded, unit,
             own_functions[f].units, scale * 0x1p-149);
      if (!own_functions[f].is_narrow)
        check (level, own_functions[f].name, values[i], wide[i], wide_rounded, wide_unit, own_functions[f].units, scale * 0x1p-1074);
      if (exact == 0)
        g_assert_cmpint (signbit (narrow[i]) != 0, ==, signbit (exact) != 0);
    }
}

static void
test_own_functions (void)
{
  g_autofree double *values = g_new (double, N_VALUES);
  SwCpuLevel highest = sw_cpu_level_get_highest ();

  for (guint round = 0; round < 10; round++)
    {
      fill (values);
      for (guint f = 0; f < G_N_ELEMENTS (own_functions); f++)
        {
          for (sw_cpu_level = SW_CPU_LEVEL_BASE; sw_cpu_level < highest; sw_cpu_level++)
            check_own (f, values);
          check_own (f, values);
        }
    }
}

static void
fill_powers (float *bases,
             float *exponents,
             guint round)
{
  static const float some[] = { NAN, INFINITY, -INFINITY, 0, -0.0f, 1, -1, 0.5f, -2, 3, 1e-40f, -1e-40f, 3e38f, -3e38f, 0x1p24f, 0x1.000002p24f, 1e-3f };
  guint n = G_N_ELEMENTS (some);

  for (guint i = 0; i < N_VALUES; i++)
    {
      double base = g_test_rand_bit () ? exp2 (g_test_rand_double_range (-126, 127)) : g_test_rand_double_range (0.5, 2);
      double exponent = g_test_rand_double_range (-150, 130) / log2 (base);

      bases[i] = (float) (round & 1 ? -base : base);
      exponents[i] = (float) (g_test_rand_bit () && round & 1 ? rint (exponent) : exponent);
    }
  for (guint i = 0; i < n * n; i++)
    {
      bases[i * 7] = some[i / n];
      exponents[i * 7] = some[i % n];
    }
}

static void
check_powers (const float *bases,
              const float *exponents)
{
  g_autofree float *results = g_new (float, N_VALUES);

  sw_cpu_pow_kernel.rows[SW_DTYPE_FLOAT32](N_VALUES, bases, 1, exponents, 1, results, 1);
  for (guint i = 0; i < N_VALUES; i++)
    {
      long double exact = powl (bases[i], exponents[i]);
      float rounded = (float) exact;
      double unit = isfinite (rounded) ? nextafterf (fabsf (rounded), INFINITY) - fabsf (rounded) : 0;

      /* An overflow is of whatever rounds to infinity. */
      if (isinf (results[i]) && fabsl (exact) > 0x1.fffffep127L)
        continue;
      check (sw_cpu_level_get_name (sw_cpu_level), "pow", bases[i], results[i], isfinite (rounded) ? (double) exact : rounded, unit, 1, 0x1p-149);
      if (rounded == 0)
        g_assert_cmpint (signbit (results[i]) != 0, ==, signbit (rounded) != 0);
    }
}

static void
test_powers (void)
{
  g_autofree float *bases = g_new (float, N_VALUES);
  g_autofree float *exponents = g_new (float, N_VALUES);
  SwCpuLevel highest = sw_cpu_level_get_highest ();

  for (guint round = 0; round < 10; round++)
    {
      fill_powers (bases, exponents, round);
      for (sw_cpu_level = SW_CPU_LEVEL_BASE; sw_cpu_level < highest; sw_cpu_level++)
        check_powers (bases, exponents);
      check_powers (bases, exponents);
    }
}

static const struct
{
  const char *name;
  const SwCpuUnaryKernel *kernel;
} unary_kernels[] = {
  { "sqrt", &sw_cpu_sqrt_kernel },
  { "rsqrt", &sw_cpu_rsqrt_kernel },
  { "exp", &sw_cpu_exp_kernel },
  { "exp2", &sw_cpu_exp2_kernel },
  { "log", &sw_cpu_log_kernel },
  { "log2", &sw_cpu_log2_kernel },
  { "sin", &sw_cpu_sin_kernel },
  { "cos", &sw_cpu_cos_kernel },
  { "tanh", &sw_cpu_tanh_kernel },
  { "erf", &sw_cpu_erf_kernel },
  { "gelu", &sw_cpu_gelu_kernel },
  { "softplus", &sw_cpu_softplus_kernel },
  { "sigmoid", &sw_cpu_sigmoid_kernel },
  { "silu", &sw_cpu_silu_kernel },
};

/* Copies @n numbers to a buffer of the dtype. */
static void
convert (SwDType dtype,
         guint n,
         const double *values,
         gpointer converted)
{
  for (guint i = 0; i < n; i++)
    {
      if (dtype == SW_DTYPE_FLOAT32)
        ((float *) converted)[i] = (float) values[i];
      else
        ((double *) converted)[i] = values[i];
    }
}

static void
assert_alike (const char *function,
              SwDType dtype,
              double input,
              gconstpointer alone,
              gconstpointer among)
{
  gsize size = sw_dtype_get_item_size (dtype);
  double a = dtype == SW_DTYPE_FLOAT32 ? *(const float *) alone : *(const double *) alone;
  double b = dtype == SW_DTYPE_FLOAT32 ? *(const float *) among : *(const double *) among;

  if (memcmp (alone, among, size) != 0 && !(isnan (a) && isnan (b)))
    g_error ("%s %s (%.17g) of %s is %.17g alone and %.17g among others", sw_cpu_level_get_name (sw_cpu_level), function, input,
             sw_dtype_to_string (dtype), a, b);
}

static void
check_values_alone (SwDType dtype,
                    const double *values)
{
  gsize size = sw_dtype_get_item_size (dtype);
  g_autofree char *inputs = g_malloc (N_VALUES * size);
  g_autofree char *results = g_malloc (N_VALUES * size);
  double alone;

  convert (dtype, N_VALUES, values, inputs);
  for (guint f = 0; f < G_N_ELEMENTS (unary_kernels); f++)
    {
      SwCpuUnaryRow row = unary_kernels[f].kernel->rows[dtype];

      row (N_VALUES, inputs, 1, results, 1);
      for (guint i = 0; i < N_VALUES; i++)
        {
          row (1, inputs + i * size, 1, &alone, 1);
          assert_alike (unary_kernels[f].name, dtype, values[i], &alone, results + i * size);
        }
    }
}

static void
check_powers_alone (SwDType dtype,
                    const double *bases,
                    const double *exponents)
{
  gsize size = sw_dtype_get_item_size (dtype);
  SwCpuBinaryRow row = sw_cpu_pow_kernel.rows[dtype];
  g_autofree char *lhs = g_malloc (N_VALUES * size);
  g_autofree char *rhs = g_malloc (N_VALUES * size);
  g_autofree char *results = g_malloc (N_VALUES * size);
  double alone;

  convert (dtype, N_VALUES, bases, lhs);
  convert (dtype, N_VALUES, exponents, rhs);
  row (N_VALUES, lhs, 1, rhs, 1, results, 1);
  for (guint i = 0; i < N_VALUES; i++)
    {
      row (1, lhs + i * size, 1, rhs + i * size, 1, &alone, 1);
      assert_alike ("pow", dtype, bases[i], &alone, results + i * size);
    }
}

/* What a value becomes does not depend on those beside it, which go through the same vector. */
static void
test_values_alone (void)
{
  g_autofree double *values = g_new (double, N_VALUES);
  g_autofree double *others = g_new (double, N_VALUES);
  SwCpuLevel highest = sw_cpu_level_get_highest ();

  for (SwCpuLevel level = SW_CPU_LEVEL_BASE; level <= highest; level++)
    {
      sw_cpu_level = level;
      fill (values);
      fill (others);
      for (guint i = 0; i < N_VALUES; i++)
        {
          /* Special ones here and there; of those of doubles, also between what is a float. */
          if (g_test_rand_int_range (0, 20) == 0)
            values[i] = specials[g_test_rand_int_range (0, G_N_ELEMENTS (specials))];
          values[i] *= g_test_rand_bit () ? 1 : 1 + 0x1p-40;
        }
      check_values_alone (SW_DTYPE_FLOAT32, values);
      check_values_alone (SW_DTYPE_FLOAT64, values);
      for (guint i = 0; i < N_VALUES; i++)
        values[i] = g_test_rand_int_range (0, 20) == 0 ? values[i] : fabs (values[i]);
      check_powers_alone (SW_DTYPE_FLOAT32, values, others);
      check_powers_alone (SW_DTYPE_FLOAT64, values, others);
    }
  sw_cpu_level = highest;
}

/* A row of any length touches its own values only. */
static void
test_ends_of_rows (void)
{
  const SwCpuMath *levels[4];
  guint n_levels = get_levels (levels);

  for (guint k = 0; k < n_levels; k++)
    {
      for (guint n = 0; n <= 40; n++)
        {
          float inputs[42], results[42];
          double wide_inputs[42], wide_results[42];

          for (guint i = 0; i < 42; i++)
            {
              inputs[i] = wide_inputs[i] = 1;
              results[i] = wide_results[i] = -7;
            }
          levels[k]->float32[SW_CPU_MATH_EXP2](n, inputs, results);
          levels[k]->float64[SW_CPU_MATH_EXP2](n, wide_inputs, wide_results);
          for (guint i = 0; i < 42; i++)
            {
              g_assert_cmpfloat (results[i], ==, i < n ? 2 : -7);
              g_assert_cmpfloat (wide_results[i], ==, i < n ? 2 : -7);
            }
        }
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-math/own-functions", test_own_functions);
  g_test_add_func ("/cpu-math/powers", test_powers);
  g_test_add_func ("/cpu-math/values-alone", test_values_alone);
  g_test_add_func ("/cpu-math/float32", test_float32);
  g_test_add_func ("/cpu-math/float64", test_float64);
  g_test_add_func ("/cpu-math/ends-of-rows", test_ends_of_rows);

  return g_test_run ();
}
