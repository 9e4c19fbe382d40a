/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A full memory barrier in every thread of the process, so that those who record need none: what each of them wrote before
 * it next reads the clock is visible to the caller. Where the system cannot do it, a zone that is just beginning may be
 * missed; it is counted as late then. */
void sw_zone_barrier_in_all_threads (void);

/* Atomic: the system has no such barrier, so that who relies on one has to order by themselves. Known after
 * sw_zone_barrier_prepare (). */
extern guint32 sw_zone_barrier_is_missing;

/* Before the first thread asks. */
void sw_zone_barrier_prepare (void);

static inline gboolean
sw_zone_barrier_get_is_missing (void)
{
  /* Relaxed: it is set before there is anything to order, or seen soon. */
  return G_UNLIKELY (__atomic_load_n (&sw_zone_barrier_is_missing, __ATOMIC_RELAXED) != 0);
}

G_END_DECLS
