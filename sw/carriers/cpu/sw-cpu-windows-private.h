/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* A walk over rows of positions for one place in the windows. */
typedef struct
{
  gint64 row[SW_MAX_WINDOW_MODES];    /* the coordinates of the row, but for the last mode */
  gint64 shifts[SW_MAX_WINDOW_MODES]; /* of the place against the position */
  gint64 first;                       /* position in a row whose value is not padding */
  gint64 end;
} SwCpuTerm;

void
sw_cpu_term_init (SwCpuTerm *self,
                  const SwWindows *windows,
                  gint64 row,
                  gint64 k);

/* Where the row's first position has its value, however far in the padding; FALSE: the whole row is padding. */
gboolean
sw_cpu_term_locate (const SwCpuTerm *self,
                    const SwWindows *windows,
                    gint64 *index);

void
sw_cpu_term_next (SwCpuTerm *self,
                  const SwWindows *windows);

/* Copies the values of @n positions from @first on, zero for padding: a row of @n for each place in the windows of each of
 * @n_channels, the first of which is at @start, the next ones @channel_step further. */
void
sw_cpu_windows_fill (const SwWindows *windows,
                     const SwView *input,
                     gint64 start,
                     gint64 channel_step,
                     gint64 n_channels,
                     gint64 first,
                     gint64 n,
                     gpointer to);

G_END_DECLS
