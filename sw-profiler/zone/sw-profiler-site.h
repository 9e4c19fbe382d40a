/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/zone/sw-zone-types.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_SITE (sw_profiler_site_get_type ())

typedef struct _SwProfilerSite SwProfilerSite;

SW_AVAILABLE_IN_0_1
GType sw_profiler_site_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwProfilerSite *sw_profiler_site_lookup (guint32 id);
SW_AVAILABLE_IN_0_1
SwProfilerSite *sw_profiler_site_ref (SwProfilerSite *self);
SW_AVAILABLE_IN_0_1
void sw_profiler_site_unref (SwProfilerSite *self);

SW_AVAILABLE_IN_0_1
guint32 sw_profiler_site_get_id (SwProfilerSite *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_site_get_file (SwProfilerSite *self);
SW_AVAILABLE_IN_0_1
guint32 sw_profiler_site_get_line (SwProfilerSite *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_site_get_function (SwProfilerSite *self);
SW_AVAILABLE_IN_0_1
const char *sw_profiler_site_get_name (SwProfilerSite *self);

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_site_equal (SwProfilerSite *self,
                                 SwProfilerSite *other);
SW_AVAILABLE_IN_0_1
guint sw_profiler_site_hash (SwProfilerSite *self);
SW_AVAILABLE_IN_0_1
char *sw_profiler_site_to_string (SwProfilerSite *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwProfilerSite, sw_profiler_site_unref)

G_END_DECLS
