/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A slice as it is kept: 24 bytes. Of which track it is, its list says. */
typedef struct
{
  gint64 start_ns;
  gint64 duration_ns;
  guint32 label;
  guint16 order; /* of the same times, what is outer has the lower: a stated depth, or what the reader found */
  guint16 flags;
} SwSliceRecord;

/* What is outer comes first: by ascending starts; of those, the longer one; of those, the one of the lower order. What is
 * equal in all of that keeps its order. Negative, zero, positive. */
static inline int
sw_slice_record_compare (const SwSliceRecord *a,
                         const SwSliceRecord *b)
{
  if (a->start_ns != b->start_ns)
    return a->start_ns < b->start_ns ? -1 : 1;
  if (a->duration_ns != b->duration_ns)
    return a->duration_ns > b->duration_ns ? -1 : 1;
  return (a->order > b->order) - (a->order < b->order);
}

/* Into that order, in linear time but for long runs of equal starts; at once when they are in it already. */
void sw_slice_records_sort (SwSliceRecord *records,
                            gsize n);

G_END_DECLS
