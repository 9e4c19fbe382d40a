/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-level-private.h"

/* For the files that hold row functions. Their loops are written so that the compiler makes vector code of them, which
 * it does at -O3. clang knows neither GCC's pragmas of targets nor its preferred width of vectors: it gets the base alone. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SW_CPU_HAVE_LEVELS 1
#define SW_CPU_TARGET_AVX2 __attribute__ ((target ("avx2,fma")))
#define SW_CPU_TARGET_AVX512 __attribute__ ((target ("avx512f,avx512dq,avx512bw,avx512vl,fma,prefer-vector-width=512")))
#endif

/* Defines the function @name from the inline function @name_at_level: once for each level, and one that calls the version
 * of the current level. */
#ifdef SW_CPU_HAVE_LEVELS
#define SW_CPU_DEFINE_LEVELS(Result, name, parameters, arguments) \
  static Result name##_base parameters                            \
  {                                                               \
    return name##_at_level arguments;                             \
  }                                                               \
                                                                  \
  SW_CPU_TARGET_AVX2 static Result name##_avx2 parameters         \
  {                                                               \
    return name##_at_level arguments;                             \
  }                                                               \
                                                                  \
  SW_CPU_TARGET_AVX512 static Result name##_avx512 parameters     \
  {                                                               \
    return name##_at_level arguments;                             \
  }                                                               \
                                                                  \
  static Result name parameters                                   \
  {                                                               \
    if (G_LIKELY (sw_cpu_level == SW_CPU_LEVEL_AVX512))           \
      return name##_avx512 arguments;                             \
    if (G_LIKELY (sw_cpu_level == SW_CPU_LEVEL_AVX2))             \
      return name##_avx2 arguments;                               \
    return name##_base arguments;                                 \
  }
#else
#define SW_CPU_DEFINE_LEVELS(Result, name, parameters, arguments) \
  static Result name parameters                                   \
  {                                                               \
    return name##_at_level arguments;                             \
  }
#endif

/* For other files: versions among which the loader chooses. Sanitizers do not work with such functions. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SW_CPU_ROW __attribute__ ((target_clones ("avx2", "default")))
#else
#define SW_CPU_ROW
#endif

/* Before a loop each of whose results depends on inputs of the same place only. They may lie where an input does, value on value,
 * which "restrict" would deny; so the compiler need not check whether they overlap, and stays with vector code if they do. GCC
 * would take short loops of known length apart before it makes vector code of them. */
#if defined(__clang__)
#define SW_CPU_INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SW_CPU_INDEPENDENT _Pragma ("GCC ivdep") _Pragma ("GCC unroll 1")
#else
#define SW_CPU_INDEPENDENT
#endif

#define SW_CPU_INLINE static inline __attribute__ ((always_inline))

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math", "no-math-errno")
#endif
