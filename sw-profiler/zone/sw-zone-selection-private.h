/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-selection.h"
#include "sw-profiler/zone/sw-zone-trace-private.h"

G_BEGIN_DECLS

/* Takes the array of @n zone indices. */
SwZoneSelection *sw_zone_selection_new (SwZoneTrace *trace,
                                        guint32 *indices,
                                        gsize n) G_GNUC_WARN_UNUSED_RESULT;
const guint32 *sw_zone_selection_peek_indices (SwZoneSelection *self,
                                               guint32 *n);
/* The durations of the zones, in the selection's order. */
guint64 *sw_zone_selection_copy_durations (SwZoneSelection *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
