/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The default context's level has changed, and its lock is held: opens or closes the gate for what the library emits by itself. */
void sw_trace_auto_switch (guint level);

G_END_DECLS
