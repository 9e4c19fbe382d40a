/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The default context's level has changed, and its lock is held: which notes the library is to pass on. */
void sw_trace_notes_switch (guint level);

G_END_DECLS
