/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "sw/carriers/cpu/sw-cpu-vector-private.h"

G_BEGIN_DECLS

/* Sorts @n unsigned keys, with as much memory beside them; returns where they are then: in one of the two. */
guint32 *
sw_cpu_radix_sort_32 (guint32 *keys,
                      guint32 *other,
                      gint64 n);
guint64 *
sw_cpu_radix_sort_64 (guint64 *keys,
                      guint64 *other,
                      gint64 n);

#ifdef SW_CPU_HAVE_LEVELS
/* The same in vectors of AVX-512; the sorted keys are in the other memory. Parts that are still long after so many divisions are
 * sorted by radix. */
void
sw_cpu_quicksort_avx512 (guint32 *keys,
                         guint32 *other,
                         gint64 n,
                         guint max_depth);
#endif

G_END_DECLS
