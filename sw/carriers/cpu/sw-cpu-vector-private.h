/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* For the files that hold row functions. Their loops are written so that the compiler makes vector code of them, which
 * it does at -O3; the processor decides at load time which version runs. Sanitizers do not work with such functions. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SW_CPU_ROW __attribute__ ((target_clones ("avx2", "default")))
/* For rows that compute much for each value. */
#define SW_CPU_WIDE_ROW __attribute__ ((target_clones ("avx512f", "avx2", "default")))
#else
#define SW_CPU_ROW
#define SW_CPU_WIDE_ROW
#endif

#define SW_CPU_INLINE static inline __attribute__ ((always_inline))

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math", "no-math-errno")
#endif
