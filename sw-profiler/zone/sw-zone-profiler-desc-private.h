/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-profiler-desc.h"

G_BEGIN_DECLS

gboolean sw_zone_profiler_desc_check (const SwZoneProfilerDesc *self,
                                      GError **error);
gboolean sw_capture_desc_check (const SwCaptureDesc *self,
                                GError **error);

G_END_DECLS
