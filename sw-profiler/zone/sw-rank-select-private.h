/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SW_MAX_RANKS 8
/* So few values are sorted. */
#define SW_RANKS_SORTED 256

/* What would stand at each of @ranks, below @n_values, if @values were sorted. The ranks ascend, unless there are at most
 * SW_RANKS_SORTED values. Exact, and linear in @n_values whatever the values are: each pass leaves at most a 2048th of
 * their range. */
void sw_select_ranks (const guint64 *values,
                      gsize n_values,
                      const gsize *ranks,
                      guint n_ranks,
                      guint64 *selected);

G_END_DECLS
