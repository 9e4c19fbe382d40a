/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-profiler-encoder.h>
#include <sw-profiler/zone/sw-zone-profiler.h>

G_BEGIN_DECLS

/* C has macros for these, see sw-zone-scope.h; the guards are for Vala, which ends them as C ends its variables. */
#ifndef __GI_SCANNER__

/* Where valac writes the call is where the call is: it knows how to tell the C compiler. */
#define SW_ZONE_GUARD_HERE(name, encoder) sw_zone_guard_new (name, encoder, __FILE__, __LINE__, G_STRFUNC)
#define SW_ZONE_GUARD_FOR_FUNCTION_HERE(encoder) sw_zone_guard_new_for_function (encoder, __FILE__, __LINE__, G_STRFUNC)

typedef struct _SwZoneGuard SwZoneGuard;
typedef struct _SwFrameGuard SwFrameGuard;
typedef struct _SwZoneProfilerGuard SwZoneProfilerGuard;

SW_AVAILABLE_IN_0_1
SwZoneGuard *sw_zone_guard_new (const char *name,
                                SwProfilerEncoder *encoder,
                                const char *file,
                                int line,
                                const char *function) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwZoneGuard *sw_zone_guard_new_for_function (SwProfilerEncoder *encoder,
                                             const char *file,
                                             int line,
                                             const char *function) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_zone_guard_is_recorded (SwZoneGuard *self);
SW_AVAILABLE_IN_0_1
void sw_zone_guard_free (SwZoneGuard *self);

SW_AVAILABLE_IN_0_1
SwFrameGuard *sw_frame_guard_new (const char *name,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
gboolean sw_frame_guard_is_recorded (SwFrameGuard *self);
SW_AVAILABLE_IN_0_1
void sw_frame_guard_free (SwFrameGuard *self);

SW_AVAILABLE_IN_0_1
SwZoneProfilerGuard *sw_zone_profiler_guard_new (SwZoneProfiler *profiler,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwZoneProfiler *sw_zone_profiler_guard_get_profiler (SwZoneProfilerGuard *self);
SW_AVAILABLE_IN_0_1
void sw_zone_profiler_guard_free (SwZoneProfilerGuard *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwZoneGuard, sw_zone_guard_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwFrameGuard, sw_frame_guard_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwZoneProfilerGuard, sw_zone_profiler_guard_free)

#endif

G_END_DECLS
