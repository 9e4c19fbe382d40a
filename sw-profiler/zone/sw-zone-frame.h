/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_ZONE_FRAME (sw_zone_frame_get_type ())

typedef struct _SwZoneFrame SwZoneFrame;

SW_AVAILABLE_IN_0_1
GType sw_zone_frame_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwZoneFrame *sw_zone_frame_ref (SwZoneFrame *self);
SW_AVAILABLE_IN_0_1
void sw_zone_frame_unref (SwZoneFrame *self);

SW_AVAILABLE_IN_0_1
guint32 sw_zone_frame_get_index (SwZoneFrame *self);
SW_AVAILABLE_IN_0_1
const char *sw_zone_frame_get_name (SwZoneFrame *self);
SW_AVAILABLE_IN_0_1
guint64 sw_zone_frame_get_start_ns (SwZoneFrame *self);
SW_AVAILABLE_IN_0_1
guint64 sw_zone_frame_get_duration_ns (SwZoneFrame *self);

SW_AVAILABLE_IN_0_1
gboolean sw_zone_frame_equal (SwZoneFrame *self,
                              SwZoneFrame *other);
SW_AVAILABLE_IN_0_1
guint sw_zone_frame_hash (SwZoneFrame *self);
SW_AVAILABLE_IN_0_1
char *sw_zone_frame_to_string (SwZoneFrame *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwZoneFrame, sw_zone_frame_unref)

G_END_DECLS
