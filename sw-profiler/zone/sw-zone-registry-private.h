/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-core-private.h"

G_BEGIN_DECLS

/* All cores of the process: for the gates, for tokens, and for forks. */

void sw_zone_registry_add (SwZoneCore *core);
void sw_zone_registry_remove (SwZoneCore *core);
/* @flag is one of the core's; the gates follow. */
void sw_zone_registry_switch (SwZoneCore *core,
                              guint32 *flag,
                              gboolean value);

G_END_DECLS
