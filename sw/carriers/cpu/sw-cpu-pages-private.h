/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/carriers/cpu/sw-cpu-cache-private.h"

#include <stdlib.h>
#include <sys/mman.h>

G_BEGIN_DECLS

/* From here on pages of 2 MiB are asked for: with those of 4 KiB, a fresh block faults a thousand times, and a processor looks
 * its addresses up again and again. */
#define SW_CPU_MIN_HUGE_BYTES ((gsize) 4 << 20)
#define SW_CPU_HUGE_PAGE ((gsize) 2 << 20)

/* A block from the system's allocator, to be freed by free (); NULL: there is no memory. */
static inline gpointer
sw_cpu_pages_allocate (gsize n_bytes)
{
  gpointer block = aligned_alloc (SW_CPU_ALIGNMENT, n_bytes);

#ifdef MADV_HUGEPAGE
  if (n_bytes >= SW_CPU_MIN_HUGE_BYTES && block != NULL)
    {
      gsize start = ((gsize) block + SW_CPU_HUGE_PAGE - 1) & ~(SW_CPU_HUGE_PAGE - 1);
      gsize end = ((gsize) block + n_bytes) & ~(SW_CPU_HUGE_PAGE - 1);

      /* A kernel that has none goes on with small ones. */
      if (end > start)
        madvise ((gpointer) start, end - start, MADV_HUGEPAGE);
    }
#endif
  return block;
}

G_END_DECLS
