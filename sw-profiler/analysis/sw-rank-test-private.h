/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether one of two samples tends to be greater: the test of Mann and Whitney, and Wilcoxon. */
typedef struct
{
  double p;           /* two-sided; 1 where a sample is empty, or all are equal */
  double superiority; /* the probability that one of the new is greater than one of the base, ties counted half. 0.5: neither */
  gboolean is_exact;
} SwRankTest;

/* Sorts both. */
void sw_rank_test (gint64 *base,
                   gsize n_base,
                   gint64 *new,
                   gsize n_new,
                   SwRankTest *test);

/* Holm's step-down adjustment of p values, in place: of all that are below a limit then, the probability that any is by chance is at most
 * that limit. */
void sw_adjust_p_values (double *p,
                         gsize n);

G_END_DECLS
