/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_TIMELINE (sw_timeline_get_type ())

typedef struct _SwTimeline SwTimeline;

SW_AVAILABLE_IN_0_1
GType sw_timeline_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwTimeline *sw_timeline_new (SwTimelineType timeline_type,
                             const char *name,
                             guint64 thread_id,
                             guint64 device_id,
                             guint32 queue) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwTimeline *sw_timeline_ref (SwTimeline *self);
SW_AVAILABLE_IN_0_1
void sw_timeline_unref (SwTimeline *self);

SW_AVAILABLE_IN_0_1
SwTimelineType sw_timeline_get_timeline_type (SwTimeline *self);
SW_AVAILABLE_IN_0_1
const char *sw_timeline_get_name (SwTimeline *self);
SW_AVAILABLE_IN_0_1
guint64 sw_timeline_get_thread_id (SwTimeline *self);
SW_AVAILABLE_IN_0_1
guint64 sw_timeline_get_device_id (SwTimeline *self);
SW_AVAILABLE_IN_0_1
guint32 sw_timeline_get_queue (SwTimeline *self);

SW_AVAILABLE_IN_0_1
gboolean sw_timeline_equal (SwTimeline *self,
                            SwTimeline *other);
SW_AVAILABLE_IN_0_1
guint sw_timeline_hash (SwTimeline *self);
SW_AVAILABLE_IN_0_1
char *sw_timeline_to_string (SwTimeline *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTimeline, sw_timeline_unref)

G_END_DECLS
