/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Ids of a set that takes as much memory as it has members: a file may have a hundred thousand lanes, each of which uses a
 * few names of a hundred thousand. Zeros are an empty one. */
typedef struct
{
  guint8 *bits;     /* of ids that are low for how many there are: nearly all, usually */
  guint32 *others;  /* a table of higher ones, which are never 0; 0: free */
  guint32 n_bytes;
  guint32 n_slots;
  guint32 n_others;
  guint32 n;
} SwTraceIdSet;

void sw_trace_id_set_clear (SwTraceIdSet *self);
/* TRUE the first time. */
gboolean sw_trace_id_set_add (SwTraceIdSet *self,
                              guint32 id);
/* Of those beyond the bits. */
gboolean sw_trace_id_set_has_other (const SwTraceIdSet *self,
                                    guint32 id);

static inline gboolean
sw_trace_id_set_has (const SwTraceIdSet *self,
                     guint32 id)
{
  if (G_LIKELY (id >> 3 < self->n_bytes))
    return (self->bits[id >> 3] & 1u << (id & 7)) != 0;
  return self->n_others > 0 && sw_trace_id_set_has_other (self, id);
}

G_END_DECLS
