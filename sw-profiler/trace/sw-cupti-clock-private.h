/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-cupti-private.h"

G_BEGIN_DECLS

/* From CUPTI's clock, by default the wall clock's nanoseconds, to CLOCK_MONOTONIC. Both are read at the same moment now and
 * then; between two such pairs a time is interpolated, so that clocks that drift apart stay together. Where CUPTI's clock was
 * set, forwards or backwards, another era begins, and a time belongs to the latest era in which it makes sense. */

typedef struct
{
  gint64 theirs;
  gint64 ns; /* CLOCK_MONOTONIC */
  guint era;
} SwCuptiPair;

#define SW_CUPTI_MAX_PAIRS 128

typedef struct
{
  SwCuptiPair pairs[SW_CUPTI_MAX_PAIRS];
  guint n_pairs;
  guint n_eras;
} SwCuptiClock;

/* Reads both clocks several times, and takes the narrowest. The first one must succeed before anything is converted. */
gboolean sw_cupti_clock_pair (SwCuptiClock *self,
                              const SwCuptiLibrary *library,
                              GError **error);
/* The same with what was read. */
void sw_cupti_clock_add (SwCuptiClock *self,
                         gint64 theirs,
                         gint64 ns);
/* When the last pair was read. */
gint64 sw_cupti_clock_get_last_ns (const SwCuptiClock *self);
/* FALSE: a time that cannot have been, as after the present. */
gboolean sw_cupti_clock_to_ns (const SwCuptiClock *self,
                               guint64 theirs,
                               gint64 *ns);

G_END_DECLS
