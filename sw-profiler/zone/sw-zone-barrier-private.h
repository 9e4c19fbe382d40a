/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A full memory barrier in every thread of the process, so that those who record need none: what each of them wrote before
 * it next reads the clock is visible to the caller. Where the system cannot do it, a zone that is just beginning may be
 * missed; it is counted as late then. */
void sw_zone_barrier_in_all_threads (void);

G_END_DECLS
