/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw-profiler/zone/sw-zone-profiler.h"

G_BEGIN_DECLS

SwZoneCore *sw_zone_profiler_get_core (SwZoneProfiler *self);

G_END_DECLS
