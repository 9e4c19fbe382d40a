/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/zone/sw-zone-frame.h"

G_BEGIN_DECLS

SwZoneFrame *sw_zone_frame_new (guint32 index,
                                const char *name,
                                guint64 begin_ns,
                                guint64 end_ns) G_GNUC_WARN_UNUSED_RESULT;
/* How much memory one of this name takes. */
gsize sw_zone_frame_size (const char *name);

G_END_DECLS
