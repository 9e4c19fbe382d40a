/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sorted sources that are merged: the one whose next record comes first is at place 0. Inline, with the comparison. */

typedef gboolean (*SwMergeIsBefore) (gconstpointer a,
                                     gconstpointer b);

/* Puts right what may be wrong at @at alone. */
static inline void
sw_merge_heap_sift_down (gpointer *heap,
                         gsize n,
                         gsize at,
                         SwMergeIsBefore is_before)
{
  for (;;)
    {
      gsize child = 2 * at + 1;
      gpointer moved;

      if (child >= n)
        return;
      if (child + 1 < n && is_before (heap[child + 1], heap[child]))
        child++;
      if (!is_before (heap[child], heap[at]))
        return;
      moved = heap[at];
      heap[at] = heap[child];
      heap[child] = moved;
      at = child;
    }
}

/* From any order. */
static inline void
sw_merge_heap_build (gpointer *heap,
                     gsize n,
                     SwMergeIsBefore is_before)
{
  for (gsize i = n; i-- > 0;)
    sw_merge_heap_sift_down (heap, n, i, is_before);
}

G_END_DECLS
