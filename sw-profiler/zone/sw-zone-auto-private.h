/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes a zone of each dispatched operation, named "carrier::operation", on threads whose current profiler wants them. To
 * be called before the gate is opened for that. */
void sw_zone_auto_watch (void);

G_END_DECLS
