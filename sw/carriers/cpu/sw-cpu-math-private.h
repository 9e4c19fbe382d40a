/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "sw/carriers/cpu/sw-cpu-math-config.h"

G_BEGIN_DECLS

/* Functions whose values come from a library: SLEEF's vector code where there is SLEEF and the processor has what it takes,
 * else the C library. Either is within one or two units in the last place, and they need not agree in the last. */
typedef enum
{
  SW_CPU_MATH_SQRT,
  SW_CPU_MATH_RSQRT,
  SW_CPU_MATH_EXP2,
  SW_CPU_MATH_LOG,
  SW_CPU_MATH_LOG2,
  SW_CPU_MATH_SIN,
  SW_CPU_MATH_COS,
  SW_CPU_MATH_ERF,
  SW_CPU_MATH_GELU,
  SW_CPU_MATH_SOFTPLUS,
  SW_CPU_N_MATH
} SwCpuMathFunction;

/* @n values of the one type that lie side by side. */
typedef void (*SwCpuMathRow) (gint64 n,
                              gconstpointer input,
                              gpointer result);

typedef void (*SwCpuMathBinaryRow) (gint64 n,
                                    gconstpointer lhs,
                                    gconstpointer rhs,
                                    gpointer result);

typedef struct
{
  const char *name;
  SwCpuMathRow float32[SW_CPU_N_MATH];
  SwCpuMathRow float64[SW_CPU_N_MATH];
  /* NULL in the portable one, where plain code of this library is as good. */
  SwCpuMathRow exp_float32;
  SwCpuMathRow tanh_float32;
  SwCpuMathRow sigmoid_float32;
  SwCpuMathRow silu_float32;
  SwCpuMathBinaryRow pow_float32;
  SwCpuMathBinaryRow pow_float64;
} SwCpuMath;

extern const SwCpuMath sw_cpu_math_portable;

#if defined(SW_CPU_HAVE_SLEEF) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SW_CPU_MATH_X86 1
extern const SwCpuMath sw_cpu_math_avx2;
extern const SwCpuMath sw_cpu_math_avx512;
#endif

/* That of the current level. */
const SwCpuMath *sw_cpu_math_get (void);

G_END_DECLS
