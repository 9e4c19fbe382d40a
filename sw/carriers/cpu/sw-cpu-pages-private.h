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

/* Large blocks would all begin at the same place of a page, and then a processor takes a value that it reads for one that it has just
 * written elsewhere, and waits; so they take turns. */
static inline gsize
sw_cpu_pages_get_alignment (gsize n_bytes)
{
  static guint32 turn;

  if (n_bytes < SW_CPU_MIN_HUGE_BYTES)
    return SW_CPU_ALIGNMENT;
  /* Relaxed: any turn will do. */
  return (gsize) 512 << __atomic_fetch_add (&turn, 1, __ATOMIC_RELAXED) % 3;
}

/* A block from the system's allocator, to be freed by free (); NULL: there is no memory. */
static inline gpointer
sw_cpu_pages_allocate (gsize n_bytes)
{
  gpointer block;

  if (posix_memalign (&block, sw_cpu_pages_get_alignment (n_bytes), n_bytes) != 0)
    block = NULL;

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
