/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-core-private.h"

G_BEGIN_DECLS

/* All cores of the process: for the gates, for tokens, and for forks. */

/* Handlers for forks, before those of whoever builds on this. */
void sw_zone_registry_watch_process (void);
void sw_zone_registry_add (SwZoneCore *core);
/* Its profiler is going: it is there for forks and for whoever taps alone, until it is removed. */
void sw_zone_registry_retire (SwZoneCore *core);
/* Nothing where it was removed before. */
void sw_zone_registry_remove (SwZoneCore *core);
/* References of all, in the order in which a fork locks them. */
GPtrArray *sw_zone_registry_dup_cores (void) G_GNUC_WARN_UNUSED_RESULT;
/* @flag is one of the core's; the gates follow. */
void sw_zone_registry_switch (SwZoneCore *core,
                              guint32 *flag,
                              gboolean value);

/* As if one more profiler were enabled. */
void sw_zone_registry_open_gate (void);
void sw_zone_registry_close_gate (void);

G_END_DECLS
